// The list of transactions: by day, with the filters of the address; rows are changed one by one or several at once.
import { effect, untracked, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { monthName, shortDate } from '../dates.js';
import { a, button, classes, div, h, h1, p, section, span } from '../dom.js';
import { quickAdd } from '../frame.js';
import { bind, rowKeys } from '../keys.js';
import { cents } from '../money.js';
import { inText } from '../parts/amount.js';
import { CopyButton } from '../parts/copy_table.js';
import { useNames } from '../parts/entered_by.js';
import { icon } from '../parts/icon.js';
import { otherPeriod } from '../parts/month_switch.js';
import { ProblemNote } from '../parts/problem.js';
import { Rows } from '../parts/rows.js';
import { toast } from '../parts/toast.js';
import { go, place, withQuery } from '../router.js';
import { accountName, accounts, canWrite, categories, changed, month } from '../session.js';
import {
  again,
  allRows,
  asked,
  filterCount,
  isTransfer,
  items,
  list,
  marked,
  more,
  period,
  read,
  readMore,
  ROWS_MAX,
  summary,
  wantRows,
} from '../transactions.js';
import { language, words } from '../words.js';
import { edit } from './transactions/changes.js';
import {
  current,
  currentIndex,
  drawn,
  hasActions,
  hasBoxes,
  isSelecting,
  show,
  toggle,
} from './transactions/cursor.js';
import { ListMenu } from './transactions/list_menu.js';
import { cleared, Filters } from './transactions/filters.js';
import { categoryName, choosing, DayRow, EntryRow, Head } from './transactions/row.js';
import { BulkBar, focusActions } from './transactions/selected.js';

/** @typedef {import('../transactions.js').Entry} Entry */
/** @typedef {import('../transactions.js').Day} Day */

/** The forms that keys open are loaded after this time, so that they open without a delay. */
const LATER_MILLISECONDS = 1000;
/** The position of the page is stored when it has not scrolled for this time. */
const STILL_MILLISECONDS = 200;

const title = () => {
  const w = words.value.transactions;
  return period.value === 'month' ? w.title(monthName(language.value, month.value)) : w.title_all;
};

const Summary = () => {
  const w = words.value.transactions,
    known = summary.data.value;
  return div(
    { class: 'summary-line' },
    p(
      { role: 'status' },
      known
        ? [
            span({ key: 'count' }, w.count(known.count)),
            known.income !== '0.00' && span({ key: 'in', class: 'summary-in' }, w.came(inText(known.income))),
            known.expenses !== '0.00' && span({ key: 'out', class: 'summary-out' }, w.went(inText(known.expenses))),
          ]
        : span(null, '\u00a0'),
    ),
    hasActions.value &&
      hasRemoval() &&
      button({ class: 'link-button', type: 'button', onClick: removeMonth }, w.remove_month),
  );
};

/** Whether the whole month can be deleted. */
const hasRemoval = () =>
  canWrite.value && period.value === 'month' && filterCount.value === 0 && summary.data.value?.count !== 0;

const removeMonth = () =>
  void import('./transactions/month_deletion.js').then(({ openMonthDeletion }) => {
    let isDone = false;
    void openMonthDeletion(month.peek(), (said, { offer }) => {
      isDone = true;
      marked.value = new Set();
      toast(said, offer(again));
      again();
    })
      // The button is gone with the rows.
      .then(() => isDone && document.querySelector('h1')?.focus());
  });

const Empty = () => {
  const w = words.value.transactions;
  const isFiltered = filterCount.value > 0 || period.value !== 'month';
  if (isFiltered) {
    return section(
      { class: 'card empty' },
      emptyTitle(w.nothing_found),
      p({ class: 'quiet' }, w.nothing_found_text),
      div(
        { class: 'row-actions' },
        a({ class: 'button primary', href: cleared() }, w.clear),
        period.value === 'month' && a({ class: 'button', href: withQuery({ month: 'all' }) }, w.look_everywhere),
      ),
    );
  }
  return section(
    { class: 'card empty' },
    emptyTitle(w.empty(monthName(language.value, month.value))),
    canWrite.value && p({ class: 'quiet' }, w.empty_text),
    canWrite.value &&
      div(
        { class: 'row-actions' },
        a({ class: 'button primary', href: '/imports' }, words.value.dashboard.step_statement_do),
        button(
          { class: 'button', type: 'button', onClick: () => quickAdd.value?.() },
          icon('plus'),
          words.value.app.add,
        ),
      ),
  );
};

/** @param {string} text */
const emptyTitle = text => p({ class: 'empty-title' }, text);

const Skeleton = () =>
  div(
    { class: 'card list-card', 'aria-hidden': 'true' },
    Array.from({ length: 8 }, (_, index) =>
      index % 4 === 0
        ? div({ key: index, class: 'skeleton-day' }, span({ class: 'skeleton line' }))
        : div(
            { key: index, class: 'skeleton-entry' },
            span({ class: 'skeleton line' }),
            span({ class: 'skeleton line' }),
            span({ class: 'skeleton line' }),
          ),
    ),
  );

const End = () => {
  const w = words.value.transactions,
    known = list.data.value;
  if (more.error.value)
    return div({ class: 'list-end' }, h(ProblemNote, { error: more.error.value, retry: () => void readMore() }));
  if (!known?.next) return null;
  return div(
    { class: 'list-end' },
    button(
      { class: 'button', type: 'button', 'aria-disabled': more.busy.value, onClick: () => void readMore() },
      more.busy.value ? w.loading_more : w.load_more,
    ),
  );
};

const List = () => {
  const known = list.data.value,
    error = list.error.value,
    isOther = known !== null && known.of !== asked.value;
  useNames(known !== null);
  const skeleton = () =>
    div(
      { class: 'loading', 'aria-busy': true },
      div({ class: 'unseen', role: 'status' }, words.value.app.loading),
      Skeleton(),
    );
  if (error && (known === null || isOther)) {
    return div(
      { class: 'wrong-list' },
      h(ProblemNote, { error, retry: read }),
      filterCount.value > 0 && a({ class: 'button', href: cleared() }, words.value.transactions.clear),
    );
  }
  if (known === null) return skeleton();
  const rows = items.value;
  return div(
    { class: 'loaded', 'aria-busy': list.busy.value },
    error && h(ProblemNote, { error, retry: read, compact: true }),
    rows.length === 0
      ? h(Empty, null)
      : div(
          { class: classes('card list-card', isOther && 'other', !hasBoxes.value && 'without-boxes') },
          h(/** @type {typeof Rows<Day | Entry>} */ (Rows), {
            rows,
            label: title(),
            keyOf: item => item.key,
            kindOf: item => item.kind,
            class: 'entries',
            head: Head(),
            total: known.next ? null : rows.length,
            control: drawn,
            near: () => {
              if (known.next && !more.error.peek()) void readMore();
            },
            row: (item, attributes) => (item.kind === 'day' ? DayRow(item, attributes) : EntryRow(item, attributes)),
          }),
        ),
    h(End, null),
  );
};

/** The list as a table of texts, with all its pages. */
const table = async () => {
  const w = words.value,
    head = [w.entry.date, w.entry.description, w.form.category, w.form.account, w.entry.amount];
  return [
    head,
    ...(await allRows()).map(row => [
      shortDate(language.value, row.date),
      row.description,
      isTransfer(row) ? w.money.transfer : categoryName(row),
      accountName(row.account_id) ?? '',
      row.type === 'income' ? cents(row.amount) : -cents(row.amount),
    ]),
  ];
};

/** How many rows to read: as many as were read before, or all of them to find the row in the address. */
const rowsBefore = () => (place.peek().query.get('row') ? ROWS_MAX : (history.state?.n ?? 0));

/** The filters beside the search. @param {string} of */
const withoutSearch = of => JSON.stringify({ ...JSON.parse(of), q: undefined });

/** Reads the list of the address, and restores the position in it. */
const follow = () => {
  let timer = 0;
  const kept = history.scrollRestoration;
  history.scrollRestoration = 'manual';
  const stopReading = effect(() => {
    void asked.value;
    void changed.value;
    untracked(() => {
      clearTimeout(timer);
      const known = list.data.peek();
      if (known?.of !== asked.peek()) {
        // Several searches can find what is selected.
        if (known && withoutSearch(known.of) !== withoutSearch(asked.peek())) marked.value = new Set();
        current.value = null;
        wantRows(rowsBefore());
      } else wantRows(Math.max(known.rows.length, rowsBefore()));
      read();
    });
  });
  // A new list starts at its top, or at the row in the address. On the way back, the list has its former position.
  let seen = /** @type {string | null} */ (null);
  const stopPlacing = effect(() => {
    const of = list.data.value?.of,
      wanted = Number(place.value.query.get('row'));
    if (!of || (of === seen && !wanted) || of !== asked.peek()) return;
    seen = of;
    const y = history.state?.y ?? 0;
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const index = items
          .peek()
          .findIndex(item => item.kind === 'row' && (item.key === wanted || item.other?.id === wanted));
        if (wanted) go(withQuery({ row: null }), { replace: true });
        if (index >= 0) drawn.current?.show(index);
        else scrollTo(0, y);
      }),
    );
  });
  const keep = () => {
    clearTimeout(timer);
    const at = place.peek(),
      y = Math.round(scrollY),
      n = list.data.peek()?.rows.length ?? 0;
    timer = setTimeout(() => {
      if (at === place.peek()) history.replaceState({ ...history.state, y, n }, '');
    }, STILL_MILLISECONDS);
  };
  addEventListener('scroll', keep, { passive: true });
  return () => {
    clearTimeout(timer);
    stopReading();
    stopPlacing();
    removeEventListener('scroll', keep);
    history.scrollRestoration = kept;
  };
};

