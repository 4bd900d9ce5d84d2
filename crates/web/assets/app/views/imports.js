// Import of statements: choose files, set how they are read, review the rows, see the result.
import { useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { button, classes, div, h, h1, h2, li, ol, p, section, span } from '../dom.js';
import { ghost } from '../parts/problem.js';
import { accounts, canWrite, categories } from '../session.js';
import { words } from '../words.js';
import { importWords } from '../words/imports.js';
import { Arrived } from './imports/arrived.js';
import { Drop, Place } from './imports/choose.js';
import { Columns } from './imports/columns.js';
import { Detected } from './imports/detected.js';
import { Held, held } from './imports/held.js';
import { Log } from './imports/log.js';
import { ManyFiles } from './imports/many.js';
import { clear, current, drop, inbox, log, many, position } from './imports/queue.js';
import { again, Result } from './imports/result.js';
import { Review } from './imports/review.js';
import { Suggestions, suggestions } from './imports/suggestions.js';

/** @typedef {import('./imports/statement.js').Statement} Statement */

const STEPS = /** @type {const} */ (['file', 'columns', 'review', 'result']);

/** Reloads the data of this view. */
const reread = () => {
  again();
  void held.load();
  void suggestions.load();
};

/** The number of the current step. An OFX file has no second step. @param {{ of: Statement }} props */
const Steps = ({ of }) => {
  const w = importWords.value.steps,
    step = of.step.value;
  const isCsv = step === 'columns' || of.preview.value?.format === 'csv' || /\.(csv|txt)$/i.test(of.file.name);
  const steps = STEPS.filter(name => name !== 'columns' || isCsv),
    at = steps.indexOf(step);
  return ol(
    { class: 'import-steps' },
    steps.map((name, index) =>
      li(
        {
          key: name,
          class: classes(index < at && 'past', index === at && 'here'),
          'aria-current': index === at ? 'step' : undefined,
        },
        span({ class: 'step-number', 'aria-hidden': 'true' }, String(index + 1)),
        span({ class: 'step-name' }, w[name]),
      ),
    ),
  );
};

/** @param {{ of: Statement }} props */
const File = ({ of }) => {
  const w = importWords.value,
    { number, of: count } = position.value,
    step = of.step.value;
  const place = useRef(/** @type {HTMLDivElement | null} */ (null)),
    seen = useRef(/** @type {unknown} */ (null));
  // Each step starts with the focus on its heading, right after the render, so that the next key continues from there.
  useLayoutEffect(() => {
    const now = `${step} ${of.result.value !== null}`;
    if (seen.current !== null && seen.current !== now) {
      scrollTo(0, 0);
      /** @type {HTMLElement | null} */ (place.current?.querySelector('.step-title'))?.focus({ preventScroll: true });
    }
    seen.current = now;
  }, [step, of.result.value]);
  useLayoutEffect(
    () =>
      /** @type {HTMLElement | null} */ (place.current?.querySelector('.step-title'))?.focus({ preventScroll: true }),
    [of],
  );
  useSignalEffect(() => {
    if (of.result.value !== null) reread();
  });
  return div(
    { class: 'import-file', ref: place },
    div(
      { class: 'import-head' },
      h(Steps, { of }),
      count > 1 &&
        div(
          { class: 'quiet queue-note' },
          w.file_of(number, count, of.file.name),
          ' ',
          step !== 'result' &&
            button({ class: 'link-button', type: 'button', onClick: () => void drop(of, clear) }, w.drop_all),
        ),
    ),
    step === 'file' &&
      section(
        { class: 'card', 'aria-labelledby': 'place' },
        h2({ id: 'place', tabIndex: -1, class: 'step-title' }, w.place(of.file.name)),
        h(Place, { of }),
      ),
    step === 'columns' && h(Columns, { of }),
    step === 'review' && of.preview.value !== null && h(Review, { of }),
    step === 'result' && of.result.value !== null && h(Result, { of, after: reread }),
    step === 'result' && h(Suggestions, { after: reread }),
  );
};

export default () => {
  const w = importWords.value,
    of = current.value,
    together = many.value,
    // Parts that came one by one would move those below them.
    isRead = [inbox, held, suggestions, log].every(one => one.data.value !== null || one.error.value !== null),
    isChoosing = together === null && of === null;
  useEffect(() => {
    accounts.want();
    categories.want();
    log.want();
    held.want();
    suggestions.want();
    // Pending statements may have changed since this view was last shown.
    if (held.data.peek()) void held.load();
    if (suggestions.data.peek()) void suggestions.load();
  }, []);
  useEffect(() => {
    if (isChoosing) void inbox.load();
  }, [isChoosing]);
  return div(
    { class: classes('page imports', (together !== null || (of !== null && of.step.value !== 'review')) && 'narrow') },
    h1({ tabIndex: -1, class: classes((together !== null || of !== null) && 'unseen') }, w.title),
    together !== null
      ? h(ManyFiles, { of: together })
      : of === null
        ? [
            canWrite.value ? h(Drop, { key: 'drop' }) : p({ key: 'drop', class: 'note' }, words.value.app.only_reads),
            ...(!isRead
              ? [
                  div(
                    { key: 'loading', class: 'loading', 'aria-busy': true },
                    div({ class: 'unseen', role: 'status' }, words.value.app.loading),
                    ghost(6),
                  ),
                ]
              : [
                  canWrite.value && h(Arrived, { key: 'arrived', after: reread }),
                  h(Held, { key: 'held', after: reread }),
                  h(Detected, { key: 'detected', after: reread }),
                  canWrite.value && h(Suggestions, { key: 'suggestions', after: reread }),
                  h(Log, { key: 'log', after: reread }),
                ]),
          ]
        : h(File, { key: of.id, of }),
  );
};
