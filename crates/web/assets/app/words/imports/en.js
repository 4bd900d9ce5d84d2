// Imports, in English.
import { plural } from '../en.js';

/** @type {typeof import('./pt-BR.js').default} */
export default {
  title: 'Import',
  drop: 'Drop files from your bank here',
  drop_now: 'Release to add them',
  choose: 'Choose files',
  kinds:
    'Statements and card bills as OFX, CSV or a spreadsheet (XLSX, XLS, ODS). Nothing is saved before you check it.',
  how: 'Where do I find the file?',
  how_steps: [
    'In your bank’s app or site, open the statement or the bill and look for “Export”, “Save” or “Share”.',
    'Choose OFX. If there is none, choose CSV or a spreadsheet.',
    'Get the file to this device and choose it here. Rows that are here already are recognised and not added again.',
  ],
  steps: { file: 'File', columns: 'Reading', review: 'Check', result: 'Result' },
  /** @param {number} number @param {number} of @param {string} name */
  file_of: (number, of, name) => `File ${number} of ${of}: ${name}`,
  drop_all: 'Give up all',
  many: {
    /** @param {number} count */
    sorting: count => `Reading ${plural(count, 'file', 'files')}…`,
    /** @param {number} count */
    ready: count => `${plural(count, 'file', 'files')} to import`,
    /** @param {number} count */
    sending: count => `Importing ${plural(count, 'file', 'files')}…`,
    /** @param {number} count */
    done: count => plural(count, 'file imported', 'files imported'),
    waits: 'Waiting for its turn',
    asks: 'Needs an answer from you',
    nothing: 'Nothing new: all of it is here',
    /** @param {string} where @param {number} fresh @param {number} duplicate */
    found: (where, fresh, duplicate) =>
      `${where} · ${plural(fresh, 'new transaction', 'new transactions')}${duplicate === 0 ? '' : `, ${plural(duplicate, 'duplicate', 'duplicates')}`}`,
    /** @param {string} where @param {number} inserted */
    sent: (where, inserted) => `${where} · ${plural(inserted, 'transaction imported', 'transactions imported')}`,
    /** @param {number} count */
    asks_later: count =>
      count === 1 ? 'Then a question about the other file.' : `Then questions about the other ${count}.`,
    one_by_one: 'Check one by one',
    /** @param {number} count */
    import_files: count => `Import ${plural(count, 'file', 'files')}`,
    busy: 'Importing…',
    /** @param {number} count */
    go_on: count => (count === 1 ? 'Answer about the other' : `Answer about the other ${count}`),
  },
  /** @param {string} name */
  place: name => `Where is ${name} from?`,
  account: 'Account',
  several_accounts: 'The file has statements of more than one account. Where does each go?',
  /** @param {string | null} hint @param {number} rows */
  statement_of: (hint, rows) =>
    `${hint === null ? 'Without a number' : `Ending in ${hint}`} · ${plural(rows, 'transaction', 'transactions')}`,
  leave_out: 'Leave out',
  choose_account: 'Choose the account…',
  new_account: 'New account',
  no_account_hint: 'The transactions are imported without an account and change no balance.',
  is_card: 'It is a card’s bill',
  dating: 'Date of the purchases',
  own_days: 'Each purchase on its own date',
  own_days_text: 'For statements, and for bills that are still open.',
  one_day: 'All on the payment date of the bill',
  one_day_text:
    'The original date of each purchase is kept. If the payment date is in the future, the bill is held until then.',
  payment_date: 'Payment date',
  /** @param {string} day */
  held_until: day => `The bill is held until ${day}: the card owes it already, and its rows count when you confirm it.`,
  /** @param {string} day */
  dated: day => `The purchases are dated ${day}.`,
  read: 'Read file',
  /** @param {string} name */
  reading: name => `Reading ${name}…`,
  back: 'Back',
  next_file: 'Next file',
  skip_file: 'Skip this file',
  other_file: 'Choose another file',
  tell_columns: 'Set how to read it',
  wrong: {
    kept: 'Nothing was saved.',
    sheet_then:
      'Check that the spreadsheet opens without a password and has a list with date, description and amount. Or export it from your bank again.',
    /** @param {string} name */
    pdf: name => `${name} is a PDF, made for printing.`,
    pdf_then: 'Export the same statement from your bank as OFX, CSV or a spreadsheet.',
    /** @param {string} name */
    kind: name => `${name} is neither an OFX nor a CSV file, nor a spreadsheet.`,
    kind_then: 'Export the statement from your bank as OFX, CSV or a spreadsheet, and choose that file.',
    /** @param {string} name */
    empty: name => `${name} is empty.`,
    empty_then: 'Sometimes a bank exports a period without transactions, or a download stops halfway. Export it again.',
    /** @param {string} name */
    unreadable: name => `No transactions were found in ${name}.`,
    unreadable_text_then:
      'If the file is a table, you can set the columns of the date, the description and the amount.',
    /** @param {string} name @param {number} size @param {number | null} most */
    large: (name, size, most) =>
      `${name} has ${size} MB${most === null ? ', more than fits here' : `; up to ${most} MB fit`}.`,
    /** @param {string} name */
    large_inside: name => `${name} is small, but unpacks to more than can be read at once.`,
    /** @param {string} name */
    long: name => `${name} has too many transactions to import at once.`,
    large_then: 'Export shorter periods and import one at a time.',
  },
  banks: {
    title: 'Where each bank exports',
    bank: 'Bank',
    place: 'Where to look',
    file: 'File',
    /** @param {string[]} channels @returns {string} */
    channels: channels =>
      channels.length > 1 ? 'In the app or on the site' : channels[0] === 'app' ? 'In the app' : 'On the site',
  },
  columns: {
    title: 'How it was read',
    unknown_title: 'How is this file structured?',
    mend: 'Something wrong? Correct how it was read',
    tell: 'Set how to read it',
    /** @param {number} place */
    column: place => `Column ${place}`,
    unknown: 'The columns were not recognised. Choose them; the result is shown at once.',
    nothing: 'The file was opened, but no line has a date and an amount. Check the columns.',
    /** @param {number} count @param {number} rejected */
    found: (count, rejected) =>
      `${plural(count, 'transaction', 'transactions')} found${rejected === 0 ? '' : `, and ${plural(rejected, 'line that is none', 'lines that are none')}`}.`,
    lines: 'First lines of the file',
    roles: { date: 'Date', description: 'Description', amount: 'Amount' },
    column_of: { date: 'Column of the date', description: 'Column of the description', amount: 'Column of the amount' },
    automatic: 'Automatic',
    /** @param {string} known */
    recognised: known => `Automatic: ${known}`,
    separator: 'Column separator',
    separators: { ';': 'semicolon ( ; )', ',': 'comma ( , )', '\t': 'tab', '|': 'bar ( | )' },
    decimal: 'Decimal separator',
    decimals: { ',': 'a comma: 1.234,56', '.': 'a point: 1,234.56' },
    card_sign: 'Sign of purchases',
    /** @type {Record<string, string>} */
    card_signs: { purchases_positive: 'Purchases are positive', purchases_negative: 'Purchases are negative' },
    date_format: 'Date format',
    /** @param {string} format */
    letters: format => format,
    /** @param {string} format */
    date_formats: format =>
      `${format} (${format.replace('dd', '31').replace('mm', '12').replace('yyyy', '2026').replace('yy', '26')})`,
    skip_negative: 'Leave out negative amounts',
    skip_negative_hint: 'On many bills they are payments and refunds.',
    all_expenses: 'Everything is an expense',
    all_expenses_hint: 'For files without minus signs.',
    result: 'First transactions',
    nothing_then: 'None yet. Adjust the settings until the transactions appear here.',
    /** @param {number} count */
    go: count => `Check ${plural(count, 'transaction', 'transactions')}`,
    go_none: 'Nothing to check',
  },
  /** @param {number} count */
  rejected: count => `${plural(count, 'line is not a transaction', 'lines are not transactions')}`,
  rejected_text: 'Not imported:',
  /** @param {number} line */
  line: line => `line ${line}:`,
  /** @param {string} sheet @param {number} line */
  sheet_line: (sheet, line) => `${sheet}, line ${line}:`,
  /** @param {number} count */
  more_lines: count => `and ${plural(count, 'more line', 'more lines')}`,
  /**
   * Why a line holds no transaction or a row was not inserted, by code, with its parameters.
   * @type {Record<string, (params: Record<string, unknown>) => string>}
   */
  reasons: {
    zero_amount: () => 'the amount is zero',
    negative_skipped: () => 'negative, skipped as you chose',
    future_transaction: () => 'is in the future',
    pending_transaction: () => 'is not booked by the bank yet',
    repeated_header: () => 'repeats the headers',
    not_settled: ({ status }) => `“${status}”: no money moved`,
    other_currency: ({ currency }) => `is in ${currency}, not in reais`,
    not_chosen: () => 'no account was chosen for this statement',
    balance_line: () => 'is a balance',
    carried_balance: () => 'is what the bill before left',
    total_line: () => 'is a total',
    line_without_date: () => 'has no date',
    line_without_amount: () => 'has no amount',
    missing_date: () => 'the date is missing',
    missing_amount: () => 'the amount is missing',
    truncated_file: () => 'the file ends halfway',
    invalid_date: ({ text }) => `“${text}” is not a date`,
    illegible_amount: ({ text }) => `“${text}” is not an amount`,
    amount_too_large: ({ text }) => `“${text}” is above the largest amount`,
    duplicate: () => 'is already stored',
    skipped_by_rule: () => 'is skipped by a rule',
    duplicate_of_pending: () => 'is already in a held bill',
    automatic_yield: () => 'is yield, which is added automatically',
  },
  review: {
    title: 'Check before importing',
    mend: 'Correct how it was read',
    move: 'Change account',
    /** @param {string} name */
    nothing: name => `${name} has no transactions. There is nothing to import.`,
    /** @param {number} count */
    all_known: count =>
      `${count === 1 ? 'The only transaction of this file is' : `All ${plural(count, 'transaction', 'transactions')} of this file are`} here already. There is nothing to import.`,
    /** @param {number} fresh @param {number} duplicate @param {string} where */
    found: (fresh, duplicate, where) =>
      `${plural(fresh, 'new transaction', 'new transactions')} for ${where}${duplicate === 0 ? '.' : `; ${plural(duplicate, 'duplicate stays', 'duplicates stay')} out.`}`,
    rows: 'Transactions of the file',
    search: 'Search descriptions',
    filter: 'Show',
    filters: { all: 'All', new: 'New', duplicate: 'Duplicates', uncategorized: 'Uncategorised' },
    none_fits: 'No matching transaction.',
    /** @param {number} count */
    bulk: count =>
      count === 0
        ? 'None selected in this view'
        : `Category of the ${count.toLocaleString('en')} selected in this view`,
    choose_category: 'Choose…',
    apply: 'Apply',
    /** @param {number} count @param {string} name */
    categorized: (count, name) => `${plural(count, 'transaction', 'transactions')} in ${name}.`,
    tools: 'Search, filter and change several',
    mark_all: 'Select all in this view',
    date: 'Date',
    description: 'Description',
    category: 'Category',
    amount: 'Amount',
    notes: 'Notes',
    /** @param {string} named */
    send: named => `Import ${named}`,
    /** @param {string} description */
    category_of: description => `Category of ${description}`,
    suggested: 'suggested',
    sources: {
      rule: 'rule',
      history: 'history',
      installment: 'instalment',
      payee: 'payee',
      similar: 'similar',
      file: 'statement',
      dictionary: 'dictionary',
    },
    reasons: {
      rule: 'Suggested by one of your rules',
      history: 'Suggested by the history: the category you last used with this description',
      installment: 'Suggested by the earlier instalment of this purchase',
      payee: 'Suggested by the payee: the category most used with it',
      similar: 'Suggested by transactions with a similar name',
      file: 'Suggested by the statement, which names the category',
      dictionary: 'Suggested by the dictionary: the trade in the name',
    },
    suggestions: 'Suggestions',
    keys: 'By keyboard: u goes to the first row without a category; type the category, and Enter goes to the next. Ctrl+Enter imports.',
    any_source: count => `all (${count.toLocaleString('en')})`,
    by_source: (source, count) => `${source} (${count.toLocaleString('en')})`,
    take: count => (count === 1 ? 'Accept the suggestion' : `Accept the ${count.toLocaleString('en')}`),
    refuse: count =>
      count === 1 ? 'Leave without category' : `Leave the ${count.toLocaleString('en')} without category`,
    taken: count => `${plural(count, 'suggestion', 'suggestions')} accepted.`,
    refused: count => `${plural(count, 'transaction', 'transactions')} left without category.`,
    skipped: 'A rule skips this row.',
    kept: 'It is imported, although a rule skips it.',
    yield: 'Yield, which the account adds by itself.',
    yield_kept: 'It is imported, although the account adds yield by itself.',
    keep: 'Import it anyway',
    skip: 'Leave it out',
    duplicate: 'Here already',
    duplicate_held: 'Already in a held bill',
    duplicate_leg: 'The transfer that you already entered',
    similar: 'Similar to a stored one',
    /** @param {number} count */
    alike: count =>
      count === 1
        ? 'Use for the other one with this description'
        : `Use for the other ${count.toLocaleString('en')} with this description`,
    transfers: {
      /** @param {string} card */
      payment: card => (card ? `Payment of the ${card} bill` : 'Payment of the card’s bill'),
      /** @param {string} card @param {string} day */
      pays: (card, day) => `Payment of the ${card || 'card’s'} bill due ${day}`,
      /** @param {string} card @param {string} day */
      bill: (card, day) => `${card || 'Card'} bill due ${day}`,
      own: 'Transfer between your accounts',
      linked: 'linked to',
      alone: 'counts neither as income nor as expense',
      other_side: 'The other side',
      /** @param {string} type @returns {string} */
      ordinary: type => (type === 'income' ? 'Count it as income' : 'Count it as an expense'),
      /** @param {string} type @returns {string} */
      is_ordinary: type => (type === 'income' ? 'Counts as income.' : 'Counts as an expense.'),
      back: 'Make it a transfer again',
      maybe: 'May be a transfer',
      maybe_payment: 'May be the payment of a bill',
      with: 'with',
      maybe_then: 'You decide after the import.',
    },
    discard_title: 'Discard this file?',
    discard_text: 'The categories you chose here are lost. Nothing was saved.',
    discard: 'Give up',
    /** @param {string} description */
    stale: description =>
      `The other side of “${description}” changed while you were checking. Nothing was saved. Read the file again; your choices stay.`,
    /** @param {string} description */
    wrong_row: description =>
      `“${description}” was not accepted, so nothing was saved. Read the file again, or deselect the row.`,
    read_again: 'Read again',
    /** @param {number} count */
    hold: count => `Hold ${plural(count, 'transaction', 'transactions')}`,
    /** @param {number} count */
    import: count => `Import ${plural(count, 'transaction', 'transactions')}`,
    /** @param {number} count */
    sending: count => `Importing ${plural(count, 'transaction', 'transactions')}…`,
    stopped:
      'The request was cancelled. If it had already arrived, it is among the earlier imports; importing again creates no duplicates.',
    nothing_to_send: 'Nothing to send.',
    finish: 'Done',
  },
  result: {
    /** @param {number} count */
    inserted: count => `${plural(count, 'transaction', 'transactions')} imported`,
    /** @param {string} where @param {string} sum */
    inserted_text: (where, sum) => `Into ${where}, ${sum} in total.`,
    /** @param {string} sum */
    inserted_loose: sum => `Without an account, ${sum} in total.`,
    /** @param {string} where @param {string} balance */
    balance: (where, balance) => `Balance of ${where} now: ${balance}.`,
    /** @param {string} _where @param {string} balance */
    balance_as_said: (_where, balance) => `Balance of today: ${balance}, as you said.`,
    balance_differs: 'Does your bank show another balance?',
    /** @param {string} where @param {string} day @param {string} bank @param {string} here @param {string} difference */
    disagrees: (where, day, bank, here, difference) =>
      `The balance does not agree: the file says that ${where} held ${bank} on ${day}, and here it is ${here}. The difference is ${difference}.`,
    see_difference: 'See what may be missing',
    /** @param {number} count */
    uncategorized: count => `${count.toLocaleString('en')} without a category:`,
    categorize: 'choose categories',
    /** @param {string} where */
    balance_of: where => `Correct the balance of ${where}`,
    balance_today: 'Balance at your bank',
    correct_text:
      'The balance at the end of today. The opening balance adjusts to it, or the account shows the difference: neither spending nor income changes.',
    correct_balance: 'Correct balance',
    differs: where => `${where}: the account shows the difference.`,
    none: 'Nothing was imported',
    none_text: 'All rows were already stored.',
    /** @param {number} count */
    held: count => `Bill held with ${plural(count, 'transaction', 'transactions')}`,
    /** @param {string} day @param {string} total */
    held_text: (day, total) =>
      `${total}, held until ${day}. It waits for you here and on the dashboard; confirm it when you pay.`,
    /** @param {number} count */
    linked: count => `${plural(count, 'transfer', 'transfers')} recognised`,
    /** @param {string} card @param {string} day */
    to_bill: (card, day) => `pays the ${card} bill due ${day}`,
    /** @param {string} row */
    to_row: row => `linked to ${row}`,
    to_none: 'the other side is not stored here',
    /** @param {number} count */
    skipped: count => `${count.toLocaleString('en')} not imported`,
    see: 'See transactions',
    undone: 'Import undone',
    /** @param {number} count */
    undone_text: count => `${plural(count, 'transaction was', 'transactions were')} deleted. Everything is as before.`,
    correct: 'Correct and import again',
    finish: 'Done',
  },
  stored: {
    description: 'Description',
    amount: 'Amount',
    date: 'Date',
    original_date: 'Date of purchase',
    account: 'Account',
    category: 'Category',
    source: 'Came from',
    sources: {
      manual: 'entered by hand',
      ofx: 'an OFX file',
      csv: 'a CSV file',
      yield: 'yield',
      transfer: 'a transfer',
      opening_balance: 'the opening balance',
      installment: 'instalments',
    },
    open: 'Open in Transactions',
  },
  held: {
    title: 'Held bills',
    text: 'They wait for their payment. Confirm a bill when you pay it to add its transactions.',
  },
  log: {
    title: 'Earlier imports',
    empty: 'None yet. Imports appear here and can be undone.',
    no_name: 'File without a name',
    /** @param {number} inserted @param {number} skipped */
    counts: (inserted, skipped) =>
      `${plural(inserted, 'transaction', 'transactions')}${skipped === 0 ? '' : `, ${plural(skipped, 'duplicate', 'duplicates')}`}`,
    /** @param {string} name */
    undo_title: name => `Undo the import of ${name}?`,
    /** @param {number} count */
    undo_text: count =>
      `${count === 1 ? 'The transaction that came in is deleted, even if you edited it' : `The ${plural(count, 'transaction', 'transactions')} that came in are deleted, edited ones too`}. You can import the file again.`,
    undo: 'Undo import',
    /** @param {number} count */
    undone: count => `${plural(count, 'transaction', 'transactions')} deleted.`,
    more: 'Show more',
  },
  detected: {
    /** @param {number} count */
    title: count => plural(count, 'transfer recognised', 'transfers recognised'),
    text: 'Their rows are stored, but still count as spending and income. Check and link them; you can unlink each one later.',
    /** @param {number} count */
    link: count => (count === 1 ? 'Link' : `Link all ${count.toLocaleString('en')}`),
    all: 'Show all',
    /** @param {number} count */
    more: count => `And ${count.toLocaleString('en')} more, older ones.`,
    payment: 'Payment of a bill',
    own: 'Between your accounts',
    /** @param {number} count */
    done: count => plural(count, 'transfer linked', 'transfers linked'),
    done_text: 'They no longer count as spending or income. Unlink any that is not a transfer.',
    unlink: 'Unlink',
    /** @param {number} count @param {string} description */
    unlinked: (count, description) =>
      count === 1 ? `${description}: unlinked.` : `${count.toLocaleString('en')} transfers unlinked.`,
  },
  suggestions: {
    title: 'These look like transfers',
    text: 'The same amount left one account and arrived in another. When linked, they count neither as spending nor as income.',
    payment: 'Payment of a bill?',
    own: 'Between your accounts?',
    from: 'Out:',
    to: 'In:',
    link: 'Link',
    refuse: 'It is not',
    linked: 'Linked as a transfer.',
    refused: 'Saved: it is not a transfer.',
  },
};
