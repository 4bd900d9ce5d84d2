// The budgets of a month, typed in place: what is planned, what was spent, and what is left of earlier months.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { get, post, put } from '../api.js';
import { a, button, classes, div, h, input, p, small, span, table, tbody, td, tfoot, th, thead, tr } from '../dom.js';
import { monthName, monthOf } from '../dates.js';
import { cents, decimal, read } from '../money.js';
import { Amount, balance, hidden, inField, inText } from '../parts/amount.js';
import { categoryColor } from '../parts/budget_bar.js';
import { ofMonth } from '../parts/month_list.js';
import { Head } from '../parts/overview.js';
import { ghost, Loaded } from '../parts/problem.js';
import { failed, toast } from '../parts/toast.js';
import { recording } from '../parts/undo.js';
import { canWrite, categories, month, today, useReading, wrote } from '../session.js';
import { nameKey } from '../text.js';
import { language, wordsOf } from '../words.js';

const budgetWords = await wordsOf('budgets');

/** @typedef {import('../session.js').Schemas['MonthBudget']} Budget */
/** @typedef {import('../session.js').Schemas['CategoryMonth']} Line */
/** @typedef {import('../session.js').Schemas['BudgetTotals']} Totals */

const SOURCES = /** @type {const} */ (['previous', 'average3', 'average12', 'last_year']);

const budget = ofMonth((of, signal) => get('/api/budgets/{month}', { path: { month: of }, signal }));

/** Writes run one after the other, so that a list can be typed without waiting. */
let last = Promise.resolve();
let waiting = 0;

/**
 * Sends a write after the earlier ones. Its answer is shown if no later one follows.
 * @template T @param {() => Promise<T>} work @param {(answer: T) => Budget} [month] @returns {Promise<T | undefined>}
 */
const write = (work, month = answer => /** @type {any} */ (answer)) => {
  waiting++;
  const done = last.then(async () => {
    try {
      const answer = await work(),
        rows = month(answer);
      waiting--;
      if (waiting === 0 && budget.data.peek()?.month === rows.month) budget.set({ month: rows.month, rows });
      return answer;
    } catch (error) {
      waiting--;
      failed(error);
      void budget.load();
      return undefined;
    }
  });
  last = done.then(() => {});
  return done;
};

/** @param {string} of @param {Line} line @param {string | null} amount */
const set = async (of, { category_id, name }, amount) => {
  const w = budgetWords.value,
    { changed: noted, offer } = recording();
  const budgets = [{ category_id: Number(category_id), amount }];
  const answer = await write(() =>
    put('/api/budgets/{month}', { path: { month: of }, body: { budgets }, changed: noted }),
  );
  if (answer) {
    toast(amount === null ? w.unset(name ?? '') : w.set(name ?? '', inText(amount)), offer(again));
    void wrote();
  }
  return answer;
};

/** The fields of the page, from top to bottom. */
const fields = () => /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('input[data-budget]')]);

/** @param {HTMLInputElement} from @param {1 | -1} by */
const step = (from, by) => {
  const all = fields(),
    next = all[all.indexOf(from) + by];
  next?.focus();
  next?.select();
  return next !== undefined;
};

