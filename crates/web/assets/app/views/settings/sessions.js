// The user's sessions, and the logout from all devices.
import { useEffect } from 'preact/hooks';
import { get, remove, resource } from '../../api.js';
import { button, div, h2, li, p, section, span, ul } from '../../dom.js';
import { ask } from '../../parts/dialog.js';
import { ghost, Loaded } from '../../parts/problem.js';
import { attempt } from '../../parts/toast.js';
import { logout } from '../../session.js';
import { language } from '../../words.js';
import { accessWords } from '../../words/access.js';

/** @typedef {import('../../session.js').Schemas['Session']} Session */

/**
 * Names of browsers, by their user agent. Most user agents name other browsers too, so the first match counts.
 * @type {[RegExp, string][]}
 */
const BROWSERS = [
  [/Edg(A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
/** @type {[RegExp, string][]} */
const SYSTEMS = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'Mac'],
  [/Linux/, 'Linux'],
];
/** The number of characters shown of an unknown user agent. */
const SHOWN_CHARS_MAX = 60;

export const sessions = resource(signal => get('/api/auth/sessions', { signal }));

/** @param {string | null} client */
export const deviceOf = client => {
  const w = accessWords.value,
    [browser, system] = [BROWSERS, SYSTEMS].map(known => known.find(([pattern]) => pattern.test(client ?? ''))?.[1]);
  if (browser && system) return w.device(browser, system);
  return client ? [...client].slice(0, SHOWN_CHARS_MAX).join('') : w.device_unknown;
};

/** @param {string} instant */
const when = instant =>
  new Date(instant).toLocaleString(language.value, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });

/** @param {Session} session */
const row = ({ id, client, created_at, expires_at, device_expires_at, current }) => {
  const w = accessWords.value;
  return li(
    { key: id, class: 'account-row access-row' },
    div(
      { class: 'entry-text' },
      span(null, deviceOf(client ?? null), current && span({ class: 'quiet' }, ` (${w.device_this})`)),
      span({ class: 'quiet' }, w.session_time(when(created_at), when(device_expires_at ?? expires_at))),
    ),
    !current &&
      button(
        {
          class: 'button',
          type: 'button',
          'aria-label': `${w.session_end}: ${deviceOf(client ?? null)}`,
          onClick: () => void end(id),
        },
        w.session_end,
      ),
  );
};

/** @param {number} id */
const end = async id => {
  await attempt(() => remove('/api/auth/sessions/{id}', { path: { id } }), { text: accessWords.peek().session_ended });
  await sessions.load();
  document.getElementById('sessions')?.focus();
};

const endAll = async () => {
  const w = accessWords.peek();
  if (!(await ask({ title: w.sessions_title, text: w.sessions_ask, yes: w.sessions_yes }))) return;
  if (await attempt(() => remove('/api/auth/sessions'))) await logout();
};

export const Sessions = () => {
  const w = accessWords.value;
  // The list may have changed since this page was last shown: another device or the user may have logged in.
  useEffect(() => void sessions.load(), []);
  return section(
    { class: 'card', 'aria-labelledby': 'sessions' },
    h2({ id: 'sessions', tabIndex: -1 }, w.sessions),
    p({ class: 'finding' }, w.sessions_text),
    Loaded({
      of: sessions,
      skeleton: ghost(2),
      children: all => all.length > 0 && ul({ class: 'rows' }, all.map(row)),
    }),
    div({ class: 'stack' }, button({ class: 'button', type: 'button', onClick: () => void endAll() }, w.sessions_end)),
  );
};
