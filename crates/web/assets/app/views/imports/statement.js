// The import of one file: its settings, its preview, and the rows to send.
import { computed, signal, untracked } from '@preact/signals';
import { isAborted, newKey, post, postOnce, Problem } from '../../api.js';
import { cents } from '../../money.js';
import { accountById, me, today } from '../../session.js';
import { fold } from '../../text.js';

/** @typedef {import('../../../../types/client').Schemas} Schemas */
/**
 * The other side of a transfer is present only if the transfer is certain.
 * @typedef {Omit<Schemas['PreviewRow'], 'transfer_with'> & { transfer_with?: { transaction_id?: number, bill_id?: number } }} Row
 */
/** @typedef {Omit<Schemas['Preview'], 'rows'> & { rows: Row[] }} Preview */
/** @typedef {Schemas['SkippedRow']} Skipped */
/** @typedef {Schemas['LinkedRow']} Linked */
/**
 * @typedef {{ import_id: number | null, inserted: number, uncategorized: number, skipped: Skipped[], linked: Linked[], held: Schemas['PendingBill'] | null, rows: Row[], sum: bigint }} Result
 */
/** @typedef {'all' | 'new' | 'duplicate' | 'uncategorized'} Filter */
/** The source of a suggested category. @typedef {NonNullable<Row['suggestion']>['source']} Source */
/** @typedef {'file' | 'columns' | 'review' | 'result'} Step */
/** @typedef {ReturnType<typeof newStatement>} Statement */

/** Lines, tags and note of a row. @typedef {{ lines: Schemas['TransactionLineBody'][] | null, tags: string[], note: string | null }} Details */

/** How a CSV file is read. Empty values are detected. */
const READING = {
  separator: '',
  decimal_separator: '',
  date_format: '',
  date_column: '',
  description_column: '',
  amount_column: '',
  skip_negative: false,
  all_expenses: false,
  card_sign: '',
};

const FILE_NAME_CHARACTERS_MAX = 255;
/** Bodies of at least so many characters are packed. */
const PACKED_FROM = 256 * 1024;

/** The body in gzip if it is large and the browser can do it. @param {unknown} body @returns {Promise<Blob | undefined>} */
const pack = async body => {
  const text = JSON.stringify(body);
  if (text.length < PACKED_FROM || !('CompressionStream' in globalThis)) return undefined;
  return new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).blob();
};

/** The description in the statement, before a rule renamed it. @param {Row} row */
export const statementText = row => row.statement_description ?? row.description;

/** Whether a rule leaves it out, or the account, which yields by itself. Either is sent if a person keeps it. @param {Row} row */
export const isLeftOut = row => row.skipped_by_rule || row.automatic_yield;

/** Whether it is certainly a transfer. @param {Row} row */
export const isCertain = row => row.transfer?.confidence === 'certain' && row.transfer_with !== undefined;

/**
 * The files that came from the inbox, and why it refused others.
 * @type {WeakMap<File, { item?: Schemas['InboxItem'], error?: unknown }>}
 */
export const arrivedAs = new WeakMap();

/** Rejected lines that may have been misread. The others are known to be no transactions, such as a total. */
const MISREAD = ['invalid_date', 'illegible_amount', 'amount_too_large'];

/**
 * Whether the columns of a file need no look: all three were recognised by the headers, every line was read, and no date
 * can be another day. Day and month of `03/04/2026` may be either way, unless the header is Portuguese or a day is after
 * the 12th.
 * @param {Preview} preview
 */
const isKnownFormat = ({ format, detected, headers, rows, rejected }) =>
  format !== 'csv' ||
  (rows.length > 0 &&
    detected !== null &&
    detected.description_column !== null &&
    /\p{L}/u.test(headers?.[detected.date_column - 1] ?? '') &&
    !rejected.some(({ code }) => MISREAD.includes(code)) &&
    (/^data/i.test(headers?.[detected.date_column - 1]?.trim() ?? '') ||
      detected.date_format?.startsWith('yyyy') === true ||
      rows.some(({ date }) => Number(date.slice(8)) > 12)));

