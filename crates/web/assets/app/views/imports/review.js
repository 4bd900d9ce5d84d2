// The third step: the rows as they will be stored, the actions on each, and the send button.
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Problem } from '../../api.js';
import {
  button,
  classes,
  details,
  div,
  form,
  h,
  h2,
  input,
  label,
  option,
  p,
  section,
  select,
  small,
  span,
  summary,
  td,
  th,
  thead,
  tr,
} from '../../dom.js';
import { dayAndMonth, dayInWords } from '../../dates.js';
import { bind, letters, rowKeys } from '../../keys.js';
import { nameOf, inText, Signed, signedSum } from '../../parts/amount.js';
import { categoryColor } from '../../parts/budget_bar.js';
import { newOption, selecting } from '../../parts/category_select.js';
import { icon } from '../../parts/icon.js';
import { ProblemNote } from '../../parts/problem.js';
import { Rows } from '../../parts/rows.js';
import { wide } from '../../parts/wide.js';
import { accountById, categories, categoryById, today } from '../../session.js';
import { nameKey } from '../../text.js';
import { language, words } from '../../words.js';
import { detailWords } from '../../words/details.js';
import { importWords } from '../../words/imports.js';
import { rulesWords } from '../../words/rules.js';
import { Busy } from './file_problem.js';
import { drop, next, position } from './queue.js';
import { Rejected } from './rejected.js';
import { categorize, isCertain, isLeftOut, mark, placesOf, setOrdinary, settle, statementText } from './statement.js';
import { accountLabel, briefly, showStored, storedBill, storedTransaction } from './stored.js';
import { segments } from '../../parts/field.js';

/** @typedef {import('./statement.js').Statement} Statement */
/** @typedef {import('./statement.js').Row} Row */
/** @typedef {import('./statement.js').Filter} Filter */
/** @typedef {import('./statement.js').Source} Source */

const FILTERS = /** @type {const} */ (['all', 'new', 'duplicate', 'uncategorized']);
/** In the order in which the service tries them. */
const SOURCES = /** @type {Source[]} */ (['rule', 'history', 'installment', 'payee', 'similar', 'dictionary']);

/** Removes the toasts of the check, because there is nothing to undo once the rows are sent. */
const toasts = /** @type {(() => void)[]} */ ([]);
const untell = () => toasts.splice(0).forEach(close => close());
/** @param {string} text @param {() => void} undo */
const tellUndo = (text, undo) =>
  void import('../../parts/toast.js').then(({ toast }) => void toasts.push(toast(text, { undo })));

/** Wide enough for what acts on several rows. On narrower screens it comes on request. */
const hasTools = wide('(min-width: 600px)');
/** A window so wide that there is most likely a keyboard. */
const hasKeyboard = wide('(min-width: 900px)');

const sorted = () =>
  (categories.data.value ?? [])
    .filter(one => !one.hidden)
    .sort((one, other) => one.name.localeCompare(other.name, 'pt-BR'));

