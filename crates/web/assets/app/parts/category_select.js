// Selects of the profile's categories and accounts, alone and as fields of a form.
import { h, option, select } from '../dom.js';
import { accounts, canWrite, categories } from '../session.js';
import { words } from '../words.js';
import { Field } from './field.js';

/** The value of the option that creates a category. */
export const NEW = 'new';
/** The last option of a select of categories. */
export const newOption = () => canWrite.value && option({ key: NEW, value: NEW }, words.value.form.new_category);
/** Creates a category. @param {(value: string) => void} set Gets its id. */
export const createCategory = set =>
  void import('./new_category.js').then(({ openNewCategory }) => openNewCategory(id => set(String(id))));

/** The last key pressed in a select. */
let pressed = '';
/**
 * The events of a select whose last option creates a category. Arrow keys and letters pass over that option: it is chosen
 * by Enter then. `before` is the value that the select keeps until the category is created.
 * @param {string} before @param {(value: string) => void} set
 */
export const selecting = (before, set) => {
  const begin = () => void (pressed = '');
  /** @param {HTMLSelectElement} element */
  const ask = element => {
    element.value = before;
    createCategory(set);
  };
  return {
    onFocus: begin,
    onPointerDown: begin,
    /** @param {KeyboardEvent & { currentTarget: HTMLSelectElement }} event */
    onKeyDown: event => {
      pressed = event.key;
      if (event.key !== 'Enter' || event.currentTarget.value !== NEW) return;
      event.preventDefault();
      ask(event.currentTarget);
    },
    /** @param {Event & { currentTarget: HTMLSelectElement }} event */
    onChange: ({ currentTarget: element }) => {
      if (element.value !== NEW) set(element.value);
      else if (['', 'Enter', ' '].includes(pressed)) ask(element);
    },
    /** @param {FocusEvent & { currentTarget: HTMLSelectElement }} event */
    onBlur: ({ currentTarget: element }) => {
      if (element.value === NEW) element.value = before;
    },
  };
};

/** @typedef {import('./field.js').Control | { 'aria-label': string }} Labelled */

/**
 * @param {{ control: Labelled, value: import('@preact/signals').Signal<number | null>, none?: string | null, only?: (category: import('../session.js').Schemas['Category']) => boolean }} props
 */
export const CategorySelect = ({ control, value, none, only = () => true }) => {
  categories.want();
  return choose(
    control,
    value,
    none === undefined ? words.value.form.no_category : none,
    (categories.data.value ?? []).filter(row => (!row.hidden || row.id === value.value) && only(row)),
    newOption(),
  );
};

/**
 * @param {{ control: Labelled, value: import('@preact/signals').Signal<number | null>, none?: string | null, only?: (account: import('../session.js').Schemas['Account']) => boolean }} props
 */
export const AccountSelect = ({ control, value, none, only = () => true }) => {
  accounts.want();
  return choose(
    control,
    value,
    none === undefined ? words.value.dashboard.no_account : none,
    (accounts.data.value ?? []).filter(only),
  );
};

/**
 * @param {Labelled} control
 * @param {import('@preact/signals').Signal<number | null>} value
 * @param {string | null} none
 * @param {{ id: number, name: string }[]} rows
 * @param {import('preact').ComponentChildren} [last]
 */
const choose = (control, value, none, rows, last) => {
  const sorted = [...rows].sort((one, other) => one.name.localeCompare(other.name, 'pt-BR')),
    before = value.value === null ? '' : String(value.value);
  return select(
    {
      ...control,
      value: before,
      ...selecting(before, chosen => void (value.value = chosen === '' ? null : Number(chosen))),
    },
    none !== null && option({ value: '' }, none),
    sorted.map(row => option({ key: row.id, value: String(row.id) }, row.name)),
    last,
  );
};

/** @typedef {{ key?: string, label: string, name?: string, error: unknown, hint?: string | undefined }} Labels */

/** @param {Labels & Omit<Parameters<typeof CategorySelect>[0], 'control'>} props */
export const CategoryField = ({ label, name = 'category_id', error, hint, ...of }) =>
  h(Field, { label, name, error, hint, children: control => CategorySelect({ control, ...of }) });

/** @param {Labels & Omit<Parameters<typeof AccountSelect>[0], 'control'>} props */
export const AccountField = ({ label, name = 'account_id', error, hint, ...of }) =>
  h(Field, { label, name, error, hint, children: control => AccountSelect({ control, ...of }) });
