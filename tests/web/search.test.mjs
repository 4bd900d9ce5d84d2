// The global search.
import assert from 'node:assert/strict';
import test from 'node:test';
import { household } from './household.mjs';
import { suite } from './suite.mjs';
import { accessible, eventually, inspect, PHONE, refusal, settled, visit } from './support.mjs';
import { caughtUp, ended, hold, keysBound } from './waits.mjs';

const { service, browser, user } = await suite();

/** A separate profile for a test. */
const profile = async () => {
  const api = await user();
  return { api, ...(await household(api)) };
};

const dialog = page => page.getByRole('dialog', { name: 'Procurar' });
const field = page => dialog(page).getByRole('combobox');
const options = page => dialog(page).getByRole('option').allTextContents();
const chosen = page => dialog(page).getByRole('option', { selected: true }).textContent();
const focused = page =>
  page.evaluate(() => document.activeElement?.closest('tr')?.textContent ?? document.activeElement?.tagName);

test('from anywhere a key finds pages, accounts, categories and transactions of all months', async () => {
  const { api, categories } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/settings');
  await keysBound(page);
  await page.keyboard.press('/');
  await dialog(page).waitFor();
  await eventually(async () =>
    assert.deepEqual((await options(page)).slice(0, 3), ['Painel', 'Lançamentos', 'Importar']),
  );
  await inspect(page, 'search');
  await page.keyboard.type('recorr');
  await eventually(async () => assert.deepEqual(await options(page), ['Recorrentes']));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Contas a pagar e a receber em março de 2026' }).waitFor();
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1'));

  // The search ignores case and accents.
  await page.keyboard.press('/');
  await dialog(page).waitFor();
  await page.keyboard.type('EDUCAÇAO');
  await eventually(async () => assert.equal((await options(page))[0], 'Educação'));
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/transactions\\?month=all&category_id=${categories.Educação}$`));
  await page.getByText('Livraria Cultura').waitFor();

  // In a view with its own search field, the key goes to that field first.
  await page.keyboard.press('/');
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('type')), 'search'),
  );
  await page.getByRole('button', { name: 'Procurar' }).click();
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('type')), 'search'),
  );
  // The field takes the text, and no dialog has opened until its result is shown.
  await page.keyboard.type('livraria');
  await page.waitForURL(/q=livraria/);
  await page.getByText('Livraria Cultura').waitFor();
  await caughtUp(page);
  assert.equal(await dialog(page).count(), 0);
  await close();
});

test('a transaction is found in its month, and the arrows choose', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/');
  await page.getByRole('button', { name: 'Procurar' }).click();
  await dialog(page).waitFor();
  await page.keyboard.type('merc', { delay: 20 });
  await eventually(async () => assert.equal((await options(page)).length, 7));
  await eventually(async () => assert.equal(await chosen(page), 'Mercado'));
  await eventually(async () =>
    assert.equal(await dialog(page).getByRole('status').first().textContent(), '6 resultados'),
  );
  await eventually(async () =>
    assert.deepEqual(
      await dialog(page)
        .getByRole('group')
        .evaluateAll(groups => groups.map(group => group.getAttribute('aria-label'))),
      ['Categorias', 'Lançamentos'],
    ),
  );
  await inspect(page, 'search-found', { sizes: ['phone', 'tablet', 'desktop'] });
  await page.keyboard.press('ArrowUp');
  await eventually(async () => assert.equal(await chosen(page), 'Todos os lançamentos com “merc”'));
  await page.keyboard.press('ArrowDown');
  await eventually(async () => assert.equal(await chosen(page), 'Mercado'));
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowDown');
  await eventually(async () => assert.match(await chosen(page), /12 de fev/));
  await eventually(async () =>
    assert.equal(
      await field(page).getAttribute('aria-activedescendant'),
      await dialog(page).getByRole('option', { selected: true }).getAttribute('id'),
    ),
  );
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Lançamentos de fevereiro de 2026' }).waitFor();
  await eventually(async () => assert.match(await focused(page), /Supermercado Bom Preço.*735,90/));
  await page.goBack();
  await page.getByRole('heading', { name: /Painel de/ }).waitFor({ state: 'attached' });

  await page.keyboard.press('/');
  await dialog(page).waitFor();
  await page.keyboard.type('merc');
  await dialog(page)
    .getByRole('option', { name: /^Todos os lançamentos/ })
    .click();
  await page.waitForURL(/month=all&q=merc$/);
  await page.getByText(/^8 lançamentos/).waitFor();
  await close();
});

test('a late answer to an earlier text is not shown, and what cannot be read says so', async () => {
  const { api } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  const dropped = [];
  page.on('requestfailed', request => request.url().includes('/api/transactions') && dropped.push(request.url()));
  const late = await hold(page, '**/api/transactions?q=a&*');
  await go('/settings');
  await keysBound(page);
  await page.keyboard.press('/');
  await dialog(page).waitFor();
  await page.keyboard.type('a');
  await late.asked(1);
  await page.keyboard.type('lug');
  await eventually(async () => assert.match((await options(page))[0], /^Aluguel/));
  // The first answer comes only now, unless the page has cancelled its request.
  late.open();
  await ended(late.requests[0]);
  await caughtUp(page);
  assert.ok(dropped.includes(late.requests[0].url()), dropped.join());
  const found = await options(page);
  assert.ok(found.length > 0 && found.every(text => /alug/i.test(text)), found.join());

  await field(page).fill('não existe');
  await dialog(page).getByText('Nada encontrado.').waitFor();
  await inspect(page, 'search-none', { sizes: ['phone'] });
  expect(503);
  await page.route('**/api/transactions?q=dar*', route => route.fulfill(refusal(503, 'ErrUnavailable')));
  await field(page).fill('darf');
  await dialog(page).getByText('O Finance está ocupado').waitFor();
  await accessible(page, 'a search that fails');
  await page.unroute('**/api/transactions?q=dar*');
  await dialog(page).getByRole('button', { name: 'Tentar de novo' }).click();
  await eventually(async () => assert.match((await options(page))[0], /^DARF/));

  // Without a connection, the search still finds what the page knows.
  expect('ERR_INTERNET_DISCONNECTED');
  await page.context().setOffline(true);
  await field(page).fill('sa');
  await dialog(page).getByText('Não foi possível falar com o Finance').waitFor();
  await eventually(async () => assert.deepEqual((await options(page)).slice(0, 3), ['Previsão', 'Salário', 'Saúde']));
  await page.context().setOffline(false);
  await page.getByText('Sem conexão com o Finance').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await close();
});

test('a description is text, and on a phone the search is an icon in the header', async () => {
  const { api } = await profile();
  await api.post('/api/transactions', {
    date: '2026-01-09',
    type: 'expense',
    description: '<img src=x onerror="document.title=1">',
    amount: '3.00',
  });
  const { page, go, close } = await visit(browser, service.url, {
    api,
    ...PHONE,
  });
  await go('/categories');
  await page.getByRole('button', { name: 'Procurar' }).tap();
  await field(page).fill('onerror');
  await dialog(page).getByText('<img src=x onerror="document.title=1">').tap();
  await page.getByRole('heading', { name: 'Lançamentos de janeiro de 2026' }).waitFor();
  await eventually(async () => assert.match(await focused(page), /<img src=x/));
  await close();
});

test('what is typed behind > goes into the line of a new entry, at any pace', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/');
  await keysBound(page);
  const line = page.getByLabel('Escreva numa linha só');
  // What was begun before is still there.
  for (const [text, delay, all] of /** @type {[string, number, string][]} */ ([
    ['padaria 5 ontem', 0, 'padaria 5 ontem'],
    ['feira 9', 40, 'padaria 5 ontem feira 9'],
  ])) {
    await page.keyboard.press('/');
    await dialog(page).waitFor();
    await page.keyboard.type(`>${text}`, { delay });
    await eventually(async () => assert.equal(await line.inputValue(), all));
    await page.keyboard.press('Escape');
    await line.waitFor({ state: 'detached' });
  }
  await close();
});

test('in English everything is', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/recurring');
  await keysBound(page);
  await page.keyboard.press('/');
  await page.getByRole('dialog', { name: 'Search' }).waitFor();
  await page.keyboard.type('merc');
  await page.getByRole('option', { name: 'All transactions with “merc”' }).waitFor();
  await inspect(page, 'search-english', { sizes: ['phone'], schemes: ['light'] });
  await settled(page);
  await close();
});

test('settings are found by their words, and rows by their amount', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/accounts');
  await keysBound(page);
  for (const [word, name, id, shown] of [
    ['senha', 'Senha', 'password-title', 'Acesso'],
    ['exportar', 'Seus dados', 'data', 'Dados'],
    ['tema', 'Neste aparelho', 'device', 'Aparência'],
    ['poupar', 'Meta de economia', 'goal', 'Casa'],
    ['webhooks', 'Webhooks', 'webhooks', 'Dados'],
    ['convidar', 'Pessoas e acesso', 'access', 'Acesso'],
  ]) {
    await page.keyboard.press('/');
    await field(page).fill(word);
    await dialog(page).getByRole('option', { name, exact: true }).click();
    await page.waitForURL(new RegExp(`/settings\\?at=${id}$`));
    await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.id), id));
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), `Ajustes · ${shown}`);
  }
  await page.keyboard.press('/');
  await field(page).fill('412,35');
  await eventually(async () => assert.ok((await options(page)).some(text => text.includes('Supermercado Bom Preço'))));
  await close();
});
