// What waits on the device: how much of it, for how long, and who decides.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { accessible, eventually, fits, settled, visit } from './support.mjs';
import { caughtUp, isAbsent, keysBound } from './waits.mjs';

const { service, browser, user } = await suite();

const dialogOf = page => page.getByRole('dialog', { name: 'Novo lançamento' });
const lineOf = page => dialogOf(page).getByLabel('Escreva numa linha só');
const waitingButton = (page, count) => page.getByRole('button', { name: `A enviar (${count})` });
const isEntry = request => request.method() === 'POST' && new URL(request.url()).pathname === '/api/transactions';

/** Puts entries among those that wait, as an earlier page did. @param {import('playwright-core').Page} page @param {object[]} items */
const put = async (page, items) => {
  // The page makes the places.
  await eventually(async () =>
    assert.ok(await page.evaluate(async () => (await indexedDB.databases()).some(({ name }) => name === 'finance'))),
  );
  await page.evaluate(
    added =>
      new Promise((resolve, reject) => {
        const request = indexedDB.open('finance', 1);
        request.onsuccess = () => {
          const transaction = request.result.transaction('waiting', 'readwrite');
          for (const item of added) transaction.objectStore('waiting').add(item);
          transaction.onabort = () => reject(transaction.error);
          transaction.oncomplete = () => {
            request.result.close();
            resolve(null);
          };
        };
      }),
    items,
  );
};

/** An entry of a member that was filled in. */
const entry = (api, name, more = {}) => ({
  member: `${api.credential.profile.id} ${api.credential.profile.name}`,
  key: `${name}-0123456789abcdef`,
  title: `${name}, R$ 5,00`,
  path: '/api/transactions',
  body: { type: 'expense', date: '2026-03-09', description: name, amount: '5.00' },
  ...more,
});

test('at most 200 entries wait, and what has no room stays in the form', async () => {
  const api = await user();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/');
  await settled(page);
  expect('ERR_FAILED');
  await page.route(/\/(api\/|healthz)/, route => route.abort());
  await put(
    page,
    Array.from({ length: 199 }, (_, at) => entry(api, `Compra ${at}`)),
  );
  await page.goto(service.url);
  await waitingButton(page, 199).waitFor();
  await keysBound(page);
  await page.keyboard.press('n');
  await lineOf(page).fill('pão 5');
  await lineOf(page).press('Enter');
  await waitingButton(page, 200).waitFor({ state: 'attached' });
  await eventually(async () => assert.equal(await lineOf(page).inputValue(), ''));
  await lineOf(page).fill('leite 6');
  await lineOf(page).press('Enter');
  const full = dialogOf(page).locator('#toasts .toast').filter({ hasText: 'Já há 200 lançamentos a enviar.' });
  await full.waitFor();
  assert.equal(await lineOf(page).inputValue(), 'leite 6');
  await accessible(page, 'no room for another entry');
  await full.getByRole('button', { name: 'Fechar' }).click();
  await isAbsent(full);
  // An entry that was filled in stays, too.
  await lineOf(page).fill('');
  await dialogOf(page).getByLabel('Descrição', { exact: true }).fill('Feira');
  await dialogOf(page).getByLabel('Valor', { exact: true }).fill('38');
  await dialogOf(page).getByRole('button', { name: 'Salvar', exact: true }).click();
  await full.waitFor();
  await dialogOf(page).getByText('Não foi possível falar com o Finance.').waitFor();
  assert.equal(await dialogOf(page).getByLabel('Descrição', { exact: true }).inputValue(), 'Feira');
  await waitingButton(page, 200).waitFor({ state: 'attached' });
  await close();
});

test('what was sent more than 23 hours ago is not sent again unless a person says so', async () => {
  const api = await user();
  const { page, go, close } = await visit(browser, service.url, { api, size: 'phone' });
  await go('/');
  await settled(page);
  const keys = /** @type {string[]} */ ([]);
  page.on('request', request => isEntry(request) && keys.push(request.headers()['idempotency-key'] ?? ''));
  const now = await page.evaluate(() => Date.now()),
    hours = 3_600_000;
  await put(page, [
    entry(api, 'Antigo', { sent_at: now - 23.5 * hours }),
    entry(api, 'Esquecido', { sent_at: now - 30 * hours }),
    entry(api, 'Recente', { sent_at: now - 22 * hours }),
    entry(api, 'Nunca'),
  ]);
  await page.goto(service.url);
  // Either may come first, and the toast goes again.
  await Promise.all([
    waitingButton(page, 2).waitFor(),
    page.getByText('2 lançamentos guardados precisam de você').waitFor(),
  ]);
  const descriptions = async () => (await api.get('/api/transactions')).map(row => row.description).sort();
  await eventually(async () => assert.deepEqual(await descriptions(), ['Nunca', 'Recente']));
  assert.deepEqual(keys.map(key => key.split('-')[0]).sort(), ['Nunca', 'Recente']);
  await page.getByRole('button', { name: 'Ocultar valores' }).click();
  await waitingButton(page, 2).click();
  const list = page.getByRole('dialog', { name: 'A enviar' });
  const item = name => list.getByRole('listitem').filter({ hasText: name });
  await item('Antigo')
    .getByText(/^Antigo, R\$.••••$/)
    .waitFor();
  await item('Antigo').getByText('Talvez já enviado').waitFor();
  await item('Antigo').getByText('há mais de 23 horas').waitFor();
  await accessible(page, 'entries that may have been sent');
  await fits(page, 'entries that may have been sent');
  await item('Esquecido').getByRole('button', { name: 'Apagar Esquecido' }).click();
  await item('Esquecido').waitFor({ state: 'detached' });
  await item('Antigo').getByRole('button', { name: 'Enviar de novo Antigo' }).click();
  await list.getByText('Nada a enviar.').waitFor();
  await eventually(async () => assert.deepEqual(await descriptions(), ['Antigo', 'Nunca', 'Recente']));
  // It is another request: the service may know the old key no more.
  assert.equal(keys.filter(key => key.startsWith('Antigo')).length, 0);
  assert.equal(keys.length, 3);
  await caughtUp(page);
  await isAbsent(page.getByRole('button', { name: /^A enviar/ }));
  await close();
});
