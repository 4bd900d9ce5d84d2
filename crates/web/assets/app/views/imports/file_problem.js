// Problems of a file: what happened, what was kept, what to do.
import { useSignal, useSignalEffect } from '@preact/signals';
import { Problem } from '../../api.js';
import { button, div, h, p, progress, span, strong } from '../../dom.js';
import { FileInput } from '../../parts/file_input.js';
import { ProblemNote } from '../../parts/problem.js';
import { me } from '../../session.js';
import { words } from '../../words.js';
import { importWords } from '../../words/imports.js';
import { Banks } from './banks.js';
import { next, position, replace } from './queue.js';
import { stepAfter } from './statement.js';

/** @typedef {import('./statement.js').Statement} Statement */

/** Work shorter than this is not announced. */
const SHORT_MILLISECONDS = 150;
const MEGABYTE_BYTES = 1024 * 1024;

/** @param {string} name */
const ending = name => /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';

/** Whether a problem is about the file, and not about a field shown beside it. @param {unknown} error */
export const isAboutFile = error =>
  !(error instanceof Problem) ||
  error.code !== 'ErrValidation' ||
  error.errors.some(({ field }) => !['account_id', 'payment_date'].includes(field));

/** Whether only another file can help. @param {unknown} error */
export const isWrongFile = error =>
  error instanceof Problem && ['ErrUnsupportedMedia', 'ErrStatementUnreadable', 'ErrTooLarge'].includes(error.code);

/**
 * What happened, and what to do.
 * @param {Statement} of
 * @param {unknown} error
 * @returns {{ what: string, then: string } | null}
 */
const story = (of, error) => {
  const w = importWords.value.wrong,
    kind = ending(of.file.name);
  if (!(error instanceof Problem)) return null;
  if (error.code === 'ErrUnsupportedMedia') {
    if (kind === 'pdf') return { what: w.pdf(of.file.name), then: w.pdf_then };
    return { what: w.kind(of.file.name), then: w.kind_then };
  }
  if (error.code === 'ErrStatementUnreadable' && of.file.size > 0 && isSheet(of))
    return { what: w.unreadable(of.file.name), then: w.sheet_then };
  if (error.code === 'ErrStatementUnreadable')
    return of.file.size === 0
      ? { what: w.empty(of.file.name), then: w.empty_then }
      : { what: w.unreadable(of.file.name), then: isText(of) ? w.unreadable_text_then : w.kind_then };
  if (error.code === 'ErrTooLarge') {
    const most = /** @type {{ upload_bytes_max?: number } | null} */ (me.data.value)?.upload_bytes_max;
    if (isSheet(of) && (most === undefined || of.file.size <= most))
      return { what: w.large_inside(of.file.name), then: w.large_then };
    return {
      what: w.large(
        of.file.name,
        Math.ceil(of.file.size / MEGABYTE_BYTES),
        most === undefined ? null : Math.floor(most / MEGABYTE_BYTES),
      ),
      then: w.large_then,
    };
  }
  if (error.errors.some(({ code }) => code === 'too_many')) return { what: w.long(of.file.name), then: w.large_then };
  return null;
};

/** @param {Statement} of */
const isSheet = of => ['xlsx', 'xls', 'ods'].includes(ending(of.file.name));

/** Whether it may be a CSV file that was not recognised. @param {Statement} of */
const isText = of => !['ofx', 'qfx'].includes(ending(of.file.name)) && !isSheet(of);

/** @param {{ of: Statement }} props */
export const FileProblem = ({ of }) => {
  const w = importWords.value,
    error = of.error.value,
    reason = story(of, error);
  if (!reason)
    return h(ProblemNote, {
      error,
      retry: () => void of.read().then(isDone => isDone && (of.step.value = stepAfter(of.preview.value))),
    });
  const canTell = error instanceof Problem && error.code === 'ErrStatementUnreadable' && of.file.size > 0 && isText(of);
  const isMany = position.value.number < position.value.of;
  return [
    div(
      { key: 'told', class: 'problem wrong-file', role: 'alert', tabIndex: -1 },
      strong(null, reason.what),
      p(null, w.wrong.kept, ' ', reason.then),
    ),
    div(
      { key: 'actions', class: 'actions' },
      button({ class: 'button', type: 'button', onClick: next }, isMany ? w.skip_file : words.value.app.cancel),
      canTell &&
        button({ class: 'button', type: 'button', onClick: () => (of.step.value = 'columns') }, w.tell_columns),
      h(FileInput, { text: w.other_file, isPrimary: true, take: files => files[0] && replace(files[0]) }),
    ),
    error instanceof Problem && error.banks.length > 0 && h(Banks, { key: 'banks', banks: error.banks }),
  ];
};

/** Shows running work, with a button that stops it. @param {{ text: string, cancel: () => void }} props */
export const Busy = ({ text, cancel }) => {
  const isLong = useSignal(false);
  useSignalEffect(() => {
    const timer = setTimeout(() => (isLong.value = true), SHORT_MILLISECONDS);
    return () => clearTimeout(timer);
  });
  return div(
    { class: 'busy', 'aria-busy': true },
    div(
      { class: 'busy-text', role: 'status' },
      isLong.value && [span({ key: 'text' }, text), progress({ key: 'progress', 'aria-label': text })],
    ),
    button({ class: 'button', type: 'button', onClick: cancel }, words.value.app.cancel),
  );
};
