// The state of the form for a new entry: its fields, its line and its instalments, and what of them is kept while it is
// closed.
import { batch, signal } from '@preact/signals';
import { online } from '../api.js';
import { amount } from '../money.js';
import { accountById, drafts } from '../session.js';
import { usualAccount } from './usual_account.js';
import { draftOf, emptyEntry, typedIn } from './entry_fields.js';
import { billOf, HELD, kept, newLine, reset } from './entry_line.js';

/** @typedef {import('./entry_fields.js').Typed} Typed */
/** @typedef {ReturnType<typeof newForm>} EntryForm */
/** A form as it was once, to show it again. @typedef {ReturnType<typeof snapshot>} Snapshot */
/**
 * What a form that mends a kept entry begins with: a line, the day on which it was written and the account of the form then, or
 * the request of an entry. `mends` is the kept entry.
 * @typedef {{ mends: number, text?: string | undefined, on?: string | undefined, account?: number | null | undefined, set?: Record<string, any> | undefined, path?: string | undefined, body?: Record<string, any> | undefined }} Mended
 */

const KEPT = 'quick_add',
  REFUSED = 'quick_add_refused';

/** @returns {import('./installment_fields.js').Parts} */
const newParts = () => ({ isOn: signal(false), count: signal(''), isEach: signal(false) });

const newForm = () => {
  const draft = draftOf(emptyEntry()),
    parts = newParts(),
    line = newLine();
  return {
    draft,
    parts,
    line,
    /** Whether it comes again every month. */
    repeats: signal(false),
    /** All that a line fills in. @type {import('./entry_line.js').Fields} */
    fields: { ...draft, ...parts, from: line.from, to: line.to, bill: line.bill, payer: line.payer },
    /** The empty form: what a line does not say is so. */
    empty: emptyEntry(),
    /** The key under which it was sent before. */
    key: /** @type {string | null} */ (null),
  };
};

/** @param {EntryForm} form @param {Typed} typed */
const fill = ({ draft }, typed) => {
  for (const [name, value] of Object.entries(typed)) /** @type {any} */ (draft)[name].value = value;
};

/** @param {EntryForm} form @param {{ isOn: boolean, count: string, isEach: boolean }} values */
const split = ({ parts }, { isOn, count, isEach }) => {
  parts.isOn.value = isOn;
  parts.count.value = count;
  parts.isEach.value = isEach;
};

/** Empties the form for the next entry. @param {EntryForm} form @param {Typed} next */
export const clear = (form, next) =>
  batch(() => {
    form.empty = next;
    form.key = null;
    fill(form, next);
    split(form, { isOn: false, count: '', isEach: false });
    form.repeats.value = false;
    reset(form.line);
    form.line.on = null;
  });

/** @param {EntryForm} form */
export const snapshot = ({ draft, parts, line, repeats, empty, key }) => ({
  typed: typedIn(draft),
  parts: { isOn: parts.isOn.peek(), count: parts.count.peek(), isEach: parts.isEach.peek() },
  line: kept(line),
  repeats: repeats.peek(),
  empty,
  key,
});

/** @param {EntryForm} form @param {Snapshot} before */
export const show = (form, { typed, parts, line, repeats, empty, key }) =>
  batch(() => {
    form.empty = empty;
    form.key = key;
    fill(form, typed);
    split(form, parts);
    form.repeats.value = repeats;
    reset(form.line, line);
  });

/** What a line does not say. @param {EntryForm} form */
export const begun = ({ empty }) => ({
  ...empty,
  account: empty.account ?? usualAccount(),
  isOn: false,
  count: '',
  isEach: false,
});

/** Whether nothing was typed since the form was emptied. @param {EntryForm} form */
export const isUntouched = ({ draft, line, empty }) =>
  !line.text.peek().trim() && JSON.stringify(typedIn(draft)) === JSON.stringify(empty);

