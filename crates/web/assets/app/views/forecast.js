// The months ahead: the balance, its lowest day, and the source of each figure.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import {
  a,
  classes,
  div,
  fieldset,
  h,
  h1,
  h2,
  label,
  legend,
  li,
  option,
  p,
  section,
  select,
  small,
  span,
  ul,
} from '../dom.js';
import { daysBetween, lastDay, monthAlone, monthName } from '../dates.js';
import { cents } from '../money.js';
import { aheadWords, baseline, day, EventRow, forecast, months, MONTHS_SHOWN } from './forecast/ahead.js';
import { balance, inText } from '../parts/amount.js';
import { CopyButton } from '../parts/copy_table.js';
import { LineChart } from '../parts/line_chart.js';
import { Empty, Hero } from '../parts/overview.js';
import { ghost, Loaded } from '../parts/problem.js';
import { wide } from '../parts/wide.js';
import { go, place, withQuery } from '../router.js';
import { accounts, useReading } from '../session.js';
import { language, words } from '../words.js';
import { segments } from '../parts/field.js';
import { figureTable } from '../parts/table.js';

/** @typedef {import('./forecast/ahead.js').Forecast} Forecast */
/** @typedef {Forecast['months'][number]} Month */

/** The numbers of months to choose from. */
const MONTHS = [3, 6, 12, 24];
/** The most events that the service lists. */
const EVENTS_MAX = 2000;

/** Wide enough for columns. On narrower screens a month has two lines. */
const hasColumns = wide('(min-width: 900px)');

/** @param {string} month */
const name = month => monthName(language.value, month);

/** The month with the lowest day. @param {Forecast} of */
const lowestOf = ({ months: [first, ...others] }) =>
  others.reduce(
    (least, month) => (least && cents(month.lowest.balance) < cents(least.lowest.balance) ? month : least),
    first,
  );

/** The position of a day in the shown months, in months. @param {Month[]} months @param {string} date */
const placeOf = (months, date) => {
  const month = date.slice(0, 7);
  return (
    months.findIndex(known => known.month === month) +
    Number(date.slice(8)) / (daysBetween(`${month}-01`, lastDay(month)) + 1)
  );
};

/** The points of the line: today, and the lowest day and the end of each month. @param {Forecast} of */
const line = ({ as_of, opening, months }) => {
  const known = months.flatMap(({ month, lowest, closing }) => [
    { date: lowest.date, balance: lowest.balance },
    { date: lastDay(month), balance: closing },
  ]);
  // The lowest day of this month may be today, and the lowest day of any month its last.
  return [{ date: as_of, balance: opening }, ...known]
    .filter(({ date }, index, all) => index === 0 || date > (all[index - 1]?.date ?? '') || date === as_of)
    .map(({ date, balance }) => ({ at: placeOf(months, date), balance }));
};

/** The month whose events are listed: the first one if the address names none of them. @param {Forecast} of */
const chosenMonth = ({ months }) => {
  const named = place.value.query.get('of');
  return (months.find(({ month }) => month === named) ?? months[0])?.month ?? '';
};

const Choices = () => {
  const w = aheadWords.value,
    shown = months.value;
  const kinds = /** @type {const} */ (['none', 'median3']);
  return [
    fieldset(
      { key: 'baseline', class: 'field' },
      legend(null, w.spending),
      div(
        { class: 'segments' },
        segments(
          'baseline',
          kinds.map(kind => [kind, w[kind]]),
          baseline.value,
          kind => go(withQuery({ baseline: kind === 'none' ? null : kind }), { replace: true }),
          { 'aria-describedby': 'baseline-note' },
        ),
      ),
    ),
    div(
      { key: 'months', class: 'field' },
      label({ for: 'months' }, w.months),
      select(
        {
          id: 'months',
          value: String(shown),
          onChange: event =>
            go(
              withQuery({
                months: event.currentTarget.value === String(MONTHS_SHOWN) ? null : event.currentTarget.value,
              }),
              { replace: true },
            ),
        },
        [...new Set([...MONTHS, shown])]
          .sort((one, other) => one - other)
          .map(count => option({ key: count, value: String(count) }, count)),
      ),
    ),
  ];
};

/** @param {{ of: Forecast }} props */
const Chart = ({ of }) => {
  const w = aheadWords.value,
    low = lowestOf(of)?.lowest;
  return section(
    { class: 'card', 'aria-labelledby': 'chart' },
    h2({ id: 'chart' }, w.title),
    low &&
      p(
        { class: classes('finding', cents(low.balance) < 0n && 'late') },
        (cents(low.balance) < 0n ? w.below : w.low)(day(low.date), inText(low.balance)),
      ),
    h(LineChart, {
      key: of.months.length,
      points: of.months.map(({ month, closing }) => ({ month, balance: closing })),
      title: w.title,
      label: w.closing,
      href: month => withQuery({ of: month }),
      line: line(of),
      hasTable: false,
      ...(low && { mark: { at: placeOf(of.months, low.date), balance: low.balance, text: day(low.date) } }),
    }),
  );
};

const FIGURES = /** @type {const} */ (['income', 'expenses', 'card_bills', 'estimated']);