/** The step after a file was read. @param {Preview | null} preview @returns {Step} */
export const stepAfter = preview => (preview && isKnownFormat(preview) ? 'review' : 'columns');

/** @param {File} file */
export const newStatement = file => {
  /** Undefined until the user has chosen. */
  const account = signal(/** @type {number | null | undefined} */ (undefined));
  const isLooseCard = signal(false),
    isOnOneDay = signal(false),
    paymentDate = signal('');
  /** The accounts of a file with several statements, by their indexes. Null until the file was read once. */
  const accounts = signal(/** @type {ReadonlyMap<number, number | null> | null} */ (null));
  const reading = signal({ ...READING });
  const step = signal(/** @type {Step} */ ('file')),
    busy = signal(/** @type {'' | 'reading' | 'sending'} */ (''));
  /** What failed, with its error. */
  const failed = signal(/** @type {'reading' | 'sending'} */ ('reading')),
    error = signal(/** @type {unknown} */ (arrivedAs.get(file)?.error ?? null)),
    preview = signal(/** @type {Preview | null} */ (null));
  /** Rows that are left out although they could be sent. */
  const left = signal(/** @type {ReadonlySet<number>} */ (new Set()));
  /** Rows that are sent although they are left out. */
  const kept = signal(/** @type {ReadonlySet<number>} */ (new Set()));
  /** Categories chosen in place of the suggestions. */
  const chosen = signal(/** @type {ReadonlyMap<number, number | null>} */ (new Map()));
  /** Transfers that the user turned into ordinary rows. */
  const ordinary = signal(/** @type {ReadonlySet<number>} */ (new Set()));
  /** What the user noted of rows. */
  const details = signal(/** @type {ReadonlyMap<number, Details>} */ (new Map()));
  const filter = signal(/** @type {Filter} */ ('all')),
    text = signal('');
  /** The source whose suggestions are shown; all if empty. */
  const source = signal(/** @type {Source | ''} */ (''));
  const result = signal(/** @type {Result | null} */ (null));
  const inboxId = arrivedAs.get(file)?.item?.id;
  let key = newKey();
  /** @type {AbortController | null} */
  let running = null;

  const isCard = computed(() =>
    typeof account.value === 'number' ? accountById.value.get(account.value)?.kind === 'credit' : isLooseCard.value,
  );
  const payment = computed(() => (isCard.value && isOnOneDay.value && paymentDate.value ? paymentDate.value : null));
  const isHeld = computed(() => payment.value !== null && payment.value > today.value);

  /** The statements without an account, which are left out if another one has an account. */
  const elsewhere = computed(() => {
    const of = [...(accounts.value ?? [])],
      without = of.filter(([, id]) => id === null);
    return new Set(without.length < of.length ? without.map(([index]) => index) : []);
  });
  /** @param {Row} row */
  const isElsewhere = row => elsewhere.value.has(row.statement);
  /** Whether it can be sent. @param {Row | undefined} row @returns {row is Row} */
  const isNew = row => row !== undefined && !row.duplicate && !isElsewhere(row);
  /** Values computed once for each row. */
  const facts = computed(() =>
    (preview.value?.rows ?? []).map(row => ({
      cents: row.type === 'income' ? cents(row.amount) : -cents(row.amount),
      folded: fold(row.description),
      searched: fold(`${row.description} ${row.statement_description ?? ''} ${row.display.name}`),
    })),
  );
  /** Rows by description, to count those with the same one. */
  const alike = computed(() => {
    const rows = preview.value?.rows ?? [],
      found = /** @type {Map<string, number[]>} */ (new Map());
    facts.value.forEach(({ folded }, index) => {
      const row = rows[index];
      if (!isNew(row)) return;
      const known = found.get(folded);
      if (known) known.push(index);
      else found.set(folded, [index]);
    });
    return found;
  });
  /** @param {number} index */
  const categoryOf = index =>
    chosen.value.has(index) ? (chosen.value.get(index) ?? null) : (preview.value?.rows[index]?.category_id ?? null);
  /** @param {number} index */
  const isTransfer = index => {
    const row = preview.value?.rows[index];
    return row !== undefined && isCertain(row) && !ordinary.value.has(index);
  };
  /** The lines of a row, if it is split. A transfer has none. @param {number} index */
  const linesOf = index => (isTransfer(index) ? null : (details.value.get(index)?.lines ?? null));
  /** Whether a row will be sent. @param {number} index */
  const isSent = index => {
    const row = preview.value?.rows[index];
    return isNew(row) && (isLeftOut(row) ? kept.value.has(index) : !left.value.has(index));
  };
  /** Rows whose category is a suggestion, by its source. */
  const suggested = computed(() => {
    const found = /** @type {Map<Source, number[]>} */ (new Map());
    preview.value?.rows.forEach((row, index) => {
      const { suggestion } = row;
      if (!suggestion || isElsewhere(row) || chosen.value.has(index) || isTransfer(index)) return;
      const known = found.get(suggestion.source);
      if (known) known.push(index);
      else found.set(suggestion.source, [index]);
    });
    return found;
  });
  /** @param {number} index */
  const isUncategorized = index =>
    isNew(preview.value?.rows[index]) && categoryOf(index) === null && !isTransfer(index) && linesOf(index) === null;

  const counts = computed(() => {
    const all = preview.value?.rows ?? [],
      rows = all.filter(row => !isElsewhere(row));
    const duplicate = rows.reduce((count, row) => count + (row.duplicate ? 1 : 0), 0);
    return {
      all: rows.length,
      new: rows.length - duplicate,
      duplicate,
      uncategorized: all.reduce((count, _, index) => count + (isUncategorized(index) ? 1 : 0), 0),
    };
  });
  /** The visible rows. An action on a row does not hide it until the filter changes. */
  const shown = computed(() => {
    const rows = preview.value?.rows ?? [],
      wanted = fold(text.value),
      by = filter.value,
      of = source.value,
      found = /** @type {number[]} */ ([]);
    const isUnknown =
      by === 'uncategorized'
        ? new Set(rows.flatMap((_, index) => (untracked(() => isUncategorized(index)) ? [index] : [])))
        : null;
    // What is new comes before what is here already.
    const known = /** @type {number[]} */ ([]);
    rows.forEach((row, index) => {
      if (isElsewhere(row)) return;
      const fits =
        by === 'all' || (by === 'uncategorized' ? isUnknown?.has(index) : row.duplicate === (by === 'duplicate'));
      if (fits && (!of || row.suggestion?.source === of) && (!wanted || facts.value[index]?.searched.includes(wanted)))
        (row.duplicate ? known : found).push(index);
    });
    return [...found, ...known];
  });
  const sending = computed(() => {
    const rows = preview.value?.rows ?? [],
      indices = /** @type {number[]} */ ([]);
    let sum = 0n;
    rows.forEach((_, index) => {
      if (!isSent(index)) return;
      indices.push(index);
      sum += facts.value[index]?.cents ?? 0n;
    });
    return { indices, count: indices.length, sum };
  });
  /** Whether the user has made choices that would be lost. */
  const isTouched = computed(
    () => left.value.size + kept.value.size + chosen.value.size + ordinary.value.size + details.value.size > 0,
  );

  /** @param {(signal: AbortSignal) => Promise<void>} work @param {'reading' | 'sending'} what */
  const run = async (what, work) => {
    running?.abort();
    const own = (running = new AbortController());
    busy.value = what;
    error.value = null;
    try {
      await work(own.signal);
    } catch (failure) {
      if (own.signal.aborted || isAborted(failure)) return false;
      failed.value = what;
      error.value = failure;
    }
    if (running === own) busy.value = '';
    return error.value === null;
  };

  const forget = () => {
    left.value = new Set();
    kept.value = new Set();
    chosen.value = new Map();
    ordinary.value = new Set();
    details.value = new Map();
    filter.value = 'all';
    source.value = '';
    text.value = '';
  };

  /** Reads the file. The choices for its rows stay if the rows are the same. @returns {Promise<boolean>} */
  const read = () =>
    run('reading', async signal => {
      const most = /** @type {{ upload_bytes_max?: number } | null} */ (me.data.peek())?.upload_bytes_max;
      if (most !== undefined && file.size > most) throw new Problem({ status: 413, code: 'ErrTooLarge' });
      const form = new FormData();
      const several = accounts.peek();
      if (several !== null) {
        const statements = [...several].map(([index, account_id]) => ({ index, account_id }));
        form.set('statements', JSON.stringify(statements));
      } else {
        if (typeof account.value === 'number') form.set('account_id', String(account.value));
        if (isCard.value) form.set('is_credit_card', 'true');
        if (payment.value) form.set('payment_date', payment.value);
      }
      for (const [name, value] of Object.entries(reading.value)) if (value) form.set(name, String(value));
      form.set('file', file);
      const found = /** @type {Preview} */ (await postOnce('/api/import/preview', { form, signal }));
      const before = preview.peek();
      const isSame =
        before !== null &&
        before.rows.length === found.rows.length &&
        before.rows.every((row, index) => {
          const now = found.rows[index];
          return (
            now !== undefined &&
            statementText(row) === statementText(now) &&
            row.amount === now.amount &&
            row.date === now.date
          );
        });
      if (!isSame) forget();
      if (source.peek() && !found.rows.some(row => row.suggestion?.source === source.peek())) source.value = '';
      preview.value = found;
    });

  const send = () =>
    run('sending', async signal => {
      const { indices } = sending.peek(),
        of = preview.peek();
      if (!of) return;
      const sent = indices.map(index => /** @type {Row} */ (of.rows[index]));
      const rows = sent.map((row, at) => {
        const {
          date,
          description,
          statement_description,
          amount,
          type,
          external_id,
          transfer_with,
          former,
          currency,
          statement,
        } = row;
        const index = /** @type {number} */ (indices[at]);
        const choice =
          transfer_with === undefined ? {} : { transfer_with: ordinary.peek().has(index) ? null : transfer_with };
        const lines = linesOf(index),
          noted = details.peek().get(index);
        return {
          date,
          description,
          amount,
          type,
          external_id,
          category_id: lines ? null : categoryOf(index),
          ...(noted ? { lines, tags: noted.tags, note: noted.note } : {}),
          ...(statement_description === null ? {} : { statement_description }),
          ...(isLeftOut(row) ? { keep: true } : {}),
          ...(former ? { former } : {}),
          ...(currency === null ? {} : { currency }),
          ...(statement === 0 ? {} : { statement }),
          ...(lines ? {} : choice),
        };
      });
      const isOne = accounts.peek() === null;
      const body = {
        account_id: isOne ? (account.value ?? null) : null,
        file_name: file.name.slice(0, FILE_NAME_CHARACTERS_MAX),
        format: of.format,
        is_credit_card: isOne && isCard.value,
        payment_date: isOne ? payment.value : null,
        due_date: isOne && isCard.value ? of.due_date : null,
        statements: of.statements.map(one => (isOne ? { ...one, account_id: account.value ?? null } : one)),
        rows: isOne ? rows : rows.map(row => ({ statement: 0, ...row })),
        rejected: of.rejected,
        ...(inboxId === undefined ? {} : { inbox_id: inboxId }),
      };
      const packed = await pack(body);
      const answer = await post('/api/import/confirm', { query: { transactions: false }, body, packed, signal, key });
      key = newKey();
      const skipped = new Set('pending_bill' in answer ? [] : answer.skipped.map(({ row }) => row));
      const sum = indices.reduce(
        (total, index, at) => (skipped.has(at) ? total : total + (facts.peek()[index]?.cents ?? 0n)),
        0n,
      );
      result.value =
        'pending_bill' in answer
          ? {
              import_id: null,
              inserted: 0,
              uncategorized: 0,
              skipped: [],
              linked: [],
              held: answer.pending_bill,
              rows: sent,
              sum,
            }
          : {
              import_id: answer.import_id,
              inserted: answer.inserted,
              uncategorized: indices.filter((index, at) => isUncategorized(index) && !skipped.has(at)).length,
              skipped: answer.skipped,
              linked: answer.linked,
              held: null,
              rows: sent,
              sum,
            };
      step.value = 'result';
    });

  const cancel = () => {
    running?.abort();
    running = null;
    busy.value = '';
  };

  return {
    id: newKey(),
    file,
    account,
    accounts,
    isLooseCard,
    isOnOneDay,
    paymentDate,
    reading,
    step,
    busy,
    failed,
    error,
    preview,
    left,
    kept,
    chosen,
    ordinary,
    details,
    filter,
    source,
    text,
    result,
    isCard,
    payment,
    isHeld,
    alike,
    facts,
    counts,
    shown,
    sending,
    suggested,
    isTouched,
    categoryOf,
    isTransfer,
    linesOf,
    isUncategorized,
    isSent,
    read,
    send,
    cancel,
    forget,
  };
};

