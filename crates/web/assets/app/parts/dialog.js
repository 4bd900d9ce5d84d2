// Native dialogs: the focus stays inside and returns afterwards, and Escape and going back close them.
import { effect } from '@preact/signals';
import { render } from 'preact';
import { credential } from '../api.js';
import { button, dialog, div, h, h2, header, newId, p } from '../dom.js';
import { holdPlace } from '../router.js';
import { words } from '../words.js';
import { icon } from './icon.js';

/** @type {Set<HTMLDialogElement>} */
const opened = new Set();
const toasts = /** @type {HTMLElement} */ (document.getElementById('toasts'));
/** Everything outside the last dialog is inert, so the toasts are in it: they can be pressed and are read out. */
const moveToasts = () => ([...opened].at(-1) ?? document.body).append(toasts);
const closeAll = () => opened.forEach(element => element.close());
/** The dialogs with typed text that closing them would drop. @type {WeakSet<HTMLDialogElement>} */
const edited = new WeakSet();
/** Closes the last dialog. If that would drop what was typed, it asks before. */
const back = async () => {
  // One that was just closed is told so a moment later.
  const last = [...opened].filter(element => element.open).at(-1),
    w = words.peek().app;
  // What is never shown again is closed by its buttons only.
  if (!last || last.dataset.once) return;
  // What is shown after a form was sent is not typed.
  const isTyped = edited.has(last) && last.querySelector('form') !== null;
  if (!isTyped || (await ask({ title: w.drop_title, text: w.drop_text, yes: w.drop }))) last.close();
};
/** Leaving the page would drop it, too. @param {BeforeUnloadEvent} event */
const unload = event => [...opened].some(element => edited.has(element)) && event.preventDefault();
addEventListener('beforeunload', unload);
// A logout closes all dialogs.
effect(() => {
  if (credential.value === null) closeAll();
});

/**
 * Opens a dialog. Its content gets a function that closes it. Resolves when it is closed.
 * `keeps`: what is typed in it stays when it is closed. `isOnce`: it shows what is never shown again, so neither Escape nor
 * going back closes it.
 * @param {{ title: string, kind?: 'form' | 'sheet' | 'wide' | 'search', keeps?: boolean, isOnce?: boolean }} options
 * @param {(close: () => void) => import('preact').ComponentChildren} content
 * @returns {Promise<void>}
 */
export const open = ({ title, kind = 'form', keeps = kind !== 'form', isOnce = false }, content) =>
  new Promise(resolve => {
    const place = document.createElement('div'),
      id = newId();
    document.body.append(place);
    const before = document.activeElement;
    const element = () => /** @type {HTMLDialogElement} */ (place.querySelector('dialog'));
    // A request that was still running when the user closed it may close it again.
    const close = () => element()?.close();
    const closed = () => {
      opened.delete(element());
      if (opened.size === 0) holdPlace(null);
      moveToasts();
      render(null, place);
      place.remove();
      // The browser restores the focus, unless the focused element is gone.
      if (document.activeElement === document.body)
        (before?.isConnected ? /** @type {HTMLElement} */ (before) : document.querySelector('h1'))?.focus();
      resolve();
    };
    const outside = (/** @type {MouseEvent} */ event) => {
      if (kind === 'sheet' && event.target === element()) close();
    };
    const typed = () => void (keeps || edited.add(element()));
    const cancelled = (/** @type {Event} */ event) => {
      event.preventDefault();
      void back();
    };
    const Content = () => content(close);
    render(
      dialog(
        {
          class: kind,
          'data-once': isOnce || undefined,
          'aria-labelledby': id,
          onClose: closed,
          onCancel: cancelled,
          onClick: outside,
          onInput: typed,
        },
        header(
          null,
          h2({ id }, title),
          button(
            { class: 'icon-button', type: 'button', 'aria-label': words.value.app.close, onClick: close },
            icon('close'),
          ),
        ),
        div({ class: 'dialog-body' }, h(Content, null)),
      ),
      place,
    );
    if (opened.size === 0) holdPlace(() => void back());
    opened.add(element());
    moveToasts();
    element().showModal();
    /** @type {HTMLElement | null} */ (
      place.querySelector('[autofocus], .dialog-body :is(a[href], input, select, button)')
    )?.focus();
  });

/**
 * Asks for confirmation before an action that cannot be undone.
 * @param {{ title: string, text: string, yes: string }} question
 * @returns {Promise<boolean>}
 */
export const ask = async ({ title, text, yes }) => {
  let isYes = false;
  await open({ title }, close => [
    p(null, text),
    div(
      { class: 'actions' },
      button({ class: 'button', type: 'button', onClick: close }, words.value.app.cancel),
      button(
        {
          class: 'button danger',
          type: 'button',
          onClick: () => {
            isYes = true;
            close();
          },
        },
        yes,
      ),
    ),
  ]);
  return isYes;
};
