// Stored transactions and bills that rows of a file refer to. Each is read once, when it is first shown.
import { get, resource } from '../../api.js';
import { a, dd, div, dl, dt, h } from '../../dom.js';
import { dayAndMonth, longDate, monthOf } from '../../dates.js';
import { nameOf, Signed } from '../../parts/amount.js';
import { Loaded } from '../../parts/problem.js';
import { withQuery } from '../../router.js';
import { accountName, categoryById, today } from '../../session.js';
import { language, words } from '../../words.js';
import { importWords } from '../../words/imports.js';

/** @typedef {import('../../../../types/client').Schemas} Schemas */

/** @type {Map<number, import('../../../../types/client').Resource<Schemas['Transaction']>>} */
const transactions = new Map();
/** @type {Map<number, import('../../../../types/client').Resource<Schemas['CreditBill']>>} */
const bills = new Map();

/** @param {number} id */
export const storedTransaction = id => {
  let known = transactions.get(id);
  if (!known)
    transactions.set(id, (known = resource(signal => get('/api/transactions/{id}', { path: { id }, signal }))));
  known.want();
  return known;
};

/** @param {number} id */
export const storedBill = id => {
  let known = bills.get(id);
  if (!known) bills.set(id, (known = resource(signal => get('/api/credit-bills/{id}', { path: { id }, signal }))));
  known.want();
  return known;
};

/** Clears the cache, because the data may have changed. */
export const forgetStored = () => {
  transactions.clear();
  bills.clear();
};

/** The name of an account for the user, also where a row has none. @param {number | null} id */
export const accountLabel = id => (id === null ? words.value.dashboard.no_account : (accountName(id) ?? ''));

/** The stored row in a few words: `PAGAMENTO FATURA, 5 de mar., Itaú`. @param {Schemas['Transaction']} row */
export const briefly = row =>
  [nameOf(row), dayAndMonth(language.value, row.date, today.value), accountLabel(row.account_id)]
    .filter(Boolean)
    .join(', ');

/** @param {{ id: number, close: () => void }} props */
const Stored = ({ id, close }) => {
  const w = importWords.value.stored;
  const pair = (/** @type {string} */ name, /** @type {import('preact').ComponentChildren} */ value) =>
    div({ key: name }, dt(null, name), dd(null, value));
  return Loaded({
    of: storedTransaction(id),
    skeleton: div({ class: 'skeleton card-skeleton' }),
    children: row => [
      dl(
        { class: 'facts' },
        pair(w.description, row.description),
        pair(w.amount, h(Signed, { value: row.amount, type: row.type })),
        pair(w.date, longDate(language.value, row.date, today.value)),
        row.original_date &&
          row.original_date !== row.date &&
          pair(w.original_date, longDate(language.value, row.original_date, today.value)),
        pair(w.account, accountLabel(row.account_id)),
        pair(
          w.category,
          row.category_id === null
            ? words.value.form.no_category
            : (categoryById.value.get(row.category_id)?.name ?? ''),
        ),
        pair(w.source, w.sources[row.source]),
      ),
      // The import stays while another view is shown.
      a(
        {
          class: 'button',
          href: withQuery({ month: monthOf(row.date), q: row.description }, '/transactions'),
          onClick: close,
        },
        w.open,
      ),
    ],
  });
};

/** Shows a stored transaction without leaving the view. @param {string} title @param {number} id */
export const showStored = (title, id) =>
  void import('../../parts/dialog.js').then(({ open }) => open({ title }, close => h(Stored, { id, close })));
