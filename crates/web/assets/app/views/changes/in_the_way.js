// What is in the way of an undo, and undoing that too, the newest first.
import { get, resource } from '../../api.js';
import { div, h, li, p, small, ul } from '../../dom.js';
import { accounts, categories } from '../../session.js';
import { words } from '../../words.js';
import { changeWords } from '../../words/changes.js';
import { authorOf, dayInFull, dayOf, titleOf } from './change.js';
import { open } from '../../parts/dialog.js';
import { Form } from '../../parts/field.js';
import { Loaded } from '../../parts/problem.js';
import { undoOf } from '../../parts/undo.js';

/** The most changes that are undone with one. */
const CHANGES_MAX = 100;

/** The changes in the way of a change, and those in their way, the newest first. @param {number} id @param {AbortSignal} signal */
const allInTheWay = async (id, signal) => {
  const read = (/** @type {number} */ one) =>
    get('/api/changes/{id}', { path: { id: one }, query: { limit: 1 }, signal });
  const found = /** @type {Map<number, Awaited<ReturnType<typeof read>>>} */ (new Map());
  let waiting = (await read(id)).blocked_by;
  while (waiting.length > 0 && found.size < CHANGES_MAX) {
    const one = Math.max(...waiting),
      details = await read(one);
    found.set(one, details);
    waiting = [...new Set([...waiting, ...details.blocked_by])].filter(other => !found.has(other));
  }
  return [...found.values()].sort((one, other) => other.id - one.id);
};

/** @param {{ of: ReturnType<typeof resource<Awaited<ReturnType<typeof allInTheWay>>>>, id: number, close: () => void, after: (isDone: boolean) => void }} props */
const InTheWay = ({ of, id, close, after }) =>
  Loaded({
    of,
    skeleton: div({ class: 'skeleton line' }),
    children: found => {
      const w = changeWords.value;
      return h(Form, {
        submit: w.undo_also(found.length),
        cancel: close,
        work: async () => {
          close();
          await undoOf(
            [id, ...found.map(change => change.id)].sort((one, other) => one - other),
            words.peek().app.undone,
            after,
          )();
        },
        children: () => [
          p({ key: 'text' }, w.in_the_way_text),
          ul(
            { key: 'changes', class: 'plain stack' },
            found.map(change =>
              li(
                { key: change.id },
                div(null, titleOf(change, found)),
                small({ class: 'quiet' }, `${authorOf(change)} · ${dayInFull(dayOf(change))}`),
              ),
            ),
          ),
        ],
      });
    },
  });

/**
 * Shows what is in the way of undoing a change, and offers to undo that too. `after` reads again what that may have changed.
 * @param {number} id @param {(isDone: boolean) => void} after
 */
export const openInTheWay = (id, after) => {
  categories.want();
  accounts.want();
  const of = resource(signal => allInTheWay(id, signal));
  void of.load();
  void open({ title: changeWords.peek().in_the_way }, close => h(InTheWay, { of, id, close, after }));
};
