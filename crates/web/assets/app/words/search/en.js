// The search, in English.

/** @type {typeof import('./pt-BR.js').default} */
export default {
  hint: 'Transaction, account, category or page',
  pages: 'Pages',
  rules: 'Rules',
  settings: 'Settings',
  setting: {
    device: ['On this device', 'language theme light dark appearance hide amounts shortcuts'],
    access: ['People and access', 'invite members keys sessions log out calendar'],
    goal: ['Savings goal', 'save spend less'],
    names: ['Names of the household', 'own transfers family'],
    'password-title': ['Password', 'change password'],
    'second-factor': ['Two-step verification', 'code authenticator security'],
    'character-shown': ['Show the character', 'hide level quests'],
    notices: ['Notices', 'notifications reminders due dates'],
    webhooks: ['Webhooks', 'integrations programs'],
    data: ['Your data', 'export download copy backup csv spreadsheet json'],
    restore: ['Restore', 'backup copy file recover'],
    about: ['About', 'version licence libraries'],
  },
  all: q => `All transactions with “${q}”`,
  none: 'Nothing found.',
  found: count => (count === 1 ? '1 result' : `${count} results`),
};
