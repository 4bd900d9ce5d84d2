// Settings of the device, of the profile and of the session.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { household } from './household.mjs';
import { file } from './statements.mjs';
import { suite } from './suite.mjs';
import {
  accessible,
  client,
  createUser,
  eventually,
  gate,
  inspect,
  PASSWORD,
  refusal,
  serve,
  undo,
  visit,
} from './support.mjs';
import { caughtUp, goByKeys, keysBound } from './waits.mjs';

const { service, browser } = await suite();

test('language and theme are kept on the device', async () => {
  const api = await client(service.url);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/settings?page=looks');
  await inspect(page, 'settings', { sizes: ['phone', 'tablet', 'desktop'] });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByLabel('Escura').check();
  await eventually(async () => assert.notEqual(await ground(), light));
  await page.getByLabel('Idioma').selectOption('en');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await go('/settings');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await eventually(async () => assert.notEqual(await ground(), light));
  await eventually(async () => assert.match(await page.title(), /^Settings/));
  await close();
});

/** The cards of each page of the settings, as the address names it. @type {[string, string, string[]][]} */
const PAGES = [
  ['Casa', 'house', ['Meta de economia', 'Nomes da casa', 'Regras', 'Avisos']],
  ['Aparência', 'looks', ['Neste aparelho', 'Personagem']],
  ['Acesso', 'access', ['Pessoas e acesso', 'Sessão', 'Senha', 'Verificação em duas etapas']],
  ['Dados', 'data', ['Seus dados', 'Restaurar', 'Webhooks', 'Sobre']],
];

for (const size of /** @type {const} */ (['desktop', 'phone'])) {
  test(`settings are four pages, by keyboard and by touch (${size})`, async () => {
    const api = await client(service.url);
    const { page, go, close } = await visit(browser, service.url, {
      api,
      size,
      options: size === 'phone' ? { hasTouch: true, isMobile: true } : {},
    });
    await go('/settings');
    const pages = page.getByRole('navigation', { name: 'Ajustes' });
    const shows = (/** @type {string} */ name, /** @type {string[]} */ cards) =>
      eventually(async () => {
        assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), `Ajustes · ${name}`);
        assert.equal(await pages.locator('[aria-current=page]').textContent(), name);
        assert.deepEqual(await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents(), cards);
      });
    await shows('Casa', PAGES[0]?.[2] ?? []);
    for (const [name, address, cards] of PAGES) {
      const link = pages.getByRole('link', { name });
      if (size === 'phone') await link.tap();
      else {
        await link.focus();
        await page.keyboard.press('Enter');
      }
      await page.waitForURL(`${service.url}/settings?page=${address}`);
      await shows(name, cards);
      if (name !== 'Casa')
        await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1'));
      await inspect(page, `settings-${address}`, { sizes: [size] });
    }
    await page.goBack();
    await shows('Acesso', PAGES[2]?.[2] ?? []);
    // The page is in the address, and an unknown one is the first.
    await page.reload();
    await shows('Acesso', PAGES[2]?.[2] ?? []);
    await go('/settings?page=toString');
    await shows('Casa', PAGES[0]?.[2] ?? []);
    await close();
  });
}

test('the savings goal is set, and a wrong one is refused at its field', async () => {
  const api = await client(service.url);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/settings');
  const goal = page.getByRole('region', { name: 'Meta de economia' });
  expect(422);
  await goal.getByRole('textbox').fill('140');
  await goal.getByRole('button', { name: 'Salvar' }).click();
  await goal.getByText('Precisa estar entre 0 e 100.').or(goal.getByText('Um número de 0 a 100.')).waitFor();
  await goal.getByRole('textbox').fill('32,5');
  await goal.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Meta definida.').waitFor();
  await eventually(async () => assert.equal((await api.get('/api/settings')).savings_goal_pct, 32.5));
  // An undo is in the field, too.
  await goal.getByRole('textbox').fill('50');
  await goal.getByRole('button', { name: 'Salvar' }).click();
  await eventually(async () => assert.equal((await api.get('/api/settings')).savings_goal_pct, 50));
  await undo(page, 'Meta definida.').last().click();
  await eventually(async () => assert.equal(await goal.getByRole('textbox').inputValue(), '32,5'));
  await close();
});

