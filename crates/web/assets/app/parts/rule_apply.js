// Applies rules to stored transactions, with an undo. The service keeps no list of its changes, so the rows' values are
// read
// before.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { get, getPage, post, put, resource } from '../api.js';
import { div, fieldset, h, input, label, legend, p, small, span } from '../dom.js';
import { rules } from '../rules.js';
import { changed, wrote } from '../session.js';
import { ROWS_MAX, chunks } from '../transactions.js';
import { words } from '../words.js';
import { rulesWords } from '../words/rules.js';
import { open } from './dialog.js';
import { Field, Form, invalid } from './field.js';
import { message } from './problem.js';
import { toast } from './toast.js';

/** @typedef {import('../rules.js').Schemas['Transaction']} Transaction */
/** @typedef {{ rule_ids?: number[], from?: string, to?: string, only_uncategorized: boolean }} Scope */

/** The most rows of a scope that can be restored, and the most that are written one by one. */
const UNDONE_ROWS_MAX = 5000,
  SINGLE_ROWS_MAX = 200;

/** @param {Scope} scope */
const filtersOf = ({ from, to, only_uncategorized }) => ({
  from,
  to,
  ...(only_uncategorized ? { category_id: 'none' } : {}),
});

/**
 * The rows of a scope by id; null if there are too many.
 * @param {Scope} scope
 * @returns {Promise<Map<number, Transaction> | null>}
 */
const rowsIn = async scope => {
  let { rows, next } = await getPage('/api/transactions', { query: { ...filtersOf(scope), limit: ROWS_MAX } });
  while (next) {
    if (rows.length >= UNDONE_ROWS_MAX) return null;
    const page = await getPage(/** @type {'/api/transactions'} */ (next));
    rows = rows.concat(page.rows);
    next = page.next;
  }
  return new Map(rows.map(row => [row.id, row]));
};

/**
 * Whether a rule changed the row, or the row has left the scope.
 * @param {Transaction} row
 * @param {Transaction | undefined} now
 */
const isChanged = (row, now) =>
  row.category_id !== now?.category_id ||
  row.description !== now.description ||
  row.is_transfer !== now.is_transfer ||
  row.tags.length !== now.tags.length;

/**
 * Restores the values of rows.
 * @param {Transaction[]} rows
 * @param {boolean} isWhole Whether more than their category changed.
 */
const giveBack = async (rows, isWhole) => {
  if (isWhole) {
    for (const {
      id,
      date,
      description,
      amount,
      type,
      category_id,
      account_id,
      external_id,
      is_transfer,
      lines,
      tags,
      note,
    } of rows) {
      await put('/api/transactions/{id}', {
        path: { id },
        body: { date, description, amount, type, category_id, account_id, external_id, is_transfer, lines, tags, note },
      });
    }
    return;
  }
  for (const category_id of new Set(rows.map(row => row.category_id))) {
    for (const part of chunks(rows.filter(row => row.category_id === category_id)))
      await post('/api/transactions/update', { body: { ids: part.map(row => row.id), category_id } });
  }
};

/** Applies rules, and shows the result with an undo, if there is one. @param {Scope} scope @param {string} [key] */
export const apply = async (scope, key) => {
  const w = rulesWords.value,
    known = rules.data.peek()?.filter(rule => scope.rule_ids?.includes(rule.id) ?? true);
  const isWhole =
    !known || known.some(rule => rule.actions.some(one => ['rename', 'mark_transfer', 'add_tag'].includes(one.action)));
  const before = await rowsIn(scope);
  const done = await post('/api/rules/apply', { body: scope, ...(key ? { key } : {}) });
  const after = before && done.changed > 0 ? await rowsIn(scope) : null;
  const rows = before && after ? [...before.values()].filter(row => isChanged(row, after.get(row.id))) : [];
  const isUndoable = rows.length === done.changed && rows.length > 0 && (!isWhole || rows.length <= SINGLE_ROWS_MAX);
  const again = () => {
    changed.value++;
    void wrote();
  };
  const undo = async () => {
    try {
      await giveBack(rows, isWhole);
      toast(w.taken_back(rows.length));
    } catch (error) {
      toast(message(error), { isProblem: true });
    }
    again();
  };
  toast(w.applied(done.changed), isUndoable ? { undo } : {});
  if (done.changed > 0) again();
};

/** @param {{ only: import('../rules.js').Rule | null, close: () => void }} props */
const ApplyForm = ({ only, close }) => {
  const w = rulesWords.value,
    isAll = useSignal(false),
    from = useSignal(''),
    to = useSignal('');
  /** @returns {Scope} */
  const scope = () => ({
    ...(only ? { rule_ids: [only.id] } : {}),
    ...(from.value ? { from: from.value } : {}),
    ...(to.value ? { to: to.value } : {}),
    only_uncategorized: !isAll.value,
  });
  const counted = useMemo(
      () => resource(signal => get('/api/transactions/summary', { query: filtersOf(scope()), signal })),
      [],
    ),
    count = counted.data.value?.count;
  const isOrdered = () => !from.value || !to.value || from.value <= to.value;
  useEffect(() => {
    // Decided here, because an effect may run only after the next change, whose days the request would have.
    if (isOrdered()) void counted.load();
  }, [isAll.value, from.value, to.value]);
  /** @param {boolean} all @param {string} text */
  const choice = (all, text) =>
    label(
      { class: 'segment' },
      input({ type: 'radio', name: 'scope', checked: isAll.value === all, onChange: () => (isAll.value = all) }),
      span(null, text),
    );
  /**
   * @param {string} name
   * @param {string} text
   * @param {import('@preact/signals').Signal<string>} value
   * @param {unknown} error
   */
  const day = (name, text, value, error) =>
    h(Field, {
      label: text,
      name,
      error,
      hint: w.any_day,
      children: control =>
        input({
          ...control,
          type: 'date',
          value: value.value,
          onInput: event => (value.value = event.currentTarget.value),
        }),
    });
  return h(Form, {
    submit: w.apply_submit,
    busy: w.applying,
    cancel: close,
    work: async key => {
      if (!isOrdered()) throw invalid({ field: 'to', code: 'invalid_date' });
      await apply(scope(), key);
      close();
    },
    children: error => [
      fieldset(
        { key: 'scope', class: 'field' },
        legend(null, w.scope),
        div({ class: 'segments' }, choice(false, w.scopes.none), choice(true, w.scopes.all)),
        isAll.value && small({ class: 'hint' }, w.scope_all_hint),
      ),
      div({ key: 'days', class: 'pair' }, day('from', w.since, from, error), day('to', w.until, to, error)),
      p(
        { key: 'count', class: 'quiet', role: 'status' },
        count === undefined ? words.value.app.loading : w.in_scope(count),
      ),
      count !== undefined &&
        count > UNDONE_ROWS_MAX &&
        p({ key: 'many', class: 'note' }, w.too_many_to_undo(UNDONE_ROWS_MAX)),
    ],
  });
};

/** Opens the form for one rule, or for all. @param {import('../rules.js').Rule | null} [only] */
export const openApply = (only = null) =>
  open({ title: only ? rulesWords.value.apply_one(only.name) : rulesWords.value.apply_title }, close =>
    h(ApplyForm, { only, close }),
  );
