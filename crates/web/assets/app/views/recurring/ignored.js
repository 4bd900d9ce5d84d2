// What is said once a due is ignored.
import { dayAndMonth } from '../../dates.js';
import { today } from '../../session.js';
import { language, words } from '../../words.js';

/**
 * An item by days or weeks has several dues in a month, so the day says which.
 * @param {Pick<import('../../session.js').Schemas['Recurring'], 'description' | 'every'>} item @param {string} date
 */
export const ignoredText = ({ description, every }, date) => {
  const w = words.value.dashboard;
  return every.unit === 'day' || every.unit === 'week'
    ? w.ignored_due(description, dayAndMonth(language.value, date, today.value))
    : w.ignored(description);
};
