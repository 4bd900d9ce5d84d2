// Addresses and views: what is shown is in the address, so that back, forward, reload and links keep the place.
import { computed, signal } from '@preact/signals';
import { isMonth } from './dates.js';

const here = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

/** Where the page is. */
export const place = signal(here());
/** The month that is looked at; null where the address names none. */
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
  if (location.pathname !== from) scrollTo(0, 0);
};

/** The address with other parameters; null and empty take one away. @param {Record<string, string | number | null | undefined>} changed @param {string} [path] */
export const withQuery = (changed, path = place.value.path) => {
  const query = new URLSearchParams(path === place.value.path ? place.value.query : undefined);
  for (const [name, value] of Object.entries(changed)) {
    if (value === null || value === undefined || value === '') query.delete(name);
    else query.set(name, String(value));
  }
  const search = query.toString();
  return search ? `${path}?${search}` : path;
};

/** An address of another view, in the month that is looked at. @param {string} path */
export const inMonth = path => withQuery({ month: chosenMonth.value }, path);

addEventListener('popstate', () => {
  place.value = here();
});

// Links are plain links: opened elsewhere with the middle button or Ctrl as anywhere.
addEventListener('click', event => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const isOrdinary = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isOrdinary || event.defaultPrevented) return;
  // Links in drawings have their address in an object.
  const address = new URL(typeof link.href === 'string' ? link.href : /** @type {any} */ (link.href).baseVal, location.href);
  if (address.origin !== location.origin || link.hasAttribute('download') || link.target || /^\/(assets|docs|api)\b/.test(address.pathname)) return;
  if (address.hash && address.pathname + address.search === location.pathname + location.search) return;
  event.preventDefault();
  go(address.pathname + address.search);
});
