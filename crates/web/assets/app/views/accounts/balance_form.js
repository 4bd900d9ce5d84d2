// The balance of an account by its bank, at the end of today. The opening balance of an account without an earlier one follows it;
// otherwise the account shows the difference.
import { put } from '../../api.js';
import { h, p } from '../../dom.js';
import { cents } from '../../money.js';
import { AmountField, useAmount } from '../../parts/amount_field.js';
import { inText } from '../../parts/amount.js';
import { Form, invalid } from '../../parts/field.js';
import { toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';
import { today } from '../../session.js';
import { importWords } from '../../words/imports.js';
import { open } from '../../parts/dialog.js';

/** @typedef {import('../../../../types/client').Schemas['Account']} Account */

/** @param {{ account: Account, close: () => void, done: () => void }} props */
const BalanceForm = ({ account, close, done }) => {
  const w = importWords.value.result,
    { typed, decimal } = useAmount(account.balance);
  return h(Form, {
    submit: w.correct_balance,
    cancel: close,
    work: async () => {
      const wanted = decimal();
      if (wanted === null) throw invalid('balance_today');
      const { changed, offer } = recording();
      const { difference } = await put('/api/accounts/{id}/anchors/{date}', {
        path: { id: account.id, date: today.peek() },
        body: { amount: wanted },
        changed,
      });
      toast(cents(difference) === 0n ? w.balance(account.name, inText(wanted)) : w.differs(account.name), offer(done));
      close();
      done();
    },
    children: error => [
      p({ class: 'quiet' }, w.correct_text),
      h(AmountField, { value: typed, name: 'balance_today', label: w.balance_today, error, autofocus: true }),
    ],
  });
};

/** @param {Account} account @param {() => void} done */
export const openBalance = (account, done) =>
  open({ title: importWords.value.result.balance_of(account.name) }, close => h(BalanceForm, { account, close, done }));
