// A purchase by instalments on a card: their number, the amount of each, and the undo.
import { Problem } from '../api.js';
import { div, h, option, p, select, small } from '../dom.js';
import { read } from '../money.js';
import { installmentWords } from '../words/installments.js';
import { inText } from './amount.js';
import { check, Field, TextField } from './field.js';

/** @typedef {import('@preact/signals').Signal<boolean>} Switch */
/**
 * The typed values. The amount is the total, or that of each instalment.
 * @typedef {{ isOn: Switch, count: import('@preact/signals').Signal<string>, isEach: Switch }} Parts
 */

/** How many instalments a purchase may have. */
const COUNT = { min: 2, max: 99 };

/** @param {Parts} parts */
const countOf = ({ count }) => {
  const found = /^\d+$/.test(count.value.trim()) ? Number(count.value) : 0;
  return found >= COUNT.min && found <= COUNT.max ? found : null;
};

/** Its invalid fields. @param {Parts} parts */
export const wrongIn = parts =>
  countOf(parts) === null ? [{ field: 'count', code: /** @type {const} */ ('out_of_range'), params: COUNT }] : [];

/**
 * The body that creates it.
 * @param {Parts} parts
 * @param {Omit<ReturnType<typeof import('./entry_fields.js').bodyOf>, 'type'>} entry
 */
export const planOf = (parts, { account_id, amount, category_id, date, description, tags }) => ({
  account_id: account_id ?? 0,
  category_id,
  date,
  description,
  count: countOf(parts) ?? 0,
  tags,
  ...(parts.isEach.value ? { amount } : { total_amount: amount }),
});

/** Both amounts are typed in one field. @param {unknown} error */
export const inFields = error => {
  if (error instanceof Problem)
    error.errors = error.errors.map(one => (one.field === 'total_amount' ? { ...one, field: 'amount' } : one));
  return error;
};

/** The amount of each instalment. The first one has the remaining cents. @param {Parts} parts @param {bigint} value */
const preview = (parts, value) => {
  const w = installmentWords.value,
    count = countOf(parts);
  if (count === null || value < BigInt(count)) return null;
  const total = parts.isEach.value ? value * BigInt(count) : value,
    each = total / BigInt(count),
    first = total - each * BigInt(count - 1);
  return first === each
    ? w.equal(count, inText(each), inText(total))
    : w.unequal(inText(first), count - 1, inText(each), inText(total));
};

/** @param {{ parts: Parts, amount: string, error: unknown }} props */
export const InstallmentFields = ({ parts, amount, error }) => {
  const w = installmentWords.value,
    value = read(amount);
  return div(
    { class: 'entry-fields' },
    check(w.by, parts.isOn.value, is => (parts.isOn.value = is)),
    parts.isOn.value && [
      div(
        { key: 'parts', class: 'pair' },
        h(TextField, { label: w.count, name: 'count', error, value: parts.count, inputMode: 'numeric', maxLength: 2 }),
        h(Field, {
          label: w.is,
          name: 'is_each',
          children: control =>
            select(
              {
                ...control,
                value: parts.isEach.value ? 'each' : 'total',
                onChange: event => (parts.isEach.value = event.currentTarget.value === 'each'),
              },
              option({ value: 'total' }, w.total),
              option({ value: 'each' }, w.each),
            ),
        }),
      ),
      p({ key: 'each', role: 'status' }, value !== null && value > 0n && preview(parts, value)),
      small({ key: 'hint', class: 'hint' }, w.hint),
    ],
  );
};
