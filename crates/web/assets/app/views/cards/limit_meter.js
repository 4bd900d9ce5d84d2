// The used, committed and available parts of a card's limit: a bar in three parts, and the same in words.
import { div, h, meter, span, strong } from '../../dom.js';
import { abs, cents } from '../../money.js';
import { installmentWords } from '../../words/installments.js';
import { Amount, inText } from '../../parts/amount.js';

/** @typedef {import('../../session.js').Schemas['Account']} Account */

/** Posted amounts, instalments, recurring items. */
const COLORS = ['var(--primary)', 'color-mix(in srgb, var(--primary) 45%, var(--surface))', 'var(--rule-strong)'];
/** @param {number} index */
const own = index => ({ '--own': COLORS[index] });

/** A bar in parts on one scale. Each figure is also text beside it. @param {bigint[]} values @param {bigint} scale */
export const partsBar = (values, scale) =>
  div(
    { class: 'track large parts', 'aria-hidden': 'true' },
    values.map(
      (value, index) =>
        value > 0n &&
        scale > 0n &&
        div({
          key: index,
          class: 'fill',
          style: { ...own(index), width: `${Math.min(100, Number((value * 10_000n) / scale) / 100)}%` },
        }),
    ),
  );

/** A figure of a bar in parts, with its colour. @param {number} index @param {bigint} value @param {string} text */
export const partNote = (index, value, text) =>
  span({ key: index, class: 'category-note' }, span({ class: 'dot', style: own(index) }), `${inText(value)} ${text}`);

/** The available part of a limit, in words. Empty without a limit. @param {Account} account */
export const limitNote = ({ credit_limit, available_limit }) =>
  credit_limit && available_limit
    ? cents(available_limit) < 0n
      ? installmentWords.value.over(inText(-cents(available_limit)))
      : installmentWords.value.free(inText(available_limit), inText(credit_limit))
    : '';

/**
 * `committed` is the sum of future instalments. Null if they are not shown separately.
 * @param {{ account: Account, committed?: bigint | null }} props
 */
export const LimitMeter = ({ account: { credit_limit, available_limit }, committed = null }) => {
  if (credit_limit === null || available_limit === null) return null;
  const w = installmentWords.value,
    limit = cents(credit_limit),
    left = cents(available_limit),
    used = limit - left - (committed ?? 0n),
    isOver = left < 0n;
  return div(
    { class: 'hero-savings' },
    div(
      { class: 'meter-words' },
      isOver
        ? strong({ class: 'late' }, w.over(inText(abs(left))))
        : [span({ key: 'text' }, w.available), strong({ key: 'left' }, h(Amount, { value: left }))],
      span({ class: 'quiet' }, w.of(inText(limit))),
    ),
    meter({
      class: 'unseen',
      min: 0,
      max: Math.max(1, Number(limit)),
      value: Math.max(0, Number(limit - left)),
      'aria-label': `${w.limit}: ${isOver ? w.over(inText(abs(left))) : w.free(inText(left), inText(limit))}`,
    }),
    partsBar([used, committed ?? 0n], limit),
    div(
      { class: 'chips quiet' },
      partNote(0, used, committed === null ? w.taken : w.used),
      committed !== null && partNote(1, committed, w.committed),
    ),
  );
};