test('a new password throws the other windows out, and this one stays', async () => {
  createUser(service, 'bia');
  const api = await client(service.url, 'bia');
  const first = await visit(browser, service.url, { api }),
    second = await visit(browser, service.url, { api });
  await first.go('/settings?page=access');
  await second.go('/settings?page=access');
  const form = first.page.getByRole('region', { name: 'Senha' });
  await form.getByLabel('Senha atual').fill('not it at all');
  await form.getByLabel('Nova senha').fill('another horse');
  first.expect(422);
  await form.getByRole('button', { name: 'Trocar senha' }).click();
  await form.getByText('A senha atual não confere.').waitFor();
  await inspect(first.page, 'password-wrong', { schemes: ['light'] });
  await form.getByLabel('Senha atual').fill(PASSWORD);
  await form.getByRole('button', { name: 'Trocar senha' }).click();
  await first.page.getByText('Senha trocada.').waitFor();
  second.expect(401);
  await second.page.getByRole('link', { name: 'Painel' }).first().click();
  await second.page.getByText('Sua sessão terminou').waitFor();
  await first.go('/');
  await first.page.getByRole('heading', { name: 'Quatro passos para começar' }).waitFor();
  await second.close();
  await first.close();
});

test('names of the household are kept, and a wrong one is refused at its field', async () => {
  createUser(service, 'nina');
  const api = await client(service.url, 'nina');
  await api.put('/api/settings', { savings_goal_pct: 25 });
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/settings');
  const names = page.getByRole('region', { name: 'Nomes da casa' });
  await names.getByLabel('Nome 1').fill('Ana Souza');
  await names.getByLabel('Nome 2').fill('Bia');
  expect(422);
  await names.getByRole('button', { name: 'Salvar' }).click();
  await names.getByText('Use ao menos 6 caracteres.').waitFor();
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'own_names[1]'),
  );
  await inspect(page, 'settings-names', { sizes: ['phone'] });
  await names.getByLabel('Nome 2').fill('Bia Souza Lima');
  await names.getByLabel('Nome 3').fill('  ');
  await names.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Nomes guardados.').waitFor();
  // The savings goal does not change.
  await eventually(async () =>
    assert.deepEqual(await api.get('/api/settings'), {
      savings_goal_pct: 25,
      own_names: ['Ana Souza', 'Bia Souza Lima'],
      show_character: true,
      second_factor_days: null,
    }),
  );
  await go('/settings');
  await eventually(async () => assert.equal(await names.getByLabel('Nome 2').inputValue(), 'Bia Souza Lima'));
  // The first name is removed, and the second one takes its place.
  await names.getByLabel('Nome 1').fill('');
  await names.getByRole('button', { name: 'Salvar' }).click();
  await eventually(async () => assert.deepEqual((await api.get('/api/settings')).own_names, ['Bia Souza Lima']));
  await eventually(async () => assert.equal(await names.getByLabel('Nome 1').inputValue(), 'Bia Souza Lima'));
  for (let index = 2; index <= 5; index++) await names.getByLabel(`Nome ${index}`).fill(`Pessoa ${index}`);
  await eventually(async () => assert.equal(await names.getByRole('textbox').count(), 5));
  await close();
});

test('everything is exported as a file, in both formats', async () => {
  const api = await client(service.url);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/settings?page=data');
  const data = page.getByRole('region', { name: 'Seus dados' });
  const [json] = await Promise.all([
    page.waitForEvent('download'),
    data.getByRole('button', { name: 'Exportar JSON' }).click(),
  ]);
  assert.match(json.suggestedFilename(), /^finance-ana-.*\.json$/);
  assert.equal(JSON.parse(readFileSync(await json.path(), 'utf8')).format, 'finance-export');
  await data.getByText('Cópia guardada.').waitFor();
  const [csv, asked] = await Promise.all([
    page.waitForEvent('download'),
    page.waitForRequest(request => request.url().includes('/api/export')),
    data.getByRole('button', { name: 'Exportar CSV para planilhas' }).click(),
  ]);
  assert.match(asked.url(), /\?format=csv&locale=pt-BR$/);
  assert.match(csv.suggestedFilename(), /^finance-ana-.*\.zip$/);
  assert.equal(
    readFileSync(await csv.path())
      .subarray(0, 2)
      .toString(),
    'PK',
  );
  expect(503);
  await page.route('**/api/export*', route => route.fulfill(refusal(503, 'ErrUnavailable')));
  await data.getByRole('button', { name: 'Exportar JSON' }).click();
  await data.getByText('O Finance está ocupado').waitFor();
  await accessible(page, 'an export that fails');
  await close();
});

