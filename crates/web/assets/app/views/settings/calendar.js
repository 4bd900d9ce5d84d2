// The address of the calendar feed, for the calendar of a phone. It contains a token, so it is shown once. A new one
// replaces it.
import { useSignal } from '@preact/signals';
import { postOnce } from '../../api.js';
import { div, h, h2, p, section, ul } from '../../dom.js';
import { addDays } from '../../dates.js';
import { open } from '../../parts/dialog.js';
import { action } from '../../parts/overview.js';
import { Loaded } from '../../parts/problem.js';
import { Secret } from '../../parts/secret.js';
import { failed } from '../../parts/toast.js';
import { me, today } from '../../session.js';
import { accessWords } from '../../words/access.js';
import { DAYS_MAX, isCalendar, revoke, TokenRow, tokens } from './tokens.js';
import { check } from '../../parts/field.js';

/** @typedef {import('./tokens.js').Token} Token */

/** @param {{ token: string, isOther: boolean, close: () => void }} props */
const Address = ({ token, isOther, close }) => {
  const w = accessWords.value,
    hasAmounts = useSignal(false);
  return h(
    Secret,
    {
      text: isOther ? `${w.calendar_told} ${w.calendar_changed}` : w.calendar_told,
      name: w.calendar_address,
      close,
      value: `${location.origin}/calendar.ics?token=${token}${hasAmounts.value ? '&amounts=1' : ''}`,
    },
    check(w.calendar_amounts, hasAmounts.value, is => (hasAmounts.value = is)),
  );
};

/** A second press makes no second one. */
let isMaking = false;
/** Creates an address. The previous one is revoked once the new one exists. @param {Token} [before] */
const make = async before => {
  const w = accessWords.peek();
  if (isMaking) return;
  isMaking = true;
  try {
    const name = before?.name ?? w.calendar_name(me.data.peek()?.name ?? '');
    const { token } = await postOnce('/api/tokens', {
      body: { name, scopes: ['calendar'], expires_on: addDays(today.peek(), DAYS_MAX) },
    });
    const isOther = before !== undefined && (await revoke(before));
    if (!before) void tokens.load();
    await open({ title: w.calendar }, close => h(Address, { token, isOther, close }));
  } catch (error) {
    failed(error);
  }
  isMaking = false;
};

export const Calendar = () => {
  const w = accessWords.value;
  return section(
    { class: 'card', 'aria-labelledby': 'calendar' },
    div(
      { class: 'card-head' },
      h2({ id: 'calendar', tabIndex: -1 }, w.calendar),
      action(w.calendar_make, () => void make()),
    ),
    p({ class: 'finding' }, w.calendar_text),
    Loaded({
      of: tokens,
      skeleton: div({ class: 'skeleton line' }),
      children: all =>
        ul(
          { class: 'rows' },
          all.filter(isCalendar).map(token =>
            h(
              TokenRow,
              { key: token.id, token },
              action(w.calendar_change, () => void make(token)),
            ),
          ),
        ),
    }),
  );
};
