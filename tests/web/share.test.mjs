// Print and share: tables on the clipboard, a month on paper.
import assert from 'node:assert/strict';
import test from 'node:test';
import { household } from './household.mjs';
import { suite } from './suite.mjs';
import { eventually, inspect, refusal, visit } from './support.mjs';

const { service, browser, user } = await suite();

/** A separate profile for a test. */
const profile = async () => {
  const api = await user();
  return { api, ...(await household(api)) };
};

/** The text on the clipboard. */
const clipboard = page => page.evaluate(() => navigator.clipboard.readText());
const permitted = { options: { permissions: ['clipboard-read', 'clipboard-write'] } };
const copy = page => page.getByRole('button', { name: 'Copiar como tabela' });

test('tables are copied as spreadsheets take them', async () => {
  const { api } = await profile();
  await api.post('/api/transactions', {
    date: '2026-03-04',
    type: 'expense',
    description: '=HYPERLINK("x")',
    amount: '1234.50',
  });
  const { page, go, close } = await visit(browser, service.url, { api, ...permitted });
  await go('/transactions');
  await copy(page).click();
  await page.getByText(`${(await api.get('/api/transactions?month=2026-03')).length} linhas copiadas.`).waitFor();
  const lines = (await clipboard(page)).split('\n').map(line => line.split('\t'));
  assert.deepEqual(lines[0], ['Data', 'Descrição', 'Categoria', 'Conta', 'Valor']);
  assert.ok(lines.every(line => line.length === 5));
  assert.deepEqual(
    lines.find(([, text]) => text === 'Farmácia'),
    ['09/03/2026', 'Farmácia', 'Saúde', 'Itaú', '-64,90'],
  );
  assert.deepEqual(
    lines.find(([, text]) => text?.startsWith("'=")),
    ['04/03/2026', '\'=HYPERLINK("x")', 'Sem categoria', '', '-1234,50'],
  );
  assert.deepEqual(
    lines.filter(([, text]) => text === 'Reserva').map(([, , category, , amount]) => [category, amount]),
    [
      ['Transferência', '500,00'],
      ['Transferência', '-500,00'],
    ],
  );

  await go('/recurring');
  await copy(page).click();
  await page.getByText('4 linhas copiadas.').waitFor();
  assert.equal((await clipboard(page)).split('\n')[1], '01/03/2026\tAluguel\tJá lançado\tMoradia\tItaú\t-1800,00');
  await go('/categories');
  await page.getByRole('row').filter({ hasText: 'Mercado' }).getByRole('img').waitFor();
  await copy(page).click();
  await page.getByText('linhas copiadas.').waitFor();
  const uses = (await clipboard(page)).split('\n').map(line => line.split('\t'));
  assert.deepEqual(uses[0], [
    'Categoria',
    'Orçamento',
    'outubro de 2025',
    'novembro de 2025',
    'dezembro de 2025',
    'janeiro de 2026',
    'fevereiro de 2026',
    'março de 2026',
  ]);
  assert.deepEqual(
    uses.find(([name]) => name === 'Restaurantes'),
    ['Restaurantes', '200,00', '124,50', '112,50', '248,50', '160,50', '140,50', '240,40'],
  );
  await close();
});

test('all pages of a list are copied; where the clipboard is refused the text is there to copy', async () => {
  const { api, current } = await profile();
  const lines = Array.from(
    { length: 250 },
    (_, index) => `2026-01-${String((index % 28) + 1).padStart(2, '0')};Compra ${index + 1};-${index + 1},50`,
  );
  const preview = await api.preview(`Data;Descrição;Valor\n${lines.join('\n')}\n`, { account_id: current.id });
  await api.post('/api/import/confirm', {
    account_id: current.id,
    file_name: 'compras.csv',
    format: 'csv',
    rows: preview.rows,
  });
  const { page, go, close, expect } = await visit(browser, service.url, { api, ...permitted });
  await go('/transactions?month=2026-01');
  await copy(page).click();
  await page.getByText('255 linhas copiadas.').waitFor();
  await page.evaluate(
    () => (Clipboard.prototype.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))),
  );
  await copy(page).click();
  const refused = page.getByRole('dialog', { name: 'Copiar como tabela' });
  await refused.getByText('O navegador não deixou copiar.').waitFor();
  await eventually(async () =>
    assert.equal(await page.evaluate(() => getSelection()?.toString().split('\n').length), 256),
  );
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

/** The number of A4 pages of a document. */
const sheets = async page =>
  (await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)
    ?.length;

test('a month goes on a page, black on white, without what is only of the screen', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, scheme: 'dark' });
  for (const [address, ready] of [
    ['/', 'Para onde foi'],
    ['/transactions', 'Farmácia'],
    ['/recurring', 'Condomínio'],
    ['/categories', 'Mercado'],
  ]) {
    await go(address);
    await page.getByText(ready).first().waitFor();
    assert.equal(await sheets(page), 1, address);
    await page.emulateMedia({ media: 'print' });
    const seen = await page.evaluate(() => ({
      ground: getComputedStyle(document.body).backgroundColor,
      ink: getComputedStyle(document.body).color,
      title: document.querySelector('h1').getBoundingClientRect().height > 8,
      left: [...document.querySelectorAll('nav, header, .button, .icon-button, .link-button, input, select')]
        .filter(element => element.checkVisibility())
        .map(element => element.outerHTML.slice(0, 80)),
    }));
    assert.deepEqual(seen, { ground: 'rgb(255, 255, 255)', ink: 'rgb(0, 0, 0)', title: true, left: [] }, address);
    await page.emulateMedia({ media: null });
  }
  await close();
});

test('on paper a long list has all its rows, and on the screen few again', async () => {
  const { api, current } = await profile();
  const lines = Array.from(
    { length: 90 },
    (_, index) => `2026-01-${String((index % 28) + 1).padStart(2, '0')};Compra ${index + 1};-${index + 1},50`,
  );
  const preview = await api.preview(`Data;Descrição;Valor\n${lines.join('\n')}\n`, { account_id: current.id });
  await api.post('/api/import/confirm', {
    account_id: current.id,
    file_name: 'compras.csv',
    format: 'csv',
    rows: preview.rows,
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions?month=2026-01');
  const drawn = () => page.locator('.entry-row').count();
  const isFew = () =>
    eventually(async () => {
      const rows = await drawn();
      assert.ok(rows > 0 && rows < 60, `${rows} rows`);
    });
  await isFew();
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await eventually(async () => assert.equal(await drawn(), 95));
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await isFew();
  assert.ok((await sheets(page)) >= 2);
  await isFew();
  await close();
});

test('in English tables have the decimal point', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en', ...permitted });
  await go('/recurring');
  await page.getByRole('button', { name: 'Copy as a table' }).click();
  await page.getByText('4 rows copied.').waitFor();
  assert.match(await clipboard(page), /\t-1800\.00$/m);
  await close();
});