/** The accounts that the rows go to, for people; empty without one. @param {Statement} statement @param {(id: number) => string} label */
export const placesOf = ({ account, accounts }, label) =>
  [...new Set(accounts.value === null ? [account.value] : accounts.value.values())]
    .flatMap(id => (id == null ? [] : [label(id)]))
    .join(', ');

/** Changes how the file is read. @param {Statement} statement @param {Partial<typeof READING>} change */
export const readAs = (statement, change) => {
  statement.reading.value = { ...statement.reading.value, ...change };
  return statement.read();
};

/**
 * Selects rows for sending, or leaves them out.
 * @param {Statement} statement
 * @param {number[]} indices
 * @param {boolean} isSent
 */
export const mark = ({ left, kept, preview }, indices, isSent) => {
  const out = new Set(left.value),
    against = new Set(kept.value);
  for (const index of indices) {
    const row = preview.value?.rows[index];
    if (!row || row.duplicate) continue;
    const [set, isIn] = isLeftOut(row) ? [against, isSent] : [out, !isSent];
    if (isIn) set.add(index);
    else set.delete(index);
  }
  left.value = out;
  kept.value = against;
};

/**
 * Sets the category of rows. Returns a function that restores the previous ones.
 * @param {Statement} statement
 * @param {number[]} indices
 * @param {number | null} id
 */
