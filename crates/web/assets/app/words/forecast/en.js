// The forecast, in English.
import { plural } from '../en.js';

/** @type {typeof import('./pt-BR.js').default} */
export default {
  /** @param {string} amount */
  reserved: amount => `Set aside for the bills of the year: ${amount}.`,
  /** @param {string} amount */
  bills_after: amount => `After that, ${amount} of open bills are due.`,
  until: day => `until ${day}`,
  as_usual: ', with the usual spending',
  why: 'Why?',
  today: 'Balance today',
  today_text: 'Accounts whose money is free to spend',
  kinds: { posted: 'already entered', recurring: 'recurring', credit_bill: 'card bill', pending_bill: 'held bill' },
  tightest: day => `Lowest balance until then, on ${day}`,
  smallest: 'Lowest balance until then',
  reserved_then: '− set aside for the bills of the year',
  nothing_coming: 'Nothing is expected until then.',
  more: count => `and ${plural(count, 'more', 'more')}`,
  ahead: 'See the months ahead',
  negative: day => `On ${day} the balance falls below zero.`,
  end_of: month => `End of ${month}`,
  lowest: 'Lowest balance',
  title: 'Expected balance',
  low: (day, balance) => `The tightest day is ${day}: ${balance}`,
  below: (day, balance) => `The balance falls below zero; the worst day is ${day}: ${balance}`,
  spending: 'Other spending',
  none: 'None',
  median3: 'The usual',
  median3_text:
    'The median of the last three months, without taxes, instalments and recurring items, in equal parts per day.',
  none_text: 'Recurring items, bills and future transactions; nothing is estimated.',
  months: 'Months ahead',
  by_month: 'By month',
  month: 'Month',
  income: 'In',
  expenses: 'Out',
  card_bills: 'Bills',
  estimated: 'Estimated',
  closing: 'Closing balance',
  events: month => `Expected in ${month}`,
  no_events: month =>
    `Nothing is expected in ${month}. Add what repeats every month to the recurring items to see it here.`,
  cut: 'Only the first 2,000 events are listed; the balances count all of them.',
  empty: 'Nothing to forecast yet',
  empty_text: 'The forecast starts from the balance of current and savings accounts. Add one of those first.',
};
