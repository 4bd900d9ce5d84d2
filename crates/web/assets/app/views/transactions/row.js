// Rows of the list: days, transactions, and the head of the columns.
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { dayAndMonth } from '../../dates.js';
import { button, classes, h, input, label, option, select, span, td, th, thead, tr } from '../../dom.js';
import { Amount, nameOf, partOf, inText, Signed } from '../../parts/amount.js';
import { categoryColor } from '../../parts/budget_bar.js';
import { createCategory, NEW, newOption } from '../../parts/category_select.js';
import { enteredByOther } from '../../parts/entered_by.js';
import { dayName } from '../../parts/entry_fields.js';
import { icon } from '../../parts/icon.js';
import { wide } from '../../parts/wide.js';
import { accountName, canWrite, categoryById, today } from '../../session.js';
import { isTransfer, items, marked } from '../../transactions.js';
import { language, words } from '../../words.js';
import { change, duplicate, edit, isRepeatable, makeRecurring, removeRow, unlink } from './changes.js';
import { current, hasActions, hasBoxes, mark, toggle } from './cursor.js';

/** @typedef {import('../../transactions.js').Transaction} Transaction */
/** @typedef {import('../../transactions.js').Entry} Entry */
/** @typedef {import('../../transactions.js').Day} Day */

/** Wide enough for columns. On narrower screens a row has two lines. */
const hasColumns = wide('(min-width: 1100px)');
/** A finger that stays this long selects the row. */
const LONG_PRESS_MILLISECONDS = 500;

/** The row whose category is being changed in the list. */
export const choosing = signal(/** @type {number | null} */ (null));

/** The text in the column of the category, also for a row without one. @param {Transaction} row */
export const categoryName = row => {
  const w = words.value;
  if (row.lines) return w.form.split;
  const known = row.category_id === null ? undefined : categoryById.value.get(row.category_id);
  if (known) return known.name;
  // Not known yet, which is not none.
  if (row.category_id !== null) return '…';
  return row.source === 'opening_balance' || row.source === 'yield' ? w.entry.sources[row.source] : w.form.no_category;
};

/** A category that can be changed in the list. @param {{ row: Transaction }} props */
const CategoryCell = ({ row }) => {
  const w = words.value.transactions,
    isOpen = choosing.value === row.id;
  const element = useRef(/** @type {HTMLSelectElement | null} */ (null)),
    opener = useRef(/** @type {HTMLButtonElement | null} */ (null));
  // Each press of an arrow key is a change event. Such a change is saved when the field loses the focus.
  const isStepping = useRef(false),
    value = useRef(row.category_id),
    isNew = useRef(false),
    wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (!isOpen) {
      if (wasOpen.current && (document.activeElement === document.body || !document.activeElement))
        opener.current?.focus();
      wasOpen.current = false;
      return;
    }
    wasOpen.current = true;
    value.current = row.category_id;
    isStepping.current = false;
    isNew.current = false;
    element.current?.focus();
    try {
      element.current?.showPicker();
    } catch {
      // If the browser does not allow this, a key or a second click opens it.
    }
  }, [isOpen]);
  const close = () => (choosing.value = null);
  const save = (/** @type {number | null} */ id) => {
    if (id !== row.category_id) void change([row], 'category_id', id);
  };
  const commit = () => {
    if (choosing.peek() !== row.id) return;
    close();
    if (isNew.current) createCategory(id => save(Number(id)));
    else save(value.current);
  };
  if (isOpen) {
    const sorted = [...categoryById.value.values()]
      .filter(one => !one.hidden || one.id === row.category_id)
      .sort((one, other) => one.name.localeCompare(other.name, 'pt-BR'));
    return select(
      {
        class: 'category-select',
        ref: element,
        'aria-label': w.category_of(nameOf(row)),
        value: row.category_id === null ? '' : String(row.category_id),
        onChange: event => {
          isNew.current = event.currentTarget.value === NEW;
          value.current = ['', NEW].includes(event.currentTarget.value) ? null : Number(event.currentTarget.value);
          if (!isStepping.current) commit();
        },
        onKeyDown: event => {
          if (event.key === 'Escape') close();
          else if (event.key === 'Enter' && isStepping.current) commit();
          else if (event.key !== 'Tab') isStepping.current = true;
          event.stopPropagation();
        },
        onBlur: () => (isNew.current ? close() : commit()),
      },
      option({ value: '' }, words.value.form.no_category),
      sorted.map(category => option({ key: category.id, value: String(category.id) }, category.name)),
      newOption(),
    );
  }
  const name = categoryName(row);
  return button(
    {
      class: classes('category-button', row.category_id === null && 'quiet'),
      type: 'button',
      ref: opener,
      title: w.change_category,
      'aria-label': `${name}, ${w.category_of(nameOf(row))}`,
      onClick: () => (choosing.value = row.id),
    },
    span({ class: classes('dot', categoryColor(row.category_id)) }),
    span(null, name),
  );
};

