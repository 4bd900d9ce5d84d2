// Login, logout, and what happens when a token is no longer valid.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { accessible, client, eventually, inspect, NAME, PASSWORD, settled, visit } from './support.mjs';

const { service, browser } = await suite();

const fill = async (page, name, password) => {
  await page.getByLabel('Nome').fill(name);
  await page.getByLabel('Senha', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
};

test('a person logs in by keyboard and arrives at the dashboard', async () => {
  const { page, go, close, expect } = await visit(browser, service.url);
  await go('/');
  await page.waitForURL(/^[^?#]*\/login(\?|$)/);
  await inspect(page, 'login');
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.id), 'name'));
  // Nothing is sent while a field is empty.
  await page.keyboard.press('Enter');
  await page.getByText('Diga seu nome.').waitFor();
  await page.keyboard.type(NAME);
  await page.keyboard.press('Tab');
  await page.keyboard.type('wrong horse');
  expect(401);
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'não conferem' }).waitFor();
  await inspect(page, 'login-wrong');
  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Quatro passos para começar' }).waitFor();
  await page.waitForURL(`${service.url}/`);
  await eventually(async () => assert.match(await page.title(), /^Painel/));
  // The token is stored for this window only, unless the user asks otherwise.
  await eventually(async () =>
    assert.deepEqual(
      await page.evaluate(() => [
        localStorage.getItem('finance.token'),
        sessionStorage.getItem('finance.token') !== null,
      ]),
      [null, true],
    ),
  );
  await eventually(async () => assert.equal(await page.evaluate(() => document.cookie), ''));
  await close();
});

/** Makes the service answer as `finance demo` does: only there, a link may log in. */
const demonstrate = page => page.route('**/demonstration', route => route.fulfill({ status: 204 }));

test('the link that a demonstration prints logs in, and keeps nothing in the address', async () => {
  const { page, close } = await visit(browser, service.url);
  await demonstrate(page);
  await page.goto(`${service.url}/login#name=${NAME}&password=${encodeURIComponent(PASSWORD)}`);
  await page.getByRole('heading', { name: 'Quatro passos para começar' }).waitFor();
  await page.waitForURL(`${service.url}/`);
  // Firefox does not tell its addresses before the current one.
  const kept = await page.evaluate(() =>
    'navigation' in globalThis
      ? /** @type {any} */ (globalThis).navigation.entries().map(({ url }) => url)
      : [location.href],
  );
  assert.ok(kept.length > 0 && kept.every(url => !url.includes('#')), kept.join());
  await page.goBack().catch(() => {});
  assert.equal(new URL(page.url()).hash, '');
  await close();
  // A wrong password in the link is reported as at any login.
  const wrong = await visit(browser, service.url);
  await demonstrate(wrong.page);
  wrong.expect(401);
  await wrong.page.goto(`${service.url}/login#name=${NAME}&password=other`);
  await wrong.page.getByRole('alert').filter({ hasText: 'não conferem' }).waitFor();
  await wrong.page.waitForURL(`${service.url}/login`);
  await wrong.close();
});

