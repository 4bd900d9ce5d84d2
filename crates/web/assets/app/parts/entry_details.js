// The form fields of a transaction's lines, tags and note.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Problem } from '../api.js';
import {
  button,
  datalist,
  details,
  div,
  fieldset,
  h,
  input,
  legend,
  newId,
  option,
  p,
  summary,
  textarea,
} from '../dom.js';
import { abs, amount, read } from '../money.js';
import { tags } from '../tags.js';
import { nameKey } from '../text.js';
import { words } from '../words.js';
import { detailWords } from '../words/details.js';
import { inText } from './amount.js';
import { AmountField } from './amount_field.js';
import { CategoryField } from './category_select.js';
import { Field } from './field.js';
import { icon } from './icon.js';
import { fieldMessage } from './problem.js';

/** @typedef {import('./entry_fields.js').Draft} Draft */
/** @typedef {import('./entry_fields.js').TypedLine} TypedLine */

const LINES = { min: 2, max: 20 };
const TAGS_MAX = 10,
  TAG_CHARACTERS_MAX = 30,
  NOTE_CHARACTERS_MAX = 1000;

/**
 * One value of a line as a signal for a field.
 * @template {keyof TypedLine} K
 * @param {Draft} draft
 * @param {number} at
 * @param {K} name
 * @returns {any}
 */
const held = ({ lines }, at, name) => ({
  get value() {
    return lines.value[at]?.[name] ?? null;
  },
  set value(value) {
    lines.value = lines.peek().map((line, index) => (index === at ? { ...line, [name]: value } : line));
  },
  peek: () => lines.peek()[at]?.[name] ?? null,
});

/** Focuses a field once it is drawn. @param {string} name */
const focusSoon = name =>
  requestAnimationFrame(() =>
    /** @type {HTMLElement | null} */ (document.querySelector(`dialog[open] [name="${name}"]`))?.focus(),
  );

/** @param {{ draft: Draft, error: unknown }} props */
const Lines = ({ draft, error }) => {
  const w = detailWords.value,
    lines = draft.lines.value;
  if (lines.length === 0) {
    const split = () => {
      draft.lines.value = [
        { key: newId(), category: draft.category.peek(), amount: '' },
        { key: newId(), category: null, amount: '' },
      ];
      // The button is gone.
      focusSoon('lines[0].amount');
    };
    return div(null, button({ class: 'link-button', type: 'button', onClick: split }, w.split));
  }
  const total = read(draft.amount.value) ?? 0n,
    rest = lines.reduce((left, line) => left - (read(line.amount) ?? 0n), total);
  const empty = rest > 0n ? lines.findIndex(line => !line.amount.trim()) : -1;
  const whole = () => {
    draft.category.value = lines[0]?.category ?? null;
    draft.lines.value = [];
  };
  const drop = (/** @type {number} */ at) => (draft.lines.value = lines.toSpliced(at, 1));
  return [
    lines.map(({ key }, at) =>
      fieldset(
        { key, class: 'condition' },
        legend({ class: 'unseen' }, w.line(at + 1)),
        h(CategoryField, {
          label: w.line(at + 1),
          name: `lines[${at}].category_id`,
          error,
          value: held(draft, at, 'category'),
          none: '…',
        }),
        h(AmountField, {
          label: words.value.entry.amount,
          name: `lines[${at}].amount`,
          value: held(draft, at, 'amount'),
          error,
        }),
        lines.length > LINES.min &&
          button(
            {
              class: 'icon-button',
              type: 'button',
              'aria-label': w.remove_line(at + 1),
              title: w.remove_line(at + 1),
              onClick: () => drop(at),
            },
            icon('close'),
          ),
      ),
    ),
    p(
      { key: 'rest', role: 'status', class: rest < 0n ? 'field-error' : 'quiet' },
      rest === 0n ? w.done : rest > 0n ? w.left(inText(rest)) : w.over(inText(abs(rest))),
    ),
    div(
      { key: 'do', class: 'chips' },
      empty >= 0 &&
        button(
          {
            class: 'link-button',
            type: 'button',
            onClick: () => {
              held(draft, empty, 'amount').value = amount(rest);
              focusSoon(`lines[${empty}].amount`);
            },
          },
          w.fill(inText(rest)),
        ),
      lines.length < LINES.max &&
        button(
          {
            class: 'link-button',
            type: 'button',
            onClick: () => (draft.lines.value = [...lines, { key: newId(), category: null, amount: '' }]),
          },
          w.add_line,
        ),
      button({ class: 'link-button', type: 'button', onClick: whole }, w.whole),
    ),
  ];
};

