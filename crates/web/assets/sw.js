// Keeps the shell (the page and its files), so that the page starts without a connection. It never keeps an answer of
// the API.
const KEPT = 'finance-{{hash}}';
const ASSETS = '/assets/{{hash}}/';
const PAGES =
  /^\/(login|transactions|accounts|cards|forecast|imports|recurring|categories|budgets|changes|reports|character|settings)?$/;

/**
 * Where the browser supports routes, files come from the cache before this worker has started. Pages have none: Chromium
 * does not always end a page that this worker answered faster than the service, when there is no connection.
 */
const ROUTES = [{ condition: { urlPattern: { pathname: `${ASSETS}*` } }, source: { cacheName: KEPT } }];

addEventListener('install', event => {
  // A browser that refuses the routes asks this worker, like one without routes.
  event.waitUntil(Promise.resolve(event.addRoutes?.(ROUTES)).catch(() => {}));
  event.waitUntil(
    caches
      .open(KEPT)
      .then(cache => cache.addAll(['/', `${ASSETS}icon.svg`]))
      .then(() => skipWaiting()),
  );
});

addEventListener('activate', event => {
  const drop = async () => {
    for (const name of await caches.keys()) if (name !== KEPT) await caches.delete(name);
    await clients.claim();
  };
  event.waitUntil(drop());
});

/** A file's address holds the hash of all files, so what is kept is right. */
const asset = async request => {
  const kept = await caches.match(request.url);
  if (kept) return kept;
  const response = await fetch(request);
  // A folder served while developing says that it is not to be kept.
  if (response.ok && response.headers.get('Cache-Control')?.includes('immutable')) {
    const cache = await caches.open(KEPT);
    await cache.put(request.url, response.clone());
  }
  return response;
};

/** How long the service may take to send the page, before the kept one is shown. */
const PAGE_MILLISECONDS = 4000;

/** The page is always asked for, and kept for when there is no answer, or none in time. */
const page = async request => {
  const kept = await caches.match('/'),
    answer = fetch(request);
  if (!kept) return answer;
  const late = new Promise(resolve => setTimeout(resolve, PAGE_MILLISECONDS, kept.clone()));
  return Promise.race([answer.catch(() => kept), late]);
};

/** What a module imports, also later. */
const IMPORTS = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+\.js)'|\bwordsOf\('(\w+)'\)/g;
/** Kept where every module is. */
const WHOLE = `${ASSETS}whole`;

/**
 * After the first visit the page tells which files it uses, as they were fetched before anybody watched. What these
 * import is
 * fetched one after the other, so that a view or a dialog opens without a connection also for the first time.
 */
const keep = async addresses => {
  const cache = await caches.open(KEPT);
  if (await cache.match(WHOLE)) return;
  const wanted = new Set(addresses.filter(address => address.startsWith(location.origin + ASSETS)));
  const other = [...wanted].some(address => address.endsWith('/words/en.js')) ? 'pt-BR' : 'en',
    language = other === 'en' ? 'pt-BR' : 'en';
  // It grows meanwhile.
  for (const address of wanted) {
    const file = await asset(new Request(address));
    if (!file.headers.get('Cache-Control')?.includes('immutable')) return;
    if (!/\.m?js$/.test(address)) continue;
    for (const [, path, words] of (await file.text()).matchAll(IMPORTS)) {
      const found = words
        ? new URL(`${ASSETS}app/words/${words}/${language}.js`, location.origin)
        : new URL(path, address);
      if (!found.pathname.endsWith(`/${other}.js`)) wanted.add(found.href);
    }
  }
  await cache.put(WHOLE, new Response());
};

addEventListener('message', event => {
  // Where the connection goes meanwhile, the next visit goes on.
  if (Array.isArray(event.data)) event.waitUntil(keep(event.data).catch(() => {}));
});

