// "A enviar": what has no answer yet, and what a person has to do about it.
import { credential, Problem } from '../api.js';
import { button, buttonAbout, div, h, li, p, small, span, ul } from '../dom.js';
import { forget, outboxWords, putBack, resend, waiting } from '../outbox.js';
import { words } from '../words.js';
import { veiled } from './amount.js';
import { open } from './dialog.js';
import { fieldMessage, message } from './problem.js';
import { toast } from './toast.js';

/** @typedef {import('../device.js').Waiting} Item */

/** Why the service refused it: its fields, or what happened. @param {NonNullable<Item['reason']>} reason */
const reasonOf = reason => {
  const problem = new Problem({ status: 422, ...reason }),
    messages = reason.errors.flatMap(({ field }) => fieldMessage(problem, field) ?? []);
  return messages.length > 0 ? messages.join(' ') : message(problem);
};

/** @param {{ item: Item, close: () => void }} props */
const Row = ({ item, close }) => {
  const w = outboxWords.value,
    { state, reason, text, on, account, set, path, body } = item,
    title = veiled(item.title);
  const note =
    state === 'refused' && reason ? w.refused(reasonOf(reason)) : state === 'doubtful' ? w.doubtful_text : '';
  const mend = async () => {
    const { openQuickAdd } = await import('./quick_add.js');
    close();
    // A line that was refused as an entry is corrected as a line.
    void openQuickAdd([], { mends: item.id, ...(text === undefined ? { path, body } : { text, on, account, set }) });
  };
  const dropIt = async () => {
    await forget(item.id);
    toast(w.dropped(title), { undo: () => putBack(item) });
  };
  return li(
    { class: 'waiting-row' },
    div(
      { class: 'waiting-text' },
      span({ class: 'waiting-title' }, title),
      span({ class: 'quiet' }, w.states[state ?? 'waits']),
      note && small(null, note),
    ),
    div(
      { class: 'row-actions' },
      (state === 'asks' || state === 'refused') && buttonAbout(state === 'asks' ? w.answer : w.mend, title, mend),
      state === 'doubtful' && buttonAbout(w.resend, title, () => resend(item.id)),
      buttonAbout(w.drop, title, dropIt, 'quiet-button'),
    ),
  );
};

/** @param {{ close: () => void }} props */
const List = ({ close }) => {
  const w = outboxWords.value,
    items = waiting.value;
  return [
    p({ key: 'text', class: 'quiet', role: 'status' }, items.length === 0 ? w.none : w.text),
    ul(
      { key: 'rows', class: 'rows' },
      items.map(item => h(Row, { key: item.id, item, close })),
    ),
    div(
      { key: 'end', class: 'actions' },
      button({ class: 'button', type: 'button', onClick: close }, words.value.app.close),
    ),
  ];
};

const openWaiting = () => open({ title: outboxWords.value.title }, close => h(/** @type {any} */ (List), { close }));

/** How many wait, below the bar of the page. */
export const Waiting = () =>
  credential.value === null || waiting.value.length === 0
    ? null
    : button(
        { class: 'link-button', type: 'button', 'aria-haspopup': 'dialog', onClick: () => void openWaiting() },
        outboxWords.value.waiting(waiting.value.length),
      );
