// Confirms an expected income: its amount, day and account.
import { useSignal } from '@preact/signals';
import { post } from '../../api.js';
import { classes, div, h } from '../../dom.js';
import { dayIn, lastDay, monthOf } from '../../dates.js';
import { today } from '../../session.js';
import { words } from '../../words.js';
import { AmountField, useAmount } from '../../parts/amount_field.js';
import { AccountField } from '../../parts/category_select.js';
import { Form, invalid, TextField } from '../../parts/field.js';
import { toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';
import { open } from '../../parts/dialog.js';

/**
 * @param {{ item: import('../../session.js').Schemas['Recurring'], month: string, due?: { due: string, date: string }, done: () => void, close?: () => void, inline?: boolean }} props
 */
export const IncomeForm = ({ item, month, due, done, close, inline = false }) => {
  const w = words.value.dashboard;
  const { typed, decimal } = useAmount(item.amount),
    account = useSignal(item.account_id);
  const date = useSignal(month === monthOf(today.value) ? today.value : (due?.date ?? dayIn(month, item.day)));
  return h(Form, {
    submit: w.received,
    class: classes(inline && 'inline'),
    ...(close ? { cancel: close } : {}),
    work: async key => {
      const value = decimal();
      if (value === null) throw invalid('amount');
      const { changed, offer } = recording();
      await post('/api/recurring/{id}/confirm', {
        path: { id: item.id },
        query: due ? { due: due.due } : { month },
        body: { amount: value, date: date.value, account_id: account.value },
        key,
        changed,
      });
      toast(w.confirmed(item.description), offer(done));
      close?.();
      done();
    },
    children: error => [
      div({ class: 'form-title' }, item.description),
      h(AmountField, { value: typed, label: w.amount, error }),
      h(TextField, {
        label: w.date,
        name: 'date',
        error,
        value: date,
        type: 'date',
        // A due may be settled on a near day of another month.
        ...(due ? {} : { min: `${month}-01`, max: lastDay(month) }),
      }),
      h(AccountField, { label: w.account, error, value: account, only: known => known.kind !== 'credit' }),
    ],
  });
};

/** @param {Omit<Parameters<typeof IncomeForm>[0], 'close' | 'inline'>} of */
export const openIncome = of =>
  open({ title: words.value.dashboard.received_title }, close => h(IncomeForm, { ...of, close }));
