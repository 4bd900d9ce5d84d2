// Stored rows that may be transfers between own accounts. They are linked only on request.
import { signal } from '@preact/signals';
import { getPage, post, resource } from '../../api.js';
import { button, h, h2, p, section, span, ul } from '../../dom.js';
import { nameOf as rowName } from '../../parts/amount.js';
import { importWords } from '../../words/imports.js';
import { detected } from './detected.js';
import { Pair } from './pair.js';

/** @typedef {import('../../../../types/client').Schemas['TransferSuggestion']} Suggestion */

/** Suggestions shown at once. */
const SHOWN = 10;

export const suggestions = resource(signal =>
  getPage('/api/transfers/suggestions', { query: { limit: SHOWN }, signal }),
);
const busy = signal(/** @type {string | null} */ (null));

/** @param {Suggestion} row */
const nameOf = row => `${row.from.id} ${row.to?.id ?? row.bill_id}`;

/** @param {Suggestion} row @param {() => Promise<void>} work @param {() => void} after */
const act = async (row, work, after) => {
  if (busy.value !== null) return;
  busy.value = nameOf(row);
  try {
    await work();
  } catch (error) {
    (await import('../../parts/toast.js')).failed(error);
  }
  busy.value = null;
  void suggestions.load();
  after();
};

/** A toast with an undo, loaded when something is done. */
const telling = async () => {
  const [{ toast }, { recording }] = await Promise.all([import('../../parts/toast.js'), import('../../parts/undo.js')]);
  return { toast, ...recording() };
};

/** @param {() => void} after */
const reread = after => () => {
  void suggestions.load();
  after();
};

/** @param {Suggestion} row @param {() => void} after */
const link = (row, after) =>
  act(
    row,
    async () => {
      const w = importWords.value.suggestions,
        { toast, changed, offer } = await telling();
      await post('/api/transfers/link', {
        body: row.to ? { from_id: row.from.id, to_id: row.to.id } : { from_id: row.from.id, bill_id: row.bill_id },
        changed,
      });
      toast(w.linked, offer(reread(after)));
    },
    after,
  );

/** @param {Suggestion} row @param {() => void} after */
const refuse = (row, after) =>
  act(
    row,
    async () => {
      if (!row.to) return;
      const { toast, changed, offer } = await telling();
      await post('/api/transfers/reject', { body: { from_id: row.from.id, to_id: row.to.id }, changed });
      toast(importWords.value.suggestions.refused, offer(reread(after)));
    },
    after,
  );

/** Shows nothing if there are no suggestions. @param {{ after: () => void }} props */
export const Suggestions = ({ after }) => {
  const w = importWords.value.suggestions,
    certain = new Set(detected.data.value?.transfers?.map(one => one.from?.id));
  suggestions.want();
  // Certain transfers are offered separately.
  const rows = suggestions.data.value?.rows.filter(row => !certain.has(row.from.id));
  if (!rows?.length) return null;
  return section(
    { class: 'card', 'aria-labelledby': 'suggestions' },
    h2({ id: 'suggestions' }, w.title),
    p({ class: 'quiet' }, w.text),
    ul(
      { class: 'rows' },
      rows.map(row => h(SuggestionRow, { key: nameOf(row), row, after })),
    ),
  );
};

/** @param {{ row: Suggestion, after: () => void }} props */
const SuggestionRow = ({ row, after }) => {
  const w = importWords.value.suggestions,
    isBusy = busy.value === nameOf(row);
  const about = span({ class: 'unseen' }, ` ${rowName(row.from)}`);
  return h(
    Pair,
    { title: row.kind === 'bill_payment' ? w.payment : w.own, sides: row },
    button(
      { class: 'button primary', type: 'button', 'aria-disabled': isBusy, onClick: () => void link(row, after) },
      w.link,
      about,
    ),
    row.to &&
      button(
        {
          class: 'button quiet-button',
          type: 'button',
          'aria-disabled': isBusy,
          onClick: () => void refuse(row, after),
        },
        w.refuse,
        about,
      ),
  );
};
