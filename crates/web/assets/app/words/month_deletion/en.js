// Deleting a month and saving a copy of everything, in English.
import { plural } from '../en.js';

/** @type {typeof import('./pt-BR.js').default} */
export default {
  /** @param {string} month */
  title: month => `Delete ${month}`,
  /** @param {number} count */
  count: count => `${plural(count, 'transaction', 'transactions')} will be deleted.`,
  text: 'Everything in this month, in all accounts.',
  /** @param {string} month */
  none: month => `There are no transactions in ${month}.`,
  export_first: 'Would you like to keep a copy of everything first?',
  exported: 'Copy saved. It contains all your data.',
  export_json: 'Export JSON',
  export_csv: 'Export CSV for spreadsheets',
  /** @param {number} count */
  submit: count => `Delete ${plural(count, 'transaction', 'transactions')}`,
  /** @param {number} count @param {string} month */
  done: (count, month) => `${plural(count, 'transaction', 'transactions')} of ${month} deleted.`,
};
