// What repeats in the history and is no item yet, and items whose price has changed.
import { signal, useSignal } from '@preact/signals';
import { get, newKey, post, resource } from '../../api.js';
import { buttonAbout, details, div, h, h2, li, section, small, summary, ul } from '../../dom.js';
import { cents } from '../../money.js';
import { dayAndMonth } from '../../dates.js';
import { canWrite, categories, today, useReading } from '../../session.js';
import { language } from '../../words.js';
import { inText, Signed } from '../../parts/amount.js';
import { openRecurring, recurringWords, rhythmInWords } from './recurring_form.js';
import { attempt, toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';

/** @typedef {import('../../session.js').Schemas['RecurringSuggestion']} Suggestion */

const found = resource(signal => get('/api/recurring/suggestions', { signal }));

/** Reads it for the first time. What is shown with it waits for it, as it would move that. */
export const readFound = async () => {
  if (found.data.peek() === null && canWrite.peek()) await found.load();
};

/** Whether anything that was found is shown. */
export const hasFound = () => canWrite.value && (found.data.value ?? []).length > 0;

/** Whether it is open, although it is shown at another place once there is an item. */
const isShown = signal(false);

/** Focuses the suggestion that took the place of one, as the button of that one is gone. @param {number} at */
const focusNext = at =>
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    const buttons = document.querySelectorAll('.found li .row-actions > :first-child');
    /** @type {HTMLElement | null} */ (
      buttons[Math.min(at, buttons.length - 1)] ?? document.querySelector('h1')
    )?.focus();
  });

/** @param {Suggestion} one */
const named = one => one.draft.description ?? '';

/** Closed, so that what is due comes first, unless nothing is. @param {{ done: () => void, isOpen?: boolean }} props */
export const Found = ({ done, isOpen = false }) => {
  const w = recurringWords.value,
    busy = useSignal(false);
  useReading(found.load);
  const again = () => {
    void found.load();
    done();
  };
  /** @param {Suggestion} one @param {() => Promise<unknown>} work */
  const answer = async (one, work) => {
    // A second press, before it is gone, would be refused.
    if (busy.peek()) return;
    busy.value = true;
    const at = found.data.peek()?.findIndex(({ id }) => id === one.id) ?? 0;
    await attempt(work);
    done();
    await found.load();
    busy.value = false;
    focusNext(at);
  };
  /** @param {Suggestion} one @param {any} [body] @param {string} [key] */
  const accept = async (one, body, key = newKey()) => {
    const { changed, offer } = recording();
    const path = { id: one.id };
    const stored = await post('/api/recurring/suggestions/{id}/accept', { path, body, key, changed });
    toast((one.price_changed ? w.updated : w.followed)(named(one)), offer(again));
    return stored;
  };
  /** @param {Suggestion} one */
  const follow = one =>
    one.draft.category_id === null
      ? void openRecurring({ draft: one.draft, save: (body, key) => accept(one, body, key), done: again })
      : void answer(one, () => accept(one));
  /** @param {Suggestion} one */
  const reject = one =>
    void answer(one, async () => {
      const path = { id: one.id };
      const { changed, offer } = recording();
      await post('/api/recurring/suggestions/{id}/reject', { path, changed });
      toast(w.rejected(named(one)), offer(again));
    });
  const rows = found.data.value ?? [];
  if (!hasFound()) return null;
  categories.want();
  /** @param {string} text @param {Suggestion} one @param {() => void} onClick @param {string} extra */
  const action = (text, one, onClick, extra) => buttonAbout(text, named(one), onClick, extra, busy.value);
  return section(
    { class: 'card found', 'aria-labelledby': 'found-title' },
    details(
      { open: isOpen || isShown.value, onToggle: event => (isShown.value = event.currentTarget.open) },
      summary(null, h2({ id: 'found-title' }, w.found(rows.length))),
      ul(
        { class: 'rows' },
        rows.map(one => {
          const price = one.price_changed;
          const about = price
            ? (cents(price.to) > cents(price.from) ? w.price_up : w.price_down)(inText(price.from), inText(price.to))
            : [rhythmInWords(one.draft), one.next_on && w.next(dayAndMonth(language.value, one.next_on, today.value))]
                .filter(Boolean)
                .join(', ');
          return li(
            { key: one.id, class: 'waiting-row suggestion' },
            div({ class: 'entry-text' }, named(one), small({ class: 'quiet' }, about)),
            one.draft.amount !== null && h(Signed, { value: one.draft.amount, type: one.draft.type }),
            div(
              { class: 'row-actions' },
              action(price ? w.update : w.follow, one, () => follow(one), ''),
              action(w.reject, one, () => reject(one), 'quiet-button'),
            ),
          );
        }),
      ),
    ),
  );
};