/** @param {{ draft: Draft, error: unknown }} props */
export const TagsField = ({ draft, error }) => {
  const w = detailWords.value,
    typed = useSignal(''),
    list = useRef(newId()),
    chosen = draft.tags.value,
    all = new Map(chosen.map(tag => [nameKey(tag), tag]));
  useEffect(() => void tags.load(), []);
  const add = () => {
    // The first of those that are the same stays.
    for (const text of typed.peek().split(',')) {
      const tag = text.trim().replace(/\s+/g, ' '),
        key = nameKey(tag);
      if (tag && !all.has(key)) all.set(key, tag);
    }
    typed.value = '';
    if (all.size > chosen.length) draft.tags.value = [...all.values()].slice(0, TAGS_MAX);
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing || (event.key !== 'Enter' && event.key !== ',') || !typed.peek().trim()) return;
    add();
    // Shift+Enter saves the entry too.
    if (!event.shiftKey) event.preventDefault();
  };
  const wrong =
    Array.from({ length: TAGS_MAX }, (_, at) => `tags[${at}]`).find(name => fieldMessage(error, name)) ?? 'tags';
  return h(Field, {
    label: w.tags,
    name: wrong,
    error,
    hint: w.tags_hint,
    children: control =>
      div(
        { class: 'tags-field' },
        chosen.length > 0 &&
          div(
            { class: 'chips' },
            chosen.map(tag =>
              button(
                {
                  key: tag,
                  class: 'chip',
                  type: 'button',
                  'aria-label': w.remove_tag(tag),
                  onClick: () => (draft.tags.value = chosen.filter(known => known !== tag)),
                },
                tag,
                icon('close'),
              ),
            ),
          ),
        chosen.length < TAGS_MAX &&
          input({
            ...control,
            type: 'text',
            list: list.current,
            autoComplete: 'off',
            maxLength: TAG_CHARACTERS_MAX,
            value: typed.value,
            onInput: event => (typed.value = event.currentTarget.value),
            onKeyDown: pressed,
            onBlur: add,
          }),
        datalist(
          { id: list.current },
          (tags.data.value ?? [])
            .filter(({ tag }) => !all.has(nameKey(tag)))
            .map(({ tag }) => option({ key: tag, value: tag })),
        ),
      ),
  });
};

/**
 * `splits`: whether it may have lines. A transfer has none. `opened`: whether it is open at first in any case.
 * @param {{ draft: Draft, error: unknown, splits: boolean, opened?: boolean }} props
 */
export const EntryDetails = ({ draft, error, splits, opened = false }) => {
  const w = detailWords.value,
    isOpen = useSignal(
      opened || draft.lines.peek().length > 0 || draft.tags.peek().length > 0 || draft.note.peek() !== '',
    ),
    seen = useRef(error);
  // What is wrong in here is shown.
  if (seen.current !== error) {
    seen.current = error;
    if (error instanceof Problem && error.errors.some(({ field }) => /^(lines|tags|note)/.test(field)))
      isOpen.value = true;
  }
  return details(
    { open: isOpen.value, onToggle: event => (isOpen.value = event.currentTarget.open) },
    summary(null, w.more),
    isOpen.value &&
      div(
        { class: 'entry-fields' },
        splits && h(Lines, { draft, error }),
        h(TagsField, { draft, error }),
        h(Field, {
          label: w.note,
          name: 'note',
          error,
          children: control =>
            textarea({
              ...control,
              rows: 2,
              maxLength: NOTE_CHARACTERS_MAX,
              value: draft.note.value,
              onInput: event => (draft.note.value = event.currentTarget.value),
            }),
        }),
      ),
  );
};