/** @param {{ of: Statement }} props */
export const Review = ({ of }) => {
  const w = importWords.value,
    r = w.review,
    preview = /** @type {import('./statement.js').Preview} */ (of.preview.value);
  const counts = of.counts.value,
    shown = of.shown.value,
    sending = of.sending.value;
  const control = useRef(/** @type {import('../../parts/rows.js').Control | null} */ (null)),
    active = useRef(-1);
  categories.want();
  useEffect(() => {
    performance.mark('preview');
    // After a reload, the focused row may be gone.
    if (document.activeElement === document.body && active.current >= 0) control.current?.show(active.current);
  }, [preview]);
  useEffect(() => untell, []);
  useEffect(() => {
    const element = () => /** @type {HTMLElement | null} */ (document.querySelector('.review tr:focus-within'));
    return bind({
      ...rowKeys({
        rows: () => of.shown.peek(),
        at: () => (element() ? active.current : -1),
        first: () => Math.max(0, Math.min(active.current, of.shown.peek().length - 1)),
        show: index => control.current?.show((active.current = index)),
        open: () => /** @type {HTMLElement | null} */ (element()?.querySelector('select'))?.focus(),
      }),
      // The first row without a category. Enter in it goes to the next.
      u: () => {
        of.filter.value = 'uncategorized';
        active.current = -1;
        requestAnimationFrame(() => fileNext(of, control.current, active));
      },
      x: () => {
        const index = of.shown.peek()[active.current];
        if (element() && index !== undefined) mark(of, [index], !of.isSent(index));
      },
    });
  }, [of]);
  // The account is that of the form. Without one, the rows have no account.
  const where = placesOf(of, accountLabel) || words.value.dashboard.no_account;
  const isAllKnown = counts.new === 0 && counts.all > 0;
  const change = () => (of.step.value = preview.format === 'csv' ? 'columns' : 'file');
  return [
    section(
      { key: 'head', class: 'card review-head', 'aria-labelledby': 'review' },
      div(
        { class: 'card-head' },
        h2({ id: 'review', tabIndex: -1, class: 'step-title' }, r.title),
        button({ class: 'link-button', type: 'button', onClick: change }, preview.format === 'csv' ? r.mend : r.move),
      ),
      p(
        { class: 'finding' },
        counts.all === 0
          ? r.nothing(of.file.name)
          : isAllKnown
            ? r.all_known(counts.all)
            : r.found(counts.new, counts.duplicate, where),
      ),
      h(Rejected, { rows: preview.rejected }),
      counts.all > 0 && [
        hasTools.value
          ? h(Several, { key: 'tools', of })
          : details({ key: 'tools', class: 'review-tools' }, summary(null, r.tools), h(Several, { of })),
        counts.uncategorized > 0 &&
          letters.value &&
          hasKeyboard.value &&
          p({ key: 'keys', class: 'quiet' }, small(null, r.keys)),
      ],
    ),
    counts.all > 0 &&
      section(
        { key: 'rows', class: 'card review', 'aria-label': r.rows },
        shown.length === 0
          ? p({ class: 'finding' }, r.none_fits)
          : h(/** @type {import('preact').FunctionComponent<any>} */ (Rows), {
              rows: shown,
              keyOf,
              label: r.rows,
              head: h(Head, { of }),
              control,
              class: 'review-rows',
              row: (
                /** @type {number} */ index,
                /** @type {import('../../parts/rows.js').RowAttributes} */ attributes,
                /** @type {number} */ at,
              ) => rowOf(of, index, at, attributes, active, control),
            }),
      ),
    h(Bar, { key: 'bar', of, sending }),
  ];
};

/** What acts on several rows. @param {{ of: Statement }} props */
const Several = ({ of }) => [
  h(Tools, { key: 'tools', of }),
  (of.suggested.value.size > 0 || of.source.value !== '') && h(Suggested, { key: 'suggested', of }),
  of.counts.value.new > 0 && h(Bulk, { key: 'bulk', of }),
];

/** @param {number} index */
const keyOf = index => index;

/** Search and filter. @param {{ of: Statement }} props */
const Tools = ({ of }) => {
  const r = importWords.value.review,
    counts = of.counts.value;
  return div(
    { class: 'tools' },
    input({
      type: 'search',
      class: 'search',
      'aria-label': r.search,
      placeholder: r.search,
      accessKey: '3',
      value: of.text.value,
      onInput: event => (of.text.value = event.currentTarget.value),
    }),
    div(
      { class: 'segments', role: 'group', 'aria-label': r.filter },
      segments(
        'filter',
        FILTERS.map(name => [
          name,
          [`${r.filters[name]} `, small({ class: 'count' }, counts[name].toLocaleString(language.value))],
        ]),
        of.filter.value,
        name => (of.filter.value = name),
      ),
    ),
  );
};

/** Sets the category of all selected visible rows. @param {{ of: Statement }} props */
const Bulk = ({ of }) => {
  const r = importWords.value.review,
    id = useSignal('');
  const marked = useComputed(() => of.shown.value.filter(index => of.isSent(index) && !of.isTransfer(index)));
  const count = marked.value.length;
  const apply = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (id.value === '' || count === 0) return;
    const chosen = id.value === 'none' ? null : Number(id.value);
    const undo = categorize(of, marked.value, chosen);
    tellUndo(
      r.categorized(
        count,
        chosen === null ? words.value.form.no_category : (categoryById.value.get(chosen)?.name ?? ''),
      ),
      undo,
    );
    id.value = '';
  };
  return form(
    { class: 'review-bulk', onSubmit: apply },
    label(
      { class: 'bulk-field' },
      span({ 'aria-live': 'polite' }, r.bulk(count)),
      select(
        { value: id.value, ...selecting(id.value, value => void (id.value = value)) },
        option({ value: '' }, r.choose_category),
        sorted().map(one => option({ key: one.id, value: String(one.id) }, one.name)),
        option({ value: 'none' }, words.value.form.no_category),
        newOption(),
      ),
    ),
    button({ class: 'button', type: 'submit', 'aria-disabled': id.value === '' || count === 0 }, r.apply),
  );
};