/**
 * Selects the row when a finger stays on it. The click that follows does nothing.
 * @param {number} key
 */
const longPress = key => {
  let timer = 0,
    isLong = false;
  const stop = () => clearTimeout(timer);
  return {
    onPointerDown: (/** @type {PointerEvent} */ event) => {
      stop();
      isLong = false;
      if (event.pointerType !== 'touch') return;
      timer = setTimeout(() => {
        isLong = true;
        toggle(key, false);
      }, LONG_PRESS_MILLISECONDS);
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    onPointerLeave: stop,
    onContextMenu: (/** @type {MouseEvent} */ event) => isLong && event.preventDefault(),
    onClickCapture: (/** @type {MouseEvent} */ event) => {
      if (!isLong) return;
      isLong = false;
      event.preventDefault();
      event.stopPropagation();
    },
  };
};

/** How it was paid, if its description says so. @param {Transaction} row */
const methodChip = row =>
  row.display?.method && span({ class: 'method' }, words.value.entry.methods[row.display.method]);

/** The account of a transaction, or both accounts of a transfer. @param {Entry} entry */
const way = ({ row, other }) => {
  const w = words.value.dashboard;
  if (!other) return accountName(row.account_id) ?? w.no_account;
  const [from, to] = row.type === 'expense' ? [row, other] : [other, row];
  return `${accountName(from.account_id) ?? w.no_account} → ${accountName(to.account_id) ?? w.no_account}`;
};

/** The details below a description. @param {Transaction} row */
const notes = row => {
  const w = words.value.transactions,
    other = enteredByOther(row);
  const part = partOf(row);
  return [
    // Once: the description may say it, too.
    part && !nameOf(row).includes(part) && part,
    other && words.value.entry.by(other),
    row.original_date &&
      row.original_date !== row.date &&
      w.bought(dayAndMonth(language.value, row.original_date, today.value)),
    row.statement_description &&
      row.statement_description !== row.description &&
      w.statement_said(row.statement_description),
    row.lines
      ?.map(line => `${categoryById.value.get(line.category_id)?.name ?? '…'} ${inText(line.amount)}`)
      .join(' + '),
    row.tags.map(tag => `#${tag}`).join(' '),
    row.note,
  ]
    .filter(note => typeof note === 'string' && note)
    .join(' · ');
};

/** @param {Entry} entry @param {import('../../parts/rows.js').RowAttributes} attributes */
export const EntryRow = (entry, attributes) => {
  const { key, row, other } = entry,
    w = words.value.transactions;
  const isMarked = marked.value.has(key),
    moves = isTransfer(row),
    note = notes(row);
  const dot = moves
    ? span({ class: 'dot-place' }, icon('transfer'))
    : span({ class: classes('dot', categoryColor(row.category_id)) });
  const figure =
    moves && other
      ? h(Amount, { value: row.amount, class: 'moved' })
      : h(Signed, { value: row.amount, type: row.type, transfer: moves });
  const check = td(
    { role: 'cell', class: 'cell-check' },
    hasBoxes.value &&
      label(
        { class: 'check-target' },
        input({
          type: 'checkbox',
          checked: isMarked,
          'aria-label': w.mark(nameOf(row)),
          onClick: event => toggle(key, event.shiftKey),
        }),
      ),
  );
  const bound = {
    ...attributes,
    class: classes(
      'entry-row',
      isMarked && 'marked',
      current.value === key && 'current',
      moves && 'is-transfer',
      row.id < 0 && 'coming',
    ),
    tabIndex: -1,
    onFocusIn: () => (current.value = key),
    onKeyDown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== 'Enter' || event.target !== event.currentTarget) return;
      event.preventDefault();
      edit(entry);
    },
  };
  const actionCell = () =>
    !canWrite.value
      ? td({ role: 'cell', class: 'cell-actions' })
      : td(
          { role: 'cell', class: 'cell-actions' },
          action('edit', w.edit_row(nameOf(row)), () => edit(entry)),
          isRepeatable(row) &&
            action('recurring', `${words.value.entry.recur}: ${nameOf(row)}`, () => makeRecurring(row)),
          !moves &&
            row.source !== 'opening_balance' &&
            action('copy', w.duplicate_row(nameOf(row)), () => void duplicate(row)),
          isUnlinkable(entry)
            ? action('unlink', w.unlink_row(nameOf(row)), () => void unlink(row))
            : action('trash', w.remove_row(nameOf(row)), () => void removeRow(row)),
        );
  if (!hasColumns.value) {
    // A phone shows two lines, the second as far as it goes.
    const facts = [moves ? words.value.money.transfer : categoryName(row), way(entry)].join(' · ');
    return tr(
      hasActions.value ? bound : { ...bound, ...(canWrite.value && longPress(key)) },
      check,
      td(
        { role: 'cell', class: 'cell-main' },
        button(
          { class: 'entry-open', type: 'button', onClick: () => edit(entry) },
          span({ class: 'entry-title', title: row.description }, nameOf(row)),
          span(
            { class: 'entry-meta' },
            dot,
            methodChip(row),
            span({ class: 'entry-facts-line' }, hasActions.value ? facts : [facts, note].filter(Boolean).join(' · ')),
          ),
          hasActions.value && note && span({ class: 'entry-meta' }, note),
        ),
      ),
      td({ role: 'cell', class: 'cell-amount' }, figure),
      hasActions.value && actionCell(),
    );
  }
  return tr(
    bound,
    check,
    td(
      { role: 'cell', class: 'cell-main' },
      button(
        { class: 'entry-open', type: 'button', onClick: () => edit(entry) },
        span({ class: 'entry-title', title: row.description }, nameOf(row)),
        methodChip(row),
      ),
      note && span({ class: 'entry-meta' }, note),
    ),
    td(
      { role: 'cell', class: 'cell-category' },
      moves || row.lines || !canWrite.value
        ? span({ class: 'moved-word' }, dot, moves ? words.value.money.transfer : categoryName(row))
        : h(CategoryCell, { row }),
    ),
    td({ role: 'cell', class: 'cell-account' }, way(entry)),
    td({ role: 'cell', class: 'cell-amount' }, figure),
    actionCell(),
  );
};

