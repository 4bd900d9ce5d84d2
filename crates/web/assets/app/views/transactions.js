// Transactions: by day, filtered by what the address says, changed in place or many at once.
import { effect, signal, untracked, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { get, post, remove, resource } from '../api.js';
import { a, button, classes, div, h, h1, input, label, option, p, section, select, span, td, th, thead, tr } from '../dom.js';
import { dayAndMonth, lastDay, monthName, shortDate } from '../dates.js';
import { quickAdd } from '../frame.js';
import { bind, rowKeys } from '../keys.js';
import { cents, decimal } from '../money.js';
import { Amount, partOf, said, Signed } from '../parts/amount.js';
import { categoryColor } from '../parts/budget_bar.js';
import { CopyButton } from '../parts/copy_table.js';
import { enteredByOther, useNames } from '../parts/entered_by.js';
import { dayName, detailsOf } from '../parts/entry_fields.js';
import { icon } from '../parts/icon.js';
import { otherPeriod } from '../parts/month_switch.js';
import { ProblemNote } from '../parts/problem.js';
import { Rows } from '../parts/rows.js';
import { toast } from '../parts/toast.js';
import { wide } from '../parts/wide.js';
import { go, place, withQuery } from '../router.js';
import { accountById, accounts, canWrite, categories, categoryById, changed, month, today } from '../session.js';
import { tags } from '../tags.js';
import { again, allRows, asked, chunks, filterCount, filters, isTransfer, items, list, marked, markedRows, more, period, read, readMore, ROWS_MAX, summary, wantRows, write } from '../transactions.js';
import { language, words } from '../words.js';
import { rulesWords } from '../words/rules.js';

/** @typedef {import('../transactions.js').Transaction} Transaction */
/** @typedef {import('../transactions.js').Entry} Entry */
/** @typedef {import('../transactions.js').Day} Day */

/** How long somebody pauses before a text is looked for. */
const PAUSE_MILLISECONDS = 150;
/** What opens by a key is asked for after this time, so that what is typed then finds it. */
const LATER_MILLISECONDS = 1000;
/** How long the page lies still before its place is kept. */
const STILL_MILLISECONDS = 200;

/** A table with columns; below it a row has two lines. */
const hasColumns = wide('(min-width: 1100px)');
/** Room for what can be done beside a row; below it that is behind the row. */
const hasActions = wide('(min-width: 600px)');

/** The row that the keys go by. */
const current = signal(/** @type {number | null} */ (null));
/** The row whose category is being chosen in place. */
const choosing = signal(/** @type {number | null} */ (null));
/** @type {{ current: import('../parts/rows.js').Control | null }} */
const drawn = { current: null };

/** @param {number | null} id */
const accountName = id => (id === null ? null : accountById.value.get(id)?.name ?? null);

/** What a row is called where it has no category of its own. @param {Transaction} row */
const categoryName = row => {
  const w = words.value;
  if (row.lines) return w.form.split;
  const known = row.category_id === null ? undefined : categoryById.value.get(row.category_id);
  if (known) return known.name;
  return row.source === 'opening_balance' || row.source === 'yield' ? w.entry.sources[row.source] : w.form.no_category;
};

// ————— what is done to rows

/** @param {Transaction[]} rows */
const idsOf = rows => new Set(rows.map(row => row.id));

/** @param {Transaction} row */
const bodyOf = row => ({ date: row.date, description: row.description, amount: row.amount, type: row.type, category_id: row.category_id, account_id: row.account_id, ...detailsOf(row) });

/** @param {Transaction} saved */
const saved = saved => {
  const known = list.data.peek();
  if (known) list.data.value = { ...known, rows: known.rows.map(row => (row.id === saved.id ? saved : row)) };
  toast(words.value.transactions.saved(saved.description));
  again();
};

/** The same again, today. @param {Transaction} row */
const duplicate = async row => {
  const w = words.value.transactions;
  const copy = { ...row, id: -Date.now(), date: today.peek(), source: /** @type {const} */ ('manual'), external_id: null, original_date: null, import_id: null };
  const isShown = period.peek() !== 'month' || today.peek().startsWith(month.peek());
  const added = await write(rows => (isShown ? [copy, ...rows].sort((one, other) => other.date.localeCompare(one.date)) : rows),
    () => post('/api/transactions', { body: bodyOf(copy) }), (rows, answer) => rows.map(one => (one.id === copy.id ? answer : one)));
  if (added) toast(w.duplicated(row.description, dayName(added.date).near ?? dayAndMonth(language.value, added.date, today.peek())), { undo: () => void removeRow(added, true) });
};

/** @param {Transaction} row */
const isRepeatable = row => !isTransfer(row) && row.source !== 'yield' && row.source !== 'opening_balance';

/** An item that is expected every month begins as it. @param {Transaction} row */
const makeRecurring = row => void import('../parts/recurring_form.js').then(({ openRecurring }) => openRecurring({ row }));

/** A focus that goes with its row moves on to the next one. @param {number} key */
const keepFocus = key => {
  const index = items.peek().findIndex(item => item.key === key);
  const element = document.activeElement;
  if (index < 0 || !element || (element !== document.body && !element.closest('.row-window'))) return;
  requestAnimationFrame(() => {
    const left = items.peek();
    show(left[index]?.kind === 'row' ? index : left[index + 1]?.kind === 'row' ? index + 1 : index - 1);
  });
};

/** What was entered by hand can be entered again; anything else is asked about first. @param {Transaction} row @param {boolean} [isSure] */
const removeRow = async (row, isSure = false) => {
  const w = words.value.transactions, isPair = row.transfer_id !== null;
  const isUndoable = row.source === 'manual' && !isTransfer(row);
  if (!isUndoable && !isSure) {
    const { ask } = await import('../parts/dialog.js');
    const text = isPair ? w.remove_transfer_text : row.import_id !== null ? w.remove_imported_text : w.remove_text;
    if (!(await ask({ title: isPair ? w.remove_transfer_title : w.remove_title(row.description), text, yes: w.remove }))) return;
  }
  keepFocus(row.id);
  const isGone = await write(rows => rows.filter(one => one.id !== row.id && (row.transfer_id === null || one.transfer_id !== row.transfer_id)), async () => {
    if (isPair) await remove('/api/transfers/{id}', { path: { id: /** @type {number} */ (row.transfer_id) } });
    else await remove('/api/transactions/{id}', { path: { id: row.id } });
    return true;
  });
  if (!isGone) return;
  mark([row.id], false);
  const undo = () => write(rows => rows, () => post('/api/transactions', { body: { ...bodyOf(row), external_id: row.external_id } }), (rows, answer) => [...rows, answer]);
  toast(w.removed(row.description), isUndoable && !isSure ? { undo: async () => void (await undo()) } : {});
};

/** Brings a transfer into sight. @param {number | null} id */
const showTransfer = id => requestAnimationFrame(() => show(items.peek().findIndex(item => item.kind === 'row' && item.row.transfer_id === id)));

/** What may be both sides of a transfer; whether it is, the service says. @param {Transaction[]} rows */
const sidesIn = rows => {
  const [from, to] = ['expense', 'income'].map(type => rows.find(row => row.type === type && row.transfer_id === null && row.id > 0));
  return rows.length === 2 && from && to ? { from, to } : null;
};

/** @param {{ from: Transaction, to: Transaction }} sides */
const link = async ({ from, to }) => {
  const made = await write(rows => rows, () => post('/api/transfers/link', { body: { from_id: from.id, to_id: to.id } }),
    (rows, { from: left, to: reached }) => rows.map(row => (row.id === left.id ? left : row.id === reached.id ? reached : row)));
  if (!made) return;
  marked.value = new Set();
  showTransfer(made.id);
  toast(words.value.transactions.linked, { undo: () => void unlink(made.from) });
};

/** @param {Transaction} row */
const unlink = async row => {
  const sides = idsOf(list.data.peek()?.rows.filter(one => one.transfer_id === row.transfer_id) ?? []);
  const isDone = await write(rows => rows.map(one => (one.transfer_id === row.transfer_id ? { ...one, transfer_id: null, is_transfer: false } : one)),
    () => post('/api/transfers/{id}/unlink', { path: { id: row.transfer_id ?? 0 } }),
    // A side that was made for the transfer is gone.
    (rows, { from, to }) => rows.flatMap(one => (!sides.has(one.id) ? [one] : one.id === from?.id ? [from] : one.id === to?.id ? [to] : [])));
  if (isDone) toast(words.value.transactions.unlinked);
};

const actions = { saved, duplicate: (/** @type {Transaction} */ row) => void duplicate(row), remove: (/** @type {Transaction} */ row) => void removeRow(row), unlink: (/** @type {Transaction} */ row) => void unlink(row) };

/** A correction that is to hold for what is so described. @param {Transaction} row @param {number} id */
const makeRule = (row, id) => void Promise.all([import('../parts/rule_form.js'), import('../rules.js')]).then(([{ openRule }, { ruleOf }]) => openRule(ruleOf(row.statement_description ?? row.description, id)));

/** @param {Entry} entry */
const edit = ({ key, row, other }) => {
  current.value = key;
  void import('../parts/edit_entry.js').then(({ openEntry }) => openEntry(row, other, { ...actions, recur: isRepeatable(row) ? makeRecurring : null }));
};

/** The category or the account of several; what they had before can be given back. @param {Transaction[]} rows @param {'category_id' | 'account_id'} name @param {number | null} id */
const change = async (rows, name, id) => {
  const w = words.value.transactions, ids = idsOf(rows);
  /** @param {Map<number | null, number[]>} groups */
  const send = async groups => {
    for (const [value, all] of groups) for (const part of chunks(all)) await post('/api/transactions/update', { body: { ids: part, [name]: value } });
    return true;
  };
  const isDone = await write(known => known.map(row => (ids.has(row.id) ? { ...row, [name]: id } : row)), () => send(new Map([[id, [...ids]]])));
  if (!isDone) return;
  /** @type {Map<number | null, number[]>} */
  const before = new Map();
  for (const row of rows) before.set(row[name], [...(before.get(row[name]) ?? []), row.id]);
  const undo = async () => {
    const had = new Map(rows.map(row => [row.id, row[name]]));
    await write(known => known.map(row => (had.has(row.id) ? { ...row, [name]: had.get(row.id) ?? null } : row)), () => send(before));
  };
  const value = name === 'category_id' ? (id === null ? words.value.form.no_category : categoryById.value.get(id)?.name ?? '') : accountName(id) ?? words.value.dashboard.no_account;
  const [one] = rows, isRule = rows.length === 1 && name === 'category_id' && id !== null;
  toast(one && rows.length === 1 ? w.changed_one(one.description, value) : w.changed(rows.length, value), { undo, also: one && isRule ? [rulesWords.peek().always, () => makeRule(one, id)] : undefined });
};

// ————— several rows

/** @param {Iterable<number>} keys @param {boolean} isOn */
const mark = (keys, isOn) => {
  const next = new Set(marked.peek());
  for (const key of keys) isOn ? next.add(key) : next.delete(key);
  marked.value = next;
};

/** The row that was marked last: with Shift all from it to the next are. */
let anchor = /** @type {number | null} */ (null);
/** @param {number} key @param {boolean} isRange */
const toggle = (key, isRange) => {
  const isOn = !marked.peek().has(key), rows = items.peek();
  const from = rows.findIndex(item => item.key === anchor), to = rows.findIndex(item => item.key === key);
  const between = isRange && from >= 0 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [];
  mark([key, ...between.flatMap(item => (item.kind === 'row' ? [item.key] : []))], isOn);
  anchor = key;
};

/** @param {'category' | 'account'} what */
const changeMarked = what => {
  const rows = markedRows.peek(), alone = rows.filter(row => row.transfer_id === null && !(what === 'category' && row.lines));
  void import('../parts/bulk_form.js').then(({ openBulk }) => openBulk(what, { count: alone.length, left: rows.length - alone.length },
    id => void change(alone, what === 'category' ? 'category_id' : 'account_id', id).then(() => (marked.value = new Set()))));
};

const removeMarked = async () => {
  const w = words.value.transactions, rows = markedRows.peek(), ids = idsOf(rows);
  const { ask } = await import('../parts/dialog.js');
  if (!(await ask({ title: w.remove_many_title(rows.length), text: w.remove_many_text, yes: w.remove_many(rows.length) }))) return;
  const deleted = await write(known => known.filter(row => !ids.has(row.id)), async () => {
    let count = 0;
    for (const part of chunks([...ids])) count += (await post('/api/transactions/delete', { body: { ids: part } })).deleted;
    return count;
  });
  if (deleted === undefined) return;
  marked.value = new Set();
  toast(w.removed_many(deleted));
};

const BulkBar = () => {
  const w = words.value.transactions, rows = markedRows.value;
  const alone = rows.filter(row => row.transfer_id === null), sides = sidesIn(rows);
  const total = rows.filter(row => !isTransfer(row)).reduce((sum, row) => sum + (row.type === 'income' ? cents(row.amount) : -cents(row.amount)), 0n);
  return div({ class: classes('bulk', rows.length > 0 && 'shown') },
    p({ class: 'bulk-count', role: 'status' }, rows.length > 0 && [span(null, w.marked(rows.length)), total !== 0n && h(Signed, { value: decimal(total < 0n ? -total : total), type: total < 0n ? 'expense' : 'income' })]),
    sides && button({ class: 'button link-sides', type: 'button', onClick: () => void link(sides) }, icon('transfer'), w.link),
    rows.length > 0 && div({ class: 'bulk-actions' },
      button({ class: 'button', type: 'button', disabled: alone.length === 0, onClick: () => changeMarked('category') }, words.value.form.category, '…'),
      button({ class: 'button', type: 'button', disabled: alone.length === 0, onClick: () => changeMarked('account') }, words.value.form.account, '…'),
      button({ class: 'button destructive', type: 'button', onClick: () => void removeMarked() }, w.remove, '…'),
      button({ class: 'icon-button', type: 'button', 'aria-label': w.unmark, title: w.unmark, onClick: () => (marked.value = new Set()) }, icon('close'))));
};

// ————— rows

/** A category that is changed where it stands. @param {{ row: Transaction }} props */
const CategoryCell = ({ row }) => {
  const w = words.value.transactions, isOpen = choosing.value === row.id;
  const element = useRef(/** @type {HTMLSelectElement | null} */ (null)), opener = useRef(/** @type {HTMLButtonElement | null} */ (null));
  // With arrow keys every step is a change: it counts once the field is left.
  const isStepping = useRef(false), value = useRef(row.category_id), wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (!isOpen) {
      if (wasOpen.current && (document.activeElement === document.body || !document.activeElement)) opener.current?.focus();
      wasOpen.current = false;
      return;
    }
    wasOpen.current = true;
    value.current = row.category_id;
    isStepping.current = false;
    element.current?.focus();
    try {
      element.current?.showPicker();
    } catch {
      // It opens by a key or a second click where the browser wants that.
    }
  }, [isOpen]);
  const close = () => (choosing.value = null);
  const commit = () => {
    if (choosing.peek() !== row.id) return;
    close();
    if (value.current !== row.category_id) void change([row], 'category_id', value.current);
  };
  if (isOpen) {
    const sorted = [...categoryById.value.values()].sort((one, other) => one.name.localeCompare(other.name, 'pt-BR'));
    return select({
      class: 'category-select', ref: element, 'aria-label': w.category_of(row.description), value: row.category_id === null ? '' : String(row.category_id),
      onChange: event => {
        value.current = event.currentTarget.value === '' ? null : Number(event.currentTarget.value);
        if (!isStepping.current) commit();
      },
      onKeyDown: event => {
        if (event.key === 'Escape') close();
        else if (event.key === 'Enter' && isStepping.current) commit();
        else if (event.key !== 'Tab') isStepping.current = true;
        event.stopPropagation();
      },
      onBlur: commit,
    }, option({ value: '' }, words.value.form.no_category), sorted.map(category => option({ key: category.id, value: String(category.id) }, category.name)));
  }
  const name = categoryName(row);
  return button({ class: classes('category-button', row.category_id === null && 'quiet'), type: 'button', ref: opener, title: w.change_category, 'aria-label': `${name}, ${w.category_of(row.description)}`, onClick: () => (choosing.value = row.id) },
    span({ class: classes('dot', categoryColor(row.category_id)) }), span(null, name));
};

