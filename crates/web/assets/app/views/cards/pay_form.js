// Pays a bill from an account, or only marks it as paid.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { get, post, resource } from '../../api.js';
import { h, p, span } from '../../dom.js';
import { dayInWords, longDate } from '../../dates.js';
import { accountById, accountName, today } from '../../session.js';
import { cents } from '../../money.js';
import { language, words } from '../../words.js';
import { accountWords } from '../../words/accounts.js';
import { Amount, inText } from '../../parts/amount.js';
import { AccountField } from '../../parts/category_select.js';
import { Form, TextField } from '../../parts/field.js';
import { recording } from '../../parts/undo.js';
import { open } from '../../parts/dialog.js';
import { toast } from '../../parts/toast.js';

/** @typedef {import('../../session.js').Schemas['CreditBill']} Bill */

/** @param {Bill} bill */
const cardOf = bill => accountName(bill.account_id) ?? '';

/** @param {{ bill: Bill, close: () => void, done: () => void }} props */
const PayForm = ({ bill, close, done }) => {
  const w = words.value.dashboard;
  // Most people have one current account, and pay from it. Of several, the first that holds enough.
  const current = [...accountById.value.values()].filter(({ kind }) => kind === 'current');
  const holds = (/** @type {{ balance: string }} */ { balance }) => cents(balance) >= cents(bill.amount_due);
  const account = useSignal((current.find(holds) ?? current[0])?.id ?? null),
    date = useSignal(today.value);
  // A payment goes to the bill that closed before, until that one is paid.
  const unpaid = useMemo(
      () =>
        resource(signal =>
          get('/api/credit-bills', { query: { account_id: bill.account_id, status: 'unpaid' }, signal }),
        ),
      [],
    ),
    before = unpaid.data.value?.find(one => one.due_date < bill.due_date && cents(one.amount_due) > 0n);
  useEffect(() => {
    void unpaid.load();
    return unpaid.clear;
  }, []);
  return h(Form, {
    submit: w.pay_submit(inText(bill.amount_due)),
    cancel: close,
    work: async key => {
      const { changed, offer } = recording();
      const { status, amount_due } = await post('/api/credit-bills/{id}/pay', {
        path: { id: bill.id },
        body: { account_id: account.value, date: date.value },
        key,
        changed,
      });
      close();
      toast(
        status === 'paid' ? w.paid(cardOf(bill)) : accountWords.value.cards.paid_part(cardOf(bill), inText(amount_due)),
        offer(done),
      );
      done();
    },
    children: error => [
      p(
        { class: 'sum-line' },
        span(null, w.due_on(longDate(language.value, bill.due_date, today.value), bill.due_date < today.value)),
        h(Amount, { value: bill.amount_due }),
      ),
      before &&
        p(
          { class: 'note', role: 'status' },
          accountWords.value.cards.pays_before(
            dayInWords(language.value, before.due_date, today.value),
            inText(before.amount_due),
          ),
        ),
      h(AccountField, {
        label: w.pay_from,
        error,
        hint: account.value === null ? w.pay_noted_hint : undefined,
        value: account,
        none: w.pay_noted,
        only: known => known.kind !== 'credit',
      }),
      h(TextField, { label: w.paid_on, name: 'date', error, value: date, type: 'date' }),
    ],
  });
};

/** @param {Bill} bill @param {() => void} done Reads again what the payment, or its undo, changes. */
export const openPayment = (bill, done) =>
  open({ title: words.value.dashboard.pay_title(cardOf(bill)) }, close => h(PayForm, { bill, close, done }));
