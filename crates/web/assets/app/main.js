// The start: which view an address shows, and the frame around it.
import { computed, effect, signal } from '@preact/signals';
import { render } from 'preact';
import { credential, online } from './api.js';
import { button, div, h, h1, p, stored, store, untilClosed } from './dom.js';
import { keepFocus } from './focus.js';
import { Frame, quickAdd, waiting } from './frame.js';
import { go, place, withQuery } from './router.js';
import { viewAt } from './views.js';
import { words } from './words.js';

/** @typedef {import('./views.js').View} View */
/** @typedef {import('./views.js').Name} Name */

/** A reload after an upgrade is not repeated within this time. */
const RELOAD_MILLISECONDS = 20_000;

/** Modules that are needed soon are loaded after this time. */
const LATER_MILLISECONDS = 1000;

/**
 * The current view: the one that was loaded last, until the next one is loaded. `isLost` if it could not be loaded.
 * @type {import('@preact/signals').Signal<{ path: string, name: Name, month: boolean, view: View, isLost?: boolean } | null>}
 */
const shown = signal(/** @type {any} */ (null));
/** How often a view that could not be loaded was wanted again. */
const tries = signal(0);

/** Without a token every address shows the login. */
const wanted = computed(() => (credential.value === null ? '/login' : place.value.path));

/** Handles a module that did not load: the service is unreachable, or it was upgraded and the old files are gone. */
const lost = async () => {
  try {
    await fetch('/healthz', { cache: 'no-store' });
  } catch {
    online.value = false;
    return;
  }
  if (Date.now() - Number(stored(untilClosed, 'reloaded') ?? 0) < RELOAD_MILLISECONDS) return;
  store(untilClosed, 'reloaded', Date.now());
  location.reload();
};

/** In the place of a view that could not be loaded. @param {Name} name @returns {View} */
const lostView = name => () => {
  const { views, app } = words.value;
  return div(
    { class: 'page' },
    h1({ tabIndex: -1 }, views[name]),
    div(
      { class: 'problem', role: 'alert' },
      p(null, app.not_loaded),
      button({ class: 'button', type: 'button', onClick: () => tries.value++ }, app.retry),
    ),
  );
};

effect(() => {
  void tries.value;
  const path = wanted.value;
  const { name, load, month } = viewAt(path);
  const show = (/** @type {View} */ view, isLost = false) => {
    if (wanted.peek() === path) shown.value = { path, name, month: month === true, view, isLost };
  };
  void load().then(
    ({ default: view }) => show(view),
    async () => {
      await lost();
      show(lostView(name), true);
    },
  );
});
effect(() => {
  if (online.value && shown.peek()?.isLost) tries.value = tries.peek() + 1;
});

// A dialog, or another part that is loaded when it is used.
addEventListener('unhandledrejection', event => {
  if (!/dynamically imported module|importing a module/i.test(String(event.reason?.message))) return;
  event.preventDefault();
  void lost()
    .then(() => import('./parts/toast.js'))
    .then(
      ({ toast }) => toast(words.peek().app.not_loaded, { isProblem: true }),
      () => {
        // The line about the connection tells it.
      },
    );
});

effect(() => {
  const name = shown.value?.name;
  if (!name) return;
  document.title = `${words.value.views[name]} · ${words.value.app.title}`;
});

/**
 * Opens the form of a new transaction. An invisible field takes what is typed until the form is loaded, and the form's
 * first fields get it. `isShared`: with a text that was shared with the page.
 */
quickAdd.value = (isShared = false) => {
  if (document.getElementById('early')) return;
  const before = /** @type {HTMLElement | null} */ (document.activeElement),
    early = document.createElement('input');
  const typed = /** @type {string[]} */ ([]);
  let isWanted = true;
  early.id = 'early';
  early.className = 'unseen';
  early.autocomplete = 'off';
  early.setAttribute('aria-label', words.peek().app.add);
  early.onkeydown = event => {
    const { key } = event;
    if (!['Tab', 'Enter', 'Escape'].includes(key)) return;
    event.preventDefault();
    // Enter would save a form that the user has not seen.
    if (key === 'Enter' || (key === 'Tab' && typed.length > 1)) return;
    if (key === 'Tab') typed.push(early.value);
    else isWanted = false;
    early.value = '';
  };
  document.body.append(early);
  early.focus({ preventScroll: true });
  const end = () => {
    typed.push(early.value);
    early.remove();
    before?.focus({ preventScroll: true });
  };
  void import('./parts/quick_add.js').then(
    ({ openQuickAdd, openShared }) => {
      end();
      if (isWanted) void (isShared ? openShared(typed) : openQuickAdd(typed));
    },
    error => {
      end();
      throw error;
    },
  );
};
// The shortcut of the installed page, and a shared text, begin a new transaction.
effect(() => {
  const { query, path } = place.value;
  if (credential.value === null || !query.has('add') || path === '/login') return;
  go(withQuery({ add: null }), { replace: true });
  quickAdd.peek()?.(true);
});
const root = /** @type {HTMLElement} */ (document.getElementById('app'));
render(h(Frame, { shown }), root);
keepFocus();

const register = async () => {
  if (!('serviceWorker' in navigator) || !isSecureContext) return;
  const policies = /** @type {any} */ (globalThis).trustedTypes;
  const address = '/sw.js';
  const trusted = policies
    ? policies.createPolicy('service-worker', { createScriptURL: () => address }).createScriptURL(address)
    : address;
  await navigator.serviceWorker.register(trusted);
  const { active } = await navigator.serviceWorker.ready;
  active?.postMessage(performance.getEntriesByType('resource').map(entry => entry.name));
};
// By then, the first view has most likely loaded its data.
setTimeout(() => {
  // It also loads dialogs and toasts. Text typed after a shortcut is meant for the form that it opens.
  for (const begun of [import('./parts/quick_add.js'), import('./parts/search.js')])
    begun.catch(() => {
      // It is loaded again when it opens.
    });
  import('./parts/waiting.js').then(
    ({ Waiting }) => (waiting.value = Waiting),
    () => {
      // The next visit tells what waits.
    },
  );
  void register().catch(() => {
    // A browser that forbids it (a private window) works without it.
  });
}, LATER_MILLISECONDS);
