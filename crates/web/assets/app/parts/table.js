// Tables of figures, and the frame of a table that may be wider than the page.
import { caption, div, h, table, tbody, td, tfoot, th, thead, tr } from '../dom.js';
import { Amount } from './amount.js';

/** @typedef {import('preact').ComponentChildren} Children */
/** @typedef {import('preact').VNode} VNode */
/**
 * A row: its key, its name, and its cells, of which a text or a number is an amount.
 * @typedef {readonly [string | number, Children, (string | bigint | VNode | VNode[])[]]} Row
 */

/**
 * A frame that scrolls sideways, by keyboard too.
 * @param {string} name
 * @param {Children} table
 */
export const tableFrame = (name, table) =>
  div({ class: 'table-frame', role: 'group', tabIndex: 0, 'aria-label': name }, table);

/** The name of a table for screen readers, and its columns, of which the first has the names. @param {string} title @param {string[]} columns */
export const tableHead = (title, columns) => [
  caption({ class: 'unseen' }, title),
  thead(
    null,
    tr(
      null,
      columns.map((text, at) => th({ key: at, scope: 'col', class: at ? 'figure' : '' }, text)),
    ),
  ),
];

/** @param {string[]} columns @returns {(row: Row) => VNode} */
const rowOf =
  columns =>
  ([key, name, cells]) =>
    tr(
      { key },
      th({ scope: 'row' }, name),
      cells.map((cell, at) =>
        td(
          { key: at, class: 'figure', 'data-label': columns.length > 2 ? columns[at + 1] : undefined },
          typeof cell === 'object' ? cell : h(Amount, { value: cell }),
        ),
      ),
    );

/**
 * A table of figures with its totals. On a phone a row has its figures below each other, unless its class says otherwise.
 * @param {string} title
 * @param {string[]} columns
 * @param {Row[]} rows
 * @param {Row[]} [totals]
 * @param {{ class?: string, key?: string, ref?: (table: HTMLElement | null) => void }} [attributes]
 */
export const figureTable = (title, columns, rows, totals = [], attributes = { class: 'ranked' }) =>
  table(
    attributes,
    tableHead(title, columns),
    tbody(null, rows.map(rowOf(columns))),
    totals.length > 0 && tfoot(null, totals.map(rowOf(columns))),
  );
