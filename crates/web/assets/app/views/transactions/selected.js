// The bar with the actions on all selected rows.
import { post } from '../../api.js';
import { button, classes, div, h, p, span } from '../../dom.js';
import { decimal } from '../../money.js';
import { Signed } from '../../parts/amount.js';
import { icon } from '../../parts/icon.js';
import { toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';
import { canWrite } from '../../session.js';
import {
  again,
  counted,
  inParts,
  items,
  list,
  markAll,
  marked,
  markedRows,
  progress,
  summary,
  write,
} from '../../transactions.js';
import { words } from '../../words.js';
import { change, idsOf, link } from './changes.js';

/** @typedef {import('../../transactions.js').Transaction} Transaction */

/**
 * The two rows, if they may be the sides of a transfer. The service decides whether they are.
 * @param {Transaction[]} rows
 */
const sidesIn = rows => {
  const [from, to] = ['expense', 'income'].map(type =>
    rows.find(row => row.type === type && row.transfer_id === null && row.id > 0),
  );
  return rows.length === 2 && from && to ? { from, to } : null;
};

/** @param {'category' | 'account'} what */
const changeMarked = what => {
  const rows = markedRows.peek(),
    alone = rows.filter(row => row.transfer_id === null && !(what === 'category' && row.lines));
  void import('./bulk_form.js').then(({ openBulk }) =>
    openBulk(
      what,
      { count: alone.length, left: rows.length - alone.length },
      id =>
        void change(alone, what === 'category' ? 'category_id' : 'account_id', id).then(isDone => {
          if (isDone) marked.value = new Set();
        }),
    ),
  );
};

const removeMarked = async () => {
  const w = words.value.transactions,
    rows = markedRows.peek(),
    ids = idsOf(rows),
    kept = recording();
  const { ask } = await import('../../parts/dialog.js');
  if (
    !(await ask({ title: w.remove_many_title(rows.length), text: w.remove_many_text, yes: w.remove_many(rows.length) }))
  )
    return;
  const deleted = await write(
    known => known.filter(row => !ids.has(row.id)),
    async () => {
      let count = 0;
      await inParts([...ids], async part => {
        count += (await post('/api/transactions/delete', { body: { ids: part }, changed: kept.changed })).deleted;
      });
      return count;
    },
  );
  if (deleted === undefined) {
    // Those of the requests before the refused one are deleted.
    if (!kept.isEmpty()) again();
    return;
  }
  marked.value = new Set();
  toast(w.removed_many(deleted), kept.offer(again));
};

/** Leads to the first action on the marked rows. */
export const focusActions = () =>
  /** @type {HTMLElement | null} */ (document.querySelector('.bulk-actions button:enabled'))?.focus();

export const BulkBar = () => {
  const w = words.value.transactions,
    rows = markedRows.value;
  const alone = rows.filter(row => row.transfer_id === null),
    sides = sidesIn(rows);
  const all = summary.data.value?.count ?? 0,
    shown = items.value.filter(item => item.kind === 'row'),
    // What the filters find beyond the loaded rows is taken on request.
    isMore =
      Boolean(list.data.value?.next) && shown.length > 0 && shown.every(item => marked.value.has(Number(item.key)));
  const running = progress.value;
  const total = rows.reduce((sum, row) => sum + counted(row), 0n);
  return div(
    { class: classes('bulk', rows.length > 0 && 'shown') },
    p(
      { class: 'bulk-count', role: 'status' },
      rows.length > 0 && [
        span(
          null,
          running
            ? w.progress(running.done, running.all)
            : isMore
              ? w.marked_of(rows.length, all)
              : w.marked(rows.length),
        ),
        isMore &&
          !running &&
          button(
            {
              class: 'link-button',
              type: 'button',
              onClick: () => {
                // This button goes while they are marked.
                focusActions();
                void markAll();
              },
            },
            w.mark_matching(all),
          ),
        total !== 0n &&
          h(Signed, { value: decimal(total < 0n ? -total : total), type: total < 0n ? 'expense' : 'income' }),
      ],
    ),
    sides &&
      canWrite.value &&
      button({ class: 'button link-sides', type: 'button', onClick: () => void link(sides) }, icon('transfer'), w.link),
    rows.length > 0 &&
      div(
        { class: 'bulk-actions' },
        canWrite.value && [
          button(
            {
              key: 'category',
              class: 'button',
              type: 'button',
              disabled: alone.every(row => row.lines),
              onClick: () => changeMarked('category'),
            },
            words.value.form.category,
            '…',
          ),
          button(
            {
              key: 'account',
              class: 'button',
              type: 'button',
              disabled: alone.length === 0,
              onClick: () => changeMarked('account'),
            },
            words.value.form.account,
            '…',
          ),
          button(
            { key: 'remove', class: 'button destructive', type: 'button', onClick: () => void removeMarked() },
            w.remove,
            '…',
          ),
        ],
        button(
          {
            class: 'icon-button',
            type: 'button',
            'aria-label': w.unmark,
            title: w.unmark,
            onClick: () => (marked.value = new Set()),
          },
          icon('close'),
        ),
      ),
  );
};
