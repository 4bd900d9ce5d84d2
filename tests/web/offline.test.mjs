// Without a connection: data that was read stays, views that were never opened open, and a written entry is sent later,
// once.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import { household } from './household.mjs';
import { suite } from './suite.mjs';
import { eventually, inspect, visit } from './support.mjs';

const app = fileURLToPath(new URL('../../crates/web/assets/app/', import.meta.url));

// The service worker does not keep files that are served from a folder.
const { service, browser, user } = await suite({ environment: { FINANCE_WEB_ASSETS: '' } });

/** A separate profile for a test. */
const profile = async () => {
  const api = await user();
  return { api, ...(await household(api)) };
};

/** The modules that the service worker keeps. */
const kept = page =>
  page.evaluate(async () => {
    const requests = await Promise.all((await caches.keys()).map(async name => (await caches.open(name)).keys()));
    return requests.flat().map(request => new URL(request.url).pathname);
  });
/** Waits until every module is kept. */
const whole = page => eventually(async () => assert.ok((await kept(page)).some(path => path.endsWith('/whole'))));

/** Opens a page at an address, and cuts its connection after every module is kept. @param {string} path */
const withoutConnection = async path => {
  const { api } = await profile();
  const visited = await visit(browser, service.url, { worker: true, api });
  await visited.go(path);
  await whole(visited.page);
  visited.expect('ERR_INTERNET_DISCONNECTED');
  await visited.page.context().setOffline(true);
  return { api, ...visited };
};

test('a while after the first visit every module is kept, in the language of the page', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { worker: true, api });
  await go('/');
  await whole(page);
  const here = (await kept(page)).map(path => path.replace(/^\/assets\/[^/]+\/app\//, ''));
  const base = await page.evaluate(() => {
    const start = /** @type {HTMLScriptElement} */ (document.querySelector('script[src$="/app/main.js"]'));
    return start.src.replace(/main\.js$/, '');
  });
  const isFile = async (/** @type {string} */ name) => (await fetch(base + name)).ok;
  const missing = [];
  for (const name of readdirSync(app, { recursive: true })
    .map(String)
    .filter(name => name.endsWith('.js')))
    if (!here.includes(name) && (await isFile(name))) missing.push(name);
  assert.deepEqual(
    missing.filter(name => !/(^|\/)en\.js$/.test(name)),
    [],
  );
  assert.ok(missing.length > 0);
  await close();
});

test('on the next visit files come from the cache without the service worker', {
  skip: process.env.FINANCE_BROWSER === 'firefox' && 'Firefox has no routes',
}, async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { worker: true, api });
  await go('/');
  await whole(page);
  await page.reload();
  await page.getByRole('region', { name: 'Março até agora: sobram R$ 3.864.' }).waitFor();
  const sources = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(entry => entry.name.includes('/assets/') && entry.name.endsWith('.js'))
      .map(entry => ({
        wanted: entry.workerMatchedSourceType,
        // Some files the browser still has in its memory. It asks for them nowhere, which takes no time.
        found: entry.duration > 0 ? entry.workerFinalSourceType : undefined,
      })),
  );
  assert.deepEqual([...new Set(sources.map(({ wanted }) => wanted))], ['cache']);
  const found = sources.flatMap(({ found }) => found ?? []);
  assert.ok(found.length > 3, `${found.length} of ${sources.length} files`);
  assert.deepEqual([...new Set(found)], ['cache']);
  await close();
});

test('the page starts without a connection', async () => {
  const { page, close } = await withoutConnection('/');
  // Several times: whether the network or the service worker is the first to tell the browser varies.
  for (const path of ['/accounts', '/cards', '/accounts', '/recurring', '/accounts'])
    await page.goto(service.url + path);
  await page.getByRole('heading', { level: 1, name: 'Contas' }).waitFor();
  await page.getByText('Sem conexão com o Finance').waitFor();
  await close();
});

test('views and dialogs that were never opened open without a connection, and what was read stays', async () => {
  const { page, close } = await withoutConnection('/');
  await page.getByRole('link', { name: 'Recorrentes' }).first().click();
  await page.getByRole('heading', { level: 1, name: /^Contas a pagar e a receber/ }).waitFor();
  await page.getByText('Sem conexão com o Finance').waitFor();
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'Novo lançamento' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Atalhos do teclado' }).waitFor();
  await page.keyboard.press('Escape');
  // The dashboard shows the data that was read.
  await page.getByRole('link', { name: 'Painel' }).first().click();
  await page.getByRole('region', { name: 'Março até agora: sobram R$ 3.864.' }).waitFor();
  await page.getByText('Farmácia').first().waitFor();
  await inspect(page, 'offline-dashboard', { sizes: ['phone'] });
  await page.context().setOffline(false);
  await page.getByText('Sem conexão com o Finance').waitFor({ state: 'detached' });
  await close();
});

test('what is entered without a connection waits on the device, and is stored once', async () => {
  const { api, page, close, expect } = await withoutConnection('/transactions');
  const sent = [];
  page.on(
    'request',
    request =>
      request.method() === 'POST' &&
      request.url().endsWith('/api/transactions') &&
      sent.push(request.headers()['idempotency-key']),
  );
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'Novo lançamento' });
  await dialog.getByLabel('Descrição').fill('Padaria da esquina');
  await dialog.getByLabel('Valor').fill('12,50');
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).dblclick();
  await dialog.waitFor({ state: 'detached' });
  const waiting = page.getByRole('button', { name: 'A enviar (1)' });
  await waiting.waitFor();
  const message = page.locator('#toasts').getByText('Sem conexão: “Padaria da esquina');
  await message.waitFor();
  // It stays when other pages are opened.
  await page.getByRole('link', { name: 'Ajustes' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Ajustes' }).waitFor();
  await waiting.click();
  await page.getByRole('dialog', { name: 'A enviar' }).getByText('Esperando a conexão').waitFor();
  await page.keyboard.press('Escape');
  // The answer is lost once: the service stores the entry, and the page sends it again under the same key.
  expect('ERR_FAILED');
  let lost = 0;
  await page.route('**/api/transactions', async route => {
    if (route.request().method() !== 'POST' || lost > 0) return route.continue();
    lost += 1;
    await route.fetch();
    await route.abort();
  });
  const before = sent.length;
  await page.context().setOffline(false);
  await page.locator('#toasts').getByText('1 lançamento guardado foi enviado.').waitFor();
  await waiting.waitFor({ state: 'detached' });
  await message.waitFor({ state: 'detached' });
  const again = sent.slice(before);
  assert.deepEqual([lost, again.length, new Set(sent).size], [1, 2, 1]);
  assert.equal((await api.get('/api/transactions?q=Padaria%20da%20esquina')).length, 1);
  await close();
});

test('with a connection that hangs the page starts from what is kept', {
  skip: process.env.FINANCE_BROWSER === 'firefox' && 'Firefox reaches the service through a proxy of its own',
}, async context => {
  const { api } = await profile();
  // A proxy that can be told to answer no page any more.
  let hangs = false;
  const proxy = createServer((request, response) => {
    if (hangs && request.url === '/accounts') return;
    const passed = ask(service.url + request.url, { method: request.method, headers: request.headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise(resolve => proxy.listen(0, '127.0.0.1', () => resolve(undefined)));
  context.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (proxy.address()).port}`;
  const { page, go, close } = await visit(browser, url, { worker: true, api });
  await go('/');
  await whole(page);
  hangs = true;
  await page.goto(`${url}/accounts`);
  await page.getByRole('heading', { level: 1, name: 'Contas' }).waitFor();
  await page.getByText('Itaú').first().waitFor();
  await close();
});
