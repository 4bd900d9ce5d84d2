// An amount as a person types it: `45,90`, `1.234,56`, `12+8,50`. The typed text is parsed with `money.read`.
import { useSignal } from '@preact/signals';
import { h, input, output, span } from '../dom.js';
import { amount, decimal, money, read } from '../money.js';
import { words } from '../words.js';
import { inField } from './amount.js';
import { Field } from './field.js';

/**
 * @param {{ value: import('@preact/signals').Signal<string>, name?: string, label: string, error?: unknown, hint?: string, autofocus?: boolean }} props
 */
export const AmountField = ({ value, name = 'amount', label, error, hint, autofocus = false }) => {
  const typed = value.value,
    found = read(typed);
  const isSum = /\d\s*[-+−]\s*\d/.test(typed);
  const normalize = () => {
    const known = read(value.peek());
    if (known !== null) value.value = amount(known);
  };
  return h(Field, {
    label,
    name,
    error,
    hint,
    children: control =>
      span(
        { class: 'amount-field' },
        span({ class: 'currency', 'aria-hidden': 'true' }, 'R$'),
        input({
          ...control,
          type: 'text',
          inputMode: 'decimal',
          autoComplete: 'off',
          value: typed,
          autoFocus: autofocus,
          onInput: event => (value.value = event.currentTarget.value),
          onBlur: normalize,
        }),
        isSum &&
          output({ class: 'money', for: control.id }, found === null ? '' : words.value.form.result(money(found))),
      ),
  });
};

/**
 * An amount that a form shows and a person may change; dots if amounts are hidden. `decimal` is the text for the service: the
 * amount as it was, or what was typed; null if that is not an amount.
 * @param {string} before
 */
export const useAmount = before => {
  const shown = inField(before),
    typed = useSignal(shown);
  return { typed, decimal: () => (typed.value === shown ? before : decimalOf(typed.value)) };
};

/** The text for the service; null if it is not an amount. @param {string} typed */
export const decimalOf = typed => {
  const found = read(typed);
  return found === null ? null : decimal(found);
};
