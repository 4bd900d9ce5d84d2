// The axis of a chart of money: two or three round values, each a line with its figure.
import { div, span } from '../dom.js';
import { saidWhole } from './amount.js';

/**
 * Zero, and one or two round amounts on it, in whole reais.
 * @param {number} least At most 0. @param {number} most At least 0.
 */
export const roundValues = (least, most) => {
  const far = Math.max(1, most, -least);
  let step = 10 ** (Math.floor(Math.log10(far)) - 1);
  for (const grow of [2, 2.5, 2, 2, 2.5, 2]) {
    if (Math.floor(most / step) + Math.floor(-least / step) <= 2) break;
    step *= grow;
  }
  const found = [0];
  for (let at = step; at <= most; at += step) found.push(at);
  for (let at = step; at <= -least; at += step) found.unshift(-at);
  return found;
};

/**
 * The lines, in an element of the chart's height. `up` is the place of cents, in percents from the bottom.
 * @param {number} least Cents. @param {number} most Cents. @param {(cents: number) => number} up
 */
export const axis = (least, most, up) =>
  roundValues(Math.min(0, least) / 100, Math.max(0, most) / 100).map(value =>
    div(
      { key: value, class: 'axis', style: { bottom: `${up(value * 100)}%` } },
      span(null, saidWhole(BigInt(Math.round(value * 100)))),
    ),
  );
