// What an upgrade changed on the bills of cards, told until somebody has read it.
import { useSignal } from '@preact/signals';
import { remove } from '../../api.js';
import { button, div, h, h2, li, p, section, span, ul } from '../../dom.js';
import { dayAndMonth } from '../../dates.js';
import { accounts, canWrite, today, wrote } from '../../session.js';
import { language } from '../../words.js';
import { accountWords } from '../../words/accounts.js';
import { inText } from '../../parts/amount.js';
import { ProblemNote } from '../../parts/problem.js';

/** @typedef {import('../../session.js').Schemas['Account']} Account */

/** @param {{ of: Account[] }} props */
export const ChangedBills = ({ of }) => {
  const w = accountWords.value.changed_bills,
    busy = useSignal(false),
    error = useSignal(/** @type {unknown} */ (null));
  const read = async () => {
    if (busy.value) return;
    busy.value = true;
    error.value = null;
    try {
      await remove('/api/credit-bills/changed');
      await Promise.all([accounts.load(), wrote()]);
    } catch (problem) {
      error.value = problem;
    }
    busy.value = false;
  };
  return section(
    { class: 'card', 'aria-labelledby': 'changed-bills' },
    h2({ id: 'changed-bills' }, w.title),
    p({ class: 'quiet' }, w.text),
    ul(
      { class: 'rows' },
      of.map(
        ({ id, name, changed_bill: bill }) =>
          bill &&
          li(
            { key: id, class: 'waiting-row' },
            div(
              { class: 'waiting-text' },
              span({ class: 'waiting-title' }, name),
              span({ class: 'quiet' }, w.due(dayAndMonth(language.value, bill.due_date, today.value))),
            ),
            span(null, w.change(inText(bill.before), inText(bill.after))),
          ),
      ),
    ),
    h(ProblemNote, { error: error.value, retry: read }),
    canWrite.value && button({ class: 'button', type: 'button', 'aria-disabled': busy.value, onClick: read }, w.done),
  );
};
