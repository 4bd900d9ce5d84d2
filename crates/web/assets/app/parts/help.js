// The keyboard shortcuts, in a table.
import { dd, div, dl, dt, h, span } from '../dom.js';
import { canWrite } from '../session.js';
import { views } from '../views.js';
import { words } from '../words.js';
import { open } from './dialog.js';

const Keys = () => {
  const w = words.value.help;
  const row = (/** @type {string[]} */ keys, /** @type {string} */ text) =>
    div(
      { class: 'key-row' },
      dt(
        null,
        keys.map(key => span({ class: 'key' }, key)),
      ),
      dd(null, text),
    );
  return dl(
    { class: 'keys' },
    row(['h'], w.hide),
    canWrite.value && row(['n'], w.new),
    row(['/'], w.search),
    row(['j', 'k'], w.rows),
    row(['x'], w.mark),
    row(['m'], w.marked),
    row(['Esc'], w.unmark),
    row(['e'], w.edit),
    views.map(({ key, name }) => row(['g', key], words.value.views[name])),
    row(['z'], words.value.app.undo),
    row(['?'], w.help),
  );
};

export const showHelp = () => open({ title: words.value.help.title }, () => h(Keys, null));
