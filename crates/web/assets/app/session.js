// The session, and the data that every view needs: date, categories, accounts, character.
import { computed, effect, signal, untracked } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { clearAll, credential, get, postOnce, request, resource, setCredential } from './api.js';
import { local, store, stored, untilClosed } from './dom.js';
import { addDays, daysBetween, deviceToday, monthOf } from './dates.js';
import { chosenMonth, go, place } from './router.js';

/** @typedef {import('../../types/client').Schemas} Schemas */

/** Clocks differ a little, so the service may have its midnight later. */
const AFTER_MIDNIGHT_MILLISECONDS = 5_000;

export const me = resource(signal => get('/api/auth/me', { signal }));
export const categories = resource(signal => get('/api/categories', { signal }));
export const accounts = resource(signal => get('/api/accounts', { signal }));
export const player = resource(signal => get('/api/gamification/profile', { signal }));

export const settings = resource(signal => get('/api/settings', { signal }));

/** Whether the character is shown: as the settings say, or as they said last. Null if nobody knows yet. */
export const showsCharacter = computed(
  () => settings.data.value?.show_character ?? /** @type {boolean | null} */ (stored(local, 'character')),
);
effect(() => {
  const shown = settings.data.value?.show_character;
  if (shown !== undefined) store(local, 'character', shown);
});

/**
 * Whether the user may write, and whether they are an owner. Until the role is known, both are assumed, because most
 * are owners.
 */
export const canWrite = computed(() => me.data.value?.role !== 'viewer');
export const isOwner = computed(() => (me.data.value?.role ?? 'owner') === 'owner');

/** Reads the date again a moment after midnight, as a page may stay open for days. */
const followTheDate = () => {
  const now = new Date(),
    midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  setTimeout(
    () => {
      me.renew();
      followTheDate();
    },
    midnight.getTime() - now.getTime() + AFTER_MIDNIGHT_MILLISECONDS,
  );
};
followTheDate();

/** The service's date, or the device's until it is known. */
export const today = computed(() => me.data.value?.today ?? deviceToday());
/** The device's date when the service's was read. */
let read = deviceToday();
effect(() => {
  if (me.data.value) read = deviceToday();
});
/** Today by the clock of this device, also where the service's date could not be read again since midnight. */
export const todayHere = () => addDays(today.peek(), daysBetween(read, deviceToday()));
/** The selected month. */
export const month = computed(() => chosenMonth.value ?? monthOf(today.value));

export const categoryById = computed(
  () => new Map((categories.data.value ?? []).map(category => [category.id, category])),
);
export const accountById = computed(() => new Map((accounts.data.value ?? []).map(account => [account.id, account])));
/** The name of an account, or null if there is none. @param {number | null} id */
export const accountName = id => (id === null ? null : (accountById.value.get(id)?.name ?? null));

/** Whether the main income of this month is late, or another one; null until it is known. */
export const pendingIncome = signal(/** @type {'' | 'main' | 'other' | null} */ (null));

/** What is pending of the incomes, once the days in which they are expected are over. @param {Schemas['Dashboard']} known */
export const pendingOf = known => {
  if (known.pending_salary_badge) return 'main';
  return known.pending_income_recurrings.length > 0 && !known.income_confirmation_widget ? 'other' : '';
};

const readPendingSalary = async () => {
  try {
    pendingIncome.value = pendingOf(await get('/api/dashboard'));
  } catch {
    // The badge is not shown. The view shows the error itself.
  }
};

/** Reads it if no dashboard was shown yet. */
export const wantPendingSalary = () => {
  if (pendingIncome.peek() === null && credential.peek() !== null) void readPendingSalary();
};

/** Why the login is shown: no reason, a logout, or the end of the session. */
export const farewell = signal(/** @type {'' | 'left' | 'ended'} */ (''));

const tabs = new BroadcastChannel('finance');
tabs.onmessage = (/** @type {MessageEvent} */ { data }) => {
  if (data === 'left') leave('left');
};

/** Whether the session ended while a form was open. */
let isTyping = false;
/** Whether something typed waits in the form that was open when the session ended. */
export const wasTyping = () => isTyping && drafts.size > 0;

