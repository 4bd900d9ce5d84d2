// Keeps the shell (the page and its files), so that the page starts without a connection. It never keeps an answer of the API.
const KEPT = 'finance-{{hash}}';
const ASSETS = '/assets/{{hash}}/';
const PAGES = /^\/(login|transactions|accounts|cards|forecast|imports|recurring|categories|character|settings)?$/;

addEventListener('install', event => {
  event.waitUntil(caches.open(KEPT).then(cache => cache.addAll(['/', `${ASSETS}icon.svg`])).then(() => skipWaiting()));
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

/** The page is always asked for, and kept for when there is no answer. */
const page = async request => {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match('/');
    if (kept) return kept;
    throw error;
  }
};

// After the first visit the page tells which files it uses, as they were fetched before anybody watched.
addEventListener('message', event => {
  if (!Array.isArray(event.data)) return;
  const keep = async () => {
    const cache = await caches.open(KEPT);
    for (const address of event.data) {
      const url = new URL(address);
      if (url.origin === location.origin && url.pathname.startsWith(ASSETS) && !(await cache.match(url.href))) await asset(new Request(url.href));
    }
  };
  event.waitUntil(keep());
});

addEventListener('fetch', event => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== location.origin) return;
  if (url.pathname.startsWith(ASSETS)) event.respondWith(asset(event.request));
  else if (event.request.mode === 'navigate' && PAGES.test(url.pathname)) event.respondWith(page(event.request));
});
