// Deletes all transactions of a month: shows their number, offers an export first, and asks for the month in words.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { get, remove, resource } from '../api.js';
import { button, div, h, input, p, strong } from '../dom.js';
import { monthAlone, monthName } from '../dates.js';
import { fold } from '../text.js';
import { language, words } from '../words.js';
import { Exports } from './download.js';
import { open } from './dialog.js';
import { Field, Form, invalid } from './field.js';
import { Loaded } from './problem.js';

/** The text to type: `março 2026`. @param {string} month */
export const monthPhrase = month => `${monthAlone(language.value, month)} ${month.slice(0, 4)}`;

/** @param {{ month: string, rows: number, close: () => void, done: (deleted: number) => void }} props */
const DeletionForm = ({ month, rows, close, done }) => {
  const w = words.value.month_deletion,
    typed = useSignal(''),
    phrase = monthPhrase(month);
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(
    () => /** @type {HTMLElement | null | undefined} */ (place.current?.querySelector('[name=month_phrase]'))?.focus(),
    [],
  );
  return div(
    { ref: place },
    h(Form, {
      submit: w.submit(rows),
      cancel: close,
      danger: true,
      work: async () => {
        if (fold(typed.value) !== fold(phrase)) throw invalid('month_phrase');
        const { deleted } = await remove('/api/transactions', { query: { month } });
        close();
        done(deleted);
      },
      children: error => [
        p(null, strong(null, w.count(rows)), ' ', w.text),
        h(Exports, { text: w.export_first, class: 'note' }),
        h(Field, {
          label: w.type_it(phrase),
          name: 'month_phrase',
          error,
          children: control =>
            input({
              ...control,
              type: 'text',
              autoComplete: 'off',
              autoCapitalize: 'none',
              spellcheck: false,
              value: typed.value,
              onInput: event => (typed.value = event.currentTarget.value),
            }),
        }),
      ],
    }),
  );
};

/** @param {{ month: string, close: () => void, done: (deleted: number) => void }} props */
const MonthDeletion = ({ month, close, done }) => {
  const w = words.value.month_deletion;
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

/** @param {string} month @param {(deleted: number) => void} done */
export const openMonthDeletion = (month, done) =>
  open({ title: words.value.month_deletion.title(monthName(language.value, month)) }, close =>
    h(MonthDeletion, { month, close, done }),
  );
