// Money: texts such as "-1234.50" from and to the service, BigInt cents in between. Never a float.

const MINUS = '\u2212';

/** @param {string} language */
const formatsIn = language => ({
  currency: new Intl.NumberFormat(language, { style: 'currency', currency: 'BRL' }),
  units: new Intl.NumberFormat(language, { maximumFractionDigits: 0 }),
  plain: new Intl.NumberFormat(language, { minimumFractionDigits: 2 }),
  share: new Intl.NumberFormat(language, { maximumFractionDigits: 2 }),
  mark: language === 'en' ? '.' : ',',
});
let formats = formatsIn('pt-BR');

/** Writes amounts as a language does: `1.234,50` in Portuguese, `1,234.50` in English. @param {string} language */
export const numbersIn = language => {
  formats = formatsIn(language);
};

/** The cents of a text of the service. @param {string} text */
export const cents = text => {
  const [, sign, units, hundredths = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  if (units === undefined) throw new RangeError(`not money: ${text}`);
  const found = BigInt(units) * 100n + BigInt(hundredths.padEnd(2, '0'));
  return sign ? -found : found;
};

/** The text of cents, as the service takes it. @param {bigint} value */
export const decimal = value => {
  const digits = (value < 0n ? -value : value).toString().padStart(3, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** @param {string | bigint} value @param {Intl.NumberFormat} by */
const written = (value, by) => {
  const text = typeof value === 'bigint' ? decimal(value) : value;
  return by.format(/** @type {any} */ (text)).replace('-', MINUS);
};

/** `R$ 1.234,50`, with a space in English, too. @param {string | bigint} value */
export const money = value => written(value, formats.currency).replace(/R\$(?=\d)/, 'R$\u00a0');

/** `1.235`, to the next whole real, half away from zero. @param {string | bigint} value */
export const rounded = value => written(value, formats.units);

/** `1.234,50`, for a field. @param {string | bigint} value */
export const amount = value => written(value, formats.plain).replace(MINUS, '-');

/** What an account is worth: its balance, and what its held statements ask for. @param {{ balance: string, held: string }} account */
export const worth = ({ balance, held }) => cents(balance) + cents(held);

/** @param {string[]} texts */
export const sum = texts => texts.reduce((total, text) => total + cents(text), 0n);

/** @param {bigint} value */
export const abs = value => (value < 0n ? -value : value);

/** A share of amounts that are not below zero in whole percents, rounded half up. @param {bigint} part @param {bigint} whole */
export const percent = (part, whole) => (whole === 0n ? 0 : Number((part * 1000n + whole * 5n) / (whole * 10n)));

/** `14,65%`; the number has at most two decimals. @param {number} value */
export const percentage = value => `${formats.share.format(value).replace('-', MINUS)}%`;

/** `14,65`, for a field of another number than an amount. @param {number | null | undefined} value */
export const figure = value => String(value ?? '').replace('.', formats.mark);

/**
 * Reads what a person types: `45,90`, `1.234,56`, `1,234.56`, `45.9`, `12+8,50-3`.
 * @param {string} typed @returns {bigint | null} Null if it is not an amount.
 */
export const read = typed => {
  const terms = typed.replace(/R\$|\s|\u00a0/g, '').replaceAll(MINUS, '-');
  if (!/^[-+]?[\d.,]+([-+][\d.,]+)*$/.test(terms)) return null;
  let total = 0n;
  for (const [, sign, digits] of terms.matchAll(/([-+]?)([\d.,]+)/g)) {
    const value = number(digits ?? '');
    if (value === null) return null;
    total += sign === '-' ? -value : value;
  }
  return total;
};

/** @param {string} digits @returns {bigint | null} */
const number = digits => {
  const comma = digits.lastIndexOf(','),
    point = digits.lastIndexOf('.');
  const both = comma >= 0 && point >= 0;
  const last = Math.max(comma, point);
  const mark = digits[last];
  // A single mark of thousands before three digits groups them: `1.234`, in English `1,234`. Any other single mark is the decimal mark.
  const groupsOnly =
    last >= 0 &&
    !both &&
    (digits.indexOf(/** @type {string} */ (mark)) !== last ||
      (mark !== formats.mark && digits.length - last === 4 && last <= 3 && last > 0 && digits[0] !== '0'));
  const end = last < 0 || groupsOnly ? digits.length : last;
  const whole = digits.slice(0, end),
    hundredths = digits.slice(end + 1);
  if (!/^\d{0,2}$/.test(hundredths) || (end < digits.length && hundredths === '')) return null;
  if (!/^(\d+|\d{1,3}([.,]\d{3})+)$/.test(whole) && !(whole === '' && hundredths)) return null;
  if (both && mark && whole.includes(mark)) return null;
  return BigInt(whole.replace(/[.,]/g, '') || '0') * 100n + BigInt(hundredths.padEnd(2, '0'));
};
