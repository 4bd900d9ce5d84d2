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

/** @type {typeof import('./pt-BR.js').default} */
export default {
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
