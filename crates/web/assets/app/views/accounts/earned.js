// The yield of an account by month: gross, and if it is taxed, the tax that would be due and the net yield.
import { effect, untracked } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, resource } from '../../api.js';
import { a, div, h, h2, li, p, section, span, ul } from '../../dom.js';
import { monthName } from '../../dates.js';
import { cents } from '../../money.js';
import { Amount, inText } from '../../parts/amount.js';
import { ghost, Loaded } from '../../parts/problem.js';
import { wide } from '../../parts/wide.js';
import { accounts } from '../../session.js';
import { language, words } from '../../words.js';
import { accountWords } from '../../words/accounts.js';
import { figureTable } from '../../parts/table.js';

/** @typedef {import('../../session.js').Schemas['Account']} Account */
/** @typedef {import('../../session.js').Schemas['MonthYield']} Month */

/** Wide enough for columns. On narrower screens a month has two lines. */
const hasColumns = wide('(min-width: 600px)');

let wanted = 0;
/** The yield of the selected account. */
const earned = resource(async signal => ({
  id: wanted,
  months: await get('/api/accounts/{id}/yields', { path: { id: wanted }, signal }),
}));

const FIGURES = /** @type {const} */ (['gross', 'tax', 'net']);

/** @param {Month[]} months @param {typeof FIGURES[number]} figure */
const sum = (months, figure) => months.reduce((total, month) => total + cents(month[figure]), 0n);

/** @param {{ account: Account, months: Month[] }} props */
const Months = ({ account, months }) => {
  const w = accountWords.value,
    isTaxed = account.yield_tax !== 'none',
    all = months.filter(({ gross }) => cents(gross) !== 0n).reverse();
  const figures = isTaxed ? FIGURES : /** @type {const} */ (['gross']);
  /** @param {Month} month */
  const link = ({ month }) =>
    a({ href: `/transactions?month=${month}&account_id=${account.id}` }, monthName(language.value, month));
  if (all.length === 0) return p({ class: 'quiet' }, w.nothing_earned);
  return [
    p(
      { key: 'sum', class: 'finding' },
      w.earned_title(inText(sum(all, 'gross')), isTaxed ? inText(sum(all, 'net')) : null),
      isTaxed && ` ${w.tax_note}`,
    ),
    hasColumns.value
      ? figureTable(
          w.earned,
          [words.value.dashboard.month, ...figures.map(figure => w[figure])],
          all.map(month => [month.month, link(month), figures.map(figure => month[figure])]),
          [['total', w.cards.total, figures.map(figure => sum(all, figure))]],
          { key: 'table' },
        )
      : ul(
          { key: 'list', class: 'rows' },
          all.map(month =>
            li(
              { key: month.month, class: 'account-row' },
              div(
                { class: 'entry-text' },
                link(month),
                isTaxed &&
                  span(
                    { class: 'quiet' },
                    `${w.gross}\u00a0${inText(month.gross)} · ${w.tax}\u00a0${inText(month.tax)}`,
                  ),
              ),
              h(Amount, { value: month.net }),
            ),
          ),
        ),
  ];
};

/** @param {{ account: Account }} props */
export const Earned = ({ account }) => {
  const w = accountWords.value;
  useEffect(
    () =>
      effect(() => {
        // Listing accounts posts the yield that is due.
        void accounts.data.value;
        wanted = account.id;
        untracked(() => void earned.load());
      }),
    [account.id],
  );
  return section(
    { class: 'card', 'aria-labelledby': 'earned' },
    h2({ id: 'earned' }, w.earned),
    Loaded({
      of: earned,
      skeleton: ghost(4),
      children: ({ id, months }) =>
        id === account.id ? h(/** @type {any} */ (Months), { account, months }) : ghost(4),
    }),
  );
};
