// A transfer in a list: its title, its amount, its source and its destination.
import { div, h, li, span } from '../../dom.js';
import { dayAndMonth, dayInWords } from '../../dates.js';
import { Amount, nameOf as shown } from '../../parts/amount.js';
import { icon } from '../../parts/icon.js';
import { today } from '../../session.js';
import { language } from '../../words.js';
import { importWords } from '../../words/imports.js';
import { accountLabel, storedBill } from './stored.js';

/** @typedef {import('../../../../types/client').Schemas['Transaction']} Transaction */
/**
 * A side that is not stored here is null. The side of a card may be a bill.
 * @typedef {{ from: Transaction | null, to: Transaction | null, bill_id: number | null }} Sides
 */

/** @param {Sides} sides */
export const nameOf = ({ from, to }) => {
  const row = from ?? to;
  return row ? shown(row) : '';
};

/**
 * `children` are its actions.
 * @param {{ title: string, sides: Sides, children?: import('preact').ComponentChildren }} props
 */
export const Pair = ({ title, sides: { from, to, bill_id }, children }) => {
  const w = importWords.value;
  const bill = bill_id === null || to ? null : storedBill(bill_id).data.value;
  const side = (/** @type {string} */ heading, /** @type {string} */ text) =>
    span(null, span({ class: 'quiet' }, `${heading} `), text);
  const describe = (/** @type {Transaction} */ one) =>
    `${shown(one)} · ${dayAndMonth(language.value, one.date, today.value)} · ${accountLabel(one.account_id)}`;
  return li(
    { class: 'waiting-row suggestion' },
    span({ class: 'waiting-title' }, icon('transfer'), title),
    h(Amount, { value: (from ?? to)?.amount ?? '0.00' }),
    div(
      { class: 'waiting-text' },
      side(w.suggestions.from, from ? describe(from) : w.result.to_none),
      to
        ? side(w.suggestions.to, describe(to))
        : side(
            w.suggestions.to,
            bill
              ? w.review.transfers.bill(
                  accountLabel(bill.account_id),
                  dayInWords(language.value, bill.due_date, today.value),
                )
              : '',
          ),
    ),
    children && div({ class: 'row-actions' }, children),
  );
};
