// What changed, by day: by whom, what, and its undo.
import { useEffect } from 'preact/hooks';
import { getPage, resource } from '../api.js';
import { a, button, div, h, h2, input, p, section, ul } from '../dom.js';
import { ChangeRow, dayInFull, dayOf } from './changes/change.js';
import { members, useNames } from '../parts/entered_by.js';
import { Field, selectField } from '../parts/field.js';
import { Empty, Head } from '../parts/overview.js';
import { ghost, Loaded } from '../parts/problem.js';
import { attempt } from '../parts/toast.js';
import { go, place, withQuery } from '../router.js';
import { accounts, canWrite, categories, me, useReading } from '../session.js';
import { words } from '../words.js';
import { changeWords } from '../words/changes.js';

/** @typedef {import('./changes/change.js').Change} Change */

const CHANGES_READ = 50;
const NAMES = ['member_id', 'from', 'to'];

/** The filters of the address. */
const filters = () =>
  Object.fromEntries(NAMES.flatMap(name => (place.value.query.get(name) ? [[name, place.value.query.get(name)]] : [])));

const list = resource(signal => getPage('/api/changes', { query: { ...filters(), limit: CHANGES_READ }, signal }));

const more = async () => {
  const known = list.data.peek();
  if (!known?.next) return;
  await attempt(async () => {
    const page = await getPage(/** @type {'/api/changes'} */ (known.next));
    if (list.data.peek() === known) list.set({ rows: [...known.rows, ...page.rows], next: page.next });
  });
};

/** Members that were seen in changes. Only an owner may read who the members are. @type {Map<number, string>} */
const seen = new Map();

const Filters = () => {
  const w = changeWords.value,
    chosen = filters();
  useNames(true);
  for (const { member_id: id, member_name: name } of list.data.value?.rows ?? [])
    if (id !== null && name !== null) seen.set(id, name);
  const own = me.data.value;
  if (own?.member_id) seen.set(own.member_id, own.name);
  for (const { id, name } of members.data.value ?? []) seen.set(id, name);
  const people = [...seen].sort(([, one], [, other]) => one.localeCompare(other, 'pt-BR'));
  /** @param {'from' | 'to'} name */
  const day = name =>
    h(Field, {
      label: w[name],
      name,
      error: list.error.value,
      children: control =>
        input({
          ...control,
          type: 'date',
          value: chosen[name] ?? '',
          onChange: event => go(withQuery({ [name]: event.currentTarget.value })),
        }),
    });
  return div(
    { class: 'card change-filters' },
    selectField({
      label: w.person,
      name: 'member_id',
      value: String(chosen.member_id ?? ''),
      options: [['', w.everybody], ...people.map(([id, name]) => /** @type {const} */ ([String(id), name]))],
      choose: member_id => go(withQuery({ member_id })),
    }),
    day('from'),
    day('to'),
  );
};

/** @param {{ rows: Change[] }} props */
const Days = ({ rows }) => {
  const days = [...new Set(rows.map(dayOf))];
  return days.map(day =>
    section(
      { key: day, class: 'card', 'aria-labelledby': `day-${day}` },
      h2({ id: `day-${day}` }, dayInFull(day)),
      ul(
        { class: 'rows' },
        rows
          .filter(change => dayOf(change) === day)
          .map(change => h(ChangeRow, { key: change.id, change, known: rows, done: () => void list.load() })),
      ),
    ),
  );
};

export default () => {
  const w = changeWords.value;
  useEffect(() => {
    categories.want();
    accounts.want();
    return () => {
      // Another household may log in.
      seen.clear();
    };
  }, []);
  useReading(list.load, filters);
  const isFiltered = Object.keys(filters()).length > 0;
  return div(
    { class: 'page narrow' },
    h(Head, { title: words.value.views.changes }),
    p({ class: 'quiet' }, canWrite.value ? w.intro : w.intro_read),
    h(Filters, null),
    Loaded({
      of: list,
      skeleton: ghost(6),
      children: ({ rows, next }) =>
        rows.length === 0
          ? isFiltered
            ? h(Empty, {
                title: w.empty_filtered,
                text: '',
                children: a({ class: 'button', href: '/changes' }, w.clear),
              })
            : h(Empty, { title: w.empty, text: w.empty_text })
          : div(
              { class: 'page' },
              h(Days, { rows }),
              next && button({ class: 'button', type: 'button', onClick: () => void more() }, w.more),
            ),
    }),
  );
};
