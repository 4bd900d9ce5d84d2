// Cards, bill by bill: the open one first, with amounts and due dates; one bill with its rows and its categories.
import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, getPage, post, Problem, resource } from '../api.js';
import { a, button, div, h, h2, li, nav, p, section, span, ul } from '../dom.js';
import { addMonths, dayAndMonth, daysBetween, monthName, monthOf } from '../dates.js';
import { abs, cents, decimal, percent, percentage, sum } from '../money.js';
import { Amount, inText } from '../parts/amount.js';
import { BudgetBar } from '../parts/budget_bar.js';
import { ChangedBills } from './cards/changed_bills.js';
import { aheadOf, BillBar, CardAhead, CardLimit } from './cards/card_ahead.js';
import { HeldStatement } from './cards/held_statement.js';
import { RowTable } from './cards/held_rows.js';
import { icon } from '../parts/icon.js';
import { action, Empty, Head, Hero, named, useRows } from '../parts/overview.js';
import { ghost, Loaded, ProblemNote } from '../parts/problem.js';
import { failed, toast } from '../parts/toast.js';
import { recording } from '../parts/undo.js';
import { accountById, accounts, canWrite, categories, categoryById, today, useReading, wrote } from '../session.js';
import { language, words } from '../words.js';
import { accountWords } from '../words/accounts.js';
import { installmentWords } from '../words/installments.js';

/** @typedef {import('../session.js').Schemas['Account']} Account */
/** @typedef {import('../session.js').Schemas['CreditBill']} Bill */
/** @typedef {import('../session.js').Schemas['Transaction']} Transaction */

/** The most bills in the list: ten years. */
const BILLS_SHOWN = 120;
/** Rows of a bill that are read, and rows that are shown. */
const ROWS_READ = 1000,
  ROWS_SHOWN = 100;

/** The selected bill; 0 if a card is selected. */
const chosen = named('/cards', 'bill'),
  wanted = named('/cards', 'id');
const cards = computed(() => (accounts.data.value ?? []).filter(account => account.kind === 'credit'));
/** The selected card: the first one if the address names none. */
const card = computed(() => cards.value.find(known => known.id === wanted.value) ?? cards.value[0]);
const cardId = computed(() => card.value?.id ?? 0);

/** The card's bills, newest first. */
const bills = resource(async signal => {
  const account_id = cardId.peek();
  return {
    of: account_id,
    rows: await get('/api/credit-bills', { query: { account_id, limit: BILLS_SHOWN }, signal }),
  };
});

/** The bills and plans ahead of the card. */
const ahead = aheadOf(() => cardId.peek());

const held = resource(signal => get('/api/pending-bills', { signal }));

/**
 * The selected bill with its rows. `next` is set if there are more rows, `coming` is the projection of an open bill.
 */
const opened = resource(async signal => {
  const id = chosen.peek();
  const [bill, page] = await Promise.all([
    get('/api/credit-bills/{id}', { path: { id }, signal }),
    getPage('/api/transactions', { query: { bill_id: id, limit: ROWS_READ }, signal }),
  ]);
  const [coming] = isOpen(bill)
    ? await get('/api/credit-bills/upcoming', { query: { account_id: bill.account_id, months: 1 }, signal })
    : [];
  return { bill, coming, ...page };
});

/** Reads the data for the address. */
const read = () => {
  if (chosen.peek()) void opened.load();
  else if (cardId.peek()) [bills, ahead, held].forEach(known => void known.load());
};

const again = () => {
  read();
  void accounts.load();
  void wrote();
};

const busy = signal(false);
/** The bill whose payments the page cannot undo. */
const refused = signal(0);

/** Shows the change at once. If the service refuses it, it is reverted and the error is shown. @param {Bill} bill */
const unpay = async bill => {
  if (busy.value) return;
  busy.value = true;
  refused.value = 0;
  const due = decimal(sum([bill.amount_due, bill.paid_amount])),
    unpaid = { ...bill, status: /** @type {const} */ ('unpaid'), paid_amount: '0.00', amount_due: due };
  const end = opened.tentatively(of => (of.bill.id === bill.id ? { ...of, bill: unpaid } : of));
  try {
    const { changed, offer } = recording();
    await post('/api/credit-bills/{id}/unpay', { path: { id: bill.id }, changed });
    end(true);
    toast(words.value.dashboard.unpaid(cardOf(bill)), offer(again));
  } catch (error) {
    end(false);
    if (error instanceof Problem && error.code === 'ErrPaidByStatement') refused.value = bill.id;
    else failed(error);
  }
  busy.value = false;
  again();
};

