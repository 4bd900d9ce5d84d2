// A year: its months, what rose and fell, the largest payees, and the days without spending.
import { get, resource } from '../../api.js';
import { lastDay, monthName, shortDate } from '../../dates.js';
import {
  a,
  button,
  caption,
  div,
  h,
  h2,
  label,
  li,
  option,
  p,
  section,
  select,
  span,
  table,
  tbody,
  td,
  tfoot,
  th,
  thead,
  tr,
  ul,
} from '../../dom.js';
import { cents, percentage } from '../../money.js';
import { Amount, inText, signedSum } from '../../parts/amount.js';
import { ghost, Loaded } from '../../parts/problem.js';
import { tableFrame } from '../../parts/table_frame.js';
import { go, place, withQuery } from '../../router.js';
import { today, useReading } from '../../session.js';
import { language, wordsOf } from '../../words.js';

const flowWords = await wordsOf('reports_flow');

/** @typedef {import('../../session.js').Schemas['YearReport']} Report */

/** The number of years to choose from. The address may name an older one. */
const YEARS_OFFERED = 6;

/** The chosen year: this year if the address names none. */
const yearOf = () => {
  const now = Number(today.value.slice(0, 4)),
    named = Number(place.value.query.get('year'));
  return Number.isInteger(named) && named >= 1900 && named <= now ? named : now;
};

const report = resource(signal => get('/api/reports/year', { query: { year: yearOf() }, signal }));

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

/** @param {{ of: Report }} props */
const Months = ({ of }) => {
  const w = flowWords.value,
    code = language.value,
    columns = [w.month, w.income, w.expenses, w.refunds, w.savings];
  const figures = (/** @type {string[]} */ values) => values.map((value, at) => td({ key: at }, h(Amount, { value })));
  return section(
    { class: 'card', 'aria-label': w.shows.months },
    tableFrame(
      w.shows.months,
      table(
        { class: 'report-table' },
        caption({ class: 'unseen' }, w.shows.months),
        thead(
          null,
          tr(
            null,
            columns.map((text, at) => th({ key: text, scope: 'col', class: at ? 'figure' : '' }, text)),
          ),
        ),
        tbody(
          null,
          of.months.map(month => {
            const last = lastDay(month.month),
              // The report ends today.
              to = last < of.to ? last : of.to;
            return tr(
              { key: month.month },
              th(
                { scope: 'row' },
                a({ href: `/transactions?kind=both&from=${month.month}-01&to=${to}` }, monthName(code, month.month)),
              ),
              figures([month.income, month.expenses, month.refunds]),
              td({ class: 'figure' }, month.savings_pct === null ? '–' : percentage(month.savings_pct)),
            );
          }),
        ),
        tfoot(
          null,
          [/** @type {const} */ ([w.total, of.total]), /** @type {const} */ ([String(of.year - 1), of.previous])].map(
            ([name, sums]) =>
              tr(
                { key: name },
                th({ scope: 'row' }, name),
                figures([sums.income, sums.expenses, sums.refunds]),
                td(null),
              ),
          ),
        ),
      ),
    ),
  );
};

export default () => {
  const w = flowWords.value,
    year = yearOf(),
    now = Number(today.value.slice(0, 4)),
    code = language.value;
  const years = [...new Set([...Array.from({ length: YEARS_OFFERED }, (_, back) => now - back), year])];
  useReading(report.load, () => place.value.path === '/reports' && yearOf());
  return div(
    { class: 'dashboard' },
    div(
      { class: 'row-actions' },
      label({ class: 'unseen', for: 'report-year' }, w.year),
      select(
        {
          id: 'report-year',
          class: 'button',
          value: String(year),
          onChange: event => go(withQuery({ year: event.currentTarget.value }), { replace: true }),
        },
        years.map(one => option({ key: one, value: String(one) }, one)),
      ),
      button({ class: 'button', type: 'button', onClick: () => print() }, w.print),
    ),
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
