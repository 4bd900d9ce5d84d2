// Transfers among stored transactions that were entered by hand, or imported before transfers were recognised. Linked
// on request.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { credential, post, postOnce, put, resource } from '../../api.js';
import { addDays } from '../../dates.js';
import { button, buttonAbout, div, h, h2, local, p, section, store, stored, ul } from '../../dom.js';
import { accountById, canWrite, me, today } from '../../session.js';
import { words } from '../../words.js';
import { importWords } from '../../words/imports.js';
import { nameOf, Pair } from './pair.js';

/** @typedef {import('../../../../types/client').Schemas['Detected']} Found */
/** @typedef {import('../../../../types/client').Schemas['DetectedTransfer']} Transfer */

/** Transfers shown before "Mostrar todas". */
const SHOWN = 4;
/**
 * The service searches all stored transactions. It is asked if the user stays on the page, and not again for some days
 * if it found nothing.
 */
const STAY_MILLISECONDS = 800,
  NOTHING_DAYS = 7;
const LOOKED = 'looked';

/** The transfers that would be linked. This is a dry run, which changes nothing. */
export const detected = resource(
  signal =>
    /** @type {Promise<Found>} */ (
      postOnce('/api/transfers/detect', { query: { dry_run: true, transfers: true }, body: {}, signal })
    ),
);

/** Unlinks both sides permanently. @param {Transfer} transfer @param {(id: number) => void} changed */
const unlink = async ({ id, to }, changed) => {
  if (id !== null) return void (await post('/api/transfers/{id}/unlink', { path: { id }, changed }));
  if (!to) return;
  const { date, description, amount, type, category_id, account_id, external_id, lines, tags, note } = to;
  await put('/api/transactions/{id}', {
    path: { id: to.id },
    body: {
      date,
      description,
      amount,
      type,
      category_id,
      account_id,
      external_id,
      lines,
      tags,
      note,
      is_transfer: false,
    },
    changed,
  });
};

/** @param {Transfer} transfer */
const isPayment = ({ to, bill_id }) =>
  bill_id !== null || accountById.value.get(to?.account_id ?? 0)?.kind === 'credit';

/**
 * Shows nothing if nothing is found or the request fails, because it is only an offer.
 * @param {{ after: () => void }} props
 */
export const Detected = ({ after }) => {
  const w = importWords.value.detected,
    busy = useSignal(false),
    isAll = useSignal(false);
  const title = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  // The transfers linked here, until the user leaves the view.
  const made = useSignal(/** @type {Found | null} */ (null));
  // The search is a write of its form, which a viewer may not send.
  const may = me.data.value !== null && canWrite.value;
  useEffect(() => {
    if (!may) return undefined;
    const id = String(credential.peek()?.profile.id),
      looked = /** @type {Record<string, string> | null} */ (stored(local, LOOKED)),
      known = detected.data.peek();
    if (known?.linked === 0 || (!known && (looked?.[id] ?? '') > addDays(today.peek(), -NOTHING_DAYS)))
      return undefined;
    // The transfers found before may be linked by now.
    const timer = setTimeout(
      () =>
        void detected.load().then(() => {
          if (detected.data.peek()?.linked === 0) store(local, LOOKED, { ...looked, [id]: today.peek() });
        }),
      STAY_MILLISECONDS,
    );
    return () => clearTimeout(timer);
  }, [may]);
  /** @param {() => Promise<void>} work */
  const act = async work => {
    if (busy.value) return;
    busy.value = true;
    try {
      await work();
    } catch (error) {
      (await import('../../parts/toast.js')).failed(error);
      void detected.load();
    }
    busy.value = false;
    after();
  };
  const link = () =>
    act(async () => {
      made.value = await post('/api/transfers/detect', { query: { transfers: true }, body: {} });
      detected.set({ linked: 0, suggested: made.value.suggested });
      title.current?.focus();
    });
  /** @param {Transfer[]} transfers */
  const take = transfers =>
    act(async () => {
      const [{ toast }, { recording }] = await Promise.all([
        import('../../parts/toast.js'),
        import('../../parts/undo.js'),
      ]);
      const { changed, offer } = recording();
      for (const transfer of transfers) {
        await unlink(transfer, changed);
        const now = made.value;
        if (now)
          made.value =
            now.linked === 1
              ? null
              : { ...now, linked: now.linked - 1, transfers: now.transfers?.filter(known => known !== transfer) ?? [] };
      }
      toast(w.unlinked(transfers.length, nameOf(/** @type {Transfer} */ (transfers[0]))), offer(after));
    });
  const of = made.value ?? detected.data.value,
    isDone = made.value !== null;
  if (!of?.linked || !may) return null;
  const rows = of.transfers ?? [],
    shown = isAll.value ? rows : rows.slice(0, SHOWN),
    isNamed = rows.length === of.linked;
  const action = (/** @type {string} */ text, /** @type {() => void} */ onClick, extra = '', about = '') =>
    buttonAbout(text, about, onClick, extra, busy.value);
  return section(
    { class: 'card', 'aria-labelledby': 'detected' },
    h2({ id: 'detected', tabIndex: -1, ref: title }, (isDone ? w.done : w.title)(of.linked)),
    p({ class: 'quiet' }, isDone ? w.done_text : w.text),
    ul(
      { class: 'rows' },
      shown.map(one =>
        h(
          Pair,
          { key: `${one.from?.id} ${one.to?.id}`, title: isPayment(one) ? w.payment : w.own, sides: one },
          isDone && action(w.unlink, () => void take([one]), 'quiet-button', nameOf(one)),
        ),
      ),
    ),
    shown.length < rows.length
      ? button({ class: 'link-button', type: 'button', onClick: () => (isAll.value = true) }, w.all)
      : !isNamed && p({ class: 'quiet' }, w.more(of.linked - rows.length)),
    div(
      { class: 'actions' },
      isDone
        ? [
            isNamed && action(words.value.app.undo, () => void take(rows)),
            action(importWords.value.result.finish, () => (made.value = null), 'primary'),
          ]
        : action(w.link(of.linked), () => void link(), 'primary'),
    ),
  );
};
