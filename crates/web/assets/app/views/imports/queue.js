// The queue of chosen files. It stays while the page lives, in every view. Another user never sees it.
import { computed, effect, signal } from '@preact/signals';
import { credential, get, getPage, resource } from '../../api.js';
import { accounts, memberOf } from '../../session.js';
import { fold } from '../../text.js';
import { arrivedAs, newStatement } from './statement.js';

export { arrivedAs };

/** @typedef {import('./statement.js').Statement} Statement */

const queue = signal(/** @type {Statement[]} */ ([])),
  at = signal(0);

/** All files of this round. */
export const files = computed(() => queue.value);

/** @typedef {'ready' | 'asks' | 'sent' | 'nothing'} Standing */
/**
 * Several files that are sorted and imported together.
 * @typedef {ReturnType<typeof newMany>} Many
 */
/** @param {Statement[]} statements */
const newMany = statements => ({
  statements,
  /** What each file that was read is. */
  standings: signal(/** @type {ReadonlyMap<Statement, Standing>} */ (new Map())),
  phase: signal(/** @type {'sorting' | 'ready' | 'sending' | 'done'} */ ('sorting')),
});
/** The files that are taken together. Null while they are asked about one by one. */
export const many = signal(/** @type {Many | null} */ (null));
/** @param {Statement[]} statements */
export const takeTogether = statements => (many.value = newMany(statements));

/** The current file. */
export const current = computed(() => queue.value[at.value] ?? null);
/** Its position in the queue. */
export const position = computed(() => ({ number: at.value + 1, of: queue.value.length }));

/** The newest imports, for the log and to guess where a file belongs. */
export const log = resource(signal => getPage('/api/imports', { query: { limit: 20 }, signal }));

/** The files that wait in the inbox, and those that were imported or dismissed. */
export const inbox = resource(signal => get('/api/inbox', { signal }));

/** A file name without the parts that change every month. @param {string} name */
const stem = name => fold(name).replace(/[\d()_\-. ]+/g, '');

/**
 * The account of the last file with this name, or the only account.
 * @param {string} name
 * @returns {number | null | undefined}
 */
export const guess = name => {
  const rows = accounts.data.peek() ?? [];
  const last = log.data
    .peek()
    ?.rows.find(
      row =>
        row.file_name !== null &&
        stem(row.file_name) === stem(name) &&
        rows.some(account => account.id === row.account_id),
    );
  return last?.account_id ?? (rows.length === 1 ? rows[0]?.id : undefined);
};

/** @param {Statement} statement */
const prepare = statement => {
  if (statement.account.peek() !== undefined) return;
  statement.account.value = arrivedAs.get(statement.file)?.item?.account_id ?? guess(statement.file.name);
};

/** @param {Iterable<File>} files */
export const add = files => {
  const added = [...files].map(newStatement);
  const [first] = added;
  if (!first) return;
  // Finished files are not part of the next round.
  const waiting =
    current.peek()?.step.peek() === 'result' ? queue.peek().slice(at.peek() + 1) : queue.peek().slice(at.peek());
  at.value = 0;
  queue.value = [...waiting, ...added];
  prepare(/** @type {Statement} */ (current.peek()));
};

/** Replaces the current file by another one. @param {File} file */
export const replace = file => {
  const before = current.peek();
  if (!before) return add([file]);
  before.cancel();
  const statement = newStatement(file);
  statement.account.value = before.account.peek();
  statement.isLooseCard.value = before.isLooseCard.peek();
  statement.isOnOneDay.value = before.isOnOneDay.peek();
  statement.paymentDate.value = before.paymentDate.peek();
  queue.value = queue.peek().map(known => (known === before ? statement : known));
};

/** Goes to the next file, or to the start if there is none. */
export const next = () => {
  current.peek()?.cancel();
  if (at.peek() + 1 < queue.peek().length) {
    at.value += 1;
    prepare(/** @type {Statement} */ (current.peek()));
  } else {
    clear();
  }
};

/**
 * Drops a file with `how`, once a person has agreed to lose the choices for its rows.
 * @param {Statement} statement @param {() => void} how
 */
export const drop = async ({ isTouched }, how) => {
  if (!isTouched.peek()) return how();
  const [{ ask }, { importWords }] = await Promise.all([
    import('../../parts/dialog.js'),
    import('../../words/imports.js'),
  ]);
  const r = importWords.peek().review;
  if (await ask({ title: r.discard_title, text: r.discard_text, yes: r.discard })) how();
};

/** Leaves only these files in the queue. @param {Statement[]} statements */
export const keep = statements => {
  queue.value = statements;
  at.value = 0;
};

export const clear = () => {
  queue.peek().forEach(statement => statement.cancel());
  many.value = null;
  queue.value = [];
  at.value = 0;
};

// Accounts may be loaded or created after the file was chosen.
effect(() => {
  const statement = current.value;
  if (accounts.data.value && many.value === null && statement?.step.value === 'file') prepare(statement);
});

let owner = memberOf(credential.peek()?.profile);
effect(() => {
  const member = memberOf(credential.value?.profile);
  if (member === undefined) return;
  if (owner !== undefined && owner !== member) clear();
  owner = member;
});

/** @param {BeforeUnloadEvent} event */
const ask = event => event.preventDefault();
// Closing or reloading the page would lose the file and the user's choices, so the browser asks.
effect(() => {
  const statement = current.value;
  const isOpen =
    statement !== null &&
    (statement.busy.value !== '' || statement.step.value !== 'result' || at.value + 1 < queue.value.length);
  if (isOpen) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
});