/** The amount of a category in the month, typed in place. @param {{ line: Line, of: string }} props */
const BudgetField = ({ line, of }) => {
  const w = budgetWords.value,
    typed = useSignal(/** @type {string | null} */ (null)),
    isWrong = useSignal(false),
    /** What is being saved: leaving the field does not save it again. */
    sent = useRef(/** @type {string | null} */ (null));
  const own = line.own === null ? '' : inField(line.own),
    name = line.name ?? '';
  /** @param {string} text */
  const save = text => {
    const value = text.trim() ? read(text) : undefined;
    isWrong.value = value === null || (value !== undefined && value < 0n);
    if (isWrong.value) return false;
    const next = value === undefined ? null : decimal(/** @type {bigint} */ (value));
    if (sent.current === text) return true;
    if (next === line.own) {
      typed.value = null;
      return true;
    }
    sent.current = text;
    void set(of, line, next).then(answer => {
      sent.current = null;
      // Unless the user types on, or it was refused.
      if (answer && typed.peek() === text) typed.value = null;
    });
    return true;
  };
  return span(
    { class: 'budget-field' },
    input({
      type: 'text',
      inputMode: 'decimal',
      autoComplete: 'off',
      'data-budget': line.category_id ?? 0,
      'aria-label': w.field(name),
      'aria-invalid': isWrong.value,
      title: isWrong.value ? w.wrong : undefined,
      placeholder: line.budget === null || line.own !== null ? '' : inField(line.budget),
      value: typed.value ?? own,
      onInput: event => (typed.value = event.currentTarget.value),
      // What is typed replaces the dots of a hidden amount.
      onFocus: event => hidden.peek() && event.currentTarget.select(),
      onBlur: event => typed.peek() !== null && save(event.currentTarget.value),
      onKeyDown: event => {
        const field = event.currentTarget;
        if (event.key === 'Enter' || event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          event.preventDefault();
          if (event.key === 'Enter' && typed.peek() !== null && !save(field.value)) return;
          step(field, event.key === 'ArrowUp' ? -1 : 1);
        } else if (event.key === 'Escape' && typed.peek() !== null) {
          event.preventDefault();
          typed.value = null;
          isWrong.value = false;
          // The field may show what was typed until the signal is rendered.
          field.value = own;
          field.select();
        }
      },
    }),
    isWrong.value && small({ class: 'field-error', role: 'alert' }, w.wrong),
  );
};

/** Reads again what an undo may have changed. */
const again = () => {
  void budget.load();
  void categories.load();
  void wrote();
};

/** Makes the amount of this month the default, from this month on. @param {Line} line @param {string} of */
const everyMonth = (line, of) => {
  const known = categories.data.peek()?.find(one => one.id === line.category_id),
    value = line.own;
  if (!known || value === null) return;
  const { changed: noted, offer } = recording();
  void write(
    async () => {
      const { name, is_tax, tax_kind } = known;
      await put('/api/categories/{id}', {
        path: { id: known.id },
        body: { name, is_tax, tax_kind, monthly_budget: value },
        changed: noted,
      });
      return put('/api/budgets/{month}', {
        path: { month: of },
        body: { budgets: [{ category_id: known.id, amount: null }] },
        changed: noted,
      });
    },
    answer => answer,
  ).then(answer => {
    if (!answer) return;
    toast(budgetWords.value.every_set(known.name, inText(value)), offer(again));
    void categories.load();
    void wrote();
  });
};

/** @param {string} of @param {typeof SOURCES[number]} from */
const fill = async (of, from) => {
  const w = budgetWords.value;
  const { changed: noted, offer } = recording();
  let before = /** @type {Line[]} */ ([]);
  const after = await write(async () => {
    // What the earlier writes have left.
    before = (await get('/api/budgets/{month}', { path: { month: of } })).categories;
    return post('/api/budgets/{month}/fill', { path: { month: of }, body: { from }, changed: noted });
  });
  if (!after) return;
  const owns = new Map(after.categories.map(line => [line.category_id, line.own]));
  const count = before.filter(({ category_id, own }) => category_id !== null && owns.get(category_id) !== own).length;
  toast(count === 0 ? w.nothing : w.filled(count), offer(again));
  if (count === 0) return;
  void wrote();
};

/** @param {bigint} part @param {bigint} whole */
const share = (part, whole) =>
  `${whole <= 0n ? (part > 0n ? 100 : 0) : Math.max(0, Math.min(100, Number((part * 1000n) / whole) / 10))}%`;

/** The cells of figures. @param {Totals | Line} of @param {import('preact').ComponentChildren} [spent] */
const figures = (of, spent = h(Amount, { value: of.spent })) => [
  td({ key: 'spent', role: 'cell', class: 'cell-spent', 'data-label': budgetWords.value.spent }, spent),
  td(
    { key: 'left', role: 'cell', class: 'cell-left', 'data-label': budgetWords.value.available },
    of.available === null ? '–' : balance(of.available),
  ),
  td({ key: 'carried', role: 'cell', class: 'cell-carried' }, balance(of.carried_in)),
];

