// The service's API: typed calls, problems by their code, the token, and cached data.
import { effect, signal, untracked } from '@preact/signals';
import { local, store, stored, untilClosed } from './dom.js';

/** @typedef {import('../../types/client').FieldError} FieldError */
/**
 * Where a bank exports statements in a readable format.
 * @typedef {{ name: string, channels: string[], path: string[], formats: string[] }} Bank
 */
/**
 * @typedef {{ path?: Record<string, string | number>, query?: Record<string, unknown>, body?: unknown, form?: FormData | Blob, packed?: Blob | undefined, signal?: AbortSignal, key?: string, changed?: (id: number) => void }} Loose
 */

/** The delay before a POST without an answer is sent a second time. */
const RESEND_MILLISECONDS = 700;
/** Answers of these paths are no sign that the session has ended, or nothing is left to be done about it. */
const ENTRIES = /^.api.(auth.(login|accept|renew)|logout)$/;
/** How many answers are kept to be shown again if the service says that they have not changed. */
const ANSWERS_MAX = 30;
/** How long a tab waits for the token that another one may have got. */
const HEARD_MILLISECONDS = 1000;
/** The interval of checks whether an unreachable service is back. */
const RETURN_MILLISECONDS = 4000;

const kept = stored(local, 'token') ?? stored(untilClosed, 'token');
/**
 * The bearer token and its expiry, and until when the browser's cookie renews it, if there is one. No script has the cookie.
 * @typedef {{ token: string, expires_at: string, profile: { id: number, name: string }, device_expires_at?: string | null }} Credential
 */
/** @type {import('@preact/signals').Signal<Credential | null>} */
export const credential = signal(kept && typeof kept === 'object' ? /** @type {any} */ (kept) : null);
/** Calls that early.js has started, by their address. Each is used once. @type {Record<string, Promise<Response>>} */
let begun = /** @type {any} */ (globalThis).financeBegun ?? {};
/** The last answers, by their address. They are kept in memory only. @type {Map<string, Response>} */
const answers = new Map();
/** Whether the last request reached the service. */
export const online = signal(true);

/**
 * @param {typeof credential.value} value
 * @param {boolean} [keep] Whether it survives the end of the browser session.
 */
export const setCredential = (value, keep = stored(local, 'token') !== null) => {
  store(local, 'token', keep ? value : null);
  store(untilClosed, 'token', keep ? null : value);
  // An unread response would keep its connection.
  for (const answer of Object.values(begun))
    answer.then(
      response => response.body?.cancel(),
      () => {},
    );
  begun = {};
  answers.clear();
  credential.value = value;
};

/** Members of one profile have different names. @param {Credential} one @param {Credential} other */
const isSameMember = (one, other) => one.profile.id === other.profile.id && one.profile.name === other.profile.name;

/** Takes over the token that another tab got for the same member. @param {Credential} used */
const adopt = used => {
  const known = /** @type {Credential | null} */ (stored(local, 'token') ?? stored(untilClosed, 'token'));
  if (!known?.token || known.token === used.token || !isSameMember(known, used)) return false;
  setCredential(known);
  return true;
};

/** Forgets a refused token. What another tab has kept meanwhile stays. @param {Credential} used */
const drop = used => {
  const known = /** @type {Credential | null} */ (stored(local, 'token'));
  setCredential(null);
  if (known && known.token !== used.token) store(local, 'token', known);
};

/** @type {Promise<'renewed' | 'refused' | 'coded' | 'unknown'> | null} */
let renewing = null;

/**
 * Waits for the token of another tab that has just let go of the lock. Browsers tell other tabs what was stored a little
 * later than that they may go on.
 * @param {Credential} used
 */
const heard = used =>
  /** @type {Promise<void>} */ (
    new Promise(resolve => {
      const check = () => {
        if (/** @type {Credential | null} */ (stored(local, 'token'))?.token === used.token) return;
        removeEventListener('storage', check);
        clearTimeout(timer);
        resolve();
      };
      // It may have renewed nothing.
      const timer = setTimeout(() => {
        removeEventListener('storage', check);
        resolve();
      }, HEARD_MILLISECONDS);
      addEventListener('storage', check);
      check();
    })
  );

