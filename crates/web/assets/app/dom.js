// Elements as typed functions, and signals that this device remembers.
import { h } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { effect, signal } from '@preact/signals';

/** @typedef {import('../../types/dom').Tags} Tags */

/** @template {keyof Tags} T @param {T} tag @returns {import('../../types/dom').ElementOf<T>} */
const element = tag =>
  /** @type {any} */ ((/** @type {any} */ props, /** @type {any[]} */ ...children) => h(tag, props, ...children));

export { h };
export const a = element('a'),
  article = element('article'),
  aside = element('aside'),
  button = element('button'),
  caption = element('caption'),
  datalist = element('datalist'),
  dd = element('dd'),
  details = element('details'),
  dialog = element('dialog'),
  div = element('div'),
  dl = element('dl'),
  dt = element('dt'),
  fieldset = element('fieldset'),
  footer = element('footer'),
  form = element('form'),
  h1 = element('h1'),
  h2 = element('h2'),
  h3 = element('h3'),
  header = element('header'),
  img = element('img'),
  input = element('input'),
  kbd = element('kbd'),
  label = element('label'),
  legend = element('legend'),
  li = element('li'),
  main = element('main'),
  meter = element('meter'),
  nav = element('nav'),
  ol = element('ol'),
  optgroup = element('optgroup'),
  option = element('option'),
  output = element('output'),
  p = element('p'),
  progress = element('progress'),
  section = element('section'),
  select = element('select'),
  small = element('small'),
  span = element('span'),
  strong = element('strong'),
  summary = element('summary'),
  table = element('table'),
  tbody = element('tbody'),
  td = element('td'),
  textarea = element('textarea'),
  tfoot = element('tfoot'),
  th = element('th'),
  thead = element('thead'),
  time = element('time'),
  tr = element('tr'),
  ul = element('ul'),
  code = element('code'),
  circle = element('circle'),
  g = element('g'),
  line = element('line'),
  path = element('path'),
  rect = element('rect'),
  svg = element('svg'),
  text = element('text');

/** Joins the class names that apply. @param {...(string | false | null | undefined)} names */
export const classes = (...names) => names.filter(Boolean).join(' ');

let counted = 0;
/** An id for an element that another element refers to. */
export const newId = () => `e${++counted}`;

/**
 * The ref of a row. If the row disappears while it has the focus, the heading of its section or of the page gets the
 * focus.
 * @returns {{ current: any }}
 */
export const useFocusKept = () => {
  const row = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    const element = row.current,
      heading = element?.closest('section')?.querySelector('h2');
    return () => {
      if (!element?.contains(document.activeElement)) return;
      queueMicrotask(() => {
        if (document.activeElement !== document.body) return;
        const heir = heading?.isConnected ? heading : document.querySelector('h1');
        if (heir) heir.tabIndex = -1;
        heir?.focus({ preventScroll: true });
      });
    };
  }, []);
  return row;
};

/** @param {() => Storage} storage @param {string} key @returns {unknown} */
export const stored = (storage, key) => {
  try {
    return JSON.parse(storage().getItem(`finance.${key}`) ?? 'null');
  } catch {
    return null;
  }
};

/**
 * Without storage (a private window, a full disk) the value lasts as long as the page.
 * @param {() => Storage} storage
 * @param {string} key
 * @param {unknown} value
 */
export const store = (storage, key, value) => {
  try {
    if (value === null) storage().removeItem(`finance.${key}`);
    else storage().setItem(`finance.${key}`, JSON.stringify(value));
  } catch {
    // Nothing to do: the signal holds the value.
  }
};

export const local = () => localStorage,
  untilClosed = () => sessionStorage;

/**
 * A signal that this device remembers.
 * @template {string | number | boolean | null} T @param {string} key @param {T} initial
 * @returns {import('@preact/signals').Signal<T>}
 */
export const remembered = (key, initial) => {
  const known = stored(local, key);
  const kept = signal(known === null ? initial : /** @type {T} */ (known));
  effect(() => store(local, key, kept.value));
  return kept;
};
