// Spending beside its budget: bars on one common scale, a mark at the budget, and the same in words.
import { a, classes, div, h, span } from '../dom.js';
import { cents, percent, percentage } from '../money.js';
import { categoryById } from '../session.js';
import { words } from '../words.js';
import { Amount, inText } from './amount.js';

/** The number of colours of categories that have none of their own, by id in turn. */
const CATEGORY_COLORS = 12;

/** The class of a category's own colour, the same wherever it is shown. @param {number | null} id */
export const categoryColor = id => {
  if (id === null) return 'cat-none';
  const color = categoryById.value.get(id)?.color;
  return color ? `color-${color}` : `cat-${id % CATEGORY_COLORS}`;
};

/** @param {bigint} part @param {bigint} whole */
const share = (part, whole) =>
  `${part <= 0n || whole === 0n ? 0 : Math.min(100, Number((part * 10000n) / whole) / 100)}%`;

/**
 * @param {{ id: number | null, name: string, total: string | bigint, budget: string | bigint | null, scale: bigint, href: string, tag?: string }} props
 */
export const BudgetBar = ({ id, name, total, budget, scale, href, tag }) => {
  const w = words.value.dashboard;
  const spent = typeof total === 'bigint' ? total : cents(total),
    planned = budget === null ? null : typeof budget === 'bigint' ? budget : cents(budget);
  const isOver = planned !== null && spent > planned;
  const note =
    planned === null
      ? null
      : isOver || spent === planned
        ? planned <= 0n
          ? null
          : w.over(percentage(percent(spent, planned)), inText(planned))
        : w.within(inText(planned - spent), inText(planned));
  return a(
    { class: classes('budget', categoryColor(id), isOver && 'over'), href, title: w.rows_of(name) },
    span({ class: 'budget-name' }, span({ class: 'dot' }), name),
    h(Amount, { value: total }),
    div(
      { class: 'track', 'aria-hidden': 'true' },
      div({ class: 'fill', style: { width: share(spent, scale) } }),
      planned !== null && planned > 0n && div({ class: 'mark', style: { left: share(planned, scale) } }),
    ),
    (note ?? tag) && span({ class: classes('budget-note', isOver && 'late') }, [tag, note].filter(Boolean).join(' · ')),
  );
};