/** @param {Credential} used @param {string} [code] */
const exchange = async (used, code) => {
  // Another tab may have renewed while this one waited for its turn.
  if (adopt(used)) return 'renewed';
  let response;
  try {
    response = await fetch('/api/auth/renew', {
      method: 'POST',
      headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
      body: JSON.stringify(code ? { code } : {}),
      cache: 'no-store',
    });
  } catch {
    online.value = false;
    return 'unknown';
  }
  if (response.ok) {
    const renewed = await response.json();
    // After a logout, or another login, it is nobody's.
    if (credential.peek()?.token !== used.token || !isSameMember(renewed, used)) return 'unknown';
    setCredential(renewed);
    return 'renewed';
  }
  if (response.status !== 401) return 'unknown';
  return (await problem(response)).code === 'ErrUnauthenticated' ? 'refused' : 'coded';
};

/**
 * Renews the login by the browser's cookie, once at a time in all tabs. `coded` asks for a code of the second factor.
 * `unknown` says nothing: the service could not be reached.
 * @param {string} [code]
 */
export const renew = code => {
  const used = credential.peek();
  if (!used?.device_expires_at) return Promise.resolve(/** @type {const} */ ('refused'));
  renewing ??= counted(async () => {
    const work = () => exchange(used, code);
    if (!navigator.locks) return work();
    const free = await navigator.locks.request('finance.renew', { ifAvailable: true }, lock => lock && work());
    return free ?? navigator.locks.request('finance.renew', () => heard(used).then(work));
  }).finally(() => (renewing = null));
  return renewing;
};

let running = 0;
/** How many calls run, until their answers are read. The tests of the pages wait until none does. */
/** @type {any} */ (globalThis).financeRequests = () => running;
/** Counts a call. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
export const counted = async work => {
  running++;
  try {
    return await work();
  } finally {
    running--;
  }
};
for (const answer of Object.values(begun)) counted(() => answer).catch(() => {});

/** Why a call failed. */
export class Problem extends Error {
  /** Whether the call was a write. A failed read leaves nothing behind. */
  isWrite = false;

  /**
   * @param {{ status?: number, code: string, detail?: string, errors?: FieldError[], banks?: Bank[], request_id?: string, retryAfter?: number }} parts
   */
  constructor({ status = 0, code, detail = '', errors = [], banks = [], request_id = '', retryAfter = 0 }) {
    super(`${code} ${detail}`.trim());
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.banks = banks;
    this.requestId = request_id;
    this.retryAfter = retryAfter;
  }
}

/** `randomUUID` would need https. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');

/** @param {string} path @param {Loose} options */
const address = (path, { path: parts = {}, query = {} }) => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(parts[name])));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search ? `${filled}?${search}` : filled;
};

/** @param {Response} response */
const problem = async response => {
  const retryAfter = Number(response.headers.get('Retry-After')) || 0;
  try {
    return new Problem({ ...(await response.json()), status: response.status, retryAfter });
  } catch {
    // A proxy's page, or nothing.
    return new Problem({ code: `Http${response.status}`, status: response.status, retryAfter });
  }
};

/** Keeps a whole answer that has a tag. @param {string} where @param {Response} response @param {typeof credential.value} used */
const keep = async (where, response, used) => {
  answers.delete(where);
  if (!response.headers.has('ETag')) return;
  const body = await response.clone().blob();
  // After a logout it is nobody's.
  if (credential.peek() !== used) return;
  answers.set(where, new Response(body, response));
  for (const [oldest] of answers) if (answers.size > ANSWERS_MAX) answers.delete(oldest);
};

