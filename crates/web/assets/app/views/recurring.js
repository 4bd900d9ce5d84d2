// Bills and expected incomes: the dues of the month by what is to be done with them, and the actions on each.
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, getPage, post, remove } from '../api.js';
import { a, button, buttonAbout, classes, div, h, p, section, small, span, td } from '../dom.js';
import { addDays, lastDay, monthName, monthOf, monthShort, shortDate, weekday } from '../dates.js';
import { cents, decimal, sum } from '../money.js';
import { inText, Signed } from '../parts/amount.js';
import { categoryColor } from '../parts/budget_bar.js';
import { icon } from '../parts/icon.js';
import { ignoredText } from './recurring/ignored.js';
import { inPlace } from '../parts/in_place.js';
import { MonthList, ofMonth } from '../parts/month_list.js';
import { Found, hasFound, readFound } from './recurring/recurring_found.js';
import { openRecurring, recurringWords } from './recurring/recurring_form.js';
import { failed, toast } from '../parts/toast.js';
import { recording } from '../parts/undo.js';
import { go, inMonth, withQuery } from '../router.js';
import { accountById, accounts, canWrite, categories, categoryById, month, today, wrote } from '../session.js';
import { language, words } from '../words.js';

/** @typedef {import('../session.js').Schemas['Recurring']} Recurring */
/** @typedef {import('../session.js').Schemas['ListedRecurringOccurrence']} Occurrence */
/**
 * A due with its item. `isFar`: the next one of an item that has none in the month.
 * @typedef {Occurrence & { id: string, item: Recurring, isFar?: boolean }} Due
 */

/** How long an open due that is single or rarer than monthly is still shown in a later month. */
const EARLIER_DAYS = 60;
/** How far the group of what is next reaches. */
const NEXT_DAYS = 7;
const PAGE_ROWS = 1000;

/** @param {Recurring} item */
const isRare = ({ count, every: { n, unit } }) => count === 1 || unit === 'year' || (unit === 'month' && n > 1);

/** @param {Occurrence} due */
const isOpen = ({ status }) => status === 'pending' || status === 'late';

/** All dues with these dates. @param {string} from @param {string} to @param {AbortSignal} signal */
const readDues = async (from, to, signal) => {
  /** @type {Occurrence[]} */
  const dues = [];
  let page = await getPage('/api/recurring/occurrences', { query: { from, to, limit: PAGE_ROWS }, signal });
  dues.push(...page.rows);
  while (page.next) {
    page = await getPage(/** @type {any} */ (page.next), { signal });
    dues.push(...page.rows);
  }
  return dues;
};

/** Waits for the names of accounts and categories, or their failure. Names that came later would make rows taller. */
const namesRead = () =>
  new Promise(resolve => {
    const stop = effect(() => {
      const isRead = [accounts, categories].every(one => one.data.value !== null || one.error.value !== null);
      if (isRead) queueMicrotask(() => resolve(stop()));
    });
  });

/** In the present month also what is overdue from earlier ones, and what is due in the next days. */
const plans = ofMonth(async (month, signal) => {
  const now = today.peek(),
    first = `${month}-01`,
    last = lastDay(month),
    isNow = month === monthOf(now),
    soon = addDays(now, NEXT_DAYS),
    from = isNow ? addDays(first, -EARLIER_DAYS) : first,
    to = isNow && soon > last ? soon : last;
  const [items, dues] = await Promise.all([
    get('/api/recurring', { query: { month }, signal }),
    readDues(from, to, signal),
    readFound(),
    namesRead(),
  ]);
  const byId = new Map(items.map(item => [item.id, item]));
  const shown = dues.flatMap(due => {
    const item = byId.get(due.recurring_id);
    if (!item) return [];
    const isShown =
      due.date >= first ||
      (isOpen(due) && (due.status === 'late' || (isRare(item) && due.date >= addDays(now, -EARLIER_DAYS))));
    return isShown ? [/** @type {Due} */ ({ ...due, id: `${item.id} ${due.due}`, item })] : [];
  });
  const known = new Set(shown.map(due => due.recurring_id));
  return isNow ? [...shown, ...items.filter(({ id }) => !known.has(id)).flatMap(nextOf)] : shown;
});

