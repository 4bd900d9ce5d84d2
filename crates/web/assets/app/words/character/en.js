// The character's page, in English.

/** @type {Record<string, string>} */
const skins = {
  fair: 'Very light',
  light: 'Light',
  medium: 'Light brown',
  tan: 'Tan',
  brown: 'Brown',
  deep: 'Dark',
  dark: 'Very dark',
};
/** @type {Record<string, string>} */
const hair_styles = {
  short: 'Short',
  long: 'Long',
  wavy: 'Wavy',
  curly: 'Curly',
  coily: 'Coily',
  braids: 'Braids',
  bun: 'Bun',
  shaved: 'Shaved',
};
/** @type {Record<string, string>} */
const bodies = { slim: 'Slim', curvy: 'Curvy', broad: 'Broad' };
/** @type {Record<string, string>} */
const colors = {
  background: 'Background',
  surface: 'Paper',
  primary: 'Main',
  accent: 'Accent',
  leaf: 'Leaf',
  skin: 'Skin',
  hair: 'Hair',
  shirt: 'Top',
  pants: 'Bottom',
  shoes: 'Shoes',
};
/** @type {Record<string, string>} */
const actions = {
  transaction_created: 'Transaction',
  import_confirmed: 'Statement imported',
  savings_checked: 'Goal met',
  category_created: 'Category created',
  category_budgeted: 'Budget set',
  category_budget_kept: 'Month within budget',
  account_created: 'Account created',
  transfer_created: 'Transfer',
  bill_paid: 'Bill paid',
  recurring_created: 'Recurring item created',
  recurring_confirmed: 'Income confirmed',
  settings_changed: 'Goal set',
  quest_completed: 'Quest',
  achievement_earned: 'Achievement',
};

/** By their ids. @type {Record<string, [title: string, description: string]>} */
const quests = {
  1: ['Diary kept', 'Add 3 transactions today.'],
  2: ['A thorough day', 'Add 8 transactions today.'],
  3: ['Statement of the day', 'Import a statement today.'],
  4: ['A recorded week', 'Add 15 transactions this week.'],
  5: ['Statements of the week', 'Import 2 statements this week.'],
  6: ['Money on the move', 'Make 2 transfers between your accounts this week.'],
  7: ['Pace of adventure', 'Complete 5 quests this week.'],
  8: ['A recorded month', 'Add 60 transactions this month.'],
  9: ['Bills on time', 'Pay a card’s bill this month.'],
  10: ['Income confirmed', 'Confirm a recurring income this month.'],
  11: ['Savings goal', 'See a month that met the savings goal.'],
  12: ['Budget respected', 'End a month within the budget of a category.'],
  13: ['First steps', 'Add your first transaction.'],
  14: ['A tidy house', 'Create 3 accounts.'],
  15: ['Everything in its place', 'Create 3 categories.'],
  16: ['Spending plan', 'Set the budget of 3 categories.'],
  17: ['The month foreseen', 'Add 3 recurring items.'],
  18: ['With a goal', 'Set your savings goal.'],
};
/** By their keys. @type {Record<string, [title: string, description: string]>} */
const achievements = {
  first_transaction: ['First transaction', 'Add your first transaction.'],
  transactions_50: ['Hands on', 'Add 50 transactions.'],
  transactions_250: ['Pocket accountant', 'Add 250 transactions.'],
  transactions_1000: ['Memory of an elephant', 'Add 1000 transactions.'],
  first_import: ['Without typing', 'Import your first statement.'],
  imports_12: ['A year of statements', 'Import 12 statements.'],
  savings_goal_met: ['Full piggy bank', 'Meet the savings goal in a month.'],
  savings_goal_met_6: ['Half a year of saving', 'Meet the savings goal in 6 months.'],
  first_category: ['Your own way', 'Create your first category.'],
  first_budget: ['First budget', 'Set the budget of a category.'],
  budgets_kept_5: ['Tight rein', 'End the month within budget in 5 categories.'],
  first_account: ['Account opened', 'Create your first account.'],
  first_transfer: ['From one pocket to the other', 'Make your first transfer.'],
  first_bill_paid: ['Bill settled', 'Pay your first bill.'],
  bills_paid_12: ['A year without interest', 'Pay 12 bills.'],
  first_recurring_confirmed: ['It has arrived', 'Confirm your first recurring income.'],
  quests_10: ['Family adventure', 'Complete 10 quests.'],
  quests_50: ['Legend of finances', 'Complete 50 quests.'],
  level_5: ['Putting down roots', 'Reach level 5.'],
  level_10: ['Bearing fruit', 'Reach level 10.'],
  level_15: ['Shade for everyone', 'Reach level 15.'],
};
/** Those of a category with a budget say its name. @type {[title: RegExp, toTitle: string, toDescription: string]} */
const of_category = [/^No orçamento: (.+)$/, 'Within budget: $1', 'End a month with spending in $1 within its budget.'];
/** By their ids. @type {Record<string, string>} */
const cosmetics = {
  1: 'Brown hair',
  2: 'Black hair',
  3: 'Blond hair',
  4: 'Red hair',
  5: 'Grey hair',
  6: 'Blue hair',
  7: 'Golden hair',
  8: 'Light blue T-shirt',
  9: 'Green T-shirt',
  10: 'Red T-shirt',
  11: 'Dress shirt',
  12: 'Wool coat',
  13: 'Goal blazer',
  14: 'Forest cloak',
  15: 'Grey trousers',
  16: 'Jeans',
  17: 'Khaki shorts',
  18: 'Dress trousers',
  19: 'Burgundy trousers',
  20: 'Linen trousers',
  21: 'Starry trousers',
  22: 'Dark trainers',
  23: 'White trainers',
  24: 'Sandals',
  25: 'Garden wellies',
  26: 'Dress shoes',
  27: 'Running shoes',
  28: 'Golden boots',
  29: 'Straw hat',
  30: 'Flower crown',
  31: 'Garden apron',
  32: 'Flared skirt',
};

