// The form of a transaction: its fields, its source, and the other actions on it.
import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { get, put, resource } from '../../api.js';
import { button, dd, div, dl, dt, h, p, small, span } from '../../dom.js';
import { longDate, shortDate } from '../../dates.js';
import { accountById, accountName, canWrite, categoryById, today } from '../../session.js';
import { language, words } from '../../words.js';
import { Amount, nameOf, inText } from '../../parts/amount.js';
import { open } from '../../parts/dialog.js';
import { enteredBy } from '../../parts/entered_by.js';
import { EntryDetails } from '../../parts/entry_details.js';
import { bodyOf, EntryFields, isAsTyped, typedOf, useDraft } from '../../parts/entry_fields.js';
import { check, Form } from '../../parts/field.js';
import { icon } from '../../parts/icon.js';
import { detailWords } from '../../words/details.js';
import { rulesWords } from '../../words/rules.js';
import { fieldMessage, Loaded } from '../../parts/problem.js';
import { recording } from '../../parts/undo.js';

/** @typedef {import('../../session.js').Schemas['Transaction']} Transaction */
/**
 * The actions that a dialog leaves to the list.
 * @typedef {{ saved: (row: Transaction, kept: import('../../parts/undo.js').Recording) => void, recur: ((row: Transaction) => void) | null, duplicate: (row: Transaction) => void, remove: (row: Transaction) => void, unlink: (row: Transaction) => void }} Actions
 */

/** Sources of rows that stay in their account, because they belong to it. */
const OF_ITS_ACCOUNT = ['yield', 'opening_balance'];

/** Whether a transfer was recognised in statements, and can be unlinked. @param {(Transaction | null)[]} sides */
export const isLinked = sides => sides.some(side => side && side.source !== 'transfer');

/** Shows what changed a transaction. @param {Transaction} row */
const showHistory = row => void import('../changes/entry_history.js').then(({ openHistory }) => openHistory(row));

/** @param {() => void} onClick */
const historyButton = onClick =>
  button({ class: 'button quiet-button', type: 'button', onClick }, icon('changes'), detailWords.value.history);

/** @param {{ row: Transaction }} props */
const Origin = ({ row }) => {
  const w = words.value.entry,
    code = language.value,
    by = enteredBy(row);
  const facts = [
    by !== null && [w.entered_by, by],
    row.source !== 'manual' && [w.origin, w.sources[row.source]],
    row.statement_description &&
      row.statement_description !== row.description && [w.statement_said, row.statement_description],
    row.original_date &&
      row.original_date !== row.date && [w.bought_on, longDate(code, row.original_date, today.value)],
  ].filter(fact => Array.isArray(fact));
  if (facts.length === 0) return null;
  return dl(
    { class: 'entry-facts' },
    facts.map(([term, text]) => div({ key: term }, dt(null, term), dd(null, text))),
  );
};

/** What is stored, for a member who may not change it. @param {{ row: Transaction, close: () => void }} props */
const Facts = ({ row, close }) => {
  const w = words.value,
    d = detailWords.value;
  const name = (/** @type {number | null} */ id) =>
    id === null ? w.form.no_category : (categoryById.value.get(id)?.name ?? '…');
  const facts = [
    [w.entry.date, longDate(language.value, row.date, today.value)],
    [w.entry.type, row.type === 'income' ? w.money.income : w.money.expense],
    [
      w.form.category,
      row.lines
        ? row.lines.map(line => `${name(line.category_id)} ${inText(line.amount)}`).join(' + ')
        : name(row.category_id),
    ],
    [w.form.account, accountName(row.account_id) ?? w.dashboard.no_account],
    [d.tags, row.tags.map(tag => `#${tag}`).join(' ')],
    [d.note, row.note],
  ];
  return div(
    { class: 'form' },
    p({ class: 'sum-line' }, span(null, row.description), h(Amount, { value: row.amount })),
    dl(
      { class: 'entry-facts' },
      facts.map(([term, text]) => text && div({ key: term }, dt(null, term), dd(null, text))),
    ),
    h(Origin, { row }),
    p({ class: 'note' }, w.app.only_reads),
    div(
      { class: 'actions' },
      historyButton(() => {
        close();
        showHistory(row);
      }),
      button({ class: 'button primary', type: 'button', autoFocus: true, onClick: close }, w.app.close),
    ),
  );
};

/**
 * The typed values, and those of another member in the fields that were not touched. What is typed is compared with the row that the form
 * opened with.
 * @template {object} Body @param {Transaction} row @param {Body} body @returns {Promise<Body>}
 */
const merged = async (row, body) => {
  const now = /** @type {any} */ (await get('/api/transactions/{id}', { path: { id: row.id } })),
    before = /** @type {any} */ (row);
  const isUntouched = (/** @type {string} */ name, /** @type {unknown} */ value) =>
    name in now && JSON.stringify(value ?? null) === JSON.stringify(before[name] ?? null);
  const fields = Object.entries(body).map(([name, value]) => [name, isUntouched(name, value) ? now[name] : value]);
  return Object.fromEntries(fields);
};

