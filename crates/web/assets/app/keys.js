// Keyboard shortcuts: ignored while the user types, with a modifier, or if they are switched off.
import { remembered } from './dom.js';
import { go, inMonth } from './router.js';
import { views } from './views.js';

/** Whether letters are shortcuts on this device. Speech input and similar tools may press them by accident. */
export const letters = remembered('letters', /** @type {boolean} */ (true));

/** How long `g` waits for its letter. */
const CHORD_MILLISECONDS = 1200;

/** The shortcuts of the current view. @type {Map<string, (event: KeyboardEvent) => void>} */
const bound = new Map();

/** Binds keys. Returns a function that removes them. @param {Record<string, (event: KeyboardEvent) => void>} keys */
export const bind = keys => {
  for (const [key, action] of Object.entries(keys)) bound.set(key, action);
  return () => {
    for (const [key, action] of Object.entries(keys)) if (bound.get(key) === action) bound.delete(key);
  };
};

/**
 * Keys of a list. `j` and `k` move between the rows for which `isRow` holds, starting at the row `at`, or at `first` if
 * there is none. `e` opens the row at `at`, and calls `open` with undefined if there is none.
 * @template Row
 * @param {{ rows: () => Row[], at: () => number, first?: () => number, isRow?: (row: Row) => boolean, show: (index: number) => void, open: (row: Row | undefined) => void }} list
 */
export const rowKeys = ({ rows, at, first = () => 0, isRow = () => true, show, open }) => {
  /** @param {1 | -1} by */
  const step = by => {
    const all = rows(),
      from = at();
    let index = from < 0 ? first() : from + by;
    for (let one = all[index]; one !== undefined && !isRow(one); one = all[index]) index += by;
    if (all[index] !== undefined) show(index);
  };
  return {
    j: () => step(1),
    k: () => step(-1),
    e: () => {
      const one = rows()[at()];
      open(one !== undefined && isRow(one) ? one : undefined);
    },
  };
};

/** @param {EventTarget | null} target */
const isTyping = target =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));

let chordUntil = 0;
addEventListener('keydown', event => {
  if (!letters.value || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing)
    return;
  const isBox = event.target instanceof HTMLInputElement && event.target.type === 'checkbox';
  if ((isTyping(event.target) && !isBox) || document.querySelector('dialog[open]')) return;
  if (Date.now() < chordUntil) {
    chordUntil = 0;
    const view = views.find(({ key }) => key === event.key);
    if (view) {
      event.preventDefault();
      go(inMonth(view.path));
    }
    return;
  }
  if (event.key === 'g') {
    chordUntil = Date.now() + CHORD_MILLISECONDS;
    return;
  }
  const action = bound.get(event.key);
  if (action) {
    event.preventDefault();
    action(event);
  }
});