/** @param {string} method @param {string} path @param {Loose} options @param {boolean} [isAgain] @returns {Promise<Response>} */
const send = async (method, path, options, isAgain) => {
  const used = credential.peek();
  /** @type {Record<string, string>} */
  const headers = { Accept: 'application/json' };
  if (used) headers.Authorization = `Bearer ${used.token}`;
  if (options.body !== undefined) headers['Content-Type'] = 'application/json';
  if (options.key) headers['Idempotency-Key'] = options.key;
  if (options.packed) headers['Content-Encoding'] = 'gzip';
  const body = options.packed ?? options.form ?? (options.body === undefined ? null : JSON.stringify(options.body));
  const where = address(path, options),
    isRead = method === 'GET',
    early = isRead ? begun[where] : undefined,
    known = isRead ? answers.get(where) : undefined;
  delete begun[where];
  if (known) headers['If-None-Match'] = known.headers.get('ETag') ?? '';
  let response;
  try {
    response = await (early ??
      fetch(where, { method, headers, body, signal: options.signal ?? null, cache: 'no-store' }));
  } catch (error) {
    if (options.signal?.aborted) throw error;
    online.value = false;
    throw new Problem({ code: 'Offline' });
  }
  online.value = true;
  if (known && response.status === 304) return known.clone();
  if (response.ok) {
    const change = response.headers.get('Finance-Change');
    if (change) options.changed?.(Number(change));
    // One that is cancelled before its end is not kept.
    if (isRead) keep(where, response, used).catch(() => {});
    return response;
  }
  const failure = await problem(response);
  failure.isWrite = !isRead;
  if (response.status === 401 && used && !ENTRIES.test(path)) {
    const isReplaced = () => credential.peek() !== null && credential.peek()?.token !== used.token;
    const renewal = isReplaced() || adopt(used) ? 'renewed' : isAgain ? 'refused' : await renew();
    const now = credential.peek();
    // The service has refused the request before it did anything.
    if (isReplaced() && !isAgain && now && isSameMember(now, used)) return send(method, path, options, true);
    // A 401 for a token that was replaced meanwhile says nothing about the new one.
    if (!isReplaced() && renewal !== 'unknown') drop(used);
  }
  throw failure;
};

/** @param {string} method @param {string} path @param {Loose} options */
export const request = (method, path, options = {}) => counted(() => send(method, path, options));

/** @param {Response} response */
const json = async response => (response.status === 204 ? undefined : await response.json());

/** @param {string} method */
const call =
  method =>
  (/** @type {string} */ path, /** @type {Loose} */ options = {}) =>
    counted(async () => json(await send(method, path, options)));

/** @type {import('../../types/client').Call<'get'>} */
export const get = /** @type {any} */ (call('GET'));
/** @type {import('../../types/client').Call<'put'>} */
export const put = /** @type {any} */ (call('PUT'));
/** @type {import('../../types/client').Call<'delete'>} */
export const remove = /** @type {any} */ (call('DELETE'));
/**
 * Without an idempotency key, for calls where it has no meaning: logins and passwords.
 * @type {import('../../types/client').Call<'post'>}
 */
export const postOnce = /** @type {any} */ (call('POST'));
/**
 * The key of a request. A form keeps its own key until it has an answer; if its values are corrected meanwhile, it is
 * another request.
 * @param {string} key @param {unknown} body
 */
const keyOf = (key, body) => {
  let sum = 0;
  for (const character of JSON.stringify(body) ?? '') sum = (Math.imul(sum, 31) + character.charCodeAt(0)) | 0;
  return `${key}-${sum >>> 0}`;
};

/**
 * With an idempotency key, so that a repeated request is performed once.
 * @type {import('../../types/client').Call<'post'>}
 */
export const post = /** @type {any} */ (
  (/** @type {string} */ path, /** @type {Loose} */ options = {}) =>
    counted(async () => {
      const keyed = { ...options, key: keyOf(options.key ?? newKey(), options.body) };
      try {
        return await json(await send('POST', path, keyed));
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'Offline') throw error;
        await new Promise(resolve => setTimeout(resolve, RESEND_MILLISECONDS));
        return json(await send('POST', path, keyed));
      }
    })
);

/** The address of the next page of a list, if there is one. @param {Response} response */
export const nextOf = response => /^<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1] ?? null;

