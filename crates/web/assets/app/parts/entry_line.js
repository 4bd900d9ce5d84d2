// One line that the service reads as an entry: what was understood fills in the fields, and where two readings fit, the
// person chooses.
import { batch, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isAborted, postOnce, Problem } from '../api.js';
import { canWait } from '../device.js';
import { button, div, fieldset, h, input, label, legend, newId, p, small, span } from '../dom.js';
import { amount } from '../money.js';
import { written } from '../outbox.js';
import { accountById, categoryById } from '../session.js';
import { words } from '../words.js';
import { lineWords } from '../words/line.js';
import { inText } from './amount.js';
import { dayName } from './entry_fields.js';
import { ProblemNote } from './problem.js';

/** @typedef {import('../session.js').Schemas['ParsedEntry']} Parsed */
/** @typedef {Parsed['missing'][number]} Missing */
/** @typedef {'entry' | 'transfer' | 'payment' | 'code'} Kind */
/** @template T @typedef {import('@preact/signals').Signal<T>} Signal */
/**
 * The fields that a line fills in, by their names in a form.
 * @typedef {Record<string, Signal<any>>} Fields
 */
/** @typedef {ReturnType<typeof newLine>} Line */

/** The pause in typing before the line is read. */
const PAUSE_MILLISECONDS = 150;
export const LINE_CHARACTERS_MAX = 1000;

/** Which field of the form holds a field of a body. @type {Record<string, string>} */
export const HELD = {
  type: 'type',
  amount: 'amount',
  total_amount: 'amount',
  count: 'count',
  date: 'date',
  description: 'description',
  account_id: 'account',
  category_id: 'category',
  tags: 'tags',
  from_account_id: 'from',
  to_account_id: 'to',
  bill_id: 'bill',
};
/** The name of an element for a field of a body, where it differs. @type {Record<string, string>} */
const NAMED = { total_amount: 'amount' };

/** `on` is the day on which the line was written; today if null. @param {string} [text] @param {string | null} [on] */
export const newLine = (text = '', on = null) => ({
  id: newId(),
  text: signal(text),
  on,
  /** What the service has read, and of which text. */
  read: signal(/** @type {Parsed | null} */ (null)),
  of: '',
  error: signal(/** @type {unknown} */ (null)),
  /** What the line has filled in last, by field. A field with another value was changed by hand, and stays. */
  filled: signal(/** @type {Readonly<Record<string, unknown>>} */ ({})),
  /** The fields that the person has chosen. */
  chosen: signal(/** @type {ReadonlySet<string>} */ (new Set())),
  kind: signal(/** @type {Kind} */ ('entry')),
  from: signal(/** @type {number | null} */ (null)),
  to: signal(/** @type {number | null} */ (null)),
  /** The bill to pay, and the account that pays it. */
  bill: signal(/** @type {number | null} */ (null)),
  payer: signal(/** @type {number | null} */ (null)),
});

/** @param {Parsed} read @returns {Kind} */
const kindOf = ({ path, body, missing }) =>
  body === null
    ? 'code'
    : path === '/api/transfers'
      ? 'transfer'
      : path?.endsWith('/pay') || missing.some(({ field }) => field === 'bill_id')
        ? 'payment'
        : 'entry';

/** The bill that a path pays. @param {string | null | undefined} path */
export const billOf = path => Number(/^.api.credit-bills.(\d+).pay$/.exec(path ?? '')?.[1] ?? 0) || null;

/**
 * What the form shows of a reading. What the line does not say is as the form began.
 * @param {Parsed | null} read @param {Record<string, unknown>} begun
 */
