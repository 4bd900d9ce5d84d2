// The future of a card: its bills ahead, each split into posted amounts, instalments and recurring items, and its
// purchases by instalments.
import { useSignal } from '@preact/signals';
import { get, put, remove, resource } from '../../api.js';
import { a, button, details, div, h, h2, li, p, section, span, summary, ul } from '../../dom.js';
import { dayAndMonth, monthName, monthOf } from '../../dates.js';
import { cents, sum } from '../../money.js';
import { accountById, canWrite, reread, today } from '../../session.js';
import { language, words } from '../../words.js';
import { installmentWords } from '../../words/installments.js';
import { Amount, inText } from '../../parts/amount.js';
import { ask } from '../../parts/dialog.js';
import { LimitMeter, partNote, partsBar } from './limit_meter.js';
import { removal } from '../../parts/overview.js';
import { ghost, Loaded } from '../../parts/problem.js';
import { attempt, toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';

/** @typedef {import('../../session.js').Schemas['InstallmentPlan']} Plan */
/** @typedef {import('../../session.js').Schemas['UpcomingBill']} Bill */

/** Bills that are loaded, and bills that are shown at first. */
const BILLS_READ = 12,
  BILLS_SHOWN = 6;
/** Instalments entered by hand that are searched for plans that may be deleted. */
const ROWS_READ = 1000;

/** Reads the bills and plans ahead of a card. @param {() => number} account */
export const aheadOf = account =>
  resource(async signal => {
    const account_id = account(),
      of = { query: { account_id }, signal };
    const bills = await get('/api/credit-bills/upcoming', { query: { account_id, months: BILLS_READ }, signal });
    const plans = await get('/api/installments', of);
    const entered =
      plans.length === 0
        ? []
        : await get('/api/transactions', { query: { account_id, source: 'installment', limit: ROWS_READ }, signal });
    // The service knows whether a bill has confirmed them since.
    return {
      account_id,
      bills,
      plans,
      removable: new Set(entered.filter(row => row.external_id === null).map(row => row.id)),
    };
  });

/** @typedef {NonNullable<ReturnType<typeof aheadOf>['data']['value']>} Ahead */

/** @param {string} date */
const day = date => dayAndMonth(language.value, date, today.value);

/** A bill as a bar. @param {{ bill: Bill, scale: bigint, href?: string | undefined }} props */
export const BillBar = ({ bill, scale, href }) => {
  const w = installmentWords.value,
    name = w.bill(monthName(language.value, monthOf(bill.due_date)), day(bill.due_date));
  const parts = [
    [bill.posted, w.posted],
    [bill.installments, w.installments],
    [bill.recurring, w.recurring],
  ].map(([value, text]) => ({ value: cents(value ?? '0'), text: text ?? '' }));
  const whole = sum([bill.posted, bill.installments, bill.recurring]),
    brought = cents(bill.previous) - cents(bill.paid_amount);
  return div(
    { class: 'budget' },
    span({ class: 'budget-name' }, href ? a({ href }, name) : name),
    h(Amount, { value: bill.total }),
    partsBar(
      parts.map(({ value }) => value),
      // A credit makes the total less than its parts.
      whole > scale ? whole : scale,
    ),
    div(
      { class: 'chips budget-note' },
      parts.map(({ value, text }, index) => value !== 0n && partNote(index, value, text)),
      brought !== 0n &&
        span(
          { class: 'category-note' },
          brought < 0n ? `${inText(-brought)} ${w.credit}` : `${inText(brought)} ${w.brought}`,
        ),
    ),
  );
};

/** @param {{ of: Ahead, open: number | undefined }} props */
const Bills = ({ of: { bills }, open }) => {
  const w = installmentWords.value,
    isAll = useSignal(false),
    later = bills.slice(1),
    total = sum(later.map(bill => bill.total));
  // All bills after the last one with an amount are empty.
  const end = bills.findLastIndex(bill => cents(bill.total) !== 0n) + 1,
    known = bills.slice(0, Math.max(1, end)),
    shown = isAll.value ? known : known.slice(0, BILLS_SHOWN);
  const scale = known.reduce((most, bill) => (cents(bill.total) > most ? cents(bill.total) : most), 1n),
    last = known[known.length - 1];
  return section(
    { class: 'card', 'aria-labelledby': 'ahead' },
    h2({ id: 'ahead' }, w.ahead),
    p(
      { class: 'finding' },
      total > 0n && last
        ? w.ahead_title(inText(total), monthName(language.value, monthOf(last.due_date)))
        : w.ahead_none,
    ),
    ul(
      { class: 'budgets' },
      shown.map((bill, index) =>
        li(
          { key: bill.period_start },
          h(BillBar, { bill, scale, href: index === 0 && open ? `/cards?bill=${open}` : undefined }),
        ),
      ),
    ),
    known.length > shown.length &&
      button({ class: 'link-button', type: 'button', onClick: () => (isAll.value = true) }, w.all_bills),
  );
};

/** @param {Plan} plan */
const removePlan = async plan => {
  const w = installmentWords.value;
  if (
    !(await ask({ title: w.remove_title(plan.description), text: w.remove_text, yes: words.value.transactions.remove }))
  )
    return;
  await attempt(async () => {
    const { changed, offer } = recording();
    const { deleted } = await remove('/api/installments/{id}', { path: { id: plan.id ?? 0 }, changed });
    toast(w.removed(plan.description, deleted), offer(reread));
  });
  reread();
};

/** Says that nothing more comes of a plan, or that more comes again. @param {Plan} plan */
const endPlan = async plan => {
  const w = installmentWords.value;
  await attempt(async () => {
    const { changed, offer } = recording();
    await put('/api/installments/{id}', { path: { id: plan.id ?? 0 }, body: { ended: !plan.ended }, changed });
    if (!plan.ended) toast(w.ended(plan.description), offer(reread));
  });
  reread();
};

/** @param {{ plan: Plan, isRemovable: boolean }} props */
const PlanRow = ({ plan, isRemovable }) => {
  const w = installmentWords.value,
    said_number = w.number(plan.number, plan.count);
  // What is stored on later bills comes, though the plan is ended.
  const about =
    plan.ended && !plan.remaining
      ? w.is_ended
      : !plan.ended && plan.status === 'finished'
        ? w.finished(day(plan.last_due_date))
        : plan.status === 'stale'
          ? w.stale
          : w.left(inText(plan.remaining_amount), day(plan.last_due_date));
  return li(
    { class: 'account-row' },
    div(
      { class: 'entry-text' },
      span(
        null,
        a(
          { href: `/transactions?month=all&account_id=${plan.account_id}&q=${encodeURIComponent(plan.description)}` },
          plan.description,
        ),
        ' ',
        plan.estimated &&
          plan.status === 'active' &&
          span({ class: 'badge late', title: w.estimated_text }, w.estimated),
      ),
      span({ class: 'quiet' }, `${said_number} · ${about}`),
      plan.id !== null &&
        canWrite.value &&
        // Instalments entered by hand are deleted, not ended.
        (plan.ended || (plan.status !== 'finished' && !isRemovable)) &&
        div(
          null,
          button(
            {
              class: 'link-button',
              type: 'button',
              'aria-label': `${plan.ended ? w.reopen : w.end} ${plan.description}`,
              title: plan.ended ? undefined : w.end_text,
              onClick: () => void endPlan(plan),
            },
            plan.ended ? w.reopen : w.end,
          ),
        ),
    ),
    h(Amount, { value: plan.amount }),
    isRemovable && removal(w.remove(plan.description), () => void removePlan(plan)),
  );
};

/** @param {{ of: Ahead }} props */
const Plans = ({ of: { plans, removable } }) => {
  const w = installmentWords.value,
    running = plans.filter(plan => plan.status !== 'finished'),
    finished = plans.filter(plan => plan.status === 'finished');
  const left = sum(plans.filter(plan => plan.status === 'active').map(plan => plan.remaining_amount));
  /** @param {Plan[]} rows */
  const list = rows =>
    ul(
      { class: 'rows' },
      rows.map(plan =>
        h(PlanRow, {
          key: plan.id ?? plan.description,
          plan,
          isRemovable: plan.transactions.some(id => removable.has(id)),
        }),
      ),
    );
  return section(
    { class: 'card', 'aria-labelledby': 'plans' },
    h2({ id: 'plans', tabIndex: -1 }, w.plans),
    p(
      { class: plans.length > 0 ? 'finding' : 'quiet' },
      left > 0n ? w.plans_left(inText(left)) : plans.length === 0 && w.no_plans,
    ),
    running.length > 0 && list(running),
    finished.length > 0 && details(null, summary(null, `${w.finished_all} (${finished.length})`), list(finished)),
  );
};

/**
 * The bills and plans ahead of a card.
 * @param {{ of: ReturnType<typeof aheadOf>, id: number, open: number | undefined }} props
 */
export const CardAhead = ({ of, id, open }) =>
  Loaded({
    of,
    skeleton: ghost(6),
    children: known =>
      known.account_id !== id
        ? ghost(6)
        : div({ class: 'columns' }, h(Bills, { of: known, open }), h(Plans, { of: known })),
  });

/**
 * The limit of a card, with the part that instalments commit.
 * @param {{ of: ReturnType<typeof aheadOf>, id: number }} props
 */
export const CardLimit = ({ of, id }) => {
  const account = accountById.value.get(id),
    known = of.data.value?.account_id === id ? of.data.value : null;
  const committed = known && sum(known.plans.flatMap(plan => plan.upcoming.map(one => one.amount)));
  return account?.credit_limit
    ? section({ class: 'card', 'aria-label': installmentWords.value.limit }, h(LimitMeter, { account, committed }))
    : null;
};
