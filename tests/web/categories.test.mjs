// Categories: budgets, the spending of a month and of the months before, and why a category cannot be deleted.
import assert from 'node:assert/strict';
import test from 'node:test';
import { readFileSync } from 'node:fs';
import { household } from './household.mjs';
import { looksWhileAway } from './away.mjs';
import { suite } from './suite.mjs';
import { accessible, eventually, inspect, PHONE, refusal, settled, visit } from './support.mjs';
import { caughtUp, ended, goByKeys, hold, keysBound } from './waits.mjs';

const { service, browser, user } = await suite();

/** A separate profile for a test. */
const profile = async () => {
  const api = await user();
  const { categories } = await household(api);
  const named = async name => (await api.get('/api/categories')).find(category => category.name === name);
  return { api, categories, named };
};

const row = (page, name) => page.getByRole('row').filter({ hasText: name });
const summary = page => page.locator('.summary-line p');
const focused = page =>
  page.evaluate(
    () =>
      document.activeElement?.closest('tr')?.textContent ??
      document.activeElement?.getAttribute('name') ??
      document.activeElement?.tagName,
  );
const edit = (page, name) => page.getByRole('button', { name: `Editar ${name}`, exact: true });

test('each category with its budget, the month and the six months', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/categories');
  await page.getByRole('heading', { name: 'Categorias em março de 2026', level: 1 }).waitFor();
  await eventually(async () =>
    assert.equal(
      await summary(page).textContent(),
      'R$\u00a0971,65 de R$\u00a01.700,00 planejados1 passou do orçamento',
    ),
  );
  const groups = () => page.locator('.day').allTextContents();
  await eventually(async () =>
    assert.deepEqual(await groups(), ['Com orçamento', 'Sem orçamento', 'Sem saídas neste mês']),
  );
  await eventually(async () =>
    assert.match(await row(page, 'Mercado').textContent(), /698,55restam R\$.501,45 de R\$.1\.200,00/),
  );
  await eventually(async () =>
    assert.match(await row(page, 'Restaurantes').textContent(), /120% do orçamento de R\$.200,00/),
  );
  await eventually(async () => assert.match(await row(page, 'Impostos').textContent(), /R\$.0,00Imposto/));
  await eventually(async () =>
    assert.equal(
      await row(page, 'Restaurantes').getByRole('img').getAttribute('aria-label'),
      [
        'outubro de 2025: R$\u00a0124,50',
        'novembro de 2025: R$\u00a0112,50',
        'dezembro de 2025: R$\u00a0248,50',
        'janeiro de 2026: R$\u00a0160,50',
        'fevereiro de 2026: R$\u00a0140,50',
        'março de 2026: R$\u00a0240,40',
      ].join(', '),
    ),
  );
  await inspect(page, 'categories', { sizes: ['phone', 'tablet', 'desktop'] });

  // The month is in the address. A link leads to the purchases, and back.
  await page.getByRole('link', { name: /^Mês anterior/ }).click();
  await page.getByRole('heading', { name: 'Categorias em fevereiro de 2026' }).waitFor();
  await eventually(async () => assert.match(await row(page, 'Educação').textContent(), /138,00/));
  await page.reload();
  await settled(page);
  await eventually(async () => assert.match(await row(page, 'Educação').textContent(), /138,00/));
  await row(page, 'Educação')
    .getByRole('link', { name: /Educação/ })
    .click();
  await page.getByRole('heading', { name: 'Lançamentos de fevereiro de 2026' }).waitFor();
  await page.getByText('Livraria Cultura').waitFor();
  // With what was given back, which the figure is without.
  assert.match(page.url(), /kind=expense/);
  await page.goBack();
  await page.getByRole('heading', { name: 'Categorias em fevereiro de 2026' }).waitFor();
  await page.getByRole('button', { name: 'Ocultar valores' }).click();
  await eventually(async () => assert.match(await summary(page).textContent(), /^R\$.•••• de R\$.••••/));
  await close();
});

