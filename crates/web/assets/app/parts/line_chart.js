// Amounts at each month's end as a line. Each month is a link, and tells its figure on hover and focus.
import { useSignal } from '@preact/signals';
import { a, caption, classes, details, div, h, p, path, span, summary, svg, table, tbody, td, th, thead, tr } from '../dom.js';
import { monthName, monthShort } from '../dates.js';
import { cents } from '../money.js';
import { language, words } from '../words.js';
import { Amount, said, signedSum } from './amount.js';

/** `label` says what an amount is, `href` where a month leads. @param {{ points: { month: string, balance: string }[], title: string, label: string, href: (month: string) => string }} props */
export const LineChart = ({ points, title, label, href }) => {
  const w = words.value.dashboard, code = language.value, count = points.length, looked = useSignal(count - 1);
  const values = points.map(point => cents(point.balance)), at = Math.min(looked.value, count - 1), value = values[at] ?? 0n, before = values[at - 1];
  // For the drawing only: what is said stays exact.
  const drawn = values.map(Number), bottom = Math.min(0, ...drawn), height = Math.max(0, ...drawn) - bottom || 1;
  /** @param {number} amount */
  const up = amount => ((amount - bottom) * 100) / height;
  const line = drawn.map((amount, index) => `L${((index + 0.5) * 100) / count} ${100 - up(amount)}`).join('');
  return div({ class: 'chart' },
    div({ class: 'plot', style: { gridTemplateColumns: `repeat(${count}, 1fr)`, columnGap: 0, paddingRight: 0 } },
      div({ class: 'lines', 'aria-hidden': 'true' },
        svg({ viewBox: '0 0 100 100', preserveAspectRatio: 'none' }, path({ class: 'under', d: `M${50 / count} ${100 - up(0)}${line}V${100 - up(0)}` }), path({ d: line.replace('L', 'M') })),
        div({ class: 'zero', style: { bottom: `${up(0)}%` } })),
      points.map(({ month, balance }, index) => {
        const look = () => (looked.value = index), leave = () => (looked.value = count - 1);
        return a({ key: month, class: classes('column', index === at && 'chosen'), href: href(month), onMouseEnter: look, onMouseLeave: leave, onFocus: look, onBlur: leave },
          span({ class: 'unseen' }, `${monthName(code, month)}: ${said(balance)}`),
          span({ class: 'area', 'aria-hidden': 'true' }, index === at && span({ class: 'dot', style: { bottom: `${up(Number(value))}%` } })),
          // There is room for every other name.
          span({ class: 'bar-month', 'aria-hidden': 'true' }, (count - index) % 2 === 1 && monthShort(code, month)));
      })),
    p({ class: 'chart-note', 'aria-hidden': 'true' }, span(null, monthName(code, points[at]?.month ?? '')), ' ', said(value), before !== undefined && ` (${signedSum(value - before)})`),
    details(null, summary(null, w.as_table),
      div({ class: 'table-frame' }, table(null, caption({ class: 'unseen' }, title),
        thead(null, tr(null, th({ scope: 'col' }, w.month), th({ scope: 'col', class: 'figure' }, label))),
        tbody(null, points.map(({ month, balance }) => tr({ key: month }, th({ scope: 'row' }, monthName(code, month)), td(null, h(Amount, { value: balance })))))))));
};