/** Both accounts of a transfer, or the one that is in the list. @param {Entry} entry */
const way = ({ row, other }) => {
  const w = words.value.dashboard;
  if (!other) return accountName(row.account_id) ?? w.no_account;
  const [from, to] = row.type === 'expense' ? [row, other] : [other, row];
  return `${accountName(from.account_id) ?? w.no_account} → ${accountName(to.account_id) ?? w.no_account}`;
};

/** What stands beside a description, more quietly. @param {Transaction} row */
const notes = row => {
  const w = words.value.transactions, other = enteredByOther(row);
  return [
    partOf(row), other && words.value.entry.by(other),
    row.original_date && row.original_date !== row.date && w.bought(dayAndMonth(language.value, row.original_date, today.value)),
    row.statement_description && row.statement_description !== row.description && w.statement_said(row.statement_description),
    row.lines?.map(line => `${categoryById.value.get(line.category_id)?.name ?? '…'} ${said(line.amount)}`).join(' + '),
    row.tags.map(tag => `#${tag}`).join(' '),
    row.note,
  ].filter(note => typeof note === 'string' && note).join(' · ');
};

/** @param {Entry} entry @param {import('../parts/rows.js').RowAttributes} attributes */
const EntryRow = (entry, attributes) => {
  const { key, row, other } = entry, w = words.value.transactions;
  const isMarked = marked.value.has(key), moves = isTransfer(row), note = notes(row);
  const dot = moves ? span({ class: 'dot-place' }, icon('transfer')) : span({ class: classes('dot', categoryColor(row.category_id)) });
  const figure = moves && other ? h(Amount, { value: row.amount, class: 'moved' }) : h(Signed, { value: row.amount, type: row.type, transfer: moves });
  const check = td({ role: 'cell', class: 'cell-check' }, label({ class: 'check-target' },
    input({ type: 'checkbox', checked: isMarked, 'aria-label': w.mark(row.description), onClick: event => toggle(key, event.shiftKey) })));
  const bound = {
    ...attributes, class: classes('entry-row', isMarked && 'marked', current.value === key && 'current', moves && 'is-transfer', row.id < 0 && 'coming'), tabIndex: -1,
    onFocusIn: () => (current.value = key),
    onKeyDown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== 'Enter' || event.target !== event.currentTarget) return;
      event.preventDefault();
      edit(entry);
    },
  };
  const actionCell = () => !canWrite.value ? td({ role: 'cell', class: 'cell-actions' }) : td({ role: 'cell', class: 'cell-actions' },
    action('edit', w.edit_row(row.description), () => edit(entry)),
    isRepeatable(row) && action('recurring', `${words.value.entry.recur}: ${row.description}`, () => makeRecurring(row)),
    row.transfer_id === null && action('copy', w.duplicate_row(row.description), () => void duplicate(row)),
    isUnlinkable(entry) ? action('unlink', w.unlink_row(row.description), () => void unlink(row)) : action('trash', w.remove_row(row.description), () => void removeRow(row)));
  if (!hasColumns.value) {
    return tr(bound, check,
      td({ role: 'cell', class: 'cell-main' }, button({ class: 'entry-open', type: 'button', onClick: () => edit(entry) },
        span({ class: 'entry-title' }, row.description),
        span({ class: 'entry-meta' }, dot, [moves ? words.value.money.transfer : categoryName(row), way(entry)].join(' · ')),
        note && span({ class: 'entry-meta' }, note))),
      td({ role: 'cell', class: 'cell-amount' }, figure), hasActions.value && actionCell());
  }
  return tr(bound, check,
    td({ role: 'cell', class: 'cell-main' },
      button({ class: 'entry-open', type: 'button', onClick: () => edit(entry) }, span({ class: 'entry-title' }, row.description)),
      note && span({ class: 'entry-meta' }, note)),
    td({ role: 'cell', class: 'cell-category' }, moves || row.lines ? span({ class: 'moved-word' }, dot, moves ? words.value.money.transfer : categoryName(row)) : h(CategoryCell, { row })),
    td({ role: 'cell', class: 'cell-account' }, way(entry)),
    td({ role: 'cell', class: 'cell-amount' }, figure),
    actionCell());
};