/** @param {Bill} bill */
const pay = bill =>
  void import('./cards/pay_form.js').then(({ openPayment }) => {
    refused.value = 0;
    void openPayment(bill, again);
  });

/** @param {Bill} bill */
const changeDates = bill =>
  void import('./cards/dates_form.js').then(({ openDates }) => openDates(bill, nameOf(bill), again));

/** @param {Account} [account] */
const edit = account =>
  void import('./accounts/account_form.js').then(({ openAccount }) =>
    openAccount(again, { account, first: 'credit', title: accountWords.value.cards.add }),
  );

/** @param {Bill} bill */
const cardOf = bill => accountById.value.get(bill.account_id)?.name ?? '';
/** @param {string} date */
const day = date => dayAndMonth(language.value, date, today.value);
/** @param {Bill} bill */
const nameOf = bill => accountWords.value.cards.bill(monthName(language.value, monthOf(bill.due_date)));
/** @param {Bill} bill */
const isDue = bill => cents(bill.amount_due) > 0n;
/** @param {Bill} bill */
const isOpen = bill => bill.period_end >= today.value;
/** What the bank prints: what the bill before left, and the purchases. @param {Bill} bill */
const printed = bill => (bill.statement === null ? sum([bill.previous, bill.total]) : cents(bill.statement));
/** The amount to pay, or what the bank printed on a paid bill. @param {Bill} bill */
const figure = bill => (bill.status === 'paid' ? printed(bill) : cents(bill.amount_due));
/** @param {Bill} bill */
const isUrgent = bill => !isOpen(bill) && isDue(bill) && daysBetween(today.value, bill.due_date) <= 3;

/** The status of a bill, in words. @param {Bill} bill */
const state = bill => {
  const w = accountWords.value.cards,
    due = words.value.dashboard,
    date = day(bill.due_date);
  const left = cents(bill.carried);
  return left !== 0n
    ? w.carried(inText(abs(left)), monthName(language.value, addMonths(monthOf(bill.due_date), 1)), left < 0n)
    : bill.status === 'paid'
      ? w.paid
      : isOpen(bill)
        ? `${due.closes(day(bill.closing_date))} · ${w.due(date)}`
        : isDue(bill)
          ? `${due.due(daysBetween(today.value, bill.due_date))} · ${date}`
          : w.nothing;
};

/** @param {{ bill: Bill }} props */
const PayButton = ({ bill }) =>
  isDue(bill) &&
  canWrite.value &&
  button(
    { class: isOpen(bill) ? 'button' : 'button primary', type: 'button', onClick: () => pay(bill) },
    words.value.dashboard.pay,
    span({ class: 'unseen' }, ` ${nameOf(bill)}`),
  );

/** @param {{ bill: Bill }} props */
const BillRow = ({ bill }) =>
  li(
    { class: 'waiting-row', 'data-row': bill.id },
    div(
      { class: 'waiting-text' },
      span(
        { class: 'waiting-title' },
        icon(bill.status === 'paid' ? 'check' : 'cards'),
        a({ href: `/cards?id=${bill.account_id}&bill=${bill.id}` }, nameOf(bill)),
      ),
      span({ class: isUrgent(bill) ? 'late' : 'quiet' }, state(bill)),
      cents(bill.held) > 0n && span({ class: 'quiet' }, accountWords.value.of_held(inText(bill.held))),
      figure(bill) !== printed(bill) &&
        span({ class: 'quiet' }, words.value.dashboard.paid_of(inText(bill.paid_amount), inText(printed(bill)))),
    ),
    h(Amount, { value: figure(bill) }),
    div({ class: 'row-actions' }, h(PayButton, { bill })),
  );

