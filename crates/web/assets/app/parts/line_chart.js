// Amounts at each month's end as a line. Each month is a link, and shows its figure on hover and focus.
import { useSignal } from '@preact/signals';
import { a, classes, details, div, li, p, path, span, summary, svg, ul } from '../dom.js';
import { monthName, monthShort } from '../dates.js';
import { cents } from '../money.js';
import { language, words } from '../words.js';
import { inText, signedSum } from './amount.js';
import { axis } from './axis.js';
import { figureTable, tableFrame } from './table.js';

/** With more months, each is too narrow to be a link. */
const LINKS_MAX = 12;

/** A position, in months from the left, and the amount there. @typedef {{ at: number, balance: string }} Place */

/**
 * One of the lines whose sum is the amount. `color` is the number of its colour.
 * @typedef {{ name: string, color: number, balances: string[] }} Kind
 */

/**
 * The points from the first one that is not zero: before, there was nothing. All of them if all are zero.
 * @template P @param {P[]} points @param {(point: P) => string} value
 */
export const fromFirst = (points, value) => {
  const first = points.findIndex(point => cents(value(point)) !== 0n);
  return points.slice(Math.max(0, first));
};

/**
 * `label` names the amounts, `href` is the link of a month. `line` has all points of the line if more than the months'
 * ends are known; the
 * months' ends are then at the right edges. `mark` is a highlighted point. Without `hasTable`, another table has the
 * same figures.
 * `kinds` are further lines, whose sum is the amounts.
 * @param {{ points: { month: string, balance: string }[], title: string, label: string, href: (month: string) => string, line?: Place[], mark?: Place & { text: string }, hasTable?: boolean, kinds?: Kind[] }} props
 */
export const LineChart = ({ points, title, label, href, line: places, mark, hasTable = true, kinds = [] }) => {
  const w = words.value.dashboard,
    code = language.value,
    count = points.length,
    looked = useSignal(count - 1);
  const at = Math.min(looked.value, count - 1),
    value = cents(points[at]?.balance ?? '0'),
    before = points[at - 1];
  const through = places ?? points.map(({ balance }, index) => ({ at: index + 0.5, balance }));
  // For the drawing only: the texts stay exact.
  const drawn = [...through.map(({ balance }) => balance), ...kinds.flatMap(({ balances }) => balances)].map(balance =>
      Number(cents(balance)),
    ),
    bottom = Math.min(0, ...drawn),
    height = Math.max(0, ...drawn) - bottom || 1;
  /** @param {string} balance */
  const up = balance => ((Number(cents(balance)) - bottom) * 100) / height;
  /** @param {number} at */
  const along = at => (at * 100) / count;
  const zero = up('0'),
    line = through.map(({ at, balance }) => `L${along(at)} ${100 - up(balance)}`).join('');
  return div(
    { class: 'chart' },
    div(
      { class: 'plot', style: { gridTemplateColumns: `repeat(${count}, 1fr)`, columnGap: 0, paddingRight: 0 } },
      div(
        { class: 'lines', 'aria-hidden': 'true' },
        svg(
          { viewBox: '0 0 100 100', preserveAspectRatio: 'none' },
          path({ class: 'under', d: `M${along(through[0]?.at ?? 0)} ${100 - zero}${line}V${100 - zero}` }),
          path({ d: line.replace('L', 'M') }),
          kinds.map(({ color, balances }) =>
            path({
              key: color,
              class: `kind cat-${color}`,
              d: balances
                .map((balance, index) => `${index ? 'L' : 'M'}${along(index + 0.5)} ${100 - up(balance)}`)
                .join(''),
            }),
          ),
        ),
        axis(bottom, bottom + height, cents => ((cents - bottom) * 100) / height),
        mark &&
          span(
            {
              class: 'low',
              style: {
                left: `${along(mark.at)}%`,
                bottom: `${up(mark.balance)}%`,
                ...(along(mark.at) > 50 && { translate: '-100%', borderWidth: '0 1px 0 0' }),
              },
            },
            mark.text,
          ),
      ),
      points.map(({ month, balance }, index) => {
        const enter = () => (looked.value = index),
          leave = () => (looked.value = count - 1);
        const column = {
          key: month,
          class: classes('column', index === at && 'chosen'),
          onMouseEnter: enter,
          onMouseLeave: leave,
        };
        const drawing = [
          span({ key: 'said', class: 'unseen' }, `${monthName(code, month)}: ${inText(balance)}`),
          span(
            { key: 'area', class: 'area', 'aria-hidden': 'true' },
            index === at &&
              span({ class: 'dot', style: { bottom: `${up(balance)}%`, ...(places && { left: 'calc(100% - 5px)' }) } }),
          ),
          // There is room for every second name only.
          span(
            { key: 'name', class: 'bar-month', 'aria-hidden': 'true' },
            (count - index) % (count > LINKS_MAX ? 4 : 2) === 1 && monthShort(code, month),
          ),
        ];
        return count > LINKS_MAX
          ? div({ ...column, 'aria-hidden': 'true' }, drawing)
          : a({ ...column, href: href(month), onFocus: enter, onBlur: leave }, drawing);
      }),
    ),
    p(
      { class: 'chart-note', 'aria-hidden': 'true' },
      span(null, monthName(code, points[at]?.month ?? '')),
      ' ',
      inText(value),
      before && ` (${signedSum(value - cents(before.balance))})`,
    ),
    kinds.length > 0 &&
      ul(
        { class: 'chart-kinds', 'aria-hidden': 'true' },
        kinds.map(({ name, color, balances }) =>
          li({ key: color }, span({ class: `dot cat-${color}` }), `${name} ${inText(balances[at] ?? '0')}`),
        ),
      ),
    hasTable &&
      details(
        null,
        summary(null, w.as_table),
        tableFrame(
          title,
          figureTable(
            title,
            [w.month, label, ...kinds.map(({ name }) => name)],
            points.map(({ month, balance }, index) => [
              month,
              monthName(code, month),
              [balance, ...kinds.map(({ balances }) => balances[index] ?? '0')],
            ]),
          ),
        ),
      ),
  );
};
