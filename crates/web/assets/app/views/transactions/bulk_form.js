// Sets the category or the account of several transactions at once.
import { useSignal } from '@preact/signals';
import { h, p } from '../../dom.js';
import { words } from '../../words.js';
import { AccountSelect, CategorySelect } from '../../parts/category_select.js';
import { open } from '../../parts/dialog.js';
import { Field, Form } from '../../parts/field.js';

/**
 * @param {{ what: 'category' | 'account', left: number, close: () => void, chosen: (id: number | null) => void }} props
 */
const BulkForm = ({ what, left, close, chosen }) => {
  const w = words.value.transactions,
    id = useSignal(/** @type {number | null} */ (null));
  const isCategory = what === 'category';
  return h(Form, {
    submit: w.apply,
    cancel: close,
    work: async () => {
      close();
      chosen(id.value);
    },
    children: error => [
      h(Field, {
        label: isCategory ? words.value.form.category : words.value.form.account,
        name: `${what}_id`,
        error,
        children: control =>
          isCategory ? CategorySelect({ control, value: id }) : AccountSelect({ control, value: id }),
      }),
      left > 0 && p({ class: 'note' }, w.left_alone(left)),
    ],
  });
};

/**
 * `left`: the number of selected rows that do not change.
 * @param {'category' | 'account'} what
 * @param {{ count: number, left: number }} rows
 * @param {(id: number | null) => void} chosen
 */
export const openBulk = (what, { count, left }, chosen) =>
  open({ title: words.value.transactions.bulk_title[what](count) }, close =>
    h(BulkForm, { what, left, close, chosen }),
  );