test('an export is restored into an empty profile: said, asked, done once', async () => {
  createUser(service, 'vera');
  const full = await client(service.url, 'vera');
  await household(full);
  const exported = JSON.stringify(await full.get('/api/export?format=json'));
  createUser(service, 'nova');
  const api = await client(service.url, 'nova');
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/settings?page=data');
  const restore = page.getByRole('region', { name: 'Restaurar' }),
    input = restore.locator('input[type=file]');
  for (const content of ['not json', '{"format":"other"}', '[]', 'null']) {
    // Each file has a message of its own.
    await restore.getByRole('alert').evaluateAll(all => all.forEach(alert => alert.setAttribute('data-before', '')));
    await input.setInputFiles(file('notes.json', content));
    await restore
      .locator('[role=alert]:not([data-before])')
      .filter({ hasText: 'não é uma exportação em JSON' })
      .waitFor();
  }
  await inspect(page, 'restore-foreign', { sizes: ['phone'] });

  const dialog = page.getByRole('dialog', { name: 'Restaurar este arquivo?' });
  const count = JSON.parse(exported).transactions.length;
  await input.setInputFiles(file('finance-vera.json', exported));
  await dialog.getByText(new RegExp(`Exportado por vera, .*: ${count} lançamentos e 3 contas\\.`)).waitFor();
  await eventually(async () => assert.equal(await restore.getByRole('alert').count(), 0));
  await inspect(page, 'restore-ask');
  await dialog.getByRole('button', { name: 'Cancelar' }).click();
  await dialog.waitFor({ state: 'detached' });

  /** The requests that were sent: key, type and bytes of each. */
  const sent = [];
  let answer = refusal(409, 'ErrNotEmpty');
  const held = gate();
  await page.route('**/api/restore', async route => {
    const request = route.request();
    sent.push([request.headers()['idempotency-key'], request.headers()['content-type'], request.postData()]);
    await held.pass();
    await route.fulfill(answer);
  });
  const send = async () => {
    const before = sent.length;
    await dialog.getByRole('button', { name: 'Restaurar', exact: true }).click();
    await eventually(() => assert.equal(sent.length, before + 1));
  };
  await input.setInputFiles(file('finance-vera.json', exported));
  await send();
  await dialog.getByRole('progressbar', { name: 'Restaurando…' }).waitFor();
  await inspect(page, 'restore-busy', { sizes: ['phone'] });
  expect(409);
  held.open();
  await dialog.getByText('Este perfil já não está vazio.').waitFor();
  await inspect(page, 'restore-not-empty', { sizes: ['phone'] });
  expect(422);
  answer = {
    ...refusal(422, 'ErrValidation'),
    body: JSON.stringify({
      status: 422,
      code: 'ErrValidation',
      errors: [{ field: 'transactions[3].amount', code: 'invalid_document', message: 'must be above zero' }],
    }),
  };
  await send();
  held.open();
  await dialog.getByText('O arquivo está incompleto').waitFor();
  await dialog.getByText('transactions[3].amount').waitFor();
  await accessible(page, 'a restore that is refused');
  // A user who closes the dialog meanwhile still gets the message.
  await send();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  held.open();
  await page.locator('.toast').getByText('Confira os campos marcados.').first().waitFor();
  await input.setInputFiles(file('finance-vera.json', exported));
  answer = { status: 200, contentType: 'application/json', body: '{}' };
  await send();
  held.open();
  await restore.getByText(`Restaurado: ${count} lançamentos e 3 contas.`).waitFor();
  // All tries of one dialog have the same key.
  assert.deepEqual(new Set(sent.slice(0, 3).map(([key]) => key)).size, 1);
  assert.deepEqual(sent.at(-1).slice(1), ['application/json', exported]);
  await inspect(page, 'restore-done', { sizes: ['phone'], schemes: ['light'] });
  await restore.getByRole('link', { name: 'Ir para o painel' }).click();
  await page.getByRole('heading', { name: /^Painel de/ }).waitFor({ state: 'attached' });
  await close();
});

