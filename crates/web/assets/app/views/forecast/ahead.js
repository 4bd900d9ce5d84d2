// Future events, each with its source, and the explanation of the amount that is free to spend.
import { computed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, resource } from '../../api.js';
import { a, button, div, h, li, p, small, span, ul } from '../../dom.js';
import { dayAndMonth, monthOf } from '../../dates.js';
import { abs, cents, decimal } from '../../money.js';
import { place } from '../../router.js';
import { accountById, today } from '../../session.js';
import { language, words, wordsOf } from '../../words.js';
import { Amount, inText, Signed } from '../../parts/amount.js';
import { ghost, Loaded } from '../../parts/problem.js';

/** @typedef {import('../../session.js').Schemas['Forecast']} Forecast */
/** @typedef {import('../../session.js').Schemas['ForecastEvent']} Event */

export const aheadWords = await wordsOf('forecast');

/** The number of events listed on the dashboard. */
const EVENTS_SHOWN = 12;
/** The number of months ahead, unless the address gives another. */
export const MONTHS_SHOWN = 12;

/** @param {string} name */
const asked = name => (place.value.path === '/forecast' ? place.value.query.get(name) : null);
/** The parameters in the address of the forecast; the defaults in other views. */
export const months = computed(() => Number(asked('months')) || MONTHS_SHOWN);
// What is free to spend is told without usual spending, on the dashboard too.
export const baseline = computed(
  () => /** @type {'none' | 'median3'} */ (asked('baseline') === 'median3' ? 'median3' : 'none'),
);

export const forecast = resource(async signal => {
  const query = { months: months.peek(), baseline: baseline.peek() };
  return { ...query, ...(await get('/api/forecast', { query, signal })) };
});

/** @param {string} date */
export const day = date => dayAndMonth(language.value, date, today.value);

/** Whether an event moves money that is free to spend. Bills are paid from it. @param {Event} event */
const isSpent = ({ kind, account_id }) =>
  kind === 'credit_bill' ||
  kind === 'pending_bill' ||
  account_id === null ||
  accountById.value.get(account_id)?.spendable === true;

/** What the accounts that are spent from hold today. */
const spendable = () =>
  [...accountById.value.values()].reduce(
    (sum, account) => (account.spendable ? sum + cents(account.balance) : sum),
    0n,
  );

/** What is still set aside at the end of a day. The event of an item ends its reserve. @param {Forecast} of @param {string} date */
const reservedOn = ({ as_of, events, reserves }, date) =>
  reserves.reduce((sum, { recurring_id, reserved }) => {
    const end = events.find(
      event => event.kind === 'recurring' && event.source_id === recurring_id && event.date > as_of,
    );
    return end && end.date <= date ? sum : sum + cents(reserved);
  }, 0n);

/**
 * The balance and the reserve of the day on which the least is free. Null if the events are incomplete.
 * @param {Forecast} of
 * @param {bigint} opening
 * @param {Event[]} events
 */
const tightest = (of, opening, events) => {
  const days = [...new Set([of.as_of, ...events.map(event => event.date)])].sort();
  let balance = opening;
  const [first, ...others] = days.map(date => {
    balance = events.reduce((sum, event) => (event.date === date ? sum + cents(event.amount) : sum), balance);
    const reserved = reservedOn(of, date);
    return { date, balance, reserved, free: balance - reserved };
  });
  const least = first && others.reduce((least, one) => (one.free < least.free ? one : least), first);
  return least && (least.free > 0n ? least.free : 0n) === cents(of.free_to_spend) ? least : null;
};

/** The source of an event, in words. @param {Event} event */
const source = ({ kind, date, account_id, source_id }) =>
  kind === 'posted'
    ? `/transactions?month=${monthOf(date)}&row=${source_id}`
    : kind === 'recurring'
      ? `/recurring?month=${monthOf(date)}`
      : kind === 'credit_bill' && source_id !== null
        ? `/cards?id=${account_id}&bill=${source_id}`
        : `/cards?id=${account_id}`;

/** @param {{ event: Event }} props */
export const EventRow = ({ event }) => {
  const { date, kind, amount, account_id } = event,
    isBill = kind === 'credit_bill' || kind === 'pending_bill',
    account = accountById.value.get(account_id ?? 0)?.name;
  return li(
    { class: 'account-row' },
    div(
      { class: 'entry-text' },
      a({ href: source(event) }, isBill && account ? words.value.dashboard.bill_of(account) : event.description),
      small(
        { class: 'quiet' },
        [day(date), aheadWords.value.kinds[kind], !isBill && account].filter(Boolean).join(' · '),
      ),
    ),
    h(Signed, { value: decimal(abs(cents(amount))), type: cents(amount) < 0n ? 'expense' : 'income' }),
  );
};

/** Reloaded with each dashboard. @param {{ of: unknown }} props */
export const FreeUntil = ({ of }) => {
  useEffect(() => void forecast.load(), [of]);
  const known = forecast.data.value;
  return known && span(null, ' ', aheadWords.value.until(day(known.free_until)));
};

/** @param {string} text @param {bigint | string} value */
const total = (text, value) =>
  div({ class: 'account-row total' }, div({ class: 'entry-text' }, text), h(Amount, { value }));

/** Today's spendable balance, the known events, and the amount left on the day with the lowest balance. */
const Why = () =>
  Loaded({
    of: forecast,
    skeleton: ghost(3),
    children: known => {
      const w = aheadWords.value,
        opening = spendable(),
        events = known.events.filter(event => event.date <= known.free_until && isSpent(event)),
        on = tightest(known, opening, events),
        hasReserve = on ? on.reserved !== 0n : known.reserved !== '0.00';
      return [
        ul(
          { class: 'rows' },
          li(
            { class: 'account-row' },
            div({ class: 'entry-text' }, w.today, small({ class: 'quiet' }, w.today_text)),
            h(Amount, { value: opening }),
          ),
          events.slice(0, EVENTS_SHOWN).map((event, index) => h(EventRow, { key: index, event })),
        ),
        events.length === 0 && p({ class: 'quiet' }, w.nothing_coming),
        events.length > EVENTS_SHOWN && p({ class: 'quiet' }, w.more(events.length - EVENTS_SHOWN)),
        (on || !hasReserve) && total(on ? w.tightest(day(on.date)) : w.smallest, on?.balance ?? known.free_to_spend),
        on &&
          hasReserve &&
          div(
            { class: 'account-row' },
            div({ class: 'entry-text' }, w.reserved_then),
            h(Amount, { value: on.reserved }),
          ),
        hasReserve && total(words.value.dashboard.free, known.free_to_spend),
        a({ href: '/forecast' }, w.ahead),
      ];
    },
  });

/** Explains the amount that is free to spend on a click, and shows the first day with a negative balance. */
export const WhyFree = () => {
  const w = aheadWords.value,
    isOpen = useSignal(false),
    known = forecast.data.value,
    negative = known?.first_negative_date,
    later = known && cents(known.bills_after) > 0n;
  return div(
    { class: 'why-free' },
    button(
      {
        class: 'link-button',
        type: 'button',
        'aria-expanded': isOpen.value,
        onClick: () => (isOpen.value = !isOpen.value),
      },
      w.why,
    ),
    negative && span({ class: 'late' }, ' ', w.negative(day(negative))),
    known && known.reserved !== '0.00' && p({ class: 'quiet' }, w.reserved(inText(known.reserved))),
    later && p({ class: 'quiet' }, w.bills_after(inText(known.bills_after))),
    isOpen.value && h(Why, null),
  );
};
