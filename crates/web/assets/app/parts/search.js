// Searches everything from anywhere: pages, accounts, categories, and transactions of all months. Enter goes there.
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { get, resource } from '../api.js';
import { classes, div, h, input, newId, p, small, span } from '../dom.js';
import { dayAndMonth, monthOf } from '../dates.js';
import { read } from '../money.js';
import { go, inMonth } from '../router.js';
import { accounts, canWrite, categories, categoryById, isOwner, today } from '../session.js';
import { fold } from '../text.js';
import { menu } from '../views.js';
import { language, words, wordsOf } from '../words.js';
import { nameOf, Signed } from './amount.js';
import { categoryColor } from './budget_bar.js';
import { open } from './dialog.js';
import { icon } from './icon.js';
import { ProblemNote } from './problem.js';

const searchWords = await wordsOf('search');

/** The pause in typing before transactions are searched. */
const PAUSE_MILLISECONDS = 150;
/** The most results of a kind. */
const SHOWN_MAX = 5;
/** Settings are found by their words from this length on. */
const SETTING_CHARACTERS_MIN = 3;

/** The settings of those who may write. */
const WRITERS = ['goal', 'names', 'character-shown', 'restore', 'webhooks'];

/** @typedef {{ href: string, content: import('preact').ComponentChildren }} Found */

/** @param {string} href @param {import('preact').VNode} drawing @param {string} text @returns {Found} */
const link = (href, drawing, text) => ({ href, content: span({ class: 'waiting-title' }, drawing, text) });
/** @param {number | null} id */
const dot = id => span({ class: classes('dot', categoryColor(id)) });

