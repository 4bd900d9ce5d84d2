// A new entry, from anywhere, by a line or by its fields: Enter saves and stays for the next, Shift+Enter saves and closes.
import { batch, effect, signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { online, post, Problem } from '../api.js';
import { dayInWords } from '../dates.js';
import { all, canWait, drop } from '../device.js';
import { button, div, h, kbd, p, span } from '../dom.js';
import { amount, decimal, read as readAmount } from '../money.js';
import { forget, hold, keep, release, waiting, WAITING_MAX } from '../outbox.js';
import { accountById, accounts, categories, changed, drafts, today, wrote } from '../session.js';
import { language, words } from '../words.js';
import { lineWords } from '../words/line.js';
import { said } from './amount.js';
import { decimalOf } from './amount_field.js';
import { open } from './dialog.js';
import { EntryDetails, TagsField } from './entry_details.js';
import { bodyOf, dayName, draftOf, emptyEntry, EntryFields, lastAccount, typedIn } from './entry_fields.js';
import {
  changedIn,
  EntryLine,
  fillIn,
  isUnread,
  kept,
  newLine,
  openIn,
  placeOf,
  readLine,
  reset,
} from './entry_line.js';
import { Form, invalid } from './field.js';
import { message } from './problem.js';
import { toast } from './toast.js';
import { recording } from './undo.js';

const DRAFT = 'quick_add',
  PARTS = 'quick_add_parts',
  LINE = 'quick_add_line',
  REFUSED = 'quick_add_refused';
const LINE_CHARACTERS_MAX = 1000;

/**
 * An entry as it was typed: its fields, its line, its instalments, and the empty form of then.
 * @typedef {{ sent: import('./entry_fields.js').Typed, line: ReturnType<typeof kept>, count: string, isOn: boolean, empty: import('./entry_fields.js').Typed }} Sent
 */

/** Entries that were refused while the next one was typed. They return to the form after it. @returns {Sent[]} */
const refused = () => /** @type {Sent[] | undefined} */ (drafts.get(REFUSED)) ?? [];

/** The fields for a card, loaded with the first card. */
const installments = signal(/** @type {typeof import('./installment_fields.js') | null} */ (null));
/** The fields of a transfer and of a payment, loaded with the first line that is one. */
const others = signal(/** @type {typeof import('./entry_transfer.js') | null} */ (null));

/**
 * What the form is opened with: a line, the day it was written and the account of the form then, or an entry; and the kept
 * entry that it takes the place of.
 * @typedef {{ text?: string, on?: string | undefined, account?: number | null | undefined, path?: string | undefined, body?: Record<string, any> | undefined, mends?: number }} Begun
 */

/**
 * The routes that save what was entered; the last one with the id of the bill.
 * @typedef {'/api/transactions' | '/api/installments' | '/api/transfers' | '/api/credit-bills/{id}/pay'} Saved
 */

const again = () => {
  changed.value++;
  void accounts.load();
  void wrote();
};

/** `hoje`, `ontem`, or the day. @param {string} date */
const dayOf = date => dayName(date).near?.toLowerCase() ?? dayInWords(language.value, date, today.value);

/** What was saved, in words, from the answer. @param {string} path @param {any} answer @param {string} name */
const savedText = (path, answer, name) => {
  const w = lineWords.value;
  if (path === '/api/installments')
    return w.saved(answer.description, `${answer.count} × ${said(answer.amount)}`, dayOf(answer.first_date));
  if (path === '/api/transfers') return w.saved(name || w.transfer, said(answer.from.amount), dayOf(answer.from.date));
  if (path === '/api/transactions') return w.saved(answer.description, said(answer.amount), dayOf(answer.date));
  return w.paid(`${w.bill} ${accountById.value.get(answer.account_id)?.name ?? ''}`.trim());
};

/** What a kept body fills in. @param {Record<string, any>} body @returns {import('./entry_fields.js').Typed} */
const typedFrom = body => ({
  ...emptyEntry(),
  ...(body.date ? { date: body.date } : {}),
  description: body.description ?? '',
  amount: body.amount || body.total_amount ? amount(body.amount ?? body.total_amount) : '',
  type: body.type ?? 'expense',
  category: body.category_id ?? null,
  account: body.account_id ?? null,
  tags: body.tags ?? [],
  note: body.note ?? '',
  lines: (body.lines ?? []).map((/** @type {any} */ line, /** @type {number} */ at) => ({
    key: String(at),
    category: line.category_id,
    amount: amount(line.amount),
  })),
});

/** @returns {import('./installment_fields.js').Parts} */
const newParts = () => ({ isOn: signal(false), count: signal(''), isEach: signal(false) });

/** @param {{ close: () => void, begun: Begun }} props */
const QuickAdd = ({ close, begun: { text, on, account: begunAccount, path: begunPath, body: begunBody, mends } }) => {
  const w = words.value.entry,
    own = lineWords.value,
    closes = useRef(false),
    place = useRef(/** @type {HTMLDivElement | null} */ (null)),
    isMending = mends !== undefined,
    isReading = useSignal(false);
  const first = () => ({ ...emptyEntry(), ...(begunAccount === undefined ? {} : { account: begunAccount }) });
  const draft = useMemo(() => {
    const kept = isMending
      ? undefined
      : /** @type {import('./entry_fields.js').Typed | undefined} */ (drafts.get(DRAFT));
    // A date alone is not typed: it may be of another day.
    const text = /** @type {import('./entry_line.js').Line | undefined} */ (drafts.get(LINE))?.text.peek().trim();
    const isTyped = kept && (kept.description || kept.amount || kept.lines.length > 0 || text);
    return draftOf(begunBody ? typedFrom(begunBody) : isTyped ? kept : first());
  }, []);
  const parts = useMemo(() => {
    const known = isMending
      ? undefined
      : /** @type {import('./installment_fields.js').Parts | undefined} */ (drafts.get(PARTS));
    const found = known ?? newParts();
    if (begunBody?.count) {
      found.isOn.value = true;
      found.count.value = String(begunBody.count);
      found.isEach.value = begunBody.amount != null;
    }
    return found;
  }, []);
  const line = useMemo(() => {
    const known = isMending ? undefined : /** @type {import('./entry_line.js').Line | undefined} */ (drafts.get(LINE));
    const found = known ?? newLine(text ?? '', on ?? null);
    if (begunPath === '/api/transfers') {
      found.kind.value = 'transfer';
      found.from.value = begunBody?.from_account_id ?? null;
      found.to.value = begunBody?.to_account_id ?? null;
    }
    const bill = /^.api.credit-bills.(\d+).pay$/.exec(begunPath ?? '')?.[1];
    if (bill) {
      found.kind.value = 'payment';
      found.bill.value = Number(bill);
      found.payer.value = begunBody?.account_id ?? null;
    }
    return found;
  }, []);
  /** The empty form: what a line does not say is so. @type {{ current: import('./entry_fields.js').Typed }} */
  const empty = useRef(first());
  /** @type {import('./entry_line.js').Fields} */
  const fields = useMemo(
    () => ({ ...draft, ...parts, from: line.from, to: line.to, bill: line.bill, payer: line.payer }),
    [],
  );
  const begun = () => ({
    ...empty.current,
    account: empty.current.account ?? emptyEntry().account,
    isOn: false,
    count: '',
    isEach: false,
  });
  const kind = line.kind.value;
  // A line may say the instalments and leave the card open.
  const isCard = () =>
    line.kind.value === 'entry' &&
    draft.type.value === 'expense' &&
    (draft.account.value === null ? parts.isOn.value : accountById.value.get(draft.account.value)?.kind === 'credit');
  const isOnCard = isCard();
  useEffect(() => {
    if (isMending) return undefined;
    drafts.set(PARTS, parts);
    drafts.set(LINE, line);
    return effect(() => void drafts.set(DRAFT, typedIn(draft)));
  }, []);
  useEffect(() => {
    if (isOnCard) void import('./installment_fields.js').then(part => (installments.value = part));
  }, [isOnCard]);
  useEffect(() => {
    if (kind === 'transfer' || kind === 'payment')
      void import('./entry_transfer.js').then(part => (others.value = part));
  }, [kind]);
  // The accounts load a little later if the user opens this form first.
  useEffect(
    () =>
      effect(() => {
        if (accounts.data.value && draft.account.peek() === null && !draft.description.peek() && !line.text.peek())
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
  const form = () => place.current?.querySelector('form');
  const send = (/** @type {boolean} */ isLast) => {
    closes.current = isLast;
    form()?.requestSubmit();
    // While an entry is being sent, the press says nothing of the next one.
    closes.current = false;
  };
  /** @param {string} selector */
  const focusAt = selector => {
    const found = /** @type {HTMLElement | null | undefined} */ (place.current?.querySelector(selector));
    if (found) found.focus();
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
  const filled = () => fillIn(line, fields, begun());
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Enter' || !event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void entered(true);
  };
  /** Says that there is no room. */
  const full = () => toast(own.full(WAITING_MAX), { isProblem: true });
  /** Ends what was entered: the form is empty for the next one, or closed. @param {boolean} isLast @param {import('./entry_fields.js').Typed} next */
  const ended = (isLast, next) => {
    empty.current = next;
    fill(next);
    parts.count.value = '';
    parts.isOn.value = false;
    reset(line);
    line.on = null;
    if (isLast || isMending) close();
    else focus('line');
  };
  /** Whether nothing was typed since. @param {import('./entry_fields.js').Typed} next */
  const isUntouched = next => !line.text.peek().trim() && JSON.stringify(typedIn(draft)) === JSON.stringify(next);
  /** Shows an entry that was refused. @param {Sent} typed */
  const show = ({ sent, line: text, count, isOn, empty: begun }) => {
    empty.current = begun;
    fill(sent);
    parts.count.value = count;
    parts.isOn.value = isOn;
    reset(line, text);
    if (!isMending) drafts.set(DRAFT, sent);
  };
  /** Keeps a line that nobody could read. @param {boolean} isLast */
  const wait = async isLast => {
    const text = line.text.peek().trim();
    /** @param {string} name */
    const value = name => {
      const found = fields[name]?.peek();
      return name !== 'amount' ? found : decimal(readAmount(found) ?? 0n);
    };
    const set = Object.fromEntries(changedIn(line, fields, begun()).map(([field, name]) => [field, value(name)]));
    const account = accounts.data.peek() ? { account: draft.account.peek() } : {};
    const id = await keep({ title: text, text, on: line.on ?? today.peek(), ...account, set });
    if (id === null) return void (waiting.peek().length >= WAITING_MAX && full());
    if (mends !== undefined) await forget(mends);
    toast(own.waits(text));
    ended(isLast, { ...emptyEntry(), account: draft.account.peek() });
  };
  /** Enter in the line: saves, or goes to what is missing. @param {boolean} isLast */
  const entered = async isLast => {
    if (isReading.peek()) return;
    isReading.value = true;
    const isRead = await readLine(line);
    isReading.value = false;
    if (!isRead) {
      if (isUnread(line.error.peek())) await wait(isLast);
      return;
    }
    filled();
    if (['transfer', 'payment'].includes(line.kind.peek())) others.value ??= await import('./entry_transfer.js');
    const [asked] = openIn(line, fields);
    const wanted = asked ? placeOf(asked) : line.kind.peek() === 'code' ? '.entry-line .link-button' : null;
    // What was just read is drawn in the next frame.
    if (wanted) requestAnimationFrame(() => focusAt(wanted) || focusAt('[name=line]'));
    else send(isLast);
  };
  /** The request that saves what was entered. */
  const requestOf = () => {
    const wrong = /** @type {Parameters<typeof invalid>} */ (
      openIn(line, fields).map(({ field }) => (field === 'total_amount' ? 'amount' : field))
    );
    const kind = line.kind.value;
    if (kind === 'payment') {
      if (!draft.date.value && !wrong.includes('date')) wrong.push('date');
      if (line.bill.value === null && !wrong.includes('bill_id')) wrong.push('bill_id');
      if (wrong.length > 0) throw invalid(...wrong);
      return {
        path: `/api/credit-bills/${line.bill.value}/pay`,
        body: { account_id: line.payer.value, date: draft.date.value },
        title: line.text.value,
      };
    }
    if (kind === 'transfer') {
      const value = decimalOf(draft.amount.value);
      if (value === null && !wrong.includes('amount')) wrong.push('amount');
      if (wrong.length > 0) throw invalid(...wrong);
      const description = draft.description.value.trim() || null;
      return {
        path: '/api/transfers',
        body: {
          from_account_id: line.from.value ?? 0,
          to_account_id: line.to.value ?? 0,
          amount: value,
          date: draft.date.value,
          description,
        },
        title: `${description ?? own.transfer}, ${said(value ?? '0')}`,
      };
    }
    const split = isCard() && parts.isOn.value ? installments.value : null;
    const body = bodyOf(draft, [...wrong, ...(split?.wrongIn(parts) ?? [])]),
      title = `${body.description}, ${said(body.amount)}`;
    return split
      ? { path: '/api/installments', body: split.planOf(parts, body), title }
      : { path: '/api/transactions', body, title };
  };
  /**
   * Saves it, or keeps it on this device until there is an answer.
   * @param {ReturnType<typeof requestOf>} request @param {string} key @returns {Promise<() => void>} Tells what was saved.
   */
  const save = async ({ path, body, title }, key) => {
    const waits = () => () => void toast(own.waits(title));
    if (canWait && !online.peek()) {
      if ((await keep({ title, path, body, key })) !== null) return waits();
      if (waiting.peek().length >= WAITING_MAX) full();
    }
    const held = canWait ? await hold({ title, path, body, key }) : null;
    const record = recording();
    try {
      const answer = await post(/** @type {Saved} */ (path), {
        key,
        body: /** @type {any} */ (body),
        changed: record.changed,
      });
      if (held !== null) await forget(held);
      const text = savedText(path, answer, 'description' in body ? (body.description ?? '') : '');
      return () => {
        toast(text, record.offer(again));
        again();
      };
    } catch (error) {
      if (held !== null && error instanceof Problem && error.code === 'Offline') {
        await release(held);
        return waits();
      }
      if (held !== null) await forget(held);
      throw error;
    }
  };
  const work = async (/** @type {string} */ key) => {
    const isLast = closes.current;
    closes.current = false;
    // A button may be pressed before the pause in typing is over.
    if (!(await readLine(line))) {
      if (isUnread(line.error.peek())) return wait(isLast);
      throw line.error.peek();
    }
    filled();
    if (isCard() && parts.isOn.value) installments.value ??= await import('./installment_fields.js');
    const kind = line.kind.value,
      request = requestOf(),
      sent = typedIn(draft),
      before = { sent, line: kept(line), count: parts.count.value, isOn: parts.isOn.value, empty: empty.current },
      isLined = before.line.text.trim() !== '';
    // The next one usually has the same day and account.
    const first = emptyEntry(),
      next = {
        ...first,
        date: isLast || isLined ? first.date : sent.date,
        account: kind === 'entry' ? sent.account : first.account,
      };
    const saving = save(request, key);
    // The user types the next one while this one is being sent.
    if (!isLast && !isMending) ended(false, next);
    let told;
    try {
      told = await saving;
    } catch (error) {
      if (!isLast && !isMending && !isUntouched(next)) {
        drafts.set(REFUSED, [...refused(), before]);
        toast(w.refused(request.title, message(error)), { isProblem: true });
        return;
      }
      show(before);
      throw installments.peek()?.inFields(error) ?? error;
    }
    if (kind === 'entry') lastAccount.value = sent.account;
    if (mends !== undefined) await forget(mends);
    told();
    const [back, ...later] = isMending ? [] : refused();
    if (back && (isLast || isUntouched(next))) {
      drafts.set(REFUSED, later);
      show(back);
      return;
    }
    if (isLast || isMending) ended(true, next);
  };
  /** A boleto or a Pix code becomes a bill to pay. @param {string} text */
  const code = async text => {
    try {
      const { draft: found } = await post('/api/recurring/parse', { body: { text } });
      const { openRecurring } = await import('./recurring_form.js');
      reset(line);
      close();
      void openRecurring({ draft: found, done: again });
    } catch (error) {
      toast(message(error), { isProblem: true });
    }
  };
  const other = others.value;
  return div(
    { ref: place, onKeyDown: pressed },
    h(EntryLine, { line, fields, filled, focus, entered: () => void entered(false), code: text => void code(text) }),
    h(Form, {
      submit: words.value.app.save,
      work,
      more: button({ class: 'button', type: 'button', onClick: () => send(true) }, w.save_and_close),
      children: error =>
        kind === 'transfer' || kind === 'payment'
          ? other &&
            h(kind === 'transfer' ? other.TransferFields : other.PaymentFields, { key: kind, draft, line, error })
          : [
              h(EntryFields, { key: 'entry', draft, error, completes: true }),
              isOnCard &&
                installments.value &&
                h(installments.value.InstallmentFields, { key: 'parts', parts, amount: draft.amount.value, error }),
              isOnCard && parts.isOn.value
                ? h(TagsField, { key: 'tags', draft, error })
                : h(EntryDetails, { key: 'details', draft, error, splits: true }),
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

let isOpen = false;
/**
 * `typed` is the text typed before the form was loaded: a line, a description, then an amount.
 * @param {string[]} [typed] @param {Begun} [begun]
 */
export const openQuickAdd = async (typed = [], begun = {}) => {
  if (isOpen) return;
  isOpen = true;
  categories.want();
  accounts.want();
  const closed = open({ title: words.value.app.add, keeps: true }, close => h(QuickAdd, { close, begun }));
  ['line', 'description', 'amount'].forEach((name, index) => {
    const text = typed[index],
      field = /** @type {HTMLInputElement | null} */ (document.querySelector(`dialog[open] [name=${name}]`));
    if (text === undefined || !field) return;
    field.focus();
    field.value += (name === 'line' && field.value && text ? ' ' : '') + text;
    if (text) field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await closed;
  isOpen = false;
};

/** Opens the form with a text that was shared, if there is one. @param {string[]} typed */
export const openShared = async typed => {
  const text = await sharedText();
  return openQuickAdd(text ? [text] : typed);
};