const wanted = (read, begun) => {
  const body = /** @type {Record<string, any> | null} */ (read?.body ?? null),
    found = { ...begun, from: null, to: null, bill: null, payer: null };
  if (!read || !body) return found;
  const kind = kindOf(read),
    isMissing = (/** @type {string} */ field) => read.missing.some(one => one.field === field);
  const each = body.amount ?? body.total_amount;
  /** @type {Record<string, unknown>} */
  const values = {
    amount: each == null ? '' : amount(each),
    date: body.date ?? '',
    description: body.description ?? '',
  };
  if (kind === 'transfer') Object.assign(values, { from: body.from_account_id, to: body.to_account_id });
  if (kind === 'payment')
    Object.assign(values, { amount: '', description: '', bill: billOf(read.path), payer: body.account_id });
  if (kind === 'entry') {
    const isParts = read.path === '/api/installments';
    Object.assign(values, {
      type: body.type ?? (isParts ? 'expense' : begun.type),
      account: body.account_id ?? (isMissing('account_id') ? null : begun.account),
      category: body.category_id,
      tags: body.tags,
      isOn: isParts,
      count: body.count == null ? '' : String(body.count),
      isEach: isParts && body.amount !== null,
    });
  }
  return { ...found, ...values };
};

/** @param {unknown} one @param {unknown} other */
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Whether the person has chosen a kind other than that of the line. @param {Line} line */
export const isKindChosen = line => line.kind.value !== (line.filled.value.kind ?? 'entry');

/**
 * Fills in the fields, but for those that were changed by hand.
 * @param {Line} line @param {Fields} fields @param {Record<string, unknown>} begun
 */
export const fillIn = (line, fields, begun) =>
  batch(() => {
    const read = line.read.peek(),
      filled = { ...line.filled.peek() };
    // Without a line the form is as it was filled in.
    if (!read && Object.keys(filled).length === 0) return;
    const kind = read ? kindOf(read) : 'entry';
    if (!isKindChosen(line)) line.kind.value = kind;
    filled.kind = kind;
    for (const [name, value] of Object.entries(wanted(read, begun))) {
      const field = fields[name],
        before = name in filled ? filled[name] : (begun[name] ?? null);
      if (!field || line.chosen.peek().has(name)) continue;
      if (isSame(field.peek(), before)) field.value = value ?? null;
      filled[name] = value ?? null;
    }
    line.filled.value = filled;
  });

/** What the line leaves open, and nobody has filled in. @param {Line} line @param {Fields} fields */
export const openIn = (line, fields) =>
  (isKindChosen(line) ? [] : (line.read.value?.missing ?? [])).filter(({ field }) => {
    const name = HELD[field] ?? field;
    return !line.chosen.value.has(name) && isSame(fields[name]?.value, line.filled.value[name] ?? null);
  });

/** The fields of a body that the person has filled in, for a line that is read later. @param {Line} line @param {Fields} fields @param {Record<string, unknown>} begun */
export const changedIn = (line, fields, begun) => {
  const filled = line.filled.peek();
  return Object.entries(HELD).filter(
    ([, name]) => fields[name] && !isSame(fields[name].peek(), name in filled ? filled[name] : (begun[name] ?? null)),
  );
};

/**
 * Has the text of the line read, unless it is read already. Offline it stays unread.
 * @param {Line} line @param {AbortSignal} [signal] @returns {Promise<boolean>} Whether it is read.
 */
export const readLine = async (line, signal) => {
  const text = line.text.peek().trim();
  if (line.read.peek() && line.of === text) return true;
  if (!text) {
    line.read.value = null;
    line.error.value = null;
    line.of = text;
    return true;
  }
  try {
    const found = await postOnce('/api/entries/parse', {
      body: await written(text, line.on),
      ...(signal ? { signal } : {}),
    });
    if (signal?.aborted || line.text.peek().trim() !== text) return false;
    batch(() => {
      line.of = text;
      line.error.value = null;
      line.chosen.value = new Set();
      line.read.value = found;
    });
    return true;
  } catch (error) {
    if (!isAborted(error) && line.text.peek().trim() === text) {
      line.read.value = null;
      line.error.value = error;
    }
    return false;
  }
};

/** The line as it is now, to put it back. @param {Line} line */
export const kept = line => ({
  text: line.text.peek(),
  read: line.read.peek(),
  of: line.of,
  filled: line.filled.peek(),
  chosen: line.chosen.peek(),
  kind: line.kind.peek(),
  from: line.from.peek(),
  to: line.to.peek(),
  bill: line.bill.peek(),
  payer: line.payer.peek(),
});