/** Recognised in statements, so that it can be taken apart. @param {Entry} entry */
const isUnlinkable = ({ row, other }) => row.transfer_id !== null && [row, other].some(side => side && side.source !== 'transfer');

/** @param {import('../parts/icon.js').IconName} drawing @param {string} text @param {() => void} onClick */
const action = (drawing, text, onClick) => button({ class: 'icon-button', type: 'button', 'aria-label': text, title: text, onClick }, icon(drawing));

/** @param {Day} day @param {import('../parts/rows.js').RowAttributes} attributes */
const DayRow = ({ date, total }, attributes) => {
  const { near, full } = dayName(date);
  const day = near && !hasActions.value ? dayAndMonth(language.value, date, today.value) : full;
  return tr({ ...attributes, class: 'day-row' },
    th({ role: 'rowheader', scope: 'rowgroup', colSpan: 5, class: 'day' }, near && span({ class: 'day-near' }, near), day),
    td({ role: 'cell', class: 'day-total' }, total !== null && total !== 0n && [total > 0n && '+', said(total)]));
};

const Head = () => {
  const w = words.value.transactions;
  const keys = items.value.flatMap(item => (item.kind === 'row' ? [item.key] : []));
  const all = keys.length > 0 && keys.every(key => marked.value.has(key));
  const cell = (/** @type {string} */ text, /** @type {string} */ name) => th({ role: 'columnheader', scope: 'col', class: name }, text);
  return thead({ role: 'rowgroup' }, tr({ role: 'row', class: 'head-row', 'aria-rowindex': 1 },
    th({ role: 'columnheader', scope: 'col', class: 'cell-check' }, label({ class: 'check-target' },
      input({ type: 'checkbox', checked: all, 'aria-label': w.mark_all, onChange: () => mark(keys, !all) }), span({ class: 'check-said' }, w.mark_all))),
    !hasColumns.value ? [cell(words.value.entry.description, 'cell-main'), cell(words.value.entry.amount, 'cell-amount')]
      : [cell(words.value.entry.description, 'cell-main'), cell(words.value.form.category, 'cell-category'), cell(words.value.form.account, 'cell-account'),
        cell(words.value.entry.amount, 'cell-amount'), th({ role: 'columnheader', scope: 'col', class: 'cell-actions' }, span({ class: 'unseen' }, w.actions))]));
};

