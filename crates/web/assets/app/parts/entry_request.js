// What the form for a new entry sends, and what becomes of it with and without an answer.
import { newKey, online, post, Problem } from '../api.js';
import { dayInWords } from '../dates.js';
import { canWait } from '../device.js';
import { decimal, read } from '../money.js';
import { forget, hold, keep, release, tellWaits, waiting, WAITING_MAX } from '../outbox.js';
import { accountById, accounts, reread, today, todayHere } from '../session.js';
import { language } from '../words.js';
import { lineWords } from '../words/line.js';
import { inText } from './amount.js';
import { decimalOf } from './amount_field.js';
import { bodyOf, dayName } from './entry_fields.js';
import { begun, canRepeat, isDetailed, isOnCard } from './entry_form.js';
import { changedIn, openIn } from './entry_line.js';
import { invalid } from './field.js';
import { message } from './problem.js';
import { toast } from './toast.js';
import { recording } from './undo.js';

/** @typedef {import('./entry_form.js').EntryForm} EntryForm */
/** A request, what it is called, and whether it comes again every month. @typedef {{ path: string, body: Record<string, any>, title: string, repeats?: boolean }} Request */
/** The routes that save an entry. @typedef {'/api/transactions' | '/api/installments' | '/api/transfers' | '/api/credit-bills/{id}/pay'} Saved */

/** @param {EntryForm} form @param {string[]} wrong @returns {Request} */
const paymentOf = ({ draft, line }, wrong) => {
  if (!draft.date.value) wrong.push('date');
  if (line.bill.value === null) wrong.push('bill_id');
  if (wrong.length > 0) throw invalid(...new Set(wrong));
  return {
    path: `/api/credit-bills/${line.bill.value}/pay`,
    body: { account_id: line.payer.value, date: draft.date.value },
    title: line.text.value,
  };
};

/** @param {EntryForm} form @param {string[]} wrong @returns {Request} */
const transferOf = ({ draft, line }, wrong) => {
  const amount = decimalOf(draft.amount.value),
    description = draft.description.value.trim() || null;
  if (amount === null) wrong.push('amount');
  if (!draft.date.value) wrong.push('date');
  const accounts = { from_account_id: line.from.value, to_account_id: line.to.value },
    open = Object.entries(accounts).flatMap(([field, id]) =>
      id ? [] : { field, code: /** @type {const} */ ('required_for_transfer') },
    ),
    others = new Set(wrong.filter(field => !(field in accounts)));
  if (open.length + others.size > 0) throw invalid(...others, ...open);
  return {
    path: '/api/transfers',
    body: {
      from_account_id: line.from.value ?? 0,
      to_account_id: line.to.value ?? 0,
      amount,
      date: draft.date.value,
      description,
    },
    title: `${description ?? lineWords.value.transfer}, ${inText(amount ?? '0')}`,
  };
};

/**
 * The request that saves the form. Throws which fields are wrong.
 * @param {EntryForm} form @param {typeof import('./installment_fields.js') | null} installments @returns {Request}
 */
export const requestOf = (form, installments) => {
  const { draft, parts, line, fields } = form,
    wrong = openIn(line, fields).map(({ field }) => (field === 'total_amount' ? 'amount' : field));
  if (line.kind.value === 'payment') return paymentOf(form, wrong);
  if (line.kind.value === 'transfer') return transferOf(form, wrong);
  const split = isOnCard(form) && parts.isOn.value ? installments : null,
    lost = split && isDetailed(form) ? ['note'] : [],
    body = bodyOf(draft, [...wrong, ...(split?.wrongIn(parts) ?? []), ...lost]),
    title = `${body.description}, ${inText(body.amount)}`;
  return split
    ? { path: '/api/installments', body: split.planOf(parts, body), title }
    : { path: '/api/transactions', body, title, repeats: form.repeats.value && canRepeat(form) };
};

