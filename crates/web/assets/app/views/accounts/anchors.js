// How far an account agrees with its bank, and the first day on which it does not.
import { effect, untracked, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, newKey, post, resource } from '../../api.js';
import { a, button, div, h, h2, li, p, section, span, ul } from '../../dom.js';
import { dayAndMonth, monthOf } from '../../dates.js';
import { cents } from '../../money.js';
import { inText, Signed } from '../../parts/amount.js';
import { ask } from '../../parts/dialog.js';
import { ghost, Loaded } from '../../parts/problem.js';
import { attempt, toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';
import { accounts, canWrite, today } from '../../session.js';
import { language } from '../../words.js';
import { accountWords } from '../../words/accounts.js';

/** @typedef {import('../../session.js').Schemas['Account']} Account */
/** @typedef {NonNullable<Account['first_difference']>} Difference */
/** @typedef {import('../../session.js').Schemas['Suspect']} Suspect */

/** @type {{ id: number, date: string }} */
let wanted = { id: 0, date: '' };
/** The rows that may be the cause of the difference. */
const examined = resource(async signal => {
  const path = wanted,
    { suspects } = await get('/api/accounts/{id}/anchors/{date}', { path, signal });
  return { ...path, suspects };
});

/** @param {string} date */
const dayOf = date => dayAndMonth(language.value, date, today.value);

/** @param {Difference} difference */
const inWords = ({ date, difference }) => {
  const w = accountWords.value.anchors,
    size = cents(difference);
  return size < 0n ? w.short(dayOf(date), inText(-size)) : w.over(dayOf(date), inText(size));
};

/** @param {{ account: Account, row: Suspect }} props */
const SuspectRow = ({ account, row }) => {
  const w = accountWords.value.anchors,
    title = row.description;
  return li(
    { class: 'account-row' },
    div(
      { class: 'entry-text' },
      row.transaction_id === null
        ? span(null, title)
        : a({ href: `/transactions?month=${monthOf(row.date)}&account_id=${account.id}` }, title),
      span({ class: 'quiet' }, `${dayOf(row.date)} · ${w[row.kind]}`),
    ),
    h(Signed, { value: row.amount, type: row.type }),
  );
};

/** @param {{ account: Account, of: Difference, done: () => void }} props */
const Unequal = ({ account, of, done }) => {
  const w = accountWords.value.anchors,
    busy = useSignal(false),
    { date, amount } = of;
  useEffect(
    () =>
      effect(() => {
        // Any change of the account may be one of its rows.
        void accounts.data.value;
        wanted = { id: account.id, date };
        untracked(() => void examined.load());
      }),
    [account.id, date],
  );
  const adjust = async () => {
    if (busy.value) return;
    if (!(await ask({ title: inWords(of), text: w.adjust_text, yes: w.adjust }))) return;
    const adjusting = async () => {
      const { changed, offer } = recording(),
        path = { id: account.id, date };
      await post('/api/accounts/{id}/anchors/{date}/adjust', { path, key: newKey(), changed });
      toast(w.adjusted(dayOf(date)), offer(done));
      document.getElementById('anchors')?.focus();
    };
    await attempt(adjusting, { busy });
    done();
  };
  return [
    p({ key: 'difference', class: 'finding' }, inWords(of)),
    p({ key: 'bank', class: 'quiet' }, w.bank(inText(amount))),
    Loaded({
      of: examined,
      skeleton: ghost(2),
      children: ({ id, date: day, suspects }) =>
        id === account.id && day === date
          ? suspects.length > 0 && [
              p({ key: 'about' }, w.suspects),
              ul(
                { key: 'rows', class: 'rows' },
                suspects.map((row, at) => h(SuspectRow, { key: at, account, row })),
              ),
            ]
          : ghost(2),
    }),
    canWrite.value &&
      div(
        { key: 'adjust', class: 'actions' },
        button(
          { class: 'button', type: 'button', 'aria-disabled': busy.value, onClick: () => void adjust() },
          w.adjust,
        ),
      ),
  ];
};

/** @param {{ account: Account, done: () => void }} props */
export const Anchors = ({ account, done }) => {
  const w = accountWords.value.anchors,
    { first_difference: first, agrees_until: until } = account;
  if (!first && !until) return null;
  return section(
    { class: 'card', 'aria-labelledby': 'anchors' },
    h2({ id: 'anchors', tabIndex: -1 }, w.title),
    until && p({ class: first ? 'quiet' : 'finding' }, w.until(dayOf(until))),
    first && h(/** @type {any} */ (Unequal), { account, of: first, done }),
  );
};