// ————— filters

/** @param {Record<string, string | number | null>} changes */
const filter = changes => go(withQuery(changes));

const SearchField = () => {
  const w = words.value.transactions, typed = useSignal(filters.peek().q ?? '');
  const timer = useRef(0);
  // Back and forward bring another text; what is being typed is not taken away.
  useSignalEffect(() => {
    const q = filters.value.q ?? '';
    if (timer.current === 0 && q !== typed.peek().trim()) typed.value = q;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  const look = () => {
    clearTimeout(timer.current);
    timer.current = 0;
    const q = typed.peek().trim();
    // One step back undoes the search, not its last letter.
    if (q !== (filters.peek().q ?? '')) go(withQuery({ q }), { replace: Boolean(filters.peek().q && q) });
  };
  return div({ class: 'field search-field' },
    label({ for: 'search', class: 'unseen' }, w.search),
    span({ class: 'search-box' }, icon('search'),
      input({ id: 'search', type: 'search', accessKey: '3', placeholder: w.search_hint, autoComplete: 'off', spellcheck: false, maxLength: 255, value: typed.value,
        onInput: event => {
          typed.value = event.currentTarget.value;
          clearTimeout(timer.current);
          timer.current = setTimeout(look, PAUSE_MILLISECONDS);
        },
        onKeyDown: event => {
          if (event.key === 'Enter') look();
          if (event.key === 'Escape' && typed.peek()) {
            typed.value = '';
            look();
            event.preventDefault();
          }
        } })));
};

/** @param {string} name @param {string} text @param {string} any @param {[string, string][]} choices @param {(value: string) => void} [chosen] @param {string} [value] */
const choice = (name, text, any, choices, chosen = value => filter({ [name]: value }), value = filters.value[name] ?? '') =>
  div({ class: classes('field', value !== '' && 'set') },
    label({ for: `filter-${name}`, class: 'unseen' }, text),
    select({ id: `filter-${name}`, value, onChange: event => chosen(event.currentTarget.value) },
      option({ value: '' }, any), choices.map(([id, said]) => option({ key: id, value: id }, said))));

/** @param {{ id: number, name: string }[] | null} rows @param {string} none @returns {[string, string][]} */
const named = (rows, none) => [...(rows ?? [])].sort((one, other) => one.name.localeCompare(other.name, 'pt-BR')).map(row => /** @type {[string, string]} */ ([String(row.id), row.name])).concat([['none', none]]);

const Filters = () => {
  const w = words.value.transactions, isOpen = useSignal(false), count = filterCount.value + (period.value === 'month' ? 0 : 1);
  const isRange = period.value === 'range', shown = month.value;
  const day = (/** @type {'from' | 'to'} */ name, /** @type {string} */ text) => div({ class: 'field date-field' },
    label({ for: `filter-${name}` }, text),
    input({ id: `filter-${name}`, type: 'date', value: filters.value[name] ?? '', onChange: event => filter({ [name]: event.currentTarget.value, month: null }) }));
  const choosePeriod = (/** @type {string} */ value) =>
    filter(value === 'range' ? { month: null, from: `${shown}-01`, to: lastDay(shown) } : { month: value === 'all' ? 'all' : shown === today.value.slice(0, 7) ? null : shown, from: null, to: null, bill_id: null, import_id: null });
  return div({ class: 'filters-frame', role: 'search', 'aria-label': w.filters },
    div({ class: 'filters' },
      h(SearchField, null),
      button({ class: 'button filters-toggle', type: 'button', 'aria-expanded': isOpen.value, 'aria-controls': 'filters', onClick: () => (isOpen.value = !isOpen.value) }, icon('filter'), count > 0 ? w.filters_set(count) : w.filters),
      div({ id: 'filters', class: classes('filter-choices', isOpen.value && 'open') },
        choice('account_id', words.value.form.account, w.any_account, named(accounts.data.value, words.value.dashboard.no_account)),
        choice('category_id', words.value.form.category, w.any_category, named(categories.data.value, words.value.form.no_category)),
        choice('type', words.value.entry.type, w.any_type, [['expense', w.only_expense], ['income', w.only_income]]),
        (tags.data.value?.length ?? 0) > 0 && choice('tag', w.tag, w.any_tag, (tags.data.value ?? []).map(({ tag }) => [tag, tag])),
        choice('period', w.period, monthName(language.value, shown), [['all', w.all_months], ['range', w.range]], choosePeriod, period.value === 'month' ? '' : period.value),
        isRange && div({ class: 'range' }, day('from', w.from), day('to', w.to)))),
    h(Chips, null));
};

/** The bill whose rows are looked at. */
const bill = resource(signal => get('/api/credit-bills/{id}', { path: { id: Number(filters.peek().bill_id) }, signal }));

/** What came with a link and has no field of its own, and the way back to all. */
const Chips = () => {
  const w = words.value.transactions, set = filters.value, known = bill.data.value;
  const ofBill = known && String(known.id) === set.bill_id ? w.bill(accountName(known.account_id) ?? '', dayAndMonth(language.value, known.due_date, today.value)) : w.of_bill;
  const chips = /** @type {[string, string][]} */ ([['bill_id', ofBill], ['import_id', w.of_import], ['source', set.source ? words.value.entry.sources[/** @type {'manual'} */ (set.source)] ?? set.source : ''], ['tag', `#${set.tag}`]]).filter(([name]) => set[name]);
  if (chips.length === 0 && filterCount.value === 0 && period.value === 'month') return null;
  return div({ class: 'chips' },
    chips.map(([name, text]) => button({ key: name, class: 'chip', type: 'button', onClick: () => filter({ [name]: null }) }, text, icon('close'), span({ class: 'unseen' }, w.without))),
    a({ class: 'clear-filters', href: cleared() }, w.clear));
};

/** The address without filters, in the month that is looked at. */
const cleared = () => {
  const chosen = place.value.query.get('month');
  return chosen && chosen !== 'all' ? `/transactions?month=${chosen}` : '/transactions';
};

// ————— the page

const title = () => {
  const w = words.value.transactions;
  return period.value === 'month' ? w.title(monthName(language.value, month.value)) : w.title_all;
};

const Summary = () => {
  const w = words.value.transactions, known = summary.data.value;
  return div({ class: 'summary-line' },
    p({ role: 'status' }, known
      ? [span({ key: 'count' }, w.count(known.count)),
        known.income !== '0.00' && span({ key: 'in', class: 'summary-in' }, w.came(said(known.income))),
        known.expenses !== '0.00' && span({ key: 'out', class: 'summary-out' }, w.went(said(known.expenses)))]
      : span(null, '\u00a0')),
    canWrite.value && period.value === 'month' && filterCount.value === 0 && known?.count !== 0 && button({ class: 'link-button', type: 'button', onClick: removeMonth }, w.remove_month));
};

const removeMonth = () => void import('../parts/month_deletion.js').then(({ openMonthDeletion }) => {
  const chosen = month.peek();
  void openMonthDeletion(chosen, deleted => {
    marked.value = new Set();
    toast(words.value.month_deletion.done(deleted, monthName(language.value, chosen)));
    again();
  });
});

const Empty = () => {
  const w = words.value.transactions;
  const isFiltered = filterCount.value > 0 || period.value !== 'month';
  if (isFiltered) {
    return section({ class: 'card empty' }, emptyTitle(w.nothing_found), p({ class: 'quiet' }, w.nothing_found_text),
      div({ class: 'row-actions' }, a({ class: 'button primary', href: cleared() }, w.clear), period.value === 'month' && a({ class: 'button', href: withQuery({ month: 'all' }) }, w.look_everywhere)));
  }
  return section({ class: 'card empty' }, emptyTitle(w.empty(monthName(language.value, month.value))), canWrite.value && p({ class: 'quiet' }, w.empty_text),
    canWrite.value && div({ class: 'row-actions' },
      a({ class: 'button primary', href: '/imports' }, words.value.dashboard.step_statement_do),
      button({ class: 'button', type: 'button', onClick: () => quickAdd.value?.() }, icon('plus'), words.value.app.add)));
};

/** @param {string} text */
const emptyTitle = text => p({ class: 'empty-title' }, text);

const Skeleton = () =>
  div({ class: 'card list-card', 'aria-hidden': 'true' },
    Array.from({ length: 8 }, (_, index) => index % 4 === 0
      ? div({ key: index, class: 'skeleton-day' }, span({ class: 'skeleton line' }))
      : div({ key: index, class: 'skeleton-entry' }, span({ class: 'skeleton line' }), span({ class: 'skeleton line' }), span({ class: 'skeleton line' }))));

const End = () => {
  const w = words.value.transactions, known = list.data.value;
  if (more.error.value) return div({ class: 'list-end' }, h(ProblemNote, { error: more.error.value, retry: () => void readMore() }));
  if (!known?.next) return null;
  return div({ class: 'list-end' }, button({ class: 'button', type: 'button', 'aria-disabled': more.busy.value, onClick: () => void readMore() }, more.busy.value ? w.loading_more : w.load_more));
};

const List = () => {
  const known = list.data.value, error = list.error.value, isOther = known !== null && known.of !== asked.value;
  useNames(known !== null);
  const skeleton = () => div({ class: 'loading', 'aria-busy': true }, div({ class: 'unseen', role: 'status' }, words.value.app.loading), Skeleton());
  if (error && (known === null || isOther)) {
    return div({ class: 'wrong-list' }, h(ProblemNote, { error, retry: read }), filterCount.value > 0 && a({ class: 'button', href: cleared() }, words.value.transactions.clear));
  }
  if (known === null) return skeleton();
  const rows = items.value;
  return div({ class: 'loaded', 'aria-busy': list.busy.value },
    error && h(ProblemNote, { error, retry: read, compact: true }),
    rows.length === 0 ? h(Empty, null) : div({ class: classes('card list-card', isOther && 'other') },
      h(/** @type {typeof Rows<Day | Entry>} */ (Rows), {
        rows, label: title(), keyOf: item => item.key, kindOf: item => item.kind, class: 'entries', head: Head(), total: known.next ? null : rows.length, control: drawn,
        near: () => { if (known.next && !more.error.peek()) void readMore(); },
        row: (item, attributes) => (item.kind === 'day' ? DayRow(item, attributes) : EntryRow(item, attributes)),
      })),
    h(End, null));
};

/** The list as a table of texts, with all its pages. */
const table = async () => {
  const w = words.value, head = [w.entry.date, w.entry.description, w.form.category, w.form.account, w.entry.amount];
  return [head, ...(await allRows()).map(row => [shortDate(language.value, row.date), row.description, isTransfer(row) ? w.money.transfer : categoryName(row), accountName(row.account_id) ?? '', row.type === 'income' ? cents(row.amount) : -cents(row.amount)])];
};

/** Brings a row into sight and to the keys. @param {number} index */
const show = index => {
  const item = items.peek()[index];
  if (item?.kind !== 'row') return;
  current.value = item.key;
  drawn.current?.show(index);
};

const currentIndex = () => items.peek().findIndex(item => item.key === current.peek());

/** How many rows were there before, or are looked through for the one that a link names. */
const rowsBefore = () => (place.peek().query.get('row') ? ROWS_MAX : history.state?.n ?? 0);

/** Reads what the address asks for, and goes to where somebody was in it. */
const follow = () => {
  let timer = 0;
  const kept = history.scrollRestoration;
  history.scrollRestoration = 'manual';
  const stopReading = effect(() => {
    void asked.value;
    void changed.value;
    untracked(() => {
      clearTimeout(timer);
      const known = list.data.peek();
      if (known?.of !== asked.peek()) {
        marked.value = new Set();
        current.value = null;
        wantRows(rowsBefore());
      } else wantRows(Math.max(known.rows.length, rowsBefore()));
      read();
    });
  });
  // Another list begins at its top or at the row that a link names, one that somebody comes back to where they left it.
  let seen = /** @type {string | null} */ (null);
  const stopPlacing = effect(() => {
    const of = list.data.value?.of, wanted = Number(place.value.query.get('row'));
    if (!of || (of === seen && !wanted) || of !== asked.peek()) return;
    seen = of;
    const y = history.state?.y ?? 0;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const index = items.peek().findIndex(item => item.kind === 'row' && (item.key === wanted || item.other?.id === wanted));
      if (wanted) go(withQuery({ row: null }), { replace: true });
      if (index >= 0) drawn.current?.show(index);
      else scrollTo(0, y);
    }));
  });
  const keep = () => {
    clearTimeout(timer);
    const at = place.peek(), y = Math.round(scrollY), n = list.data.peek()?.rows.length ?? 0;
    timer = setTimeout(() => {
      if (at === place.peek()) history.replaceState({ ...history.state, y, n }, '');
    }, STILL_MILLISECONDS);
  };
  addEventListener('scroll', keep, { passive: true });
  return () => {
    clearTimeout(timer);
    stopReading();
    stopPlacing();
    removeEventListener('scroll', keep);
    history.scrollRestoration = kept;
  };
};

