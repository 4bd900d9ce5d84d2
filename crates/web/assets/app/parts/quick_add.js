// A new transaction, from anywhere: Enter saves and stays for the next, Shift+Enter saves and closes.
import { batch, effect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { post } from '../api.js';
import { button, div, h, kbd, p, span } from '../dom.js';
import { accounts, categories, changed, drafts, wrote } from '../session.js';
import { words } from '../words.js';
import { said } from './amount.js';
import { open } from './dialog.js';
import { bodyOf, draftOf, emptyEntry, EntryFields, lastAccount, typedIn } from './entry_fields.js';
import { Form } from './field.js';
import { toast } from './toast.js';

const DRAFT = 'quick_add';

/** @param {{ close: () => void }} props */
const QuickAdd = ({ close }) => {
  const w = words.value.entry, closes = useRef(false), place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const draft = useMemo(() => draftOf(/** @type {import('./entry_fields.js').Typed | undefined} */ (drafts.get(DRAFT)) ?? emptyEntry()), []);
  useEffect(() => effect(() => void drafts.set(DRAFT, typedIn(draft))), []);
  // Known a little later where this is the first thing that is looked at.
  useEffect(() => effect(() => {
    if (accounts.data.value && draft.account.peek() === null && !draft.description.peek()) draft.account.value = emptyEntry().account;
  }), []);
  /** @param {import('./entry_fields.js').Typed} typed */
  const fill = typed => batch(() => Object.entries(draftOf(typed)).forEach(([name, { value }]) => (/** @type {any} */ (draft)[name].value = value)));
  const send = (/** @type {boolean} */ isLast) => {
    closes.current = isLast;
    place.current?.querySelector('form')?.requestSubmit();
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Enter' || !event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send(true);
  };
  const work = async (/** @type {string} */ key) => {
    const isLast = closes.current;
    closes.current = false;
    const body = bodyOf(draft), sent = typedIn(draft);
    // The next one is most often of the same day and account.
    const empty = emptyEntry(), next = { ...empty, date: isLast ? empty.date : sent.date, account: sent.account };
    // It is typed while this one is on its way.
    if (!isLast) {
      /** @type {HTMLElement | null | undefined} */ (place.current?.querySelector('[name=description]'))?.focus();
      fill(next);
    }
    let added;
    try {
      added = await post('/api/transactions', { body, key });
    } catch (error) {
      fill(sent);
      drafts.set(DRAFT, sent);
      throw error;
    }
    lastAccount.value = added.account_id;
    toast(w.added(added.description, said(added.amount)));
    changed.value++;
    void accounts.load();
    void wrote();
    if (!isLast) return;
    fill(next);
    close();
  };
  return div({ ref: place, onKeyDown: pressed },
    h(Form, {
      submit: words.value.app.save, work,
      more: button({ class: 'button', type: 'button', onClick: () => send(true) }, w.save_and_close),
      children: error => h(EntryFields, { draft, error, completes: true, autofocus: true }),
    }),
    p({ class: 'key-hint quiet' }, span(null, kbd(null, 'Enter'), ' ', w.enter_stays), span(null, kbd(null, 'Shift'), ' + ', kbd(null, 'Enter'), ' ', w.enter_closes)));
};

let isOpen = false;
/** `typed` is what somebody typed before it was there: a description, then an amount. @param {string[]} [typed] */
export const openQuickAdd = async (typed = []) => {
  if (isOpen) return;
  isOpen = true;
  categories.want();
  accounts.want();
  const closed = open({ title: words.value.app.add }, close => h(QuickAdd, { close }));
  ['description', 'amount'].forEach((name, index) => {
    const text = typed[index], field = /** @type {HTMLInputElement | null} */ (document.querySelector(`dialog[open] [name=${name}]`));
    if (text === undefined || !field) return;
    field.focus();
    field.value += text;
    if (text) field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await closed;
  isOpen = false;
};
