// What changed, in words: a change, and what it did to each row.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { nextOf, request, resource } from '../../api.js';
import { button, buttonAbout, div, h, li, small, span, strong, ul } from '../../dom.js';
import { deviceDate, isMonth, longDate, monthName, shortDate } from '../../dates.js';
import { figure } from '../../money.js';
import { accountName, canWrite, categories, categoryById, reread, settings, today } from '../../session.js';
import { language, words } from '../../words.js';
import { changeWords } from '../../words/changes.js';
import { inText } from '../../parts/amount.js';
import { dayName } from '../../parts/entry_fields.js';
import { Loaded } from '../../parts/problem.js';
import { attempt } from '../../parts/toast.js';
import { undoOf } from '../../parts/undo.js';

/** @typedef {import('../../session.js').Schemas['Change']} Change */
/** @typedef {import('../../session.js').Schemas['ChangeDetails']} Details */
/** @typedef {import('../../session.js').Schemas['ChangeEntry']} Entry */

/** How many rows of a change are read at once. */
const ENTRIES_READ = 50;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MONEY = ['amount', 'amount_max', 'amount_min', 'credit_limit', 'monthly_budget', 'total'];
/** The fields whose values are seen and not read. */
const PICTURES = ['color', 'icon'];
/** The fields that say what a row is, shown beside its noun. */
const NAMES = ['description', 'name', 'file_name'];

/** The rows of a change, by noun. @param {Change} change @returns {[Entry['noun'], number][]} */
const rowsOf = change =>
  change.counts.map(({ noun, created, changed, removed }) => [noun, created + changed + removed]);

/** How many rows a change is about. @param {Change} change */
const rowCount = change => rowsOf(change).reduce((sum, [, count]) => sum + count, 0);

/** What was done. @param {Change} change @param {Change[]} [known] @returns {string} */
export const titleOf = (change, known = []) => {
  const w = changeWords.value,
    of = w.kinds[change.kind] ?? change.kind,
    noun = change.kind.split('.')[0],
    count = rowsOf(change).find(([name]) => name === noun)?.[1] ?? 0;
  const undone = known.find(({ id }) => id === change.undoes);
  if (undone) return undone.undoes === null ? w.undid(titleOf(undone)) : w.redone;
  const name = typeof of === 'string' ? of : of[count > 1 ? 1 : 0];
  if (change.subject === null) return name;
  return `${name}: ${isMonth(change.subject) ? monthName(language.value, change.subject) : change.subject}`;
};

/** Who did it. @param {Change} change */
export const authorOf = change => {
  const w = changeWords.value,
    name = change.member_id === null ? w.service : (change.member_name ?? w.gone);
  return change.token_id === null ? name : w.by_token(name);
};

/** The day of a change, by the clock of this device. @param {Change} change */
export const dayOf = change => deviceDate(new Date(change.at));

/** `Hoje`, or the whole date. @param {string} day */
export const dayInFull = day => dayName(day).near ?? longDate(language.value, day, today.value);

/** @param {Change} change */
const timeOf = change => new Date(change.at).toLocaleTimeString(language.value, { hour: '2-digit', minute: '2-digit' });

/** Who, when, and how many rows. @param {Change} change @param {boolean} [withDay] */
const summaryOf = (change, withDay) => {
  const w = changeWords.value;
  return [
    authorOf(change),
    withDay && dayInFull(dayOf(change)),
    timeOf(change),
    change.undone_by !== null && w.is_undone,
    rowCount(change) > 1 &&
      rowsOf(change)
        .map(([noun, count]) => w.count(noun, count))
        .join(', '),
  ]
    .filter(Boolean)
    .join(' · ');
};

/** A part of a list: a name, or a line of a split transaction. @param {unknown} part @returns {string} */
const partInWords = part => {
  if (part === null || typeof part !== 'object') return String(part);
  const { category_id, amount } = /** @type {{ category_id?: number | null, amount?: string }} */ (part);
  return `${inWords('category_id', category_id)} ${inWords('amount', amount)}`;
};

/** A value of a field, in words. @param {string} field @param {unknown} value @returns {string} */
const inWords = (field, value) => {
  const w = changeWords.value;
  if (value === null || value === undefined || value === '') return w.nothing;
  if (typeof value === 'boolean') return value ? w.yes : w.no;
  if (Array.isArray(value)) return value.length === 0 ? w.nothing : value.map(part => partInWords(part)).join(', ');
  if (field === 'every') {
    // Of a change that an earlier version recorded, only the part that changed is there.
    const { n, unit } = /** @type {{ n?: number, unit?: keyof typeof w.units }} */ (value);
    if (unit === undefined) return String(n);
    return n === undefined ? w.units[unit][1] : w.every(n, w.units[unit]);
  }
  if (field === 'category_id') return categoryById.value.get(Number(value))?.name ?? w.number(Number(value));
  if (field === 'account_id') return accountName(Number(value)) ?? w.number(Number(value));
  if (field === 'transfer_id') return w.number(Number(value));
  if (typeof value === 'number') return figure(value);
  if (MONEY.includes(field)) return inText(String(value));
  if (field === 'carry_since') return monthName(language.value, String(value));
  if (DATE.test(String(value))) return shortDate(language.value, String(value));
  if (field === 'type') return words.value.money[/** @type {'income' | 'expense'} */ (value)] ?? String(value);
  return w.values[field]?.[String(value)] ?? String(value);
};

