// The frame of a table that may be wider than the page. It scrolls sideways, by keyboard too.
import { div } from '../dom.js';

/**
 * @param {string} name
 * @param {import('preact').ComponentChildren} table
 */
export const tableFrame = (name, table) =>
  div({ class: 'table-frame', role: 'group', tabIndex: 0, 'aria-label': name }, table);
