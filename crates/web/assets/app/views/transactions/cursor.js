// The row that the keys act on, the selected rows, and bringing a row into sight.
import { computed, signal } from '@preact/signals';
import { wide } from '../../parts/wide.js';
import { items, marked } from '../../transactions.js';

/** The row that the keys act on. */
export const current = signal(/** @type {number | null} */ (null));
/** @type {{ current: import('../../parts/rows.js').Control | null }} */
export const drawn = { current: null };

/** Scrolls to a row and makes it the current one. @param {number} index */
export const show = index => {
  const item = items.peek()[index];
  if (item?.kind !== 'row') return;
  current.value = item.key;
  drawn.current?.show(index);
};

/** Wide enough for the actions of a row and boxes. On narrower screens they come on request. */
export const hasActions = wide('(min-width: 600px)');
/** Whether the user asked for boxes on a narrow screen. */
export const isSelecting = signal(false);
/** Whether rows have boxes. */
export const hasBoxes = computed(() => hasActions.value || isSelecting.value || marked.value.size > 0);

export const currentIndex = () => items.peek().findIndex(item => item.key === current.peek());

/** @param {Iterable<number>} keys @param {boolean} isOn */
export const mark = (keys, isOn) => {
  const next = new Set(marked.peek());
  for (const key of keys) isOn ? next.add(key) : next.delete(key);
  marked.value = next;
};

/** The row that was selected last. Selecting another one with Shift selects all between them. */
let anchor = /** @type {number | null} */ (null);
/** @param {number} key @param {boolean} isRange */
export const toggle = (key, isRange) => {
  const isOn = !marked.peek().has(key),
    rows = items.peek();
  const from = rows.findIndex(item => item.key === anchor),
    to = rows.findIndex(item => item.key === key);
  const between = isRange && from >= 0 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [];
  mark([key, ...between.flatMap(item => (item.kind === 'row' ? [item.key] : []))], isOn);
  anchor = key;
};