export default () => {
  useEffect(() => {
    categories.want();
    accounts.want();
    const leave = follow();
    const timer = setTimeout(
      () =>
        Promise.all([import('./transactions/edit_entry.js'), import('./transactions/bulk_form.js')]).catch(() => {
          // They are loaded again when they open.
        }),
      LATER_MILLISECONDS,
    );
    const unbind = bind({
      ...rowKeys({
        rows: () => items.peek(),
        at: currentIndex,
        first: () => drawn.current?.first() ?? 0,
        isRow: item => item.kind === 'row',
        show,
        open: item => item?.kind === 'row' && edit(item),
      }),
      x: event => {
        const item = items.peek()[currentIndex()];
        if (item?.kind === 'row') toggle(item.key, event.shiftKey);
      },
      m: focusActions,
      Escape: () => {
        if (marked.peek().size === 0) return;
        marked.value = new Set();
        drawn.current?.show(Math.max(0, currentIndex()));
      },
    });
    return () => {
      clearTimeout(timer);
      leave();
      unbind();
      otherPeriod.value = null;
      marked.value = new Set();
      isSelecting.value = false;
      choosing.value = null;
    };
  }, []);
  useSignalEffect(() => {
    const w = words.value.transactions;
    otherPeriod.value = period.value === 'month' ? null : period.value === 'all' ? w.all_months : w.range;
  });
  return div(
    { class: classes('page transactions', marked.value.size > 0 && 'with-bulk') },
    div(
      { class: 'view-head' },
      h1({ tabIndex: -1 }, title()),
      hasActions.value && items.value.length > 0 && h(CopyButton, { rows: table }),
    ),
    h(Filters, {
      menu:
        !hasActions.value && items.value.length > 0 && h(ListMenu, { table, removeMonth: hasRemoval() && removeMonth }),
    }),
    h(Summary, null),
    h(List, null),
    h(BulkBar, null),
  );
};