test('the budget of a month is its own amount, and the same as on the dashboard and in the budgets', async () => {
  const { api, categories } = await profile();
  await api.put('/api/budgets/2026-03', {
    budgets: [
      { category_id: categories.Mercado, amount: '600.00' },
      { category_id: categories.Saúde, amount: '90.00' },
    ],
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  const { total } = await api.get('/api/budgets/2026-03'),
    { pace } = await api.get('/api/dashboard');
  assert.deepEqual([total.budget, pace.planned], ['1190.00', '1190.00']);
  await go('/categories');
  await eventually(async () =>
    assert.equal(
      await summary(page).textContent(),
      'R$\u00a01.036,55 de R$\u00a01.190,00 planejados2 passaram do orçamento',
    ),
  );
  await eventually(async () =>
    assert.match(await row(page, 'Mercado').textContent(), /116% do orçamento de R\$.600,00/),
  );
  await eventually(async () =>
    assert.match(await row(page, 'Saúde').textContent(), /64,90restam R\$.25,10 de R\$.90,00/),
  );
  await page
    .getByRole('row')
    .filter({ hasText: /^Sem orçamento$/ })
    .waitFor();
  const names = await page.locator('tr').allTextContents();
  assert.ok(names.findIndex(text => text.startsWith('Saúde')) < names.indexOf('Sem orçamento'), String(names));
  await inspect(page, 'categories-own', { sizes: ['phone', 'desktop'], schemes: ['light'] });
  // Another month has its own.
  await go('/categories?month=2026-04');
  await eventually(async () => assert.match(await row(page, 'Mercado').textContent(), /de R\$.1\.200,00/));
  await close();
});

test('a category that got more back than was spent stays in the list, with an empty bar, and leads to its rows', async () => {
  const { api, categories } = await profile();
  for (const name of ['Lazer', 'Transporte']) {
    await api.post('/api/transactions', {
      date: '2026-03-04',
      type: 'income',
      description: `Estorno ${name}`,
      amount: '100.00',
      category_id: categories[name],
    });
  }
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/categories');
  await eventually(async () => assert.match(await row(page, 'Lazer').textContent(), /−R\$.100,00/));
  const names = await page.locator('tr').allTextContents(),
    at = text => names.findIndex(one => one.startsWith(text));
  assert.ok(at('Sem orçamento') < at('Lazer') && at('Lazer') < at('Sem saídas neste mês'), String(names));
  // Of what has a budget, all of it is left and the refund too.
  await eventually(async () => assert.match(await row(page, 'Transporte').textContent(), /−R\$.67,30/));
  for (const name of ['Lazer', 'Transporte']) {
    const bar = row(page, name).locator('.track .fill');
    assert.equal(await bar.evaluate(fill => fill.getBoundingClientRect().width), 0, name);
  }
  await row(page, 'Lazer').getByRole('link', { name: /Lazer/ }).click();
  await page.getByRole('heading', { name: 'Lançamentos de março de 2026' }).waitFor();
  await page.getByText('Estorno Lazer').first().waitFor();
  await close();
});

test('months that are no longer looked at are not waited for', async () => {
  const { api } = await profile();
  const { page, close, wrong } = await visit(browser, service.url, { api });
  const asked = [],
    dropped = [];
  page.on('request', request => {
    const [, month] = /\/api\/budgets\/(2025-\d\d)/.exec(request.url()) ?? [];
    if (month) asked.push(month);
  });
  page.on('requestfailed', request => dropped.push(request.url()));
  // The first request for an earlier month is held. It passes after the page shows another month.
  const first = await hold(page, '**/api/budgets/2025-*', { isHeld: () => asked.length === 1 });
  await page.goto(`${service.url}/categories?month=2026-03`);
  await row(page, 'Mercado').getByText('698,55').waitFor();
  await first.asked(1);
  await page.getByRole('link', { name: /^Mês anterior/ }).click();
  await row(page, 'Educação').getByText('138,00').waitFor();
  await eventually(async () =>
    assert.match(
      await row(page, 'Educação').getByRole('img').getAttribute('aria-label'),
      /^setembro de 2025: R\$.0,00, .*fevereiro de 2026: R\$.138,00$/,
    ),
  );
  first.open();
  await ended(first.requests[0]);
  await caughtUp(page);
  // The months are read one after the other, so only one request of the first reading was ever sent.
  await eventually(() => assert.deepEqual(dropped, [first.requests[0].url()]));
  assert.deepEqual(asked, ['2025-10', '2025-09', '2025-10', '2025-11', '2025-12']);
  assert.match(
    await row(page, 'Educação').getByRole('img').getAttribute('aria-label'),
    /^setembro de 2025: R\$.0,00, .*fevereiro de 2026: R\$.138,00$/,
  );
  assert.deepEqual(wrong, []);
  await close();
});

test('one is added, changed and deleted; what is wrong is told at its field', async () => {
  const { api, named } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/categories');
  await page.getByRole('button', { name: 'Nova categoria' }).click();
  const dialog = page.getByRole('dialog', { name: 'Nova categoria' });
  await dialog.getByLabel('Quanto por mês').fill('-5');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await dialog.getByText('Escreva um nome de até 100 letras.').waitFor();
  await dialog.getByText('Escreva um valor como 800,00.').waitFor();
  await eventually(async () => assert.equal(await focused(page), 'name'));
  await inspect(page, 'category-wrong');
  expect(409);
  await dialog.getByLabel('Nome').fill('mercado');
  await dialog.getByLabel('Quanto por mês').fill('');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await dialog.getByText('Já existe uma categoria com este nome.').waitFor();
  await dialog.getByLabel('Nome').fill('Bichos');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Categoria Bichos criada.').waitFor();
  await eventually(async () =>
    assert.deepEqual([(await named('Bichos')).monthly_budget, (await named('Bichos')).is_tax], [null, false]),
  );

  await edit(page, 'Bichos').click();
  const form = page.getByRole('dialog', { name: 'Editar categoria' });
  await form.getByLabel('Nome').fill('Pets');
  await form.getByLabel('Quanto por mês').fill('100+50');
  await form.getByLabel('É imposto').check();
  await form.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Categoria Pets salva.').waitFor();
  await eventually(async () =>
    assert.match(await row(page, 'Pets').textContent(), /Imposto · restam R\$.150,00 de R\$.150,00/),
  );
  await eventually(async () =>
    assert.deepEqual([(await named('Pets')).monthly_budget, (await named('Pets')).is_tax], ['150.00', true]),
  );
  // An empty budget is no budget.
  await edit(page, 'Pets').click();
  await eventually(async () => assert.equal(await form.getByLabel('Quanto por mês').inputValue(), '150,00'));
  await form.getByLabel('Quanto por mês').fill('');
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal((await named('Pets')).monthly_budget, null));

  await edit(page, 'Pets').click();
  await form.getByRole('button', { name: 'Apagar' }).click();
  const sure = page.getByRole('dialog', { name: 'Apagar Pets?' });
  await inspect(page, 'category-delete', { schemes: ['light'] });
  await sure.getByRole('button', { name: 'Apagar' }).click();
  await page.getByText('Categoria Pets apagada.').waitFor();
  await eventually(async () => assert.equal(await named('Pets'), undefined));
  await eventually(async () => assert.equal(await row(page, 'Pets').count(), 0));

  // Standard categories cannot be deleted. Their months are shown as figures.
  await edit(page, 'Restaurantes').click();
  await form.getByText('Categoria padrão').waitFor();
  await eventually(async () => assert.equal(await form.getByRole('button', { name: 'Apagar' }).count(), 0));
  await eventually(async () =>
    assert.deepEqual((await form.getByRole('row').allTextContents()).slice(-2), [
      'fevereiro de 2026R$\u00a0140,50',
      'março de 2026R$\u00a0240,40',
    ]),
  );
  await inspect(page, 'category-edit', { sizes: ['phone', 'desktop'] });
  await close();
});

test('one that is in use is deleted with what it holds moved to another one', async () => {
  const { api, named } = await profile();
  const pets = await api.post('/api/categories', { name: 'Pets' });
  const bought = await api.post('/api/transactions', {
    date: '2026-03-02',
    type: 'expense',
    description: 'Ração',
    amount: '80.00',
    category_id: pets.id,
  });
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/categories');
  const dialog = page.getByRole('dialog', { name: 'Apagar Pets?' });
  const removePets = async () => {
    await edit(page, 'Pets').click();
    await page.getByRole('dialog', { name: 'Editar categoria' }).getByRole('button', { name: 'Apagar' }).click();
    await dialog.getByRole('button', { name: 'Apagar' }).click();
  };
  // Without another category for its rows, the category is not deleted, and a link leads to the rows.
  expect(409);
  await removePets();
  await dialog.getByRole('alert').getByText('Escolha acima para onde vão').waitFor();
  await inspect(page, 'category-in-use');
  await dialog.getByRole('link', { name: 'Lançamentos' }).click();
  await page.getByText('Ração').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () => assert.match(page.url(), new RegExp(`month=all&category_id=${pets.id}`)));
  await page.goBack();
  await row(page, 'Pets').waitFor();

  expect(503);
  await page.route('**/api/categories/*', route =>
    route.request().method() === 'DELETE' ? route.fulfill(refusal(503, 'ErrUnavailable')) : route.continue(),
  );
  await removePets();
  await dialog.getByText('O Finance está ocupado').waitFor();
  assert.ok(await named('Pets'));
  await page.unroute('**/api/categories/*');

  const to = dialog.getByLabel('Passar o que é dela para');
  await to.focus();
  await to.locator('option', { hasText: 'Lazer' }).waitFor({ state: 'attached' });
  assert.equal(await to.locator('option', { hasText: 'Pets' }).count(), 0);
  await to.selectOption({ label: 'Lazer' });
  await dialog.getByRole('button', { name: 'Apagar' }).click();
  await page.locator('#toasts').getByText('Categoria Pets apagada; o que era dela está em Lazer.').waitFor();
  await row(page, 'Pets').waitFor({ state: 'detached' });
  await eventually(async () => assert.match(await row(page, 'Lazer').textContent(), /80,00/));
  assert.equal(await named('Pets'), undefined);
  assert.equal((await api.get(`/api/transactions/${bought.id}`)).category_id, (await named('Lazer')).id);
  await close();
});

