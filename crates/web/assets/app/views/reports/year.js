// A year: its months, what rose and fell, the largest payees, and the days without spending.
import { get, resource } from '../../api.js';
import { lastDay, monthName, shortDate } from '../../dates.js';
import { a, div, h, h2, li, p, section, span, ul } from '../../dom.js';
import { cents, percentage } from '../../money.js';
import { Amount, inText, signedSum } from '../../parts/amount.js';
import { ghost, Loaded } from '../../parts/problem.js';
import { figureTable, tableFrame } from '../../parts/table.js';
import { place } from '../../router.js';
import { useReading } from '../../session.js';
import { language, wordsOf } from '../../words.js';
import { printButton, yearOf, yearSelect } from './controls.js';

const flowWords = await wordsOf('reports_flow');

/** @typedef {import('../../session.js').Schemas['YearReport']} Report */

/** The chosen year: this year if the address names none. */
const chosen = () => yearOf(1900, 0);

const report = resource(signal => get('/api/reports/year', { query: { year: chosen() }, signal }));

/** @param {{ of: Report, title: string, rows: Report['rises'] }} props */
const Changes = ({ of, title, rows }) => {
  const w = flowWords.value;
  return (
    rows.length > 0 &&
    section(
      { class: 'card', 'aria-label': title },
      h2(null, title),
      ul(
        { class: 'rows' },
        rows.map(row =>
          li(
            { key: row.category_id ?? 0, class: 'account-row' },
            div(
              { class: 'entry-text' },
              a(
                {
                  href: `/transactions?kind=expense&category_id=${row.category_id ?? 'none'}&from=${of.from}&to=${of.to}`,
                },
                row.name ?? w.without.where,
              ),
              span({ class: 'quiet' }, `${inText(row.net)}, ${w.was(inText(row.previous))}`),
            ),
            span({ class: 'money' }, signedSum(cents(row.change))),
          ),
        ),
      ),
    )
  );
};

/**
 * @param {string} key @param {import('preact').ComponentChildren} name
 * @param {{ income: string, expenses: string, refunds: string }} sums @param {string} [savings]
 */
const row = (key, name, { income, expenses, refunds }, savings = '') =>
  /** @type {import('../../parts/table.js').Row} */ ([key, name, [income, expenses, refunds, span(null, savings)]]);

/** @param {{ of: Report }} props */
const Months = ({ of }) => {
  const w = flowWords.value,
    code = language.value,
    columns = [w.month, w.income, w.expenses, w.refunds, w.savings];
  const rows = of.months.map(({ month, income, expenses, refunds, savings_pct }) => {
    const last = lastDay(month),
      // The report ends today.
      to = last < of.to ? last : of.to,
      link = a({ href: `/transactions?kind=both&from=${month}-01&to=${to}` }, monthName(code, month));
    return row(month, link, { income, expenses, refunds }, savings_pct === null ? '–' : percentage(savings_pct));
  });
  return section(
    { class: 'card', 'aria-label': w.shows.months },
    tableFrame(
      w.shows.months,
      figureTable(
        w.shows.months,
        columns,
        rows,
        [row('total', w.total, of.total), row('previous', String(of.year - 1), of.previous)],
        { class: 'report-table ranked' },
      ),
    ),
  );
};

export default () => {
  const w = flowWords.value,
    code = language.value;
  useReading(report.load, () => place.value.path === '/reports' && chosen());
  return div(
    { class: 'dashboard' },
    div({ class: 'row-actions' }, yearSelect('report-year', w.year, chosen()), printButton(w.print)),
    Loaded({
      of: report,
      skeleton: ghost(8),
      children: of =>
        div(
          { class: 'dashboard' },
          p({ class: 'quiet' }, w.days_of(shortDate(code, of.from), shortDate(code, of.to))),
          h(Months, { of }),
          h(Changes, { of, title: w.rises, rows: of.rises }),
          h(Changes, { of, title: w.falls, rows: of.falls }),
          of.payees.length > 0 &&
            section(
              { class: 'card', 'aria-label': w.largest },
              h2(null, w.largest),
              ul(
                { class: 'rows' },
                of.payees.map((payee, at) =>
                  li(
                    { key: at, class: 'account-row' },
                    a(
                      {
                        href: `/transactions?kind=expense&payee=${encodeURIComponent(String(payee.key ?? ''))}&from=${of.from}&to=${of.to}`,
                      },
                      payee.name ?? w.without.payees,
                    ),
                    h(Amount, { value: payee.net }),
                  ),
                ),
              ),
            ),
          of.days > 0 &&
            p(
              null,
              w.quiet(of.days_without_spending, of.days),
              of.longest_streak &&
                ` ${w.streak(of.longest_streak.days, shortDate(code, of.longest_streak.from), shortDate(code, of.longest_streak.to))}`,
            ),
        ),
    }),
  );
};