/** `hoje`, `ontem`, or the day. @param {string} date */
const dayOf = date => dayName(date).near?.toLowerCase() ?? dayInWords(language.value, date, today.value);

/** What was saved, in words. @param {Request} request @param {any} answer */
const savedText = ({ path, body }, answer) => {
  const w = lineWords.value;
  if (path === '/api/installments')
    return w.saved(answer.description, `${answer.count} × ${inText(answer.amount)}`, dayOf(answer.first_date));
  if (path === '/api/transfers')
    return w.saved(body.description ?? w.transfer, inText(answer.from.amount), dayOf(answer.from.date));
  if (path === '/api/transactions') return w.saved(answer.description, inText(answer.amount), dayOf(answer.date));
  const bill = `${w.bill} ${accountById.value.get(answer.account_id)?.name ?? ''}`.trim();
  return answer.status === 'paid' ? w.paid(bill) : w.paid_part(bill, inText(answer.amount_due));
};

/** Says that there is no room for another entry that waits. False if there is. */
const isFull = () => {
  const is = waiting.peek().length >= WAITING_MAX;
  if (is) toast(lineWords.peek().full(WAITING_MAX), { isProblem: true });
  return is;
};

/** Makes a saved entry come again every month. @param {any} answer @param {(id: number) => void} changed */
const repeat = ({ description, amount, type, category_id, account_id, date }, changed) =>
  post('/api/recurring', {
    key: newKey(),
    body: { description, amount, type, category_id, account_id, start_on: date, day: Number(date.slice(8)) },
    changed,
  });

/**
 * Saves it, or keeps it on this device until there is an answer.
 * @param {Request} request @param {string} key @returns {Promise<() => void>} Tells what was saved.
 */
export const save = async (request, key) => {
  const { path, body, title, repeats = false } = request,
    w = lineWords.peek(),
    waits = (/** @type {number} */ id) => () => tellWaits(id, `${w.waits(title)}${repeats ? ` ${w.unrepeated}` : ''}`);
  if (canWait && !online.peek()) {
    const kept = await keep({ title, path, body, key });
    if (kept !== null) return waits(kept);
    isFull();
  }
  const held = canWait ? await hold({ title, path, body, key }) : null,
    record = recording();
  try {
    const answer = await post(/** @type {Saved} */ (path), {
      key,
      body: /** @type {any} */ (body),
      changed: record.changed,
    });
    if (held !== null) await forget(held);
    const text = savedText(request, answer);
    let failure = /** @type {unknown} */ (null);
    if (repeats)
      await repeat(answer, record.changed).catch(error => {
        failure = error;
      });
    return () => {
      toast(repeats && failure === null ? w.repeats(text, Number(body.date.slice(8))) : text, record.offer(reread));
      if (failure !== null) toast(`${w.unrepeated} ${message(failure)}`, { isProblem: true });
      reread();
    };
  } catch (error) {
    if (held !== null && error instanceof Problem && error.code === 'Offline') {
      await release(held);
      return waits(held);
    }
    if (held !== null) await forget(held);
    throw error;
  }
};

/** Keeps a line that nobody could read. Returns whether it is kept. @param {EntryForm} form */
export const keepLine = async form => {
  const { draft, line, fields } = form,
    text = line.text.peek().trim();
  /** @param {string} name */
  const value = name => {
    const found = fields[name]?.peek();
    return name !== 'amount' ? found : decimal(read(found) ?? 0n);
  };
  const set = Object.fromEntries(changedIn(line, fields, begun(form)).map(([field, name]) => [field, value(name)]));
  const account = accounts.data.peek() ? { account: draft.account.peek() } : {};
  const kept = await keep({ title: text, text, on: line.on ?? todayHere(), ...account, set });
  if (kept === null) {
    isFull();
    return false;
  }
  const w = lineWords.peek();
  tellWaits(kept, `${w.waits(text)}${form.repeats.peek() ? ` ${w.unrepeated}` : ''}`);
  return true;
};