/** @param {string} next The address that is shown after it. */
const goToLogin = next => go(next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`, { replace: true });

/** @param {'left' | 'ended'} why */
const leave = why => {
  farewell.value = why;
  isTyping = why === 'ended' && document.querySelector('dialog[open] form') !== null;
  store(untilClosed, 'pushed', null);
  pendingIncome.value = null;
  const next = why === 'left' || place.peek().path === '/login' ? '/' : location.pathname + location.search;
  setCredential(null);
  clearAll();
  if (why === 'left') {
    drafts.clear();
    store(local, 'member', null);
    // What they say and undo is nobody's now.
    document.getElementById('toasts')?.replaceChildren();
  }
  goToLogin(next);
};

// Any 401 removes the token, and so does a logout in another tab.
let hadCredential = credential.peek() !== null;
if (!hadCredential && location.pathname !== '/login') goToLogin(location.pathname + location.search);
effect(() => {
  const has = credential.value !== null;
  document.documentElement.dataset.session = has ? 'yes' : 'no';
  if (hadCredential && !has && farewell.peek() === '') leave('ended');
  hadCredential = has;
});

/** Names a member. Members of one profile have different names. @param {Schemas['TokenProfile'] | undefined} profile */
export const memberOf = profile => profile && `${profile.id} ${profile.name}`;
/** The last user. Another user does not see their drafts. */
let owner = memberOf(credential.peek()?.profile);

/** What waits on this device. Null if the module cannot be had; then the page is about to be loaded again. */
const device = () => import('./outbox.js').catch(() => null);

/** False if the member goes, so that what another one left on this device stays. @param {Schemas['Token']} answer @param {boolean} [keep] */
const enter = async (answer, keep) => {
  const member = memberOf(answer.profile);
  if ((await (await device())?.admits(member)) === false) {
    // It expires anyway.
    await fetch('/api/logout', { method: 'POST', headers: { Authorization: `Bearer ${answer.token}` } }).catch(
      () => {},
    );
    return false;
  }
  farewell.value = '';
  if (member !== owner) drafts.clear();
  owner = member;
  setCredential(answer, keep);
  return true;
};

/**
 * @param {string} name
 * @param {string} password
 * @param {boolean} [keep] Whether the login outlives this browser session. If absent, as before.
 * @param {string} [code] Of the second factor.
 */
export const login = async (name, password, keep, code = '') =>
  enter(await postOnce('/api/auth/login', { body: { name, password, ...entry(keep, code) } }), keep);

/** What asks for a device in place of the one that ends. */
export const stays = () => (credential.peek()?.device_expires_at ? { remember: /** @type {const} */ ('cookie') } : {});

/** @param {boolean | undefined} keep @param {string} code */
const entry = (keep, code) => ({
  ...(code.trim() && { code }),
  ...((keep ?? stored(local, 'token') !== null) && { remember: /** @type {const} */ ('cookie') }),
});

/**
 * Accepts an invitation, or a link for a password, and logs in. The data of another user on this page is cleared.
 * @param {string} invitation
 * @param {string} name
 * @param {string} password
 * @param {boolean} keep
 * @param {string} [code] Of the second factor.
 */
export const accept = async (invitation, name, password, keep, code = '') => {
  const answer = await postOnce('/api/auth/accept', { body: { invitation, name, password, ...entry(keep, code) } });
  clearAll();
  return enter(answer, keep);
};

export const logout = async () => {
  if ((await (await device())?.leaves()) === false) return;
  // Nobody waits for the rest. If the service cannot be reached, the token expires anyway, and it ends the messages too.
  if (stored(local, 'push')) import('./views/notices/push.js').then(({ end }) => end()).catch(() => {});
  request('POST', '/api/logout').catch(() => {});
  tabs.postMessage('left');
  leave('left');
};

/**
 * Drafts of forms, kept while the page lives, so that the end of a session loses no input.
 * @type {Map<string, unknown>}
 */
export const drafts = new Map();

/** Incremented after each write of a dialog that belongs to no view. Views that show such data reload it. */
export const changed = signal(0);

/**
 * Reads what a view shows: at first, after each write of such a dialog, and when anything changes that `of` reads. It reads nothing
 * while `of` returns false.
 * @param {() => unknown} read @param {() => unknown} [of]
 */
export const useReading = (read, of) =>
  useEffect(
    () =>
      effect(() => {
        void changed.value;
        if (of?.() !== false) untracked(() => void read());
      }),
    [],
  );

/** Reads again what a write may have changed, wherever it is shown. */
export const reread = () => {
  changed.value++;
  void accounts.load();
  void wrote();
};

/** After a write: reads again what the frame shows, and tells the rewards in one toast. */
export const wrote = async () => {
  // The dashboard tells it by itself.
  if (pendingIncome.peek() !== null && place.peek().path !== '/') void readPendingSalary();
  if (showsCharacter.peek() === false) return;
  const before = player.data.peek();
  await player.load();
  const after = player.data.peek();
  if (!before || !after || after.xp <= before.xp) return;
  const [{ toast }, { words }] = await Promise.all([import('./parts/toast.js'), import('./words.js')]);
  const w = words.value.character;
  toast(after.level > before.level ? w.rose(after.level, w.titled(after)) : w.earned(after.xp - before.xp), {
    image: after.sprite,
  });
};
