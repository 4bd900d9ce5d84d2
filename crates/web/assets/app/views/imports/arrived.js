// The files that have arrived: in the inbox of the service, and shared with this device.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { online, postOnce, Problem, put, remove, request } from '../../api.js';
import { dayInWords } from '../../dates.js';
import { all, drop, isUsable } from '../../device.js';
import { button, buttonAbout, details, div, h, h2, li, p, section, span, summary, ul } from '../../dom.js';
import { icon } from '../../parts/icon.js';
import { message, ProblemNote } from '../../parts/problem.js';
import { today } from '../../session.js';
import { language, words, wordsOf } from '../../words.js';
import { when } from './log.js';
import { bring } from './many.js';
import { arrivedAs, inbox } from './queue.js';
import { accountLabel } from './stored.js';

const arrivedWords = await wordsOf('arrived');

/** @typedef {import('../../../../types/client').Schemas['InboxItem']} Item */

const tell = async (
  /** @type {string} */ text,
  /** @type {Parameters<typeof import('../../parts/toast.js').toast>[1]} */ options = {},
) => (await import('../../parts/toast.js')).toast(text, options);

/** The bytes of files, as they came. @param {Item[]} items */
const download = items =>
  Promise.all(
    items.map(async item => {
      const answer = await request('GET', '/api/inbox/{id}/file', { path: { id: item.id } });
      const file = new File([await answer.blob()], item.file_name ?? arrivedWords.peek().unnamed);
      arrivedAs.set(file, { item });
      return file;
    }),
  );

let isTaking = false;
/**
 * Sends what was shared with this device to the inbox, and takes it up. What the inbox refuses is shown as a chosen file that
 * cannot be read. Without a connection it stays. Returns whether something still waits.
 */
const takeShared = async () => {
  if (isTaking || !(await isUsable())) return false;
  isTaking = true;
  /** @type {File[]} */
  const files = [];
  try {
    for (const { id, name = '', file: blob, text } of await all('shared')) {
      if (text !== undefined) continue;
      if (blob) {
        const file = new File([blob], name, { type: blob.type }),
          form = new FormData();
        form.set('file', file);
        try {
          arrivedAs.set(file, { item: await postOnce('/api/inbox', { form }) });
        } catch (error) {
          if (!(error instanceof Problem) || ![409, 413, 415, 422].includes(error.status)) throw error;
          // Where the inbox is full, the file can be imported all the same.
          if (error.status !== 409) arrivedAs.set(file, { error });
        }
        files.push(file);
      } else void tell(arrivedWords.peek().too_large(name), { isProblem: true });
      await drop('shared', id);
    }
    return false;
  } catch (error) {
    if (error instanceof Problem) return true;
    throw error;
  } finally {
    isTaking = false;
    if (files.length > 0) void bring(files);
  }
};

/** @param {{ after: () => void }} props */
export const Arrived = ({ after }) => {
  const w = arrivedWords.value,
    busy = useSignal(false),
    waits = useSignal(false);
  // Again when the connection is back.
  useEffect(() => {
    if (online.value || !waits.peek()) void share();
  }, [online.value]);
  const items = inbox.data.value ?? [],
    fresh = items.filter(({ state }) => state === 'new'),
    past = items.filter(({ state }) => state !== 'new');
  const take = async (/** @type {Item[]} */ chosen) => {
    if (busy.peek()) return;
    busy.value = true;
    try {
      await bring(await download(chosen));
    } catch (error) {
      void tell(message(error), { isProblem: true });
      void inbox.load();
    }
    busy.value = false;
  };
  const share = async () => {
    waits.value = await takeShared();
  };
  if (fresh.length === 0 && past.length === 0 && !waits.value)
    return h(ProblemNote, { error: inbox.error.value, retry: inbox.load, compact: true });
  return section(
    { class: 'card', 'aria-labelledby': 'arrived' },
    h2({ id: 'arrived', tabIndex: -1 }, w.title),
    h(ProblemNote, { error: inbox.error.value, retry: inbox.load, compact: true }),
    waits.value &&
      div(
        { class: 'note', role: 'status' },
        p(null, w.waits),
        button({ class: 'button', type: 'button', onClick: () => void share() }, words.value.app.retry),
      ),
    fresh.length > 0 && [
      ul(
        { key: 'new', class: 'rows' },
        fresh.map(item => h(Row, { key: item.id, item, open: () => void take([item]) })),
      ),
      div(
        { key: 'all', class: 'actions' },
        button(
          {
            class: 'button primary',
            type: 'button',
            'aria-disabled': busy.value,
            onClick: () => void take([...fresh].reverse()),
          },
          w.import_files(fresh.length),
        ),
      ),
    ],
    past.length > 0 &&
      details(
        null,
        summary(null, w.past(past.length)),
        ul(
          { class: 'rows' },
          past.map(item => h(Past, { key: item.id, item, after })),
        ),
      ),
  );
};

/** @param {Item} item @param {'new' | 'dismissed'} state */
const setState = async (item, state) => {
  try {
    await put('/api/inbox/{id}', { path: { id: item.id }, body: { state } });
    return true;
  } catch (error) {
    void tell(message(error), { isProblem: true });
    return false;
  } finally {
    await inbox.load();
  }
};

/** @param {Item} item */
const nameOf = item => item.file_name ?? arrivedWords.value.unnamed;

/** @param {Item} item */
const restore = async item => {
  if (await setState(item, 'new')) void tell(arrivedWords.peek().restored(nameOf(item)));
};

/** @param {{ item: Item, open: () => void }} props */
const Row = ({ item, open }) => {
  const w = arrivedWords.value,
    day = (/** @type {string} */ date) => dayInWords(language.value, date, today.value);
  const dismiss = async () => {
    // The button that has the focus goes with its row.
    document.getElementById('arrived')?.focus();
    if (await setState(item, 'dismissed')) void tell(w.dismissed(nameOf(item)), { undo: () => restore(item) });
  };
  return li(
    { class: 'waiting-row' },
    div(
      { class: 'waiting-text' },
      span({ class: 'waiting-title' }, icon('imports'), nameOf(item)),
      span(
        { class: 'quiet' },
        [
          item.account_id === null ? w.no_account : accountLabel(item.account_id),
          w.since(when(item.received_at), day(item.expires_on)),
        ].join(' · '),
      ),
    ),
    div(
      { class: 'row-actions' },
      button({ class: 'button', type: 'button', onClick: open }, w.open, span({ class: 'unseen' }, ` ${nameOf(item)}`)),
      buttonAbout(w.dismiss, nameOf(item), dismiss, 'quiet-button'),
    ),
  );
};

/** @param {{ item: Item, after: () => void }} props */
const Past = ({ item, after }) => {
  const w = arrivedWords.value;
  const erase = async () => {
    document.getElementById('arrived')?.focus();
    try {
      await remove('/api/inbox/{id}', { path: { id: item.id } });
      void tell(w.deleted(nameOf(item)));
    } catch (error) {
      void tell(message(error), { isProblem: true });
    }
    await inbox.load();
    after();
  };
  return li(
    { class: 'waiting-row' },
    div(
      { class: 'waiting-text' },
      span({ class: 'waiting-title' }, nameOf(item)),
      span({ class: 'quiet' }, w.states[item.state === 'imported' ? 'imported' : 'dismissed']),
    ),
    div(
      { class: 'row-actions' },
      item.state === 'dismissed' && buttonAbout(w.again, nameOf(item), () => restore(item)),
      buttonAbout(w.delete, nameOf(item), erase, 'quiet-button'),
    ),
  );
};
