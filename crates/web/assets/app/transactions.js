// The list of transactions: its filters are in the address, it loads page by page, and writes show at once.
import { computed, signal } from '@preact/signals';
import { get, getPage, resource } from './api.js';
import { cents, sum } from './money.js';
import { chosenMonth, place } from './router.js';
import { accounts, month, wrote } from './session.js';
import { tags } from './tags.js';

/** @typedef {import('../../types/client').Schemas['Transaction']} Transaction */
/** @typedef {{ kind: 'day', key: string, date: string, total: bigint | null }} Day */
/**
 * `other` is the other side of a transfer, if both are in the list.
 * @typedef {{ kind: 'row', key: number, row: Transaction, other: Transaction | null }} Entry
 */
/** @typedef {Record<string, string>} Filters */

const ROWS_FIRST = 100;
const ROWS_MORE = 300;
/** The most rows of a page, and the most ids of a write. */
export const ROWS_MAX = 1000;
const COPIED_ROWS_MAX = 10_000;
/** The filters in the address, beside the period. */
const NAMES = ['account_id', 'category_id', 'type', 'q', 'bill_id', 'import_id', 'source', 'tag'];
/** The filters of a report's row. A blank one finds rows without. */
export const REPORT_NAMES = ['kind', 'group', 'payee', 'member_id', 'date'];
/** The filters that may be blank. */
const BLANK = ['group', 'payee', 'tag'];

/**
 * The period: a month, all days, or a range. A bill or an import has its own days.
 * @type {import('@preact/signals').ReadonlySignal<'month' | 'all' | 'range'>}
 */
export const period = computed(() => {
  const { query } = place.value;
  if (chosenMonth.value) return 'month';
  if (query.get('from') || query.get('to')) return 'range';
  return query.get('month') === 'all' || query.get('bill_id') || query.get('import_id') ? 'all' : 'month';
});

/** The filters of the request. @type {import('@preact/signals').ReadonlySignal<Filters>} */
export const filters = computed(() => {
  const { query } = place.value;
  /** @type {Filters} */
  const found = {};
  if (period.value === 'month') found.month = month.value;
  const names = [...NAMES, ...REPORT_NAMES];
  for (const name of period.value === 'range' ? ['from', 'to', ...names] : names) {
    const value = query.get(name)?.trim();
    // An empty parameter would be left out of the request.
    if (value) found[name] = value;
    else if (value === '' && BLANK.includes(name)) found[name] = ' ';
  }
  return found;
});

/** The filters as one text, to compare them. */
export const asked = computed(() => JSON.stringify(filters.value));
/** The number of filters, beside the month. */
export const filterCount = computed(
  () => NAMES.filter(name => filters.value[name]).length + (REPORT_NAMES.some(name => filters.value[name]) ? 1 : 0),
);

/** The number of rows to read: as many as were read before. */
let rows_wanted = ROWS_FIRST;
/** @param {number} count */
export const wantRows = count => (rows_wanted = Math.max(ROWS_FIRST, count));

/** @param {string} next @param {number} limit @param {AbortSignal} [signal] */
const follow = (next, limit, signal) => {
  const address = new URL(next, location.origin);
  address.searchParams.set('limit', String(limit));
  return getPage(/** @type {'/api/transactions'} */ (address.pathname + address.search), signal ? { signal } : {});
};

/** The rows read so far, newest first. */
export const list = resource(async signal => {
  const query = filters.peek(),
    of = asked.peek(),
    count = rows_wanted;
  let { rows, next } = await getPage('/api/transactions', {
    query: { ...query, limit: Math.min(ROWS_MAX, count) },
    signal,
  });
  while (next && rows.length < count) {
    const page = await follow(next, Math.min(ROWS_MAX, count - rows.length), signal);
    rows = rows.concat(page.rows);
    next = page.next;
  }
  return { of, rows, next };
});

export const summary = resource(signal => get('/api/transactions/summary', { query: filters.peek(), signal }));

/** The next page: whether it is loading, and its error. */
export const more = { busy: signal(false), error: signal(/** @type {unknown} */ (null)) };

export const readMore = async () => {
  const known = list.data.peek();
  if (!known?.next || more.busy.peek() || list.busy.peek()) return;
  more.busy.value = true;
  more.error.value = null;
  try {
    const page = await follow(known.next, ROWS_MORE);
    const now = list.data.peek();
    // If the filters changed or the list was reloaded meanwhile, the page does not belong to it.
    if (now?.of === known.of && now.next === known.next)
      list.data.value = { ...now, rows: now.rows.concat(page.rows), next: page.next };
  } catch (error) {
    more.error.value = error;
  }
  more.busy.value = false;
};

/** The rows of all pages, up to the most that can be copied. */
export const allRows = async () => {
  const known = list.data.peek();
  let rows = known?.rows ?? [],
    next = known?.next;
  while (next && rows.length < COPIED_ROWS_MAX) {
    const page = await follow(next, ROWS_MAX);
    rows = rows.concat(page.rows);
    next = page.next;
  }
  return rows;
};

export const read = () => {
  more.error.value = null;
  void list.load();
  void summary.load();
};

/** Newest first, as the service lists them. @param {Transaction[]} rows */
const sorted = rows => [...rows].sort((one, other) => other.date.localeCompare(one.date) || other.id - one.id);

/**
 * Reloads the data that a write may have changed. A list of more than a page takes long, so it is not read where it shows the write
 * already.
 * @param {boolean} isShown
 */
