// The closing date and the due date of a bill, if they differ from the card's.
import { useSignal } from '@preact/signals';
import { put } from '../../api.js';
import { h, p } from '../../dom.js';
import { accountWords } from '../../words/accounts.js';
import { Form, TextField } from '../../parts/field.js';
import { recording } from '../../parts/undo.js';
import { open } from '../../parts/dialog.js';
import { toast } from '../../parts/toast.js';

/** @typedef {import('../../session.js').Schemas['CreditBill']} Bill */

/** A cleared date goes back to the card's own. @param {{ bill: Bill, close: () => void, done: () => void }} props */
const DatesForm = ({ bill, close, done }) => {
  const w = accountWords.value.cards,
    closing = useSignal(bill.closing_date),
    due = useSignal(bill.due_date);
  const fields = /** @type {const} */ ([
    [w.closing_date, 'closing_date', closing],
    [w.due_date, 'due_date', due],
  ]);
  return h(Form, {
    submit: w.dates_save,
    cancel: close,
    work: async () => {
      const { changed, offer } = recording();
      await put('/api/credit-bills/{id}', {
        path: { id: bill.id },
        body: { closing_date: closing.value || null, due_date: due.value || null },
        changed,
      });
      close();
      toast(w.dates_saved, offer(done));
      done();
    },
    children: error => [
      p({ class: 'quiet' }, w.dates_text),
      fields.map(([label, name, value]) => h(TextField, { key: name, label, name, error, value, type: 'date' })),
    ],
  });
};

/** @param {Bill} bill @param {string} name @param {() => void} done */
export const openDates = (bill, name, done) =>
  open({ title: accountWords.value.cards.dates_title(name) }, close => h(DatesForm, { bill, close, done }));