test('a link with a name and a password logs nobody in where the service is no demonstration', async () => {
  const { page, close, expect } = await visit(browser, service.url);
  const sent = [];
  page.on('request', request => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
  expect(404);
  // Whatever the link adds, it cannot say so itself.
  for (const query of ['', '?demonstration', '?demo=1&demonstration=204']) {
    const asked = page.waitForResponse(answer => answer.url().endsWith('/demonstration'));
    await page.goto(
      `${service.url}/login${query}#name=${NAME}&password=${encodeURIComponent(PASSWORD)}&demonstration=1`,
    );
    assert.equal((await asked).status(), 404);
    await settled(page);
    assert.equal(page.url(), `${service.url}/login${query}`);
    for (const label of ['Nome', 'Senha'])
      assert.equal(await page.getByLabel(label, { exact: true }).inputValue(), '', label);
  }
  // A proxy that answers every address with a page does not make a demonstration.
  await page.route('**/demonstration', route => route.fulfill({ status: 200, body: '<!doctype html>' }));
  const asked = page.waitForResponse(answer => answer.url().endsWith('/demonstration'));
  await page.goto('about:blank');
  await page.goto(`${service.url}/login#name=${NAME}&password=${encodeURIComponent(PASSWORD)}`);
  await asked;
  await settled(page);
  assert.deepEqual(
    sent.filter(one => one.startsWith('POST')),
    [],
  );
  await fill(page, NAME, PASSWORD);
  await page.waitForURL(`${service.url}/`);
  await close();
});

test('whoever stays logged in is so in another window, and a logout reaches it', async () => {
  const first = await visit(browser, service.url);
  await first.go('/login');
  await first.page.getByLabel('Manter conectado (90 dias)').check();
  await fill(first.page, NAME, PASSWORD);
  await first.page.waitForURL(`${service.url}/`);
  const second = await visit(browser, service.url, { context: first.context });
  await second.go('/settings');
  await second.page.getByRole('heading', { name: 'Ajustes' }).waitFor();
  await first.page.getByRole('button', { name: 'Sair' }).first().click();
  await first.page.getByText('Você saiu. Até logo!').waitFor();
  await second.page.getByText('Você saiu. Até logo!').waitFor();
  await eventually(async () =>
    assert.equal(await first.page.evaluate(() => localStorage.getItem('finance.token')), null),
  );
  await second.close();
  await first.close();
});

test('a link leads where it says after the login, and nowhere else', async () => {
  for (const [from, to] of [
    ['/settings?month=2026-02', '/settings?month=2026-02'],
    ['/login?next=//evil.example/', '/'],
  ]) {
    const { page, go, close } = await visit(browser, service.url);
    await go(from);
    await page.waitForURL(/^[^?#]*\/login\?/);
    await fill(page, NAME, PASSWORD);
    await page.waitForURL(service.url + to);
    await close();
  }
});

test('whatever the address asks for, the login is left for a view of this service', async () => {
  const api = await client(service.url);
  const { page, close } = await visit(browser, service.url, { api });
  for (const [next, path] of [
    ['%2Ftransactions%3Fmonth%3D2026-02', '/transactions?month=2026-02'],
    ['/settings', '/settings'],
    ['/./settings?show=access', '/settings?show=access'],
    [encodeURIComponent(`${service.url}/accounts`), '/accounts'],
    ['', '/'],
    ['%2F%2Fevil.example', '/'],
    ['%252F%252Fevil.example', '/'],
    ['/%5Cevil.example', '/'],
    ['%5C%5Cevil.example', '/'],
    ['/%09/evil.example', '/'],
    ['/%0A%5Cevil.example', '/'],
    ['/.//evil.example', '/'],
    ['https%3A%2F%2Fevil.example%2Fsettings', '/'],
    ['javascript%3Aalert(1)', '/'],
    ['//%5B', '/'],
    ['/login', '/'],
    ['/./login', '/'],
    ['/%252e%252e/login', '/'],
    ['/settings/../login%3Fnext%3D/login', '/'],
    ['/%256Cogin', '/'],
    ['/docs', '/'],
    ['/%ff', '/'],
  ]) {
    // Where the user is logged in already, the login leads on at once.
    await page.goto(`${service.url}/login?next=${next}`);
    await page.waitForURL(`${service.url}${path}`);
    await page.locator('.frame h1').first().waitFor({ state: 'attached' });
  }
  await close();
  // Likewise after the form of the login.
  const other = await visit(browser, service.url);
  await other.page.goto(`${service.url}/login?next=/%5Cevil.example`);
  await fill(other.page, NAME, PASSWORD);
  await other.page.waitForURL(`${service.url}/`);
  await other.close();
});

test('a token that is refused leads to the login and back', async () => {
  const api = await client(service.url);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/?month=2026-02');
  // Only what the press asks for: what the page asks by itself must not come before it.
  const pressed = /\/api\/.*month=2026-01/;
  await page.route(pressed, route =>
    route.fulfill({
      status: 401,
      contentType: 'application/problem+json',
      body: '{"code":"ErrUnauthenticated","status":401}',
    }),
  );
  expect(401);
  await page.getByRole('link', { name: /Mês anterior/ }).click();
  await page.getByText('Sua sessão terminou').waitFor();
  await accessible(page, 'session ended');
  await page.unroute(pressed);
  await page.route('**/api/auth/me', route => route.continue());
  await fill(page, NAME, PASSWORD);
  await page.waitForURL(`${service.url}/?month=2026-01`);
  await settled(page);
  await close();
});

test('a token that does not hold any more is dropped at the start', async () => {
  const api = await client(service.url);
  api.credential.token += 'x';
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  expect(401);
  await go('/?month=2026-02');
  await page.getByText('Sua sessão terminou').waitFor();
  await eventually(async () => assert.equal(await page.evaluate(() => sessionStorage.getItem('finance.token')), null));
  await fill(page, NAME, PASSWORD);
  await page.waitForURL(`${service.url}/?month=2026-02`);
  await close();
});

test('after too many attempts the page counts down', async () => {
  const { page, go, close, expect } = await visit(browser, service.url);
  await page.clock.install();
  await go('/login');
  expect(429);
  await page.route('**/api/auth/login', route =>
    route.fulfill({
      status: 429,
      headers: { 'Retry-After': '3600', 'Content-Type': 'application/problem+json' },
      body: '{"code":"ErrTooManyAttempts","status":429}',
    }),
  );
  await fill(page, NAME, 'guess');
  await page.getByText(/tentar de novo em (60:00|59:\d\d)/).waitFor();
  await accessible(page, '429');
  await page.unroute('**/api/auth/login');
  // Half an hour later, and when the time is over.
  await page.clock.fastForward(30 * 60_000);
  await page.getByText(/tentar de novo em (30:00|2\d:\d\d)/).waitFor();
  await page.clock.fastForward(30 * 60_000);
  await page.getByText(/tentar de novo em/).waitFor({ state: 'detached' });
  await fill(page, NAME, PASSWORD);
  await page.waitForURL(`${service.url}/`);
  await close();
});

test('a session that is about to end asks, and what is on the screen stays', async () => {
  const api = await client(service.url);
  const end = Date.now() + 3_600_000;
  api.credential.expires_at = new Date(end).toISOString();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/settings');
  // The page has most of an hour, and asks for nothing yet.
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.clock.pauseAt(end - 120_000);
  const dialog = page.getByRole('dialog', { name: 'Sua sessão termina em 2 minutos' });
  await dialog.waitFor();
  await page.clock.resume();
  await accessible(page, 'stay');
  await dialog.getByLabel('Senha').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).pathname, '/settings');
  const ends = await page.evaluate(() => JSON.parse(sessionStorage.getItem('finance.token')).expires_at);
  assert.ok(Date.parse(ends) > Date.now() + 3_600_000);
  await close();
});
