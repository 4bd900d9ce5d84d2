// A long table that renders only the rows near the window. It scrolls with the page, and rows may differ in height:
// each is measured once it is rendered, and the visible rows stay in place.
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { div, table, tbody } from '../dom.js';

/** The height rendered beyond both edges of the window. */
const SPARE_PIXELS = 480;
/** The rows are rendered again once less than this is left beyond an edge. */
const SPARE_PIXELS_MIN = 160;
/** The height of a row before any was measured. */
const ROW_PIXELS = 48;
/** The height that the frame's bar and a sticky table head cover at the top of the window. */
const TOP_PIXELS = 110;
/** The number of rows rendered before the window's size is known. */
const FIRST_ROWS = 24;

/** @typedef {string | number} Key */
/** The attributes of a row's `tr`. @typedef {{ key: Key, role: 'row', 'aria-rowindex': number }} RowAttributes */
/**
 * `show` scrolls to a row, rendered or not, and focuses it or the element that a selector finds in it. Its `tr` needs
 * `tabIndex: -1`.
 * `first` is the first visible row.
 * @typedef {{ show: (index: number, what?: string) => void, first: () => number }} Control
 */

/**
 * The index of the last offset that is at most `place`.
 * @param {Float64Array} offsets @param {number} place
 */
const indexAt = (offsets, place) => {
  let low = 0,
    high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (/** @type {number} */ (offsets[middle]) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
};

/**
 * `row` makes exactly one `tr` with the attributes it gets. `kindOf` distinguishes rows of different usual heights.
 * `total` is
 * the number of rows, `null` if unknown. `near` is called when the last rows are about to become visible.
 * @template Row
 * @param {{
 *   rows: Row[], keyOf: (row: Row) => Key, kindOf?: (row: Row) => string, row: (row: Row, attributes: RowAttributes,
 * index: number) => import('preact').VNode,
 *   label: string, head: import('preact').VNode, total?: number | null, control?: { current: Control | null }, near?:
 * () => void, class?: string,
 * }} props
 */
export const Rows = ({
  rows,
  keyOf,
  kindOf = () => '',
  row,
  label,
  head,
  total = rows.length,
  control,
  near,
  class: extra = '',
}) => {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const heights = useRef(/** @type {Map<Key, number>} */ (new Map())),
    usual = useRef(/** @type {Map<string, number>} */ (new Map()));
  const range = useSignal({ from: 0, to: FIRST_ROWS }),
    measured = useSignal(0);
  const width = useRef(0),
    isPrinted = useRef(false),
    wanted = useRef(/** @type {{ index: number, what: string | undefined } | null} */ (null));

  const known = measured.value;
  /** @param {Row} one */
  const heightOf = one => heights.current.get(keyOf(one)) ?? usual.current.get(kindOf(one)) ?? ROW_PIXELS;
  const offsets = useMemo(() => {
    const found = new Float64Array(rows.length + 1);
    rows.forEach((one, index) => (found[index + 1] = /** @type {number} */ (found[index]) + heightOf(one)));
    return found;
  }, [rows, known]);

  const from = Math.min(range.value.from, rows.length),
    to = Math.min(range.value.to, rows.length);
  const at = (/** @type {number} */ index) => /** @type {number} */ (offsets[Math.min(index, rows.length)]);
  /** The distance of the list's first row above the window's edge. */
  const above = () => {
    const element = place.current;
    if (!element) return 0;
    return (
      -element.getBoundingClientRect().top - /** @type {HTMLElement} */ (element.querySelector('thead')).offsetHeight
    );
  };

  const update = () => {
    if (!place.current || isPrinted.current) return;
    const top = above(),
      bottom = top + innerHeight;
    const isCovered =
      (from === 0 || at(from) <= top - SPARE_PIXELS_MIN) && (to === rows.length || at(to) >= bottom + SPARE_PIXELS_MIN);
    // A range that is far too large shrinks too, after a jump or if the window became smaller.
    const isTight = at(to) - at(from) <= innerHeight + 4 * SPARE_PIXELS;
    if (!isCovered || !isTight)
      range.value = {
        from: indexAt(offsets, top - SPARE_PIXELS),
        to: Math.min(rows.length, indexAt(offsets, bottom + SPARE_PIXELS) + 1),
      };
    if (near && at(rows.length) - bottom < 2 * innerHeight) near();
  };

  const measure = () => {
    const element = place.current,
      body = element?.querySelector('tbody');
    if (!element || !body) return;
    let isChanged = false,
      isLearnt = false,
      shift = 0;
    if (element.clientWidth !== width.current) {
      width.current = element.clientWidth;
      heights.current.clear();
      usual.current.clear();
      isChanged = isLearnt = true;
    }
    const top = above();
    [...body.children].forEach((child, index) => {
      const one = rows[from + index];
      if (one === undefined) return;
      const key = keyOf(one),
        kind = kindOf(one),
        height = child.getBoundingClientRect().height;
      if (!usual.current.has(kind)) {
        usual.current.set(kind, height);
        isLearnt = true;
      }
      if (heights.current.get(key) === height) return;
      heights.current.set(key, height);
      isChanged = true;
      if (at(from + index + 1) <= top) shift += height - (at(from + index + 1) - at(from + index));
    });
    if (!isChanged && !isLearnt) return;
    // The estimated heights of rows above that were never rendered have changed.
    if (isLearnt) shift += rows.slice(0, from).reduce((total, one) => total + heightOf(one), 0) - at(from);
    measured.value++;
    if (top > 0 && Math.abs(shift) >= 1) scrollBy(0, shift);
  };

  // Listeners call the functions of the last render.
  const print = (/** @type {boolean} */ isOn) => {
    isPrinted.current = isOn;
    range.value = isOn ? { from: 0, to: rows.length } : { from: 0, to: FIRST_ROWS };
  };
  const latest = useRef({ update, measure, print });
  latest.current = { update, measure, print };
  useLayoutEffect(() => {
    measure();
    update();
    const next = wanted.current;
    if (next === null || next.index < from || next.index >= to) return;
    wanted.current = null;
    reach(next.index, next.what);
  });
  useEffect(() => {
    const scrolled = () => latest.current.update();
    // On paper all rows are visible.
    const begin = () => latest.current.print(true),
      end = () => latest.current.print(false);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    addEventListener('scroll', scrolled, { passive: true });
    addEventListener('resize', scrolled, { passive: true });
    const observer = new ResizeObserver(() => latest.current.measure());
    if (place.current?.firstElementChild) observer.observe(place.current.firstElementChild);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
      removeEventListener('scroll', scrolled);
      removeEventListener('resize', scrolled);
      observer.disconnect();
    };
  }, []);

  /** @param {number} index @param {string} [what] */
  const reach = (index, what) => {
    const element = /** @type {HTMLElement | undefined} */ (
      place.current?.querySelector('tbody')?.children[index - from]
    );
    /** @type {HTMLElement | null | undefined} */ ((what && element?.querySelector(what)) || element)?.focus({
      preventScroll: true,
    });
    element?.scrollIntoView({ block: 'nearest' });
  };
  if (control) {
    control.current = {
      first: () => indexAt(offsets, above() + TOP_PIXELS),
      show: (index, what) => {
        if (index < 0 || index >= rows.length) return;
        if (index >= from && index < to) return reach(index, what);
        wanted.current = { index, what };
        scrollBy(0, at(index) - above() - innerHeight / 3);
        update();
      },
    };
  }

  return div(
    {
      class: `row-window ${extra}`,
      ref: place,
      style: { paddingTop: `${at(from)}px`, paddingBottom: `${at(rows.length) - at(to)}px` },
    },
    table(
      { role: 'table', 'aria-label': label, 'aria-rowcount': total === null ? -1 : total + 1 },
      head,
      tbody(
        { role: 'rowgroup' },
        rows
          .slice(from, to)
          .map((one, index) =>
            row(one, { key: keyOf(one), role: 'row', 'aria-rowindex': from + index + 2 }, from + index),
          ),
      ),
    ),
  );
};

/**
 * The index of the row that has the focus, or a negative number. The head, the first row of the table, is not counted.
 */
export const focusedRow = () =>
  Number(document.activeElement?.closest('.row-window tr')?.getAttribute('aria-rowindex') ?? 1) - 2;
