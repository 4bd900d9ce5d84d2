// The sums of a period: by category, payee, tag or person, month by month, or income beside expenses.
import { useSignal } from '@preact/signals';
import { get, resource } from '../../api.js';
import { addMonths, lastDay, monthAlone, monthName, monthOf, monthShort } from '../../dates.js';
import {
  a,
  div,
  g,
  h,
  input,
  label,
  option,
  p,
  rect,
  section,
  select,
  small,
  span,
  svg,
  table,
  tbody,
  td,
  tfoot,
  th,
  tr,
} from '../../dom.js';
import { abs, cents } from '../../money.js';
import { Amount, balance, inText } from '../../parts/amount.js';
import { axis } from '../../parts/axis.js';
import { ghost, Loaded } from '../../parts/problem.js';
import { figureTable, tableFrame, tableHead } from '../../parts/table.js';
import { go, place, withQuery } from '../../router.js';
import { today, useReading } from '../../session.js';
import { language, wordsOf } from '../../words.js';
import { Download, printButton } from './controls.js';

const flowWords = await wordsOf('reports_flow');

/** @typedef {import('../../session.js').Schemas['FlowReport']} Report */
/** @typedef {'where' | 'months' | 'flow' | 'payees' | 'tags' | 'people'} Show */

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const PERIODS = /** @type {const} */ (['1', '3', '6', '12', '24', 'year', 'other']);
/** The months of a report by default. */
const MONTHS_DEFAULT = 12;

/** What each report asks for. @type {Record<Show, Record<string, string | number>>} */
const ASKED = {
  where: { by: 'category', interval: 'none', compare: 'previous', limit: 50 },
  months: { by: 'category', interval: 'month', limit: 50 },
  flow: { by: 'category', interval: 'month', kind: 'both', limit: 1 },
  payees: { by: 'payee', interval: 'none', compare: 'previous', limit: 100 },
  tags: { by: 'tag', interval: 'none', compare: 'previous', limit: 100 },
  people: { by: 'member', interval: 'none', compare: 'previous', limit: 50 },
};

/** @param {string} count @returns {[from: string, to: string]} */
const daysOf = count => {
  const now = monthOf(today.value),
    first = count === 'year' ? `${now.slice(0, 4)}-01` : addMonths(now, 1 - Number(count));
  return [`${first}-01`, lastDay(count === 'year' ? `${now.slice(0, 4)}-12` : now)];
};

/** The period in the address, or the default one. @returns {[from: string, to: string]} */
const days = () => {
  const { query } = place.value,
    [from, to] = daysOf(String(MONTHS_DEFAULT)),
    given = (/** @type {string} */ name, /** @type {string} */ otherwise) => {
      const value = query.get(name) ?? '';
      return DAY.test(value) ? value : otherwise;
    };
  return [given('from', from), given('to', to)];
};

const showOf = () => /** @type {Show} */ (place.value.query.get('show') ?? 'where');
const asked = () => {
  const [from, to] = days();
  return { ...(ASKED[showOf()] ?? ASKED.where), from, to };
};

const report = resource(async signal => {
  const show = showOf();
  return { show, of: await get('/api/reports/flow', { query: /** @type {any} */ (asked()), signal }) };
});

