// Recurring items: the expected ones by day of the month, those that have come, and the actions on the rest.
import { useEffect } from 'preact/hooks';
import { get, isAborted, post, remove } from '../api.js';
import { a, button, classes, div, h, p, section, small, span, td } from '../dom.js';
import { dayIn, monthName, weekday } from '../dates.js';
import { cents, decimal, sum } from '../money.js';
import { said, Signed } from '../parts/amount.js';
import { categoryColor } from '../parts/budget_bar.js';
import { icon } from '../parts/icon.js';
import { MonthList, ofMonth } from '../parts/month_list.js';
import { message } from '../parts/problem.js';
import { openRecurring, recurringWords } from '../parts/recurring_form.js';
import { toast } from '../parts/toast.js';
import { inMonth, withQuery } from '../router.js';
import {
  accountById,
  accounts,
  canWrite,
  categories,
  categoryById,
  month,
  readPendingSalary,
  today,
  wrote,
} from '../session.js';
import { language, words } from '../words.js';

/**
 * An item with a due in the month.
 * @typedef {import('../session.js').Schemas['Recurring'] & { status: import('../session.js').Schemas['RecurringStatus'] }} Recurring
 */
const plans = ofMonth(async (month, signal) => {
  const items = await get('/api/recurring', { query: { month }, signal });
  return /** @type {Recurring[]} */ (items.filter(item => item.status !== null));
});

/** The day of the due that gives the item its status. @param {Recurring} item */
const dateOf = ({ occurrences, status, day }) =>
  (occurrences.find(one => one.status === status) ?? occurrences[0])?.date ??
  dayIn(plans.data.peek()?.month ?? '', day);

/** @type {{ current: import('../parts/rows.js').Control | null }} */
const drawn = { current: null };

/** @param {Recurring} item */
const isOpen = ({ status }) => status === 'pending' || status === 'late';

/** The running actions, one after the other. The items are reloaded after the last. */
let doing = 0,
  done = Promise.resolve();

const again = () => {
  void plans.load();
  void accounts.load();
  void readPendingSalary();
  void wrote();
};

/**
 * Shows the new status of an item, or removes it. If the service refuses, the change is reverted and the error is
 * shown.
 * @param {Recurring} item
 * @param {Recurring['status'] | null} status
 * @param {() => Promise<unknown>} work
 */
const act = (item, status, work) => {
  const before = plans.data.peek();
  if (!before) return;
  const at = before.rows.indexOf(item);
  plans.set({
    ...before,
    rows: before.rows.flatMap(row => (row.id !== item.id ? [row] : status === null ? [] : [{ ...row, status }])),
  });
  // The focused button may be gone with its action.
  requestAnimationFrame(
    () => document.activeElement === document.body && drawn.current?.show(Math.min(at, before.rows.length - 2)),
  );
  doing += 1;
  done = done
    .then(work)
    .then(
      () => {},
      error => {
        plans.set(before);
        if (!isAborted(error)) toast(message(error), { isProblem: true });
      },
    )
    .then(() => {
      doing -= 1;
      if (doing === 0) again();
    });
};

/** @param {Recurring} item @param {'late' | 'unlate' | 'ignore' | 'unignore'} mark */
const markAs = (item, mark) => {
  const w = words.value.dashboard,
    of = plans.data.peek()?.month;
  const path = /** @type {const} */ (`/api/recurring/{id}/${mark}`);
  act(item, mark === 'late' ? 'late' : mark === 'ignore' ? 'ignored' : 'pending', async () => {
    await post(path, { path: { id: item.id }, query: { month: of } });
    if (mark === 'late') toast(w.marked_late(item.description), { undo: () => markAs(item, 'unlate') });
    if (mark === 'ignore') toast(w.ignored(item.description), { undo: () => markAs(item, 'unignore') });
  });
};

/** @param {Recurring} item */
const confirm = item =>
  void Promise.all([import('../parts/dialog.js'), import('../parts/income_form.js')]).then(
    ([{ open }, { IncomeForm }]) =>
      open({ title: words.value.dashboard.received_title }, close =>
        h(IncomeForm, { item, month: plans.data.peek()?.month ?? month.peek(), close, done: again }),
      ),
  );

/** A confirmed item whose transaction is gone is expected again. @param {Recurring} item */
const unconfirm = item =>
  act(item, 'pending', () => remove('/api/transactions/{id}', { path: { id: item.transaction_id ?? 0 } }));

/** @param {Recurring} item */
const removeItem = async item => {
  const w = words.value.transactions,
    { ask } = await import('../parts/dialog.js');
  if (!(await ask({ title: w.remove_title(item.description), text: recurringWords.value.remove_text, yes: w.remove })))
    return;
  act(item, null, async () => {
    await remove('/api/recurring/{id}', { path: { id: item.id } });
    toast(w.removed(item.description));
  });
};

/** @param {Recurring | null} item */
const edit = item =>
  void openRecurring({
    ...(item ? { item, remove: () => void removeItem(item) } : {}),
    done: () => void plans.load(),
  });

/** @param {string} text @param {Recurring} item @param {() => void} onClick @param {string} [extra] */
const action = (text, item, onClick, extra = 'quiet-button') =>
  canWrite.value &&
  button(
    { class: `button ${extra}`, type: 'button', onClick },
    text,
    span({ class: 'unseen' }, ` ${item.description}`),
  );

