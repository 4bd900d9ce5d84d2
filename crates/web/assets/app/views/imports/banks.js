// Where banks export readable statements, for a user whose file cannot be read.
import { caption, div, h2, small, strong, table, tbody, td, th, thead, tr } from '../../dom.js';
import { tableFrame } from '../../parts/table.js';
import { importWords } from '../../words/imports.js';

/** @typedef {import('../../api.js').Bank} Bank */

/** @param {{ banks: Bank[] }} props */
export const Banks = ({ banks }) => {
  const w = importWords.value.banks;
  return div(
    { class: 'banks' },
    h2({ id: 'banks', class: 'step-title' }, w.title),
    tableFrame(
      w.title,
      table(
        null,
        caption({ class: 'unseen' }, w.title),
        thead(
          null,
          tr(
            null,
            [w.bank, w.place, w.file].map(text => th({ key: text, scope: 'col' }, text)),
          ),
        ),
        tbody(
          null,
          banks.map(({ name, channels, path, formats }) =>
            tr(
              { key: name },
              th({ scope: 'row' }, strong(null, name)),
              // The menu names are the bank's own, in every language of the page.
              td(null, small({ class: 'hint' }, w.channels(channels)), div({ lang: 'pt-BR' }, path.join(' › '))),
              td(
                { class: 'nowrap' },
                formats.map(format => div({ key: format }, format)),
              ),
            ),
          ),
        ),
      ),
    ),
  );
};