/** @param {{ of: Account }} props */
const One = ({ of }) => {
  const w = accountWords.value.cards,
    all = held.data.value ?? [],
    waiting = all.filter(one => one.account_id === of.id);
  // Parts that came one by one would move those below them.
  if ([held, ahead].some(one => one.data.value === null && one.error.value === null)) return ghost(8);
  /** @param {Bill} bill */
  const isLater = bill => Number(bill.id !== of.current_bill?.id);
  return [
    cards.value.length > 1 &&
      nav(
        { class: 'chips', 'aria-label': words.value.views.cards },
        cards.value.map(known =>
          a(
            {
              key: known.id,
              class: known === of ? 'button primary' : 'button',
              href: `/cards?id=${known.id}`,
              'aria-current': known === of ? 'page' : undefined,
            },
            known.name,
          ),
        ),
      ),
    h(CardLimit, { of: ahead, id: of.id }),
    h(ProblemNote, { error: held.error.value, retry: held.load }),
    waiting.length > 0 &&
      section(
        { class: 'card', 'aria-labelledby': 'held' },
        h2({ id: 'held' }, w.held),
        ul(
          { class: 'rows' },
          waiting.map(one =>
            h(HeldStatement, {
              key: one.id,
              held: one,
              leave: () => held.set(all.filter(other => other !== one)),
              after: again,
            }),
          ),
        ),
      ),
    section(
      { class: 'card', 'aria-labelledby': 'bills' },
      div(
        { class: 'card-head' },
        h2({ id: 'bills' }, w.bills),
        span({ class: 'quiet' }, accountWords.value.days(of.closing_day ?? 0, of.due_day ?? 0)),
      ),
      of.opening_is_derived && p({ class: 'quiet' }, w.before),
      Loaded({
        of: bills,
        skeleton: ghost(6),
        children: ({ of: id, rows }) =>
          id !== of.id
            ? ghost(6)
            : ul(
                { class: 'rows' },
                [...rows]
                  .sort((one, other) => isLater(one) - isLater(other))
                  .map(bill => h(BillRow, { key: bill.id, bill })),
              ),
      }),
    ),
    h(CardAhead, { of: ahead, id: of.id, open: of.current_bill?.id }),
  ];
};

/**
 * The expenses of a bill by category, the highest first, and the refunds.
 * @param {{ of: Bill, rows: Transaction[] }} props
 */
const Spending = ({ of, rows }) => {
  const w = words.value.dashboard,
    spent = rows
      .filter(row => row.type === 'expense')
      .flatMap(row => row.lines ?? [{ category_id: row.category_id, amount: row.amount }]),
    credits = sum(rows.filter(row => row.type === 'income').map(row => row.amount));
  const totals = [...new Set(spent.map(row => row.category_id))].map(id => ({
    id,
    total: sum(spent.filter(row => row.category_id === id).map(row => row.amount)),
    name: categoryById.value.get(id ?? 0)?.name ?? w.no_category,
  }));
  const [first] = totals.sort((one, other) => (one.total < other.total ? 1 : -1));
  return (
    first &&
    section(
      { class: 'card', 'aria-labelledby': 'spending' },
      h2({ id: 'spending' }, w.spending),
      p(
        { class: 'finding' },
        w.spending_title(first.name, percentage(percent(first.total, sum(spent.map(row => row.amount))))),
      ),
      div(
        { class: 'budgets' },
        totals.map(({ id, name, total }) =>
          h(BudgetBar, {
            key: id,
            id,
            name,
            total,
            budget: null,
            scale: first.total,
            href: `/transactions?bill_id=${of.id}&type=expense&category_id=${id ?? 'none'}`,
          }),
        ),
      ),
      credits > 0n && div({ class: 'account-row' }, accountWords.value.cards.credits, h(Amount, { value: -credits })),
    )
  );
};

/**
 * @param {{ bill: Bill, coming: import('./cards/card_ahead.js').Bill | undefined, rows: Transaction[], next: string | null }} props
 */
