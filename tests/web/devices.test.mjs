// Devices: the login lasts without the password, passwords are set by links, sessions are ended, the character is hidden.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { accessible, addMember, client, eventually, inspect, PASSWORD, settled, visit } from './support.mjs';
import { bellShown, hold, keysBound } from './waits.mjs';

/** A session lasts a day, and is renewed in its last hour. */
const HALF_HOUR_BEFORE_THE_END = 23.5 * 3_600_000;

const { service, browser, user: profile } = await suite({ today: '2026-03-10' });

const KEEP = 'Manter conectado (90 dias)';
const isRenewal = request => new URL(request.url()).pathname === '/api/auth/renew';
const stored = page => page.evaluate(() => JSON.parse(localStorage.getItem('finance.token') ?? 'null'));
const nameOf = async api => (await api.get('/api/auth/me')).name;

/** Logs in with the box ticked. @param {import('playwright-core').Page} page */
const stay = async (page, name) => {
  await page.goto(`${service.url}/login`);
  await page.getByLabel('Nome').fill(name);
  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
  await page.getByLabel(KEEP).check();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${service.url}/`);
  // Nothing is requested later by itself.
  await bellShown(page);
};

test('a day passes and nobody is asked for a password, and no script has the secret', async () => {
  const name = await nameOf(await profile());
  const { page, context, close } = await visit(browser, service.url);
  const renewals = [];
  page.on('request', request => isRenewal(request) && renewals.push(request));
  await page.clock.install();
  await stay(page, name);
  const before = await stored(page);
  assert.ok(before.device_expires_at);
  const [cookie] = await context.cookies(`${service.url}/api/auth/renew`);
  assert.equal(cookie.name, 'finance_device');
  assert.ok(
    cookie.httpOnly && cookie.sameSite === 'Strict' && cookie.path === '/api/auth/renew',
    JSON.stringify(cookie),
  );
  const readable = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  assert.ok(!readable.includes('fin_dev_') && !readable.includes(cookie.value), readable);
  assert.equal(renewals.length, 0, 'more than an hour is left');
  const renewed = page.waitForResponse(answer => isRenewal(answer.request()));
  await page.clock.fastForward(HALF_HOUR_BEFORE_THE_END);
  assert.equal((await renewed).status(), 200);
  await eventually(async () => assert.notEqual((await stored(page)).token, before.token));
  assert.equal(await page.getByRole('dialog').count(), 0);
  const [next] = await context.cookies(`${service.url}/api/auth/renew`);
  assert.notEqual(next.value, cookie.value);
  await close();
});

test('a refused token is renewed once and the request is sent again', async () => {
  const name = await nameOf(await profile());
  const { page, close, expect } = await visit(browser, service.url);
  const renewals = [];
  page.on('request', request => isRenewal(request) && renewals.push(request));
  await stay(page, name);
  await page.evaluate(() => {
    const known = JSON.parse(localStorage.getItem('finance.token'));
    localStorage.setItem('finance.token', JSON.stringify({ ...known, token: 'expired' }));
  });
  expect(401);
  await page.reload();
  await page.getByRole('heading', { name: 'Quatro passos para começar' }).waitFor();
  await settled(page);
  assert.equal(renewals.length, 1);
  assert.equal(page.url(), `${service.url}/`);
  assert.notEqual((await stored(page)).token, 'expired');
  await close();
});

test('two tabs renew once', async () => {
  const name = await nameOf(await profile());
  const first = await visit(browser, service.url);
  const renewals = [];
  first.context.on('request', request => isRenewal(request) && renewals.push(request));
  await first.page.clock.install();
  await stay(first.page, name);
  const second = await visit(browser, service.url, { context: first.context });
  await second.go('/settings');
  await second.page.getByRole('heading', { name: 'Ajustes' }).waitFor();
  await bellShown(second.page);
  const before = await stored(first.page);
  const { open } = await hold(first.context, '**/api/auth/renew');
  // The clock is that of both tabs. One asks, and the other waits for it.
  await first.page.clock.fastForward(HALF_HOUR_BEFORE_THE_END);
  await eventually(async () => {
    assert.equal(renewals.length, 1);
    for (const { page } of [first, second]) assert.equal(await page.evaluate(() => financeRequests()), 1);
  });
  open();
  const token = await eventually(async () => {
    const known = await stored(first.page);
    assert.notEqual(known.token, before.token);
    for (const { page } of [first, second]) assert.equal(await page.evaluate(() => financeRequests()), 0);
    return known.token;
  });
  // The second tab takes what the first one got: its next request has that token.
  const asked = second.page.waitForRequest(request => request.headers().authorization === `Bearer ${token}`);
  await second.page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')));
  await asked;
  assert.equal(renewals.length, 1);
  await second.close();
  await first.close();
});

test('an ended device falls to the login, and its renewal does not help', async () => {
  const api = await profile(),
    name = await nameOf(api);
  const desk = await visit(browser, service.url, { api }),
    phone = await visit(browser, service.url);
  await stay(phone.page, name);
  await desk.go('/settings?show=access');
  const sessions = desk.page.getByRole('region', { name: 'Sessões', exact: true });
  await sessions.getByRole('button', { name: 'Encerrar este aparelho' }).first().waitFor();
  await inspect(desk.page, 'sessions-end', { sizes: ['phone', 'desktop'] });
  const count = await sessions.getByRole('button', { name: 'Encerrar este aparelho' }).count();
  for (let left = count; left > 0; left--) {
    await sessions.getByRole('button', { name: 'Encerrar este aparelho' }).first().click();
    await eventually(async () =>
      assert.equal(await sessions.getByRole('button', { name: 'Encerrar este aparelho' }).count(), left - 1),
    );
  }
  await accessible(desk.page);
  phone.expect(401);
  await phone.page.getByRole('link', { name: 'Contas' }).first().click();
  await phone.page.getByText('Sua sessão terminou.').waitFor();
  assert.equal(await stored(phone.page), null);
  await phone.close();
  await desk.close();
});

test('what was typed on an ended device is there again after the login', async () => {
  const api = await profile(),
    name = await nameOf(api);
  const { page, close, expect } = await visit(browser, service.url);
  await stay(page, name);
  await page.getByRole('link', { name: 'Contas' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Contas' }).waitFor();
  await settled(page);
  await keysBound(page);
  await page.keyboard.press('n');
  const quick = page.getByRole('dialog', { name: 'Novo lançamento' });
  await quick.getByLabel('Descrição').fill('Padaria da esquina');
  await quick.getByLabel('Valor').fill('18,50');
  // The device is ended elsewhere: all sessions but that of the client.
  for (const session of await api.get('/api/auth/sessions'))
    if (!session.current) await api.remove(`/api/auth/sessions/${session.id}`);
  expect(401);
  await quick.getByRole('button', { name: 'Salvar', exact: true }).click();
  await page.getByText('Sua sessão terminou.').waitFor();
  assert.equal(await stored(page), null);
  assert.equal((await api.get('/api/transactions?q=padaria')).length, 0);
  await page.getByLabel('Nome').fill(name);
  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${service.url}/accounts`);
  await bellShown(page);
  await keysBound(page);
  await page.keyboard.press('n');
  await eventually(async () =>
    assert.deepEqual(
      [await quick.getByLabel('Descrição').inputValue(), await quick.getByLabel('Valor').inputValue()],
      ['Padaria da esquina', '18,50'],
    ),
  );
  await quick.getByRole('button', { name: 'Salvar', exact: true }).click();
  await quick.waitFor({ state: 'detached' });
  await eventually(async () => assert.equal((await api.get('/api/transactions?q=padaria'))[0]?.amount, '18.50'));
  await close();
});

