// Categories, in English.
import { plural } from '../en.js';

/** @type {typeof import('./pt-BR.js').default} */
export default {
  title: month => `Categories in ${month}`,
  add: 'New category',
  edit: 'Edit category',
  used: (spent, budget) => `${spent} of ${budget} planned`,
  over: count => plural(count, 'is over its budget', 'are over their budgets'),
  planned: 'With a budget',
  unplanned: 'Without a budget',
  unused: 'Nothing spent this month',
  tax: 'Tax',
  six: 'Last six months',
  budget: 'Budget',
  budget_hint: 'Leave empty for no budget.',
  is_tax: 'It is a tax',
  is_tax_hint: 'Its spending counts under “Taxes” on the dashboard.',
  tax_kind: 'Income tax return',
  tax_kind_hint: 'The yearly report adds up its spending by payee.',
  tax_kinds: {
    none: 'Not in it',
    health: 'Health',
    education: 'Education',
    pension: 'Private pension',
    donation: 'Donations',
  },
  standard: 'A standard category: you can rename it, but not delete it.',
  created: name => `${name} added.`,
  remove_text: 'It disappears from all lists. This cannot be undone.',
  move_to: 'Move its items to',
  move_hint: 'Transactions, recurring items and held bills.',
  move_none: 'Nothing to move',
  moved: (name, to) => `${name}: deleted; its items are now in ${to}.`,
  in_use_text:
    'This category has transactions, recurring items, rules or held bills. Choose above where to move them, or view them.',
  rules: 'Rules',
};