/** The suggestions by source: filters them, and accepts or refuses all at once. @param {{ of: Statement }} props */
const Suggested = ({ of }) => {
  const r = importWords.value.review,
    found = of.suggested.value,
    chosen = of.source.value;
  const indices = chosen ? (found.get(chosen) ?? []) : [...found.values()].flat(),
    count = indices.length;
  const apply = (/** @type {boolean} */ isTaken) => {
    if (count > 0) tellUndo((isTaken ? r.taken : r.refused)(count), settle(of, indices, isTaken));
  };
  return div(
    { class: 'review-bulk', role: 'group', 'aria-label': r.suggestions },
    label(
      { class: 'bulk-field' },
      span(null, r.suggestions),
      select(
        {
          value: chosen,
          onChange: event => (of.source.value = /** @type {Source | ''} */ (event.currentTarget.value)),
        },
        option({ value: '' }, r.any_source([...found.values()].flat().length)),
        SOURCES.filter(source => found.has(source) || source === chosen).map(source =>
          option({ key: source, value: source }, r.by_source(r.sources[source], found.get(source)?.length ?? 0)),
        ),
      ),
    ),
    button(
      { class: 'button', type: 'button', 'aria-disabled': count === 0, onClick: () => apply(true) },
      r.take(count),
    ),
    button(
      { class: 'button quiet-button', type: 'button', 'aria-disabled': count === 0, onClick: () => apply(false) },
      r.refuse(count),
    ),
  );
};

/** @param {{ of: Statement }} props */
const Head = ({ of }) => {
  const r = importWords.value.review;
  const can = of.shown.value.filter(index => !of.preview.value?.rows[index]?.duplicate);
  const left = can.reduce((count, index) => count + (of.isSent(index) ? 0 : 1), 0);
  const cell = (/** @type {string} */ name, /** @type {string} */ text) =>
    th({ role: 'columnheader', scope: 'col', class: name }, text);
  return thead(
    { role: 'rowgroup' },
    tr(
      { role: 'row', 'aria-rowindex': 1 },
      th(
        { role: 'columnheader', scope: 'col', class: 'mark-cell' },
        label(
          { class: 'check' },
          input({
            type: 'checkbox',
            checked: can.length > 0 && left === 0,
            indeterminate: left > 0 && left < can.length,
            disabled: can.length === 0,
            onChange: event => mark(of, can, event.currentTarget.checked),
          }),
          span({ class: 'mark-all' }, r.mark_all),
        ),
      ),
      cell('date-cell', r.date),
      cell('text-cell', r.description),
      cell('category-cell', r.category),
      cell('amount-cell figure', r.amount),
      cell('notes-cell', r.notes),
    ),
  );
};

/**
 * @param {Statement} of @param {number} index @param {number} at @param {import('../../parts/rows.js').RowAttributes} attributes @param {{ current: number }} active
 * @param {{ current: import('../../parts/rows.js').Control | null }} control
 */
