// A one-line message about an action, with an undo.
import { icon } from './icon.js';
import { render } from 'preact';
import { isAborted } from '../api.js';
import { button, div, img, span } from '../dom.js';
import { bind } from '../keys.js';
import { words } from '../words.js';
import { message } from './problem.js';

const SHOWN_MILLISECONDS = 6000;
/** Longer if it has an action. */
const OFFERED_MILLISECONDS = 12_000;
/** More would hide the content on a phone. */
const toastsMax = () => (innerWidth < 600 ? 2 : 3);

/** The undos of the toasts that are shown, the newest last. @type {{ place: HTMLElement, act: () => void }[]} */
let offers = [];
const shownOffers = () => offers.filter(({ place }) => place.isConnected);
bind({ z: () => shownOffers().at(-1)?.act() });

const region = /** @type {HTMLElement} */ (document.getElementById('toasts'));

/** Moves the toasts to the top while they would cover the focused element. They stay where they are while one is pressed. */
const stepAside = () => {
  const focused = document.activeElement;
  if (focused?.closest('#toasts')) return;
  region.classList.remove('above');
  const own = region.getBoundingClientRect();
  if (!focused || focused === document.body || focused.closest('dialog')) return;
  const box = focused.getBoundingClientRect(),
    x = box.x + box.width / 2,
    y = box.y + box.height / 2;
  region.classList.toggle('above', own.left < x && x < own.right && own.top < y && y < own.bottom);
};
addEventListener('focusin', stepAside);

/**
 * Shows a toast, and returns a function that closes it. `also` and `more` are further actions with their names.
 * @param {string} text
 * @param {{ undo?: () => void | Promise<void>, also?: [name: string, act: () => void] | undefined, more?: [name: string, act: () => void] | undefined, image?: string, isProblem?: boolean }} [options]
 */
export const toast = (text, { undo, also, more, image, isProblem = false } = {}) => {
  const place = document.createElement('div');
  while (region.childElementCount >= toastsMax()) region.firstElementChild?.remove();
  region.append(place);
  let timer = 0,
    before = /** @type {HTMLElement | null} */ (null);
  const close = () => {
    clearTimeout(timer);
    const hadFocus = place.contains(document.activeElement);
    render(null, place);
    place.remove();
    // After an undo, the focus returns to where it was.
    if (hadFocus) (before?.isConnected ? before : document.querySelector('h1'))?.focus({ preventScroll: true });
  };
  const start = () => {
    clearTimeout(timer);
    // It stays while it has the focus, also after the pointer left it.
    if (place.contains(document.activeElement)) return;
    timer = setTimeout(close, undo || also || isProblem ? OFFERED_MILLISECONDS : SHOWN_MILLISECONDS);
  };
  const take = (/** @type {() => void} */ act) => () => {
    close();
    act();
  };
  const entered = (/** @type {FocusEvent} */ { relatedTarget: from }) => {
    clearTimeout(timer);
    if (from instanceof HTMLElement && !region.contains(from)) before = from;
  };
  const takeBack = undo && take(() => void undo());
  if (takeBack) offers = [...shownOffers(), { place, act: takeBack }];
  render(
    div(
      {
        class: isProblem ? 'toast wrong' : 'toast',
        onMouseEnter: () => clearTimeout(timer),
        onMouseLeave: start,
        onFocusIn: entered,
        onFocusOut: start,
      },
      image && img({ class: 'toast-image', src: image, alt: '', width: 24, height: 32 }),
      span(null, text),
      also && button({ class: 'link-button', type: 'button', onClick: take(also[1]) }, also[0]),
      more && button({ class: 'link-button', type: 'button', onClick: take(more[1]) }, more[0]),
      takeBack &&
        button(
          { class: 'link-button', type: 'button', 'aria-keyshortcuts': 'z', onClick: takeBack },
          words.value.app.undo,
        ),
      button(
        { class: 'icon-button small', type: 'button', 'aria-label': words.value.app.close, onClick: close },
        icon('close'),
      ),
    ),
    place,
  );
  start();
  stepAside();
  return close;
};

/** Shows why something failed. A call that was cancelled has not failed. @param {unknown} error */
export const failed = error => void (isAborted(error) || toast(message(error), { isProblem: true }));

/**
 * Does what the service may refuse, and shows the error if it does. Whether it was done. `text` says then what was done. While it
 * runs, `busy` is true, and another one is not begun.
 * @param {() => Promise<unknown>} work
 * @param {{ text?: string, busy?: import('@preact/signals').Signal<boolean> }} [options]
 */
export const attempt = async (work, { text, busy } = {}) => {
  if (busy?.peek()) return false;
  if (busy) busy.value = true;
  try {
    await work();
    if (text) toast(text);
    return true;
  } catch (error) {
    failed(error);
    return false;
  } finally {
    if (busy) busy.value = false;
  }
};
