// The second step of a CSV file: the detected format, and fields to change it.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import {
  button,
  caption,
  classes,
  details,
  div,
  form,
  h,
  h2,
  li,
  option,
  p,
  section,
  select,
  small,
  span,
  summary,
  table,
  tbody,
  td,
  th,
  thead,
  tr,
  ul,
} from '../../dom.js';
import { longDate } from '../../dates.js';
import { Signed } from '../../parts/amount.js';
import { check, Field } from '../../parts/field.js';
import { today } from '../../session.js';
import { language } from '../../words.js';
import { importWords } from '../../words/imports.js';
import { ProblemNote } from '../../parts/problem.js';
import { tableFrame } from '../../parts/table.js';
import { Busy, isWrongFile } from './file_problem.js';
import { Rejected } from './rejected.js';
import { readAs } from './statement.js';

/** @typedef {import('./statement.js').Statement} Statement */
/** @typedef {'date' | 'description' | 'amount'} Role */

const ROLES = /** @type {const} */ (['date', 'description', 'amount']);
const SEPARATORS = [';', ',', '\t', '|'];
/** Column separators of rare files. Offered if every line has the same number of them. */
const RARE_SEPARATORS = ['#', '~', '^', '*', '&', ':'];
const DATE_FORMATS = [
  'dd/mm/yyyy',
  'dd/mm/yy',
  'dd-mm-yyyy',
  'dd.mm.yyyy',
  'yyyy-mm-dd',
  'yyyy/mm/dd',
  'yyyymmdd',
  'mm/dd/yyyy',
];
/** The part of the file that is examined if the service returns no lines of it. */
const HEAD_BYTES = 8192;
const LINES_SHOWN = 5;
const ROWS_SHOWN = 4;

/** The first lines of the file, if the browser can read them. @param {File} file */
const firstLines = async file => {
  const bytes = await file.slice(0, HEAD_BYTES).arrayBuffer();
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    text = new TextDecoder('windows-1252').decode(bytes);
  }
  return text
    .split(/\r\n|\r|\n/)
    .filter(line => line.trim())
    .slice(0, 3 * LINES_SHOWN);
};

/** @param {string} line @param {string} separator */
const cells = (line, separator) => line.split(separator).map(cell => cell.trim().replace(/^"(.*)"$/, '$1'));

/** The possible separators of a file. @param {string[]} lines */
const separatorsOf = lines => {
  const alike = (/** @type {string} */ mark) =>
    new Set(lines.map(line => line.split(mark).length)).size === 1 && (lines[0]?.includes(mark) ?? false);
  return [...SEPARATORS, ...RARE_SEPARATORS.filter(alike)];
};

/**
 * Headers and rows of lines. The separator is the most frequent one; the first of the widest lines has the headers.
 * @param {string[]} lines
 * @param {string} asked
 */
const parted = (lines, asked) => {
  const count = (/** @type {string} */ separator) =>
    lines.reduce((total, line) => total + line.split(separator).length - 1, 0);
  const separator = asked || separatorsOf(lines).sort((one, other) => count(other) - count(one))[0] || ';';
  const rows = lines.map(line => cells(line, separator)),
    width = Math.max(0, ...rows.map(row => row.length));
  const first = Math.max(
    0,
    rows.findIndex(row => row.length === width),
  );
  return { headers: rows[first] ?? [], sample: rows.slice(first + 1, first + 1 + LINES_SHOWN) };
};