/** The next due of an item. Its actions wait for its month. @param {Recurring} item @returns {Due[]} */
const nextOf = item => {
  const { id, description, type, amount, category_id, account_id, next_on: date } = item;
  if (date === null) return [];
  const due = { recurring_id: id, description, type, amount, category_id, account_id, due: date, date };
  return [{ ...due, id: `${id} ${date}`, item, status: 'pending', linked: false, transaction_ids: [], isFar: true }];
};

/** @type {Due[]} */
const none = [];
/** @returns {Due[]} */
const dues = () => plans.data.value?.rows ?? none;

/** @param {Due} due @returns {keyof typeof recurringWords.value.groups} */
const groupOf = ({ status, date, isFar }) => {
  const now = today.value;
  if (isFar) return 'far';
  if (status === 'covered' || status === 'confirmed') return 'paid';
  if (status === 'ignored') return 'ignored';
  if (status === 'late' || date < now) return 'late';
  if (date === now) return 'today';
  return date <= addDays(now, NEXT_DAYS) ? 'week' : 'later';
};

const GROUPS = /** @type {const} */ (['late', 'today', 'week', 'later', 'paid', 'ignored', 'far']);

/** The dues below the names of their groups. @returns {(Due | string)[]} */
const grouped = () =>
  GROUPS.flatMap(group => {
    const rows = dues().filter(due => groupOf(due) === group);
    return rows.length > 0 ? [recurringWords.value.groups[group], ...rows] : [];
  });

/** @type {{ current: import('../parts/rows.js').Control | null }} */
const drawn = { current: null };

const again = () => {
  void plans.load();
  void accounts.load();
  void wrote();
};
const inOrder = inPlace(plans, again);

/**
 * Shows the new status of a due, or removes the dues of its item.
 * @param {Due} due
 * @param {Due['status'] | null} status
 * @param {() => Promise<unknown>} work
 */
const act = (due, status, work) => {
  if (!plans.data.peek()) return;
  inOrder.act(due.id, work, of => ({
    ...of,
    rows: of.rows.flatMap((/** @type {Due} */ row) =>
      status === null && row.recurring_id === due.recurring_id
        ? []
        : row.id === due.id && status
          ? [{ ...row, status }]
          : [row],
    ),
  }));
  // The focused button may be gone with its action, and the row may be in another group.
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    const rows = grouped(),
      at = rows.findIndex(row => typeof row !== 'string' && row.id === due.id);
    if (rows.length > 0) drawn.current?.show(at < 0 ? Math.min(1, rows.length - 1) : at);
  });
};

/** The part of a request that names a due. @param {Due} due */
const named = due => ({ path: { id: due.recurring_id }, query: { due: due.due } });

/** @param {Due} due @param {'late' | 'unlate' | 'ignore' | 'unignore'} mark */
const markAs = (due, mark) => {
  const w = words.value.dashboard;
  const path = /** @type {const} */ (`/api/recurring/{id}/${mark}`);
  act(due, mark === 'late' ? 'late' : mark === 'ignore' ? 'ignored' : 'pending', async () => {
    const { changed, offer } = recording();
    await post(path, { ...named(due), changed });
    const texts = {
      late: w.marked_late,
      ignore: () => ignoredText(due.item, due.date),
      unlate: recurringWords.value.expected_again,
      unignore: recurringWords.value.expected_again,
    };
    toast(texts[mark](due.description), offer(again));
  });
};

/** @param {Due} due */
const confirm = due =>
  void import('./recurring/income_form.js').then(({ openIncome }) =>
    openIncome({ item: { ...due.item, amount: due.amount }, due, month: monthOf(due.date), done: again }),
  );

/** Records the payment of a bill, and says that it is this due's. @param {Due} due */
const pay = due =>
  void import('./recurring/recurring_due.js').then(({ openPay }) =>
    openPay(due, async (body, key) => {
      const { changed, offer } = recording();
      const paid = await post('/api/transactions', { body, key, changed });
      try {
        await post('/api/recurring/{id}/link', { ...named(due), body: { transaction_ids: [paid.id] }, changed });
        toast(recurringWords.value.paid(due.description), offer(again));
      } finally {
        again();
      }
    }),
  );

