// Sends what has no answer yet, in order, from one tab at a time, each under the key of its first attempt.
import { computed, effect, signal } from '@preact/signals';
import { credential, get, newKey, online, post, postOnce, Problem } from './api.js';
import { add, all, canWait, drop, isUsable, update, wipe } from './device.js';
import { local, store, stored } from './dom.js';
import { ask } from './parts/dialog.js';
import { toast } from './parts/toast.js';
import { accounts, me, memberOf, reread, today } from './session.js';
import { usualAccount } from './parts/usual_account.js';
import { wordsOf } from './words.js';

/** @typedef {import('./device.js').Waiting} Waiting */
/** @typedef {import('./session.js').Schemas['ParsedEntry']} Parsed */

export const outboxWords = await wordsOf('outbox');

/** The most entries that wait. */
export const WAITING_MAX = 200;
/** The service keeps a key for 24 hours. After this time the entry might be stored twice, so a person decides. */
const KEY_MILLISECONDS = 23 * 3_600_000;
/** How long the page that sends an entry has it alone. Then it was closed, and another one sends the entry. */
const HELD_MILLISECONDS = 120_000;
/** When a busy service is asked again, unless it says when. */
const BUSY_MILLISECONDS = 30_000;

/** Every entry on this device that a person has to know of. */
const known = signal(/** @type {Waiting[]} */ ([]));
const member = computed(() => memberOf(credential.value?.profile));
/** Those of the member who is logged in. */
export const waiting = computed(() => known.value.filter(one => one.member === member.value));

const tabs = new BroadcastChannel('finance.outbox');

/** @param {Waiting} item */
const isHeld = ({ held_until: until = 0 }) => until > Date.now();

/** The toasts that say that an entry waits, by its id. @type {Map<number, () => void>} */
const toasts = new Map();
/** Says that an entry waits, until it is sent or needs a person. @param {number} id @param {string} text */
export const tellWaits = (id, text) => {
  toasts.set(id, toast(text));
  void refresh();
};

/** @type {number | undefined} */
let timer;
/** Looks again at what waits on this device. */
const refresh = async () => {
  if (!(await isUsable())) return;
  const found = await all('waiting');
  known.value = found.filter(one => !isHeld(one));
  for (const [id, close] of toasts)
    if (!found.some(one => one.id === id && !one.state)) {
      close();
      toasts.delete(id);
    }
  const next = Math.min(...found.filter(isHeld).map(one => one.held_until ?? 0));
  if (Number.isFinite(next)) later(next - Date.now());
};
const tell = async () => {
  tabs.postMessage('changed');
  await refresh();
};
tabs.onmessage = () => void refresh();

/** @param {number} milliseconds */
const later = milliseconds => {
  clearTimeout(timer);
  timer = window.setTimeout(() => void refresh().then(sendAll), milliseconds);
};

/**
 * Keeps an entry until it has an answer. Null if there are too many.
 * @param {Omit<Waiting, 'id' | 'member' | 'key'> & { key?: string }} item
 */
export const keep = async item => {
  const own = memberOf(credential.peek()?.profile);
  if (own === undefined || !(await isUsable())) return null;
  const id = await add({ key: newKey(), ...item, member: own }, WAITING_MAX);
  if (id === null) return null;
  await tell();
  if (!item.held_until) void sendAll();
  return id;
};

/**
 * Keeps an entry while this page sends it, so that it is not lost with the page. Null where nothing can be kept.
 * @param {Omit<Waiting, 'id' | 'member'>} item
 */
export const hold = item => keep({ ...item, sent_at: Date.now(), held_until: Date.now() + HELD_MILLISECONDS });

/** The entry has no answer: it waits for the connection. @param {number} id */
export const release = async id => {
  await update(id, { held_until: 0 });
  await tell();
  void sendAll();
};

/** It was answered, or a person has dropped it. @param {number} id */
export const forget = async id => {
  await drop('waiting', id);
  await tell();
};

/** Puts a dropped entry back. @param {Waiting} item */
export const putBack = async ({ id: _, ...item }) => {
  await add(item, WAITING_MAX);
  await tell();
  void sendAll();
};

/** A person sends it again, which is another request. @param {number} id */
export const resend = async id => {
  await update(id, { state: undefined, sent_at: undefined, key: newKey() });
  await tell();
  void sendAll();
};

/**
 * What a line is sent as: what it says, then what the person filled in, then the account of the form.
 * @param {Parsed} read @param {Pick<Waiting, 'set' | 'account'>} item
 */
const complete = ({ path, body, missing }, { set = {}, account }) => {
  const own = /** @type {Record<string, any>} */ ({ ...body }),
    left = missing.filter(({ field }) => !(field in set));
  for (const [field, value] of Object.entries(set)) if (field in own) own[field] = value;
  // An amount in the form is the total, unless it says otherwise.
  if ('total_amount' in own && 'total_amount' in set) own.amount = null;
  if (path === '/api/transactions' && own.account_id === null && left.every(({ field }) => field !== 'account_id'))
    own.account_id = account ?? null;
  return { path, body: own, isWhole: path !== null && left.length === 0 };
};

/**
 * A line as the service reads it, with the day on which it was written. A device may be a day ahead of the service, whose day
 * counts then.
 * @param {string} text @param {string | null} [on]
 */
