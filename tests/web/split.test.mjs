// Split rows, tags and notes: how they are entered by keyboard, shown in the list, found by tag, changed and removed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { addAccount, eventually, inspect, SIZES, undo, visit } from './support.mjs';
import { caughtUp, fieldFocused, isAbsent, keysBound } from './waits.mjs';

const { service, browser, user } = await suite();

const profile = async () => {
  const api = await user();
  await addAccount(api, 'Itaú', 'current', '5000.00', '2026-01-01');
  const categories = new Map((await api.get('/api/categories')).map(one => [one.name, one.id]));
  const { today } = await api.get('/api/auth/me');
  return { api, categories, today };
};

const row = (page, text) => page.getByRole('row').filter({ hasText: text }).first();

test('a purchase is split, tagged and noted by keyboard alone, and refused until its parts come to the amount', async () => {
  const { api, categories } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await keysBound(page);
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'Novo lançamento' });
  await dialog.getByLabel('Descrição').focus();
  await page.keyboard.type('Atacado');
  await dialog.getByLabel('Valor', { exact: true }).focus();
  await page.keyboard.type('100');
  await dialog.getByText('Dividir, tags e nota').focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Dividir em categorias' }).focus();
  await page.keyboard.press('Enter');
  // The button is gone, and the focus is in the first part.
  await fieldFocused(page, 'lines[0].amount');
  await dialog.getByLabel('Parte 1', { exact: true }).selectOption({ label: 'Mercado' });
  // Each part has its own category.
  await isAbsent(dialog.getByLabel('Categoria', { exact: true }));
  const amounts = dialog.locator('[name^="lines["][name$="amount"]');
  await amounts.nth(0).focus();
  await page.keyboard.type('60');
  await dialog.getByText('Faltam R$ 40,00').waitFor();
  await dialog.getByLabel('Parte 2', { exact: true }).selectOption({ label: 'Saúde' });
  await amounts.nth(1).focus();
  await page.keyboard.type('30');
  const tags = dialog.getByLabel('Tags');
  await tags.focus();
  await page.keyboard.type('Churrasco');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Tirar Churrasco' }).waitFor();
  // The same tag in other letters, and with an accent that is a character of its own, is that tag.
  await page.keyboard.type(`família, Família, fami\u0301lia, churrasco`);
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Tirar família' }).waitFor();
  await dialog.getByLabel('Nota').focus();
  await page.keyboard.type('Metade é da Bia');
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByText('As partes não somam o valor.').waitFor();
  await caughtUp(page);
  assert.deepEqual(await api.get('/api/transactions?q=atacado'), [], 'nothing is saved');
  await inspect(page, 'split-entry', { sizes: ['phone', 'tablet', 'desktop'] });
  await eventually(async () =>
    assert.equal(await amounts.nth(1).evaluate(field => field === document.activeElement), true),
  );
  await amounts.nth(1).fill('');
  await dialog.getByRole('button', { name: 'Pôr R$ 40,00 na parte vazia' }).click();
  await dialog.getByText('As partes somam o valor.').waitFor();
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const [made] = await api.get('/api/transactions?q=atacado');
  assert.deepEqual(made.lines, [
    { category_id: categories.get('Mercado'), amount: '60.00' },
    { category_id: categories.get('Saúde'), amount: '40.00' },
  ]);
  assert.deepEqual([made.category_id, made.tags, made.note], [null, ['Churrasco', 'família'], 'Metade é da Bia']);
  await row(page, 'Atacado')
    .getByText('Mercado R$ 60,00 + Saúde R$ 40,00 · #Churrasco #família · Metade é da Bia')
    .waitFor();
  await row(page, 'Atacado').getByText('Dividido').waitFor();
  await inspect(page, 'split-list', { sizes: ['phone', 'tablet', 'desktop'] });
  // Its parts have their own categories, so it gets none in common with others.
  await page.getByLabel('Marcar Atacado').check();
  assert.ok(await page.getByRole('button', { name: 'Categoria…' }).isDisabled());
  await close();
});

