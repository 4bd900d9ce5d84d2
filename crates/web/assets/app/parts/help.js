// The keyboard shortcuts, in a table.
import { dd, div, dl, dt, h, span } from '../dom.js';
import { known, PLACES } from '../keys.js';
import { words } from '../words.js';
import { open } from './dialog.js';

/** The view at an address. @type {Record<string, keyof import('../words.js').Words['views']>} */
const NAMES = {
  '/': 'dashboard',
  '/transactions': 'transactions',
  '/imports': 'imports',
  '/accounts': 'accounts',
  '/cards': 'cards',
  '/forecast': 'forecast',
  '/recurring': 'recurring',
  '/budgets': 'budgets',
  '/categories': 'categories',
  '/reports': 'reports',
  '/changes': 'changes',
  '/character': 'character',
  '/settings': 'settings',
};

const Keys = () => {
  const w = words.value.help,
    views = words.value.views;
  const row = (/** @type {string[]} */ keys, /** @type {string} */ text) =>
    div(
      { class: 'key-row' },
      dt(
        null,
        keys.map(key => span({ class: 'key' }, key)),
      ),
      dd(null, text),
    );
  const places = Object.entries(PLACES).filter(([, place]) => known.has(place));
  return dl(
    { class: 'keys' },
    row(['h'], w.hide),
    known.has('/transactions') && [
      row(['n'], w.new),
      row(['/'], w.search),
      row(['j', 'k'], w.rows),
      row(['x'], w.mark),
      row(['m'], w.marked),
      row(['Esc'], w.unmark),
      row(['e'], w.edit),
    ],
    places.map(([key, place]) => row(['g', key], views[NAMES[place] ?? 'missing'])),
    known.has('/changes') && row(['z'], words.value.app.undo),
    row(['?'], w.help),
  );
};

export const showHelp = () => open({ title: words.value.help.title }, () => h(Keys, null));
