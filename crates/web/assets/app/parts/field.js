// Forms: an error is shown at its field, the first invalid field gets the focus, and typed values stay.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { credential, newKey, Problem } from '../api.js';
import {
  button,
  classes,
  div,
  fieldset,
  form,
  h,
  input,
  label,
  legend,
  newId,
  option,
  p,
  select,
  small,
  span,
  strong,
} from '../dom.js';
import { canWrite } from '../session.js';
import { words } from '../words.js';
import { icon } from './icon.js';
import { fieldMessage, ProblemNote } from './problem.js';

/** @typedef {import('../../../types/client').FieldError} FieldError */

/** @typedef {{ id: string, name: string, 'aria-invalid': boolean, 'aria-describedby': string | undefined }} Control */

/**
 * A problem found here, of the same shape as the service's.
 * @param {...(string | import('../../../types/client').FieldError)} fields
 */
export const invalid = (...fields) =>
  new Problem({
    status: 422,
    code: 'ErrValidation',
    errors: fields.map(field => (typeof field === 'string' ? { field } : field)),
  });

/**
 * A label, a control, a hint and an error. The control's attributes come as an argument.
 * @param {{ label: string, name: string, error?: unknown, hint?: string | undefined, wide?: boolean, children: (control: Control) => import('preact').ComponentChildren }} props
 */
export const Field = ({ label: text, name, error, hint, wide = false, children }) => {
  const id = useRef('');
  id.current ||= newId();
  const wrong = fieldMessage(error, name);
  const note = wrong || hint ? `${id.current}n` : undefined;
  return div(
    { class: classes('field', wide && 'wide', wrong && 'wrong') },
    label({ for: id.current }, text),
    children({ id: id.current, name, 'aria-invalid': wrong !== null, 'aria-describedby': note }),
    wrong ? small({ id: note, class: 'field-error' }, wrong) : hint && small({ id: note, class: 'hint' }, hint),
  );
};

/**
 * A select of a few values with their names.
 * @template {string | boolean} T
 * @param {{ key?: string, label: string, name: string, error?: unknown, hint?: string | undefined, value: T, options: (readonly [NoInfer<T>, string])[], choose: (value: NoInfer<T>) => void }} props
 */
export const selectField = ({ label: text, name, key = name, error, hint, value, options, choose }) =>
  h(Field, {
    key,
    label: text,
    name,
    error,
    hint,
    children: control =>
      select(
        {
          ...control,
          value: String(value),
          onChange: event => {
            const chosen = options.find(([one]) => String(one) === event.currentTarget.value);
            if (chosen) choose(chosen[0]);
          },
        },
        options.map(([one, caption]) =>
          option({ key: String(one), value: String(one), selected: one === value }, caption),
        ),
      ),
  });

/** The languages of the page and of notices. @type {(readonly ['pt-BR' | 'en', string])[]} */
export const LANGUAGES = [
  ['pt-BR', 'Português'],
  ['en', 'English'],
];

/** The options of a `selectField` from names by value. @template {string} T @param {Record<T, string>} names */
export const optionsOf = names => /** @type {[T, string][]} */ (Object.entries(names));

/**
 * A checkbox with its text.
 * @param {import('preact').ComponentChildren} text
 * @param {boolean} checked
 * @param {(is: boolean) => void} set
 * @param {{ disabled?: boolean, 'aria-describedby'?: string | undefined, 'aria-invalid'?: boolean }} [attributes]
 */
export const check = (text, checked, set, attributes) =>
  label(
    { class: 'check' },
    input({ type: 'checkbox', checked, onChange: event => set(event.currentTarget.checked), ...attributes }),
    text,
  );

/**
 * A checkbox with a hint below it, whose id is `id`.
 * @param {string} id
 * @param {string} hint
 * @param {Parameters<typeof check>} of
 */
export const hinted = (id, hint, ...[text, checked, set]) =>
  div({ class: 'field' }, check(text, checked, set, { 'aria-describedby': id }), small({ id, class: 'hint' }, hint));

/**
 * Radio buttons that look like the parts of one bar.
 * @template {string | boolean} T
 * @param {string} name
 * @param {readonly (readonly [T, import('preact').ComponentChildren])[]} options
 * @param {T | undefined} value
 * @param {(value: T) => void} choose
 * @param {{ disabled?: boolean, 'aria-describedby'?: string | undefined, 'aria-invalid'?: boolean }} [attributes]
 */
export const segments = (name, options, value, choose, attributes) =>
  options.map(([one, text]) =>
    label(
      { key: String(one), class: 'segment' },
      input({
        type: 'radio',
        name,
        value: String(one),
        checked: value === one,
        onChange: () => choose(one),
        ...attributes,
      }),
      span(null, text),
    ),
  );

