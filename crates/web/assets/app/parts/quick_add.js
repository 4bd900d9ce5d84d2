// A new entry, from anywhere, by a line or by its fields: Enter saves and stays for the next, Shift+Enter and the button
// save and close.
import { signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { online, post } from '../api.js';
import { all, canWait, drop } from '../device.js';
import { button, div, h, kbd, newId, p, small, span } from '../dom.js';
import { forget } from '../outbox.js';
import { accounts, categories, reread } from '../session.js';
import { lastAccount, usualAccount } from './usual_account.js';
import { words } from '../words.js';
import { lineWords } from '../words/line.js';
import { open } from './dialog.js';
import { EntryDetails, TagsField } from './entry_details.js';
import { EntryFields, emptyEntry } from './entry_fields.js';
import {
  begun,
  canRepeat,
  clear,
  formOf,
  isDetailed,
  isOnCard,
  isUntouched,
  setAside,
  show,
  showAside,
  snapshot,
} from './entry_form.js';
import {
  EntryLine,
  fillIn,
  isKindChosen,
  isUnread,
  LINE_CHARACTERS_MAX,
  openIn,
  placeOf,
  readLine,
  reset,
} from './entry_line.js';
import { keepLine, requestOf, save } from './entry_request.js';
import { check, Form } from './field.js';
import { message } from './problem.js';
import { attempt, failed, toast } from './toast.js';

/** The fields for a card, loaded with the first card. */
const installments = signal(/** @type {typeof import('./installment_fields.js') | null} */ (null));
const wantInstallments = async () => (installments.value ??= await import('./installment_fields.js'));
/** The fields of a transfer and of a payment, loaded with the first line that is one. */
const others = signal(/** @type {typeof import('./entry_transfer.js') | null} */ (null));
const wantOthers = async () => (others.value ??= await import('./entry_transfer.js'));

/** Makes the entry come again every month. @param {{ form: import('./entry_form.js').EntryForm }} props */
const Repeat = ({ form }) => {
  const w = lineWords.value,
    id = useRef(''),
    isAble = canRepeat(form);
  id.current ||= newId();
  return div(
    { class: 'field beside' },
    check(w.repeat, isAble && form.repeats.value, is => (form.repeats.value = is), {
      disabled: !isAble,
      'aria-describedby': isAble ? undefined : id.current,
    }),
    !isAble && small({ id: id.current, class: 'hint' }, online.value ? w.repeat_category : w.repeat_offline),
  );
};

/** @param {{ close: () => void, mended: import('./entry_form.js').Mended | undefined }} props */
const QuickAdd = ({ close, mended }) => {
  const w = words.value.entry,
    form = useMemo(() => formOf(mended), []),
    { draft, parts, line, fields } = form,
    kind = line.kind.value,
    isCard = isOnCard(form),
    closes = useRef(false),
    isReading = useSignal(false),
    place = useRef(/** @type {HTMLDivElement | null} */ (null));
  useEffect(() => {
    if (isCard) void wantInstallments();
  }, [isCard]);
  useEffect(() => {
    if (kind === 'transfer' || kind === 'payment') void wantOthers();
  }, [kind]);
  // The accounts load a little later if the user opens this form first.
  useEffect(() => {
    if (accounts.data.value && draft.account.peek() === null && !draft.description.peek() && !line.text.peek())
      draft.account.value = usualAccount();
  }, [accounts.data.value]);
  /** @param {string} selector */
  const focusAt = selector => {
    const found = /** @type {HTMLElement | null | undefined} */ (place.current?.querySelector(selector));
    found?.focus();
    return Boolean(found);
  };
  const focus = (/** @type {string} */ name) => {
    if (name === 'type') return void focusAt('input[type=radio]:checked');
    const details = place.current?.querySelector('details');
    if (name !== 'tags' || !details || details.open)
      return void (focusAt(`[name="${name}"]`) || focusAt('[name=line]'));
    // Its field is drawn once it is open.
    details.open = true;
    requestAnimationFrame(() => setTimeout(() => focusAt('[name="tags"]')));
  };
  const filled = () => fillIn(line, fields, begun(form));
  /** Ends what was entered: the form is empty for the next one, or closed. @param {boolean} isLast @param {ReturnType<typeof emptyEntry>} next */
  const ended = (isLast, next) => {
    clear(form, next);
    if (isLast || mended) close();
    else focus('line');
  };
  /** Keeps a line that nobody could read. @param {boolean} isLast */
  const wait = async isLast => {
    const next = { ...emptyEntry(), account: draft.account.peek() };
    // Parts, notes and instalments would not wait with it.
    if (isDetailed(form) || parts.isOn.peek()) {
      failed(line.error.peek());
      return;
    }
    if (!(await keepLine(form))) return;
    if (mended) await forget(mended.mends);
    ended(isLast, next);
  };
  const send = (/** @type {boolean} */ isLast) => {
    closes.current = isLast;
    place.current?.querySelector('form')?.requestSubmit();
    // While an entry is being sent, the press says nothing of the next one.
    closes.current = false;
  };
  /** Goes to what the line leaves open. Whether there is anything. */
  const asks = () => {
    const [asked] = openIn(line, fields),
      wanted = asked ? placeOf(asked) : line.kind.peek() === 'code' ? '.entry-line .link-button' : null;
    // What was just read is drawn in the next frame.
    if (wanted) requestAnimationFrame(() => focusAt(wanted) || focusAt('[name=line]'));
    return wanted !== null;
  };
  /** Enter in the line: saves, or goes to what is missing. @param {boolean} isLast */
  const entered = async isLast => {
    if (isReading.peek()) return;
    isReading.value = true;
    const isRead = await readLine(line);
    isReading.value = false;
    if (!isRead) {
      if (!isUnread(line.error.peek())) return;
      if (!isKindChosen(line)) await wait(isLast);
      else send(isLast);
      return;
    }
    filled();
    if (['transfer', 'payment'].includes(line.kind.peek())) await wantOthers();
    if (!asks()) send(isLast);
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Enter' || !event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void entered(true);
  };
  const work = async (/** @type {string} */ key) => {
    const isLast = closes.current,
      stays = !isLast && !mended;
    closes.current = false;
    // A button may be pressed before the pause in typing is over.
    if (await readLine(line)) filled();
    else if (!isUnread(line.error.peek())) throw line.error.peek();
    else if (!isKindChosen(line)) return wait(isLast);
    // The bill has no field of its own.
    if (line.kind.peek() === 'payment' && asks()) return;
    if (isOnCard(form) && parts.isOn.value) await wantInstallments();
    const request = requestOf(form, installments.peek()),
      // One that comes back may have been stored.
      own = form.key ?? key,
      sent = { ...snapshot(form), key: own },
      isOwn = line.kind.peek() === 'entry',
      empty = emptyEntry();
    // The next one usually has the same day and account.
    const next = {
      ...empty,
      date: isLast || sent.line.text.trim() ? empty.date : sent.typed.date,
      account: isOwn ? sent.typed.account : empty.account,
    };
    const saving = save(request, own);
    // The user types the next one while this one is being sent.
    if (stays) ended(false, next);
    let announce;
    try {
      announce = await saving;
    } catch (error) {
      if (stays && !isUntouched(form)) {
        setAside(sent);
        toast(w.refused(request.title, message(error)), { isProblem: true });
        return;
      }
      show(form, sent);
      throw installments.peek()?.inFields(error) ?? error;
    }
    if (isOwn) lastAccount.value = sent.typed.account;
    if (mended) await forget(mended.mends);
    announce();
    // What was refused meanwhile comes next.
    if (!mended && (isLast || isUntouched(form)) && showAside(form)) return;
    if (!stays) ended(true, next);
  };
  /** A boleto or a Pix code becomes a bill to pay. @param {string} text */
  const code = text =>
    attempt(async () => {
      const { draft: found } = await post('/api/recurring/parse', { body: { text } });
      const { openRecurring } = await import('../views/recurring/recurring_form.js');
      reset(line);
      close();
      void openRecurring({ draft: found, done: reread });
    });
  /** Whether the form closes: its other button and Enter in a field keep it open. @param {SubmitEvent} event */
  const submitted = ({ submitter }) => {
    if (submitter) closes.current = /** @type {HTMLButtonElement} */ (submitter).value !== STAYS;
  };
  const choose = (/** @type {import('./entry_fields.js').Kind} */ chosen) => {
    if (chosen === 'transfer') line.from.value ??= draft.account.peek();
    line.kind.value = chosen === 'transfer' ? 'transfer' : 'entry';
  };
  const other = others.value,
    isTransfer = kind === 'transfer';
  return div(
    { ref: place, onKeyDown: pressed, onSubmitCapture: submitted },
    h(EntryLine, { line, fields, filled, focus, entered: () => void entered(false), code: text => void code(text) }),
    h(Form, {
      submit: words.value.app.save,
      work,
      // It comes first, so that Enter in a field presses it.
      more: !mended && button({ class: 'button', type: 'submit', value: STAYS }, w.save_and_add),
      children: error =>
        kind === 'payment'
          ? other && h(other.PaymentFields, { key: kind, draft, line, error })
          : [
              h(EntryFields, {
                key: 'entry',
                draft,
                error,
                completes: true,
                quick: {
                  kind: isTransfer ? 'transfer' : draft.type.value,
                  choose,
                  accounts: other && h(other.TransferAccounts, { key: 'accounts', line, error }),
                  beside:
                    !isTransfer &&
                    !mended &&
                    draft.lines.value.length === 0 &&
                    !(isCard && parts.isOn.value) &&
                    h(Repeat, { form }),
                },
              }),
              isCard &&
                installments.value &&
                h(installments.value.InstallmentFields, { key: 'parts', parts, amount: draft.amount.value, error }),
              !isTransfer &&
                (isCard && parts.isOn.value && !isDetailed(form)
                  ? h(TagsField, { key: 'tags', draft, error })
                  : h(EntryDetails, { key: 'details', draft, error, splits: true })),
            ],
    }),
    p(
      { class: 'key-hint quiet' },
      span(null, kbd(null, 'Enter'), ' ', w.enter_stays),
      span(null, kbd(null, 'Shift'), ' + ', kbd(null, 'Enter'), ' ', w.enter_closes),
    ),
  );
};

/** A text that was shared with the page. It is taken once. */
const sharedText = async () => {
  const texts = canWait ? (await all('shared')).filter(({ text }) => text !== undefined) : [];
  for (const { id } of texts) await drop('shared', id);
  return texts
    .map(({ text = '' }) => text)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LINE_CHARACTERS_MAX);
};

/** The value of the button that keeps the form open. */
const STAYS = 'stays';
let isOpen = false;
/**
 * `typed` is the text typed before the form was loaded: a line, an amount, then a description.
 * @param {string[]} [typed] @param {import('./entry_form.js').Mended} [mended] The kept entry that it takes the place of.
 */
export const openQuickAdd = async (typed = [], mended) => {
  if (isOpen) return;
  isOpen = true;
  categories.want();
  accounts.want();
  const closed = open({ title: words.value.app.add, keeps: true }, close => h(QuickAdd, { close, mended }));
  ['line', 'amount', 'description'].forEach((name, index) => {
    const text = typed[index],
      field = /** @type {HTMLInputElement | null} */ (document.querySelector(`dialog[open] [name=${name}]`));
    if (text === undefined || !field) return;
    field.focus();
    const kept = field.value.trimEnd();
    field.value = (name === 'line' && kept ? `${kept} ` : field.value) + text;
    if (field.value) field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await closed;
  isOpen = false;
};

/** Opens the form with a text that was shared, if there is one. @param {string[]} typed */
export const openShared = async typed => {
  const text = await sharedText();
  return openQuickAdd(text ? [text] : typed);
};
