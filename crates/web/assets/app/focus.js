/** The focused element and what is around it. @type {EventTarget[]} */
let path = [];
const isThere = (/** @type {EventTarget | undefined} */ one) => one instanceof Element && one.isConnected;
const isLost = () => path.length > 0 && !isThere(path[0]) && document.activeElement === document.body;

/** Moves the focus from what was removed to what is near. */
const move = () => {
  if (!isLost()) return;
  const around = /** @type {Element} */ (path.find(isThere) ?? document.body),
    near = around.closest('section, dialog'),
    target = /** @type {HTMLElement | null} */ (
      near?.querySelector('[autofocus]') ?? near?.querySelector('h2') ?? document.querySelector('h1')
    );
  path = [];
  // A heading takes the focus with this only.
  if (target?.tabIndex === -1) target.tabIndex = -1;
  target?.focus({ preventScroll: true });
};

/** Keeps the focus near what is removed while it has it: on the heading of its section or dialog, else of the page. */
export const keepFocus = () => {
  addEventListener('focusin', event => (path = event.composedPath()));
  addEventListener('focusout', ({ target }) =>
    // Chromium tells it of an element that is about to be removed, too.
    queueMicrotask(() => {
      if (path[0] === target && document.activeElement !== target && isThere(path[0])) path = [];
    }),
  );
  // A view that knows a better place takes it in the next frame.
  new MutationObserver(() => isLost() && requestAnimationFrame(() => requestAnimationFrame(move))).observe(
    document.body,
    { childList: true, subtree: true },
  );
};