/** The figures of a month that this forecast has. @param {Forecast & { baseline: string }} of */
const figuresOf = ({ baseline }) => FIGURES.filter(figure => figure !== 'estimated' || baseline !== 'none');

/** @param {{ of: Forecast & { baseline: string } }} props */
const Months = ({ of }) => {
  const w = aheadWords.value,
    figures = figuresOf(of),
    chosen = chosenMonth(of);
  /** @param {string} month */
  const link = month =>
    a({ href: withQuery({ of: month }), 'aria-current': month === chosen ? 'true' : undefined }, name(month));
  return section(
    { class: 'card', 'aria-labelledby': 'months-head' },
    h2({ id: 'months-head' }, w.by_month),
    hasColumns.value
      ? figureTable(
          w.by_month,
          [w.month, ...figures.map(figure => w[figure]), w.lowest, w.closing],
          of.months.map(month => [
            month.month,
            link(month.month),
            [
              ...figures.map(figure => month[figure]),
              [balance(month.lowest.balance), small({ class: 'quiet' }, day(month.lowest.date))],
              balance(month.closing),
            ],
          ]),
        )
      : ul(
          { class: 'rows' },
          of.months.map(month =>
            li(
              { key: month.month, class: 'account-row' },
              div(
                { class: 'entry-text' },
                link(month.month),
                span(
                  { class: 'quiet' },
                  [
                    ...figures.flatMap(figure =>
                      cents(month[figure]) === 0n ? [] : [`${w[figure]}\u00a0${inText(month[figure])}`],
                    ),
                    `${w.lowest}\u00a0${inText(month.lowest.balance)}, ${day(month.lowest.date)}`,
                  ].join(' · '),
                ),
              ),
              balance(month.closing),
            ),
          ),
        ),
  );
};

/** @param {{ of: Forecast }} props */
const Events = ({ of }) => {
  const w = aheadWords.value,
    month = chosenMonth(of),
    head = useRef(/** @type {HTMLHeadingElement | null} */ (null)),
    before = useRef(month),
    events = of.events.filter(event => event.date.startsWith(month));
  // After the choice of another month, the focus is on its heading.
  useLayoutEffect(() => {
    if (before.current !== month) head.current?.focus();
    before.current = month;
  }, [month]);
  return section(
    { class: 'card', 'aria-labelledby': 'events' },
    h2({ id: 'events', tabIndex: -1, ref: head }, w.events(name(month))),
    events.length > 0
      ? ul(
          { class: 'rows' },
          events.map((event, index) => h(EventRow, { key: index, event })),
        )
      : p({ class: 'quiet' }, w.no_events(name(month))),
    of.events.length >= EVENTS_MAX && p({ class: 'quiet' }, w.cut),
  );
};

/** @param {{ of: Forecast & { baseline: 'none' | 'median3' } }} props */
const All = ({ of }) => {
  const w = aheadWords.value,
    [first] = of.months,
    last = of.months[of.months.length - 1],
    low = lowestOf(of)?.lowest;
  /** @param {Month | undefined} month */
  const end = month =>
    /** @type {[string, import('preact').VNode]} */ ([
      w.end_of((month === first ? monthAlone : monthName)(language.value, month?.month ?? '')),
      balance(month?.closing ?? '0'),
    ]);
  return [
    h(
      Hero,
      {
        title: `${words.value.dashboard.free} ${w.until(day(of.free_until))}${of.baseline === 'none' ? '' : w.as_usual}`,
        value: cents(of.free_to_spend),
        tiles: [
          [w.today, balance(of.opening)],
          ...(first === last ? [] : [end(first)]),
          [low ? `${w.lowest}, ${day(low.date)}` : w.lowest, balance(low?.balance ?? of.opening)],
          end(last),
        ],
      },
      of.first_negative_date && p({ class: 'late' }, w.negative(day(of.first_negative_date))),
      Choices(),
      small({ id: 'baseline-note', class: 'quiet' }, w[`${of.baseline}_text`]),
    ),
    h(Chart, { of }),
    h(Months, { of }),
    h(Events, { of }),
  ];
};

export default () => {
  const w = aheadWords.value,
    all = accounts.data.value,
    has = !all || all.some(({ kind }) => kind === 'current' || kind === 'savings');
  useEffect(() => accounts.want(), []);
  useReading(forecast.load, () => [months.value, baseline.value]);
  const rows = () => {
    const of = forecast.data.peek(),
      figures = of ? figuresOf(of) : [];
    return [
      [w.month, ...figures.map(figure => w[figure]), w.lowest, w.closing],
      ...(of?.months ?? []).map(month => [
        name(month.month),
        ...figures.map(figure => cents(month[figure])),
        cents(month.lowest.balance),
        cents(month.closing),
      ]),
    ];
  };
  return div(
    { class: 'page' },
    div({ class: 'view-head' }, h1({ tabIndex: -1 }, words.value.views.forecast), has && h(CopyButton, { rows })),
    !has
      ? h(
          Empty,
          { title: w.empty, text: w.empty_text },
          a({ class: 'button primary', href: '/accounts' }, words.value.views.accounts),
        )
      : Loaded({
          of: forecast,
          skeleton: div({ class: 'dashboard' }, ghost(4), ghost(8)),
          children: of => div({ class: 'dashboard' }, h(All, { of })),
        }),
  );
};
