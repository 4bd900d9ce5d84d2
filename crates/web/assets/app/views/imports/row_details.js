// The dialog in which a row of the import check is split, tagged and noted.
import { useMemo } from 'preact/hooks';
import { h, p, span } from '../../dom.js';
import { amount } from '../../money.js';
import { Amount } from '../../parts/amount.js';
import { open } from '../../parts/dialog.js';
import { EntryDetails } from '../../parts/entry_details.js';
import { bodyOf, draftOf } from '../../parts/entry_fields.js';
import { Form } from '../../parts/field.js';
import { categories } from '../../session.js';
import { words } from '../../words.js';
import { detailWords } from '../../words/details.js';
import { note } from './statement.js';

/** @typedef {import('./statement.js').Statement} Statement */
/** @typedef {import('./statement.js').Row} Row */

/** @param {{ of: Statement, index: number, row: Row, close: () => void }} props */
const RowForm = ({ of, index, row, close }) => {
  const draft = useMemo(() => {
    const noted = of.details.peek().get(index);
    const lines = (noted?.lines ?? []).map((line, at) => ({
      key: String(at),
      category: line.category_id,
      amount: amount(String(line.amount)),
    }));
    return draftOf({
      date: row.date,
      description: row.description,
      amount: amount(row.amount),
      type: row.type,
      category: of.categoryOf(index),
      account: null,
      lines,
      tags: noted?.tags ?? [],
      note: noted?.note ?? '',
    });
  }, []);
  categories.want();
  return h(Form, {
    submit: words.value.app.save,
    cancel: close,
    work: async () => {
      const { lines, tags, note: text } = bodyOf(draft);
      note(of, index, { lines, tags, note: text });
      close();
    },
    children: error => [
      p({ key: 'row', class: 'sum-line' }, span(null, row.description), h(Amount, { value: row.amount })),
      h(EntryDetails, { key: 'details', draft, error, splits: !of.isTransfer(index), opened: true }),
    ],
  });
};

/** @param {Statement} of @param {number} index @param {Row} row */
export const openDetails = (of, index, row) =>
  open({ title: detailWords.value.more }, close => h(RowForm, { of, index, row, close }));
