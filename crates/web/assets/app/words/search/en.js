// The search, in English.

/** @type {typeof import('./pt-BR.js').default} */
export default {
  hint: 'Transaction, account, category or page',
  pages: 'Pages',
  rules: 'Rules',
  all: q => `All transactions with “${q}”`,
  none: 'Nothing found.',
  found: count => (count === 1 ? '1 result' : `${count} results`),
};
