// The frame around every view: navigation, month, hidden amounts, character, connection.
import { signal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { credential, online, renew, setCredential } from './api.js';
import { a, aside, button, classes, div, h, header, img, li, main, nav, p, span, ul } from './dom.js';
import { hidden } from './parts/amount.js';
import { icon } from './parts/icon.js';
import { MonthSwitch } from './parts/month_switch.js';
import { go, inMonth, place } from './router.js';
import {
  accounts,
  canWrite,
  categories,
  logout,
  me,
  pendingIncome,
  player,
  settings,
  showsCharacter,
  wantPendingSalary,
} from './session.js';
import { menu, views } from './views.js';
import { words } from './words.js';

/** @typedef {import('./views.js').View} View */
/** @typedef {{ path: string, name: string, month: boolean, view: View }} Shown */

/** How long before the session expires the page asks for the password, if the browser's cookie does not renew it. */
const ASK_MILLISECONDS = 3 * 60_000;
/** How long before the session expires the page renews it by the cookie. */
const RENEW_MILLISECONDS = 60 * 60_000;
/** After this time, a renewal is tried again. */
const RETRY_MILLISECONDS = 60_000;
/** When this page last renewed. A device whose clock is a day ahead would renew without end. */
let renewedAt = 0;
/** After this time, a view has most likely loaded its data. */
const IDLE_MILLISECONDS = 800;
/** The longest delay that a timer accepts. */
const TIMER_MILLISECONDS_MAX = 2 ** 31 - 1;
/** The views in the bar on a phone. The others are under "Mais". */
const BAR = ['/', '/transactions', '/imports'];

/** What is said of an income that is not here yet. */
const pendingText = () => {
  const { pending_salary, pending_income } = words.value.app;
  return pendingIncome.value === 'main' ? pending_salary : pending_income;
};

/** @param {typeof views[number]} view */
const link = ({ path, name }) => {
  const isHere = place.value.path === path;
  return a(
    { class: classes('nav-link', isHere && 'here'), href: inMonth(path), 'aria-current': isHere ? 'page' : undefined },
    icon(name),
    span(null, words.value.views[name]),
    path === '/' && pendingIncome.value && span({ class: 'badge-dot', role: 'img', title: pendingText() }),
  );
};

const Character = () => {
  const known = player.data.value,
    w = words.value.character;
  if (showsCharacter.value === false) return null;
  if (!known || showsCharacter.value === null)
    return div({ class: 'character', 'aria-hidden': 'true' }, span({ class: 'thumb skeleton' }));
  const share =
    known.xp_to_next_level === 0 ? 100 : (known.xp_into_level * 100) / (known.xp_into_level + known.xp_to_next_level);
  return div(
    { class: 'character', title: known.xp_to_next_level ? w.to_next(known.xp_to_next_level) : w.last_level },
    img({ class: 'thumb', src: known.sprite, alt: w.level(known.level, w.titled(known)), width: 36, height: 48 }),
    div(
      { class: 'character-text', 'aria-hidden': 'true' },
      span({ class: 'character-title' }, w.titled(known)),
      span({ class: 'character-level' }, w.short(known.level)),
      div({ class: 'track' }, div({ class: 'fill', style: { width: `${share}%` } })),
    ),
  );
};

const HideButton = () => {
  const w = words.value.app,
    text = hidden.value ? w.show_values : w.hide_values;
  return button(
    {
      class: 'icon-button',
      type: 'button',
      'aria-pressed': hidden.value,
      'aria-label': text,
      title: text,
      onClick: () => (hidden.value = !hidden.value),
    },
    icon(hidden.value ? 'eye_off' : 'eye'),
  );
};

/** Focuses the search field of the current view, or opens the search over everything. */
const search = () => {
  const own = /** @type {HTMLElement | null} */ (document.querySelector('main input[type=search]'));
  if (own) {
    // On a phone it may be in something closed.
    own.closest('details')?.toggleAttribute('open', true);
    return own.focus();
  }
  void import('./parts/search.js').then(({ openSearch }) => openSearch());
};

/** @param {{ close: () => void }} props */
const More = ({ close }) =>
  ul(
    { class: 'sheet-list', onClick: close },
    menu.value.filter(({ path }) => !BAR.includes(path)).map(view => li({ key: view.path }, link(view))),
    li(
      null,
      button(
        { class: 'nav-link', type: 'button', onClick: logout },
        icon('logout'),
        span(null, words.value.app.logout),
      ),
    ),
  );

/**
 * Opens the form of a new transaction. Null until it is loaded.
 * @type {import('@preact/signals').Signal<((isShared?: boolean) => void) | null>}
 */
export const quickAdd = signal(/** @type {((isShared?: boolean) => void) | null} */ (null));

/** What waits to be sent. Null until it is loaded. @type {import('@preact/signals').Signal<View | null>} */
export const waiting = signal(/** @type {View | null} */ (null));

/** The bell of the notices. Null until it is loaded. @type {import('@preact/signals').Signal<View | null>} */
const bell = signal(/** @type {View | null} */ (null));

/** @param {{ shown: import('@preact/signals').Signal<Shown | null> }} props */
export const Frame = ({ shown }) => {
  const w = words.value.app,
    current = shown.value,
    isAdding = canWrite.value && quickAdd.value !== null,
    bar = menu.value.filter(({ path }) => BAR.includes(path));
  const focused = useRef(/** @type {string | null} */ (null));
  useSignalEffect(() => {
    if (credential.value === null) return;
    me.want();
    settings.want();
    if (showsCharacter.value !== false) player.want();
  });
  // The page renews the session before it ends, or asks for what that takes.
  useSignalEffect(() => {
    const known = credential.value;
    if (!known) return undefined;
    const early = known.device_expires_at ? RENEW_MILLISECONDS : ASK_MILLISECONDS;
    const ask = (isCode = false) => void import('./parts/stay.js').then(({ askToStay }) => askToStay(isCode));
    let timer = 0;
    const wait = (/** @type {number} */ milliseconds) => {
      timer = window.setTimeout(work, Math.min(TIMER_MILLISECONDS_MAX, Math.max(0, milliseconds)));
    };
    const work = async () => {
      if (!known.device_expires_at) return ask();
      renewedAt = Date.now();
      const renewal = await renew();
      if (credential.peek() !== known) return;
      if (renewal === 'unknown') wait(RETRY_MILLISECONDS);
      else if (Date.parse(known.expires_at) <= Date.now()) setCredential(null);
      else if (renewal === 'coded') ask(true);
      // The device has ended, and the session is still good.
      else setCredential({ ...known, device_expires_at: null });
    };
    const due = Date.parse(known.expires_at) - early;
    wait((known.device_expires_at ? Math.max(due, renewedAt + RENEW_MILLISECONDS) : due) - Date.now());
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    let unbind = () => {};
    void import('./keys.js').then(({ bind }) => {
      unbind = bind({
        n: () => canWrite.peek() && quickAdd.value?.(),
        '/': search,
        h: () => (hidden.value = !hidden.value),
        '?': () => void import('./parts/help.js').then(({ showHelp }) => showHelp()),
      });
    });
    return () => unbind();
  }, []);
  // The bell comes after what the page is opened for, and once there is a connection.
  useSignalEffect(() => {
    if (credential.value === null || !online.value || bell.value) return undefined;
    const timer = setTimeout(
      () =>
        void import('./views/notices/bell.js').then(
          ({ Bell }) => (bell.value = Bell),
          () => {},
        ),
      IDLE_MILLISECONDS,
    );
    return () => clearTimeout(timer);
  });
  // A new page starts with the focus on its heading. The first page keeps the browser's focus.
  useLayoutEffect(() => {
    if (!current) return undefined;
    if (focused.current !== null && focused.current !== current.path)
      document.querySelector('h1')?.focus({ preventScroll: true });
    focused.current = current.path;
    for (const one of [categories, accounts]) if (one.error.peek()) void one.load();
    if (current.path === '/' || current.name === 'login') return undefined;
    const timer = setTimeout(wantPendingSalary, IDLE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [current]);
  if (!current) return Waiting();
  const view = h(current.view, { key: current.path });
  if (current.name === 'login') return div({ class: 'outside' }, Offline(), view);
  const openMore = () =>
    void import('./parts/dialog.js').then(({ open }) =>
      open({ title: w.more, kind: 'sheet' }, close => h(More, { close })),
    );
  return div(
    { class: 'frame' },
    a({ class: 'skip', href: '#content', accessKey: '1' }, w.skip_content),
    a({ class: 'skip', href: '#menu', accessKey: '2' }, w.skip_menu),
    aside(
      { class: 'side' },
      a({ class: 'brand', href: inMonth('/') }, span({ class: 'brand-mark', 'aria-hidden': 'true' }), w.title),
      nav(
        { id: 'menu', tabIndex: -1, 'aria-label': w.menu },
        ul(
          null,
          menu.value.map(view => li({ key: view.path }, link(view))),
        ),
      ),
      div(
        { class: 'side-end' },
        h(Character, null),
        button({ class: 'nav-link', type: 'button', onClick: logout }, icon('logout'), span(null, w.logout)),
      ),
    ),
    header(
      { class: 'top' },
      div({ class: 'top-character' }, h(Character, null)),
      current.month ? h(MonthSwitch, null) : span({ class: 'month-switch' }),
      div(
        { class: 'top-end' },
        pendingIncome.value && a({ class: 'badge late', href: inMonth('/') }, icon('clock'), span(null, pendingText())),
        button(
          {
            class: 'button quiet-button find',
            type: 'button',
            accessKey: /^.(transactions|imports)/.test(current.path) ? undefined : '3',
            onClick: search,
          },
          icon('search'),
          span(null, words.value.transactions.search_hint),
        ),
        bell.value ? h(bell.value, null) : span({ class: 'icon-button' }),
        h(HideButton, null),
        isAdding &&
          button(
            { class: 'button primary add', type: 'button', onClick: () => quickAdd.value?.() },
            icon('plus'),
            span(null, w.add),
          ),
      ),
    ),
    Offline(),
    Unread(),
    main({ id: 'content', class: 'content', tabIndex: -1 }, view),
    nav(
      { class: 'bottom', 'aria-label': w.menu },
      bar.slice(0, 2).map(link),
      isAdding &&
        button(
          { class: 'nav-link bottom-add', type: 'button', 'aria-label': w.add, onClick: () => quickAdd.value?.() },
          icon('plus'),
        ),
      bar.slice(2).map(link),
      button(
        { class: 'nav-link', type: 'button', 'aria-haspopup': 'dialog', onClick: openMore },
        icon('more'),
        span(null, w.more),
      ),
    ),
  );
};

/** The frame before the first view is loaded, the same as in the HTML page. */
const Waiting = () =>
  div(
    { class: 'frame' },
    div({ class: 'side' }, div({ class: 'brand' }, words.value.app.title)),
    div({ class: 'top' }),
    div({ class: 'content' }, div({ class: 'skeleton hero-skeleton' })),
    div({ class: 'bottom' }),
  );

const Offline = () =>
  div(
    { class: 'offline' },
    !online.value && p({ role: 'status' }, words.value.app.offline),
    waiting.value && h(waiting.value, null),
  );

/** Names that could not be read. Without them, a row with a category looks like one without. */
const Unread = () => {
  // A view of the names themselves says so in their place.
  const failed = /** @type {const} */ ([
      ['/categories', categories],
      ['/accounts', accounts],
    ])
      .filter(([path, one]) => place.value.path !== path && one.error.value && !one.data.value)
      .map(([, one]) => one),
    w = words.value.app;
  if (!online.value || failed.length === 0) return null;
  const retry = () => failed.forEach(one => void one.load());
  return div(
    { class: 'problem compact', role: 'alert' },
    p(null, w.unread),
    button({ class: 'button', type: 'button', onClick: retry }, w.retry),
  );
};

/** The address that the user asked for before the login, if it is that of a view, otherwise the dashboard's. */
const wanted = () => {
  try {
    // Read as the browser would: dots and backslashes may lead to another host, or back to the login.
    const { origin, pathname, search } = new URL(place.value.query.get('next') ?? '/', location.origin);
    return origin === location.origin && views.some(({ path }) => path === pathname) ? pathname + search : '/';
  } catch {
    return '/';
  }
};

/** Leaves the login. */
export const afterLogin = () => go(wanted(), { replace: true });
