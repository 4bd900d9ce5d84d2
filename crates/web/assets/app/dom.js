// Elements as typed functions, and signals that this device remembers.
import { h } from 'preact';
import { effect, signal } from '@preact/signals';

/** @typedef {import('../../types/dom').Tags} Tags */

/** @template {keyof Tags} T @param {T} tag @returns {import('../../types/dom').ElementOf<T>} */
const element = tag =>
  /** @type {any} */ ((/** @type {any} */ props, /** @type {any[]} */ ...children) => h(tag, props, ...children));

export { h };
export const a = element('a');
export const aside = element('aside');
export const button = element('button');
export const caption = element('caption');
export const datalist = element('datalist');
export const dd = element('dd');
export const details = element('details');
export const dialog = element('dialog');
export const div = element('div');
export const dl = element('dl');
export const dt = element('dt');
export const fieldset = element('fieldset');
export const form = element('form');
export const h1 = element('h1');
export const h2 = element('h2');
export const h3 = element('h3');
export const header = element('header');
export const img = element('img');
export const input = element('input');
export const kbd = element('kbd');
export const label = element('label');
export const legend = element('legend');
export const li = element('li');
export const main = element('main');
export const meter = element('meter');
export const nav = element('nav');
export const ol = element('ol');
export const optgroup = element('optgroup');
export const option = element('option');
export const output = element('output');
export const p = element('p');
export const progress = element('progress');
export const section = element('section');
export const select = element('select');
export const small = element('small');
export const span = element('span');
export const strong = element('strong');
export const summary = element('summary');
export const table = element('table');
export const tbody = element('tbody');
export const td = element('td');
export const textarea = element('textarea');
export const tfoot = element('tfoot');
export const th = element('th');
export const thead = element('thead');
export const tr = element('tr');
export const ul = element('ul');
export const code = element('code');
export const g = element('g');
export const path = element('path');
export const rect = element('rect');
export const svg = element('svg');
export const text = element('text');

/** Joins the class names that apply. @param {...(string | false | null | undefined)} names */
export const classes = (...names) => names.filter(Boolean).join(' ');

/**
 * A button whose name also says what it is about, for those who do not see its row.
 * @param {string} text @param {string} about @param {() => void} onClick @param {string} [extra] @param {boolean} [isBusy]
 */
export const buttonAbout = (text, about, onClick, extra = '', isBusy = undefined) =>
  button(
    { class: `button ${extra}`, type: 'button', 'aria-disabled': isBusy, onClick },
    text,
    about && span({ class: 'unseen' }, ` ${about}`),
  );

let counted = 0;
/** An id for an element that another element refers to. */
export const newId = () => `e${++counted}`;

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

export const local = () => localStorage;
export const untilClosed = () => sessionStorage;

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