export const written = async (text, on) => {
  if (on && (me.data.peek() === null || on > today.peek())) me.set(await get('/api/auth/me'));
  return { text, ...(on && on <= today.peek() && { on }) };
};

/** @param {Problem} problem */
const isBusy = ({ code, status }) => code === 'Offline' || status === 408 || status === 429 || status >= 500;

/** Whether the service answers. A request to one that does not might look as if it had been sent. */
const isThere = async () => {
  try {
    return (await fetch('/healthz', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
};

/** @param {Waiting} item @returns {Promise<'sent' | 'asks' | 'gone' | number>} A number is when to try again. */
const step = async item => {
  if (item.sent_at && Date.now() - item.sent_at > KEY_MILLISECONDS) {
    await update(item.id, { state: 'doubtful' });
    return 'asks';
  }
  // Nobody else's token sends it.
  const isOwn = () => item.member === memberOf(credential.peek()?.profile);
  let { path, body } = item;
  try {
    if (!path || !body) {
      const { text = '' } = item;
      const read = await postOnce('/api/entries/parse', { body: await written(text, item.on) });
      // The accounts were not known where the line was typed.
      if (item.account === undefined && accounts.data.peek() === null) await accounts.load();
      if (item.account === undefined && accounts.data.peek() === null) return BUSY_MILLISECONDS;
      const whole = complete(read, { account: usualAccount(), ...item });
      if (!whole.isWhole || whole.path === null) {
        await update(item.id, { state: 'asks' });
        return 'asks';
      }
      ({ path, body } = /** @type {{ path: string, body: Record<string, any> }} */ (whole));
    } else if (!(await isThere())) return BUSY_MILLISECONDS;
    const kept = await update(item.id, { path, body, sent_at: item.sent_at ?? Date.now() });
    if (kept === null || !isOwn()) return 'gone';
    await post(/** @type {any} */ (path), { key: item.key, body: /** @type {any} */ (body) });
    await drop('waiting', item.id);
    return 'sent';
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (credential.peek() === null || error.status === 401) return BUSY_MILLISECONDS;
    if (isBusy(error)) return (error.retryAfter || 0) * 1000 || BUSY_MILLISECONDS;
    const { code, errors } = error;
    // A refused request has changed nothing, and may be corrected under the same key.
    await update(item.id, { state: 'refused', reason: { code, errors }, sent_at: undefined });
    return 'asks';
  }
};

const work = async () => {
  let sent = 0,
    asked = 0;
  for (;;) {
    const own = memberOf(credential.peek()?.profile);
    const item = (await all('waiting')).find(one => one.member === own && !one.state && !isHeld(one));
    if (!item) break;
    const outcome = await step(item);
    await tell();
    if (typeof outcome === 'number') {
      later(outcome);
      break;
    }
    if (outcome === 'sent') sent++;
    if (outcome === 'asks') asked++;
    if (outcome === 'gone') break;
  }
  const w = outboxWords.peek();
  if (sent > 0) {
    reread();
    toast(w.sent(sent));
  }
  if (asked > 0) toast(w.asked(asked), { isProblem: true });
};

let isSending = false,
  isWanted = false;
/** Sends everything that can be sent, when no other tab does. */
const sendAll = async () => {
  isWanted = true;
  if (isSending || !online.peek() || !(await isUsable())) return;
  if (isSending) return;
  isSending = true;
  try {
    await navigator.locks.request('finance.outbox', async () => {
      while (isWanted) {
        isWanted = false;
        await work();
      }
    });
  } finally {
    isSending = false;
  }
};

/** How many things on this device would be lost. @param {(item: Waiting) => boolean} isLost @param {boolean} withShared */
const lost = async (isLost, withShared) => {
  if (!(await isUsable())) return 0;
  const shared = withShared ? (await all('shared')).length : 0;
  return (await all('waiting')).filter(isLost).length + shared;
};

/** Before a logout: says how many things are lost, and wipes them. False if the person stays. */
export const leaves = async () => {
  const count = await lost(() => true, true),
    w = outboxWords.peek();
  if (count > 0) {
    if (!(await ask({ title: w.leave_title, text: w.leave_text(count), yes: w.leave }))) return false;
    await wipe();
    await tell();
  }
  return true;
};

/**
 * Before another member's login: says how many things are lost, and wipes them. False if that member goes.
 * @param {string | undefined} own
 */
export const admits = async own => {
  const before = stored(local, 'member'),
    isOther = before !== null && before !== own;
  const count = await lost(one => one.member !== own, isOther),
    w = outboxWords.peek();
  if (count > 0) {
    if (!(await ask({ title: w.enter_title, text: w.enter_text(count), yes: w.enter }))) return false;
    if (isOther) await wipe();
    else for (const { id, member: of } of await all('waiting')) if (of !== own) await drop('waiting', id);
    await tell();
  }
  return true;
};

if (canWait) {
  // For whom it is that what is shared comes, once somebody else logs in.
  effect(() => {
    if (member.value !== undefined) store(local, 'member', member.value);
  });
  effect(() => {
    // Nothing is sent without a connection, but what waits is told.
    void online.value;
    if (member.value !== undefined) void refresh().then(sendAll);
  });
}
