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
  budget_hint: 'Empty for no budget.',
  is_tax: 'It is a tax',
  is_tax_hint: 'What is spent in it adds up in “Taxes” on the dashboard.',
  tax_kind: 'In the income tax return',
  tax_kind_hint: 'What is spent in it adds up, by who was paid, in the report of the year.',
  tax_kinds: { none: 'Not in it', health: 'Health', education: 'Education', pension: 'Private pension', donation: 'Donations' },
  standard: 'A standard category: its name can change, it is not deleted.',
  created: name => `${name} added.`,
  remove_text: 'It leaves all lists. This cannot be undone.',
  move_to: 'Move what it holds to',
  move_hint: 'Transactions, recurring items and held bills.',
  move_none: 'Nothing to move',
  moved: (name, to) => `${name}: deleted; what it held is in ${to}.`,
  in_use_text: 'There are transactions, recurring items, rules or held bills of this category. Choose above where they go, or see which they are.',
  rules: 'Rules',
};
