// Calendar dates as texts, `2026-03-31`, and months, `2026-03`. All calculations use UTC, so no time zone shifts a
// date.

const DAY_MILLISECONDS = 86_400_000;

/** @param {string} date */
const at = date => Date.parse(`${date}T00:00:00Z`);

/** @param {number} instant */
const dateOf = instant => new Date(instant).toISOString().slice(0, 10);

/** @param {string} date @param {number} days */
export const addDays = (date, days) => dateOf(at(date) + days * DAY_MILLISECONDS);

/** Days from one date to another. @param {string} from @param {string} to */
export const daysBetween = (from, to) => (at(to) - at(from)) / DAY_MILLISECONDS;

/** @param {string} date */
export const monthOf = date => date.slice(0, 7);

/** @param {string} month @param {number} count */
export const addMonths = (month, count) => {
  const total = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + count;
  return `${String(Math.floor(total / 12)).padStart(4, '0')}-${String((total % 12) + 1).padStart(2, '0')}`;
};

/** The last day of a month. @param {string} month */
export const lastDay = month => addDays(`${addMonths(month, 1)}-01`, -1);

/** A day of a month, or its last day if the month is shorter. @param {string} month @param {number} day */
export const dayIn = (month, day) => {
  const wanted = `${month}-${String(day).padStart(2, '0')}`,
    last = lastDay(month);
  return wanted > last ? last : wanted;
};

/** A month that the service takes: of the years 1900 to 2199. @param {unknown} text */
export const isMonth = text => typeof text === 'string' && /^(19|2[01])\d\d-(0[1-9]|1[0-2])$/.test(text);

/** The date of a moment by the clock of this device. @param {Date} moment */
export const deviceDate = moment => dateOf(Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate()));

/** The device's date, until the service has sent its own. */
export const deviceToday = () => deviceDate(new Date());

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {string} language @param {string} date @param {Intl.DateTimeFormatOptions} options */
const written = (language, date, options) => {
  const key = language + JSON.stringify(options);
  let format = formats.get(key);
  if (!format) formats.set(key, (format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })));
  return format.format(at(date));
};

/** `31/03/2026`. @param {string} language @param {string} date */
export const shortDate = (language, date) =>
  written(language, date, { day: '2-digit', month: '2-digit', year: 'numeric' });

/**
 * `31 de mar.`, with the year if it is not this year.
 * @param {string} language
 * @param {string} date
 * @param {string} today
 */
export const dayAndMonth = (language, date, today) =>
  written(language, date, {
    day: 'numeric',
    month: 'short',
    ...(date.slice(0, 4) === today.slice(0, 4) ? {} : { year: 'numeric' }),
  });

/** `31 de março`, for sentences. @param {string} language @param {string} date @param {string} today */
export const dayInWords = (language, date, today) =>
  written(language, date, {
    day: 'numeric',
    month: 'long',
    ...(date.slice(0, 4) === today.slice(0, 4) ? {} : { year: 'numeric' }),
  });

/** `terça-feira, 31 de março`. @param {string} language @param {string} date @param {string} today */
export const longDate = (language, date, today) =>
  written(language, date, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(date.slice(0, 4) === today.slice(0, 4) ? {} : { year: 'numeric' }),
  });

/** `terça-feira`. @param {string} language @param {string} date */
export const weekday = (language, date) => written(language, date, { weekday: 'long' });

/** `março de 2026`. @param {string} language @param {string} month */
export const monthName = (language, month) => written(language, `${month}-01`, { month: 'long', year: 'numeric' });

/** `março`. @param {string} language @param {string} month */
export const monthAlone = (language, month) => written(language, `${month}-01`, { month: 'long' });

/** `mar`. @param {string} language @param {string} month */
export const monthShort = (language, month) => written(language, `${month}-01`, { month: 'short' }).replace('.', '');
