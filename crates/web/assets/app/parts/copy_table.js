// Copies a table to the clipboard as tab-separated text, which spreadsheets accept.
import { button, div, p, textarea } from '../dom.js';
import { decimal } from '../money.js';
import { language, words } from '../words.js';
import { failed, toast } from './toast.js';

/** Amounts are BigInt cents. @typedef {string | bigint} Cell */

/**
 * Escapes a cell: no separator in it, no formula that would run, and amounts in the format of the page's language.
 * @param {Cell} cell
 */
const written = cell =>
  typeof cell === 'bigint'
    ? decimal(cell).replace('.', language.value === 'en' ? '.' : ',')
    : cell
        .replace(/\s+/g, ' ')
        .trim()
        .replace(/^[=+\-@＝＋－＠]/, "'$&");

/**
 * `rows` are the rows of the table, with its head first. `done` is called once they are read.
 * @param {{ rows: () => Cell[][] | Promise<Cell[][]>, done?: () => void }} props
 */
export const CopyButton = ({ rows, done = () => {} }) => {
  const w = words.value.app;
  const copy = async () => {
    let text = '';
    try {
      const all = await rows();
      text = all.map(row => row.map(written).join('\t')).join('\n');
      await navigator.clipboard.writeText(text);
      done();
      toast(w.copied(all.length - 1));
    } catch (error) {
      if (!text) return failed(error);
      done();
      // Without https, or if the browser forbids it. The user can copy it by hand.
      void (await import('./dialog.js')).open({ title: w.copy }, () => [
        p(null, w.copy_refused),
        div(
          { class: 'field' },
          textarea({
            'aria-label': w.copy,
            autoFocus: true,
            readOnly: true,
            rows: 8,
            value: text,
            onFocus: event => event.currentTarget.select(),
          }),
        ),
      ]);
    }
  };
  return button({ class: 'link-button', type: 'button', onClick: () => void copy() }, w.copy);
};
