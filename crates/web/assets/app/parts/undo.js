// Undoes writes on the service, and offers to do them again.
import { post } from '../api.js';
import { words } from '../words.js';
import { message } from './problem.js';
import { toast } from './toast.js';

/**
 * Undoes changes, the last one first. Returns the changes that this made; null if one is refused.
 * @param {number[]} ids @param {() => void} after
 */
const revert = async (ids, after) => {
  /** @type {number[] | null} */
  let made = [];
  try {
    for (const id of ids.toReversed()) made.push((await post('/api/changes/{id}/undo', { path: { id } })).change_id);
  } catch (error) {
    toast(message(error), { isProblem: true });
    made = null;
  }
  after();
  return made;
};

/**
 * What a toast does to undo changes. `after` reads again what they may have changed.
 * @param {number[]} ids @param {string} told @param {() => void} after
 * @returns {() => Promise<void>}
 */
export const undoOf = (ids, told, after) => async () => {
  const undone = await revert(ids, after);
  if (!undone) return;
  const redo = async () => {
    const again = await revert(undone, after);
    if (again) toast(words.peek().app.redone, { undo: undoOf(again, told, after) });
  };
  toast(told, { also: [words.peek().app.redo, () => void redo()] });
};
