// Six months of savings as bars with the goal as a line. Bars are HTML: their figures keep the reader's text size.
import { useSignal } from '@preact/signals';
import { a, classes, details, div, p, span, summary } from '../../dom.js';
import { monthAlone, monthName, monthShort } from '../../dates.js';
import { percentage } from '../../money.js';
import { withQuery } from '../../router.js';
import { language, words } from '../../words.js';
import { inText } from '../../parts/amount.js';
import { figureTable, tableFrame } from '../../parts/table.js';

/** @typedef {{ month: string, income: string, expenses: string, savings_pct: number | null }} Point */

/** A lower percentage is drawn as this one. */
const DRAWN_PERCENT_MIN = -60;
/** The scale reaches at least this percentage. */
const SCALE_PERCENT_MIN = 20;

/** The chart's message in one sentence. @param {Point} point @param {number} goal */
export const savingsTitle = (point, goal) => {
  const w = words.value.dashboard,
    month = monthAlone(language.value, point.month),
    pct = point.savings_pct;
  if (pct === null) return w.no_rate(month);
  if (pct < 0) return w.overspent(percentage(pct), month);
  const points = Math.round(Math.abs(pct - goal));
  return `${w.saved(percentage(pct), month)}, ${points === 0 ? w.on_goal : w.against_goal(w.points(String(points)), pct < goal)}`;
};

/** @param {{ points: Point[], goal: number, shown: string }} props */
export const SavingsChart = ({ points, goal, shown }) => {
  const w = words.value.dashboard,
    code = language.value;
  const looked = useSignal(/** @type {string | null} */ (null));
  const drawn = points.map(point => Math.max(DRAWN_PERCENT_MIN, Math.min(100, point.savings_pct ?? 0)));
  const top = Math.max(SCALE_PERCENT_MIN, goal, ...drawn) * 1.08,
    bottom = Math.min(0, ...drawn) * 1.15,
    height = top - bottom;
  const at = (/** @type {number} */ value) => `${((value - bottom) / height) * 100}%`;
  const named = points.find(point => point.month === (looked.value ?? shown)) ?? points[points.length - 1];
  const figures = (/** @type {Point} */ point) =>
    `${w.income} ${inText(point.income)} · ${w.expenses} ${inText(point.expenses)}`;
  return div(
    { class: 'chart' },
    div(
      { class: 'plot' },
      div(
        { class: 'lines', 'aria-hidden': 'true' },
        goal > 0 &&
          div({ class: 'goal', style: { bottom: at(goal) } }, span(null, `${w.goal_line} ${percentage(goal)}`)),
        div({ class: 'zero', style: { bottom: at(0) } }),
      ),
      points.map((point, index) => {
        const pct = point.savings_pct,
          value = drawn[index] ?? 0;
        const text = pct === null ? '–' : percentage(Math.round(pct));
        const enter = () => (looked.value = point.month),
          leave = () => (looked.value = null);
        return a(
          {
            key: point.month,
            class: classes(
              'column',
              point.month === shown && 'chosen',
              pct !== null && pct >= goal && 'reached',
              value < 0 && 'loss',
            ),
            href: withQuery({ month: point.month }),
            'aria-current': point.month === shown ? 'true' : undefined,
            onMouseEnter: enter,
            onMouseLeave: leave,
            onFocus: enter,
            onBlur: leave,
          },
          span(
            { class: 'unseen' },
            `${monthName(code, point.month)}: ${pct === null ? '–' : percentage(pct)}, ${figures(point)}`,
          ),
          span(
            { class: 'area', 'aria-hidden': 'true' },
            span({
              class: 'bar',
              style:
                value < 0
                  ? { top: `${100 - parseFloat(at(0))}%`, height: `${(-value / height) * 100}%` }
                  : { bottom: at(0), height: `${(value / height) * 100}%` },
            }),
            span({ class: 'bar-value', style: { bottom: at(Math.max(value, 0)) } }, text),
          ),
          span({ class: 'bar-month', 'aria-hidden': 'true' }, monthShort(code, point.month)),
        );
      }),
    ),
    named &&
      p({ class: 'chart-note', 'aria-hidden': 'true' }, span(null, monthName(code, named.month)), ' ', figures(named)),
    details(
      null,
      summary(null, w.as_table),
      tableFrame(
        w.evolution,
        figureTable(
          w.evolution,
          [w.month, w.income, w.expenses, w.savings],
          points.map(({ month, income, expenses, savings_pct }) => [
            month,
            monthName(code, month),
            [income, expenses, span(null, savings_pct === null ? '–' : percentage(savings_pct))],
          ]),
        ),
      ),
    ),
  );
};