test('version, licences and libraries are told as they are', async () => {
  const api = await client(service.url);
  const { info } = await api.get('/api/openapi.json');
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/settings?page=data');
  const about = page.getByRole('region', { name: 'Sobre' });
  await about.getByText(`Finance ${info.version} (${info.license.identifier})`, { exact: true }).waitFor();
  const vendored = readFileSync(new URL('../../crates/web/assets/vendor/vendor.toml', import.meta.url), 'utf8');
  const known = [
    ...vendored.matchAll(/package = "(?:@preact\/)?([^"]+)"\nversion = "([^"]+)"\nlicence = "([^"]+)"/g),
  ].map(([, name, version, licence]) => `${name} ${version} (${licence})`);
  await eventually(async () => {
    const listed = (await about.getByRole('listitem').allTextContents()).map(text =>
      text
        .toLowerCase()
        .replace('signals core', 'signals-core')
        .replace('preact signals', 'signals')
        .replace('mit', 'MIT'),
    );
    assert.deepEqual(listed.sort(), known.sort());
  });
  for (const link of await about.getByRole('listitem').getByRole('link').all()) {
    const licence = await page.request.get(service.url + (await link.getAttribute('href')));
    assert.match(await licence.text(), /MIT/);
  }
  await close();
});

test('in English everything is', async () => {
  const api = await client(service.url);
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/settings');
  await page.getByRole('heading', { name: 'Names of the household' }).waitFor();
  await page.getByRole('link', { name: 'Data', exact: true }).click();
  await page.getByText('Restores a JSON file').waitFor();
  await inspect(page, 'settings-english', { sizes: ['phone'], schemes: ['light'] });
  await close();
});

test('keys lead to views, help tells them, and the first Tab leads past the menu', async () => {
  const api = await client(service.url);
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/settings');
  await keysBound(page);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Atalhos do teclado' }).waitFor();
  await inspect(page, 'help', { schemes: ['light'] });
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await goByKeys(page, 'p');
  await page.waitForURL(`${service.url}/`);
  await page.getByRole('heading', { name: 'Quatro passos para começar' }).waitFor();
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1'));
  await go('/');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.id), 'content'));
  await close();
});

test('keys of one letter can be switched off, on this device', async () => {
  const api = await client(service.url);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/settings?page=looks');
  const dialog = page.getByRole('dialog', { name: 'Atalhos do teclado' });
  await keysBound(page);
  await page.keyboard.press('?');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByLabel('Atalhos de uma letra').uncheck();
  await go('/settings?page=looks');
  await keysBound(page);
  const title = page.getByRole('heading', { level: 1 });
  for (const key of ['?', 'n', 'h', 'g', 'p']) await page.keyboard.press(key);
  await page.getByLabel('Atalhos de uma letra').check();
  // Keys are handled in their order. If any of the keys above had an effect, it would be visible now.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  await page.locator('h1').click();
  await page.keyboard.press('?');
  await dialog.waitFor();
  assert.equal(await page.getByRole('dialog').count(), 1);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await caughtUp(page);
  assert.equal(await title.textContent(), 'Ajustes · Aparência');
  assert.equal(await page.getByRole('checkbox', { name: 'Ocultar valores' }).isChecked(), false);
  await close();
});

test('the page starts without a connection once it was there', async t => {
  // The service worker does not keep files that are served from a folder.
  const built = await serve({ environment: { FINANCE_WEB_ASSETS: '' } });
  t.after(built.stop);
  const api = await client(built.url);
  const { page, go, close, expect } = await visit(browser, built.url, { worker: true, api });
  await go('/');
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  const kept = () =>
    page.evaluate(async () => {
      const requests = await Promise.all((await caches.keys()).map(async name => (await caches.open(name)).keys()));
      return requests.flat().map(request => new URL(request.url).pathname);
    });
  await eventually(async () => {
    const paths = await kept();
    assert.ok(paths.length >= 20 && paths.every(path => path === '/' || path.startsWith('/assets/')), paths.join());
  });
  expect('ERR_INTERNET_DISCONNECTED');
  await page.context().setOffline(true);
  await page.goto(built.url);
  await page.getByText('Sem conexão com o Finance').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Quatro passos para começar' }).waitFor();
  await close();
});
