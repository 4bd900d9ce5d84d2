// What can be done with the whole list, in a menu where the screen has no room for it.
import { button, div, h } from '../../dom.js';
import { CopyButton } from '../../parts/copy_table.js';
import { icon } from '../../parts/icon.js';
import { canWrite } from '../../session.js';
import { words } from '../../words.js';
import { isSelecting } from './cursor.js';

/** @typedef {import('../../parts/copy_table.js').Cell} Cell */
/** @typedef {{ table: () => Cell[][] | Promise<Cell[][]>, removeMonth: false | (() => void) }} Props */

/** @param {Props & { close: () => void }} props */
const Choices = ({ table, removeMonth, close }) => {
  const w = words.value.transactions;
  const choice = (/** @type {string} */ text, /** @type {() => void} */ choose) =>
    button(
      {
        class: 'link-button',
        type: 'button',
        onClick: () => {
          close();
          choose();
        },
      },
      text,
    );
  return div(
    { class: 'list-choices' },
    canWrite.value && choice(w.select, () => (isSelecting.value = true)),
    h(CopyButton, { rows: table, done: close }),
    removeMonth && choice(w.remove_month, removeMonth),
  );
};

/** @param {Props} props */
export const ListMenu = props => {
  const w = words.value.transactions;
  return button(
    {
      class: 'icon-button list-menu',
      type: 'button',
      'aria-label': w.list_menu,
      'aria-haspopup': 'dialog',
      title: w.list_menu,
      onClick: () =>
        void import('../../parts/dialog.js').then(({ open }) =>
          open({ title: w.list_menu, kind: 'sheet' }, close => h(Choices, { ...props, close })),
        ),
    },
    icon('more'),
  );
};
