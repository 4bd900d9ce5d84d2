// Card statements that are held until their payment date.
import { get, resource } from '../../api.js';
import { h, h2, p, section, ul } from '../../dom.js';
import { HeldStatement } from '../cards/held_statement.js';
import { ProblemNote } from '../../parts/problem.js';
import { importWords } from '../../words/imports.js';

export const held = resource(signal => get('/api/pending-bills', { signal }));

/**
 * Shows nothing if there are none. `account_id` limits them to one card.
 * @param {{ account_id?: number, after: () => void }} props
 */
export const Held = ({ account_id, after }) => {
  const w = importWords.value.held,
    all = held.data.value,
    error = held.error.value;
  const rows = all?.filter(one => account_id === undefined || one.account_id === account_id) ?? null;
  held.want();
  if (error && rows === null)
    return section(
      { class: 'card', 'aria-labelledby': 'held' },
      h2({ id: 'held' }, w.title),
      h(ProblemNote, { error, retry: held.load }),
    );
  if (!rows?.length) return null;
  return section(
    { class: 'card', 'aria-labelledby': 'held' },
    h2({ id: 'held' }, w.title),
    p({ class: 'quiet' }, w.text),
    ul(
      { class: 'rows' },
      rows.map(one =>
        h(HeldStatement, {
          key: one.id,
          held: one,
          leave: () => held.set((all ?? []).filter(known => known !== one)),
          after,
        }),
      ),
    ),
  );
};