/** @param {{ of: Statement }} props */
export const Columns = ({ of }) => {
  const w = importWords.value,
    c = w.columns,
    preview = of.preview.value,
    reading = of.reading.value,
    error = of.error.value;
  const wasOpen = useRef(false),
    isMendFirst = useRef(of.preview.value === null || of.preview.value.rows.length === 0),
    local = useSignal(/** @type {string[]} */ ([]));
  useEffect(() => void firstLines(of.file).then(lines => (local.value = lines)), [of]);
  const { headers: named, sample } =
    preview?.headers && preview.sample
      ? { headers: preview.headers, sample: preview.sample }
      : parted(local.value, reading.separator);
  const headers = Array.from(
    { length: Math.max(named.length, ...sample.map(row => row.length)) },
    (_, place) => named[place] ?? '',
  );
  const detected = preview?.detected ?? null;
  /** The index of a column from 0, as chosen or detected. @param {Role} role */
  const placeOf = role => {
    const named = reading[`${role}_column`] || detected?.[`${role}_column`] || '';
    const number = Number(named);
    return Number.isInteger(number) && number > 0 ? number - 1 : headers.indexOf(String(named));
  };
  const places = new Map(ROLES.map(role => [placeOf(role), role]));
  const nameOf = (/** @type {number} */ place) => headers[place]?.trim() || c.column(place + 1);
  const change = (/** @type {Parameters<typeof readAs>[1]} */ changed) => void readAs(of, changed);
  const auto = (/** @type {string | null | undefined} */ known) => (known ? c.recognised(known) : c.automatic);
  const separatorName = (/** @type {string} */ mark) =>
    c.separators[/** @type {keyof typeof c.separators} */ (mark)] ?? mark;
  const choose = (
    /** @type {'separator' | 'decimal_separator' | 'date_format' | 'card_sign'} */ name,
    /** @type {string} */ text,
    /** @type {string[]} */ values,
    /** @type {(value: string) => string} */ describe,
  ) =>
    h(Field, {
      label: text,
      name,
      error,
      children: control =>
        select(
          { ...control, value: reading[name], onChange: event => change({ [name]: event.currentTarget.value }) },
          option(
            { value: '' },
            auto(
              (found => (found ? (name === 'date_format' ? c.letters(String(found)) : describe(String(found))) : null))(
                detected?.[name === 'card_sign' ? 'sign' : name],
              ),
            ),
          ),
          values.map(value => option({ key: value, value }, describe(value))),
        ),
    });
  const count = preview?.rows.length ?? 0,
    canGo = count > 0 && error === null && !of.busy.value;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (canGo) of.step.value = 'review';
  };
  const isAsked = Object.values(reading).some(Boolean),
    isWrong = preview === null || count === 0 || error !== null;
  const first = section(
    { key: 'found', class: 'card', 'aria-labelledby': 'read' },
    h2({ id: 'read' }, c.result),
    error !== null && !isWrongFile(error) && !isAboutOption(error)
      ? h(ProblemNote, { error, retry: () => void of.read() })
      : count === 0 || error !== null
        ? p({ class: 'quiet' }, c.nothing_then)
        : ul(
            { class: classes('rows', of.busy.value && 'stale') },
            (preview?.rows ?? [])
              .slice(0, ROWS_SHOWN)
              .map(row =>
                li(
                  { key: row.row, class: 'entry read-row' },
                  div(
                    { class: 'entry-text' },
                    span({ class: 'entry-title' }, row.description),
                    span({ class: 'quiet' }, longDate(language.value, row.date, today.value)),
                  ),
                  h(Signed, { value: row.amount, type: row.type }),
                ),
              ),
          ),
    preview && h(Rejected, { rows: preview.rejected }),
    of.busy.value
      ? h(Busy, { text: w.reading(of.file.name), cancel: of.cancel })
      : div(
          { class: 'actions' },
          button({ class: 'button', type: 'button', onClick: () => (of.step.value = 'file') }, w.back),
          button(
            { class: 'button primary', type: 'submit', 'aria-disabled': !canGo },
            count === 0 ? c.go_none : c.go(count),
          ),
        ),
  );
  const mend = details(
    {
      key: 'mend',
      class: 'card mend',
      open: wasOpen.current || isWrong || isAsked,
      onToggle: event => (wasOpen.current = event.currentTarget.open),
    },
    summary(null, isMendFirst.current ? c.tell : c.mend),
    div(
      { class: 'field-grid' },
      ROLES.map(role =>
        h(Field, {
          key: role,
          label: c.column_of[role],
          name: `${role}_column`,
          error,
          children: control =>
            select(
              {
                ...control,
                value: reading[`${role}_column`],
                onChange: event => change({ [`${role}_column`]: event.currentTarget.value }),
              },
              option(
                { value: '' },
                auto(
                  detected?.[`${role}_column`] && placeOf(role) >= 0 && !reading[`${role}_column`]
                    ? nameOf(placeOf(role))
                    : null,
                ),
              ),
              headers.map((_, place) => option({ key: place, value: String(place + 1) }, nameOf(place))),
            ),
        }),
      ),
      // The cells of a spreadsheet need no separator.
      detected?.separator !== null && choose('separator', c.separator, separatorsOf(local.value), separatorName),
      choose('decimal_separator', c.decimal, [',', '.'], mark => c.decimals[/** @type {',' | '.'} */ (mark)] ?? mark),
      choose('date_format', c.date_format, DATE_FORMATS, format => c.date_formats(format)),
      (of.isCard.value || detected?.sign) &&
        choose('card_sign', c.card_sign, Object.keys(c.card_signs), sign => c.card_signs[sign] ?? sign),
    ),
    div(
      { class: 'checks' },
      check(
        span(null, c.skip_negative, ' ', small({ class: 'hint' }, c.skip_negative_hint)),
        reading.skip_negative,
        is => change({ skip_negative: is }),
      ),
      check(span(null, c.all_expenses, ' ', small({ class: 'hint' }, c.all_expenses_hint)), reading.all_expenses, is =>
        change({ all_expenses: is }),
      ),
    ),
  );
  return form(
    { class: 'form', noValidate: true, onSubmit: submit },
    section(
      { class: 'card', 'aria-labelledby': 'columns' },
      h2({ id: 'columns', tabIndex: -1, class: 'step-title' }, preview === null ? c.unknown_title : c.title),
      p(
        { class: 'finding', role: 'status' },
        preview === null ? c.unknown : count === 0 ? c.nothing : c.found(count, preview.rejected.length),
      ),
      headers.length > 0 &&
        tableFrame(
          c.lines,
          table(
            { class: 'sample' },
            caption({ class: 'unseen' }, c.lines),
            thead(
              null,
              tr(
                null,
                headers.map((_, place) => {
                  const role = places.get(place);
                  return th(
                    { key: place, scope: 'col', class: classes(role && 'used') },
                    nameOf(place),
                    role && span({ class: 'badge role' }, c.roles[role]),
                  );
                }),
              ),
            ),
            tbody(
              null,
              sample.slice(0, LINES_SHOWN).map((row, index) =>
                tr(
                  { key: index },
                  headers.map((_, place) =>
                    td({ key: place, class: classes(places.has(place) && 'used') }, row[place] ?? ''),
                  ),
                ),
              ),
            ),
          ),
        ),
    ),
    isMendFirst.current ? [mend, first] : [first, mend],
  );
};

/** @param {unknown} error */
const isAboutOption = error =>
  /** @type {{ errors?: { field: string }[] } | null} */ (error)?.errors?.some(({ field }) =>
    /_column$|separator$|^(date_format|card_sign)$/.test(field),
  ) === true;
