// A card statement that is held until its payment date: its summary and its actions.
import { useSignal } from '@preact/signals';
import { post, remove } from '../../api.js';
import { buttonAbout, div, h, li, span } from '../../dom.js';
import { dayAndMonth } from '../../dates.js';
import { accountById, canWrite, today } from '../../session.js';
import { language, words } from '../../words.js';
import { Amount } from '../../parts/amount.js';
import { ask, open } from '../../parts/dialog.js';
import { icon } from '../../parts/icon.js';
import { attempt, toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';

/**
 * A row of a list. `leave` removes it from the view, `after` reloads the view, which brings it back if the service
 * refused.
 * @param {{ held: import('../../session.js').Schemas['PendingBill'], leave: () => void, after: () => void }} props
 */
export const HeldStatement = ({ held, leave, after }) => {
  const w = words.value.dashboard,
    busy = useSignal(false);
  const card = (held.account_id !== null && accountById.value.get(held.account_id)?.name) || '',
    path = { id: held.id };
  /** @param {(changed: (id: number) => void) => Promise<string>} work Returns the message for when it is done. */
  const act = async work => {
    if (busy.value) return;
    const { changed, offer } = recording();
    await attempt(async () => toast(await work(changed), offer(after)), { busy });
    after();
  };
  const see = async () => {
    const { HeldRows } = await import('./held_rows.js');
    await open({ title: w.bill_of(card), kind: 'wide' }, () => h(HeldRows, path));
  };
  const confirm = () =>
    act(async changed => {
      const answer = await post('/api/pending-bills/{id}/confirm', { path, changed });
      if (!('inserted' in answer)) return w.held_confirmed(0);
      return [w.held_confirmed(answer.inserted), answer.skipped.length > 0 && w.held_skipped(answer.skipped.length)]
        .filter(Boolean)
        .join(' ');
    });
  const discard = async () => {
    if (!(await ask({ title: w.discard_title, text: w.discard_text, yes: w.discard }))) return;
    leave();
    await act(async changed => {
      await remove('/api/pending-bills/{id}', { path, changed });
      return w.discarded;
    });
  };
  const action = (/** @type {string} */ text, /** @type {() => Promise<void>} */ onClick, extra = '') =>
    buttonAbout(text, card, onClick, extra, busy.value);
  return li(
    { class: 'waiting-row' },
    div(
      { class: 'waiting-text' },
      span({ class: 'waiting-title' }, icon('imports'), w.bill_of(card)),
      span(
        { class: 'quiet' },
        `${w.held(dayAndMonth(language.value, held.payment_date, today.value))} · ${w.held_rows(held.row_count)}`,
      ),
    ),
    h(Amount, { value: held.total }),
    div(
      { class: 'row-actions' },
      action(w.see, see),
      canWrite.value && action(w.confirm_held, confirm),
      canWrite.value && action(w.discard, discard, 'quiet-button'),
    ),
  );
};