/** @type {ReturnType<typeof kept>} */
const EMPTY = {
  text: '',
  read: null,
  of: '',
  filled: {},
  chosen: new Set(),
  kind: 'entry',
  from: null,
  to: null,
  bill: null,
  payer: null,
};

/** Puts a line back, or makes it empty. @param {Line} line @param {ReturnType<typeof kept>} [as] */
export const reset = (line, as = EMPTY) =>
  batch(() => {
    line.of = as.of;
    line.error.value = null;
    /** @type {Signal<any>} */ for (const name of /** @type {const} */ ([
      'text',
      'read',
      'filled',
      'chosen',
      'kind',
      'from',
      'to',
      'bill',
      'payer',
    ]))
      line[name].value = as[name];
  });

/** @param {unknown} error */
export const isUnread = error => error instanceof Problem && error.code === 'Offline';

/** What was understood, in words: the name of each field, its value, and the element for it. @param {Line} line @param {Fields} fields */
const chips = (line, fields) => {
  const w = lineWords.value,
    read = line.read.value,
    body = /** @type {Record<string, any> | null} */ (read?.body ?? null);
  if (!read || !body) return [];
  const understood = new Set(read.understood.map(one => one.as));
  const account = (/** @type {number | null | undefined} */ id) => (id ? accountById.value.get(id)?.name : undefined);
  const day = body.date && dayName(body.date);
  /** @type {[element: string, name: string, value: string | false | null | undefined][]} */
  const found = [
    ['description', w.description, body.description],
    ['type', w.type, understood.has('type') && body.type && words.value.money[/** @type {'income'} */ (body.type)]],
    [
      'amount',
      body.amount && body.count ? w.each : w.amount,
      (body.amount ?? body.total_amount) && inText(body.amount ?? body.total_amount),
    ],
    ['count', w.count, body.count && w.times(body.count)],
    ['date', w.date, understood.has('date') && day && (day.near ?? day.full)],
    ['account_id', w.account, account(body.account_id)],
    ['from_account_id', w.from, account(body.from_account_id)],
    ['to_account_id', w.to, account(body.to_account_id)],
    [
      'bill_id',
      w.bill,
      line.kind.value === 'payment' &&
        fields.bill?.value &&
        read.understood
          .filter(one => one.as === 'bill')
          .map(one => one.text)
          .join(' '),
    ],
    ['category_id', w.category, body.category_id && categoryById.value.get(body.category_id)?.name],
    ['tags', w.tag, body.tags?.map((/** @type {string} */ tag) => `#${tag}`).join(' ')],
  ];
  return found.flatMap(([element, name, value]) => (value ? [{ element, name, value }] : []));
};

/** The value of a candidate as the form holds it. @param {string} field @param {string | number} value */
const heldValue = (field, value) =>
  field === 'amount' || field === 'total_amount' ? amount(String(value)) : field === 'count' ? String(value) : value;

/** A candidate in words. @param {string} field @param {Missing['candidates'][number]} candidate */
const candidateText = (field, { value, text }) => {
  if (field === 'amount' || field === 'total_amount') return inText(String(value));
  if (field !== 'date') return text;
  const { near, full } = dayName(String(value));
  return near ?? full;
};

/** A bill is paid only where one is due. @param {Missing} asked */
const isNoBill = ({ field, candidates }) => field === 'bill_id' && candidates.length === 0;

/**
 * The line, what was understood of it, and the questions that it leaves open. `focus` goes to a field by the name of its
 * element; `code` takes the code of a boleto or a Pix.
 * @param {{ line: Line, fields: Fields, filled: () => void, focus: (name: string) => void, entered: () => void, code: (text: string) => void }} props
 */
