// Several files at once. Each is read on its own, which tells its account; those that need no answer are imported by one
// button, the others are asked one after the other.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { button, div, h, h2, li, p, section, span, ul } from '../../dom.js';
import { accounts } from '../../session.js';
import { importWords } from '../../words/imports.js';
import { words } from '../../words.js';
import { add, arrivedAs, clear, current, files, guess, keep, log, many, takeTogether } from './queue.js';
import { again } from './result.js';
import { placesOf } from './statement.js';
import { accountLabel } from './stored.js';

/** @typedef {import('./statement.js').Statement} Statement */
/** @typedef {import('./queue.js').Many} Many */
/** @typedef {import('./queue.js').Standing} Standing */

/** @param {Many} of @param {Statement} statement @param {Standing} standing */
const stand = (of, statement, standing) => (of.standings.value = new Map(of.standings.peek()).set(statement, standing));

/** @param {Many} of @param {Standing} standing */
const standing = (of, standing) => of.statements.filter(statement => of.standings.value.get(statement) === standing);

/**
 * Whether a file that was read needs no answer: it has rows, no line was rejected, and no row is likely a transfer or only
 * resembles a stored one.
 * @param {Statement} statement
 */
const isClear = ({ preview, isTransfer }) => {
  const { rows = [], rejected = [] } = preview.peek() ?? {};
  return (
    rows.length > 0 &&
    rejected.length === 0 &&
    rows.every(
      ({ similar_to, duplicate, transfer }, at) =>
        duplicate || isTransfer(at) || (!similar_to && transfer?.confidence !== 'likely'),
    )
  );
};

/**
 * Reads a file without an account first, because its own numbers know better than its name where it belongs.
 * @param {Statement} statement
 * @returns {Promise<Standing>}
 */
const sort = async statement => {
  if (arrivedAs.get(statement.file)?.error) return 'asks';
  if (!(await statement.read())) {
    // The problem is said when this file is asked about.
    statement.error.value = null;
    statement.account.value = guess(statement.file.name);
    return 'asks';
  }
  const found = statement.preview.peek()?.statements ?? [];
  if (found.length > 1) {
    statement.accounts.value = new Map(found.map(({ index, account_id }) => [index, account_id]));
    if (found.some(({ account_id }) => account_id === null)) return 'asks';
  } else {
    statement.account.value =
      found[0]?.account_id ?? arrivedAs.get(statement.file)?.item?.account_id ?? guess(statement.file.name);
    if (statement.account.peek() === undefined) return 'asks';
  }
  if (!(await statement.read())) return 'asks';
  statement.step.value = 'review';
  return isClear(statement) ? 'ready' : 'asks';
};

/**
 * Whether an OFX file names more than one account. The service decides; this only tells whether to ask it first.
 * @param {File} file
 */
const namesSeveral = async file =>
  new Set(Array.from((await file.text()).matchAll(/<ACCTID>\s*([^<\s]+)/gi), ([, number]) => number)).size > 1;

/** Reads a file of several accounts before anybody is asked for one. @param {Statement} statement */
const readSeveral = async statement => {
  statement.account.value = undefined;
  const isRead = await statement.read(),
    found = statement.preview.peek()?.statements ?? [];
  // The problem is said when the file is read for an account.
  if (!isRead) statement.error.value = null;
  if (isRead && found.length > 1)
    statement.accounts.value = new Map(found.map(({ index, account_id }) => [index, account_id]));
  else statement.account.value ??= found[0]?.account_id ?? guess(statement.file.name);
};

/**
 * Takes chosen, dropped or received files. More than one are sorted first, if no other file is being worked on.
 * @param {Iterable<File>} chosen
 */