/** @param {{ close: () => void }} props */
const Search = ({ close }) => {
  const w = searchWords.value,
    views = words.value.views,
    typed = useSignal(''),
    active = useSignal(0),
    text = typed.value.trim(),
    q = fold(text);
  const list = useMemo(newId, []),
    rows = useMemo(
      () =>
        resource(signal => get('/api/transactions', { query: { q: typed.peek().trim(), limit: SHOWN_MAX }, signal })),
      [],
    );
  const isLine = text.startsWith('>') && canWrite.value;
  useEffect(() => {
    let isWanted = isLine;
    // This field takes what is typed until the form can.
    if (isLine)
      void import('./quick_add.js').then(({ openQuickAdd }) => {
        if (!isWanted) return;
        close();
        void openQuickAdd([typed.peek().trimStart().slice(1).trimStart()]);
      });
    return () => void (isWanted = false);
  }, [isLine]);
  useEffect(() => {
    if (!q) return rows.clear();
    rows.busy.value = true;
    const timer = setTimeout(() => void rows.load(), PAUSE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [q]);
  useEffect(() => rows.clear, []);
  /** The results of an earlier text are filtered until the response for this one arrives. @param {string} text */
  const fits = text => fold(text).includes(q);
  /** @template {{ name: string }} T @param {T[] | null} all */
  const named = all => (q ? (all ?? []).filter(one => fits(one.name)).slice(0, SHOWN_MAX) : []);
  const transactions = q
      ? (rows.data.value ?? []).filter(
          row =>
            // An amount is found by the service.
            read(text) !== null ||
            fits(`${row.description} ${row.display.name} ${row.statement_description ?? ''} ${row.note ?? ''}`),
        )
      : [],
    all = '/transactions?month=all&';
  /** @type {[string, Found[]][]} */
  const groups = [
    [
      w.pages,
      [
        ...menu.value
          .filter(({ name }) => fits(views[name]))
          .map(({ path, name }) => link(inMonth(path), icon(name), views[name])),
        ...(fits(w.rules) ? [link('/settings?show=rules', icon('settings'), w.rules)] : []),
      ],
    ],
    [
      w.settings,
      q.length < SETTING_CHARACTERS_MIN
        ? []
        : Object.entries(w.setting)
            .filter(
              ([id, texts]) =>
                fits(texts.join(' ')) && (id === 'data' ? isOwner.value : canWrite.value || !WRITERS.includes(id)),
            )
            .slice(0, SHOWN_MAX)
            .map(([id, [name = '']]) => link(`/settings?at=${id}`, icon('settings'), name)),
    ],
    [
      views.accounts,
      named(accounts.data.value).map(one =>
        link(`${all}account_id=${one.id}`, icon(one.kind === 'credit' ? 'cards' : 'accounts'), one.name),
      ),
    ],
    [
      views.categories,
      named(categories.data.value).map(one => link(`${all}category_id=${one.id}`, dot(one.id), one.name)),
    ],
    [
      views.transactions,
      transactions.map(
        row =>
          /** @type {Found} */ ({
            href: `/transactions?month=${monthOf(row.date)}&row=${row.id}`,
            content: [
              span(
                { key: 'what', title: row.description },
                nameOf(row),
                span(
                  { class: 'category-note quiet' },
                  dot(row.category_id),
                  [
                    dayAndMonth(language.value, row.date, today.value),
                    categoryById.value.get(row.category_id ?? 0)?.name,
                  ]
                    .filter(Boolean)
                    .join(' · '),
                ),
              ),
              h(Signed, { key: 'much', value: row.amount, type: row.type, transfer: row.is_transfer }),
            ],
          }),
      ),
    ],
  ];
  if (transactions.length > 0)
    groups.at(-1)?.[1].push(link(`${all}q=${encodeURIComponent(text)}`, icon('search'), w.all(text)));
  const found = groups.flatMap(([, group]) => group),
    // The link to all of them is none.
    count = transactions.length > 0 ? found.length - 1 : found.length,
    chosen = Math.min(active.value, found.length - 1);
  useLayoutEffect(() => document.getElementById(`${list}-${chosen}`)?.scrollIntoView({ block: 'nearest' }), [chosen]);
  const choose = (/** @type {number} */ index) => {
    const one = found[index];
    if (!one) return;
    close();
    go(one.href);
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.isComposing || (!by && event.key !== 'Enter')) return;
    event.preventDefault();
    if (by) active.value = (chosen + by + found.length) % found.length;
    else choose(chosen);
  };
  let index = -1;
  return [
    input({
      key: 'field',
      class: 'search',
      type: 'text',
      role: 'combobox',
      'aria-label': w.hint,
      placeholder: w.hint,
      'aria-autocomplete': 'list',
      'aria-expanded': true,
      'aria-controls': list,
      'aria-activedescendant': chosen < 0 ? undefined : `${list}-${chosen}`,
      autoFocus: true,
      autoComplete: 'off',
      spellcheck: false,
      maxLength: 255,
      value: typed.value,
      onKeyDown: pressed,
      onInput: event => {
        typed.value = event.currentTarget.value;
        active.value = 0;
      },
    }),
    h(ProblemNote, { key: 'wrong', error: rows.error.value, retry: rows.load, compact: true }),
    p(
      { key: 'count', class: count > 0 ? 'unseen' : 'quiet', role: 'status' },
      count > 0 ? w.found(count) : rows.busy.value || rows.error.value ? '' : w.none,
    ),
    div(
      {
        key: 'list',
        id: list,
        role: 'listbox',
        'aria-label': words.value.transactions.search_hint,
        'aria-busy': rows.busy.value,
      },
      groups.map(
        ([name, group]) =>
          group.length > 0 &&
          div(
            { key: name, role: 'group', 'aria-label': name },
            small({ class: 'quiet', 'aria-hidden': true }, name),
            group.map(({ href, content }) => {
              const at = (index += 1);
              return div(
                {
                  key: href,
                  id: `${list}-${at}`,
                  role: 'option',
                  class: classes('completion', at === chosen && 'active'),
                  'aria-selected': at === chosen,
                  onClick: () => choose(at),
                },
                content,
              );
            }),
          ),
      ),
    ),
  ];
};

export const openSearch = () => {
  accounts.want();
  categories.want();
  return open({ title: words.value.transactions.search_hint, kind: 'search' }, close =>
    h(/** @type {any} */ (Search), { close }),
  );
};