test('a category has a colour of the configured ones, by pointer and by keys', async () => {
  const { api, named } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/categories');
  const config = readFileSync(new URL('../../config/category_colors.toml', import.meta.url), 'utf8');
  const configured = [...config.matchAll(/"([a-z]+)"/g)].map(([, name]) => name);
  await page.getByRole('button', { name: 'Nova categoria' }).click();
  const dialog = page.getByRole('dialog');
  const colors = dialog.getByRole('group', { name: 'Cor' }).getByRole('radio');
  assert.deepEqual(await colors.evaluateAll(all => all.map(one => one.value)), ['', ...configured]);
  // Each is drawn, and has a name of its own.
  const drawn = await colors.evaluateAll(all => all.map(one => getComputedStyle(one).backgroundColor)),
    names = await colors.evaluateAll(all => all.map(one => one.getAttribute('aria-label')));
  assert.deepEqual([new Set(drawn).size, new Set(names).size], [25, 25]);
  await dialog.getByLabel('Nome').fill('Bichos');
  // A new one gets a free colour.
  await dialog.getByRole('radio', { name: 'automática, uma que esteja livre', checked: true }).waitFor();
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Categoria Bichos criada.').waitFor();
  const given = (await named('Bichos')).color;
  assert.ok(configured.includes(given), given);
  const isDrawn = color => page.locator(`.color-${color} .budget-name`, { hasText: 'Bichos' }).waitFor();
  await isDrawn(given);
  await edit(page, 'Bichos').click();
  await dialog.getByRole('radio', { name: 'magenta' }).check();
  await dialog.getByText('magenta', { exact: true }).waitFor();
  await inspect(page, 'category-colors');
  await page.keyboard.press('ArrowRight');
  await dialog.getByRole('radio', { name: 'azul-marinho', checked: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Categoria Bichos salva.').waitFor();
  assert.equal((await named('Bichos')).color, 'navy');
  await isDrawn('navy');
  // Without one of its own, the page chooses.
  await edit(page, 'Bichos').click();
  await dialog.getByRole('radio', { name: 'automática' }).check();
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await named('Bichos')).color, null);
  await close();
});