export const categorize = ({ chosen }, indices, id) => {
  const before = chosen.value,
    changed = new Map(before);
  for (const index of indices) changed.set(index, id);
  chosen.value = changed;
  return () => {
    const restored = new Map(chosen.value);
    for (const index of indices) {
      if (before.has(index)) restored.set(index, before.get(index) ?? null);
      else restored.delete(index);
    }
    chosen.value = restored;
  };
};

/**
 * Accepts the suggestions of rows, or leaves the rows without a category. Returns a function that turns them into
 * suggestions again.
 * @param {Statement} statement
 * @param {number[]} indices
 * @param {boolean} isTaken
 */
export const settle = (statement, indices, isTaken) => {
  const before = statement.chosen.value,
    changed = new Map(before);
  for (const index of indices) changed.set(index, isTaken ? statement.categoryOf(index) : null);
  statement.chosen.value = changed;
  return () => {
    const restored = new Map(statement.chosen.value);
    for (const index of indices) restored.delete(index);
    statement.chosen.value = restored;
  };
};

/** @param {Statement} statement @param {number} index @param {boolean} isOrdinary */
export const setOrdinary = ({ ordinary }, index, isOrdinary) => {
  const changed = new Set(ordinary.value);
  if (isOrdinary) changed.add(index);
  else changed.delete(index);
  ordinary.value = changed;
};

/** Sets the lines, the tags and the note of a row. @param {Statement} statement @param {number} index @param {Details} noted */
export const note = ({ details }, index, noted) => {
  const changed = new Map(details.value);
  if (noted.lines || noted.tags.length > 0 || noted.note) changed.set(index, noted);
  else changed.delete(index);
  details.value = changed;
};