const Opened = ({ bill, coming, rows, next }) => {
  const w = accountWords.value.cards,
    own = installmentWords.value,
    parts = sum(rows.filter(row => row.installment && row.type === 'expense').map(row => row.amount)),
    all = `/transactions?bill_id=${bill.id}`;
  const bought = rows
    .map(row => ({ ...row, date: row.original_date ?? row.date }))
    .sort((one, other) => other.date.localeCompare(one.date));
  return [
    h(
      Hero,
      {
        title: state(bill),
        value: figure(bill),
        isLate: isUrgent(bill),
        tiles: [
          [w.previous, h(Amount, { value: bill.previous })],
          [w.rows, h(Amount, { value: bill.total })],
          [w.paid_amount, h(Amount, { value: bill.paid_amount })],
          [w.amount_due, h(Amount, { value: bill.amount_due })],
        ],
      },
      p({ class: 'quiet' }, `${w.period(day(bill.period_start), day(bill.period_end))} · ${w.due(day(bill.due_date))}`),
      div(
        { class: 'row-actions' },
        h(PayButton, { bill }),
        cents(bill.paid_amount) !== 0n &&
          canWrite.value &&
          refused.value !== bill.id &&
          button(
            { class: 'button', type: 'button', 'aria-disabled': busy.value, onClick: () => void unpay(bill) },
            w.unpay,
          ),
        action(w.dates, () => changeDates(bill)),
      ),
    ),
    refused.value === bill.id &&
      div(
        { class: 'problem', role: 'alert' },
        p(null, w.by_statement),
        a({ class: 'button', href: `/transactions?month=all&type=income&account_id=${bill.account_id}` }, w.payments),
      ),
    coming &&
      section(
        { class: 'card', 'aria-labelledby': 'coming' },
        h2({ id: 'coming' }, own.to_come),
        div({ class: 'budgets' }, h(BillBar, { bill: coming, scale: cents(coming.total) })),
      ),
    div(
      { class: 'columns' },
      section(
        { class: 'card', 'aria-labelledby': 'rows' },
        div(
          { class: 'card-head' },
          h2({ id: 'rows' }, w.rows),
          rows.length > 0 && a({ href: all }, w.all_rows(rows.length, next !== null)),
        ),
        parts > 0n && next === null && p({ class: 'finding' }, own.in_parts(inText(parts))),
        rows.length > 0
          ? h(RowTable, { rows: bought.slice(0, ROWS_SHOWN), title: w.rows })
          : p({ class: 'quiet' }, w.no_rows),
        rows.length > ROWS_SHOWN &&
          div({ class: 'list-end' }, a({ class: 'button', href: all }, w.all_rows(rows.length, next !== null))),
      ),
      next === null && h(Spending, { of: bill, rows }),
    ),
  ];
};

export default () => {
  const w = accountWords.value.cards,
    id = chosen.value,
    of = card.value,
    title = words.value.views.cards,
    known = opened.data.value?.bill,
    bill = known?.id === id ? known : undefined;
  useEffect(() => {
    categories.want();
    // Data that another view has read is shown meanwhile.
    void accounts.load();
  }, []);
  useReading(
    () => {
      refused.value = 0;
      read();
    },
    () => [chosen.value, cardId.value],
  );
  useRows(id, () => !chosen.peek() && card.peek() && edit(card.peek()));
  return div(
    { class: 'page' },
    id !== 0
      ? h(Head, {
          title: bill ? [cardOf(bill), nameOf(bill)].filter(Boolean).join(' · ') : w.bills,
          back: [bill ? `/cards?id=${bill.account_id}` : '/cards', title],
        })
      : h(
          Head,
          { title: of?.name ?? title },
          of && [action(accountWords.value.edit, () => edit(of)), action(w.add, () => edit())],
        ),
    id !== 0
      ? Loaded({
          of: opened,
          skeleton: ghost(8),
          children: found => div({ class: 'dashboard' }, bill ? h(Opened, found) : ghost(8)),
        })
      : Loaded({
          of: accounts,
          skeleton: ghost(8),
          children: () =>
            div(
              { class: 'dashboard' },
              cards.value.some(known => known.changed_bill) && h(ChangedBills, { of: cards.value }),
              of
                ? h(One, { of })
                : h(
                    Empty,
                    { title: w.empty, text: w.empty_text },
                    action(w.add, () => edit(), 'primary'),
                  ),
            ),
        }),
  );
};
