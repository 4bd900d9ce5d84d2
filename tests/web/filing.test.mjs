// Counts the key presses that are needed to file the rows of a file, without the letters of the categories.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { accessible, addAccount, client, eventually, visit } from './support.mjs';
import { file, ofx } from './statements.mjs';
import { keysBound } from './waits.mjs';

const ROWS = 200;
/** Key presses without the letters of the categories: one to begin, and one from each row to the next. */
const PRESSES_MAX = 200;
/** The most rows that are drawn at once. */
const DRAWN_MAX = 80;
/** The letters that distinguish a standard category from the others. */
const CHOSEN = [
  ['Lazer', 'La'],
  ['Mercado', 'Me'],
  ['Transporte', 'Tr'],
  ['Restaurantes', 'Re'],
];

const { service, browser } = await suite();

test('two hundred rows are filed by keyboard alone, with one press from each to the next', async () => {
  const api = await client(service.url);
  await addAccount(api, 'Itaú', 'current', '0.00', '2026-01-01');
  // The names share no word, so nothing is suggested.
  const name = index => `XQ${index}ZW`;
  const rows = Array.from({ length: ROWS }, (_, index) => [
    `2026-0${1 + (index % 2)}-${String(1 + (index % 28)).padStart(2, '0')}`,
    `-${1 + (index % 90)}.00`,
    name(index),
    `id${index}`,
  ]);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  await page.locator('.drop input[type=file]').setInputFiles(file('extrato.ofx', ofx(rows)));
  await page.getByRole('button', { name: 'Ler arquivo' }).click();
  await page.getByText('200 lançamentos novos para Itaú.').waitFor();
  await page.getByText('Pelo teclado: u vai à primeira sem categoria').waitFor();
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      // The select gets its options when it has the focus.
      return element instanceof HTMLSelectElement && element.options.length > 2
        ? element.getAttribute('aria-label')
        : '';
    });
  let presses = 0,
    drawn = 0;
  const press = async key => {
    presses += 1;
    await page.keyboard.press(key);
  };
  const order = /** @type {string[]} */ ([]);
  await keysBound(page);
  await press('u');
  for (let index = 0; index < ROWS; index++) {
    const described = await eventually(async () => {
      const name = await focused();
      assert.match(name, /^Categoria de XQ/);
      return name.replace('Categoria de ', '');
    });
    assert.ok(!order.includes(described), `${described} once more`);
    order.push(described);
    await page.keyboard.type(CHOSEN[index % CHOSEN.length][1]);
    drawn = Math.max(drawn, await page.getByRole('row').count());
    if (index === ROWS - 1) break;
    await press('Enter');
    await eventually(async () => assert.notEqual(await focused(), `Categoria de ${described}`));
  }
  assert.ok(presses <= PRESSES_MAX, `${presses} presses`);
  assert.ok(drawn <= DRAWN_MAX, `${drawn} rows drawn`);
  await page.getByRole('group', { name: 'Mostrar' }).getByText('Sem categoria 0').waitFor();
  await accessible(page, 'all filed');
  await page.getByRole('button', { name: /^Importar 200 lançamentos/ }).click();
  await page.getByRole('heading', { name: '200 lançamentos importados' }).waitFor();
  const names = new Map((await api.get('/api/categories')).map(one => [one.id, one.name]));
  const stored = new Map(
    (await api.get('/api/transactions?limit=1000')).map(one => [one.description, names.get(one.category_id)]),
  );
  assert.deepEqual(
    order.map(described => stored.get(described)),
    order.map((_, index) => CHOSEN[index % CHOSEN.length][0]),
  );
  await close();
});