/** Whether it is a transfer that was recognised in statements, which can be unlinked. @param {Entry} entry */
const isUnlinkable = ({ row, other }) =>
  row.transfer_id !== null && [row, other].some(side => side && side.source !== 'transfer');

/** @param {import('../../parts/icon.js').IconName} drawing @param {string} text @param {() => void} onClick */
const action = (drawing, text, onClick) =>
  button({ class: 'icon-button', type: 'button', 'aria-label': text, title: text, onClick }, icon(drawing));

/** @param {Day} day @param {import('../../parts/rows.js').RowAttributes} attributes */
export const DayRow = ({ date, total }, attributes) => {
  const { near, full } = dayName(date);
  const day = near && !hasActions.value ? dayAndMonth(language.value, date, today.value) : full;
  return tr(
    { ...attributes, class: 'day-row' },
    th(
      { role: 'rowheader', scope: 'rowgroup', colSpan: 5, class: 'day' },
      near && span({ class: 'day-near' }, near),
      day,
    ),
    td({ role: 'cell', class: 'day-total' }, total !== null && total !== 0n && [total > 0n && '+', inText(total)]),
  );
};

export const Head = () => {
  const w = words.value.transactions;
  const keys = items.value.flatMap(item => (item.kind === 'row' ? [item.key] : []));
  const all = keys.length > 0 && keys.every(key => marked.value.has(key));
  const cell = (/** @type {string} */ text, /** @type {string} */ name) =>
    th({ role: 'columnheader', scope: 'col', class: name }, text);
  return thead(
    { role: 'rowgroup' },
    tr(
      { role: 'row', class: classes('head-row', !hasBoxes.value && 'without-boxes'), 'aria-rowindex': 1 },
      th(
        { role: 'columnheader', scope: 'col', class: 'cell-check' },
        hasBoxes.value
          ? label(
              { class: 'check-target' },
              input({ type: 'checkbox', checked: all, 'aria-label': w.mark_all, onChange: () => mark(keys, !all) }),
              span({ class: 'check-said' }, w.mark_all),
            )
          : span({ class: 'unseen' }, w.select),
      ),
      !hasColumns.value
        ? [cell(words.value.entry.description, 'cell-main'), cell(words.value.entry.amount, 'cell-amount')]
        : [
            cell(words.value.entry.description, 'cell-main'),
            cell(words.value.form.category, 'cell-category'),
            cell(words.value.form.account, 'cell-account'),
            cell(words.value.entry.amount, 'cell-amount'),
            th({ role: 'columnheader', scope: 'col', class: 'cell-actions' }, span({ class: 'unseen' }, w.actions)),
          ],
    ),
  );
};