/** The bar of a row. @param {bigint} value @param {bigint} most */
const bar = (value, most) =>
  svg(
    { class: 'row-bar', viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    rect({ width: most > 0n ? Number((abs(value) * 1000n) / most) / 10 : 0, height: 8, rx: 1 }),
  );

/** @param {Show} show @param {Report['rows'][number]} row */
const nameOf = (show, row) => row.name ?? (show === 'flow' ? '' : flowWords.value.without[show]);

/** @param {Report} of @param {string} filter @param {{ from: string, to: string }} [days] */
const rowsOf = (of, filter, { from, to } = of) => `/transactions?${filter}&from=${from}&to=${to}`;

/** Rows with a bar, beside the period before. @param {{ show: Show, of: Report }} props */
const Ranked = ({ show, of }) => {
  const w = flowWords.value,
    most = of.rows.reduce((most, row) => (abs(cents(row.total.net)) > most ? abs(cents(row.total.net)) : most), 0n);
  const columns = [w.names[show], w.total, w.previous];
  /** @param {Report['total']} sums @param {import('preact').ComponentChildren} name @param {string | number} key */
  const row = (sums, name, key) =>
    tr(
      { key },
      th({ scope: 'row' }, name, key !== 'total' && bar(cents(sums.total.net), most)),
      td(null, h(Amount, { value: sums.total.net })),
      td({ class: 'quiet', 'data-label': w.previous }, h(Amount, { value: sums.previous?.net ?? '0' })),
    );
  return tableFrame(
    w.shows[show],
    table(
      { class: 'report-table ranked' },
      tableHead(w.shows[show], columns),
      tbody(
        null,
        of.rows.map((one, at) => row(one, a({ href: rowsOf(of, one.filter) }, nameOf(show, one)), at)),
        of.other && row(of.other, w.other, 'other'),
      ),
      tfoot(null, row(of.total, w.total, 'total')),
    ),
  );
};

/** Bars of intervals; the second ones beside the first. @param {{ title: string, of: Report, series: bigint[][] }} props */
const Bars = ({ title, of, series }) => {
  const code = language.value,
    // Before the first data there was nothing.
    first = Math.max(
      0,
      of.intervals.findIndex((_, at) => series.some(values => values[at])),
    ),
    intervals = of.intervals.slice(first),
    count = intervals.length,
    every = Math.ceil(count / 8),
    most = series.flat().reduce((most, one) => (abs(one) > most ? abs(one) : most), 1n);
  const width = 8 / series.length;
  return div(
    { class: 'report-chart' },
    div(
      { class: 'lines', 'aria-hidden': 'true' },
      axis(0, Number(most), cents => (cents * 100) / Number(most)),
    ),
    svg(
      { viewBox: `0 0 ${count * 10} 100`, preserveAspectRatio: 'none', role: 'img', 'aria-label': title },
      series.map((values, which) =>
        g(
          { key: which, class: `bars-${which}` },
          values.slice(first).map((value, at) => {
            const height = Number((abs(value) * 1000n) / most) / 10;
            return rect({ key: at, x: at * 10 + 1 + which * width, y: 100 - height, width: width * 0.94, height });
          }),
        ),
      ),
    ),
    div(
      {
        class: 'report-names',
        'aria-hidden': 'true',
        style: { gridTemplateColumns: `repeat(${count}, minmax(0, 1fr))` },
      },
      intervals.map(({ from }, at) =>
        span({ key: from }, (count - 1 - at) % every === 0 && monthShort(code, monthOf(from))),
      ),
    ),
  );
};

/** Categories by month. @param {{ of: Report }} props */
const ByMonth = ({ of }) => {
  const w = flowWords.value,
    code = language.value;
  const columns = of.intervals.map(({ from }) => `${monthShort(code, monthOf(from))} ${from.slice(0, 4)}`);
  /** @param {string | number} key @param {import('preact').ComponentChildren} name @param {Report['total']} sums @param {string} [filter] */
  const row = (key, name, { series, total }, filter) => {
    const cells = series.map((figure, at) => {
      const days = of.intervals[at];
      return filter && days && cents(figure.net) !== 0n
        ? a({ href: rowsOf(of, filter, days) }, h(Amount, { value: figure.net }))
        : figure.net;
    });
    return /** @type {import('../../parts/table.js').Row} */ ([key, name, [...cells, total.net]]);
  };
  return [
    h(Bars, { key: 'bars', title: w.shows.months, of, series: [of.total.series.map(figure => cents(figure.net))] }),
    tableFrame(
      w.shows.months,
      figureTable(
        w.shows.months,
        [w.names.months, ...columns, w.total],
        [
          ...of.rows.map((one, at) =>
            row(at, a({ href: rowsOf(of, one.filter) }, nameOf('months', one)), one, one.filter),
          ),
          ...(of.other ? [row('other', w.other, of.other)] : []),
        ],
        [row('total', w.total, of.total)],
        // The newest months are in sight.
        { class: 'report-table', ref: table => table?.parentElement?.scrollTo({ left: table.scrollWidth }) },
      ),
    ),
  ];
};

/** Income beside expenses, by month. @param {{ of: Report }} props */
const Flow = ({ of }) => {
  const w = flowWords.value,
    code = language.value;
  const columns = [w.month, w.income, w.expenses, w.refunds, w.left];
  /** @param {Report['total']['total']} figure */
  const cells = figure => [figure.income, figure.expenses, figure.refunds, figure.net].map(balance);
  return [
    h(Bars, {
      key: 'bars',
      title: w.shows.flow,
      of,
      series: [of.total.series.map(one => cents(one.income)), of.total.series.map(one => cents(one.expenses))],
    }),
    p(
      { key: 'legend', class: 'report-legend quiet' },
      span({ class: 'bars-0' }, w.income),
      span({ class: 'bars-1' }, w.expenses),
    ),
    tableFrame(
      w.shows.flow,
      figureTable(
        w.shows.flow,
        columns,
        of.intervals.flatMap((days, at) => {
          const figure = of.total.series[at],
            link = a({ href: rowsOf(of, 'kind=both', days) }, monthName(code, monthOf(days.from)));
          return figure ? [/** @type {const} */ ([days.from, link, cells(figure)])] : [];
        }),
        [['total', w.total, cells(of.total.total)]],
        { class: 'report-table ranked' },
      ),
    ),
  ];
};

const Period = () => {
  const w = flowWords.value,
    [from, to] = days(),
    isOther = useSignal(false);
  const known = PERIODS.find(one => one !== 'other' && daysOf(one).join() === `${from},${to}`) ?? 'other',
    chosen = isOther.value ? 'other' : known;
  const day = (/** @type {'from' | 'to'} */ name, /** @type {string} */ value) => [
    label({ key: `${name}l`, class: 'unseen', for: `report-${name}` }, w[name]),
    input({
      key: name,
      id: `report-${name}`,
      type: 'date',
      value,
      onChange: event =>
        DAY.test(event.currentTarget.value) &&
        go(withQuery({ from, to, [name]: event.currentTarget.value }), { replace: true }),
    }),
  ];
  return div(
    { class: 'report-period' },
    label({ class: 'unseen', for: 'report-period' }, w.period),
    select(
      {
        id: 'report-period',
        class: 'button',
        value: chosen,
        onChange: event => {
          const one = event.currentTarget.value;
          isOther.value = one === 'other';
          if (one === 'other') return;
          const [first, last] = daysOf(one),
            isDefault = one === String(MONTHS_DEFAULT);
          go(withQuery({ from: isDefault ? null : first, to: isDefault ? null : last }), { replace: true });
        },
      },
      PERIODS.map(one => option({ key: one, value: one }, w.periods[one])),
    ),
    chosen === 'other' && [day('from', from), day('to', to)],
  );
};

export default () => {
  const w = flowWords.value;
  // The service's date may come later than the device's.
  useReading(report.load, () => place.value.path === '/reports' && asked());
  return div(
    { class: 'dashboard' },
    div(
      { class: 'row-actions' },
      h(Period, null),
      h(Download, { text: w.csv, path: '/api/reports/flow', query: asked(), name: 'relatorio.csv' }),
      printButton(w.print),
    ),
    Loaded({
      of: report,
      skeleton: ghost(8),
      children: ({ show, of }) =>
        section(
          { class: 'card', 'aria-label': w.shows[show] },
          of.rows.length === 0
            ? p({ class: 'quiet' }, w.none)
            : show === 'months'
              ? h(/** @type {any} */ (ByMonth), { of })
              : show === 'flow'
                ? h(/** @type {any} */ (Flow), { of })
                : h(Ranked, { show, of }),
          of.rows.length > 0 &&
            small(
              { class: 'quiet' },
              `${monthAlone(language.value, monthOf(of.from))} ${of.from.slice(0, 4)} – ${monthAlone(language.value, monthOf(of.to))} ${of.to.slice(0, 4)} · ${inText(of.total.total.net)}`,
            ),
        ),
    }),
  );
};
