// Several rows in one step: all of a payee, all that the filters find, and a selection that a search does not lose.
import assert from 'node:assert/strict';
import test from 'node:test';
import { file, ofx } from './statements.mjs';
import { suite } from './suite.mjs';
import { accessible, addAccount, eventually, inspect, PHONE, settled, undo, visit } from './support.mjs';
import { caughtUp, isAbsent, withStoppedClock } from './waits.mjs';

const { service, browser, user } = await suite({ today: '2026-03-10' });

/** More than the rows of one write. */
const ROWS = 1307;

/** A profile with an account. */
const profile = async () => {
  const api = await user();
  const account = await addAccount(api, 'Itaú', 'current', '100000.00', '2025-12-31');
  return { api, account: account.id };
};

/** Imports rows of March. @param {string[]} texts */
const bring = async (api, account_id, texts) => {
  const lines = texts.map(
    (text, at) => `2026-03-${String((at % 9) + 1).padStart(2, '0')};${text};-${(at % 90) + 1},50`,
  );
  const { rows } = await api.preview(`Data;Descrição;Valor\n${lines.join('\n')}\n`, { account_id });
  await api.post('/api/import/confirm', { account_id, file_name: 'compras.csv', format: 'csv', rows });
};

const numbered = (text, count) =>
  Array.from({ length: count }, (_, at) => `${text} ${String(at + 1).padStart(4, '0')}`);
const toasts = page => page.locator('#toasts');
const categoriesOf = async (api, q) =>
  new Set((await api.get(`/api/transactions?limit=1000&q=${q}`)).map(row => row.category_id));

test('a category changed in place is offered for all others of the payee, in one step with one undo', async () => {
  const { api, account } = await profile();
  await bring(api, account, [
    ...Array.from({ length: 14 }, (_, at) => `COMPRA CARTAO XQ BARBEARIA DO ZECA 0${at + 1}/03`),
    'OFICINA DO SUL',
  ]);
  const [first] = await api.get('/api/transactions?q=zeca&limit=1');
  const { name } = await api.get(`/api/transactions/${first.id}/payee`);
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/transactions');
  const before = await categoriesOf(api, 'zeca');
  const row = page.getByRole('row').filter({ hasText: name }).first();
  await row.getByRole('button', { name: /, categoria de / }).click();
  const offer = toasts(page).getByRole('button', { name: `Mudar também os outros 13 de ${name}` });
  await withStoppedClock(page, async () => {
    await page.locator('select.category-select').selectOption({ label: 'Lazer' });
    // The pointer holds the toast.
    await offer.hover();
  });
  await accessible(page, 'offer of all of a payee');
  await withStoppedClock(page, async () => {
    const sent = [];
    page.on('request', request => request.url().endsWith('/api/transactions/update') && sent.push(request));
    await offer.click();
    await toasts(page).getByText('14 lançamentos agora em Lazer.').waitFor();
    assert.equal(sent.length, 1);
    const leisure = await api.category('Lazer');
    assert.deepEqual(await categoriesOf(api, 'zeca'), new Set([leisure]));
    await undo(page, '14 lançamentos agora em Lazer.').click();
    await toasts(page).getByText('Desfeito.').waitFor();
    assert.deepEqual(await categoriesOf(api, 'zeca'), before);
  });
  await settled(page);
  await close();
});

test('a category changed in the form of a row is offered for all others too', async () => {
  const { api, account } = await profile();
  await bring(
    api,
    account,
    Array.from({ length: 3 }, (_, at) => `COMPRA CARTAO XQ BARBEARIA DO ZECA 0${at + 1}/03`),
  );
  const [first] = await api.get('/api/transactions?q=zeca&limit=1');
  const { name } = await api.get(`/api/transactions/${first.id}/payee`);
  const { page, go, close } = await visit(browser, service.url, {
    api,
    ...PHONE,
  });
  await page.clock.install();
  await go('/transactions');
  await page
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .first()
    .tap();
  const form = page.getByRole('dialog', { name: 'Editar lançamento' });
  await form.getByLabel('Categoria', { exact: true }).selectOption({ label: 'Lazer' });
  await withStoppedClock(page, async () => {
    await form.getByRole('button', { name: 'Salvar', exact: true }).tap();
    await toasts(page)
      .getByRole('button', { name: `Mudar também os outros 2 de ${name}` })
      .tap();
    await toasts(page).getByText('3 lançamentos agora em Lazer.').waitFor();
  });
  assert.deepEqual(await categoriesOf(api, 'zeca'), new Set([await api.category('Lazer')]));
  await settled(page);
  await close();
});

