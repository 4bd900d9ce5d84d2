// Undoes writes on the service, and offers to do them again.
import { post, Problem } from '../api.js';
import { reread } from '../session.js';
import { words } from '../words.js';
import { failed, toast } from './toast.js';

/**
 * Undoes changes, the last one first. Returns the changes that this made; null if one is refused. What is in the way of
 * one is shown.
 * @param {number[]} ids @param {(isDone: boolean) => void} after
 */
const revert = async (ids, after) => {
  /** @type {number[] | null} */
  let made = [];
  for (const id of ids.toReversed()) {
    try {
      made.push((await post('/api/changes/{id}/undo', { path: { id } })).change_id);
    } catch (error) {
      if (error instanceof Problem && error.code === 'ErrChangedSince')
        void import('../views/changes/in_the_way.js').then(({ openInTheWay }) => openInTheWay(id, after));
      else failed(error);
      made = null;
      break;
    }
  }
  after(made !== null);
  return made;
};

/**
 * What a toast does to undo changes. `after` reads again what they may have changed.
 * @param {number[]} ids @param {string} text @param {(isDone: boolean) => void} after
 * @returns {() => Promise<void>}
 */
export const undoOf = (ids, text, after) => {
  const { pathname } = location;
  // The toast outlives the view, so another one may show what is undone.
  /** @param {boolean} isDone */
  const show = isDone => {
    after(isDone);
    if (location.pathname !== pathname) reread();
  };
  return async () => {
    const undone = await revert(ids, show);
    if (!undone) return;
    const redo = async () => {
      const again = await revert(undone, show);
      if (again) toast(words.peek().app.redone, { undo: undoOf(again, text, after) });
    };
    toast(text, { also: [words.peek().app.redo, () => void redo()] });
  };
};

/** The changes of a write, and what a toast offers about them. @typedef {ReturnType<typeof recording>} Recording */

/**
 * Collects the changes of a write: `changed` goes with each call, and `offer` is what a toast then offers, which is nothing
 * where nothing changed. `after` of it reads again what an undo may have changed.
 */
export const recording = () => {
  const ids = /** @type {number[]} */ ([]);
  return {
    changed: (/** @type {number} */ id) => void ids.push(id),
    isEmpty: () => ids.length === 0,
    /** @param {(isDone: boolean) => void} after @param {string} [text] @returns {{ undo?: () => Promise<void> }} */
    offer: (after, text = words.peek().app.undone) => (ids.length > 0 ? { undo: undoOf(ids, text, after) } : {}),
  };
};
