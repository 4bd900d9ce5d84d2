// The form of a recurring item. A new one may be filled in from a transaction.
import { post, put } from '../api.js';
import { h } from '../dom.js';
import { amount } from '../money.js';
import { accounts, categories, wrote } from '../session.js';
import { words, wordsOf } from '../words.js';
import { open } from './dialog.js';
import { emptyEntry, entryOf, EntryFields, typedOf, useDraft } from './entry_fields.js';
import { Form, TextField } from './field.js';
import { toast } from './toast.js';

export const recurringWords = await wordsOf('recurring');

/** @typedef {import('../session.js').Schemas['Recurring']} Recurring */
/**
 * `item` is edited; `row` fills in a new one.
 * @typedef {{ item?: Recurring, row?: import('../session.js').Schemas['Transaction'], done?: () => void, remove?: (item: Recurring) => void }} Options
 */

/** @param {Options} options @returns {import('./entry_fields.js').Typed} The date holds the day of the month. */
const begun = ({ item, row }) =>
  item
    ? {
        ...emptyEntry(),
        date: String(item.day),
        description: item.description,
        amount: amount(item.amount),
        type: item.type,
        category: item.category_id,
        account: item.account_id,
      }
    : row
      ? { ...typedOf(row), lines: [], date: String(Number(row.date.slice(8))) }
      : { ...emptyEntry(), date: '' };

/** @param {{ options: Options, close: () => void }} props */
const RecurringForm = ({ options, close }) => {
  const { item, row, done, remove } = options,
    w = recurringWords.value;
  const draft = useDraft(`recurring ${item?.id ?? row?.id}`, begun(options));
  return h(Form, {
    submit: words.value.app.save,
    cancel: close,
    ...(item && remove
      ? {
          remove: () => {
            close();
            remove(item);
          },
        }
      : {}),
    work: async key => {
      const wrong = /^\s*([12]?\d|3[01])\s*$/.test(draft.date.value) && Number(draft.date.value) > 0 ? [] : ['day'];
      if (draft.category.value === null) wrong.push('category_id');
      const body = {
        day: Number(draft.date.value),
        .../** @type {ReturnType<typeof entryOf> & { category_id: number }} */ (entryOf(draft, wrong)),
      };
      const saved = item
        ? await put('/api/recurring/{id}', { path: { id: item.id }, body })
        : await post('/api/recurring', { body, key });
      close();
      toast(item ? words.value.transactions.saved(saved.description) : w.added(saved.description, saved.day));
      done?.();
      void wrote();
    },
    children: error =>
      h(EntryFields, {
        draft,
        error,
        completes: !item,
        autofocus: true,
        none: w.choose,
        when: h(TextField, {
          label: w.day,
          name: 'day',
          value: draft.date,
          error,
          hint: w.day_hint,
          inputMode: 'numeric',
          maxLength: 2,
        }),
      }),
  });
};

/** @param {Options} options */
export const openRecurring = options => {
  categories.want();
  accounts.want();
  return open({ title: recurringWords.value[options.item ? 'edit' : 'new'] }, close =>
    h(RecurringForm, { options, close }),
  );
};
