// The fourth step: the imported, skipped and linked rows, and the undo.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { get, getPage, remove, resource } from '../../api.js';
import { a, button, details, div, h, h2, li, p, section, span, summary, ul } from '../../dom.js';
import { dayInWords } from '../../dates.js';
import { abs, cents } from '../../money.js';
import { nameOf, inText, signedSum } from '../../parts/amount.js';
import { icon } from '../../parts/icon.js';
import { message } from '../../parts/problem.js';
import { withQuery } from '../../router.js';
import { accountById, accounts, today, wrote } from '../../session.js';
import { language, words } from '../../words.js';
import { importWords } from '../../words/imports.js';
import { inbox, log, next, position } from './queue.js';
import { reason } from './rejected.js';
import { placesOf } from './statement.js';
import { accountLabel, briefly, forgetStored, storedBill, storedTransaction } from './stored.js';

/** @typedef {import('./statement.js').Statement} Statement */
/** @typedef {import('./statement.js').Linked} Linked */

/** The most rows listed. */
const ROWS_SHOWN = 100;

/** Reloads the data that an import or its undo may have changed. */
export const again = () => {
  forgetStored();
  void accounts.load();
  void log.load();
  void inbox.load();
  void wrote();
};

/** @param {{ of: Statement, after: () => void }} props */
export const Result = ({ of, after }) => {
  const w = importWords.value,
    t = w.result,
    result = /** @type {import('./statement.js').Result} */ (of.result.value);
  const busy = useSignal(false),
    undone = useSignal(/** @type {number | null} */ (null));
  const { held, inserted, skipped, linked } = result;
  const named = (/** @type {number} */ row) => {
    const sent = result.rows[row];
    return sent ? nameOf(sent) : '';
  };
  const where = placesOf(of, accountLabel);
  const isLast = position.value.number >= position.value.of;
  const account = accountById.value.get((of.accounts.value === null && of.account.value) || 0),
    hasBalance = account?.kind === 'current' || account?.kind === 'savings',
    accountIds = new Set(
      (of.accounts.value === null ? [of.account.value] : [...of.accounts.value.values()]).filter(id => id != null),
    );
  const undo = async () => {
    if (busy.value) return;
    busy.value = true;
    const [{ toast }, { recording }] = await Promise.all([
      import('../../parts/toast.js'),
      import('../../parts/undo.js'),
    ]);
    const { changed, offer } = recording();
    try {
      if (held) await remove('/api/pending-bills/{id}', { path: { id: held.id }, changed });
      else if (result.import_id !== null)
        undone.value = (await remove('/api/imports/{id}', { path: { id: result.import_id }, changed })).deleted;
      if (held) undone.value = held.row_count;
      const count = undone.value;
      toast(
        t.undone,
        offer(isDone => {
          if (isDone) undone.value = undone.peek() === null ? count : null;
          after();
        }),
      );
      after();
    } catch (error) {
      toast(message(error), { isProblem: true });
    }
    busy.value = false;
  };
  const correct = async () => {
    of.result.value = null;
    of.step.value = 'review';
    await of.read();
  };
  if (undone.value !== null) {
    return section(
      { class: 'card result', 'aria-labelledby': 'result' },
      h2({ id: 'result', tabIndex: -1, class: 'step-title' }, t.undone),
      p(null, t.undone_text(undone.value)),
      div(
        { class: 'actions' },
        button({ class: 'button', type: 'button', onClick: () => void correct() }, t.correct),
        button({ class: 'button primary', type: 'button', onClick: next }, isLast ? t.finish : w.next_file),
      ),
    );
  }
  const title = held ? t.held(held.row_count) : inserted === 0 ? t.none : t.inserted(inserted);
  return section(
    { class: 'card result', 'aria-labelledby': 'result' },
    h2({ id: 'result', tabIndex: -1, class: 'step-title' }, icon(held ? 'clock' : 'check'), title),
    p(
      null,
      held
        ? t.held_text(dayInWords(language.value, held.payment_date, today.value), inText(held.total))
        : inserted === 0
          ? skipped.every(({ code }) => code === 'duplicate') && t.none_text
          : where
            ? t.inserted_text(where, signedSum(result.sum))
            : t.inserted_loose(signedSum(result.sum)),
    ),
    result.uncategorized > 0 &&
      p(
        null,
        t.uncategorized(result.uncategorized),
        ' ',
        a(
          {
            class: 'nowrap',
            href: withQuery(
              { month: 'all', import_id: result.import_id, category_id: 'none', kind: 'both' },
              '/transactions',
            ),
          },
          t.categorize,
        ),
      ),
    inserted > 0 &&
      [...accountIds].map(id => h(Balance, { key: id, id, import_id: result.import_id, isAsked: hasBalance, after })),
    linked.length > 0 &&
      div(
        { class: 'linked' },
        p(null, icon('transfer'), t.linked(linked.length)),
        ul(
          { class: 'plain' },
          linked
            .slice(0, ROWS_SHOWN)
            .map(one =>
              li(
                { key: one.row ?? `stored ${one.transaction_id}` },
                h(LinkedRow, { one, text: one.row === null ? null : named(one.row) }),
              ),
            ),
        ),
      ),
    skipped.length > 0 &&
      details(
        { open: skipped.length <= 5 },
        summary(null, t.skipped(skipped.length)),
        ul(
          { class: 'plain' },
          skipped
            .slice(0, ROWS_SHOWN)
            .map(one => li({ key: one.row }, named(one.row), ': ', span({ class: 'quiet' }, reason(one)))),
        ),
      ),
    div(
      { class: 'actions' },
      (inserted > 0 || held) &&
        button(
          { class: 'button', type: 'button', 'aria-disabled': busy.value, onClick: () => void undo() },
          words.value.app.undo,
        ),
      result.import_id !== null &&
        a({ class: 'button', href: withQuery({ month: 'all', import_id: result.import_id }, '/transactions') }, t.see),
      button({ class: 'button primary', type: 'button', onClick: next }, isLast ? t.finish : w.next_file),
    ),
  );
};