/** @type {typeof import('./pt-BR.js').default} */
export default {
  catalog: { quests, achievements, of_category, cosmetics },
  title: 'Character',
  /** @param {string} xp */
  all_xp: xp => `${xp} XP in total`,
  theme: 'The colours of your theme',
  clothes: 'Wardrobe',
  kind: 'What to try on',
  kinds: { hair: 'Hair', shirt: 'Top', pants: 'Bottom', shoes: 'Shoes' },
  worn: 'Wearing',
  /** @param {number} level */
  from_level: level => `From level ${level}`,
  /** @param {string} name */
  trying: name => `Trying on: ${name}`,
  /** @param {string} name */
  wearing: name => `Wearing: ${name}`,
  nothing: 'Nothing chosen here yet.',
  wear: 'Wear it',
  take_off: 'Take off',
  put_back: 'Cancel changes',
  appearance: 'Appearance',
  skin: 'Skin',
  hair_style: 'Hair',
  body: 'Body',
  ids: { skin: skins, hair_style: hair_styles, body: bodies },
  colors,
  quests: 'Quests',
  quest_types: { daily: 'Today', weekly: 'This week', monthly: 'This month', once: 'Once' },
  /** @param {number} progress @param {number} target */
  progress: (progress, target) => `${progress} of ${target}`,
  /** @param {string} when */
  completed: when => `Completed on ${when}`,
  /** @param {number} xp */
  xp: xp => `+${xp.toLocaleString('en')} XP`,
  achievements: 'Achievements',
  /** @param {number} count @param {number} of */
  earned_of: (count, of) => `${count} of ${of}`,
  none_earned: 'None yet. The first comes with the first transaction.',
  /** @param {number} count */
  to_earn: count => `Still to come (${count})`,
  history: 'Where the XP came from',
  no_history: 'Nothing yet. Add a transaction to begin.',
  more: 'Show more',
  actions,
};
