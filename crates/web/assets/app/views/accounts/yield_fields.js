// The yield of an account: its types, what they pay, and the request body.
import { useSignal } from '@preact/signals';
import { div, h, small } from '../../dom.js';
import { shortDate } from '../../dates.js';
import { figure } from '../../money.js';
import { accounts, today } from '../../session.js';
import { language } from '../../words.js';
import { accountWords } from '../../words/accounts.js';
import { choices, TextField } from '../../parts/field.js';

/** @typedef {import('../../session.js').Schemas['Account']} Account */
/** @typedef {Account['yield_type']} Type */

/** The yield types that each kind of account may have. @type {Record<Account['kind'], Type[]>} */
const TYPES = {
  current: [],
  credit: [],
  savings: ['none', 'poupanca'],
  investment: ['none', 'cdi', 'fixed', 'ipca', 'selic', 'variable'],
};
/** Whether the service computes the yield. */
const isComputed = (/** @type {Type} */ type) => !['none', 'variable'].includes(type);
const hasRate = (/** @type {Type} */ type) => ['fixed', 'ipca', 'selic'].includes(type);

/** @param {import('@preact/signals').Signal<string>} value */
const read = ({ value }) => Number(value.trim().replace(',', '.'));

/**
 * The typed and chosen values. Only an investment has its own way of counting days, so any other account shows the
 * service's default.
 * @param {Account | undefined} account
 */
export const useYields = account => {
  const usual = (accounts.data.peek() ?? []).find(({ kind }) => kind !== 'investment')?.yield_day_count ?? 'calendar';
  return {
    // Until one is chosen, a new account has that of its kind.
    type: useSignal(/** @type {Type | null} */ (account?.yield_type ?? null)),
    share: useSignal(figure(account?.cdi_percentage ?? 100)),
    rate: useSignal(figure(account?.yield_rate)),
    // A new one counts and is taxed as most contracts are.
    count: useSignal(account ? (account.yield_day_count ?? usual) : 'business'),
    tax: useSignal(account?.yield_tax ?? (account ? 'none' : 'regressive')),
    since: useSignal(today.peek()),
    paid: account && isComputed(account.yield_type) ? account.last_yield_date : null,
  };
};

/** @typedef {ReturnType<typeof useYields>} Yields */

/**
 * The chosen type, if the kind of account has it.
 * @param {Account['kind']} kind
 * @param {Yields} yields
 * @returns {Type}
 */
const typeOf = (kind, { type: { value: type } }) =>
  type === null && kind === 'savings' ? 'poupanca' : type !== null && TYPES[kind].includes(type) ? type : 'none';

/** The invalid fields. @param {Account['kind']} kind @param {Yields} yields */
export const wrongYields = (kind, yields) => {
  const type = typeOf(kind, yields),
    rate = read(yields.rate);
  return {
    cdi_percentage: type === 'cdi' && !read(yields.share),
    yield_rate: hasRate(type) && (Number.isNaN(rate) || (type === 'fixed' && rate <= 0)),
  };
};

/** @param {Account['kind']} kind @param {Yields} yields */
export const yieldsBody = (kind, yields) => {
  const type = typeOf(kind, yields);
  return {
    yield_type: type,
    yield_tax: kind === 'investment' && isComputed(type) ? yields.tax.value : 'none',
    // The service decides if the form has no such field.
    yield_day_count: type === 'cdi' ? yields.count.value : null,
    ...(type === 'cdi' && { cdi_percentage: read(yields.share) }),
    ...(hasRate(type) && { yield_rate: read(yields.rate) }),
    ...(isComputed(type) && { last_yield_date: yields.paid ?? yields.since.value }),
  };
};

/** @param {{ kind: Account['kind'], yields: Yields, error: unknown }} props */
export const YieldFields = ({ kind, yields, error }) => {
  const w = accountWords.value,
    type = typeOf(kind, yields),
    { paid } = yields,
    hint = paid ? w.paid_until(shortDate(language.value, paid)) : undefined;
  if (TYPES[kind].length === 0) return null;
  return [
    choices(
      'yield_type',
      w.yields,
      TYPES[kind].map(known => [known, w[`yields_${known}`], w[`${known}_text`]]),
      type,
      chosen => (yields.type.value = chosen),
    ),
    isComputed(type) &&
      div(
        { key: 'figures', class: 'pair' },
        type === 'cdi' &&
          h(TextField, {
            key: 'share',
            label: w.share,
            name: 'cdi_percentage',
            error,
            hint,
            value: yields.share,
            inputMode: 'decimal',
            maxLength: 7,
          }),
        hasRate(type) &&
          h(TextField, {
            key: 'rate',
            label: type === 'fixed' ? w.rate : w.rate_more,
            name: 'yield_rate',
            error,
            hint,
            value: yields.rate,
            inputMode: 'decimal',
            maxLength: 7,
          }),
        paid
          ? type === 'poupanca' && small({ key: 'paid', class: 'hint' }, hint)
          : h(TextField, {
              key: 'since',
              label: w.since,
              name: 'last_yield_date',
              error,
              hint: w.since_hint,
              value: yields.since,
              type: 'date',
              max: today.value,
            }),
      ),
    type === 'cdi' &&
      choices(
        'yield_day_count',
        w.day_count,
        [
          ['calendar', w.calendar, w.calendar_text],
          ['business', w.business, w.business_text],
        ],
        yields.count.value,
        chosen => (yields.count.value = chosen),
        'pair',
      ),
    kind === 'investment' &&
      isComputed(type) &&
      choices(
        'yield_tax',
        w.taxes,
        [
          ['none', w.tax_none, w.tax_none_text],
          ['regressive', w.tax_regressive, w.tax_regressive_text],
        ],
        yields.tax.value,
        chosen => (yields.tax.value = chosen),
        'pair',
      ),
  ];
};
