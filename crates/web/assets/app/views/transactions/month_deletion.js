// Deletes all transactions of a month: shows their number, and offers an export first.
import { useMemo } from 'preact/hooks';
import { get, remove, resource } from '../../api.js';
import { button, div, h, p, strong } from '../../dom.js';
import { monthName } from '../../dates.js';
import { language, words } from '../../words.js';
import { monthDeletionWords } from '../../words/month_deletion.js';
import { Exports } from '../settings/exports.js';
import { open } from '../../parts/dialog.js';
import { Form } from '../../parts/field.js';
import { Loaded } from '../../parts/problem.js';
import { recording } from '../../parts/undo.js';

/** @typedef {(said: string, kept: import('../../parts/undo.js').Recording) => void} Done What was deleted, in words. */

/** @param {{ month: string, rows: number, close: () => void, done: Done }} props */
const DeletionForm = ({ month, rows, close, done }) => {
  const w = monthDeletionWords.value;
  return h(Form, {
    submit: w.submit(rows),
    cancel: close,
    danger: true,
    work: async () => {
      const kept = recording();
      const { deleted } = await remove('/api/transactions', { query: { month }, changed: kept.changed });
      close();
      done(w.done(deleted, monthName(language.value, month)), kept);
    },
    children: () => [
      p(null, strong(null, w.count(rows)), ' ', w.text),
      h(Exports, { text: w.export_first, class: 'note' }),
    ],
  });
};

/** @param {{ month: string, close: () => void, done: Done }} props */
const MonthDeletion = ({ month, close, done }) => {
  const w = monthDeletionWords.value;
  const count = useMemo(
    () => resource(signal => get('/api/transactions/summary', { query: { month }, signal })),
    [month],
  );
  count.want();
  return Loaded({
    of: count,
    skeleton: div({ class: 'skeleton card-skeleton' }),
    children: ({ count: rows }) =>
      rows === 0
        ? div(
            { class: 'form' },
            p(null, w.none(monthName(language.value, month))),
            div(
              { class: 'actions' },
              button({ class: 'button primary', type: 'button', onClick: close }, words.value.app.close),
            ),
          )
        : h(DeletionForm, { month, rows, close, done }),
  });
};

/** @param {string} month @param {Done} done */
export const openMonthDeletion = (month, done) =>
  open({ title: monthDeletionWords.value.title(monthName(language.value, month)) }, close =>
    h(MonthDeletion, { month, close, done }),
  );
