// The fields of a line that is a transfer, or the payment of a bill.
import { div, h } from '../dom.js';
import { words } from '../words.js';
import { accountWords } from '../words/accounts.js';
import { AmountField } from './amount_field.js';
import { AccountSelect } from './category_select.js';
import { Field, TextField } from './field.js';

/** @typedef {import('./entry_fields.js').Draft} Draft */
/** @typedef {import('./entry_line.js').Line} Line */

/** @param {Draft} draft @param {string} label @param {unknown} error */
const day = (draft, label, error) =>
  h(TextField, { label, name: 'date', error, value: draft.date, type: 'date', required: true });

/** @param {{ draft: Draft, line: Line, error: unknown }} props */
export const TransferFields = ({ draft, line, error }) => {
  const w = words.value.entry,
    own = accountWords.value;
  return div(
    { class: 'entry-fields' },
    div({ class: 'pair' }, h(AmountField, { value: draft.amount, label: w.amount, error }), day(draft, w.date, error)),
    div(
      { class: 'pair' },
      h(Field, {
        label: w.left_account,
        name: 'from_account_id',
        error,
        children: control => AccountSelect({ control, value: line.from, none: '…' }),
      }),
      h(Field, {
        label: w.reached_account,
        name: 'to_account_id',
        error,
        children: control => AccountSelect({ control, value: line.to, none: '…' }),
      }),
    ),
    h(TextField, {
      label: w.description,
      name: 'description',
      error,
      value: draft.description,
      maxLength: 255,
      placeholder: own.transfer,
    }),
  );
};

/** @param {{ draft: Draft, line: Line, error: unknown }} props */
export const PaymentFields = ({ draft, line, error }) => {
  const w = words.value.dashboard;
  return div(
    { class: 'pair' },
    h(Field, {
      label: w.pay_from,
      name: 'account_id',
      error,
      hint: line.payer.value === null ? w.pay_noted_hint : undefined,
      children: control =>
        AccountSelect({ control, value: line.payer, none: w.pay_noted, only: known => known.kind !== 'credit' }),
    }),
    day(draft, w.paid_on, error),
  );
};
