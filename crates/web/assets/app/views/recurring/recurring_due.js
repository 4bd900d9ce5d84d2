// What a person says of one due: which transactions it is, or that it was paid.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get } from '../../api.js';
import { addDays, dayAndMonth, monthOf } from '../../dates.js';
import { div, h, input, label, li, p, small, span, ul } from '../../dom.js';
import { today } from '../../session.js';
import { language, words } from '../../words.js';
import { nameOf, Signed } from '../../parts/amount.js';
import { AmountField, useAmount } from '../../parts/amount_field.js';
import { AccountField } from '../../parts/category_select.js';
import { open } from '../../parts/dialog.js';
import { Form, invalid, TextField } from '../../parts/field.js';
import { recurringWords } from './recurring_form.js';

/** @typedef {import('../../session.js').Schemas['ListedRecurringOccurrence']} Occurrence */
/** @typedef {import('../../session.js').Schemas['Transaction']} Transaction */

const NEAR_DAYS = 45;
const LISTED_MAX = 50;
const LINKS_MAX = 10;

/** @param {{ due: Occurrence, link: (ids: number[], key: string) => Promise<void>, close: () => void }} props */
const LinkForm = ({ due, link, close }) => {
  const w = recurringWords.value,
    typed = useSignal(''),
    marked = useSignal(/** @type {number[]} */ ([])),
    found = useSignal(/** @type {Transaction[] | null} */ (null)),
    failed = useSignal(/** @type {unknown} */ (null));
  useEffect(() => {
    const stop = new AbortController();
    // Rows that are typed for are of any day.
    const near = typed.value.trim()
      ? { q: typed.value.trim() }
      : { from: addDays(due.date, -NEAR_DAYS), to: addDays(due.date, NEAR_DAYS) };
    get('/api/transactions', { query: { ...near, type: due.type, limit: LISTED_MAX }, signal: stop.signal }).then(
      rows => {
        failed.value = null;
        const isMarked = (/** @type {Transaction} */ row) => marked.peek().includes(row.id);
        const kept = (found.peek() ?? []).filter(isMarked);
        found.value = [
          ...kept,
          ...rows.filter(row => !row.is_transfer && row.source !== 'opening_balance' && !isMarked(row)),
        ];
      },
      error => {
        if (!stop.signal.aborted) failed.value = error;
      },
    );
    return () => stop.abort();
  }, [typed.value]);
  return h(Form, {
    submit: w.link,
    cancel: close,
    work: async key => {
      if (failed.value) throw failed.value;
      if (marked.value.length === 0) throw invalid('transaction_ids');
      await link(marked.value, key);
      close();
    },
    children: () => [
      p({ class: 'quiet' }, w.link_text),
      h(TextField, { label: w.link_search, name: 'q', value: typed, error: null, type: 'search' }),
      found.value?.length === 0 && p({ class: 'quiet', role: 'status' }, w.link_none),
      ul(
        { class: 'rows choose-rows' },
        (found.value ?? []).map(row =>
          li(
            { key: row.id },
            label(
              { class: 'check choose-row' },
              input({
                type: 'checkbox',
                checked: marked.value.includes(row.id),
                disabled: !marked.value.includes(row.id) && marked.value.length >= LINKS_MAX,
                onChange: event =>
                  (marked.value = event.currentTarget.checked
                    ? [...marked.value, row.id]
                    : marked.value.filter(id => id !== row.id)),
              }),
              span(
                { class: 'entry-text' },
                nameOf(row),
                small({ class: 'quiet' }, ` ${dayAndMonth(language.value, row.date, today.value)}`),
              ),
              h(Signed, { value: row.amount, type: row.type }),
            ),
          ),
        ),
      ),
    ],
  });
};

/** @param {Occurrence} due @param {(ids: number[], key: string) => Promise<void>} link */
export const openLink = (due, link) =>
  open({ title: recurringWords.value.link_title(due.description) }, close => h(LinkForm, { due, link, close }));

/**
 * @typedef {{ type: 'expense', description: string, amount: string, date: string, category_id: number, account_id: number | null }} Paid
 * @typedef {(body: Paid, key: string) => Promise<void>} Pay
 */

/** @param {{ due: Occurrence, pay: Pay, close: () => void }} props */
const PayForm = ({ due, pay, close }) => {
  const w = words.value.dashboard,
    { typed, decimal } = useAmount(due.amount),
    account = useSignal(due.account_id),
    date = useSignal(monthOf(due.date) === monthOf(today.value) ? today.value : due.date);
  return h(Form, {
    submit: recurringWords.value.pay,
    cancel: close,
    work: async key => {
      const value = decimal();
      if (value === null) throw invalid('amount');
      const { description, category_id } = due;
      const paid = { description, amount: value, date: date.value, category_id, account_id: account.value };
      await pay({ type: 'expense', ...paid }, key);
      close();
    },
    children: error => [
      div({ class: 'form-title' }, due.description),
      h(AmountField, { value: typed, label: w.amount, error, autofocus: true }),
      h(TextField, { label: w.date, name: 'date', value: date, error, type: 'date' }),
      h(AccountField, { label: w.account, error, value: account }),
    ],
  });
};

/** @param {Occurrence} due @param {Pay} pay */
export const openPay = (due, pay) =>
  open({ title: recurringWords.value.pay_title }, close => h(PayForm, { due, pay, close }));
