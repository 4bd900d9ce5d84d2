// The form fields of a new or an edited transaction.
import { signal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { credential } from '../api.js';
import { addDays, longDate, weekday } from '../dates.js';
import { classes, div, fieldset, h, input, legend, newId } from '../dom.js';
import { amount, cents, decimal, read } from '../money.js';
import { accountById, categoryById, drafts, today } from '../session.js';
import { usualAccount } from './usual_account.js';
import { language, words } from '../words.js';
import { AmountField } from './amount_field.js';
import { AccountSelect, CategoryField } from './category_select.js';
import { DescriptionField } from './description_field.js';
import { Field, invalid, segments } from './field.js';

/** @typedef {import('../session.js').Schemas['Transaction']} Transaction */
/** A line of a split entry. @typedef {{ key: string, category: number | null, amount: string }} TypedLine */
/**
 * @typedef {{ date: string, description: string, amount: string, type: Transaction['type'], category: number | null, account: number | null, lines: TypedLine[], tags: string[], note: string }} Typed
 */
/** @typedef {{ [K in keyof Typed]: import('@preact/signals').Signal<Typed[K]> }} Draft */

/** @returns {Typed} */
export const emptyEntry = () => ({
  date: today.peek(),
  description: '',
  amount: '',
  type: 'expense',
  category: null,
  account: usualAccount(),
  lines: [],
  tags: [],
  note: '',
});

/** @param {Transaction} row @returns {Typed} */
export const typedOf = row => ({
  date: row.date,
  description: row.description,
  amount: amount(row.amount),
  type: row.type,
  category: row.category_id,
  account: row.account_id,
  lines: (row.lines ?? []).map((line, at) => ({
    key: String(at),
    category: line.category_id,
    amount: amount(line.amount),
  })),
  tags: row.tags,
  note: row.note ?? '',
});

/** @param {Typed} typed @returns {Draft} */
export const draftOf = typed => ({
  date: signal(typed.date),
  description: signal(typed.description),
  amount: signal(typed.amount),
  type: signal(typed.type),
  category: signal(typed.category),
  account: signal(typed.account),
  lines: signal(typed.lines),
  tags: signal(typed.tags),
  note: signal(typed.note),
});

/** @param {Draft} draft @returns {Typed} */
export const typedIn = draft => ({
  date: draft.date.value,
  description: draft.description.value,
  amount: draft.amount.value,
  type: draft.type.value,
  category: draft.category.value,
  account: draft.account.value,
  lines: draft.lines.value,
  tags: draft.tags.value,
  note: draft.note.value,
});

/**
 * The values common to all kinds of entries. `wrong` has the invalid fields that the caller found, so that all are
 * shown at once.
 * @param {Draft} draft
 * @param {Parameters<typeof invalid>} wrong
 */
export const entryOf = (draft, wrong) => {
  const { description, amount: written, type, category, account } = typedIn(draft),
    value = read(written);
  if (!description.trim()) wrong.push('description');
  if (value === null || value <= 0n) wrong.push('amount');
  if (value === null || wrong.length > 0) throw invalid(...wrong);
  return { description: description.trim(), amount: decimal(value), type, category_id: category, account_id: account };
};

/**
 * The lines of an entry. Each has a category and an amount, and their sum is the entry's amount.
 * @param {Draft} draft
 * @param {Parameters<typeof invalid>} wrong
 */
const linesOf = ({ lines: { value: lines }, amount: { value: written } }, wrong) => {
  if (lines.length === 0) return null;
  const values = lines.map(line => read(line.amount) ?? 0n),
    sum = values.reduce((total, value) => total + value, 0n),
    before = wrong.length;
  lines.forEach((line, at) => {
    if (line.category === null) wrong.push({ field: `lines[${at}].category_id`, code: 'required' });
    if (/** @type {bigint} */ (values[at]) <= 0n) wrong.push({ field: `lines[${at}].amount`, code: 'not_positive' });
  });
  if (wrong.length === before && sum !== read(written))
    wrong.push({ field: `lines[${lines.length - 1}].amount`, code: 'lines_sum', params: { sum: decimal(sum) } });
  return lines.map((line, at) => ({
    category_id: line.category ?? 0,
    amount: decimal(/** @type {bigint} */ (values[at])),
  }));
};

/** The request body of a transaction. @param {Draft} draft @param {Parameters<typeof invalid>} wrong */
export const bodyOf = (draft, wrong = []) => {
  const found = [...wrong, ...(/^\d{4}-\d\d-\d\d$/.test(draft.date.value) ? [] : ['date'])],
    lines = linesOf(draft, found),
    entry = entryOf(draft, found);
  return {
    date: draft.date.value,
    ...entry,
    category_id: lines ? null : entry.category_id,
    lines,
    tags: draft.tags.value,
    note: draft.note.value.trim() || null,
  };
};

/**
 * The details that an update has to send, because it removes those that are missing.
 * @param {Pick<Transaction, 'lines' | 'tags' | 'note'>} row
 */
export const detailsOf = ({ lines, tags, note }) => ({ lines, tags, note });

/**
 * A draft of a dialog. It is kept if the session ends, and dropped if the dialog is closed.
 * @param {string} name
 * @param {Typed} typed
 * @returns {Draft}
 */
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

/** Whether a transaction equals the typed values. @param {Transaction} row @param {ReturnType<typeof bodyOf>} body */
export const isAsTyped = (row, body) =>
  row.date === body.date &&
  row.description === body.description &&
  cents(row.amount) === cents(body.amount) &&
  row.type === body.type &&
  row.category_id === body.category_id &&
  row.account_id === body.account_id &&
  JSON.stringify([row.lines, row.tags, row.note]) === JSON.stringify([body.lines, body.tags, body.note]);

/** `Hoje`, `Ontem`, or the day in full. @param {string} date */
export const dayName = date => {
  const w = words.value.days,
    now = today.value;
  const near =
    date === now ? w.today : date === addDays(now, -1) ? w.yesterday : date === addDays(now, 1) ? w.tomorrow : null;
  return { near, full: longDate(language.value, date, now) };
};

/** @typedef {Transaction['type'] | 'transfer'} Kind */
/**
 * What the form for a new entry has besides: a transfer among the types, with its accounts, and what is beside the date.
 * @typedef {{ kind: Kind, choose: (kind: Kind) => void, accounts: import('preact').ComponentChildren, beside: import('preact').ComponentChildren }} Quick
 */

/**
 * `completes`: choosing a description fills the values that it was used with. `when` replaces the date field, `none` is
 * the text for no category.
 * @param {{ draft: Draft, error: unknown, completes?: boolean, fixedAccount?: boolean, autofocus?: boolean, when?: import('preact').VNode, none?: string, quick?: Quick }} props
 */
export const EntryFields = ({
  draft,
  error,
  completes = false,
  fixedAccount = false,
  autofocus = false,
  when,
  none,
  quick,
}) => {
  const w = words.value.entry,
    name = newId();
  // Up and down change the date by a day. In a date field they would change one part of it.
  const stepped = (/** @type {KeyboardEvent} */ event) => {
    const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (!by || event.altKey) return;
    event.preventDefault();
    draft.date.value = addDays(day ? draft.date.value : today.peek(), by);
  };
  const day = /^\d{4}-\d\d-\d\d$/.test(draft.date.value)
    ? [dayName(draft.date.value).near, weekday(language.value, draft.date.value)].filter(Boolean).join(', ')
    : undefined;
  // The completion fills what the user has not chosen.
  const own = useRef({ type: draft.type.peek(), category: draft.category.peek(), account: draft.account.peek() });
  useSignalEffect(() => {
    if (draft.description.value === '')
      own.current = { type: draft.type.peek(), category: draft.category.peek(), account: draft.account.peek() };
  });
  /** @template {'type' | 'category' | 'account'} N @param {N} name @param {Typed[N]} value */
  const fillOne = (name, value) => {
    if (draft[name].peek() !== own.current[name]) return;
    /** @type {any} */ (own.current)[name] = value;
    /** @type {any} */ (draft)[name].value = value;
  };
  /** @param {import('./description_field.js').UsedDescription} used */
  const fill = used => {
    fillOne('type', used.type);
    if (used.category_id !== null && categoryById.peek().has(used.category_id)) fillOne('category', used.category_id);
    if (used.account_id !== null && accountById.peek().has(used.account_id)) fillOne('account', used.account_id);
  };
  const m = words.value.money,
    kinds = /** @type {Kind[]} */ (['expense', 'income', ...(quick ? ['transfer'] : [])]),
    kind = quick?.kind ?? draft.type.value,
    isTransfer = kind === 'transfer';
  const described = h(DescriptionField, {
    key: 'description',
    value: draft.description,
    label: w.description,
    error,
    autofocus,
    ...(completes && !isTransfer ? { used: fill } : {}),
    ...(isTransfer ? { placeholder: m.transfer } : {}),
  });
  const valued = h(AmountField, {
    key: 'amount',
    value: draft.amount,
    label: w.amount,
    error,
    ...(completes ? { hint: words.value.form.amount_hint } : {}),
  });
  const dated =
    when ??
    h(Field, {
      key: 'date',
      label: w.date,
      name: 'date',
      error,
      hint: day,
      children: control =>
        input({
          ...control,
          type: 'date',
          required: true,
          value: draft.date.value,
          onKeyDown: stepped,
          onInput: event => (draft.date.value = event.currentTarget.value),
        }),
    });
  return div(
    { class: 'entry-fields' },
    quick ? [valued, described] : [described, div({ key: 'pair', class: 'pair' }, valued, dated)],
    fieldset(
      { class: 'field' },
      legend(null, w.type),
      div(
        { class: classes('segments', quick && 'three') },
        segments(
          name,
          kinds.map(one => [one, m[one]]),
          kind,
          one => {
            if (one !== 'transfer') draft.type.value = one;
            quick?.choose(one);
          },
        ),
      ),
    ),
    isTransfer
      ? quick?.accounts
      : div(
          { key: 'of', class: 'pair' },
          draft.lines.value.length === 0 &&
            h(CategoryField, {
              label: words.value.form.category,
              error,
              value: draft.category,
              ...(none ? { none } : {}),
            }),
          h(Field, {
            label: words.value.form.account,
            name: 'account_id',
            error,
            hint: fixedAccount ? w.fixed_account : undefined,
            children: control =>
              fixedAccount
                ? input({
                    ...control,
                    type: 'text',
                    readOnly: true,
                    value: accountById.value.get(draft.account.value ?? 0)?.name ?? '',
                  })
                : AccountSelect({ control, value: draft.account }),
          }),
        ),
    quick && div({ key: 'when', class: 'pair' }, dated, quick.beside),
  );
};