test('an edit keeps what it does not change, drops a part, and makes a row whole again', async () => {
  const { api, categories, today } = await profile();
  const part = (name, amount) => ({ category_id: categories.get(name), amount });
  const lines = [part('Mercado', '50.00'), part('Saúde', '30.00'), part('Educação', '20.00')];
  const { id } = await api.post('/api/transactions', {
    type: 'expense',
    date: today,
    description: 'Atacado',
    amount: '100.00',
    lines,
    tags: ['Churrasco'],
    note: 'Nota',
  });
  const { page, go, close } = await visit(browser, service.url, { api, size: SIZES.phone });
  await go('/transactions');
  const read = () => api.get(`/api/transactions/${id}`);
  const edit = async () => {
    await page
      .getByRole('button', { name: /^Atacado|^Compras/ })
      .first()
      .click();
    return page.getByRole('dialog', { name: 'Editar lançamento' });
  };
  let dialog = await edit();
  await dialog.getByLabel('Descrição').fill('Compras');
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const renamed = await read();
  assert.deepEqual(
    [renamed.description, renamed.lines, renamed.tags, renamed.note],
    ['Compras', lines, ['Churrasco'], 'Nota'],
  );
  dialog = await edit();
  await dialog.getByRole('button', { name: 'Tirar a parte 3' }).click();
  await dialog.getByText('Faltam R$ 20,00').waitFor();
  await dialog.locator('[name="lines[1].amount"]').fill('50');
  await dialog.getByRole('button', { name: 'Tirar Churrasco' }).click();
  await dialog.getByLabel('Nota').fill('');
  await inspect(page, 'split-edit', { sizes: ['phone'] });
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const changed = await read();
  assert.deepEqual(
    [changed.lines, changed.tags, changed.note],
    [[part('Mercado', '50.00'), part('Saúde', '50.00')], [], null],
  );
  dialog = await edit();
  await dialog.getByRole('button', { name: 'Não dividir' }).click();
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const whole = await read();
  assert.deepEqual([whole.lines, whole.category_id], [null, categories.get('Mercado')]);
  await close();
});

test('what is wrong in closed details is shown, and by category its part counts', async () => {
  const { api, categories, today } = await profile();
  const part = (name, amount) => ({ category_id: categories.get(name), amount });
  const lines = [part('Mercado', '60.00'), part('Saúde', '40.00')];
  await api.post('/api/transactions', {
    type: 'expense',
    date: today,
    description: 'Atacado',
    amount: '100.00',
    lines,
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await page
    .getByRole('button', { name: /^Atacado/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: 'Editar lançamento' });
  await dialog.locator('[name="lines[0].amount"]').waitFor();
  await dialog.getByText('Dividir, tags e nota').click();
  await dialog.locator('[name="lines[0].amount"]').waitFor({ state: 'detached' });
  await dialog.locator('[name=amount]').fill('120');
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialog.getByText('As partes não somam o valor.').waitFor();
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid')), 'true'),
  );
  await dialog.locator('[name=amount]').fill('100');
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await go(`/transactions?category_id=${categories.get('Mercado')}`);
  await row(page, 'Atacado').getByRole('checkbox').check();
  await page.locator('.bulk-count').getByText(/60,00/).waitFor();
  await close();
});

test('the list is filtered by a tag in the address, and a copy has what the row has', async () => {
  const { api, categories, today } = await profile();
  const entry = (description, more) =>
    api.post('/api/transactions', { type: 'expense', date: today, description, amount: '10.00', ...more });
  await entry('Hotel', { tags: ['Férias & praia'], note: 'Quarto 12' });
  await entry('Padaria', {});
  await entry('Atacado', {
    lines: [
      { category_id: categories.get('Mercado'), amount: '6.00' },
      { category_id: categories.get('Saúde'), amount: '4.00' },
    ],
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await page.getByLabel('Tag', { exact: true }).selectOption('Férias & praia');
  await page.waitForURL(/tag=F%C3%A9rias/);
  await row(page, 'Padaria').waitFor({ state: 'detached' });
  await row(page, 'Hotel').waitFor();
  await page.getByRole('button', { name: '#Férias & praia' }).click();
  await row(page, 'Padaria').waitFor();
  await page.getByRole('button', { name: 'Duplicar Atacado' }).click();
  await eventually(async () =>
    assert.equal((await api.get('/api/transactions?q=atacado')).filter(one => one.lines).length, 2),
  );
  await page.getByRole('button', { name: 'Apagar Hotel' }).click();
  await undo(page, 'Lançamento Hotel apagado.').click();
  await eventually(async () =>
    assert.deepEqual(
      (await api.get('/api/transactions?q=hotel')).map(one => [one.tags, one.note]),
      [[['Férias & praia'], 'Quarto 12']],
    ),
  );
  await go('/transactions?q=quarto');
  await row(page, 'Hotel').waitFor();
  await close();
});
