// What a view has that shows all of something, and one of it where the address names one.
import { computed } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { a, button, classes, div, h, h1, h2, p, section, span } from '../dom.js';
import { bind, rowKeys } from '../keys.js';
import { place } from '../router.js';
import { canWrite } from '../session.js';
import { Amount } from './amount.js';
import { icon } from './icon.js';

/** @typedef {import('preact').ComponentChildren} Children */

/** The id that the address of a view names; while another view is on its way, the one it named. @param {string} path @param {string} name */
export const named = (path, name) => {
  let id = 0;
  return computed(() => (place.value.path === path ? (id = Number(place.value.query.get(name)) || 0) : id));
};

/** What is done to something; nothing for who only reads. @param {string} text @param {() => void} onClick @param {string} [extra] */
export const action = (text, onClick, extra = '') => canWrite.value && button({ class: `button ${extra}`, type: 'button', onClick }, text);

/** What deletes one of a list; nothing for who only reads. @param {string} said @param {() => void} onClick */
export const removal = (said, onClick) => canWrite.value && button({ class: 'icon-button', type: 'button', 'aria-label': said, title: said, onClick }, icon('trash'));

/** The heading, a way back to all before it, what can be done beside it. @param {{ title: string, back?: false | [href: string, name: string], children?: Children }} props */
export const Head = ({ title, back, children }) =>
  div({ class: 'view-head' },
    div({ class: 'account-name' }, back && a({ class: 'icon-button', href: back[0], 'aria-label': back[1] }, icon('left')), h1({ tabIndex: -1 }, title)),
    div({ class: 'row-actions' }, children));

/** One figure, what belongs to it, and others below. @param {{ title: string, value: bigint, isLate?: boolean, tiles?: Children[][], children?: Children }} props */
export const Hero = ({ title, value, isLate = false, tiles, children }) =>
  section({ class: 'hero card', 'aria-label': title },
    div({ class: 'hero-main' }, h2({ class: classes('quiet', isLate && 'late') }, title), p({ class: classes('hero-figure', value < 0n && 'short') }, h(Amount, { value }))),
    div({ class: 'hero-savings' }, children),
    tiles && div({ class: 'hero-tiles' }, tiles.map(([name, said], index) => div({ key: index, class: 'tile' }, span({ class: 'tile-label' }, name), said))));

/** What to do first. @param {{ title: string, text: string, children?: Children }} props */
export const Empty = ({ title, text, children }) =>
  section({ class: 'card empty' }, p({ class: 'empty-title' }, title), p({ class: 'quiet' }, text), div({ class: 'row-actions' }, children));

/**
 * The keys go by what has a `data-row`; `e` is told which is focused. One begins at its heading; back among all, the focus is
 * on its row.
 * @param {number} id The one that is looked at; 0 where all are. @param {(focused: number) => void} edit
 */
export const useRows = (id, edit) => {
  const before = useRef(id);
  useEffect(() => {
    const rows = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-row]')]);
    return bind(rowKeys({
      rows, at: () => rows().findIndex(one => one.contains(document.activeElement)), show: index => rows()[index]?.querySelector('a')?.focus(), open: one => edit(Number(one?.dataset.row)),
    }));
  }, []);
  useLayoutEffect(() => {
    if (id === before.current) return;
    const row = !id && document.querySelector(`[data-row="${before.current}"] a`);
    before.current = id;
    if (!row) scrollTo(0, 0);
    /** @type {HTMLElement | null} */ (row || document.querySelector('h1'))?.focus();
  }, [id]);
};