/** Balances of an account that are read; the newest come first. */
const ANCHORS_READ = 50;

/**
 * The balance of the account now, to compare it with the bank's app. What a person said of today is repeated. A balance in the
 * file that does not agree is told in its place. Without `isAsked` only that is told.
 * @param {{ id: number, import_id: number | null, isAsked: boolean, after: () => void }} props
 */
const Balance = ({ id, import_id, isAsked, after }) => {
  const t = importWords.value.result,
    known = useMemo(() => resource(signal => get('/api/accounts/{id}', { path: { id }, signal })), []),
    anchors = useMemo(
      () =>
        resource(signal =>
          getPage('/api/accounts/{id}/anchors', { path: { id }, query: { limit: ANCHORS_READ }, signal }),
        ),
      [],
    ),
    account = known.data.value;
  known.want();
  anchors.want();
  // A difference to what was said is told by the account.
  const isAsSaid = anchors.data.value?.rows.some(
    ({ source, date, difference }) => source === 'person' && date === today.value && cents(difference) === 0n,
  );
  const wrong = anchors.data.value?.rows.find(
    ({ source, import_id: by, difference }) => source === 'file' && by === import_id && cents(difference) !== 0n,
  );
  const done = () => {
    void known.load();
    void anchors.load();
    after();
  };
  const correct = (/** @type {NonNullable<typeof account>} */ of) =>
    void import('../accounts/balance_form.js').then(({ openBalance }) => openBalance(of, done));
  if (account && wrong)
    return p(
      { class: 'late', 'aria-live': 'polite' },
      t.disagrees(
        account.name,
        dayInWords(language.value, wrong.date, today.value),
        inText(wrong.amount),
        inText(wrong.computed),
        inText(abs(cents(wrong.difference))),
      ),
      ' ',
      a({ href: `/accounts?id=${id}` }, t.see_difference),
    );
  if (!isAsked) return null;
  return p(
    { 'aria-live': 'polite' },
    account && (anchors.data.value || anchors.error.value)
      ? [
          (isAsSaid ? t.balance_as_said : t.balance)(account.name, inText(account.balance)),
          ' ',
          button(
            { class: 'link-button', type: 'button', onClick: () => correct(account) },
            isAsSaid ? t.correct_balance : t.balance_differs,
          ),
        ]
      : '\u00a0',
  );
};

/** A row that is linked; `text` is null for a stored one. @param {{ one: Linked, text: string | null }} props */
const LinkedRow = ({ one, text }) => {
  const t = importWords.value.result;
  const bill = one.bill_id === null ? null : storedBill(one.bill_id).data.value;
  const other = one.transaction_id === null ? null : storedTransaction(one.transaction_id).data.value;
  const to = bill
    ? t.to_bill(accountLabel(bill.account_id), dayInWords(language.value, bill.due_date, today.value))
    : other
      ? t.to_row(briefly(other))
      : one.transaction_id === null
        ? t.to_none
        : '';
  // A stored payment of the card that these rows explain.
  if (text === null) return [other && briefly(other), bill && [': ', span({ class: 'quiet' }, to)]];
  return [text, ': ', span({ class: 'quiet' }, to)];
};
