// A new transaction, from anywhere: Enter saves and stays for the next, Shift+Enter saves and closes.
import { batch, effect, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { post } from '../api.js';
import { button, div, h, kbd, p, span } from '../dom.js';
import { accountById, accounts, categories, changed, drafts, wrote } from '../session.js';
import { words } from '../words.js';
import { said } from './amount.js';
import { open } from './dialog.js';
import { EntryDetails } from './entry_details.js';
import { bodyOf, draftOf, emptyEntry, EntryFields, lastAccount, typedIn } from './entry_fields.js';
import { Form } from './field.js';
import { toast } from './toast.js';
import { recording } from './undo.js';

const DRAFT = 'quick_add',
  PARTS = 'quick_add_parts';

/** The fields for a card, loaded with the first card. */
const installments = signal(/** @type {typeof import('./installment_fields.js') | null} */ (null));

const again = () => {
  changed.value++;
  void accounts.load();
  void wrote();
};

/** @param {{ close: () => void }} props */
const QuickAdd = ({ close }) => {
  const w = words.value.entry,
    closes = useRef(false),
    place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const draft = useMemo(
    () => draftOf(/** @type {import('./entry_fields.js').Typed | undefined} */ (drafts.get(DRAFT)) ?? emptyEntry()),
    [],
  );
  const parts = useMemo(
    () =>
      /** @type {import('./installment_fields.js').Parts} */ (drafts.get(PARTS)) ?? {
        isOn: signal(false),
        count: signal(''),
        isEach: signal(false),
      },
    [],
  );
  const isOnCard = draft.type.value === 'expense' && accountById.value.get(draft.account.value ?? 0)?.kind === 'credit';
  useEffect(() => effect(() => void drafts.set(DRAFT, typedIn(draft))), []);
  useEffect(() => void drafts.set(PARTS, parts), []);
  useEffect(() => {
    if (isOnCard) void import('./installment_fields.js').then(part => (installments.value = part));
  }, [isOnCard]);
  // The accounts load a little later if the user opens this form first.
  useEffect(
    () =>
      effect(() => {
        if (accounts.data.value && draft.account.peek() === null && !draft.description.peek())
          draft.account.value = emptyEntry().account;
      }),
    [],
  );
  /** @param {import('./entry_fields.js').Typed} typed */
  const fill = typed =>
    batch(() =>
      Object.entries(draftOf(typed)).forEach(([name, { value }]) => {
        /** @type {any} */ (draft)[name].value = value;
      }),
    );
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
    const split = isOnCard && parts.isOn.value ? installments.value : null;
    const body = bodyOf(draft, split?.wrongIn(parts)),
      sent = typedIn(draft),
      count = parts.count.value;
    // The next one usually has the same day and account.
    const empty = emptyEntry(),
      next = { ...empty, date: isLast ? empty.date : sent.date, account: sent.account };
    /** @param {import('./entry_fields.js').Typed} typed @param {string} count */
    const show = (typed, count) => {
      fill(typed);
      parts.count.value = count;
      parts.isOn.value = count !== '';
    };
    const { changed, offer } = recording();
    const adding = split
      ? split.enter(parts, body, { key, changed })
      : post('/api/transactions', { body, key, changed }).then(({ account_id, description, amount }) => ({
          account_id,
          text: w.added(description, said(amount)),
        }));
    // The user types the next one while this one is being sent.
    if (!isLast) {
      /** @type {HTMLElement | null | undefined} */ (place.current?.querySelector('[name=description]'))?.focus();
      show(next, '');
    }
    let added;
    try {
      added = await adding;
    } catch (error) {
      show(sent, split ? count : '');
      drafts.set(DRAFT, sent);
      throw error;
    }
    lastAccount.value = added.account_id;
    toast(added.text, offer(again));
    again();
    if (!isLast) return;
    show(next, '');
    close();
  };
  return div(
    { ref: place, onKeyDown: pressed },
    h(Form, {
      submit: words.value.app.save,
      work,
      more: button({ class: 'button', type: 'button', onClick: () => send(true) }, w.save_and_close),
      children: error => [
        h(EntryFields, { key: 'entry', draft, error, completes: true, autofocus: true }),
        isOnCard &&
          installments.value &&
          h(installments.value.InstallmentFields, { key: 'parts', parts, amount: draft.amount.value, error }),
        !(isOnCard && parts.isOn.value) && h(EntryDetails, { key: 'details', draft, error, splits: true }),
      ],
    }),
    p(
      { class: 'key-hint quiet' },
      span(null, kbd(null, 'Enter'), ' ', w.enter_stays),
      span(null, kbd(null, 'Shift'), ' + ', kbd(null, 'Enter'), ' ', w.enter_closes),
    ),
  );
};

let isOpen = false;
/** `typed` is the text typed before the form was loaded: a description, then an amount. @param {string[]} [typed] */
export const openQuickAdd = async (typed = []) => {
  if (isOpen) return;
  isOpen = true;
  categories.want();
  accounts.want();
  const closed = open({ title: words.value.app.add }, close => h(QuickAdd, { close }));
  ['description', 'amount'].forEach((name, index) => {
    const text = typed[index],
      field = /** @type {HTMLInputElement | null} */ (document.querySelector(`dialog[open] [name=${name}]`));
    if (text === undefined || !field) return;
    field.focus();
    field.value += text;
    if (text) field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await closed;
  isOpen = false;
};
