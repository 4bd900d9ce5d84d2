// Files that arrive by themselves: in the inbox, and shared by other apps of a phone, with and without a connection.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { accessible, eventually, fits, inspect, onDevice, PASSWORD, settled, SIZES, undo, visit } from './support.mjs';
import { shareTo } from './shared.mjs';
import { file, ofxOfAccounts } from './statements.mjs';
import { isAbsent, keysBound } from './waits.mjs';

// The service worker keeps no files that are served from a folder.
const { service, browser, user } = await suite({ environment: { FINANCE_WEB_ASSETS: '' } });

/** A separate profile with two accounts, which know their numbers. */
const profile = async () => {
  const api = await user();
  const accounts = [];
  for (const [name, number] of [
    ['Itaú', '00012345'],
    ['Nubank', '00067890'],
  ]) {
    const made = await api.post('/api/accounts', {
      name,
      kind: 'current',
      opening_balance: '1000.00',
      opening_date: '2026-02-01',
    });
    accounts.push(made);
    const body = new FormData();
    body.set('account_id', String(made.id));
    body.set('file', new Blob([ofxOfAccounts({ [number]: [['2026-02-20', '-1.00', 'ANTES']] })]), 'antes.ofx');
    const { rows, statements, format } = await api.post('/api/import/preview', body);
    await api.post('/api/import/confirm', { account_id: made.id, format, rows, statements });
  }
  return { api, itau: accounts[0], bank: accounts[1] };
};

const statement = (number, day, text, amount = '-10.00') =>
  ofxOfAccounts({ [number]: [[`2026-03-${day}`, amount, text]] });

/** Sends a file to the inbox, as a shortcut of a phone does. */
const receive = (api, name, content) => {
  const body = new FormData();
  body.set('file', new Blob([content]), name);
  return api.post('/api/inbox', body);
};

const states = async api => (await api.get('/api/inbox')).map(item => [item.file_name, item.state]).sort();
const stored = async api =>
  (await api.get('/api/transactions?limit=100'))
    .filter(row => row.source === 'ofx')
    .map(row => row.description)
    .sort();
const heading = (page, name) => page.getByRole('heading', { name, exact: true });
const arrived = page => page.getByRole('region', { name: 'Chegaram' });

/** Waits until the service worker controls the page and every module is kept. */
const kept = page =>
  eventually(async () =>
    assert.ok(
      await page.evaluate(async () => {
        if (!navigator.serviceWorker.controller) return false;
        const requests = await Promise.all((await caches.keys()).map(async name => (await caches.open(name)).keys()));
        return requests.flat().some(request => new URL(request.url).pathname.endsWith('/whole'));
      }),
    ),
  );

/** @param {import('playwright-core').Page} page @param {Parameters<typeof shareTo>[2]} shared */
const share = (page, shared) => shareTo(page, service.url, shared);

test('three files that have arrived are imported by one button, by keyboard on a phone; one is dismissed and taken back', async () => {
  const { api } = await profile();
  await receive(api, 'a.ofx', statement('00012345', '05', 'FEIRA'));
  await receive(api, 'b.ofx', statement('00067890', '06', 'TEATRO', '-62.00'));
  await receive(api, 'c.ofx', statement('00012345', '07', 'LIVRARIA', '-48.90'));
  await receive(api, 'd.ofx', statement('00099999', '08', 'DENTISTA'));
  const { page, go, close } = await visit(browser, service.url, { worker: true, api, size: 'phone' });
  await page.clock.install();
  await go('/imports');
  const line = name => arrived(page).getByRole('listitem').filter({ hasText: name });
  await line('a.ofx').getByText('Itaú · chegou').waitFor();
  await line('d.ofx').getByText('Conta a escolher').waitFor();
  await inspect(page, 'imports-arrived', { sizes: ['phone', 'desktop'] });
  await page.setViewportSize(SIZES.phone);
  await line('d.ofx').getByRole('button', { name: 'Dispensar' }).click();
  await page.getByText('d.ofx: dispensado.').waitFor();
  await arrived(page).getByRole('button', { name: 'Importar 3 arquivos' }).waitFor();
  await undo(page, 'd.ofx').click();
  await arrived(page).getByRole('button', { name: 'Importar 4 arquivos' }).waitFor();
  await line('d.ofx').getByRole('button', { name: 'Dispensar' }).click();
  await arrived(page).getByRole('button', { name: 'Importar 3 arquivos' }).waitFor();
  await keysBound(page);
  await arrived(page).getByRole('button', { name: 'Importar 3 arquivos' }).focus();
  await page.keyboard.press('Enter');
  await heading(page, '3 arquivos para importar').waitFor();
  const all = page.getByRole('button', { name: 'Importar 3 arquivos' });
  await all.waitFor();
  await all.focus();
  await page.keyboard.press('Enter');
  await heading(page, '3 arquivos importados').waitFor();
  await eventually(async () =>
    assert.deepEqual(await states(api), [
      ['a.ofx', 'imported'],
      ['b.ofx', 'imported'],
      ['c.ofx', 'imported'],
      ['d.ofx', 'dismissed'],
    ]),
  );
  assert.deepEqual(await stored(api), ['ANTES', 'ANTES', 'FEIRA', 'LIVRARIA', 'TEATRO']);
  await page.getByRole('button', { name: 'Concluir' }).click();
  // What is past can be taken back or deleted.
  await arrived(page).getByText('4 arquivos dispensados ou importados').click();
  await accessible(page, 'past files');
  await fits(page, 'past files');
  await arrived(page).getByRole('button', { name: 'Apagar d.ofx' }).click();
  await page.getByText('d.ofx: apagado.').waitFor();
  assert.equal((await states(api)).length, 3);
  await close();
});