/** What was done to a row. @param {{ entry: Entry, subject: string | null }} props */
export const EntryFacts = ({ entry, subject }) => {
  const w = changeWords.value;
  const before = /** @type {Record<string, unknown>} */ (entry.before ?? {}),
    after = /** @type {Record<string, unknown>} */ (entry.after ?? {}),
    whole = entry.op === 'removed' ? before : after;
  const name =
    NAMES.map(field => whole[field]).find(text => typeof text === 'string') ??
    subject ??
    (entry.id === null ? null : w.number(entry.id));
  const isChanged = entry.op === 'changed';
  const fields = Object.keys({ ...before, ...after }).filter(
    field =>
      field in w.fields &&
      (isChanged ||
        (!NAMES.includes(field) && whole[field] !== null && whole[field] !== false && `${whole[field]}` !== '')),
  );
  const lines = fields.map(field => {
    const text = w.fields[field] ?? field;
    if (PICTURES.includes(field)) return isChanged ? w.became_other(text) : '';
    return isChanged
      ? w.became(text, inWords(field, before[field]), inWords(field, after[field]))
      : `${text}: ${inWords(field, whole[field])}`;
  });
  return li(
    null,
    strong(null, `${w.ops[entry.op]}: ${w.noun(entry.noun)}`, name && ` ${name}`),
    isChanged && fields.length === 0
      ? small({ class: 'quiet' }, w.parts)
      : isChanged
        ? ul(
            { class: 'plain' },
            lines.map(line => li({ key: line }, line)),
          )
        : small({ class: 'quiet' }, lines.filter(Boolean).join(' · ')),
  );
};

/** Some rows of a change, and where the next ones are. @param {string} path @param {{ signal?: AbortSignal }} [options] */
const readEntries = async (path, options) => {
  const answer = await request('GET', path, options);
  return { entries: /** @type {Details} */ (await answer.json()).entries, next: nextOf(answer) };
};

/** What a change did, row by row, read when it is shown. @param {{ change: Change }} props */
const Facts = ({ change }) => {
  const w = changeWords.value;
  const facts = useMemo(
    () => resource(signal => readEntries(`/api/changes/${change.id}?limit=${ENTRIES_READ}`, { signal })),
    [change.id],
  );
  facts.want();
  const more = async () => {
    const known = facts.data.peek(),
      follows = known?.next;
    if (!follows) return;
    await attempt(async () => {
      const { entries, next } = await readEntries(follows);
      if (facts.data.peek() === known) facts.set({ entries: [...known.entries, ...entries], next });
    });
  };
  const isOne = rowCount(change) === 1;
  return Loaded({
    of: facts,
    skeleton: div({ class: 'skeleton line' }),
    children: ({ entries, next }) => [
      ul(
        { key: 'rows', class: 'plain change-facts' },
        entries.map(entry =>
          h(EntryFacts, { key: `${entry.noun} ${entry.id}`, entry, subject: isOne ? change.subject : null }),
        ),
      ),
      next &&
        button(
          { key: 'more', class: 'link-button', type: 'button', onClick: () => void more() },
          w.more_entries(ENTRIES_READ),
        ),
    ],
  });
};

/** Reads again what an undo may have changed, wherever it is shown. */
const readAgain = () => {
  reread();
  void categories.load();
  void settings.load();
};

/**
 * A change: what, who and when, what it did on request, and its undo. `children` are shown below it at once, in place of what
 * it did to all its rows.
 * @param {{ change: Change, known?: Change[], withDay?: boolean, done: () => void, children?: import('preact').ComponentChildren }} props
 */
export const ChangeRow = ({ change, known = [], withDay = false, done, children }) => {
  const isOpen = useSignal(false),
    busy = useSignal(false),
    title = titleOf(change, known),
    w = words.value.app;
  const undo = async () => {
    if (busy.value) return;
    busy.value = true;
    await undoOf([change.id], w.undone, () => {
      readAgain();
      done();
    })();
    busy.value = false;
  };
  const text = change.undoes === null ? w.undo : w.redo;
  return li(
    { class: 'waiting-row change' },
    div(
      { class: 'waiting-text' },
      span(
        { class: 'waiting-title' },
        children
          ? span(null, title)
          : button(
              {
                class: 'link-button',
                type: 'button',
                'aria-expanded': isOpen.value,
                onClick: () => (isOpen.value = !isOpen.value),
              },
              title,
            ),
      ),
      small({ class: 'quiet' }, summaryOf(change, withDay)),
    ),
    canWrite.value &&
      change.undone_by === null &&
      div({ class: 'row-actions' }, buttonAbout(text, title, undo, '', busy.value)),
    (children || isOpen.value) && div({ class: 'change-more' }, children ?? h(Facts, { change })),
  );
};
