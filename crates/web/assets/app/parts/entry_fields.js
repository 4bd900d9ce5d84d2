// The fields of a transaction, as somebody types them: for a new one and for an edit.
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { credential } from '../api.js';
import { addDays, longDate, weekday } from '../dates.js';
import { div, fieldset, h, input, label, legend, newId, remembered, span } from '../dom.js';
import { amount, cents, decimal, read } from '../money.js';
import { accountById, categoryById, drafts, today } from '../session.js';
import { language, words } from '../words.js';
import { AmountField } from './amount_field.js';
import { AccountSelect, CategorySelect } from './category_select.js';
import { DescriptionField } from './description_field.js';
import { Field, invalid } from './field.js';

/** @typedef {import('../session.js').Schemas['Transaction']} Transaction */
/** @typedef {{ date: string, description: string, amount: string, type: Transaction['type'], category: number | null, account: number | null }} Typed */
/** @typedef {{ [K in keyof Typed]: import('@preact/signals').Signal<Typed[K]> }} Draft */

/** The account of the last new transaction, on this device. */
export const lastAccount = remembered('account', /** @type {number | null} */ (null));

/** @returns {Typed} */
export const emptyEntry = () => {
  const known = [...accountById.peek().values()], kept = lastAccount.peek();
  const account = known.find(one => one.id === kept) ?? known.find(one => one.kind === 'current');
  return { date: today.peek(), description: '', amount: '', type: 'expense', category: null, account: account?.id ?? null };
};

/** @param {Transaction} row @returns {Typed} */
export const typedOf = row => ({ date: row.date, description: row.description, amount: amount(row.amount), type: row.type, category: row.category_id, account: row.account_id });

/** @param {Typed} typed @returns {Draft} */
export const draftOf = typed => ({
  date: signal(typed.date), description: signal(typed.description), amount: signal(typed.amount), type: signal(typed.type), category: signal(typed.category), account: signal(typed.account),
});

/** @param {Draft} draft @returns {Typed} */
export const typedIn = draft => ({
  date: draft.date.value, description: draft.description.value, amount: draft.amount.value, type: draft.type.value, category: draft.category.value, account: draft.account.value,
});

/** What every kind of entry has; `wrong` are fields that its kind has found wrong, so that all are told at once. @param {Draft} draft @param {Parameters<typeof invalid>} wrong */
export const entryOf = (draft, wrong) => {
  const { description, amount: written, type, category, account } = typedIn(draft), value = read(written);
  if (!description.trim()) wrong.push('description');
  if (value === null || value <= 0n) wrong.push('amount');
  if (value === null || wrong.length > 0) throw invalid(...wrong);
  return { description: description.trim(), amount: decimal(value), type, category_id: category, account_id: account };
};

/** What the service takes of a transaction. @param {Draft} draft @param {Parameters<typeof invalid>} wrong */
export const bodyOf = (draft, wrong = []) => ({ date: draft.date.value, ...entryOf(draft, /^\d{4}-\d\d-\d\d$/.test(draft.date.value) ? wrong : [...wrong, 'date']) });

/** A draft of a dialog: kept where the session ends, not where it is closed. @param {string} name @param {Typed} typed @returns {Draft} */
export const useDraft = (name, typed) => {
  const draft = useMemo(() => draftOf(/** @type {Typed | undefined} */ (drafts.get(name)) ?? typed), []);
  useEffect(() => {
    const before = JSON.stringify(typed);
    return () => {
      if (credential.peek() === null && JSON.stringify(typedIn(draft)) !== before) drafts.set(name, typedIn(draft));
      else drafts.delete(name);
    };
  }, []);
  return draft;
};

/** Whether a transaction is as it was typed. @param {Transaction} row @param {ReturnType<typeof bodyOf>} body */
export const isAsTyped = (row, body) =>
  row.date === body.date && row.description === body.description && cents(row.amount) === cents(body.amount) && row.type === body.type && row.category_id === body.category_id && row.account_id === body.account_id;

/** `Hoje`, `Ontem`, or the day in full. @param {string} date */
export const dayName = date => {
  const w = words.value.days, now = today.value;
  const near = date === now ? w.today : date === addDays(now, -1) ? w.yesterday : date === addDays(now, 1) ? w.tomorrow : null;
  return { near, full: longDate(language.value, date, now) };
};

/**
 * `completes`: choosing a description fills what it was used with. `when` stands for the date, `none` for no category.
 * @param {{ draft: Draft, error: unknown, completes?: boolean, fixedAccount?: boolean, autofocus?: boolean, when?: import('preact').VNode, none?: string }} props
 */
export const EntryFields = ({ draft, error, completes = false, fixedAccount = false, autofocus = false, when, none }) => {
  const w = words.value.entry, name = newId();
  // Up and down go a day further and back, which on a date field would change one part of it.
  const stepped = (/** @type {KeyboardEvent} */ event) => {
    const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (!by || event.altKey) return;
    event.preventDefault();
    draft.date.value = addDays(draft.date.value || today.peek(), by);
  };
  const day = /^\d{4}-\d\d-\d\d$/.test(draft.date.value) ? [dayName(draft.date.value).near, weekday(language.value, draft.date.value)].filter(Boolean).join(', ') : undefined;
  /** @param {import('./description_field.js').UsedDescription} used */
  const fill = used => {
    draft.type.value = used.type;
    if (used.category_id !== null && categoryById.peek().has(used.category_id)) draft.category.value = used.category_id;
    if (used.account_id !== null && accountById.peek().has(used.account_id)) draft.account.value = used.account_id;
  };
  const types = /** @type {const} */ ([['expense', words.value.money.expense], ['income', words.value.money.income]]);
  return div({ class: 'entry-fields' },
    h(DescriptionField, { value: draft.description, label: w.description, error, autofocus, ...(completes ? { used: fill } : {}) }),
    div({ class: 'pair' },
      h(AmountField, { value: draft.amount, label: w.amount, error, ...(completes ? { hint: words.value.form.amount_hint } : {}) }),
      when ?? h(Field, { label: w.date, name: 'date', error, hint: day, children: control =>
        input({ ...control, type: 'date', required: true, value: draft.date.value, onKeyDown: stepped, onInput: event => (draft.date.value = event.currentTarget.value) }) })),
    fieldset({ class: 'field' }, legend(null, w.type),
      div({ class: 'segments' }, types.map(([type, said]) => label({ key: type, class: 'segment' },
        input({ type: 'radio', name, value: type, checked: draft.type.value === type, onChange: () => (draft.type.value = type) }), span(null, said))))),
    div({ class: 'pair' },
      h(Field, { label: words.value.form.category, name: 'category_id', error, children: control => CategorySelect({ control, value: draft.category, ...(none ? { none } : {}) }) }),
      h(Field, { label: words.value.form.account, name: 'account_id', error, hint: fixedAccount ? w.fixed_account : undefined, children: control =>
        fixedAccount ? input({ ...control, type: 'text', readOnly: true, value: accountById.value.get(draft.account.value ?? 0)?.name ?? '' }) : AccountSelect({ control, value: draft.account }) })));
};
