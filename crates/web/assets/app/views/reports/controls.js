// What the reports share: their year, their rows as a file, and their print.
import { useSignal } from '@preact/signals';
import { request } from '../../api.js';
import { button, label, option, select } from '../../dom.js';
import { save } from '../../parts/download.js';
import { attempt } from '../../parts/toast.js';
import { go, place, withQuery } from '../../router.js';
import { today } from '../../session.js';

/** The number of years to choose from. The address may name an older one. */
const YEARS_OFFERED = 6;

const thisYear = () => Number(today.value.slice(0, 4));

/** The year in the address. Without one from `first` on, the year that is `back` years ago. @param {number} first @param {number} back */
export const yearOf = (first, back) => {
  const named = Number(place.value.query.get('year'));
  return Number.isInteger(named) && named >= first && named <= thisYear() ? named : thisYear() - back;
};

/** @param {string} id @param {string} text @param {number} year The chosen one. */
export const yearSelect = (id, text, year) => {
  const years = [...new Set([...Array.from({ length: YEARS_OFFERED }, (_, back) => thisYear() - back), year])];
  return [
    label({ key: 'label', class: 'unseen', for: id }, text),
    select(
      {
        key: 'year',
        id,
        class: 'button',
        value: String(year),
        onChange: event => go(withQuery({ year: event.currentTarget.value }), { replace: true }),
      },
      years.map(one => option({ key: one, value: String(one) }, one)),
    ),
  ];
};

/** @param {{ text: string, path: string, query: Record<string, unknown>, name: string }} props */
export const Download = ({ text, path, query, name }) => {
  const busy = useSignal(false);
  const download = () =>
    attempt(async () => save(await request('GET', path, { query: { ...query, format: 'csv' } }), name), { busy });
  return button({ class: 'button', type: 'button', 'aria-disabled': busy.value, onClick: () => void download() }, text);
};

/** @param {string} text */
export const printButton = text =>
  button({ key: 'print', class: 'button', type: 'button', onClick: () => print() }, text);
