// A description field that completes from descriptions used before. Choosing one passes on what it was used with.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { get, isAborted } from '../api.js';
import { classes, div, h, input, li, newId, span, ul } from '../dom.js';
import { categoryById } from '../session.js';
import { fold } from '../text.js';
import { words } from '../words.js';
import { categoryColor } from './budget_bar.js';
import { Field } from './field.js';

/** The pause in typing before descriptions are requested. */
const PAUSE_MILLISECONDS = 150;
const SHOWN_MAX = 6;

/** @typedef {import('../session.js').Schemas['UsedDescription']} UsedDescription */

/**
 * `used` is called with the last use of a description, once it was chosen or typed completely.
 * @param {{ value: import('@preact/signals').Signal<string>, label: string, error?: unknown, autofocus?: boolean, placeholder?: string, used?: (found: UsedDescription) => void }} props
 */
export const DescriptionField = ({ value, label, error, autofocus = false, placeholder, used }) => {
  const found = useSignal(/** @type {UsedDescription[]} */ ([])),
    isOpen = useSignal(false),
    active = useSignal(-1);
  const list = useRef(newId()),
    timer = useRef(0),
    running = useRef(/** @type {AbortController | null} */ (null));
  const stop = () => {
    clearTimeout(timer.current);
    running.current?.abort();
  };
  useEffect(() => stop, []);

  const ask = async () => {
    const q = value.peek().trim(),
      own = (running.current = new AbortController());
    if (!q) return;
    try {
      const answer = await get('/api/transactions/descriptions', {
        query: { q, limit: SHOWN_MAX },
        signal: own.signal,
      });
      if (own.signal.aborted) return;
      found.value = answer;
      active.value = -1;
      isOpen.value = answer.length > 0 && !(answer.length === 1 && answer[0]?.description === q);
    } catch (error) {
      // Without completions it is an ordinary field.
      if (!isAborted(error)) found.value = [];
    }
  };
  const typed = (/** @type {string} */ text) => {
    value.value = text;
    stop();
    if (!used) return;
    if (!text.trim()) isOpen.value = false;
    timer.current = setTimeout(() => void ask(), PAUSE_MILLISECONDS);
  };
  const choose = (/** @type {UsedDescription} */ one) => {
    stop();
    value.value = one.description;
    isOpen.value = false;
    used?.(one);
  };
  const left = () => {
    stop();
    isOpen.value = false;
    const same = found.value.find(one => fold(one.description) === fold(value.value));
    if (same) used?.(same);
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (!isOpen.value || event.isComposing) return;
    const last = found.value.length - 1,
      chosen = found.value[active.value];
    if (event.key === 'ArrowDown') active.value = active.value >= last ? 0 : active.value + 1;
    else if (event.key === 'ArrowUp') active.value = active.value <= 0 ? last : active.value - 1;
    else if (event.key === 'Escape') isOpen.value = false;
    else if (event.key === 'Enter' && chosen && !event.shiftKey) choose(chosen);
    else return;
    event.preventDefault();
  };
  return h(Field, {
    label,
    name: 'description',
    error,
    children: control =>
      div(
        { class: 'completed' },
        input({
          ...control,
          type: 'text',
          autoComplete: 'off',
          maxLength: 255,
          value: value.value,
          autoFocus: autofocus,
          placeholder,
          ...(used
            ? {
                role: 'combobox',
                'aria-autocomplete': 'list',
                'aria-expanded': isOpen.value,
                'aria-controls': list.current,
              }
            : {}),
          ...(isOpen.value && active.value >= 0 ? { 'aria-activedescendant': `${list.current}-${active.value}` } : {}),
          onInput: event => typed(event.currentTarget.value),
          onKeyDown: pressed,
          onBlur: left,
        }),
        isOpen.value &&
          ul(
            { class: 'completions', role: 'listbox', id: list.current, 'aria-label': words.value.entry.used_before },
            found.value.map((one, index) =>
              li(
                {
                  key: one.description,
                  id: `${list.current}-${index}`,
                  role: 'option',
                  class: classes('completion', index === active.value && 'active'),
                  'aria-selected': index === active.value,
                  // Before the field loses the focus.
                  onPointerDown: event => {
                    event.preventDefault();
                    choose(one);
                  },
                },
                span({ class: 'completion-text' }, one.description),
                one.category_id !== null &&
                  span(
                    { class: 'quiet category-note' },
                    span({ class: classes('dot', categoryColor(one.category_id)) }),
                    categoryById.value.get(one.category_id)?.name,
                  ),
              ),
            ),
          ),
      ),
  });
};