export const EntryLine = ({ line, fields, filled, focus, entered, code }) => {
  const w = lineWords.value,
    text = line.text.value,
    kind = line.kind.value,
    understood = chips(line, fields),
    asks = openIn(line, fields);
  useEffect(() => {
    if (line.read.peek() && line.of === text.trim()) return undefined;
    const own = new AbortController();
    const timer = setTimeout(
      () => void readLine(line, own.signal).then(isRead => isRead && filled()),
      PAUSE_MILLISECONDS,
    );
    return () => {
      clearTimeout(timer);
      own.abort();
    };
  }, [text]);
  const choose = (/** @type {string} */ field, /** @type {unknown} */ value) => {
    const name = HELD[field] ?? field;
    batch(() => {
      const held = fields[name];
      if (held) held.value = value;
      // The total, in place of the amount of each.
      if (field === 'total_amount' && fields.isEach) fields.isEach.value = false;
      line.chosen.value = new Set([...line.chosen.peek(), name]);
    });
    focus('line');
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    entered();
  };
  const types = /** @type {const} */ (['expense', 'income']);
  return div(
    { class: 'entry-line' },
    h(Input, { line, text: w.label, hint: w.example, pressed }),
    kind === 'code'
      ? div(
          { class: 'chips', role: 'status' },
          span(null, w.code),
          button({ class: 'link-button', type: 'button', onClick: () => code(text.trim()) }, w.code_do),
        )
      : div(
          { class: 'chips', role: 'group', 'aria-label': w.understood },
          (kind === 'payment' || (kind !== 'entry' && !isKindChosen(line))) && span({ class: 'quiet' }, w[kind]),
          understood.map(({ element, name, value }) =>
            button(
              {
                key: element,
                class: 'chip',
                type: 'button',
                'aria-label': w.chip(name, value),
                onClick: () => focus(element),
              },
              value,
            ),
          ),
        ),
    asks.map(({ field, candidates }) =>
      isNoBill({ field, candidates })
        ? p({ key: field, class: 'problem' }, w.missing[field])
        : candidates.length > 0 || field === 'type'
          ? fieldset(
              { key: field, class: 'asked', 'data-asks': field },
              legend(null, w.which[field]),
              div(
                { class: 'chips' },
                field === 'type'
                  ? types.map(type =>
                      button(
                        { key: type, class: 'button', type: 'button', onClick: () => choose(field, type) },
                        words.value.money[type],
                      ),
                    )
                  : candidates.map(one =>
                      button(
                        {
                          key: String(one.value),
                          class: 'button',
                          type: 'button',
                          onClick: () => choose(field, heldValue(field, one.value)),
                        },
                        candidateText(field, one),
                      ),
                    ),
              ),
            )
          : div(
              { key: field, class: 'chips' },
              button(
                { class: 'link-button', type: 'button', onClick: () => focus(NAMED[field] ?? field) },
                w.missing[field],
              ),
            ),
    ),
    p(
      { class: 'unseen', role: 'status' },
      understood.length > 0 && w.read(understood.map(({ name, value }) => w.chip(name, value)).join(', ')),
      ' ',
      asks.map(({ field, candidates }) => `${(candidates.length > 0 ? w.which : w.missing)[field]} `),
    ),
    line.error.value !== null &&
      (canWait && isUnread(line.error.value)
        ? p({ class: 'note', role: 'status' }, w.unread)
        : h(ProblemNote, { error: line.error.value, compact: true })),
  );
};

/** @param {{ line: Line, text: string, hint: string, pressed: (event: KeyboardEvent) => void }} props */
const Input = ({ line, text, hint, pressed }) => {
  const id = line.id;
  return div(
    { class: 'field' },
    label({ for: id }, text),
    input({
      id,
      name: 'line',
      type: 'text',
      autoComplete: 'off',
      autoFocus: true,
      maxLength: LINE_CHARACTERS_MAX,
      enterKeyHint: 'done',
      'aria-describedby': `${id}n`,
      value: line.text.value,
      onInput: event => (line.text.value = event.currentTarget.value),
      onKeyDown: pressed,
    }),
    small({ id: `${id}n`, class: 'hint' }, hint),
  );
};

/** The first open question, by its element in the line; else the name of the field. @param {Missing} asked */
export const placeOf = ({ field, candidates }) =>
  candidates.length > 0 || field === 'type' ? `[data-asks="${field}"] button` : `[name="${NAMED[field] ?? field}"]`;
