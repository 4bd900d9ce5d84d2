// Recurring items, in English.

/** @type {typeof import('./pt-BR.js').default} */
export default {
  title: month => `Recurring in ${month}`,
  add: 'New item',
  new: 'New recurring item',
  edit: 'Edit recurring item',
  solved: (done, all) => `${done} of ${all} settled`,
  coming: value => `${value} to receive`,
  going: value => `${value} to pay`,
  expected: 'Expected',
  missing: { income: 'Not received yet', expense: 'Not paid yet' },
  state: 'State',
  states: { covered: 'Entered', confirmed: 'Confirmed', late: 'Late', ignored: 'Ignored this month' },
  see: 'See transaction',
  day: 'Day of the month',
  day_hint: 'In shorter months, the last day.',
  choose: 'Choose…',
  added: (description, day) => `${description}: expected every month, on day ${day}.`,
  remove_text: 'It is no longer expected in any month. Existing transactions stay.',
  empty: 'Nothing repeats yet',
  empty_text: 'Salary, rent, school: enter once what repeats every month, and Finance shows what is still missing.',
  from_row: 'Start from a transaction',
};
