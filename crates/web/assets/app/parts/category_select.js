// Selects of the profile's categories and accounts.
import { option, select } from '../dom.js';
import { accounts, categories } from '../session.js';
import { words } from '../words.js';

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
 */
const choose = (control, value, none, rows) => {
  const sorted = [...rows].sort((one, other) => one.name.localeCompare(other.name, 'pt-BR'));
  return select(
    {
      ...control,
      value: value.value === null ? '' : String(value.value),
      onChange: event => (value.value = event.currentTarget.value === '' ? null : Number(event.currentTarget.value)),
    },
    none !== null && option({ value: '' }, none),
    sorted.map(row => option({ key: row.id, value: String(row.id) }, row.name)),
  );
};