test('a shared file goes to its preview, and is one item however it comes', async () => {
  const { api } = await profile();
  const content = statement('00012345', '05', 'FEIRA');
  const { page, go, close } = await visit(browser, service.url, { worker: true, api, size: 'phone' });
  await go('/');
  await kept(page);
  await share(page, { files: [file('extrato.ofx', content)] });
  await heading(page, 'Confira antes de importar').waitFor();
  assert.equal(page.url(), `${service.url}/imports`);
  await receive(api, 'outro nome.ofx', content);
  assert.deepEqual(await states(api), [['extrato.ofx', 'new']]);
  await page.getByRole('button', { name: /^Importar 1 lançamento/ }).click();
  await heading(page, '1 lançamento importado').waitFor();
  assert.deepEqual(await states(api), [['extrato.ofx', 'imported']]);
  await page.getByRole('button', { name: 'Desfazer' }).click();
  await eventually(async () => assert.deepEqual(await states(api), [['extrato.ofx', 'new']]));
  await close();
});

test('the form of another site is not taken for a share', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { worker: true, api });
  await go('/');
  await kept(page);
  await share(page, { text: 'pague 1000', policy: 'origin' });
  await heading(page, 'Importar').waitFor();
  assert.equal(page.url(), `${service.url}/imports`);
  await page.goto(`${service.url}/?add=1`);
  await page.getByLabel('Escreva numa linha só').waitFor();
  assert.equal(await page.getByLabel('Escreva numa linha só').inputValue(), '');
  await close();
});

test('a shared PDF gets the way to a file of its bank that can be read', async () => {
  const { api } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { worker: true, api, size: 'phone' });
  expect(415);
  await go('/');
  await kept(page);
  await share(page, { files: [file('fatura.pdf', '%PDF-1.7 nothing to read')] });
  await page.getByRole('heading', { name: /^De onde é fatura.pdf/ }).waitFor();
  await page.getByRole('alert').filter({ hasText: 'PDF' }).waitFor();
  await page.getByRole('table').waitFor();
  await accessible(page, 'a shared PDF');
  await fits(page, 'a shared PDF');
  assert.deepEqual(await states(api), []);
  await close();
});

test('what is shared without a connection waits on the device, a file and a text', async () => {
  const { api } = await profile();
  const { page, context, go, close, expect } = await visit(browser, service.url, { worker: true, api, size: 'phone' });
  expect('ERR_INTERNET_DISCONNECTED');
  await go('/');
  await kept(page);
  await context.setOffline(true);
  await share(page, { text: 'mercado 54,90' });
  const line = page.getByLabel('Escreva numa linha só');
  await eventually(async () => assert.equal(await line.inputValue(), 'mercado 54,90'));
  assert.equal(page.url(), `${service.url}/`);
  await line.press('Enter');
  await page.getByRole('button', { name: 'A enviar (1)' }).waitFor({ state: 'attached' });
  assert.deepEqual(await api.get('/api/transactions?q=Mercado'), []);
  await share(page, { files: [file('extrato.ofx', statement('00012345', '05', 'FEIRA'))] });
  await heading(page, 'Importar').waitFor();
  await arrived(page).getByText('está guardado neste aparelho').waitFor();
  await accessible(page, 'a file that was shared without a connection');
  assert.deepEqual(await states(api), []);
  // Both go on by themselves.
  await context.setOffline(false);
  await heading(page, 'Confira antes de importar').waitFor();
  assert.deepEqual(await states(api), [['extrato.ofx', 'new']]);
  await eventually(async () => assert.equal((await api.get('/api/transactions?q=Mercado')).length, 1));
  await isAbsent(page.getByRole('button', { name: /^A enviar/ }));
  await close();
});

test('a logout says that a shared file is lost, and wipes it', async () => {
  const { api } = await profile();
  const { page, context, go, close, expect } = await visit(browser, service.url, { worker: true, api });
  expect('ERR_INTERNET_DISCONNECTED');
  await go('/');
  await kept(page);
  await context.setOffline(true);
  await share(page, { files: [file('extrato.ofx', statement('00012345', '05', 'FEIRA'))] });
  await arrived(page).getByText('está guardado neste aparelho').waitFor();
  await page.getByRole('button', { name: 'Sair' }).first().click();
  const leaving = page.getByRole('dialog', { name: 'Sair sem enviar?' });
  await leaving.getByText('Há 1 item que ainda não foi enviado').waitFor();
  await leaving.getByRole('button', { name: 'Sair e apagar' }).click();
  await page.getByLabel('Nome').waitFor();
  assert.deepEqual(await onDevice(page, 'shared'), []);
  assert.deepEqual(await states(api), []);
  await close();
});

test('what is shared while nobody is logged in waits for the login', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { worker: true, size: 'phone' });
  const login = async () => {
    await page.getByLabel('Nome').fill(api.credential.profile.name);
    await page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
  };
  await go('/login');
  await kept(page);
  await share(page, { files: [file('extrato.ofx', statement('00012345', '05', 'FEIRA'))] });
  await page.waitForURL(/\/login\?next=%2Fimports$/);
  await login();
  await heading(page, 'Confira antes de importar').waitFor();
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await share(page, { text: 'padaria 12' });
  await page.waitForURL(/\/login\?next=/);
  assert.doesNotMatch(page.url(), /padaria/);
  await login();
  const line = page.getByLabel('Escreva numa linha só');
  await eventually(async () => assert.equal(await line.inputValue(), 'padaria 12'));
  await settled(page);
  await line.press('Enter');
  await page.locator('#toasts').getByText('Salvo: Padaria').waitFor();
  await close();
});
