// The balance of an account by its bank. If it differs from the computed one, the opening balance is corrected.
import { useSignal } from '@preact/signals';
import { get, getPage, post, put, remove } from '../../api.js';
import { h, p } from '../../dom.js';
import { abs, amount, cents, decimal, read } from '../../money.js';
import { AmountField } from '../../parts/amount_field.js';
import { said } from '../../parts/amount.js';
import { Form, invalid } from '../../parts/field.js';
import { toast } from '../../parts/toast.js';
import { today } from '../../session.js';
import { importWords } from '../../words/imports.js';

/** @typedef {import('../../../../types/client').Schemas['Account']} Account */

/**
 * Corrects the opening balance, which changes neither income nor expenses.
 * @param {Account} account
 * @param {bigint} wanted
 * @param {string} key
 */
const correct = async (account, wanted, key) => {
  const { balance } = await get('/api/accounts/{id}', { path: { id: account.id } });
  const [opening] = (
    await getPage('/api/transactions', {
      query: { account_id: String(account.id), source: 'opening_balance', limit: 1 },
    })
  ).rows;
  const before = !opening ? 0n : opening.type === 'income' ? cents(opening.amount) : -cents(opening.amount);
  const first = before + wanted - cents(balance);
  if (first === before) return;
  if (opening && first === 0n) return void (await remove('/api/transactions/{id}', { path: { id: opening.id } }));
  const body = {
    date: opening?.date ?? today.peek(),
    description: opening?.description ?? importWords.peek().result.correction,
    amount: decimal(abs(first)),
    type: /** @type {'income' | 'expense'} */ (first < 0n ? 'expense' : 'income'),
    account_id: account.id,
    category_id: opening?.category_id ?? null,
    ...(opening ? { tags: opening.tags, note: opening.note } : {}),
  };
  if (opening) return void (await put('/api/transactions/{id}', { path: { id: opening.id }, body }));
  // An account without an opening balance has no such row. The new row counts for the balance only.
  const made = await post('/api/transactions', { body, key });
  await put('/api/transactions/{id}', { path: { id: made.id }, body: { ...body, is_transfer: true } });
};

/** @param {{ account: Account, close: () => void, done: () => void }} props */
export const BalanceForm = ({ account, close, done }) => {
  const w = importWords.value.result,
    typed = useSignal(amount(account.balance));
  return h(Form, {
    submit: w.correct_balance,
    cancel: close,
    work: async key => {
      const wanted = read(typed.value);
      if (wanted === null) throw invalid('opening_balance');
      await correct(account, wanted, key);
      toast(w.balance(account.name, said(wanted)));
      close();
      done();
    },
    children: error => [
      p({ class: 'quiet' }, w.correct_text),
      h(AmountField, { value: typed, name: 'opening_balance', label: w.balance_today, error, autofocus: true }),
    ],
  });
};
