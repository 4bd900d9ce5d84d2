// The second factor: it is turned on in the settings, required at the login, and turned off.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import test from 'node:test';
import { suite } from './suite.mjs';
import { client, eventually, inspect, PASSWORD, visit } from './support.mjs';
import { caughtUp } from './waits.mjs';

const { service, browser, user } = await suite();

/** The code that an authenticator shows after the given number of steps. */
const totp = (secret, ahead = 0) => {
  const bits = [...secret]
    .map(letter => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from(bits.match(/.{8}/g).map(byte => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + ahead));
  const hash = createHmac('sha1', key).update(counter).digest();
  return String((hash.readUInt32BE(hash[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
};

test('it is turned on with the password and a code, asked for at the login, and turned off with the password', async () => {
  const api = await user({ name: 'lia' });
  const elsewhere = await client(service.url, 'lia');
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/settings');
  await page.getByRole('link', { name: 'Acesso', exact: true }).click();
  const card = page.getByRole('region', { name: 'Verificação em duas etapas' });
  await card.getByRole('button', { name: 'Ligar…' }).click();
  const dialog = page.getByRole('dialog');
  const current = dialog.getByLabel('Senha atual');
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'password'),
  );
  await inspect(page, 'second-factor-password', { sizes: ['phone', 'desktop'] });
  await page.keyboard.press('Enter');
  await dialog.getByText('Digite sua senha.').waitFor();
  expect(422);
  await current.fill('wrong horse');
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await eventually(async () => assert.equal(await current.getAttribute('aria-invalid'), 'true'));
  await current.fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Continuar' }).click();
  await dialog.getByRole('img', { name: 'Código QR para o autenticador' }).waitFor();
  await inspect(page, 'second-factor', { sizes: ['phone', 'desktop'] });
  const secret = (await dialog.locator('code').textContent()).trim();
  assert.match(secret, /^[A-Z2-7]{32}$/);
  expect(422);
  await dialog.getByLabel('Código do autenticador').fill('000');
  await dialog.getByRole('button', { name: 'Ligar' }).click();
  await dialog.getByText('Este código não vale agora.').waitFor();
  await dialog.getByLabel('Código do autenticador').fill(totp(secret));
  await dialog.getByRole('button', { name: 'Ligar' }).click();
  await page.getByRole('heading', { name: 'Códigos de recuperação' }).waitFor();
  const codes = await page.getByRole('dialog').locator('li code').allTextContents();
  assert.equal(codes.length, 10);
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('dialog').locator('li code').count(), 10, 'they are shown once');
  await page.evaluate(() => history.back());
  await caughtUp(page);
  assert.equal(await page.getByRole('dialog').locator('li code').count(), 10, 'going back does not close them');
  await inspect(page, 'recovery-codes', { sizes: ['phone', 'desktop'] });
  await page.getByRole('button', { name: 'Guardei' }).click();
  await card.getByText('Ligada: o login pede').waitFor();
  // This page has the new login, which holds after a reload too; the others have ended.
  await page.reload();
  await card.getByText('Ligada: o login pede').waitFor();
  await assert.rejects(elsewhere.get('/api/auth/me'), /401/);
  assert.deepEqual(await page.evaluate(() => Object.keys(JSON.parse(sessionStorage.getItem('finance.token'))).sort()), [
    'expires_at',
    'profile',
    'token',
    'token_type',
  ]);
  // A name and a password alone log nobody in.
  await assert.rejects(client(service.url, 'lia'), /POST \/api\/auth\/login: 401/);
  await close();

  const other = await visit(browser, service.url);
  await other.go('/login');
  const login = async () => {
    await other.page.getByLabel('Nome').fill('lia');
    await other.page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
    other.expect(401);
    await other.page.keyboard.press('Enter');
    await other.page.getByRole('alert').filter({ hasText: 'Digite o código' }).waitFor();
  };
  await login();
  await eventually(async () => assert.equal(await other.page.evaluate(() => document.activeElement?.id), 'code'));
  await inspect(other.page, 'login-code', { sizes: ['phone', 'desktop'] });
  other.expect(401);
  await other.page.keyboard.type('000000');
  await other.page.keyboard.press('Enter');
  await other.page.getByRole('alert').filter({ hasText: 'não conferem' }).waitFor();
  await other.page.getByLabel('Código do autenticador').fill(codes[0]);
  await other.page.keyboard.press('Enter');
  await other.page.getByRole('heading', { name: 'Quatro passos para começar' }).waitFor();

  await other.go('/settings?page=access');
  const there = other.page.getByRole('region', { name: 'Verificação em duas etapas' });
  await there.getByRole('button', { name: 'Desligar verificação' }).click();
  const asked = other.page.getByRole('dialog');
  other.expect(422);
  await asked.getByLabel('Senha atual').fill('wrong horse');
  await asked.getByRole('button', { name: 'Desligar verificação' }).click();
  await asked.getByText('A senha atual não confere.').waitFor();
  await asked.getByLabel('Senha atual').fill(PASSWORD);
  await asked.getByRole('button', { name: 'Desligar verificação' }).click();
  await there.getByRole('button', { name: 'Ligar…' }).waitFor();
  await other.page.reload();
  await there.getByRole('button', { name: 'Ligar…' }).waitFor();
  const again = await client(service.url, 'lia');
  assert.equal((await again.get('/api/auth/me')).name, 'lia');
  await other.close();
});