/** The actions on an item, by its status. @param {Recurring} item */
const actions = item => {
  const w = words.value.dashboard;
  if (item.transaction_id !== null) {
    // A covering transaction has the item's category; a confirmed one may have been changed since.
    const address = withQuery(
      {
        month: plans.data.value?.month,
        row: item.transaction_id,
        ...(item.status === 'covered' ? { category_id: item.category_id, type: item.type } : {}),
      },
      '/transactions',
    );
    return [
      a(
        { key: 'see', class: 'button quiet-button', href: address },
        recurringWords.value.see,
        span({ class: 'unseen' }, ` ${item.description}`),
      ),
      item.status === 'confirmed' && action(words.value.app.undo, item, () => unconfirm(item)),
    ];
  }
  if (!isOpen(item)) return action(words.value.app.undo, item, () => markAs(item, 'unignore'));
  return [
    item.type === 'income' && action(w.received, item, () => confirm(item), 'primary'),
    item.status === 'late'
      ? action(w.unmark_late, item, () => markAs(item, 'unlate'))
      : action(w.mark_late, item, () => markAs(item, 'late')),
    action(w.ignore, item, () => markAs(item, 'ignore')),
  ];
};

/** The status of an item, in words. @param {Recurring} item @param {string} date */
const stateOf = ({ status, type }, date) => {
  const w = recurringWords.value;
  return status !== 'pending' ? w.states[status] : date < today.value ? w.missing[type] : w.expected;
};

/** The same with an icon, unless the item is only expected. @param {Recurring} item @param {string} date */
const standing = (item, date) => {
  const [tone, drawing] = /** @type {const} */ ({
    pending: [''],
    late: ['badge late', 'clock'],
    ignored: ['category-note', 'close'],
    covered: ['done-mark', 'check'],
    confirmed: ['done-mark', 'check'],
  })[item.status];
  return span({ class: tone }, drawing && span({ class: 'dot-place' }, icon(drawing)), stateOf(item, date));
};

/** @param {Recurring} item */
const cells = item => {
  const date = dateOf(item),
    isToday = date === today.value;
  return [
    td(
      { key: 'day', role: 'cell', class: 'cell-check' },
      span({ class: classes(isToday && 'day-near') }, Number(date.slice(8))),
      small({ class: 'quiet' }, isToday ? words.value.days.today : weekday(language.value, date).slice(0, 3)),
    ),
    td(
      { key: 'what', role: 'cell', class: classes('cell-main', item.status === 'ignored' && 'is-transfer') },
      button(
        { class: 'entry-open', type: 'button', onClick: () => edit(item) },
        span({ class: 'entry-title' }, item.description),
        span(
          { class: 'entry-meta' },
          standing(item, date),
          span(
            { class: 'category-note' },
            span({ class: classes('dot', categoryColor(item.category_id)) }),
            [categoryById.value.get(item.category_id)?.name, accountById.value.get(item.account_id ?? 0)?.name]
              .filter(Boolean)
              .join(' · '),
          ),
        ),
      ),
    ),
    td({ key: 'amount', role: 'cell', class: 'cell-amount' }, h(Signed, { value: item.amount, type: item.type })),
    td({ key: 'actions', role: 'cell', class: 'row-actions' }, actions(item)),
  ];
};

/** The part of the month's items that has come, and the sums that are missing. */
const Summary = () => {
  const w = recurringWords.value,
    rows = plans.data.value?.rows ?? [],
    left = rows.filter(isOpen);
  const total = (/** @type {string} */ type) =>
    decimal(sum(left.filter(item => item.type === type).map(item => item.amount)));
  const [coming, going] = [total('income'), total('expense')];
  return div(
    { class: 'summary-line' },
    p(
      { role: 'status' },
      rows.length === 0
        ? '\u00a0'
        : [
            span({ key: 'count' }, w.solved(rows.length - left.length, rows.length)),
            coming !== '0.00' && span({ key: 'in', class: 'summary-in' }, w.coming(said(coming))),
            going !== '0.00' && span({ key: 'out' }, w.going(said(going))),
          ],
    ),
  );
};

const Empty = () => {
  const w = recurringWords.value;
  return section(
    { class: 'card empty' },
    p({ class: 'empty-title' }, w.empty),
    p({ class: 'quiet' }, w.empty_text),
    canWrite.value &&
      div(
        { class: 'row-actions' },
        button({ class: 'button primary', type: 'button', onClick: () => edit(null) }, icon('plus'), w.add),
        a({ class: 'button', href: inMonth('/transactions') }, w.from_row),
      ),
  );
};

const table = () => {
  const w = words.value,
    { rows = [] } = plans.data.peek() ?? {};
  return [
    [
      recurringWords.value.day,
      w.entry.description,
      recurringWords.value.state,
      w.form.category,
      w.form.account,
      w.entry.amount,
    ],
    ...rows.map(item => [
      String(item.day),
      item.description,
      stateOf(item, dateOf(item)),
      categoryById.peek().get(item.category_id)?.name ?? '',
      accountById.peek().get(item.account_id ?? 0)?.name ?? '',
      item.type === 'income' ? cents(item.amount) : -cents(item.amount),
    ]),
  ];
};

export default () => {
  const w = words.value;
  useEffect(() => {
    categories.want();
    accounts.want();
  }, []);
  return MonthList({
    of: plans,
    title: recurringWords.value.title(monthName(language.value, month.value)),
    addText: recurringWords.value.add,
    edit,
    class: 'plans',
    control: drawn,
    columns: [recurringWords.value.day, w.entry.description, w.entry.amount, w.transactions.actions],
    rows: plans.data.value?.rows ?? [],
    cells,
    table,
    summary: h(Summary, null),
    empty: h(Empty, null),
  });
};
