// The net worth at each month's end, in total and by kind of account. Loaded after the dashboard is painted.
import { useEffect } from 'preact/hooks';
import { get, resource } from '../../api.js';
import { h, h2, section } from '../../dom.js';
import { monthOf } from '../../dates.js';
import { cents } from '../../money.js';
import { today } from '../../session.js';
import { words } from '../../words.js';
import { accountWords } from '../../words/accounts.js';
import { fromFirst, LineChart } from '../../parts/line_chart.js';
import { ghost, Loaded } from '../../parts/problem.js';

/** Each kind, and the style of its line. */
const LOOKS = { current: 5, savings: 1, investment: 2, credit: 3 };
const KINDS = /** @type {(keyof typeof LOOKS)[]} */ (Object.keys(LOOKS));

let until = '';
/** Twelve months, up to the month of the dashboard. */
const worth = resource(signal => get('/api/net-worth', { query: { to: until || undefined }, signal }));

/**
 * @param {{ of: import('../../session.js').Schemas['Dashboard'] }} props `of` is the dashboard's data; the data read here is replaced with it.
 */
export const NetWorth = ({ of }) => {
  const w = words.value.dashboard,
    own = accountWords.value,
    held = of.accounts.map(({ balance }) => balance).join();
  useEffect(() => {
    // A future month has no end yet.
    until = of.month < monthOf(today.peek()) ? of.month : '';
    void worth.load();
  }, [of.month, held]);
  return section(
    { class: 'card over-time', 'aria-labelledby': 'net-worth' },
    h2({ id: 'net-worth' }, own.over_time),
    Loaded({
      of: worth,
      skeleton: ghost(6),
      children: all => {
        const months = fromFirst(all, month => month.total);
        const kinds = KINDS.filter(kind => months.some(month => cents(month[kind]) !== 0n));
        return h(LineChart, {
          points: months.map(({ month, total }) => ({ month, balance: total })),
          title: own.over_time,
          label: w.net_worth,
          href: month => `/?month=${month}`,
          ...(kinds.length > 1 && {
            kinds: kinds.map(kind => ({
              name: own.kinds[kind],
              color: LOOKS[kind],
              balances: months.map(month => month[kind]),
            })),
          }),
        });
      },
    }),
  );
};
