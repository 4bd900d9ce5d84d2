// Changes of single rows, and of several: each shows at once, and offers an undo if there is one.
import { get, post, remove } from '../../api.js';
import { dayAndMonth } from '../../dates.js';
import { nameOf } from '../../parts/amount.js';
import { dayName, detailsOf } from '../../parts/entry_fields.js';
import { attempt, toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';
import { accountName, categoryById, month, today } from '../../session.js';
import { again, inParts, isTransfer, items, list, marked, period, write } from '../../transactions.js';
import { language, words } from '../../words.js';
import { rulesWords } from '../../words/rules.js';
import { current, mark, show } from './cursor.js';

/** @typedef {import('../../transactions.js').Transaction} Transaction */
/** @typedef {import('../../transactions.js').Entry} Entry */

/** @param {Transaction[]} rows */
export const idsOf = rows => new Set(rows.map(row => row.id));

/** @param {Transaction} row */
const bodyOf = row => ({
  date: row.date,
  description: row.description,
  amount: row.amount,
  type: row.type,
  category_id: row.category_id,
  account_id: row.account_id,
  ...detailsOf(row),
});

/** @param {Transaction} saved @param {import('../../parts/undo.js').Recording} kept */
const saved = async (saved, kept) => {
  const known = list.data.peek(),
    { category_id: id } = saved;
  const isFiled = id !== null && known?.rows.find(row => row.id === saved.id)?.category_id !== id;
  if (known) list.data.value = { ...known, rows: known.rows.map(row => (row.id === saved.id ? saved : row)) };
  again();
  const w = words.value.transactions;
  toast(w.saved(nameOf(saved)), isFiled ? await offers(saved, id, nameOfCategory(id), kept) : kept.offer(again));
};

/** @param {number} id */
const nameOfCategory = id => categoryById.value.get(id)?.name ?? '';

/**
 * What is offered with the new category of one transaction: its undo, the others of its payee, and a rule.
 * @param {Transaction} row @param {number} id @param {string} category @param {import('../../parts/undo.js').Recording} kept
 */
const offers = async (row, id, category, kept) => {
  const payee = await payeeOf(row);
  return {
    ...kept.offer(again),
    ...(payee && payee.others > 0 && payee.key
      ? {
          also: /** @type {[string, () => void]} */ ([
            words.value.transactions.others(payee.others, payee.name),
            () => void changeOthers(row, id, category, kept),
          ]),
        }
      : {}),
    more: /** @type {[string, () => void]} */ ([rulesWords.peek().always_now, () => void makeRule(row, id)]),
  };
};

/** Copies a transaction, with today's date. @param {Transaction} row */
export const duplicate = async row => {
  const w = words.value.transactions;
  const copy = {
    ...row,
    id: -Date.now(),
    date: today.peek(),
    source: /** @type {const} */ ('manual'),
    external_id: null,
    original_date: null,
    import_id: null,
  };
  const { changed, offer } = recording();
  const isShown = period.peek() !== 'month' || today.peek().startsWith(month.peek());
  const added = await write(
    rows => (isShown ? [copy, ...rows].sort((one, other) => other.date.localeCompare(one.date)) : rows),
    () => post('/api/transactions', { body: bodyOf(copy), changed }),
    (rows, answer) => rows.map(one => (one.id === copy.id ? answer : one)),
  );
  if (added)
    toast(
      w.duplicated(nameOf(row), dayName(added.date).near ?? dayAndMonth(language.value, added.date, today.peek())),
      offer(again),
    );
};

/** @param {Transaction} row */
export const isRepeatable = row => !isTransfer(row) && row.source !== 'yield' && row.source !== 'opening_balance';

/** Opens the form of a recurring item, filled in from a transaction. @param {Transaction} row */
export const makeRecurring = row =>
  void import('../recurring/recurring_form.js').then(({ openRecurring }) => openRecurring({ row }));

/** Moves the focus to the next row if it is on a row that disappears. @param {number} key */
const keepFocus = key => {
  const index = items.peek().findIndex(item => item.key === key);
  const element = document.activeElement;
  if (index < 0 || !element || (element !== document.body && !element.closest('.row-window'))) return;
  requestAnimationFrame(() => {
    const left = items.peek();
    show(left[index]?.kind === 'row' ? index : left[index + 1]?.kind === 'row' ? index + 1 : index - 1);
  });
};

/**
 * Deletes a transaction, with an undo. One that was not entered by hand needs a confirmation.
 * @param {Transaction} row
 */
export const removeRow = async row => {
  const w = words.value.transactions,
    isPair = row.transfer_id !== null;
  if (row.source !== 'manual' || isTransfer(row)) {
    const { ask } = await import('../../parts/dialog.js');
    const text = isPair ? w.remove_transfer_text : row.import_id !== null ? w.remove_imported_text : w.remove_text;
    if (!(await ask({ title: isPair ? w.remove_transfer_title : w.remove_title(nameOf(row)), text, yes: w.remove })))
      return;
  }
  keepFocus(row.id);
  const { changed, offer } = recording();
  const isGone = await write(
    rows => rows.filter(one => one.id !== row.id && (row.transfer_id === null || one.transfer_id !== row.transfer_id)),
    async () => {
      const path = { id: row.transfer_id ?? row.id };
      await remove(isPair ? '/api/transfers/{id}' : '/api/transactions/{id}', { path, changed });
      return true;
    },
  );
  if (!isGone) return;
  mark([row.id], false);
  toast(w.removed(nameOf(row)), offer(again));
};

/** Brings a transfer into sight. @param {number | null} id */
const showTransfer = id =>
  requestAnimationFrame(() => show(items.peek().findIndex(item => item.kind === 'row' && item.row.transfer_id === id)));

/** @param {{ from: Transaction, to: Transaction }} sides */
export const link = async ({ from, to }) => {
  const { changed, offer } = recording();
  const made = await write(
    rows => rows,
    () => post('/api/transfers/link', { body: { from_id: from.id, to_id: to.id }, changed }),
    (rows, { from: left, to: reached }) =>
      rows.map(row => (row.id === left.id ? left : row.id === reached.id ? reached : row)),
  );
  if (!made) return;
  marked.value = new Set();
  showTransfer(made.id);
  toast(words.value.transactions.linked, offer(again));
};

/** @param {Transaction} row */
export const unlink = async row => {
  const { changed, offer } = recording();
  const sides = idsOf(list.data.peek()?.rows.filter(one => one.transfer_id === row.transfer_id) ?? []);
  const isDone = await write(
    rows =>
      rows.map(one => (one.transfer_id === row.transfer_id ? { ...one, transfer_id: null, is_transfer: false } : one)),
    () => post('/api/transfers/{id}/unlink', { path: { id: row.transfer_id ?? 0 }, changed }),
    // A side that was created for the transfer is deleted.
    (rows, { from, to }) =>
      rows.flatMap(one => (!sides.has(one.id) ? [one] : one.id === from?.id ? [from] : one.id === to?.id ? [to] : [])),
  );
  if (isDone) toast(words.value.transactions.unlinked, offer(again));
};

const actions = {
  saved,
  duplicate: (/** @type {Transaction} */ row) => void duplicate(row),
  remove: (/** @type {Transaction} */ row) => void removeRow(row),
  unlink: (/** @type {Transaction} */ row) => void unlink(row),
};

/**
 * Makes a rule that sets the category for this description, and applies it to stored transactions without one. The rule
 * is told as a sentence; its form opens on request.
 * @param {Transaction} row @param {number} id
 */
const makeRule = async (row, id) => {
  const { changed, offer } = recording();
  await attempt(async () => {
    const [{ ruleOf, sentence }, payee] = await Promise.all([import('../../rules.js'), payeeOf(row)]);
    const body = ruleOf(row.statement_description ?? row.description, id, payee?.key);
    const rule = await post('/api/rules', { body, changed });
    const { changed: count } = await post('/api/rules/apply', {
      body: { rule_ids: [rule.id], only_uncategorized: true },
      changed,
    });
    toast(count > 0 ? `${sentence(rule)} ${rulesWords.peek().applied(count)}` : sentence(rule), {
      also: [
        rulesWords.peek().adjust,
        () => void import('../settings/rule_form.js').then(({ openRule }) => openRule({ ...body, id: rule.id })),
      ],
      ...offer(again),
    });
  });
  again();
};

/**
 * Changes the category of all transactions of a row's payee, in one step with the change before.
 * @param {Transaction} row @param {number} id @param {string} category @param {import('../../parts/undo.js').Recording} before
 */
const changeOthers = async (row, id, category, { changed, offer }) => {
  await attempt(async () => {
    const body = { payee_of: row.id, category_id: id };
    const { updated } = await post('/api/transactions/update', { body, changed });
    toast(words.value.transactions.changed(updated, category), offer(again));
  });
  again();
};

/** The payee of a transaction; null if it cannot be read, as it is only an offer. @param {Transaction} row */
const payeeOf = row => get('/api/transactions/{id}/payee', { path: { id: row.id } }).catch(() => null);

/** @param {Entry} entry */
export const edit = ({ key, row, other }) => {
  current.value = key;
  void import('./edit_entry.js').then(({ openEntry }) =>
    openEntry(row, other, { ...actions, recur: isRepeatable(row) ? makeRecurring : null }),
  );
};

/**
 * Changes the category or the account of transactions, with an undo. False if it was refused.
 * @param {Transaction[]} rows
 * @param {'category_id' | 'account_id'} name
 * @param {number | null} id
 */
export const change = async (rows, name, id) => {
  const w = words.value.transactions,
    ids = idsOf(rows);
  const kept = recording(),
    { changed, offer } = kept;
  const isDone = await write(
    known => known.map(row => (ids.has(row.id) ? { ...row, [name]: id } : row)),
    async () => {
      await inParts([...ids], part => post('/api/transactions/update', { body: { ids: part, [name]: id }, changed }));
      return true;
    },
  );
  if (!isDone) {
    // Those of the requests before the refused one are changed.
    if (!kept.isEmpty()) again();
    return false;
  }
  const value =
    name === 'category_id'
      ? id === null
        ? words.value.form.no_category
        : nameOfCategory(id)
      : (accountName(id) ?? words.value.dashboard.no_account);
  const [one] = rows,
    offered = offer(again);
  if (!one || rows.length > 1) toast(w.changed(rows.length, value), offered);
  else {
    const isFiled = name === 'category_id' && id !== null;
    toast(w.changed_one(nameOf(one), value), isFiled ? await offers(one, id, value, kept) : offered);
  }
  return true;
};
