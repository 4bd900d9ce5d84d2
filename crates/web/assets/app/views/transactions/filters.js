// The search and the filters of the list, which are in the address.
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { get, resource } from '../../api.js';
import { dayAndMonth, lastDay, monthName } from '../../dates.js';
import { a, button, classes, div, h, input, label, option, select, span } from '../../dom.js';
import { icon } from '../../parts/icon.js';
import { go, place, withQuery } from '../../router.js';
import { accountName, accounts, categories, changed, month, today } from '../../session.js';
import { tags } from '../../tags.js';
import { filterCount, filters, period, REPORT_NAMES } from '../../transactions.js';
import { language, words } from '../../words.js';

/** The search starts after this pause in typing. */
const PAUSE_MILLISECONDS = 150;

/** @param {Record<string, string | number | null>} changes */
const filter = changes => go(withQuery(changes));

const SearchField = () => {
  const w = words.value.transactions,
    typed = useSignal(filters.peek().q ?? '');
  const timer = useRef(0);
  // Back and forward change the text, but not while the user types.
  useSignalEffect(() => {
    const q = filters.value.q ?? '';
    if (timer.current === 0 && q !== typed.peek().trim()) typed.value = q;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = () => {
    clearTimeout(timer.current);
    timer.current = 0;
    // The next view may be loading.
    if (place.peek().path !== '/transactions') return;
    const q = typed.peek().trim();
    // Going back undoes the whole search, not its last letter.
    if (q !== (filters.peek().q ?? '')) go(withQuery({ q }), { replace: Boolean(filters.peek().q && q) });
  };
  return div(
    { class: 'field search-field' },
    label({ for: 'search', class: 'unseen' }, w.search),
    span(
      { class: 'search-box' },
      icon('search'),
      input({
        id: 'search',
        type: 'search',
        accessKey: '3',
        placeholder: w.search_hint,
        autoComplete: 'off',
        spellcheck: false,
        maxLength: 255,
        value: typed.value,
        onInput: event => {
          typed.value = event.currentTarget.value;
          clearTimeout(timer.current);
          timer.current = setTimeout(search, PAUSE_MILLISECONDS);
        },
        onKeyDown: event => {
          if (event.key === 'Enter') search();
          if (event.key === 'Escape' && typed.peek()) {
            typed.value = '';
            search();
            event.preventDefault();
          }
        },
      }),
    ),
  );
};

/**
 * @param {string} name
 * @param {string} text
 * @param {string} any
 * @param {[string, string][]} choices
 * @param {(value: string) => void} [chosen]
 * @param {string} [value]
 */
const choice = (
  name,
  text,
  any,
  choices,
  chosen = value => filter({ [name]: value }),
  value = filters.value[name] ?? '',
) =>
  div(
    { class: classes('field', value !== '' && 'set') },
    label({ for: `filter-${name}`, class: 'unseen' }, text),
    select(
      { id: `filter-${name}`, value, onChange: event => chosen(event.currentTarget.value) },
      option({ value: '' }, any),
      choices.map(([id, caption]) => option({ key: id, value: id }, caption)),
    ),
  );

/** @param {{ id: number, name: string }[] | null} rows @param {string} none @returns {[string, string][]} */
const named = (rows, none) =>
  [...(rows ?? [])]
    .sort((one, other) => one.name.localeCompare(other.name, 'pt-BR'))
    .map(row => /** @type {[string, string]} */ ([String(row.id), row.name]))
    .concat([['none', none]]);

/** `menu` stands beside the search. @param {{ menu?: import('preact').ComponentChildren }} props */
export const Filters = ({ menu }) => {
  const w = words.value.transactions,
    isOpen = useSignal(false),
    count = filterCount.value + (period.value === 'month' ? 0 : 1);
  const isRange = period.value === 'range',
    shown = month.value;
  useSignalEffect(() => {
    if (changed.value >= 0) void tags.load();
  });
  const day = (/** @type {'from' | 'to'} */ name, /** @type {string} */ text) =>
    div(
      { class: 'field date-field' },
      label({ for: `filter-${name}` }, text),
      input({
        id: `filter-${name}`,
        type: 'date',
        value: filters.value[name] ?? '',
        onChange: event => filter({ [name]: event.currentTarget.value, month: null }),
      }),
    );
  const choosePeriod = (/** @type {string} */ value) =>
    filter(
      value === 'range'
        ? { month: null, from: `${shown}-01`, to: lastDay(shown) }
        : {
            month: value === 'all' ? 'all' : shown === today.value.slice(0, 7) ? null : shown,
            from: null,
            to: null,
            bill_id: null,
            import_id: null,
          },
    );
  return div(
    { class: 'filters-frame', role: 'search', 'aria-label': w.filters },
    div(
      { class: 'filters' },
      h(SearchField, null),
      button(
        {
          class: 'button filters-toggle',
          type: 'button',
          'aria-expanded': isOpen.value,
          'aria-controls': 'filters',
          onClick: () => (isOpen.value = !isOpen.value),
        },
        icon('filter'),
        count > 0 ? w.filters_set(count) : w.filters,
      ),
      menu,
      div(
        { id: 'filters', class: classes('filter-choices', isOpen.value && 'open') },
        choice(
          'account_id',
          words.value.form.account,
          w.any_account,
          named(accounts.data.value, words.value.dashboard.no_account),
        ),
        choice(
          'category_id',
          words.value.form.category,
          w.any_category,
          named(categories.data.value, words.value.form.no_category),
        ),
        choice('type', words.value.entry.type, w.any_type, [
          ['expense', w.only_expense],
          ['income', w.only_income],
        ]),
        (tags.data.value?.length ?? 0) > 0 &&
          choice(
            'tag',
            w.tag,
            w.any_tag,
            (tags.data.value ?? []).map(({ tag }) => [tag, tag]),
          ),
        choice(
          'period',
          w.period,
          monthName(language.value, shown),
          [
            ['all', w.all_months],
            ['range', w.range],
          ],
          choosePeriod,
          period.value === 'month' ? '' : period.value,
        ),
        isRange && div({ class: 'range' }, day('from', w.from), day('to', w.to)),
      ),
    ),
    h(Chips, null),
  );
};

/** The bill of the filter. */
const bill = resource(signal =>
  get('/api/credit-bills/{id}', { path: { id: Number(filters.peek().bill_id) }, signal }),
);

/** Filters that came with a link and have no field, and the link that clears all filters. */
const Chips = () => {
  useSignalEffect(() => {
    const id = filters.value.bill_id;
    if (id && String(bill.data.peek()?.id) !== id) void bill.load();
  });
  const w = words.value.transactions,
    set = filters.value,
    known = bill.data.value;
  const ofBill =
    known && String(known.id) === set.bill_id
      ? w.bill(accountName(known.account_id) ?? '', dayAndMonth(language.value, known.due_date, today.value))
      : w.of_bill;
  const chips = /** @type {[string, string][]} */ ([
    ['bill_id', ofBill],
    ['import_id', w.of_import],
    ['source', set.source ? (words.value.entry.sources[/** @type {'manual'} */ (set.source)] ?? set.source) : ''],
    ['tag', set.tag === ' ' ? w.without_tag : `#${set.tag}`],
    ['report', REPORT_NAMES.some(one => set[one]) ? w.of_report([set.group, set.payee].find(one => one?.trim())) : ''],
  ]).filter(([name, text]) => (name === 'report' ? text : set[name]));
  if (chips.length === 0 && filterCount.value === 0 && period.value === 'month') return null;
  return div(
    { class: 'chips' },
    chips.map(([name, text]) =>
      button(
        {
          key: name,
          class: 'chip',
          type: 'button',
          onClick: () =>
            filter(name === 'report' ? Object.fromEntries(REPORT_NAMES.map(one => [one, null])) : { [name]: null }),
        },
        text,
        icon('close'),
        span({ class: 'unseen' }, w.without),
      ),
    ),
    a({ class: 'clear-filters', href: cleared() }, w.clear),
  );
};

/** The address without filters, in the same month. */
export const cleared = () => {
  const chosen = place.value.query.get('month');
  return chosen && chosen !== 'all' ? `/transactions?month=${chosen}` : '/transactions';
};