/** @param {Due} due */
const link = due =>
  void import('./recurring/recurring_due.js').then(({ openLink }) =>
    openLink(due, async (ids, key) => {
      const { changed, offer } = recording();
      const options = { ...named(due), body: { transaction_ids: ids }, key, changed };
      await post('/api/recurring/{id}/link', options);
      toast(recurringWords.value.linked_done(due.description), offer(again));
      again();
    }),
  );

/** @param {Due} due */
const unlink = due =>
  act(due, 'pending', async () => {
    const { changed, offer } = recording();
    await post('/api/recurring/{id}/unlink', { ...named(due), changed });
    toast(recurringWords.value.unlinked(due.description), offer(again));
  });

/** A confirmed due whose transaction is gone is expected again. @param {Due} due */
const unconfirm = due =>
  act(due, 'pending', async () => {
    const { changed, offer } = recording();
    await remove('/api/transactions/{id}', { path: { id: due.transaction_ids[0] ?? 0 }, changed });
    toast(recurringWords.value.expected_again(due.description), offer(again));
  });

/** @param {Due} due */
const removeItem = async due => {
  const w = words.value.transactions,
    { ask } = await import('../parts/dialog.js');
  if (!(await ask({ title: w.remove_title(due.description), text: recurringWords.value.remove_text, yes: w.remove })))
    return;
  act(due, null, async () => {
    const { changed, offer } = recording();
    await remove('/api/recurring/{id}', { path: { id: due.recurring_id }, changed });
    toast(recurringWords.value.removed(due.description), offer(again));
  });
};

/** @param {Due | null} due */
const edit = due =>
  void openRecurring({
    ...(due ? { item: due.item, remove: () => void removeItem(due) } : {}),
    done: again,
  });

/** @param {string} text @param {Due} due @param {() => void} onClick @param {string} [extra] */
const action = (text, due, onClick, extra = 'quiet-button') =>
  canWrite.value && buttonAbout(text, due.description, onClick, extra);

/** The link to the first transaction of a due, which may be in another month. @param {Due} due @param {number} id */
const seeLink = (due, id) => {
  // A covering transaction has the item's category, unless a person linked it; a confirmed one may have been changed.
  const address = (/** @type {string} */ of) =>
    withQuery(
      {
        month: of,
        row: id,
        ...(due.status === 'covered' && !due.linked ? { category_id: due.category_id, type: due.type } : {}),
      },
      '/transactions',
    );
  return a(
    {
      key: 'see',
      class: 'button quiet-button',
      href: address(monthOf(due.date)),
      onClick: event => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        get('/api/transactions/{id}', { path: { id } }).then(row => go(address(monthOf(row.date))), failed);
      },
    },
    recurringWords.value.see,
    span({ class: 'unseen' }, ` ${due.description}`),
  );
};

/** The actions on a due, by its status. @param {Due} due */
const actions = due => {
  const w = words.value.dashboard,
    own = recurringWords.value,
    [first] = due.transaction_ids;
  if (due.isFar) return [];
  if (due.status === 'covered' || due.status === 'confirmed')
    return [
      first !== undefined && seeLink(due, first),
      due.status === 'confirmed' && action(words.value.app.undo, due, () => unconfirm(due)),
      due.linked && action(own.unlink, due, () => unlink(due)),
    ];
  if (!isOpen(due)) return action(words.value.app.undo, due, () => markAs(due, 'unignore'));
  return [
    due.type === 'income'
      ? action(w.received, due, () => confirm(due), 'primary')
      : action(own.pay, due, () => pay(due), ''),
    action(own.link, due, () => link(due)),
    due.status === 'late'
      ? action(w.unmark_late, due, () => markAs(due, 'unlate'))
      : action(w.mark_late, due, () => markAs(due, 'late')),
    action(w.ignore, due, () => markAs(due, 'ignore')),
  ];
};

/** The status of a due, in words. @param {Due} due */
const stateOf = ({ status, type, date, linked }) => {
  const w = recurringWords.value;
  return status !== 'pending'
    ? status === 'covered' && linked
      ? w.linked
      : w.states[status]
    : date < today.value
      ? w.missing[type]
      : w.expected;
};

