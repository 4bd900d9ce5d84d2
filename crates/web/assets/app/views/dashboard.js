// The dashboard: the amount left, pending items, expenses by category, comparison with earlier months.
import { computed, effect, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { credential, get, post, resource } from '../api.js';
import {
  a,
  button,
  buttonAbout,
  classes,
  details,
  div,
  h,
  h1,
  h2,
  h3,
  img,
  li,
  meter,
  ol,
  p,
  remembered,
  section,
  small,
  span,
  strong,
  summary,
  ul,
} from '../dom.js';
import {
  addMonths,
  dayAndMonth,
  dayIn,
  dayInWords,
  daysBetween,
  lastDay,
  monthAlone,
  monthName,
  monthOf,
} from '../dates.js';
import { abs, cents, percent, percentage, sum, worth } from '../money.js';
import { Amount, balance, hidden, nameOf, partOf, inText, saidWhole, Signed, whole } from '../parts/amount.js';
import { BudgetBar, categoryColor } from '../parts/budget_bar.js';
import { savingsTitle, SavingsChart } from './dashboard/chart.js';
import { icon } from '../parts/icon.js';
import { ignoredText } from './recurring/ignored.js';
import { inPlace } from '../parts/in_place.js';
import { firstMonth } from '../parts/month_switch.js';
import { ghost, Loaded } from '../parts/problem.js';
import { chosenMonth, inMonth, withQuery } from '../router.js';
import {
  accountName,
  accounts,
  canWrite,
  categories,
  categoryById,
  me,
  month,
  pendingIncome,
  pendingOf,
  player,
  showsCharacter,
  today,
  useReading,
  wrote,
} from '../session.js';
import { language, words } from '../words.js';

/** @typedef {import('../../../types/client').Schemas} Schemas */
/** @typedef {Schemas['Dashboard']} Dashboard */
/** @typedef {Schemas['Recurring']} Recurring */
/** @typedef {Schemas['CreditBill']} Bill */
/** @typedef {Schemas['PendingBill']} Held */

/** Categories shown before "Mostrar todas". */
const CATEGORIES_SHOWN = 7;
/** What waits that a phone shows at once, as in `views.css`. */
const WAITING_SHOWN = 2;

const dashboard = resource(signal =>
  get('/api/dashboard', { query: { month: chosenMonth.peek() ?? undefined }, signal }),
);
/** The ignored items of the month, read when they are shown. */
const recurring = resource(signal =>
  get('/api/recurring', { query: { month: chosenMonth.peek() ?? undefined }, signal }),
);
const isThisMonth = computed(() => month.value === monthOf(today.value));

/** Whether the month of a dashboard has not begun. @param {{ month: string }} of */
const isComing = of => of.month > monthOf(today.value);

/** Reloads the data that a write may have changed. */
const again = () => {
  void dashboard.load();
  if (recurring.data.peek()) void recurring.load();
  void accounts.load();
  void wrote();
};

const { doing, act } = inPlace(dashboard, again);

/**
 * @param {string} name
 * @param {string} text
 * @param {() => void} onClick
 * @param {string} [extra]
 * @param {string} [about]
 */
const action = (name, text, onClick, extra = '', about = '') =>
  canWrite.value && buttonAbout(text, about, onClick, extra, doing.value.includes(name));

// ————— the amount left

/**
 * A component that is loaded after its place was painted. Without a connection `place` stays.
 * @template P @param {() => Promise<import('preact').FunctionComponent<P>>} load @param {typeof li | typeof div | typeof span} place @param {string} [className] @returns {import('preact').FunctionComponent<P>}
 */
const later = (load, place, className = 'skeleton line tall') => {
  const loaded = signal(/** @type {import('preact').FunctionComponent<P> | null} */ (null));
  return props => {
    useEffect(
      () =>
        void load().then(
          Component => (loaded.value = Component),
          () => {},
        ),
      [],
    );
    return loaded.value ? h(/** @type {any} */ (loaded.value), props) : place({ class: className });
  };
};
const FreeUntil = later(() => import('./forecast/ahead.js').then(part => part.FreeUntil), span, '');
const WhyFree = later(() => import('./forecast/ahead.js').then(part => part.WhyFree), div, 'why-free');
const ChangedBills = later(() => import('./cards/changed_bills.js').then(part => part.ChangedBills), div, '');

/** How this month goes, in one sentence, and what is free to spend; the result of another month. @param {{ of: Dashboard }} props */
const Hero = ({ of }) => {
  const w = words.value.dashboard,
    code = language.value,
    { pace, expected } = of;
  const name = (of.month.slice(0, 4) === today.value.slice(0, 4) ? monthAlone : monthName)(code, of.month);
  const free = of.accounts.some(account => /current|savings/.test(account.kind)) && of.forecast;
  const left = isComing(of) && expected ? cents(expected.result) : cents(of.income) - cents(of.expenses);
  if (!pace)
    return section(
      { class: 'hero card', 'aria-labelledby': 'result' },
      div(
        { class: 'hero-main' },
        h2({ id: 'result', class: 'quiet' }, isComing(of) ? w.result_expected(name) : w.result(name)),
        p({ class: classes('hero-figure', left < 0n && 'short') }, h(Amount, { value: left })),
      ),
    );
  const before = dayIn(addMonths(of.month, -1), Number(today.value.slice(8)));
  const compared =
    pace.planned !== null
      ? w.pace_before(dayInWords(code, before, today.value), whole(pace.previous))
      : pace.average3 !== null && w.pace_average(whole(pace.average3));
  return section(
    { class: 'hero card', 'aria-labelledby': 'result' },
    div(
      { class: 'hero-words' },
      h2({ id: 'result' }, w.so_far(name, saidWhole(abs(left)), left < 0n)),
      p(
        null,
        w.pace(
          whole(pace.spent),
          pace.planned !== null && whole(pace.planned),
          daysBetween(today.value, lastDay(of.month)),
        ),
        compared,
        '.',
      ),
    ),
    free &&
      div(
        { class: 'hero-main' },
        p({ class: 'quiet' }, w.free, h(FreeUntil, { of: free })),
        p({ class: 'hero-figure' }, h(Amount, { value: free.free_to_spend })),
        h(WhyFree, null),
      ),
  );
};

/** What came in and went out, net worth, and what was saved. @param {{ of: Dashboard }} props */
const Figures = ({ of }) => {
  const w = words.value.dashboard,
    { savings_pct: rate, savings_goal_pct: goal } = of,
    // What is not known ahead is what its rows come to.
    coming = isComing(of) && (of.expected ?? of),
    saved = of.month === monthOf(today.value) ? w.savings_so_far : w.savings;
  return section(
    { class: 'card figures', 'aria-label': w.figures },
    div(
      { class: 'hero-tiles' },
      coming ? tile(w.income_expected, coming.income, 'in') : tile(w.income, of.income, 'in'),
      coming ? tile(w.expenses_expected, coming.expenses, 'out') : tile(w.expenses, of.expenses, 'out'),
      tile(w.taxes, of.taxes, ''),
      tile(
        coming ? w.net_worth_expected : w.net_worth,
        of.net_worth,
        '',
        of.net_worth_after_tax !== of.net_worth && w.after_tax(inText(of.net_worth_after_tax)),
      ),
    ),
    !coming &&
      div(
        { class: 'hero-savings' },
        div(
          { class: 'meter-words' },
          span(null, saved),
          strong(null, rate === null ? '–' : percentage(rate)),
          span({ class: 'quiet' }, w.goal(percentage(goal))),
        ),
        rate === null
          ? small({ class: 'quiet' }, w.savings_null)
          : div(
              { class: 'savings-meter' },
              meter({
                class: 'unseen',
                min: 0,
                max: 100,
                value: Math.max(0, Math.min(100, rate)),
                'aria-label': `${saved}: ${percentage(rate)}, ${w.goal(percentage(goal))}`,
              }),
              div(
                { class: 'track large', 'aria-hidden': 'true' },
                div({
                  class: classes('fill', rate >= goal && 'reached'),
                  style: { width: `${Math.max(0, Math.min(100, rate))}%` },
                }),
                div({ class: 'mark', style: { left: `${goal}%` } }),
              ),
            ),
      ),
  );
};

/** @param {string} label @param {string} value @param {string} tone @param {string | false} [note] */
const tile = (label, value, tone, note = false) =>
  div(
    { class: `tile ${tone}` },
    span(
      { class: 'tile-label' },
      tone && span({ class: 'sign', 'aria-hidden': 'true' }, tone === 'in' ? '+' : '−'),
      label,
    ),
    h(Amount, { value }),
    note && small({ class: 'quiet' }, note),
  );

// ————— pending items

/** What the form for an income that came takes: the due that is shown. @param {Recurring} item */
const incomeOf = item => {
  const due = dueOf(item);
  return { item: { ...item, amount: due.amount }, due, month: monthOf(due.date), done: again };
};

/** @param {Recurring} item */
const confirmIncome = item =>
  void import('./recurring/income_form.js').then(({ openIncome }) => openIncome(incomeOf(item)));

/** @param {Recurring} item @param {'late' | 'unlate' | 'ignore' | 'unignore'} mark */
const markAs = (item, mark, due = dueOf(item)) =>
  act(
    `recurring ${item.id}`,
    async () => {
      const w = words.value.dashboard,
        path = /** @type {const} */ (`/api/recurring/{id}/${mark}`);
      const [{ toast }, { recording }] = await Promise.all([import('../parts/toast.js'), import('../parts/undo.js')]);
      const { changed, offer } = recording();
      await post(path, { path: { id: item.id }, query: { due: due.due }, changed });
      if (mark === 'ignore') toast(ignoredText(item, due.date), offer(again));
      if (mark === 'late') toast(w.marked_late(item.description), offer(again));
    },
    of => ({
      ...of,
      pending_recurrings: of.pending_recurrings.flatMap(known =>
        known.id !== item.id
          ? [known]
          : mark === 'ignore'
            ? []
            : [{ ...known, status: /** @type {'late' | 'pending'} */ (mark === 'late' ? 'late' : 'pending') }],
      ),
    }),
  );

/**
 * The due by which an item is shown: the first of its state; while a change waits for its answer, the first that is open.
 * @param {Recurring} item
 */
const dueOf = ({ occurrences, status }) =>
  /** @type {Recurring['occurrences'][number]} */ (
    occurrences.find(one => one.status === status) ?? occurrences.find(one => /late|pending/.test(one.status))
  );

/** @param {{ item: Recurring }} props */
const RecurringRow = ({ item }) => {
  const w = words.value.dashboard,
    due = dueOf(item).date,
    day = dayAndMonth(language.value, due, today.value);
  const isPast = due < today.value,
    name = `recurring ${item.id}`,
    isIncome = item.type === 'income';
  const isLate = item.status === 'late';
  return li(
    { class: 'waiting-row' },
    div(
      { class: 'waiting-text' },
      span(
        { class: 'waiting-title' },
        span({ class: classes('dot', categoryColor(item.category_id)) }),
        item.description,
      ),
      span(
        { class: 'quiet' },
        isLate && span({ class: 'badge late' }, icon('clock'), w.late),
        ' ',
        [isPast ? w.was_expected(day) : w.expected(day), accountName(item.account_id)].filter(Boolean).join(' · '),
      ),
    ),
    h(Signed, { value: item.amount, type: item.type }),
    div(
      { class: 'row-actions' },
      isIncome && action(name, w.received, () => confirmIncome(item), 'primary', item.description),
      isLate
        ? action(name, w.unmark_late, () => markAs(item, 'unlate'), 'quiet-button', item.description)
        : action(name, w.mark_late, () => markAs(item, 'late'), 'quiet-button', item.description),
      action(name, w.ignore, () => markAs(item, 'ignore'), 'quiet-button', item.description),
    ),
  );
};

const Ignored = () => {
  const w = words.value.dashboard,
    known = recurring.data.value?.filter(item => item.status === 'ignored');
  return details(
    { class: 'ignored', onToggle: event => event.currentTarget.open && void recurring.load() },
    summary(null, w.ignored_list),
    known &&
      (known.length === 0
        ? p({ class: 'quiet' }, w.none_ignored)
        : ul(
            { class: 'rows' },
            known.map(item =>
              li(
                { key: item.id, class: 'waiting-row' },
                span({ class: 'waiting-text' }, item.description),
                h(Signed, { value: item.amount, type: item.type }),
                div(
                  { class: 'row-actions' },
                  action(
                    `recurring ${item.id}`,
                    words.value.app.undo,
                    () => markAs(item, 'unignore'),
                    '',
                    item.description,
                  ),
                ),
              ),
            ),
          )),
  );
};

/** @param {Bill} bill */
const cardName = bill => accountName(bill.account_id) ?? '';

/** @param {Bill} bill */
const pay = bill => void import('./cards/pay_form.js').then(({ openPayment }) => openPayment(bill, again));

/** @param {{ bill: Bill }} props */
const BillRow = ({ bill }) => {
  const w = words.value.dashboard,
    days = daysBetween(today.value, bill.due_date),
    code = language.value;
  const isOpen = bill.period_end >= today.value,
    isLate = days < 0,
    hasPart = cents(bill.paid_amount) !== 0n;
  const due = dayAndMonth(code, bill.due_date, today.value);
  return li(
    { class: 'waiting-row' },
    div(
      { class: 'waiting-text' },
      span(
        { class: 'waiting-title' },
        icon('cards'),
        a({ href: `/cards?id=${bill.account_id}&bill=${bill.id}` }, w.bill_of(cardName(bill))),
      ),
      span(
        { class: classes('quiet', !isOpen && days <= 3 && 'late') },
        isOpen
          ? w.closes(dayAndMonth(code, bill.closing_date, today.value))
          : `${w.due(days)}${isLate || days < 2 ? '' : ` · ${due}`}`,
      ),
      hasPart &&
        span({ class: 'quiet' }, w.paid_of(inText(bill.paid_amount), inText(sum([bill.amount_due, bill.paid_amount])))),
    ),
    h(Amount, { value: bill.amount_due }),
    div(
      { class: 'row-actions' },
      action(`bill ${bill.id}`, w.pay, () => pay(bill), isOpen ? '' : 'primary', cardName(bill)),
    ),
  );
};

const IncomeForm = later(() => import('./recurring/income_form.js').then(part => part.IncomeForm), div);
const HeldStatement = later(
  () => import('./cards/held_statement.js').then(part => part.HeldStatement),
  li,
  'waiting-row held-room',
);

/** @param {{ of: Dashboard }} props */
const Salary = ({ of }) => {
  const w = words.value.dashboard;
  return section(
    { class: 'card salary', 'aria-labelledby': 'salary' },
    h2({ id: 'salary' }, w.salary),
    p({ class: 'quiet' }, w.salary_text),
    of.pending_income_recurrings.map(item =>
      // Once more where amounts are hidden or shown.
      h(IncomeForm, { key: `${item.id} ${hidden.value}`, ...incomeOf(item), inline: true }),
    ),
  );
};

/** Removes a discarded statement at once. @param {Held} held */
const leave = held => {
  const of = dashboard.data.peek();
  if (of) dashboard.set({ ...of, pending_bill_imports: of.pending_bill_imports.filter(known => known.id !== held.id) });
};

/** @param {{ of: Dashboard }} props */
const Waiting = ({ of }) => {
  const w = words.value.dashboard;
  const due = of.current_bills
    .filter(bill => bill.period_end < today.value && cents(bill.amount_due) > 0n)
    .sort((one, other) => one.due_date.localeCompare(other.due_date));
  // The widget shows incomes to those who may confirm them.
  const hasWidget = of.income_confirmation_widget && canWrite.value;
  const items = of.pending_recurrings
    .filter(item => !(hasWidget && item.type === 'income'))
    .sort((one, other) => dueOf(one).date.localeCompare(dueOf(other).date));
  /** Incomes are first if one is a salary, as a phone does not show all at once. @param {boolean} isFirst */
  const rows = isFirst =>
    items
      .filter(item => (of.pending_salary_badge && item.type === 'income') === isFirst)
      .map(item => h(RecurringRow, { key: `item ${item.id}`, item }));
  const count = due.length + items.length + of.pending_bill_imports.length;
  const isAll = useSignal(false),
    more = count - WAITING_SHOWN;
  /** The pressed button goes, so the focus moves to what it has brought. @param {Event & { currentTarget: Element }} event */
  const showAll = event => {
    const list = event.currentTarget.closest('section');
    isAll.value = true;
    requestAnimationFrame(() =>
      /** @type {HTMLElement | null} */ (
        list?.querySelector(`.waiting-row:nth-child(${WAITING_SHOWN + 1}) :is(a, button)`)
      )?.focus(),
    );
  };
  if (count === 0 && hasWidget) return null;
  return section(
    { class: 'card waiting', 'aria-labelledby': 'waiting' },
    h2({ id: 'waiting', tabIndex: -1 }, w.waiting),
    count === 0
      ? p({ class: 'quiet all-well' }, icon('check'), w.nothing_waiting)
      : ul(
          { class: classes('rows', !isAll.value && 'first-rows') },
          rows(true),
          due.map(bill => h(BillRow, { key: `bill ${bill.id}`, bill })),
          of.pending_bill_imports.map(held =>
            h(HeldStatement, { key: `held ${held.id}`, held, leave: () => leave(held), after: again }),
          ),
          rows(false),
        ),
    more > 0 &&
      !isAll.value &&
      button({ class: 'link-button more-waiting', type: 'button', onClick: showAll }, w.more_waiting(more)),
    h(Ignored, { key: of.month }),
  );
};

// ————— expenses and comparison

/** @param {{ of: Dashboard }} props */
const Spending = ({ of }) => {
  const w = words.value.dashboard,
    isAll = useSignal(false),
    // The service has the most expenses first. A refund takes from them.
    rows = of.spending_by_category.toSorted((one, other) => Number(cents(other.spent) - cents(one.spent)));
  const first = rows[0],
    total = sum(rows.map(row => row.spent).filter(spent => !spent.startsWith('-')));
  // The whole bar is the budget with what earlier months have left.
  const budgets = rows.map(row => (row.available === null ? null : cents(row.available) + cents(row.spent)));
  const scale = rows.reduce(
    (most, row, index) =>
      [cents(row.spent), budgets[index] ?? 0n, most].reduce((one, other) => (one > other ? one : other)),
    1n,
  );
  const name = (/** @type {string | null} */ known) => known ?? w.no_category;
  const shown = isAll.value ? rows : rows.slice(0, CATEGORIES_SHOWN);
  return section(
    { class: 'card', 'aria-labelledby': 'spending' },
    h2({ id: 'spending' }, isComing(of) ? w.spending_coming : w.spending),
    !first
      ? p({ class: 'quiet' }, isComing(of) ? w.no_spending_coming : w.no_spending)
      : !isComing(of) &&
          total > 0n &&
          p({ class: 'finding' }, w.spending_title(name(first.name), percentage(percent(cents(first.spent), total)))),
    div(
      { class: 'budgets' },
      shown.map((row, index) =>
        h(BudgetBar, {
          key: row.category_id ?? 0,
          id: row.category_id,
          name: name(row.name),
          total: row.spent,
          budget: budgets[index] ?? null,
          scale,
          href: withQuery(
            { month: of.month, category_id: row.category_id ?? 'none', kind: 'expense' },
            '/transactions',
          ),
        }),
      ),
    ),
    rows.length > CATEGORIES_SHOWN &&
      !isAll.value &&
      button({ class: 'link-button', type: 'button', onClick: () => (isAll.value = true) }, w.more_categories),
  );
};

/** @param {{ of: Dashboard }} props */
const Evolution = ({ of }) => {
  const w = words.value.dashboard,
    last = of.evolution[of.evolution.length - 1];
  return section(
    { class: 'card', 'aria-labelledby': 'evolution' },
    h2({ id: 'evolution' }, w.evolution),
    last && p({ class: 'finding' }, savingsTitle(last, of.savings_goal_pct)),
    of.evolution.some(point => point.savings_pct !== null) &&
      h(SavingsChart, { points: of.evolution, goal: of.savings_goal_pct, shown: of.month }),
  );
};

const NetWorth = later(
  () => import('./dashboard/net_worth.js').then(part => part.NetWorth),
  div,
  'card over-time ghost',
);

/** The net worth of another month. The balances of today do not add up to it, so they stand elsewhere. @param {{ of: Dashboard }} props */
const WorthOfMonth = ({ of }) => {
  const w = words.value.dashboard;
  return section(
    { class: 'card', 'aria-labelledby': 'accounts' },
    h2({ id: 'accounts' }, w.accounts),
    div(
      { class: 'account-row' },
      span(null, (isComing(of) ? w.net_worth_coming : w.net_worth_of)(monthName(language.value, of.month))),
      h(Amount, { value: of.net_worth }),
    ),
    a({ class: 'clear-filters', href: '/accounts' }, w.balances_today),
  );
};

/** @param {{ of: Dashboard }} props */
const Accounts = ({ of }) => {
  const w = words.value.dashboard,
    open = of.current_bills.filter(bill => bill.period_end >= today.value && cents(bill.amount_due) > 0n);
  const drawings = /** @type {const} */ ({
    current: 'accounts',
    savings: 'accounts',
    investment: 'character',
    credit: 'cards',
  });
  return section(
    { class: 'card', 'aria-labelledby': 'accounts' },
    h2({ id: 'accounts' }, w.accounts),
    ul(
      { class: 'rows' },
      of.accounts.map(account =>
        li(
          { key: account.id, class: 'account-row' },
          span(
            { class: 'account-name' },
            icon(drawings[account.kind]),
            span(null, account.name, small({ class: 'quiet' }, words.value.kinds[account.kind])),
          ),
          balance(worth(account)),
        ),
      ),
    ),
    div({ class: 'account-row total' }, span(null, w.net_worth), h(Amount, { value: of.net_worth })),
    open.length > 0 && [
      h3(null, w.open_bills),
      ul(
        { class: 'rows' },
        open.map(bill => h(BillRow, { key: bill.id, bill })),
      ),
    ],
  );
};

/** @typedef {Schemas['Transaction']} Transaction */

/**
 * Both sides of a transfer are one row: the outflow, with its destination.
 * @param {Transaction[]} rows
 * @returns {{ row: Transaction, to: Transaction | undefined }[]}
 */
const entries = rows => {
  const isLeg = (/** @type {Transaction} */ row, /** @type {string} */ type) =>
    row.transfer_id !== null && row.type === type;
  const other = (/** @type {Transaction} */ row, /** @type {string} */ type) =>
    rows.find(known => isLeg(known, type) && known.transfer_id === row.transfer_id);
  return rows
    .filter(row => !(isLeg(row, 'income') && other(row, 'expense')))
    .map(row => ({ row, to: isLeg(row, 'expense') ? other(row, 'income') : undefined }));
};

/** @param {{ of: Dashboard }} props */
const Last = ({ of }) => {
  const w = words.value.dashboard;
  return section(
    { class: 'card', 'aria-labelledby': 'last' },
    div(
      { class: 'card-head' },
      h2({ id: 'last' }, w.last),
      of.last_transactions.length > 0 && a({ href: inMonth('/transactions') }, w.all_of_month),
    ),
    of.last_transactions.length === 0
      ? p({ class: 'quiet' }, w.no_transactions)
      : ul(
          { class: 'rows' },
          entries(of.last_transactions).map(({ row, to }) => {
            const category = row.category_id === null ? null : categoryById.value.get(row.category_id)?.name;
            const isTransfer = row.is_transfer;
            const what = isTransfer
              ? words.value.money.transfer
              : row.lines
                ? words.value.form.split
                : (category ?? (row.category_id === null ? w.no_category : '…'));
            return li(
              { key: row.id, class: 'entry' },
              span({ class: classes('dot', isTransfer ? 'cat-none' : categoryColor(row.category_id)) }),
              div(
                { class: 'entry-text' },
                span({ class: 'entry-title', title: row.description }, nameOf(row)),
                span(
                  { class: 'quiet' },
                  [
                    dayAndMonth(language.value, row.date, today.value),
                    what,
                    partOf(row) && !nameOf(row).includes(partOf(row) ?? '') && partOf(row),
                    to ? `${accountName(row.account_id)} → ${accountName(to.account_id)}` : accountName(row.account_id),
                  ]
                    .filter(Boolean)
                    .join(' · '),
                ),
              ),
              to
                ? h(Amount, { value: row.amount, class: 'moved' })
                : h(Signed, { value: row.amount, type: row.type, transfer: isTransfer }),
            );
          }),
        ),
  );
};

// ————— a new profile

/** Whether the last step was postponed, on this device. */
const putOff = remembered('put_off', /** @type {boolean} */ (false));

/** The savings goal of a new profile. A person may have said on this device that it is theirs. */
const GOAL_DEFAULT = 40,
  goalSaid = remembered('goal', /** @type {number | null} */ (null)),
  profileId = () => credential.value?.profile.id ?? 0;

/** @param {{ of: Dashboard, done: boolean[] }} props */
const FirstSteps = ({ of, done }) => {
  const w = words.value.dashboard;
  const addAccount = () => void import('./accounts/account_form.js').then(({ openAccount }) => openAccount(again));
  const plan = () =>
    void import('./categories/budget_form.js').then(({ openBudget }) =>
      openBudget(() => {
        void categories.load();
        again();
      }),
    );
  const asked = () => {
    goalSaid.value = profileId();
    again();
  };
  const setGoal = () =>
    void import('./settings/goal_form.js').then(({ openGoal }) => openGoal(of.savings_goal_pct, asked));
  const steps = [
    {
      title: w.step_account,
      text: w.step_account_text,
      does: button({ class: 'button primary', type: 'button', onClick: addAccount }, w.step_account_do),
    },
    {
      title: w.step_statement,
      text: w.step_statement_text,
      does: a({ class: classes('button', done[0] && 'primary'), href: '/imports' }, w.step_statement_do),
    },
    {
      title: w.step_goal,
      text: w.step_goal_text,
      does: button(
        { class: classes('button', done[0] && done[1] && 'primary'), type: 'button', onClick: setGoal },
        w.step_goal_do,
      ),
    },
    {
      title: w.step_budget,
      text: w.step_budget_text,
      does: button(
        { class: classes('button', done[0] && done[1] && done[2] && 'primary'), type: 'button', onClick: plan },
        w.step_budget_do,
      ),
    },
  ];
  const sprite = showsCharacter.value === true && player.data.value?.sprite;
  return section(
    { class: 'card first', 'aria-labelledby': 'first' },
    div(
      { class: 'first-head' },
      showsCharacter.value !== false &&
        (sprite
          ? img({ src: sprite, alt: '', width: 72, height: 96 })
          : // Its room, so that the steps stay where they are.
            span({ class: 'sprite-room' })),
      div(null, h2({ id: 'first' }, w.first), p({ class: 'quiet' }, w.first_text)),
    ),
    ol(
      { class: 'steps' },
      steps.map((step, index) =>
        li(
          { key: index, class: classes('step', done[index] && 'done') },
          div(null, strong(null, step.title), p({ class: 'quiet' }, step.text)),
          done[index]
            ? div(
                { class: 'done-mark' },
                icon('check'),
                w.done,
                index === 0 &&
                  button({ class: 'link-button', type: 'button', onClick: addAccount }, w.step_account_more),
              )
            : span(null, step.does),
        ),
      ),
    ),
    done[0] &&
      done[1] &&
      button({ class: 'link-button', type: 'button', onClick: () => (putOff.value = true) }, w.not_now),
  );
};

/** @param {Dashboard} of */
const stepsDone = of => [
  of.accounts.length > 0,
  of.last_transactions.some(row => row.source !== 'opening_balance') ||
    of.evolution.some(point => cents(point.income) + cents(point.expenses) > 0n),
  of.savings_goal_pct !== GOAL_DEFAULT || goalSaid.value === profileId(),
  // Known with the dashboard, so that the steps do not come late and move the rest.
  (of.pace?.planned ?? null) !== null,
];

const Skeleton = () =>
  div(
    { class: 'dashboard' },
    div(
      { class: 'card ghost' },
      div({ class: 'skeleton line' }),
      div({ class: 'skeleton line figure-line' }),
      div({ class: 'skeleton line' }),
      div({ class: 'skeleton line' }),
    ),
    ghost(4),
    div({ class: 'columns' }, ghost(9), ghost(7)),
  );

/** The balances as one text, to notice that a listing changed them. @param {{ id: number, balance: string }[]} rows */
const balances = rows =>
  rows
    .map(row => `${row.id}:${row.balance}`)
    .sort()
    .join();

export default () => {
  const w = words.value.dashboard;
  // Reloaded for each selected month. The previous data stays until the response arrives.
  useReading(
    () => {
      const isListed = recurring.data.peek() !== null;
      void dashboard.load();
      recurring.clear();
      if (isListed) void recurring.load();
    },
    () => chosenMonth.value,
  );
  useEffect(() => {
    categories.want();
    // Listing accounts applies yield and creates bills. It runs once after painting, and reloads the dashboard if
    // anything changed.
    let isListed = false;
    return effect(() => {
      const known = dashboard.data.value;
      if (!known) return;
      // The response has the names of cards and accounts before the list of accounts is loaded.
      if (!accounts.data.peek()) accounts.data.value = known.accounts;
      firstMonth.value = known.first_month;
      if (known.month === monthOf(today.value)) pendingIncome.value = pendingOf(known);
      if (isListed) return;
      isListed = true;
      requestAnimationFrame(() =>
        setTimeout(async () => {
          performance.mark('dashboard');
          await accounts.load();
          const listed = accounts.data.peek();
          if (listed && balances(listed) !== balances(known.accounts)) void dashboard.load();
        }),
      );
    });
  }, []);
  return div(
    { class: 'page' },
    h1({ class: 'unseen', tabIndex: -1 }, w.title(monthName(language.value, month.value))),
    // Dates are relative to the service's date, which comes with the session.
    !me.data.value && !me.error.value
      ? div({ class: 'loading', 'aria-busy': true }, Skeleton())
      : Loaded({
          of: dashboard,
          skeleton: Skeleton(),
          children: of => {
            const done = stepsDone(of),
              isNew = canWrite.value && isThisMonth.value && !(done[0] && done[1] && (done[3] || putOff.value));
            const isEmpty = isNew && !done[0] && !done[1];
            return div(
              { class: 'dashboard' },
              isNew && h(FirstSteps, { of, done }),
              !isEmpty && [
                of.accounts.some(account => account.changed_bill) && h(ChangedBills, { of: of.accounts }),
                h(Hero, { of }),
                !isThisMonth.value && h(Figures, { of }),
                of.income_confirmation_widget && canWrite.value && h(Salary, { of }),
                h(Waiting, { of }),
                isThisMonth.value && h(Figures, { of }),
                div(
                  { class: 'columns' },
                  h(Spending, { of }),
                  !isComing(of) && h(Evolution, { of }),
                  h(Last, { of }),
                  isThisMonth.value ? h(Accounts, { of }) : h(WorthOfMonth, { of }),
                  of.accounts.length > 0 && !isComing(of) && h(NetWorth, { of }),
                ),
              ],
            );
          },
        }),
  );
};
