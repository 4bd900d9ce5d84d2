// ◀ month ▶: the month is in the address, so each is a link.
import { a, classes, div, optgroup, option, select } from '../dom.js';
import { addMonths, monthAlone, monthName, monthOf, monthShort } from '../dates.js';
import { go, withQuery } from '../router.js';
import { month, today } from '../session.js';
import { language, words } from '../words.js';
import { icon } from './icon.js';
import { signal } from '@preact/signals';

/** Months to choose from before the first transaction is known. */
const MONTHS_BACK = 24;

/** The month of the first transaction, once a view has read it. */
export const firstMonth = signal(/** @type {string | null} */ (null));

/** The period that a view shows instead of the month, in words. Null if it shows the month. */
export const otherPeriod = signal(/** @type {string | null} */ (null));

/** Whether the header has no room for the whole name of a month. */
const narrow = matchMedia('(max-width: 420px)'),
  isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => (isNarrow.value = narrow.matches));

/** `junho`, or `jun.` on a phone. @param {string} code @param {string} month */
const nameOf = (code, month) =>
  isNarrow.value ? monthShort(code, month) + (code === 'en' ? '' : '.') : monthAlone(code, month);

const months = () => {
  const shown = month.value,
    newest = [addMonths(monthOf(today.value), 1), shown].sort()[1] ?? shown;
  const known = firstMonth.value ?? addMonths(monthOf(today.value), -MONTHS_BACK);
  const oldest = [known, shown].sort()[0] ?? shown;
  const found = [];
  for (let at = newest; at >= oldest; at = addMonths(at, -1)) found.push(at);
  return found;
};

export const MonthSwitch = () => {
  const w = words.value.month,
    shown = month.value,
    code = language.value,
    other = otherPeriod.value;
  const at = (/** @type {string} */ other) =>
    withQuery({
      month: other === monthOf(today.value) && !otherPeriod.value ? null : other,
      from: null,
      to: null,
      // These have days of their own.
      bill_id: null,
      import_id: null,
    });
  const step = (
    /** @type {number} */ by,
    /** @type {(month: string) => string} */ describe,
    /** @type {'left' | 'right'} */ drawing,
  ) =>
    a(
      {
        class: 'icon-button',
        href: at(addMonths(shown, by)),
        'aria-label': describe(monthName(code, addMonths(shown, by))),
      },
      icon(drawing),
    );
  /** @type {Map<string, string[]>} */
  const years = new Map();
  for (const known of months()) years.set(known.slice(0, 4), [...(years.get(known.slice(0, 4)) ?? []), known]);
  return div(
    { class: classes('month-switch') },
    step(-1, w.previous, 'left'),
    select(
      { 'aria-label': w.label, value: other ? '' : shown, onChange: event => go(at(event.currentTarget.value)) },
      other && option({ value: '' }, other),
      [...years].map(([year, known]) =>
        optgroup(
          { key: year, label: year },
          known.map(one => option({ key: one, value: one }, `${nameOf(code, one)} ${year}`)),
        ),
      ),
    ),
    step(1, w.next, 'right'),
  );
};
