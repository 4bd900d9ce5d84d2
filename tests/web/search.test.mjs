// The search over everything, tables on the clipboard, and a month on paper.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { household } from './household.mjs';
import { accessible, client, createUser, eventually, inspect, launch, refusal, serve, settled, visit } from './support.mjs';

let service, browser;
before(async () => {
  [service, browser] = await Promise.all([serve(), launch()]);
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

let users = 0;
/** A profile of its own for a test. */
const profile = async () => {
  const name = `user${++users}`;
  createUser(service, name);
  const api = await client(service.url, name);
  return { api, ...(await household(api)) };
};

const dialog = page => page.getByRole('dialog', { name: 'Procurar' });
const field = page => dialog(page).getByRole('combobox');
const options = page => dialog(page).getByRole('option').allTextContents();
const chosen = page => dialog(page).getByRole('option', { selected: true }).textContent();
const focused = page => page.evaluate(() => document.activeElement?.closest('tr')?.textContent ?? document.activeElement?.tagName);

test('from anywhere a key finds pages, accounts, categories and transactions of all months', async () => {
  const { api, categories } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/settings');
  await page.keyboard.press('/');
  await dialog(page).waitFor();
  await eventually(async () => assert.deepEqual((await options(page)).slice(0, 3), ['Painel', 'Lançamentos', 'Importar']));
  await inspect(page, 'search');
  await page.keyboard.type('recorr');
  await eventually(async () => assert.deepEqual(await options(page), ['Recorrentes']));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Recorrentes de março de 2026' }).waitFor();
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1'));

  // Whatever the case and the accents; the arrows go round.
  await page.keyboard.press('/');
  await dialog(page).waitFor();
  await page.keyboard.type('EDUCAÇAO');
  await eventually(async () => assert.equal((await options(page))[0], 'Educação'));
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/transactions\\?month=all&category_id=${categories.Educação}$`));
  await page.getByText('Livraria Cultura').waitFor();

  // The field of its own view comes first there.
  await page.keyboard.press('/');
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('type')), 'search'));
  await page.getByRole('button', { name: 'Procurar' }).click();
  await page.getByRole('searchbox').waitFor();
  await eventually(async () => assert.equal(await dialog(page).count(), 0));
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
  await eventually(async () => assert.equal(await dialog(page).getByRole('status').textContent(), '7 resultados'));
  await eventually(async () => assert.deepEqual(await dialog(page).getByRole('group').evaluateAll(groups => groups.map(group => group.getAttribute('aria-label'))), ['Categorias', 'Lançamentos']));
  await inspect(page, 'search-found', { sizes: ['phone', 'tablet', 'desktop'] });
  await page.keyboard.press('ArrowUp');
  await eventually(async () => assert.equal(await chosen(page), 'Todos os lançamentos com “merc”'));
  await page.keyboard.press('ArrowDown');
  await eventually(async () => assert.equal(await chosen(page), 'Mercado'));
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowDown');
  await eventually(async () => assert.match(await chosen(page), /12 de fev/));
  await eventually(async () => assert.equal(await field(page).getAttribute('aria-activedescendant'), await dialog(page).getByRole('option', { selected: true }).getAttribute('id')));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Lançamentos de fevereiro de 2026' }).waitFor();
  await eventually(async () => assert.match(await focused(page), /Supermercado Bom Preço.*735,90/));
  await page.goBack();
  await page.getByRole('heading', { name: /Painel de/ }).waitFor({ state: 'attached' });

  await page.keyboard.press('/');
  await dialog(page).waitFor();
  await page.keyboard.type('merc');
  await dialog(page).getByRole('option', { name: /^Todos os lançamentos/ }).click();
  await page.waitForURL(/month=all&q=merc$/);
  await page.getByText(/^8 lançamentos/).waitFor();
  await close();
});

test('a late answer to an earlier text is not shown, and what cannot be read says so', async () => {
  const { api } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  const dropped = [];
  page.on('requestfailed', request => request.url().includes('/api/transactions') && dropped.push(request.url()));
  await page.route('**/api/transactions?q=a&*', async route => {
    await new Promise(resolve => setTimeout(resolve, 900));
    await route.continue().catch(() => {});
  });
  await go('/settings');
  await page.keyboard.press('/');
  await dialog(page).waitFor();
  const asked = page.waitForRequest('**/api/transactions?q=a&*');
  await page.keyboard.type('a');
  await asked;
  await page.keyboard.type('lug');
  await eventually(async () => assert.match((await options(page))[0], /^Aluguel/));
  await eventually(() => assert.equal(dropped.length, 1));
  await eventually(async () => assert.ok((await options(page)).every(text => /alug/i.test(text))));

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

  // Without a connection what is known is still found.
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

test('a description is text, and on a phone the search is behind "Mais"', async () => {
  const { api } = await profile();
  await api.post('/api/transactions', { date: '2026-01-09', type: 'expense', description: '<img src=x onerror="document.title=1">', amount: '3.00' });
  const { page, go, close } = await visit(browser, service.url, { api, size: 'phone', options: { hasTouch: true, isMobile: true } });
  await go('/categories');
  await page.getByRole('button', { name: 'Mais' }).tap();
  await page.getByRole('dialog', { name: 'Mais' }).getByRole('button', { name: 'Procurar' }).tap();
  await field(page).fill('onerror');
  await dialog(page).getByText('<img src=x onerror="document.title=1">').tap();
  await page.getByRole('heading', { name: 'Lançamentos de janeiro de 2026' }).waitFor();
  await eventually(async () => assert.match(await focused(page), /<img src=x/));
  await close();
});

/** What was copied last. */
const clipboard = page => page.evaluate(() => navigator.clipboard.readText());
const permitted = { options: { permissions: ['clipboard-read', 'clipboard-write'] } };
const copy = page => page.getByRole('button', { name: 'Copiar como tabela' });

test('tables are copied as spreadsheets take them', async () => {
  const { api } = await profile();
  await api.post('/api/transactions', { date: '2026-03-04', type: 'expense', description: '=HYPERLINK("x")', amount: '1234.50' });
  const { page, go, close } = await visit(browser, service.url, { api, ...permitted });
  await go('/transactions');
  await copy(page).click();
  await page.getByText(`${(await api.get('/api/transactions?month=2026-03')).length} linhas copiadas.`).waitFor();
  const lines = (await clipboard(page)).split('\n').map(line => line.split('\t'));
  assert.deepEqual(lines[0], ['Data', 'Descrição', 'Categoria', 'Conta', 'Valor']);
  assert.ok(lines.every(line => line.length === 5));
  assert.deepEqual(lines.find(([, text]) => text === 'Farmácia'), ['09/03/2026', 'Farmácia', 'Saúde', 'Itaú', '-64,90']);
  assert.deepEqual(lines.find(([, text]) => text?.startsWith("'=")), ['04/03/2026', '\'=HYPERLINK("x")', 'Sem categoria', '', '-1234,50']);
  assert.deepEqual(lines.filter(([, text]) => text === 'Reserva').map(([,, category,, amount]) => [category, amount]), [['Transferência', '500,00'], ['Transferência', '-500,00']]);

  await go('/recurring');
  await copy(page).click();
  await page.getByText('4 linhas copiadas.').waitFor();
  assert.equal((await clipboard(page)).split('\n')[1], '1\tAluguel\tJá lançado\tMoradia\tItaú\t-1800,00');
  await go('/categories');
  await page.getByRole('row').filter({ hasText: 'Mercado' }).getByRole('img').waitFor();
  await copy(page).click();
  await page.getByText('linhas copiadas.').waitFor();
  const uses = (await clipboard(page)).split('\n').map(line => line.split('\t'));
  assert.deepEqual(uses[0], ['Categoria', 'Orçamento', 'outubro de 2025', 'novembro de 2025', 'dezembro de 2025', 'janeiro de 2026', 'fevereiro de 2026', 'março de 2026']);
  assert.deepEqual(uses.find(([name]) => name === 'Restaurantes'), ['Restaurantes', '200,00', '124,50', '112,50', '248,50', '160,50', '140,50', '240,40']);
  await close();
});

test('all pages of a list are copied; where the clipboard is refused the text is there to copy', async () => {
  const { api, current } = await profile();
  const lines = Array.from({ length: 250 }, (_, index) => `2026-01-${String((index % 28) + 1).padStart(2, '0')};Compra ${index + 1};-${index + 1},50`);
  const preview = await api.preview(`Data;Descrição;Valor\n${lines.join('\n')}\n`, { account_id: current.id });
  await api.post('/api/import/confirm', { account_id: current.id, file_name: 'compras.csv', format: 'csv', rows: preview.rows });
  const { page, go, close, expect } = await visit(browser, service.url, { api, ...permitted });
  await go('/transactions?month=2026-01');
  await copy(page).click();
  await page.getByText('255 linhas copiadas.').waitFor();
  await page.evaluate(() => (Clipboard.prototype.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))));
  await copy(page).click();
  const refused = page.getByRole('dialog', { name: 'Copiar como tabela' });
  await refused.getByText('O navegador não deixou copiar.').waitFor();
  await eventually(async () => assert.equal(await page.evaluate(() => getSelection()?.toString().split('\n').length), 256));
  await inspect(page, 'copy-refused');
  await page.keyboard.press('Escape');
  await refused.waitFor({ state: 'detached' });

  expect(503);
  await go('/transactions?month=2026-01');
  await page.route('**/api/transactions?*cursor=*', route => route.fulfill(refusal(503, 'ErrUnavailable')));
  await copy(page).click();
  await page.locator('.toast').getByText('O Finance está ocupado').waitFor();
  await close();
});

/** Pages of a document on A4. */
const sheets = async page => (await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length;

test('a month goes on a page, black on white, without what is only of the screen', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, scheme: 'dark' });
  for (const [address, ready] of [['/', 'Para onde foi'], ['/transactions', 'Farmácia'], ['/recurring', 'Condomínio'], ['/categories', 'Mercado']]) {
    await go(address);
    await page.getByText(ready).first().waitFor();
    assert.equal(await sheets(page), 1, address);
    await page.emulateMedia({ media: 'print' });
    const seen = await page.evaluate(() => ({
      ground: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color, title: document.querySelector('h1').getBoundingClientRect().height > 8,
      left: [...document.querySelectorAll('nav, header, .button, .icon-button, .link-button, input, select')].filter(element => element.checkVisibility()).map(element => element.outerHTML.slice(0, 80)),
    }));
    assert.deepEqual(seen, { ground: 'rgb(255, 255, 255)', ink: 'rgb(0, 0, 0)', title: true, left: [] }, address);
    await page.emulateMedia({ media: null });
  }
  await close();
});

test('on paper a long list has all its rows, and on the screen few again', async () => {
  const { api, current } = await profile();
  const lines = Array.from({ length: 90 }, (_, index) => `2026-01-${String((index % 28) + 1).padStart(2, '0')};Compra ${index + 1};-${index + 1},50`);
  const preview = await api.preview(`Data;Descrição;Valor\n${lines.join('\n')}\n`, { account_id: current.id });
  await api.post('/api/import/confirm', { account_id: current.id, file_name: 'compras.csv', format: 'csv', rows: preview.rows });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions?month=2026-01');
  const drawn = () => page.locator('.entry-row').count();
  const before = await drawn();
  assert.ok(before < 60, `${before} rows`);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await eventually(async () => assert.equal(await drawn(), 95));
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await eventually(async () => assert.ok((await drawn()) < 60));
  assert.ok((await sheets(page)) >= 2);
  await eventually(async () => assert.ok((await drawn()) < 60));
  await close();
});

test('in English everything is', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/recurring');
  await page.getByRole('button', { name: 'Copy as a table' }).waitFor();
  await page.keyboard.press('/');
  await page.getByRole('dialog', { name: 'Search' }).waitFor();
  await page.keyboard.type('merc');
  await page.getByRole('option', { name: 'All transactions with “merc”' }).waitFor();
  await inspect(page, 'search-english', { sizes: ['phone'], schemes: ['light'] });
  await settled(page);
  await close();
});