/** A date alone is not typed: it may be of another day. @param {EntryForm} form */
const isTyped = ({ draft, line }) =>
  draft.description.peek() || draft.amount.peek() || draft.lines.peek().length > 0 || line.text.peek().trim();

/** Whether it is a purchase on a card. A line may say the instalments and leave the card open. @param {EntryForm} form */
export const isOnCard = ({ draft: { type, account }, parts, line }) =>
  line.kind.value === 'entry' &&
  type.value === 'expense' &&
  (account.value === null ? parts.isOn.value : accountById.value.get(account.value)?.kind === 'credit');

/** Whether it has parts or a note, which a purchase by instalments has not. @param {EntryForm} form */
export const isDetailed = ({ draft: { lines, note } }) => lines.value.length > 0 || note.value.trim() !== '';

/**
 * Whether it can come again every month: a whole entry with a category, which a recurring item needs. It is made after the entry,
 * so not without a connection.
 * @param {EntryForm} form
 */
export const canRepeat = form =>
  form.line.kind.value === 'entry' &&
  form.draft.category.value !== null &&
  form.draft.lines.value.length === 0 &&
  !(isOnCard(form) && form.parts.isOn.value) &&
  online.value;

/** What the body of a request fills in. @param {Record<string, any>} body @returns {Typed} */
const typedFrom = body => ({
  ...emptyEntry(),
  ...(body.date ? { date: body.date } : {}),
  description: body.description ?? '',
  amount: body.amount || body.total_amount ? amount(body.amount ?? body.total_amount) : '',
  type: body.type ?? 'expense',
  category: body.category_id ?? null,
  account: body.account_id ?? null,
  tags: body.tags ?? [],
  note: body.note ?? '',
  lines: (body.lines ?? []).map((/** @type {any} */ line, /** @type {number} */ at) => ({
    key: String(at),
    category: line.category_id,
    amount: amount(line.amount),
  })),
});

/** The form of a kept entry. @param {Mended} mended */
const mendedForm = ({ text = '', on, account, set = {}, path = '', body }) => {
  const form = newForm(),
    { line } = form;
  if (account !== undefined) clear(form, { ...emptyEntry(), account });
  line.text.value = text;
  line.on = on ?? null;
  // What was changed by hand stays so.
  for (const [field, value] of Object.entries(set)) {
    const held = /** @type {any} */ (form.fields[HELD[field] ?? field]);
    held.value = held === form.draft.amount ? amount(value) : value;
  }
  if (!body) return form;
  fill(form, typedFrom(body));
  if (body.count) split(form, { isOn: true, count: String(body.count), isEach: body.amount != null });
  if (path === '/api/transfers') {
    line.kind.value = 'transfer';
    line.from.value = body.from_account_id;
    line.to.value = body.to_account_id;
  }
  const bill = billOf(path);
  if (bill) {
    line.kind.value = 'payment';
    line.bill.value = bill;
    line.payer.value = body.account_id;
  }
  return form;
};

/** The form with what was typed before it was closed; or that of a kept entry. @param {Mended} [mended] @returns {EntryForm} */
export const formOf = mended => {
  if (mended) return mendedForm(mended);
  const form = /** @type {EntryForm | undefined} */ (drafts.get(KEPT)) ?? newForm();
  drafts.set(KEPT, form);
  if (!isTyped(form)) clear(form, emptyEntry());
  return form;
};

/** Entries that were refused while the next one was typed. @returns {Snapshot[]} */
const refused = () => /** @type {Snapshot[] | undefined} */ (drafts.get(REFUSED)) ?? [];

/** Keeps a refused entry until the next one is saved. @param {Snapshot} entry */
export const setAside = entry => void drafts.set(REFUSED, [...refused(), entry]);

/** Shows the oldest entry that was set aside. False if there is none. @param {EntryForm} form */
export const showAside = form => {
  const [back, ...later] = refused();
  if (!back) return false;
  drafts.set(REFUSED, later);
  show(form, back);
  return true;
};
