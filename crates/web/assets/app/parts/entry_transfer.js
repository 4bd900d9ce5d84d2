// The accounts of a transfer, and the fields of the payment of a bill.
import { div, h } from '../dom.js';
import { words } from '../words.js';
import { AccountField } from './category_select.js';
import { TextField } from './field.js';

/** @typedef {import('./entry_fields.js').Draft} Draft */
/** @typedef {import('./entry_line.js').Line} Line */

/** The accounts of a transfer. @param {{ line: Line, error: unknown }} props */
export const TransferAccounts = ({ line, error }) => {
  const w = words.value.entry;
  return div(
    { class: 'pair' },
    h(AccountField, { label: w.left_account, name: 'from_account_id', error, value: line.from, none: '…' }),
    h(AccountField, { label: w.reached_account, name: 'to_account_id', error, value: line.to, none: '…' }),
  );
};

/** @param {{ draft: Draft, line: Line, error: unknown }} props */
export const PaymentFields = ({ draft, line, error }) => {
  const w = words.value.dashboard;
  return div(
    { class: 'pair' },
    h(AccountField, {
      label: w.pay_from,
      error,
      hint: line.payer.value === null ? w.pay_noted_hint : undefined,
      value: line.payer,
      none: w.pay_noted,
      only: known => known.kind !== 'credit',
    }),
    h(TextField, { label: w.paid_on, name: 'date', error, value: draft.date, type: 'date', required: true }),
  );
};