test('a select of categories makes a new one, by pointer and by keys', async () => {
  const { api, named } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/transactions');
  const dialog = page.getByRole('dialog', { name: 'Nova categoria' });
  // In place, in the list.
  const sale = row(page, 'Venda da bicicleta');
  await sale.getByRole('button', { name: /categoria de Venda da bicicleta/ }).click();
  await page.getByLabel('categoria de Venda da bicicleta').selectOption({ label: 'Nova categoria…' });
  await dialog.getByLabel('Nome').waitFor();
  await inspect(page, 'category-new');
  await dialog.getByRole('button', { name: 'Criar categoria' }).click();
  await dialog.getByText('Escreva um nome de até 100 letras.').waitFor();
  expect(409);
  await dialog.getByLabel('Nome').fill('mercado');
  await page.keyboard.press('Enter');
  await dialog.getByText('Já existe uma categoria com este nome.').waitFor();
  await dialog.getByLabel('Nome').fill('Bicicletas');
  await page.keyboard.press('Enter');
  await page.getByText('Categoria Bicicletas criada.').waitFor();
  await sale.getByRole('button', { name: /^Bicicletas, categoria de/ }).waitFor();
  await eventually(async () =>
    assert.equal((await api.get('/api/transactions?q=bicicleta'))[0].category_id, (await named('Bicicletas')).id),
  );
  // In a form by keys: the arrow keys pass over it, Enter opens it, and Escape leaves all as it was.
  await keysBound(page);
  await page.keyboard.press('n');
  const quick = page.getByRole('dialog', { name: 'Novo lançamento' }),
    select = quick.getByLabel('Categoria', { exact: true });
  await select.focus();
  await page.keyboard.press('End');
  await eventually(async () => assert.equal(await select.inputValue(), 'new'));
  assert.equal(await dialog.count(), 0);
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Nome').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await select.inputValue(), ''));
  await eventually(async () => assert.equal(await focused(page), 'category_id'));
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Nome').fill('Hortas');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const made = await named('Hortas');
  await eventually(async () => assert.equal(await select.inputValue(), String(made.id)));
  await eventually(async () => assert.equal(await focused(page), 'category_id'));
  // Tab leaves the option without choosing it.
  await page.keyboard.press('End');
  await page.keyboard.press('Tab');
  await eventually(async () => assert.equal(await select.inputValue(), String(made.id)));
  await close();
});