/** @param {{ row: Transaction, close: () => void, actions: Actions }} props */
const EditForm = ({ row, close, actions }) => {
  const w = words.value.entry;
  const draft = useDraft(`transaction ${row.id}`, typedOf(row));
  // If it is a transfer, its other side is not stored here.
  const isTransfer = useSignal(row.is_transfer);
  const then = (/** @type {(row: Transaction) => void} */ action) => () => {
    close();
    action(row);
  };
  // Saves the correction, and then opens a rule for the same description.
  const isAlways = useRef(false);
  const always = (/** @type {MouseEvent & { currentTarget: HTMLButtonElement }} */ { currentTarget: { form } }) => {
    isAlways.current = true;
    form?.requestSubmit();
    isAlways.current = false;
  };
  return h(Form, {
    submit: words.value.app.save,
    cancel: close,
    work: async () => {
      const isRule = isAlways.current,
        kept = recording(),
        body = {
          ...bodyOf(draft),
          external_id: row.external_id,
          is_transfer: isTransfer.value,
          ...(isTransfer.value ? { lines: null } : {}),
        };
      const saved =
        isAsTyped(row, body) && isTransfer.value === row.is_transfer
          ? row
          : await put('/api/transactions/{id}', {
              path: { id: row.id },
              body: await merged(row, body),
              changed: kept.changed,
            });
      close();
      if (saved !== row) actions.saved(saved, kept);
      if (isRule) {
        const [{ openRule }, { ruleOf }, payee] = await Promise.all([
          import('../settings/rule_form.js'),
          import('../../rules.js'),
          get('/api/transactions/{id}/payee', { path: { id: row.id } }).catch(() => null),
        ]);
        void openRule(ruleOf(row.statement_description ?? row.description, saved.category_id, payee?.key));
      }
    },
    more: div(
      { class: 'more-actions' },
      actions.recur &&
        button(
          { class: 'button quiet-button', type: 'button', onClick: then(actions.recur) },
          icon('recurring'),
          w.recur,
        ),
      !row.is_transfer &&
        row.source !== 'opening_balance' &&
        button(
          { class: 'button quiet-button', type: 'button', onClick: then(actions.duplicate) },
          icon('copy'),
          w.duplicate,
        ),
      historyButton(then(showHistory)),
      button(
        { class: 'button quiet-button destructive', type: 'button', onClick: then(actions.remove) },
        icon('trash'),
        w.remove,
      ),
    ),
    children: error => [
      h(Origin, { row }),
      h(EntryFields, { draft, error, fixedAccount: OF_ITS_ACCOUNT.includes(row.source) }),
      h(EntryDetails, { draft, error, splits: !isTransfer.value }),
      draft.lines.value.length === 0 &&
        draft.category.value !== null &&
        draft.category.value !== row.category_id &&
        p(
          { class: 'note' },
          button(
            { class: 'link-button', type: 'button', 'aria-haspopup': 'dialog', onClick: always },
            rulesWords.value.always,
          ),
          ' ',
          rulesWords.value.always_text,
        ),
      row.account_id !== null &&
        !OF_ITS_ACCOUNT.includes(row.source) &&
        div(
          { class: 'field' },
          check(w.is_transfer, isTransfer.value, is => (isTransfer.value = is), {
            'aria-describedby': 'transfer-note',
            'aria-invalid': fieldMessage(error, 'is_transfer') !== null,
          }),
          small(
            { id: 'transfer-note', class: fieldMessage(error, 'is_transfer') ? 'field-error' : 'hint' },
            fieldMessage(error, 'is_transfer') ?? w.is_transfer_hint,
          ),
        ),
    ],
  });
};

/** @param {{ side: Transaction, term: string }} props */
const Side = ({ side, term }) =>
  div(
    null,
    dt(null, term),
    dd(
      null,
      span(
        { class: 'side-account' },
        accountById.value.get(side.account_id ?? 0)?.name ?? words.value.dashboard.no_account,
      ),
      small(
        { class: 'quiet' },
        `${shortDate(language.value, side.date)} · ${side.statement_description ?? side.description}`,
      ),
    ),
  );

/** @param {{ row: Transaction, other: Transaction | null, close: () => void, actions: Actions }} props */
const TransferFacts = ({ row, other, close, actions }) => {
  const w = words.value.entry;
  const transfer = useMemo(() => {
    const read = resource(signal => get('/api/transfers/{id}', { path: { id: row.transfer_id ?? 0 }, signal }));
    if (other)
      read.data.value = {
        id: row.transfer_id ?? 0,
        from: row.type === 'expense' ? row : other,
        to: row.type === 'expense' ? other : row,
      };
    return read;
  }, []);
  transfer.want();
  const then = (/** @type {(row: Transaction) => void} */ action) => () => {
    close();
    action(row);
  };
  return Loaded({
    of: transfer,
    skeleton: div({ class: 'skeleton card-skeleton' }),
    children: ({ from, to }) =>
      div(
        { class: 'form' },
        p({ class: 'sum-line' }, span({ title: row.description }, nameOf(row)), h(Amount, { value: row.amount })),
        dl(
          { class: 'entry-facts' },
          h(Side, { side: from, term: w.left_account }),
          h(Side, { side: to, term: w.reached_account }),
        ),
        p({ class: 'note' }, isLinked([from, to]) ? w.linked_text : w.transfer_text),
        div(
          { class: 'actions' },
          !canWrite.value
            ? null
            : isLinked([from, to])
              ? button({ class: 'button', type: 'button', onClick: then(actions.unlink) }, icon('unlink'), w.unlink)
              : button(
                  { class: 'button quiet-button destructive', type: 'button', onClick: then(actions.remove) },
                  icon('trash'),
                  w.remove_transfer,
                ),
          historyButton(then(showHistory)),
          button({ class: 'button primary', type: 'button', autoFocus: true, onClick: close }, words.value.app.close),
        ),
      ),
  });
};

/** @param {Transaction} row @param {Transaction | null} other @param {Actions} actions */
export const openEntry = (row, other, actions) =>
  row.transfer_id === null
    ? canWrite.peek()
      ? open({ title: words.value.entry.edit_title }, close => h(EditForm, { row, close, actions }))
      : open({ title: words.value.entry.facts_title }, close => h(Facts, { row, close }))
    : open({ title: words.value.money.transfer }, close => h(TransferFacts, { row, other, close, actions }));
