// What a row shows: its name, and its amount, or dots if amounts are hidden.
import { classes, h, remembered, span } from '../dom.js';
import { amount, cents, money, rounded } from '../money.js';
import { language, words } from '../words.js';

/** Whether amounts are hidden on this device. */
export const hidden = remembered('hidden', /** @type {boolean} */ (false));

const BARE_DOTS = '••••',
  DOTS = `R$\u00a0${BARE_DOTS}`;

/**
 * An amount as this page writes it, which follows the language.
 * @param {string | bigint} value @param {(value: string | bigint) => string} by
 */
const written = (value, by) => language.value && by(value);

/** The amount as text, for sentences and labels. @param {string | bigint} value */
export const inText = value => (hidden.value ? DOTS : written(value, money));

/** The amount in a field that shows it before it is typed. @param {string} value */
export const inField = value => (hidden.value ? BARE_DOTS : written(value, amount));

/** A text of the service, without its amounts if they are hidden. @param {string} text */
export const veiled = text => (hidden.value ? text.replace(/[-\u2212]?R\$\s*[-\u2212]?[\d.,]*\d/g, DOTS) : text);

/** The amount in whole reais, for a sentence that is read at a glance: `1.235`. @param {string | bigint} value */
export const whole = value => (hidden.value ? BARE_DOTS : written(value, rounded));

/** `R$ 1.235`. @param {string | bigint} value */
export const saidWhole = value => `R$\u00a0${whole(value)}`;

/** `3/6`: the number of a row's instalment. @param {{ installment: { number: number, count: number } | null }} row */
export const partOf = ({ installment }) => installment && `${installment.number}/${installment.count}`;

/**
 * The name of a row: what a person or a rule wrote, or the payee's clean name. The whole text belongs in a tooltip or in
 * the details. A row that is not stored yet may have none.
 * @param {{ description: string, statement_description?: string | null, source?: string, display?: { name: string } }} row
 */
export const nameOf = ({ description, statement_description: text, source, display }) =>
  source === 'manual' || (typeof text === 'string' && text !== description)
    ? description
    : (display?.name ?? description);

/** A net sum, with its sign. @param {bigint} sum */
export const signedSum = sum => (sum > 0n && !hidden.value ? '+' : '') + inText(sum);

/** From how many characters on an amount is written smaller where there is little room. */
const LONG = 14;

/** A figure. @param {{ value: string | bigint, class?: string }} props */
export const Amount = ({ value, class: extra = '' }) =>
  hidden.value
    ? span(
        { class: `money ${extra}` },
        span({ 'aria-hidden': 'true' }, DOTS),
        span({ class: 'unseen' }, words.value.app.hidden_value),
      )
    : span({ class: classes('money', extra, inText(value).length > LONG && 'long') }, inText(value));

/** A balance, which looks so below zero. @param {string | bigint} value */
export const balance = value => h(Amount, { value, class: `${value}`.startsWith('-') ? 'below' : '' });

/**
 * An income or expense: sign, word and colour together.
 * @param {{ value: string, type: string, transfer?: boolean }} props
 */
export const Signed = ({ value, type, transfer = false }) => {
  const isIn = type === 'income',
    w = words.value.money;
  const word = transfer ? w.transfer : isIn ? w.income : w.expense;
  const figure = hidden.value ? DOTS : (isIn ? '+' : '') + money(isIn ? cents(value) : -cents(value));
  return span(
    { class: `money ${transfer ? 'moved' : isIn ? 'in' : 'out'}` },
    span({ class: 'unseen' }, `${word} `),
    figure,
  );
};
