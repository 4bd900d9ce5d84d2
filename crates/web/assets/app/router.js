// Addresses and views. The address holds the state of the view, so that back, forward, reload and links keep it.
import { computed, signal } from '@preact/signals';
import { isMonth } from './dates.js';

const here = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

/** The current address. */
export const place = signal(here());
/** The selected month; null if the address names none. */
export const chosenMonth = computed(() => {
  const month = place.value.query.get('month');
  return isMonth(month) ? month : null;
});

/** @param {string} address @param {{ replace?: boolean }} [options] */
export const go = (address, { replace = false } = {}) => {
  const from = location.pathname;
  if (address === location.pathname + location.search) replace = true;
  history[replace ? 'replaceState' : 'pushState']({ y: 0 }, '', address);
  place.value = here();
  if (stays) holdPlace(stays);
  if (location.pathname !== from) scrollTo(0, 0);
};

/**
 * The address with changed parameters. Null or an empty text removes one.
 * @param {Record<string, string | number | null | undefined>} changed
 * @param {string} [path]
 */
export const withQuery = (changed, path = place.value.path) => {
  const query = new URLSearchParams(path === place.value.path ? place.value.query : undefined);
  for (const [name, value] of Object.entries(changed)) {
    if (value === null || value === undefined || value === '') query.delete(name);
    else query.set(name, String(value));
  }
  const search = query.toString();
  return search ? `${path}?${search}` : path;
};

/** An address of another view, with the selected month. @param {string} path */
export const inMonth = path => (chosenMonth.value ? `${path}?month=${chosenMonth.value}` : path);

/** Called in place of going back while a dialog is open. @type {(() => void) | null} */
let stays = null;
/** The shown entry of the history, to return to it. */
let entry = /** @type {[unknown, '', string]} */ ([null, '', '']);
/** While a dialog is open, going back calls `back`, and the view stays. Null ends this. @param {(() => void) | null} back */
export const holdPlace = back => {
  stays = back;
  entry = [history.state, '', location.pathname + location.search];
};

addEventListener('popstate', () => {
  if (stays) {
    history.pushState(...entry);
    stays();
  } else place.value = here();
});

// Links are plain links: the middle button and Ctrl open them elsewhere as usual.
addEventListener('click', event => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const isOrdinary = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isOrdinary || event.defaultPrevented) return;
  // SVG links have their address in an object.
  const address = new URL(
    typeof link.href === 'string' ? link.href : /** @type {any} */ (link.href).baseVal,
    location.href,
  );
  if (
    address.origin !== location.origin ||
    link.hasAttribute('download') ||
    link.target ||
    /^\/(assets|docs|api)\b/.test(address.pathname)
  )
    return;
  if (address.hash && address.pathname + address.search === location.pathname + location.search) return;
  event.preventDefault();
  go(address.pathname + address.search);
});