/** The database of `app/device.js`. */
const database = () =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open('finance', 1);
    request.onupgradeneeded = () => {
      for (const name of ['waiting', 'shared'])
        request.result.createObjectStore(name, { keyPath: 'id', autoIncrement: true });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** The most that waits on this device. The service takes files of at most 10 MiB. */
const SHARED_MAX = 20,
  FILE_BYTES_MAX = 10 * 1024 * 1024,
  SHARED_BYTES_MAX = 40 * 1024 * 1024;

/** Keeps what was shared. Of a file that is too large only the name. */
const keepShared = async items => {
  const known = await database();
  try {
    await new Promise((resolve, reject) => {
      const transaction = known.transaction('shared', 'readwrite', { durability: 'strict' }),
        shared = transaction.objectStore('shared'),
        before = shared.getAll();
      before.onsuccess = () => {
        let room = SHARED_MAX - before.result.length,
          bytes = before.result.reduce((sum, { file }) => sum + (file?.size ?? 0), 0);
        for (const { file, ...item } of items) {
          if (room-- <= 0) return;
          const isKept = file && file.size <= FILE_BYTES_MAX && bytes + file.size <= SHARED_BYTES_MAX;
          if (isKept) bytes += file.size;
          shared.add(isKept ? { ...item, file } : item);
        }
      };
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    known.close();
  }
};

/** What another app shares with the page: files go to the imports, a text begins an entry. No address holds it. */
const share = async request => {
  const form = await request.formData(),
    files = form.getAll('files').filter(file => file instanceof File && file.name !== ''),
    text = ['title', 'text', 'url']
      .flatMap(name => form.getAll(name))
      .join(' ')
      .trim();
  const items = files.length > 0 ? files.map(file => ({ name: file.name, file })) : text ? [{ text }] : [];
  await keepShared(items);
  return Response.redirect(files.length > 0 || !text ? '/imports' : '/?add=1', 303);
};

/** Another site may send a form here too; a share has no referrer. */
const isShare = ({ method, mode, referrer }, { pathname }) =>
  method === 'POST' && mode === 'navigate' && pathname === '/share' && !/^https?:/.test(referrer);

addEventListener('fetch', event => {
  const url = new URL(event.request.url);
  if (url.origin === location.origin && isShare(event.request, url)) event.respondWith(share(event.request));
  if (event.request.method !== 'GET' || url.origin !== location.origin) return;
  if (url.pathname.startsWith(ASSETS)) event.respondWith(asset(event.request));
  else if (event.request.mode === 'navigate' && PAGES.test(url.pathname)) event.respondWith(page(event.request));
});

/** Shown where a push cannot be read: a browser ends the subscription of a page that shows nothing. */
const NAMELESS = { title: 'Finance', body: '', url: '/' };

addEventListener('push', event => {
  /** @type {any} */
  let message = NAMELESS;
  try {
    message = { ...NAMELESS, ...event.data?.json() };
  } catch {
    // It is not one of the service.
  }
  const { title, body, tag, url, actions } = message;
  const icon = `${ASSETS}icon-192.png`;
  event.waitUntil(registration.showNotification(title, { body, tag, actions, icon, badge: icon, data: { url } }));
});

/** Opens an address in a page that is open, or in a new one. The page acts on `notice` once it is logged in. */
const show = async address => {
  const [page] = await clients.matchAll({ type: 'window' });
  if (!page) return clients.openWindow(address);
  // Where the browser does not let it come forward, it still shows the address.
  await page.focus().catch(() => {});
  // What is typed into an open page stays. The login has nothing to lose, and does not listen.
  if (new URL(page.url).pathname === '/login') return page.navigate(address);
  page.postMessage({ open: address });
};

addEventListener('notificationclick', event => {
  const { notification, action } = event,
    address = new URL(notification.data?.url ?? '/', location.origin);
  notification.close();
  if (address.origin !== location.origin) return;
  if (action) address.searchParams.set('notice', action);
  event.waitUntil(show(address.pathname + address.search));
});
