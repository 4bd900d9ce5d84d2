import { useEffect } from 'preact/hooks';
import { get, resource } from '../../api.js';
import { a, div, h, h3, h2, li, p, section, small, span, ul } from '../../dom.js';
import { Amount, inText } from '../../parts/amount.js';
import { Head } from '../../parts/overview.js';
import { ghost, Loaded } from '../../parts/problem.js';
import { wide } from '../../parts/wide.js';
import { place } from '../../router.js';
import { accounts, canWrite, categories, useReading } from '../../session.js';
import { words, wordsOf } from '../../words.js';
import { Download, printButton, yearOf, yearSelect } from './controls.js';
import { figureTable } from '../../parts/table.js';

const [reportWords, categoryWords] = await Promise.all([wordsOf('reports'), wordsOf('categories')]);

/** @typedef {import('../../session.js').Schemas['IrpfReport']} Report */

/** The most payees that the service lists. */
const PAYEES_MAX = 500;

/** Wide enough for columns. On narrower screens a row has two lines. */
const hasColumns = wide('(min-width: 600px)');

/** The selected year: last year if the address names none. */
const chosen = () => yearOf(1901, 1);

const report = resource(signal => get('/api/reports/irpf', { query: { year: chosen() }, signal }));

/** The address of transactions of the year. @param {Report} of @param {string} filter */
const rowsOf = ({ year }, filter) => `/transactions?${filter}&from=${year}-01-01&to=${year}-12-31`;

/**
 * Rows of amounts: a table, or a list on narrow screens. A row with an address leads to its transactions.
 * @param {{ title: string, first: string, columns: string[], rows: { key: string | number, name: string, href?: string, note?: string, values: string[] }[], totals?: string[] }} props
 */
const Figures = ({ title, first, columns, rows, totals }) =>
  hasColumns.value
    ? figureTable(
        title,
        [first, ...columns],
        rows.map(({ key, name, href, note, values }) => [
          key,
          [href ? a({ href }, name) : name, note && small({ class: 'quiet' }, ` ${note}`)],
          values,
        ]),
        totals && [['total', reportWords.value.total, totals]],
      )
    : ul(
        { class: 'rows' },
        rows.map(({ key, name, href, note, values }) =>
          li(
            { key, class: 'account-row' },
            div(
              { class: 'entry-text' },
              href ? a({ href }, name) : name,
              span(
                { class: 'quiet' },
                [note, ...(values.length > 1 ? values.map((value, at) => `${columns[at]}\u00a0${inText(value)}`) : [])]
                  .filter(Boolean)
                  .join(' · '),
              ),
            ),
            values.length === 1 && h(Amount, { value: values[0] ?? '0' }),
          ),
        ),
        totals &&
          li(
            { class: 'account-row total' },
            span(null, reportWords.value.total),
            h(Amount, { value: totals[0] ?? '0' }),
          ),
      );

/** @param {{ of: Report }} props */
const Spending = ({ of }) => {
  const w = reportWords.value,
    kinds = categoryWords.value.tax_kinds;
  return section(
    { class: 'card', 'aria-labelledby': 'spending' },
    h2({ id: 'spending' }, w.spending),
    of.categories.length === 0 && [
      p({ key: 'none' }, w.spending_none),
      p({ key: 'how', class: 'quiet' }, w.spending_how, ' ', a({ href: '/categories' }, words.value.views.categories)),
    ],
    of.categories.length > 0 && canWrite.value && p({ class: 'quiet' }, w.leave_out),
    of.categories.map(({ tax_kind, total, payees }) =>
      div(
        { key: tax_kind, class: 'report-part' },
        h3(null, kinds[tax_kind]),
        p(
          { class: 'quiet report-categories' },
          (categories.data.value ?? [])
            .filter(category => category.tax_kind === tax_kind)
            .map((category, at) => [
              at > 0 && ' · ',
              a({ key: category.id, href: rowsOf(of, `type=expense&category_id=${category.id}`) }, category.name),
            ]),
        ),
        h(Figures, {
          title: kinds[tax_kind],
          first: w.payee,
          columns: [w.total],
          rows: payees.map(({ key: payee, description, total }, key) => ({
            key,
            name: description,
            href: rowsOf(of, `type=expense&${new URLSearchParams(payee ? { payee } : { q: description })}`),
            values: [total],
          })),
          totals: [total],
        }),
        payees.length >= PAYEES_MAX && p({ class: 'quiet' }, w.payees_cut),
      ),
    ),
  );
};

/** @param {{ of: Report }} props */
const All = ({ of }) => {
  const w = reportWords.value;
  return div(
    { class: 'dashboard' },
    h(Spending, { of }),
    section(
      { class: 'card', 'aria-labelledby': 'accounts' },
      h2({ id: 'accounts' }, w.accounts),
      p({ class: 'finding' }, of.accounts.length === 0 ? w.no_accounts : w.accounts_text),
      of.accounts.length > 0 &&
        h(Figures, {
          title: w.accounts,
          first: w.account,
          columns: [w.end_of(of.year - 1), w.end_of(of.year)],
          rows: of.accounts.map(({ account_id: key, name, kind, balance_previous, balance }) => ({
            key,
            name,
            href: rowsOf(of, `account_id=${key}`),
            note: words.value.kinds[kind],
            values: [balance_previous, balance],
          })),
        }),
    ),
    section(
      { class: 'card', 'aria-labelledby': 'yields' },
      h2({ id: 'yields' }, w.yields),
      p({ class: 'finding' }, of.yields.length === 0 ? w.no_yields : w.yields_text),
      of.yields.length > 0 &&
        h(Figures, {
          title: w.yields,
          first: w.account,
          columns: [w.gross, w.iof, w.income_tax],
          rows: of.yields.map(({ account_id: key, name, gross, iof, income_tax }) => ({
            key,
            name,
            href: rowsOf(of, `account_id=${key}&source=yield`),
            values: [gross, iof, income_tax],
          })),
        }),
    ),
  );
};

export default () => {
  const w = reportWords.value,
    year = chosen();
  useEffect(() => {
    // Listing accounts posts the yield that is due.
    accounts.want();
    categories.want();
  }, []);
  useReading(report.load, () => place.value.path === '/reports' && chosen());
  return div(
    { class: 'dashboard' },
    h(Head, { title: w.title(year) }, [
      ...yearSelect('year', w.year, year),
      h(Download, { key: 'csv', text: w.csv, path: '/api/reports/irpf', query: { year }, name: `irpf-${year}.csv` }),
      printButton(w.print),
    ]),
    p({ class: 'quiet' }, w.text(year)),
    Loaded({ of: report, skeleton: div({ class: 'dashboard' }, ghost(4), ghost(6)), children: of => h(All, { of }) }),
  );
};
