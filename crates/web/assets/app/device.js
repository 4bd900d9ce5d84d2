// What waits on this device, in IndexedDB: entries without an answer, and what was shared with the page. The service
// worker opens the same database (sw.js).

/** @typedef {'waiting' | 'shared'} Place */
/**
 * An entry that has no answer yet: what a person typed, for whom it is sent, and under which key.
 *
 * A line has `text`, the day `on` which it was typed, and the account of the form, unless that was not known; `set` are fields that the person
 * filled in. Its `path` and `body` are known once it was read; an entry that was filled in has them from the start.
 * `sent_at` is when it was first sent, `held_until` until when the page that is sending it has it alone.
 * @typedef {{
 *   id: number, member: string, key: string, title: string,
 *   text?: string, on?: string, account?: number | null, set?: Record<string, unknown>,
 *   path?: string, body?: Record<string, any>,
 *   sent_at?: number | undefined, held_until?: number,
 *   state?: 'asks' | 'refused' | 'doubtful' | undefined, reason?: Reason | undefined,
 * }} Waiting
 */
/** Why it was refused. @typedef {{ code: string, errors: import('../../types/client').FieldError[] }} Reason */
/** A file or a text that was shared. A file that is too large is named only. @typedef {{ id: number, name?: string, file?: Blob, text?: string }} Shared */

const DATABASE = 'finance',
  VERSION = 1;

/** Whether entries can wait here: it takes https or localhost, as the service worker does. */
export const canWait = isSecureContext && 'indexedDB' in globalThis && navigator.locks !== undefined;

/** @type {Promise<IDBDatabase> | null} */
let opened = null;
const database = () =>
  (opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, VERSION);
    request.onupgradeneeded = () => {
      for (const name of ['waiting', 'shared'])
        request.result.createObjectStore(name, { keyPath: 'id', autoIncrement: true });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => {
      opened = null;
      reject(request.error);
    };
  }));

/** Whether this browser lets the page keep anything: a full disk or a private window may not. */
export const isUsable = async () => {
  try {
    return canWait && (await database()) !== null;
  } catch {
    return false;
  }
};

/**
 * One transaction. Its result is there once it is on the disk.
 * @template T
 * @param {Place[]} places @param {IDBTransactionMode} mode
 * @param {(store: (place: Place) => IDBObjectStore, done: (value: T) => void) => void} work
 * @returns {Promise<T>}
 */
const transact = async (places, mode, work) => {
  const known = await database();
  return new Promise((resolve, reject) => {
    const transaction = known.transaction(places, mode, { durability: 'strict' });
    let found = /** @type {any} */ (undefined);
    transaction.oncomplete = () => resolve(found);
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
    work(
      place => transaction.objectStore(place),
      value => (found = value),
    );
  });
};

/** Everything in one place, in order. @template {Place} P @param {P} place @returns {Promise<(P extends 'waiting' ? Waiting : Shared)[]>} */
export const all = place =>
  transact([place], 'readonly', (store, done) => {
    const request = store(place).getAll();
    request.onsuccess = () => done(request.result);
  });

/**
 * Adds an entry unless there are too many. Returns its id, or null.
 * @param {Omit<Waiting, 'id'>} item @param {number} most @returns {Promise<number | null>}
 */
export const add = (item, most) =>
  transact(['waiting'], 'readwrite', (store, done) => {
    const waiting = store('waiting'),
      counted = waiting.count();
    counted.onsuccess = () => {
      if (counted.result >= most) return done(null);
      const added = waiting.add(item);
      added.onsuccess = () => done(Number(added.result));
    };
  });

/**
 * Changes an entry that is still there. Returns it, or null.
 * @param {number} id @param {Partial<Waiting>} change @returns {Promise<Waiting | null>}
 */
export const update = (id, change) =>
  transact(['waiting'], 'readwrite', (store, done) => {
    const waiting = store('waiting'),
      known = waiting.get(id);
    known.onsuccess = () => {
      if (!known.result) return done(null);
      const changed = { ...known.result, ...change };
      waiting.put(changed);
      done(changed);
    };
  });

/** @param {Place} place @param {number} id @returns {Promise<void>} */
export const drop = (place, id) => transact([place], 'readwrite', store => void store(place).delete(id));

/** Wipes everything. @returns {Promise<void>} */
export const wipe = () =>
  transact(['waiting', 'shared'], 'readwrite', store => {
    store('waiting').clear();
    store('shared').clear();
  });