/** @param {{ line: Line, of: string }} props */
const Row = ({ line, of }) => {
  const w = budgetWords.value,
    name = line.name ?? w.no_category,
    id = line.category_id;
  const allowed = cents(line.carried_in) + cents(line.budget ?? '0'),
    isOver = line.available !== null && cents(line.available) < 0n;
  const isEditable = id !== null && canWrite.value;
  return tr(
    { role: 'row', class: classes('budget-row', categoryColor(id), isOver && 'over') },
    th(
      { role: 'rowheader', scope: 'row' },
      span({ class: 'budget-name' }, span({ class: 'dot' }), name),
      isEditable &&
        line.own !== null &&
        of === monthOf(today.value) &&
        button(
          { class: 'link-button', type: 'button', 'aria-label': w.every_of(name), onClick: () => everyMonth(line, of) },
          w.every,
        ),
    ),
    td(
      { role: 'cell', class: 'cell-budget', 'data-label': w.budget },
      isEditable
        ? h(BudgetField, { key: of, line, of })
        : line.budget === null
          ? '–'
          : h(Amount, { value: line.budget }),
    ),
    figures(
      line,
      a(
        { href: `/transactions?month=${of}&category_id=${id ?? 'none'}&kind=expense` },
        h(Amount, { value: line.spent }),
        span(
          { class: 'track', 'aria-hidden': 'true' },
          span({ class: 'fill', style: { width: share(cents(line.spent), allowed) } }),
        ),
      ),
    ),
  );
};

/** @param {{ of: Budget }} props */
const Months = ({ of }) => {
  const w = budgetWords.value;
  const isShown = (/** @type {Line} */ line) =>
    cents(line.spent) !== 0n ||
    (line.category_id !== null && (!line.hidden || line.own !== null || line.budget !== null));
  const lines = of.categories.filter(isShown);
  const key = (/** @type {string | null} */ group) => (group === null ? null : nameKey(group));
  const columns = [w.category, w.budget, w.spent, w.available, w.carried];
  return div(
    { class: 'card list-card budget-card' },
    table(
      { role: 'table', 'aria-label': w.title(monthName(language.value, of.month)), class: 'budget-table' },
      thead(
        { role: 'rowgroup' },
        tr(
          { role: 'row' },
          columns.map((text, at) =>
            th({ key: text, role: 'columnheader', scope: 'col', class: classes(at > 0 && 'figure') }, text),
          ),
        ),
      ),
      of.groups.map(group => {
        const own = lines.filter(line => key(line.group) === key(group.group));
        return (
          own.length > 0 &&
          tbody(
            { key: group.group ?? '', role: 'rowgroup' },
            of.groups.length > 1 &&
              tr(
                { role: 'row', class: 'group-row' },
                th({ role: 'rowheader', scope: 'rowgroup' }, group.group ?? w.no_group),
                td({ role: 'cell', class: 'cell-budget', 'data-label': w.budget }, h(Amount, { value: group.budget })),
                figures(group),
              ),
            own.map(line => h(Row, { key: line.category_id ?? 0, line, of: of.month })),
          )
        );
      }),
      tfoot(
        { role: 'rowgroup' },
        tr(
          { role: 'row', class: 'group-row' },
          th({ role: 'rowheader', scope: 'row' }, w.total),
          td({ role: 'cell', class: 'cell-budget', 'data-label': w.budget }, h(Amount, { value: of.total.budget })),
          figures(of.total),
        ),
      ),
    ),
  );
};

export default () => {
  const w = budgetWords.value,
    shown = month.value;
  useEffect(() => categories.want(), []);
  useReading(budget.load, () => month.value);
  return div(
    { class: 'page' },
    h(Head, { title: w.title(monthName(language.value, shown)) }),
    Loaded({
      of: budget,
      skeleton: ghost(8),
      children: ({ month: of, rows }) =>
        div(
          { class: classes('dashboard budget-page', of !== shown && 'other') },
          div(
            { class: 'summary-line' },
            p(
              { role: 'status' },
              span(null, `${w.to_distribute} `, balance(rows.to_distribute)),
              small({ class: 'quiet' }, w.of_income(inText(rows.income_expected))),
            ),
            canWrite.value &&
              div(
                { class: 'row-actions', role: 'group', 'aria-label': w.fill },
                SOURCES.map(from =>
                  button(
                    { key: from, class: 'button', type: 'button', onClick: () => void fill(of, from) },
                    w.from[from],
                  ),
                ),
              ),
          ),
          h(Months, { of: rows }),
          canWrite.value && p({ class: 'quiet budget-hint' }, w.hint),
        ),
    }),
  );
};
