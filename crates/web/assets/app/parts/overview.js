// The common parts of views that show a list, or one item if the address names it.
import { computed } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { a, button, classes, div, h, h1, h2, p, section, span } from '../dom.js';
import { bind, rowKeys } from '../keys.js';
import { place } from '../router.js';
import { canWrite } from '../session.js';
import { Amount } from './amount.js';
import { icon } from './icon.js';

/** @typedef {import('preact').ComponentChildren} Children */

/**
 * The id in the address of a view. While another view loads, it keeps its last value.
 * @param {string} path
 * @param {string} name
 */
export const named = (path, name) => {
  let id = 0;
  return computed(() => (place.value.path === path ? (id = Number(place.value.query.get(name)) || 0) : id));
};

/**
 * A button with an action; none for a read-only member.
 * @param {string} text
 * @param {() => void} onClick
 * @param {string} [extra]
 */
export const action = (text, onClick, extra = '') =>
  canWrite.value && button({ class: `button ${extra}`, type: 'button', onClick }, text);

/**
 * A button that deletes an item of a list; none for a read-only member.
 * @param {string} text
 * @param {() => void} onClick
 */
export const removal = (text, onClick) =>
  canWrite.value &&
  button({ class: 'icon-button', type: 'button', 'aria-label': text, title: text, onClick }, icon('trash'));

/**
 * The heading, with a link back to the list before it and the actions beside it.
 * @param {{ title: string, back?: false | [href: string, name: string], children?: Children }} props
 */
export const Head = ({ title, back, children }) =>
  div(
    { class: 'view-head' },
    div(
      { class: 'account-name' },
      back && a({ class: 'icon-button', href: back[0], 'aria-label': back[1] }, icon('left')),
      h1({ tabIndex: -1 }, title),
    ),
    div({ class: 'row-actions' }, children),
  );

/**
 * One figure with its details, and other figures below.
 * @param {{ title: string, value: bigint, isLate?: boolean, tiles?: Children[][], children?: Children }} props
 */
export const Hero = ({ title, value, isLate = false, tiles, children }) =>
  section(
    { class: 'hero card', 'aria-label': title },
    div(
      { class: 'hero-main' },
      h2({ class: classes('quiet', isLate && 'late') }, title),
      p({ class: classes('hero-figure', value < 0n && 'short') }, h(Amount, { value })),
    ),
    div({ class: 'hero-savings' }, children),
    tiles &&
      div(
        { class: 'hero-tiles' },
        tiles.map(([name, content], index) =>
          div({ key: index, class: 'tile' }, span({ class: 'tile-label' }, name), content),
        ),
      ),
  );

/** A hint for an empty list. @param {{ title: string, text: string, children?: Children }} props */
export const Empty = ({ title, text, children }) =>
  section(
    { class: 'card empty' },
    p({ class: 'empty-title' }, title),
    p({ class: 'quiet' }, text),
    div({ class: 'row-actions' }, children),
  );

/**
 * The keys move between the elements with `data-row`; `edit` gets the focused one. A single item starts with the focus
 * on its
 * heading; back in the list, the focus is on its row.
 * @param {number} id The item that is shown; 0 for the list. @param {(focused: number) => void} edit
 */
export const useRows = (id, edit) => {
  const before = useRef(id);
  useEffect(() => {
    const rows = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-row]')]);
    return bind(
      rowKeys({
        rows,
        at: () => rows().findIndex(one => one.contains(document.activeElement)),
        show: index => rows()[index]?.querySelector('a')?.focus(),
        open: one => edit(Number(one?.dataset.row)),
      }),
    );
  }, []);
  useLayoutEffect(() => {
    if (id === before.current) return;
    const row = !id && document.querySelector(`[data-row="${before.current}"] a`);
    before.current = id;
    if (!row) scrollTo(0, 0);
    /** @type {HTMLElement | null} */ (row || document.querySelector('h1'))?.focus();
  }, [id]);
};
