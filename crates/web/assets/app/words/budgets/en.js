// The budget of a month, in English.
import { plural } from '../en.js';

/** @type {typeof import('./pt-BR.js').default} */
export default {
  title: month => `Budget of ${month}`,
  category: 'Category',
  budget: 'Budgeted',
  spent: 'Spent',
  available: 'Available',
  carried: 'Carried over',
  to_distribute: 'To distribute',
  of_income: income => `of ${income} expected`,
  total: 'Total',
  no_group: 'No group',
  no_category: 'No category',
  field: name => `Budgeted, ${name}`,
  hint: 'Enter saves and goes down, ↑↓ move, Esc takes back what was typed; if empty, the default holds. You can add: 12+8.50.',
  set: (name, value) => `${name}: ${value} this month.`,
  unset: name => `${name}: no amount of its own this month.`,
  every: 'Every month',
  every_of: name => `Every month, ${name}`,
  every_set: (name, value) => `${name}: ${value} every month from this one on.`,
  wrong: 'Enter an amount, such as 45.90 or 12+8.50.',
  fill: 'Fill in',
  from: {
    previous: 'Copy the previous month',
    average3: 'Mean of 3 months',
    average12: 'Mean of 12 months',
    last_year: 'Same month last year',
  },
  filled: count => `${plural(count, 'category filled in', 'categories filled in')}.`,
  nothing: 'Nothing to change.',
};