test('what another member has changed in a row stays, but for what is typed', async () => {
  const { api, account } = await profile();
  const { id } = await api.post('/api/transactions', {
    type: 'expense',
    date: '2026-03-09',
    description: 'Drogasil',
    amount: '61.35',
    account_id: account,
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await page
    .getByRole('button', { name: /^Drogasil/ })
    .first()
    .click();
  const form = page.getByRole('dialog', { name: 'Editar lançamento' });
  await form.getByLabel('Categoria', { exact: true }).selectOption({ label: 'Lazer' });
  const before = await api.get(`/api/transactions/${id}`);
  await api.put(`/api/transactions/${id}`, { ...before, amount: '71.35', note: 'com a receita' });
  await form.getByRole('button', { name: 'Salvar', exact: true }).click();
  await toasts(page).getByText('Drogasil').waitFor();
  const { amount, note, category_id } = await api.get(`/api/transactions/${id}`);
  assert.deepEqual([amount, note, category_id], ['71.35', 'com a receita', await api.category('Lazer')]);
  await settled(page);
  await close();
});

test('a payee with no other row is offered for none', async () => {
  const { api, account } = await profile();
  await bring(api, account, ['OFICINA DO SUL']);
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/transactions');
  await page.getByRole('button', { name: /, categoria de OFICINA/i }).click();
  await withStoppedClock(page, async () => {
    await page.locator('select.category-select').selectOption({ label: 'Lazer' });
    await toasts(page).getByRole('button', { name: 'Sempre assim', exact: true }).waitFor();
    assert.equal(
      await toasts(page)
        .getByRole('button', { name: /Mudar também/ })
        .count(),
      0,
    );
  });
  await close();
});

test('all that the filters find are marked, a thousand a request, and changed and deleted as one', async () => {
  const { api, account } = await profile();
  await bring(api, account, numbered('Compra', ROWS));
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/transactions?q=compra');
  await page.getByText('1.307 lançamentos').waitFor();
  await page.getByRole('checkbox', { name: 'Marcar todos' }).check();
  await page.getByText(/^\d{3} de 1\.307 marcados/).waitFor();
  await inspect(page, 'mark-all', { sizes: ['desktop'], schemes: ['light'] });
  await page.getByRole('button', { name: 'Marcar todos os 1.307' }).click();
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Categoria…'),
  );
  await page.getByText('1.307 marcados').waitFor();
  await page.getByRole('button', { name: 'Categoria…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Categoria').selectOption({ label: 'Compras' });
  await withStoppedClock(page, async () => {
    await dialog.getByRole('button', { name: 'Aplicar' }).click();
    await toasts(page).getByText('1.307 lançamentos agora em Compras.').waitFor();
    const shopping = await api.category('Compras');
    assert.equal((await api.get(`/api/transactions/summary?category_id=${shopping}`)).count, ROWS);
    await undo(page, '1.307 lançamentos agora em Compras.').click();
    await toasts(page).getByText('Desfeito.').waitFor();
    assert.equal((await api.get(`/api/transactions/summary?category_id=${shopping}`)).count, 0);
  });
  // The list says so too, though it is long.
  await isAbsent(page.getByRole('button', { name: /^Compras, categoria de/ }));
  await close();
});

test('marks survive another search, and are lost with another filter', async () => {
  const { api, account } = await profile();
  await bring(api, account, ['PADARIA DO BAIRRO', 'OFICINA DO SUL', 'FEIRA LIVRE']);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await page
    .getByRole('row')
    .filter({ hasText: /Padaria/i })
    .getByRole('checkbox')
    .check();
  await page.getByText(/^1 marcado/).waitFor();
  await page.getByRole('searchbox').fill('oficina');
  await isAbsent(page.getByRole('row').filter({ hasText: /Padaria/i }));
  await page
    .getByRole('row')
    .filter({ hasText: /Oficina/i })
    .getByRole('checkbox')
    .check();
  await page.getByText(/^2 marcados/).waitFor();
  await page.getByRole('searchbox').fill('');
  await page.getByRole('row').filter({ hasText: /Feira/i }).waitFor();
  await settled(page);
  await page.getByText(/^2 marcados/).waitFor();
  assert.equal(
    await page
      .getByRole('row')
      .filter({ hasText: /Padaria/i })
      .getByRole('checkbox')
      .isChecked(),
    true,
  );
  await page.getByLabel('Tipo').selectOption({ label: 'Só saídas' });
  await eventually(() => assert.match(page.url(), /type=expense/));
  await caughtUp(page);
  await isAbsent(page.getByText(/marcados?$/));
  await close();
});

test('on a phone the check of a statement shows at least four rows at once', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, size: 'phone' });
  await go('/imports');
  const rows = [
    ['2026-03-01', '4000.00', 'SALARIO'],
    ['2026-03-02', '-32.70', 'COMPRA CARTAO XQ BARBEARIA DO ZECA'],
    ['2026-03-04', '-18.20', 'UBER TRIP'],
    ['2026-03-05', '-412.35', 'SUPERMERCADO BOM PRECO'],
    ['2026-03-06', '-25.90', 'OFICINA DO SUL'],
    ['2026-03-07', '-64.90', 'FARMACIA CENTRAL'],
    ['2026-03-08', '-64.90', 'FEIRA LIVRE'],
  ];
  await page.locator('.drop input[type=file]').setInputFiles(file('extrato.ofx', ofx(rows)));
  await page.getByRole('button', { name: 'Ler arquivo' }).click();
  await page.getByRole('heading', { name: 'Confira antes de importar' }).waitFor();
  await settled(page);
  await inspect(page, 'check-phone', { sizes: ['phone'] });
  await eventually(async () => {
    const [whole, bar] = await page.evaluate(() => {
      scrollTo(0, 0);
      const bar = document.querySelector('.review-bar').getBoundingClientRect().top;
      const boxes = [...document.querySelectorAll('.review-row')].map(row => row.getBoundingClientRect());
      return [boxes.filter(box => box.top >= 0 && box.bottom <= bar).length, bar];
    });
    assert.ok(whole >= 4, `${whole} whole rows above ${bar}`);
  });
  // What acts on several rows comes on request.
  await page.getByText('Procurar, filtrar e mudar várias').click();
  await page.getByRole('searchbox').fill('feira');
  await eventually(async () => assert.equal(await page.locator('.review-row').count(), 1));
  await inspect(page, 'check-phone-tools', { sizes: ['phone'], schemes: ['light'] });
  // The search of the header opens it too.
  await page.getByText('Procurar, filtrar e mudar várias').click();
  await page.getByRole('searchbox').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Procurar', exact: true }).click();
  await page.getByRole('searchbox').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('type')), 'search');
  await close();
});
