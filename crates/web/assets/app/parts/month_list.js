// A list of the selected month: its heading, a button that adds an item, and rows with keyboard navigation.
import { effect, untracked } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { resource } from '../api.js';
import { button, classes, div, h, h1, th, thead, tr } from '../dom.js';
import { bind, rowKeys } from '../keys.js';
import { canWrite, changed, month } from '../session.js';
import { CopyButton } from './copy_table.js';
import { icon } from './icon.js';
import { ghost, Loaded } from './problem.js';
import { focusedRow, Rows } from './rows.js';

/**
 * Data read for the selected month, with that month.
 * @template T
 * @param {(month: string, signal: AbortSignal) => Promise<T>} read
 */
export const ofMonth = read => {
  const made = resource(async signal => {
    const of = month.peek();
    return { month: of, rows: await read(of, signal) };
  });
  // If a month cannot be read, the previous one is not shown in its place.
  effect(() => {
    if (made.error.value && made.data.peek()?.month !== month.peek()) made.data.value = null;
  });
  return made;
};

/**
 * `rows` are items, and texts above groups of items; without any, `empty` is shown. `columns` are the headings of the
 * cells that `cells` makes of an item.
 * @template {{ id: string | number }} Item
 * @param {{
 *   of: ReturnType<typeof ofMonth<any>>, title: string, addText: string, edit: (item: Item | null) => void, class:
 * string, columns: string[], rows: (Item | string)[], cells: (item: Item) => import('preact').ComponentChildren,
 *   table: () => import('./copy_table.js').Cell[][], summary?: import('preact').ComponentChildren, empty?:
 * import('preact').ComponentChildren, control?: { current: import('./rows.js').Control | null },
 * }} props
 */
export const MonthList = ({
  of,
  title,
  addText,
  edit,
  class: name,
  columns,
  rows,
  cells,
  table,
  summary,
  empty,
  control,
}) => {
  const own = useRef(/** @type {import('./rows.js').Control | null} */ (null)),
    latest = useRef(rows),
    drawn = control ?? own;
  latest.current = rows;
  useEffect(() => {
    const stops = [
      effect(() => {
        void month.value;
        void changed.value;
        untracked(() => void of.load());
      }),
      bind(
        rowKeys({
          rows: () => latest.current,
          at: focusedRow,
          first: () => drawn.current?.first() ?? 0,
          isRow: one => typeof one !== 'string',
          show: index => drawn.current?.show(index),
          open: one => one && edit(/** @type {Item} */ (one)),
        }),
      ),
    ];
    return () => stops.forEach(stop => stop());
  }, []);
  const isEmpty = of.data.value !== null && rows.length === 0;
  return div(
    { class: 'page' },
    div(
      { class: 'view-head' },
      h1({ tabIndex: -1 }, title),
      !isEmpty &&
        div(
          { class: 'row-actions' },
          h(CopyButton, { rows: table }),
          canWrite.value &&
            button({ class: 'button', type: 'button', onClick: () => edit(null) }, icon('plus'), addText),
        ),
    ),
    // With the rows, which it would move if it came before or after them.
    of.data.value !== null && !isEmpty && summary,
    Loaded({
      of,
      skeleton: ghost(6),
      children: known =>
        isEmpty
          ? empty
          : div(
              { class: classes('card list-card', known.month !== month.value && 'other') },
              h(/** @type {typeof Rows<Item | string>} */ (Rows), {
                rows,
                label: title,
                keyOf: one => (typeof one === 'string' ? one : one.id),
                kindOf: one => typeof one,
                class: `entries ${name}`,
                control: drawn,
                head: thead(
                  { role: 'rowgroup', class: 'unseen' },
                  tr(
                    { role: 'row', 'aria-rowindex': 1 },
                    columns.map(text => th({ key: text, role: 'columnheader', scope: 'col' }, text)),
                  ),
                ),
                row: (one, attributes) =>
                  typeof one === 'string'
                    ? tr(
                        { ...attributes, class: 'day-row' },
                        th({ role: 'rowheader', scope: 'rowgroup', colSpan: columns.length, class: 'day' }, one),
                      )
                    : tr(
                        {
                          ...attributes,
                          class: 'entry-row',
                          tabIndex: -1,
                          onKeyDown: event => {
                            if (event.key !== 'Enter' || event.target !== event.currentTarget) return;
                            // Otherwise the key would submit the form that has the focus by then.
                            event.preventDefault();
                            edit(one);
                          },
                        },
                        cells(one),
                      ),
              }),
            ),
    }),
  );
};