export const bring = async chosen => {
  const brought = [...chosen],
    [alone] = brought,
    isSeveral = brought.length === 1 && alone !== undefined && (await namesSeveral(alone));
  const before = current.peek(),
    isFirst = before === null || (before.step.peek() === 'result' && files.peek().at(-1) === before);
  add(brought);
  const statements = files.peek();
  if (!isFirst) return;
  if (statements.length < 2) {
    const [only] = statements;
    if (only && arrivedAs.has(only.file)) {
      // Its account is known before its rows.
      await Promise.all([accounts, log].map(one => one.data.peek() || one.load()));
      await sort(only);
    } else if (isSeveral && only) await readSeveral(only);
    return;
  }
  const of = takeTogether(statements);
  // The names of the newest imports tell where a file belongs.
  await Promise.all([accounts, log].map(one => one.data.peek() || one.load()));
  for (const statement of statements) {
    if (many.peek() !== of) return;
    statement.account.value = undefined;
    stand(of, statement, await sort(statement));
  }
  if (many.peek() !== of) return;
  // With nothing to import by one button, the first question comes at once.
  if (standing(of, 'ready').length === 0) many.value = null;
  else of.phase.value = 'ready';
};

/** Imports every file that needs no answer. @param {Many} of */
const send = async of => {
  if (of.phase.peek() !== 'ready') return;
  of.phase.value = 'sending';
  let isStale = false;
  for (const statement of standing(of, 'ready')) {
    if (many.peek() !== of) return;
    // What was just imported may be the other side of a transfer, or hold the same rows.
    if (isStale && !((await statement.read()) && isClear(statement))) {
      stand(of, statement, 'asks');
      continue;
    }
    if (statement.sending.peek().count === 0) {
      stand(of, statement, 'nothing');
      continue;
    }
    const isSent = await statement.send();
    stand(of, statement, isSent ? 'sent' : 'asks');
    isStale ||= isSent;
  }
  if (many.peek() !== of) return;
  of.phase.value = 'done';
  keep(standing(of, 'asks'));
  again();
};

/** The chosen files, what each is, and the one button. @param {{ of: Many }} props */
export const ManyFiles = ({ of }) => {
  const w = importWords.value.many,
    phase = of.phase.value,
    ready = standing(of, 'ready').length,
    asks = standing(of, 'asks').length,
    title = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  useLayoutEffect(() => title.current?.focus({ preventScroll: true }), [phase === 'done', phase === 'ready']);
  const byOne = () => (many.value = null);
  return section(
    { class: 'card result', 'aria-labelledby': 'many', 'aria-busy': phase === 'sorting' || phase === 'sending' },
    h2(
      { id: 'many', tabIndex: -1, ref: title },
      w[phase](phase === 'done' ? of.statements.length - asks : of.statements.length),
    ),
    ul(
      { class: 'rows' },
      of.statements.map(statement => h(Entry, { key: statement.id, of, statement })),
    ),
    phase === 'ready' && asks > 0 && p({ class: 'quiet' }, w.asks_later(asks)),
    div(
      { class: 'actions' },
      phase !== 'done' && button({ class: 'link-button', type: 'button', onClick: clear }, importWords.value.drop_all),
      phase === 'ready' && button({ class: 'button', type: 'button', onClick: byOne }, w.one_by_one),
      (phase === 'ready' || phase === 'sending') &&
        button(
          {
            class: 'button primary',
            type: 'button',
            'aria-disabled': phase === 'sending',
            onClick: () => void send(of),
          },
          phase === 'sending' ? w.busy : w.import_files(ready),
        ),
      phase === 'done' &&
        (asks > 0
          ? button({ class: 'button primary', type: 'button', onClick: byOne }, w.go_on(asks))
          : button({ class: 'button primary', type: 'button', onClick: clear }, importWords.value.result.finish)),
    ),
  );
};

/** @param {{ of: Many, statement: Statement }} props */
const Entry = ({ of, statement }) => {
  const w = importWords.value.many,
    standing = of.standings.value.get(statement),
    counts = statement.counts.value,
    where = placesOf(statement, accountLabel) || words.value.dashboard.no_account;
  const text =
    standing === undefined
      ? w.waits
      : standing === 'ready'
        ? w.found(where, counts.new, counts.duplicate)
        : standing === 'sent'
          ? w.sent(where, statement.result.value?.inserted ?? 0)
          : w[standing];
  return li(
    { class: 'waiting-row' },
    div(
      { class: 'waiting-text' },
      span({ class: 'waiting-title' }, statement.file.name),
      span({ class: 'quiet' }, text),
    ),
  );
};