/** The same with an icon, unless the due is only expected. @param {Due} due */
const standing = due => {
  const [tone, drawing] = /** @type {const} */ ({
    pending: [''],
    late: ['badge late', 'clock'],
    ignored: ['category-note', 'close'],
    covered: ['done-mark', 'check'],
    confirmed: ['done-mark', 'check'],
  })[due.status];
  return span({ class: tone }, drawing && span({ class: 'dot-place' }, icon(drawing)), stateOf(due));
};

/** @param {Due} due */
const cells = due => {
  const { date } = due,
    isToday = date === today.value,
    isOther = monthOf(date) !== plans.data.peek()?.month;
  return [
    td(
      { key: 'day', role: 'cell', class: 'cell-check' },
      span({ class: classes(isToday && 'day-near') }, Number(date.slice(8))),
      small(
        { class: 'quiet' },
        isOther
          ? monthShort(language.value, monthOf(date))
          : isToday
            ? words.value.days.today
            : weekday(language.value, date).slice(0, 3),
      ),
    ),
    td(
      { key: 'what', role: 'cell', class: classes('cell-main', due.status === 'ignored' && 'is-transfer') },
      button(
        { class: 'entry-open', type: 'button', onClick: () => edit(due) },
        span({ class: 'entry-title' }, due.description),
        span(
          { class: 'entry-meta' },
          standing(due),
          span(
            { class: 'category-note' },
            span({ class: classes('dot', categoryColor(due.category_id)) }),
            [categoryById.value.get(due.category_id)?.name, accountById.value.get(due.account_id ?? 0)?.name]
              .filter(Boolean)
              .join(' · '),
          ),
        ),
      ),
    ),
    td({ key: 'amount', role: 'cell', class: 'cell-amount' }, h(Signed, { value: due.amount, type: due.type })),
    td({ key: 'actions', role: 'cell', class: 'row-actions' }, actions(due)),
  ];
};

/** The part of the dues that has come, and the sums that are missing. */
const Summary = () => {
  const w = recurringWords.value,
    rows = dues().filter(due => !due.isFar),
    left = rows.filter(isOpen);
  const total = (/** @type {string} */ type) =>
    decimal(sum(left.filter(due => due.type === type).map(due => due.amount)));
  const [coming, going] = [total('income'), total('expense')];
  return div(
    { class: 'summary-line' },
    p(
      { role: 'status' },
      rows.length === 0
        ? '\u00a0'
        : [
            span({ key: 'count' }, w.solved(rows.length - left.length, rows.length)),
            coming !== '0.00' && span({ key: 'in', class: 'summary-in' }, w.coming(inText(coming))),
            going !== '0.00' && span({ key: 'out' }, w.going(inText(going))),
          ],
    ),
  );
};

const Empty = () => {
  const w = recurringWords.value;
  return section(
    { class: 'card empty' },
    p({ class: 'empty-title' }, hasFound() ? w.empty_found : w.empty),
    p({ class: 'quiet' }, w.empty_text),
    canWrite.value &&
      div(
        { class: 'row-actions' },
        button({ class: 'button primary', type: 'button', onClick: () => edit(null) }, icon('plus'), w.add),
        a({ class: 'button', href: inMonth('/transactions') }, w.from_row),
      ),
  );
};

const table = () => {
  const w = words.value;
  return [
    [w.entry.date, w.entry.description, recurringWords.value.state, w.form.category, w.form.account, w.entry.amount],
    ...dues().map(due => [
      shortDate(language.peek(), due.date),
      due.description,
      stateOf(due),
      categoryById.peek().get(due.category_id)?.name ?? '',
      accountById.peek().get(due.account_id ?? 0)?.name ?? '',
      due.type === 'income' ? cents(due.amount) : -cents(due.amount),
    ]),
  ];
};

export default () => {
  const w = words.value;
  useEffect(() => {
    categories.want();
    accounts.want();
  }, []);
  return MonthList({
    of: plans,
    title: recurringWords.value.title(monthName(language.value, month.value)),
    addText: recurringWords.value.add,
    edit,
    class: 'plans',
    control: drawn,
    columns: [recurringWords.value.date, w.entry.description, w.entry.amount, w.transactions.actions],
    rows: grouped(),
    cells,
    table,
    summary: [h(Found, { key: 'found', done: again }), h(Summary, { key: 'summary' })],
    empty: div({ class: 'dashboard' }, h(Found, { done: again, isOpen: true }), h(Empty, null)),
  });
};