const rowOf = (of, index, at, attributes, active, control) => {
  const r = importWords.value.review,
    row = /** @type {Row} */ (of.preview.value?.rows[index]),
    isSent = of.isSent(index);
  const isTransfer = of.isTransfer(index),
    date = dayAndMonth(language.value, row.date, today.value);
  const named = `${row.description}, ${date}`;
  return tr(
    {
      ...attributes,
      tabIndex: -1,
      class: classes('review-row', row.duplicate && 'duplicate', !isSent && 'out-row'),
      onFocusIn: () => (active.current = at),
    },
    td(
      { role: 'cell', class: 'mark-cell' },
      row.duplicate
        ? span({ class: 'kept', title: r.duplicate }, icon('check'))
        : input({
            type: 'checkbox',
            'aria-label': r.send(named),
            checked: isSent,
            onChange: event => mark(of, [index], event.currentTarget.checked),
          }),
    ),
    td({ role: 'cell', class: 'date-cell' }, date),
    td(
      { role: 'cell', class: 'text-cell row-text', title: row.statement_description ?? row.description },
      // Its controls are named by the whole text, which a screen reader does not get from the tooltip.
      span({ class: 'row-description' }, nameOf(row)),
      row.display.method && [' ', span({ class: 'method' }, words.value.entry.methods[row.display.method])],
      row.statement_description !== null &&
        span({ class: 'entry-meta' }, words.value.transactions.statement_said(row.statement_description)),
      h(Noted, { of, index, row }),
    ),
    td(
      { role: 'cell', class: 'category-cell' },
      row.duplicate
        ? h(Duplicate, { row })
        : isTransfer
          ? span({ class: 'transfer-mark' }, words.value.money.transfer)
          : of.linesOf(index)
            ? span({ class: 'transfer-mark' }, words.value.form.split)
            : h(CategoryOf, { of, index, row, next: () => fileNext(of, control.current, active) }),
    ),
    td(
      { role: 'cell', class: 'amount-cell figure' },
      h(Signed, { value: row.amount, type: row.type, transfer: isTransfer }),
    ),
    td({ role: 'cell', class: 'notes-cell' }, h(Notes, { of, index, row })),
    // After the notes, so that what follows from a choice of a category is next to it.
    td(
      { role: 'cell', class: 'details-cell' },
      !row.duplicate &&
        button(
          {
            class: 'icon-button',
            type: 'button',
            'aria-haspopup': 'dialog',
            'aria-label': `${detailWords.value.more}: ${row.description}`,
            title: detailWords.value.more,
            onClick: () => void import('./row_details.js').then(({ openDetails }) => openDetails(of, index, row)),
          },
          icon('edit'),
        ),
    ),
  );
};

/**
 * Moves to the category field of the next row without one.
 * @param {Statement} of
 * @param {import('../../parts/rows.js').Control | null} control
 * @param {{ current: number }} active
 */
const fileNext = (of, control, active) => {
  const shown = of.shown.peek(),
    at = shown.findIndex((index, place) => place > active.current && of.isUncategorized(index));
  if (at >= 0) control?.show((active.current = at), 'select');
};