export default () => {
  useEffect(() => {
    categories.want();
    accounts.want();
    const leave = follow();
    const timer = setTimeout(() => Promise.all([import('../parts/edit_entry.js'), import('../parts/bulk_form.js')]).catch(() => {
      // They are asked for again when they are to open.
    }), LATER_MILLISECONDS);
    const unbind = bind({
      ...rowKeys({ rows: () => items.peek(), at: currentIndex, first: () => drawn.current?.first() ?? 0, isRow: item => item.kind === 'row', show, open: item => item?.kind === 'row' && edit(item) }),
      x: event => {
        const item = items.peek()[currentIndex()];
        if (item?.kind === 'row') toggle(item.key, event.shiftKey);
      },
    });
    return () => {
      clearTimeout(timer);
      leave();
      unbind();
      otherPeriod.value = null;
      marked.value = new Set();
      choosing.value = null;
    };
  }, []);
  useSignalEffect(() => {
    const id = filters.value.bill_id;
    if (id && String(bill.data.peek()?.id) !== id) void bill.load();
  });
  useSignalEffect(() => {
    if (changed.value >= 0) void tags.load();
  });
  useSignalEffect(() => {
    const w = words.value.transactions;
    otherPeriod.value = period.value === 'month' ? null : period.value === 'all' ? w.all_months : w.range;
  });
  return div({ class: classes('page transactions', marked.value.size > 0 && 'with-bulk') },
    div({ class: 'view-head' }, h1({ tabIndex: -1 }, title()), items.value.length > 0 && h(CopyButton, { rows: table })),
    h(Filters, null),
    h(Summary, null),
    h(List, null),
    h(BulkBar, null));
};