test('an owner makes a link with which a member chooses a new password', async () => {
  const api = await profile(),
    member = `bia & zé ${Date.now()}`;
  await addMember(service.url, api, 'viewer', member);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/settings?show=access');
  const people = page.getByRole('region', { name: 'Pessoas', exact: true });
  await people.getByRole('button', { name: `Nova senha de ${member}` }).click();
  const dialog = page.getByRole('dialog', { name: `Nova senha de ${member}` });
  const link = await dialog.getByLabel('Endereço para a senha').inputValue();
  assert.match(link, new RegExp(`^${service.url}/login#invite=inv_[\\w-]{43}&name=bia%20%26%20z`));
  await inspect(page, 'password-link', { sizes: ['phone', 'desktop'] });
  await dialog.locator('.dialog-body').getByRole('button', { name: 'Fechar' }).click();
  await people.getByText(`Nova senha de ${member}`).waitFor();
  await accessible(page);
  await close();
  const other = await visit(browser, service.url);
  await other.page.goto(link);
  await other.page.getByRole('heading', { name: `Escolha sua senha, ${member}` }).waitFor();
  await inspect(other.page, 'choose-password');
  await eventually(async () =>
    assert.equal(await other.page.evaluate(() => document.activeElement?.getAttribute('name')), 'new_password'),
  );
  assert.equal(await other.page.locator('input[autocomplete=username]').inputValue(), member);
  await other.page.keyboard.type('short');
  await other.page.keyboard.press('Enter');
  await eventually(async () =>
    assert.equal(await other.page.getByLabel('Senha', { exact: true }).getAttribute('aria-invalid'), 'true'),
  );
  await other.page.getByLabel('Senha', { exact: true }).fill('battery staple');
  await other.page.keyboard.press('Enter');
  await other.page.waitForURL(`${service.url}/`);
  await settled(other.page);
  await other.close();
});

test('the character is hidden from frame and guide where the settings say so', async () => {
  const api = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/settings?page=looks');
  await page.locator('.character img').first().waitFor({ state: 'attached' });
  const box = page.getByLabel('Mostrar o personagem');
  await box.uncheck();
  await page.locator('#toasts').getByText('O personagem não aparece mais.').waitFor();
  await eventually(async () => assert.equal(await page.locator('.character').count(), 0));
  assert.equal((await api.get('/api/settings')).show_character, false);
  await go('/');
  await page.getByRole('heading', { name: 'Quatro passos para começar' }).waitFor();
  await settled(page);
  assert.equal(await page.locator('.character, .first-head img').count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Personagem' }).count(), 0);
  await close();
});

test('password managers find the form that changes a password', async () => {
  const answer = await fetch(`${service.url}/.well-known/change-password`, { redirect: 'manual' });
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.get('Location'), '/settings');
  const api = await client(service.url);
  assert.equal((await api.get('/api/settings')).show_character, true);
});