/** @param {{ of: Statement, index: number, row: Row, next: () => void }} props */
const CategoryOf = ({ of, index, row, next }) => {
  const r = importWords.value.review,
    id = of.categoryOf(index),
    isOpen = useSignal(false);
  // The select gets all names only when it is about to open. They would be most of the page's elements.
  const fill = () => void (isOpen.value = true);
  const before = id === null ? '' : String(id),
    own = selecting(before, value => void categorize(of, [index], value === '' ? null : Number(value)));
  const reason = of.chosen.value.has(index) ? undefined : row.suggestion?.source,
    note = `why-${of.id}-${index}`;
  return span(
    { class: 'row-category' },
    span({ class: classes('dot', categoryColor(id)) }),
    select(
      {
        'aria-label': r.category_of(row.description),
        'aria-describedby': reason && note,
        class: classes(id === null && 'unset'),
        ...own,
        value: before,
        onFocus: () => {
          own.onFocus();
          fill();
        },
        onPointerEnter: fill,
        onPointerDown: () => {
          own.onPointerDown();
          fill();
        },
        onKeyDown: event => {
          own.onKeyDown(event);
          if (event.defaultPrevented || event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          next();
        },
      },
      option({ value: '' }, words.value.form.no_category),
      isOpen.value
        ? sorted().map(one => option({ key: one.id, value: String(one.id) }, one.name))
        : id !== null && option({ value: String(id) }, categoryById.value.get(id)?.name ?? ''),
      isOpen.value && newOption(),
    ),
    reason &&
      small(
        { id: note, class: 'suggested', title: r.reasons[reason] },
        icon('spark'),
        span(null, r.suggested),
        span({ class: 'unseen' }, `: ${r.reasons[reason]}`),
      ),
  );
};

/** Tags, note and lines of a row: those of rules and of the user. @param {{ of: Statement, index: number, row: Row }} props */
const Noted = ({ of, index, row }) => {
  const noted = of.details.value.get(index),
    lines = of.linesOf(index);
  const known = new Set((noted?.tags ?? []).map(nameKey));
  const tags = [...(noted?.tags ?? []), ...(row.tags ?? []).filter(tag => !known.has(nameKey(tag)))];
  return [
    lines &&
      span(
        { key: 'lines', class: 'entry-meta' },
        lines
          .map(line => `${categoryById.value.get(line.category_id)?.name ?? '…'} ${inText(String(line.amount))}`)
          .join(' + '),
      ),
    tags.length > 0 && span({ key: 'tags', class: 'entry-meta' }, tags.map(tag => `#${tag}`).join(' ')),
    noted?.note && span({ key: 'note', class: 'entry-meta' }, noted.note),
  ];
};

/** A button that shows the stored row that a row names. @param {string} text @param {Row} row @param {number} id */
const showing = (text, row, id) =>
  button(
    { class: 'link-button', type: 'button', onClick: () => showStored(text, id) },
    text,
    span({ class: 'unseen' }, ` ${row.description}`),
  );

/** The stored row that it duplicates. @param {{ row: Row }} props */
const Duplicate = ({ row }) => {
  const r = importWords.value.review;
  return span(
    { class: 'row-notes' },
    row.duplicate_of === null
      ? r.duplicate_held
      : showing(row.transfer?.kind === 'leg' ? r.duplicate_leg : r.duplicate, row, row.duplicate_of),
  );
};

/** The notes and further actions of a row. @param {{ of: Statement, index: number, row: Row }} props */
const Notes = ({ of, index, row }) => {
  const r = importWords.value.review;
  /** @type {import('preact').ComponentChildren[]} */
  const notes = [];
  if (!row.duplicate) {
    if (row.transfer) notes.push(h(TransferNote, { key: 'transfer', of, index, row }));
    if (isLeftOut(row))
      notes.push(
        span(
          { key: 'skipped', class: 'transfer-note' },
          row.skipped_by_rule ? (of.isSent(index) ? r.kept : r.skipped) : of.isSent(index) ? r.yield_kept : r.yield,
          ' ',
          button(
            { class: 'link-button', type: 'button', onClick: () => mark(of, [index], !of.isSent(index)) },
            of.isSent(index) ? r.skip : r.keep,
            span({ class: 'unseen' }, ` ${row.description}`),
          ),
        ),
      );
    if (row.similar_to !== null && !of.isTransfer(index))
      notes.push(span({ key: 'similar', class: 'badge late similar' }, showing(r.similar, row, row.similar_to)));
    const folded = of.facts.value[index]?.folded ?? '',
      alike = of.alike.value.get(folded) ?? [];
    if (of.chosen.value.has(index) && alike.length > 1) {
      const id = of.categoryOf(index),
        others = alike.filter(other => of.categoryOf(other) !== id && !of.isTransfer(other));
      const apply = () =>
        tellUndo(
          r.categorized(
            others.length,
            id === null ? words.value.form.no_category : (categoryById.value.get(id)?.name ?? ''),
          ),
          categorize(of, others, id),
        );
      if (others.length > 0)
        notes.push(
          button({ key: 'alike', class: 'link-button', type: 'button', onClick: apply }, r.alike(others.length)),
        );
    }
    const id = of.categoryOf(index);
    if (of.chosen.value.has(index) && id !== null && row.suggestion?.category_id !== id && !of.isTransfer(index)) {
      notes.push(
        button(
          {
            key: 'always',
            class: 'link-button',
            type: 'button',
            'aria-haspopup': 'dialog',
            onClick: () => makeRule(of, row, id),
          },
          rulesWords.value.always,
          span({ class: 'unseen' }, ` ${rulesWords.value.always_about(row.description)}`),
        ),
      );
    }
  }
  return notes.length > 0 ? span({ class: 'row-notes' }, notes) : null;
};

/**
 * Creates a rule from the change of a row. The other rows are read again with it.
 * @param {Statement} of
 * @param {Row} row
 * @param {number} id
 */
const makeRule = (of, row, id) =>
  void Promise.all([import('../settings/rule_form.js'), import('../../rules.js')]).then(([{ openRule }, { ruleOf }]) =>
    openRule(ruleOf(statementText(row), id), () => void of.read()),
  );

/** The note of a transfer. @param {{ of: Statement, index: number, row: Row }} props */
const TransferNote = ({ of, index, row }) => {
  const t = importWords.value.review.transfers,
    transfer = /** @type {NonNullable<Row['transfer']>} */ (row.transfer);
  const isPayment = transfer.kind === 'bill_payment',
    card = row.type === 'income' && of.isCard.value ? accountLabel(of.account.value ?? null) : '';
  const { with: side } = transfer;
  const other = side && 'transaction_id' in side ? storedTransaction(side.transaction_id).data.value : null;
  const bill = side && 'bill_id' in side ? storedBill(side.bill_id).data.value : null;
  const link =
    other &&
    button({ class: 'link-button', type: 'button', onClick: () => showStored(t.other_side, other.id) }, briefly(other));
  if (!isCertain(row)) {
    return span(
      { class: 'transfer-note' },
      isPayment ? t.maybe_payment : t.maybe,
      other ? [' ', t.with, ' ', link] : null,
      '. ',
      t.maybe_then,
    );
  }
  const isOrdinary = of.ordinary.value.has(index);
  const toggle = button(
    { class: 'link-button', type: 'button', onClick: () => setOrdinary(of, index, !isOrdinary) },
    isOrdinary ? t.back : t.ordinary(row.type),
    span({ class: 'unseen' }, ` ${row.description}`),
  );
  if (isOrdinary) return span({ class: 'transfer-note' }, t.is_ordinary(row.type), ' ', toggle);
  const name = card || (other ? cardOf(other) : bill ? accountLabel(bill.account_id) : '');
  const what = isPayment
    ? bill
      ? t.pays(name, dayInWords(language.value, bill.due_date, today.value))
      : t.payment(name)
    : t.own;
  return span(
    { class: 'transfer-note' },
    what,
    other ? [', ', t.linked, ' ', link] : transfer.with === null ? [', ', t.alone] : null,
    '. ',
    toggle,
  );
};

/** The card on the other side of a payment. @param {{ account_id: number | null }} row */
const cardOf = ({ account_id }) =>
  account_id !== null && accountById.value.get(account_id)?.kind === 'credit' ? accountLabel(account_id) : '';

/**
 * The button with the number and the sum of the rows to send.
 * @param {{ of: Statement, sending: { count: number, sum: bigint } }} props
 */
const Bar = ({ of, sending }) => {
  const w = importWords.value,
    r = w.review,
    error = of.error.value;
  const isMany = position.value.number < position.value.of;
  const day = of.payment.value && dayInWords(language.value, of.payment.value, today.value);
  const isStopped = useSignal(false);
  const stop = () => {
    isStopped.value = of.busy.peek() === 'sending';
    of.cancel();
  };
  const send = () => {
    isStopped.value = false;
    void of.send();
  };
  // The button is behind all rows, which a keyboard need not pass.
  useEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      const isMeant = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat;
      if (!isMeant || event.defaultPrevented || document.querySelector('dialog[open]')) return;
      if (of.busy.peek() || of.sending.peek().count === 0) return;
      event.preventDefault();
      send();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [of]);
  const isStale = error instanceof Problem && error.errors.some(({ field }) => field.endsWith('.transfer_with'));
  const wrongRow = error instanceof Problem ? /^rows\[(\d+)\]/.exec(error.errors[0]?.field ?? '')?.[1] : undefined;
  const wrong =
    wrongRow === undefined ? undefined : of.preview.value?.rows[of.sending.value.indices[Number(wrongRow)] ?? -1];
  const text = of.isHeld.value && day ? r.hold(sending.count) : r.import(sending.count);
  return div(
    { class: 'review-bar card' },
    error !== null &&
      (wrong
        ? div(
            { class: 'problem', role: 'alert' },
            p(null, isStale ? r.stale(wrong.description) : r.wrong_row(wrong.description)),
            button({ class: 'button', type: 'button', onClick: () => void of.read() }, r.read_again),
          )
        : h(ProblemNote, { error, retry: of.failed.value === 'sending' ? send : () => void of.read() })),
    isStopped.value && !of.busy.value && p({ class: 'note', role: 'status' }, r.stopped),
    of.isHeld.value && sending.count > 0 && day && p({ class: 'quiet' }, w.held_until(day)),
    of.busy.value
      ? h(Busy, {
          text: of.busy.value === 'sending' ? r.sending(sending.count) : w.reading(of.file.name),
          cancel: stop,
        })
      : div(
          { class: 'actions' },
          sending.count > 0 &&
            button({ class: 'button', type: 'button', onClick: () => void drop(of, next) }, words.value.app.cancel),
          sending.count === 0
            ? [
                span({ key: 'none', class: 'quiet', role: 'status' }, r.nothing_to_send),
                button(
                  { key: 'next', class: 'button primary', type: 'button', onClick: next },
                  isMany ? w.next_file : r.finish,
                ),
              ]
            : button(
                {
                  class: 'button primary send',
                  type: 'button',
                  'aria-keyshortcuts': 'Control+Enter Meta+Enter',
                  onClick: send,
                },
                span(null, text),
                span({ class: 'money' }, signedSum(sending.sum)),
              ),
        ),
  );
};
