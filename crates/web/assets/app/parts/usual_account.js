// The account that a new transaction is on at first.
import { remembered } from '../dom.js';
import { accountById } from '../session.js';

/** The account of the last new transaction, on this device. */
export const lastAccount = remembered('account', /** @type {number | null} */ (null));
/** The account that a new transaction is on at first. */
export const usualAccount = () => {
  const known = [...accountById.peek().values()],
    kept = lastAccount.peek();
  return (known.find(one => one.id === kept) ?? known.find(one => one.kind === 'current'))?.id ?? null;
};
