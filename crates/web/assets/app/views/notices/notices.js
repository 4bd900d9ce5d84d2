// The list of notices: what they are about, paid, put off, read.
import { useSignal } from '@preact/signals';
import { get, getPage, post, resource } from '../../api.js';
import { a, button, div, h, li, p, small, strong, ul } from '../../dom.js';
import { addDays, dayAndMonth } from '../../dates.js';
import { accounts, canWrite, reread, today } from '../../session.js';
import { language } from '../../words.js';
import { veiled } from '../../parts/amount.js';
import { open } from '../../parts/dialog.js';
import { openPayment } from '../cards/pay_form.js';
import { Loaded } from '../../parts/problem.js';
import { attempt, toast } from '../../parts/toast.js';
import { noticesWords, unread } from './unread.js';

/** @typedef {import('../../session.js').Schemas['Notice']} Notice */

const PAGE_ROWS = 200;
/** Those that are shown before the person asks for more. */
const SHOWN_ROWS = 50;

const list = resource(async signal => {
  let page = await getPage('/api/notices', { query: { limit: PAGE_ROWS }, signal });
  const rows = [...page.rows];
  while (page.next) {
    page = await getPage(/** @type {any} */ (page.next), { signal });
    rows.push(...page.rows);
  }
  return rows;
});

const again = () => Promise.all([list.load(), unread.load()]);

/** @param {() => Promise<unknown>} work */
const perform = async work => {
  await attempt(work);
  await again();
};

/** @param {Notice} notice */
const pay = notice =>
  perform(async () => {
    const id = notice.params.credit_bill_id;
    if (!id) return;
    const bill = await get('/api/credit-bills/{id}', { path: { id } });
    void openPayment(bill, () => {
      reread();
      void again();
    });
  });

/** @param {Notice} notice @param {string | null} until */
const snooze = ({ id }, until) => post('/api/notices/{id}/snooze', { path: { id }, body: { until } });

/** @param {Notice} notice */
const putOff = notice =>
  perform(async () => {
    const before = notice.snoozed_until;
    await snooze(notice, addDays(today.peek(), 1));
    toast(noticesWords.peek().put_off, {
      undo: () =>
        perform(async () => {
          await snooze(notice, before);
          toast(noticesWords.peek().back);
        }),
    });
  });

const readAll = () =>
  perform(async () => {
    await post('/api/notices/read', { body: {} });
    toast(noticesWords.peek().all_read);
  });

/** @param {Notice} notice */
const follow = ({ id, read_at: readAt }) => {
  if (readAt === null) void perform(() => post('/api/notices/read', { body: { ids: [id] } }));
};

/** What the button of a push says: an action, a colon, and the id of the notice. @param {string} chosen */
export const act = chosen =>
  perform(async () => {
    const [action, id] = chosen.split(':');
    await Promise.all([list.load(), accounts.load()]);
    const notice = list.data.peek()?.find(one => one.id === Number(id));
    if (!notice) return;
    if (action === 'tomorrow') await putOff(notice);
    if (action === 'paid' && notice.kind === 'bill_due' && canWrite.peek()) await pay(notice);
    follow(notice);
  });

/** @param {{ notice: Notice, close: () => void }} props */
const Row = ({ notice, close }) => {
  const w = noticesWords.value,
    isOpen = notice.settled_at === null,
    isUnread = notice.read_at === null,
    day = (/** @type {string} */ date) => dayAndMonth(language.value, date, today.value);
  const state = [
    isUnread && w.unread,
    !isOpen && w.settled,
    notice.snoozed_until && notice.snoozed_until > today.value && w.snoozed(day(notice.snoozed_until)),
  ].filter(Boolean);
  /** @param {string} name @param {() => void} act */
  const action = (name, act) =>
    button({ class: 'button', type: 'button', 'aria-label': w.of(name, veiled(notice.title)), onClick: act }, name);
  const link = a(
    {
      // Not in the month that is shown: it is about now.
      href: notice.params.credit_bill_id ? `/cards?bill=${notice.params.credit_bill_id}` : notice.url,
      onClick: () => {
        follow(notice);
        close();
      },
    },
    veiled(notice.title),
  );
  return li(
    { class: 'stack notice' },
    div(
      null,
      isUnread ? strong(null, link) : link,
      p(null, veiled(notice.body)),
      small({ class: 'quiet' }, [new Date(notice.created_at).toLocaleDateString(language.value), ...state].join(' · ')),
    ),
    isOpen &&
      div(
        { class: 'row-actions' },
        notice.kind === 'bill_due' && canWrite.value && action(w.pay, () => void pay(notice)),
        action(w.tomorrow, () => void putOff(notice)),
      ),
  );
};

/** @param {{ close: () => void }} props */
const List = ({ close }) => {
  const w = noticesWords.value,
    shown = useSignal(SHOWN_ROWS);
  return Loaded({
    of: list,
    skeleton: div({ class: 'skeleton line' }),
    children: rows =>
      rows.length === 0
        ? p(null, w.none)
        : div(
            { class: 'stack' },
            rows.some(row => row.read_at === null) &&
              button({ class: 'button', type: 'button', onClick: () => void readAll() }, w.read_all),
            ul(
              { class: 'plain stack' },
              rows.slice(0, shown.value).map(notice => h(Row, { key: notice.id, notice, close })),
            ),
            rows.length > shown.value &&
              button({ class: 'button', type: 'button', onClick: () => (shown.value += SHOWN_ROWS) }, w.more),
          ),
  });
};

export const openNotices = () => {
  accounts.want();
  void list.load();
  void open({ title: noticesWords.value.title }, close => h(List, { close }));
};
