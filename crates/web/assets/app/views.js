// All views by their address, and those of the menu.
import { computed } from '@preact/signals';
import { canWrite, showsCharacter } from './session.js';

/** @typedef {import('preact').FunctionComponent<{}>} View */
/** @typedef {keyof import('./words.js').Words['views']} Name */
/** @typedef {{ default: View }} Loaded */
/** @typedef {{ name: Name & import('./parts/icon.js').IconName, key: string, month?: boolean, load: () => Promise<Loaded> }} Listed */

/**
 * The views of the menu, in its order. `key` is the letter that opens one after `g`; `month`: whether it is of the selected month.
 * @type {Record<string, Listed>}
 */
const VIEWS = {
  '/': { name: 'dashboard', key: 'p', month: true, load: () => import('./views/dashboard.js') },
  '/transactions': { name: 'transactions', key: 'l', month: true, load: () => import('./views/transactions.js') },
  '/imports': { name: 'imports', key: 'i', load: () => import('./views/imports.js') },
  '/accounts': { name: 'accounts', key: 'a', load: () => import('./views/accounts.js') },
  '/cards': { name: 'cards', key: 'c', load: () => import('./views/cards.js') },
  '/forecast': { name: 'forecast', key: 'f', load: () => import('./views/forecast.js') },
  '/recurring': { name: 'recurring', key: 'r', month: true, load: () => import('./views/recurring.js') },
  '/budgets': { name: 'budgets', key: 'b', month: true, load: () => import('./views/budgets.js') },
  '/categories': { name: 'categories', key: 'o', month: true, load: () => import('./views/categories.js') },
  '/reports': { name: 'reports', key: 'd', load: () => import('./views/reports.js') },
  '/changes': { name: 'changes', key: 'h', load: () => import('./views/changes.js') },
  '/character': { name: 'character', key: 'x', load: () => import('./views/character.js') },
  '/settings': { name: 'settings', key: 's', load: () => import('./views/settings.js') },
};
/** The others: the login, and what an unknown address shows. */
const LOGIN = { name: /** @type {Name} */ ('login'), load: () => import('./views/login.js') },
  MISSING = { name: /** @type {Name} */ ('missing'), load: () => import('./views/missing.js') };

/** The views of the menu with their addresses. */
export const views = Object.entries(VIEWS).map(([path, view]) => ({ path, ...view }));

/** Those that the user may see. */
export const menu = computed(() =>
  views.filter(
    ({ path }) => (canWrite.value || path !== '/imports') && (showsCharacter.value !== false || path !== '/character'),
  ),
);

/** The view at an address. @param {string} path @returns {{ name: Name, month?: boolean, load: () => Promise<Loaded> }} */
export const viewAt = path => VIEWS[path] ?? (path === '/login' ? LOGIN : MISSING);