const reload = isShown => {
  const known = list.data.peek();
  if (isShown && known && known.rows.length > ROWS_MAX) {
    // An answer that is on its way may be older.
    list.set({ ...known, rows: sorted(known.rows) });
    void summary.load();
  } else {
    wantRows(known?.rows.length ?? 0);
    read();
  }
  void accounts.load();
  void tags.load();
  void wrote();
};
export const again = () => reload(false);

/**
 * Shows a write at once. If the service refuses it, the change is reverted and the error is shown. `settle` applies the
 * answer.
 * @template T @param {(rows: Transaction[]) => Transaction[]} change @param {() => Promise<T>} work
 * @param {(rows: Transaction[], answer: T) => Transaction[]} [settle]
 * @returns {Promise<T | undefined>} Undefined if it was refused.
 */
export const write = async (change, work, settle) => {
  const end = list.tentatively(known => ({ ...known, rows: change(known.rows) })),
    shown = list.data.peek();
  try {
    const answer = await work(),
      now = list.data.peek();
    end(true);
    // An answer that is on its way is older.
    if (settle && now) list.set({ ...now, rows: settle(now.rows, answer) });
    reload(true);
    return answer;
  } catch (error) {
    const isAsShown = list.data.peek() === shown;
    end(false);
    if (!isAsShown) void list.load();
    (await import('./parts/toast.js')).failed(error);
    return undefined;
  }
};

/** Splits a list into parts that one write accepts. @template T @param {T[]} all */
const chunks = all =>
  Array.from({ length: Math.ceil(all.length / ROWS_MAX) }, (_, index) =>
    all.slice(index * ROWS_MAX, (index + 1) * ROWS_MAX),
  );

/** How far a write or a read of many rows is; null if none runs. */
export const progress = signal(/** @type {{ done: number, all: number } | null} */ (null));

/** Does the writes of all parts, one after the other. @param {number[]} ids @param {(part: number[]) => Promise<unknown>} work */
export const inParts = async (ids, work) => {
  const parts = chunks(ids);
  let done = 0;
  try {
    for (const part of parts) {
      if (parts.length > 1) progress.value = { done, all: ids.length };
      await work(part);
      done += part.length;
    }
  } finally {
    progress.value = null;
  }
};

/** Reads all pages of the list, and marks every row that the filters find. */
export const markAll = async () => {
  if (progress.peek()) return;
  try {
    for (;;) {
      const known = list.data.peek();
      if (!known?.next) break;
      progress.value = { done: known.rows.length, all: summary.data.peek()?.count ?? known.rows.length };
      const page = await follow(known.next, ROWS_MAX),
        now = list.data.peek();
      // The filters changed meanwhile, so there is nothing to mark.
      if (now?.of !== known.of) return;
      if (now.next === known.next) list.set({ ...now, rows: now.rows.concat(page.rows), next: page.next });
    }
    marked.value = new Set([
      ...marked.peek(),
      ...items.peek().flatMap(item => (item.kind === 'row' ? [item.key] : [])),
    ]);
  } catch (error) {
    more.error.value = error;
  } finally {
    progress.value = null;
  }
};

/** Neither income nor expense: a side of a transfer, paired or single. @param {Transaction} row */
export const isTransfer = row => row.is_transfer;

/** What counts of a row, signed: of a split one the lines of the category that is looked for. @param {Transaction} row */
export const counted = row => {
  if (isTransfer(row) || row.source === 'opening_balance') return 0n;
  const of = filters.value.category_id,
    amount =
      of && row.lines
        ? sum(row.lines.flatMap(line => (`${line.category_id}` === `${of}` ? line.amount : [])))
        : cents(row.amount);
  return row.type === 'income' ? amount : -amount;
};

/** The rendered entries: a line for each day, then its rows. Both sides of a transfer are one entry. */
export const items = computed(() => {
  /** @type {(Day | Entry)[]} */
  const found = [];
  const data = list.data.value;
  if (!data) return found;
  /** @type {Map<number, Entry>} */
  const transfers = new Map();
  let day = /** @type {Day | null} */ (null);
  for (const row of data.rows) {
    const known = row.transfer_id === null ? undefined : transfers.get(row.transfer_id);
    if (known) {
      known.other = row;
      continue;
    }
    if (!day || day.date !== row.date) {
      day = { kind: 'day', key: row.date, date: row.date, total: 0n };
      found.push(day);
    }
    if (day.total !== null) day.total += counted(row);
    /** @type {Entry} */
    const entry = { kind: 'row', key: row.id, row, other: null };
    if (row.transfer_id !== null) transfers.set(row.transfer_id, entry);
    found.push(entry);
  }
  // The last day may continue on the next page.
  if (day && data.next) day.total = null;
  return found;
});

/** The ids of the selected rows. */
export const marked = signal(/** @type {ReadonlySet<number>} */ (new Set()));
/** What is known of selected rows that the search has left out of the list, by the row that is selected. */
const left = /** @type {Map<number, Transaction[]>} */ (new Map());
/** The selected rows, with both sides of a transfer: those of the list, and those that a search has left out. */
export const markedRows = computed(() => {
  const ids = marked.value;
  for (const id of left.keys()) if (!ids.has(id)) left.delete(id);
  if (ids.size === 0) return [];
  for (const item of items.value)
    if (item.kind === 'row' && ids.has(item.key)) left.set(item.key, item.other ? [item.row, item.other] : [item.row]);
  return [...left.values()].flat();
});