/** A page of a list. @type {import('../../types/client').CallPage} */
export const getPage = /** @type {any} */ (
  (/** @type {string} */ path, /** @type {Loose} */ options = {}) =>
    counted(async () => {
      const response = await send('GET', path, options);
      return { rows: await response.json(), next: nextOf(response) };
    })
);

/** Whether the error means that the call was cancelled, which is no failure. @param {unknown} error */
export const isAborted = error => error instanceof DOMException && error.name === 'AbortError';

/**
 * Data read from the service, and kept while it is shown.
 * @template T @param {(signal: AbortSignal) => Promise<T>} read @returns {import('../../types/client').Resource<T>}
 */
export const resource = read => {
  let isShown = false;
  /** @type {import('@preact/signals').Signal<T | null>} */
  const data = signal(/** @type {T | null} */ (null), {
    watched: () => void (isShown = true),
    unwatched: () => void (isShown = false),
  });
  /** @type {import('@preact/signals').Signal<Error | null>} */
  const error = signal(null);
  const busy = signal(false);
  /** @type {AbortController | null} */
  let running = null;
  /** What is shown before the service has answered, and the data without it. @type {((data: T) => T)[]} */
  let changes = [];
  let base = /** @type {T | null} */ (null);
  const show = () => {
    let shown = base;
    for (const change of changes) if (shown !== null) shown = change(shown);
    data.value = shown;
  };
  const load = async () => {
    running?.abort();
    // After a logout, the view that is still shown sends no request.
    if (credential.peek() === null) return;
    const own = (running = new AbortController());
    busy.value = true;
    try {
      const found = await counted(() => read(own.signal));
      if (own.signal.aborted) return;
      base = found;
      show();
      error.value = null;
    } catch (failure) {
      if (own.signal.aborted) return;
      error.value = /** @type {Error} */ (failure);
    }
    busy.value = false;
  };
  const clear = () => {
    running?.abort();
    data.value = error.value = base = null;
    changes = [];
    busy.value = false;
  };
  const set = (/** @type {T} */ value) => {
    running?.abort();
    data.value = base = value;
    error.value = null;
    busy.value = false;
  };
  const tentatively = (/** @type {(data: T) => T} */ change) => {
    if (changes.length === 0) base = data.peek();
    changes.push(change);
    show();
    return (/** @type {boolean} */ isDone) => {
      changes = changes.filter(one => one !== change);
      if (isDone && base !== null) base = change(base);
      if (!isDone) show();
    };
  };
  const want = () => {
    if (data.peek() === null && !busy.peek() && error.peek() === null) void load();
  };
  // While the page was in the background, another device may have written.
  const renew = () => {
    if (isShown && data.peek() !== null && !busy.peek()) void load();
  };
  const made = { data, error, busy, load, want, renew, set, tentatively, clear };
  kinds.add(new WeakRef(made));
  return made;
};

/**
 * Every resource: cleared at a logout, and reloaded when the service is back. A resource that a component created is
 * collected with it.
 * @type {Set<WeakRef<import('../../types/client').Resource<any>>>}
 */
const kinds = new Set();

/** @param {(kind: import('../../types/client').Resource<any>) => void} does */
const eachKind = does =>
  kinds.forEach(held => {
    const kind = held.deref();
    if (kind) does(kind);
    else kinds.delete(held);
  });

export const clearAll = () => eachKind(kind => kind.clear());

const comeBack = async () => {
  try {
    if ((await fetch('/healthz', { cache: 'no-store' })).ok) online.value = true;
  } catch {
    // Still unreachable.
  }
};

addEventListener('online', () => void comeBack());
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) eachKind(kind => kind.renew());
});
effect(() => {
  if (online.value) {
    untracked(() =>
      eachKind(kind => kind.error.value instanceof Problem && kind.error.value.code === 'Offline' && void kind.load()),
    );
    return undefined;
  }
  const timer = setInterval(comeBack, RETURN_MILLISECONDS);
  return () => clearInterval(timer);
});