/**
 * Radio buttons, each with a text about it.
 * @template {string | boolean} T
 * @param {string} name
 * @param {string} title
 * @param {(readonly [T, string, string])[]} options
 * @param {T} value
 * @param {(value: T) => void} choose
 * @param {string} [extra]
 */
export const choices = (name, title, options, value, choose, extra = '') =>
  fieldset(
    { key: name, class: 'field' },
    legend(null, title),
    div(
      { class: `choices ${extra}` },
      options.map(([one, heading, text]) =>
        label(
          { key: String(one), class: classes('choice', value === one && 'chosen') },
          input({ type: 'radio', name, checked: value === one, onChange: () => choose(one) }),
          span(null, strong(null, heading), small({ class: 'hint' }, text)),
        ),
      ),
    ),
  );

/**
 * A one-line input for a signal: a text, or another type by its attributes.
 * @param {{ label: string, name: string, error: unknown, hint?: string | undefined, value: import('@preact/signals').Signal<string> } & import('preact').JSX.IntrinsicElements['input']} props
 */
export const TextField = ({ label: text, name, error, hint, value, ...attributes }) =>
  h(Field, {
    label: text,
    name,
    error,
    hint,
    children: control =>
      input({
        ...control,
        type: 'text',
        autoComplete: 'off',
        value: value.value,
        onInput: event => (value.value = event.currentTarget.value),
        ...attributes,
      }),
  });

/**
 * A form that performs its work once: it keeps its idempotency key until it has an answer. `more` are buttons before
 * its own. A delete button replaces the cancel button. `problem` is for a caller that removes the error.
 * A read-only member sees a notice in place of the button, unless the form changes only their own data (`isOwn`).
 * @param {{ submit: string, busy?: string, work: (key: string) => Promise<void>, cancel?: () => void, remove?: (() => void) | undefined, class?: string, danger?: boolean, isOwn?: boolean, problem?: import('@preact/signals').Signal<unknown>, more?: import('preact').ComponentChildren, children: (error: unknown) => import('preact').ComponentChildren }} props
 */
export const Form = ({
  submit,
  busy: busyText,
  work,
  cancel,
  remove,
  class: extra = '',
  danger = false,
  isOwn = false,
  problem,
  more,
  children,
}) => {
  const busy = useSignal(false),
    own = useSignal(/** @type {unknown} */ (null)),
    unseen = useSignal(/** @type {FieldError[]} */ ([])),
    error = problem ?? own,
    isRefused = !isOwn && !canWrite.value;
  const key = useRef(newKey()),
    element = useRef(/** @type {HTMLFormElement | null} */ (null));
  // Right after the render, so that the next typed character goes to the field.
  useLayoutEffect(() => {
    const first = /** @type {HTMLElement | null | undefined} */ (element.current?.querySelector('[aria-invalid=true]'));
    if (error.value) first?.focus();
    unseen.value = first || !(error.value instanceof Problem) ? [] : error.value.errors;
  }, [error.value]);
  const run = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (busy.value || isRefused) return;
    busy.value = true;
    // What is sent may be corrected.
    error.value = null;
    try {
      await work(key.current);
      key.current = newKey();
    } catch (failure) {
      error.value = failure;
      // The form was closed meanwhile, so it cannot show the error.
      if (!element.current && credential.peek()) void import('./toast.js').then(({ failed }) => failed(failure));
    }
    busy.value = false;
  };
  const known = error.value instanceof Problem && error.value.code === 'ErrValidation' && error.value.errors.length > 0;
  return form(
    { class: `form ${extra}`, noValidate: true, ref: element, onSubmit: run },
    children(error.value),
    error.value && !known
      ? h(ProblemNote, { error: error.value })
      : known &&
          (unseen.value.length > 0
            ? // What is refused has no field of its own.
              div(
                { class: 'problem', role: 'alert' },
                [...new Set(unseen.value.map(({ field }) => fieldMessage(error.value, field)))].map(text =>
                  p(null, text),
                ),
              )
            : span({ class: 'unseen', role: 'alert' }, words.value.problems.ErrValidation)),
    isRefused && p({ class: 'note' }, words.value.app.only_reads),
    div(
      { class: 'actions' },
      !isRefused && more,
      remove && !isRefused
        ? div(
            { class: 'more-actions' },
            button(
              { class: 'button quiet-button destructive', type: 'button', onClick: remove },
              icon('trash'),
              words.value.entry.remove,
            ),
          )
        : cancel && button({ class: 'button', type: 'button', onClick: cancel }, words.value.app.cancel),
      !isRefused &&
        button(
          { class: classes('button', danger ? 'danger' : 'primary'), type: 'submit', 'aria-disabled': busy.value },
          busy.value && busyText ? busyText : submit,
        ),
    ),
  );
};