test('by keys alone, and on a phone', async () => {
  const { api, named } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/settings');
  await keysBound(page);
  await goByKeys(page, 'o');
  await row(page, 'Mercado').waitFor();
  await keysBound(page);
  // The keys skip the headings of groups.
  for (const name of [/^Mercado/, /^Restaurantes/, /^Transporte/, /^Assinaturas/]) {
    await page.keyboard.press('j');
    await eventually(async () => assert.match(await focused(page), name));
  }
  await page.keyboard.press('k');
  await eventually(async () => assert.match(await focused(page), /^Transporte/));
  await accessible(page, 'a row with the focus');
  await page.keyboard.press('e');
  await page.getByRole('dialog', { name: 'Editar categoria' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.type('350');
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal((await named('Transporte')).monthly_budget, '350.00'));
  await eventually(async () => assert.match(await focused(page), /^Transporte/));
  await close();

  const phone = await visit(browser, service.url, { api, ...PHONE });
  await phone.go('/');
  await phone.page.getByRole('button', { name: 'Mais', exact: true }).tap();
  await phone.page.getByRole('dialog', { name: 'Mais' }).getByRole('link', { name: 'Categorias' }).tap();
  // The bars of all budgets are as long as their cell.
  await row(phone.page, 'Lazer').waitFor();
  const widths = await phone.page.locator('td .budget .track').evaluateAll(all => all.map(bar => bar.clientWidth));
  assert.equal(new Set(widths).size, 1, String(widths));
  await edit(phone.page, 'Lazer').tap();
  await phone.page.getByLabel('Quanto por mês').fill('90');
  await phone.page.getByRole('button', { name: 'Salvar' }).tap();
  await eventually(async () => assert.equal((await named('Lazer')).monthly_budget, '90.00'));
  await row(phone.page, 'Lazer').getByText('restam').waitFor();
  await phone.close();
});

test('what cannot be read says so, the months before too', async () => {
  const { api } = await profile();
  const visitor = await visit(browser, service.url, { api });
  const { page, go, close, expect } = visitor;
  await looksWhileAway(visitor, 'categories', {
    address: `${service.url}/categories`,
    calls: '**/api/budgets/*',
    ready: row(page, 'Mercado'),
  });
  expect(500);
  await page.route('**/api/budgets/2025-*', route => route.fulfill(refusal(500, 'ErrInternal')));
  await go('/categories');
  await page.getByText('Código do erro: r-7').waitFor();
  await row(page, 'Mercado').getByText('698,55').waitFor();
  await accessible(page, 'without the months before');
  await page.unroute('**/api/budgets/2025-*');
  await page.getByRole('button', { name: 'Tentar de novo', exact: true }).click();
  await row(page, 'Mercado').getByRole('img').waitFor();

  await page.route('**/api/categories', route => route.fulfill(refusal(500, 'ErrInternal')));
  await go('/categories');
  await page.getByRole('alert').waitFor();
  await page.unroute('**/api/categories');
  await page.getByRole('button', { name: 'Tentar de novo', exact: true }).click();
  await row(page, 'Mercado').waitFor();
  await close();
});

test('in English everything is', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/categories');
  await page.getByRole('heading', { name: 'Categories in March 2026' }).waitFor();
  await eventually(async () => assert.match(await summary(page).textContent(), /planned1 is over its budget$/));
  await inspect(page, 'categories-english', { sizes: ['phone', 'desktop'], schemes: ['light'] });
  await page.getByRole('button', { name: 'New category' }).click();
  await page.getByRole('dialog', { name: 'New category' }).getByText('Leave empty for no budget.').waitFor();
  await close();
});
