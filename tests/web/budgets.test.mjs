// Budgets typed in place by keyboard, filled from other months, and reports whose rows open exactly their transactions.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { household } from './household.mjs';
import { suite } from './suite.mjs';
import { accessible, eventually, inspect, picture, settled, SIZES, undo, visit } from './support.mjs';
import { isAbsent, withStoppedClock } from './waits.mjs';

const { service, browser, user } = await suite({ today: '2026-03-10' });

/** A profile with groups, a refund, a tag and what is carried. */
const profile = async () => {
  const api = await user();
  const { categories } = await household(api);
  const all = await api.get('/api/categories');
  const change = (name, fields) => {
    const known = all.find(category => category.name === name);
    return api.put(`/api/categories/${known.id}`, { ...known, ...fields });
  };
  await change('Mercado', { monthly_budget: '700.00', carry: 'both', carry_since: '2025-12' });
  await change('Restaurantes', { monthly_budget: '300.00' });
  const of = name => all.find(category => category.name === name).id;
  await api.post('/api/transactions', {
    date: '2026-02-21',
    type: 'income',
    description: 'Livraria Cultura',
    amount: '38.00',
    category_id: of('Educação'),
    tags: ['Presente'],
  });
  return { api, of, categories };
};

const field = (page, name) => page.getByRole('textbox', { name: `Orçado, ${name}`, exact: true });
const focused = page => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
const budgets = async (api, month) => (await api.get(`/api/budgets/${month}`)).categories;

test('thirty budgets are typed by keyboard alone', async () => {
  const { api } = await profile();
  // The accent of some is a character of its own: they are of the same group.
  const groups = ['Saúde', 'SAÚDE'.normalize('NFD')];
  for (let at = 10; at < 30; at++) await api.post('/api/categories', { name: `Coisa ${at}`, group: groups[at % 2] });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/budgets?month=2026-04');
  await page.getByRole('heading', { name: 'Orçamento de abril de 2026', level: 1 }).waitFor();
  const names = (await budgets(api, '2026-04')).filter(line => line.category_id !== null).map(line => line.name);
  assert.ok(names.length >= 30);
  await field(page, names[0]).focus();
  for (let at = 0; at < 30; at++) {
    await eventually(async () => assert.equal(await focused(page), `Orçado, ${names[at]}`));
    await page.keyboard.type(`${at}+8,50`);
    await page.keyboard.press('Enter');
  }
  await settled(page);
  const owns = async () => (await budgets(api, '2026-04')).slice(0, 30).map(line => line.own);
  const expected = Array.from({ length: 30 }, (_, at) => `${at + 8}.50`);
  await eventually(async () => assert.deepEqual(await owns(), expected));
  // The arrows move, Escape takes back, and an empty field lets the default hold again.
  await field(page, names[5]).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await eventually(async () => assert.equal(await focused(page), `Orçado, ${names[4]}`));
  await page.keyboard.type('99');
  await page.keyboard.press('Escape');
  await eventually(async () => assert.equal(await field(page, names[4]).inputValue(), '12,50'));
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal((await owns())[4], null));
  await page.keyboard.type('abc');
  await page.keyboard.press('Enter');
  await page.getByText('Escreva um valor, como 45,90 ou 12+8,50.').waitFor();
  await page.keyboard.press('Escape');
  // A write is undone by its toast, and by the key of the newest one.
  await field(page, names[0]).fill('70');
  await field(page, names[0]).press('Enter');
  await page.locator('#toasts').getByText(`${names[0]}: R$ 70,00 neste mês.`).waitFor();
  await field(page, names[1]).fill('');
  await field(page, names[1]).press('Enter');
  const unset = undo(page, `${names[1]}: sem valor próprio neste mês.`);
  await unset.waitFor();
  await eventually(async () => assert.deepEqual((await owns()).slice(0, 2), ['70.00', null]));
  await unset.click();
  await eventually(async () => assert.equal(await field(page, names[1]).inputValue(), '9,50'));
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
  await page.keyboard.press('z');
  await eventually(async () => assert.equal(await field(page, names[0]).inputValue(), '8,50'));
  await eventually(async () => assert.deepEqual((await owns()).slice(0, 2), ['8.50', '9.50']));
  await close();
});

test('what is typed and not stored is of its month only', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/budgets');
  await field(page, 'Mercado').fill('abc');
  await field(page, 'Mercado').press('Tab');
  await page.getByText('Escreva um valor, como 45,90 ou 12+8,50.').waitFor();
  await page.getByRole('link', { name: /^Mês seguinte/ }).click();
  await page.getByRole('heading', { name: 'Orçamento de abril de 2026', level: 1 }).waitFor();
  await settled(page);
  assert.equal(await field(page, 'Mercado').inputValue(), '');
  assert.equal(await field(page, 'Mercado').getAttribute('aria-invalid'), 'false');
  await close();
});

test('a month without budgets says which months have some, and shows none of another one', async () => {
  const { api } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/budgets');
  await field(page, 'Mercado').waitFor();
  expect(422);
  await page.evaluate(() => {
    history.pushState(null, '', '/budgets?month=2036-01');
    dispatchEvent(new PopStateEvent('popstate'));
  });
  await page.getByRole('heading', { name: 'Orçamento de janeiro de 2036', level: 1 }).waitFor();
  await page.getByText('Precisa estar entre 2016-03 e 2028-03.').waitFor();
  await isAbsent(field(page, 'Mercado'));
  await close();
});

test('a month is filled from another one, and that is undone', async () => {
  const { api, of } = await profile();
  await api.put('/api/budgets/2026-02', {
    budgets: [
      { category_id: of('Mercado'), amount: '750.00' },
      { category_id: of('Lazer'), amount: '80.00' },
    ],
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/budgets');
  await eventually(async () => assert.equal(await field(page, 'Mercado').getAttribute('placeholder'), '700,00'));
  await withStoppedClock(page, async () => {
    await page.getByRole('button', { name: 'Copiar do mês anterior' }).click();
    await eventually(async () => assert.equal(await field(page, 'Mercado').inputValue(), '750,00'));
    await eventually(async () => assert.equal(await field(page, 'Lazer').inputValue(), '80,00'));
    // The default of Restaurantes was another one in February.
    await undo(page, '3 categorias preenchidas.').click();
    await eventually(async () => assert.equal(await field(page, 'Mercado').inputValue(), ''));
  });
  await eventually(async () => assert.ok((await budgets(api, '2026-03')).every(line => line.own === null)));
  // An amount of this month becomes that of every month.
  await field(page, 'Lazer').fill('120');
  await field(page, 'Lazer').press('Enter');
  await page.getByRole('button', { name: 'Todo mês, Lazer' }).click();
  await eventually(async () => assert.equal(await field(page, 'Lazer').getAttribute('placeholder'), '120,00'));
  await eventually(async () => {
    const line = (await budgets(api, '2026-05')).find(one => one.name === 'Lazer');
    assert.deepEqual([line.own, line.budget], [null, '120.00']);
  });
  await inspect(page, 'budgets');
  await close();
});

test('each source of a fill sets what the service says of it, and is undone', async () => {
  const { api, of } = await profile();
  for (const [date, amount] of [
    ['2025-03-20', '440.00'],
    ['2025-06-20', '1200.00'],
    ['2026-02-20', '300.00'],
  ]) {
    await api.post('/api/transactions', {
      date,
      type: 'expense',
      description: 'Mercado Extra',
      amount,
      category_id: of('Mercado'),
    });
  }
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/budgets');
  await field(page, 'Mercado').waitFor();
  const known = (await budgets(api, '2026-03')).find(line => line.name === 'Mercado');
  const figures = [known.average3, known.average12, known.last_year];
  assert.equal(new Set(figures).size, 3, 'the sources can be told apart');
  const shown = amount => amount.replace('.', ',').replace(/(?=(\d{3})+,)(?<=\d)/g, '.');
  for (const [at, name] of ['Média de 3 meses', 'Média de 12 meses', 'Mesmo mês do ano passado'].entries()) {
    await page.getByRole('button', { name }).click();
    await eventually(async () => assert.equal(await field(page, 'Mercado').inputValue(), shown(figures[at]), name));
    const stored = (await budgets(api, '2026-03')).find(line => line.name === 'Mercado');
    assert.equal(stored.own, figures[at], name);
    await undo(page, /categorias? preenchidas?\./).click();
    await eventually(async () => assert.equal(await field(page, 'Mercado').inputValue(), '', name));
    await settled(page);
  }
  await close();
});

test('each report opens exactly its rows, is printed, and is saved', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  for (const [show, by] of [
    ['where', 'category'],
    ['payees', 'payee'],
    ['tags', 'tag'],
    ['people', 'member'],
  ]) {
    const period = 'from=2026-01-01&to=2026-03-31';
    await go(`/reports?show=${show}&${period}`);
    const row = (await api.get(`/api/reports/flow?by=${by}&${period}`)).rows.at(-1);
    const answered = page.waitForResponse(response => response.url().includes('/api/transactions/summary?'));
    await page.locator('.report-table tbody').getByRole('link').last().click();
    const { income, expenses } = await (await answered).json();
    assert.deepEqual([income, expenses], [row.total.income, row.total.expenses], show);
    await page.getByRole('button', { name: /De um relatório|Relatório: / }).waitFor();
  }
  await go('/reports?show=months&from=2026-01-01&to=2026-03-31');
  await page.getByRole('img', { name: 'Mês a mês' }).waitFor();
  await inspect(page, 'reports-months');
  await page.getByRole('link', { name: 'Entradas e saídas' }).click();
  await page.getByRole('cell', { name: 'R$ 6.500,00' }).first().waitFor();
  await inspect(page, 'reports-flow');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Baixar CSV' }).click();
  const text = await readFile(await (await saved).path(), 'utf8');
  assert.match(text, /^section,key,name,2026-01,2026-02,2026-03,total,previous\r\n/);
  await page.getByRole('link', { name: 'Ano', exact: true }).click();
  await page.getByRole('heading', { name: 'Relatórios: Ano', level: 1 }).waitFor();
  await page.getByText('sem gastar').waitFor();
  await inspect(page, 'reports-year');
  await go('/reports');
  await page.getByRole('rowheader', { name: 'Moradia' }).waitFor();
  await inspect(page, 'reports-where');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.getByRole('navigation', { name: 'Relatório', exact: true }).waitFor({ state: 'hidden' });
  await isAbsent(page.getByRole('button', { name: 'Imprimir' }));
  await accessible(page, 'reports on paper');
  await picture(page, 'reports-where-paper');
  await page.emulateMedia({ media: 'screen' });
  await page.setViewportSize(SIZES.desktop);
  await close();
});

test('each month of a report opens exactly its rows, and so does the year', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  const period = 'from=2026-01-01&to=2026-03-31';
  /** Presses a link, and compares the summary of the rows that it opens with a figure. */
  const opens = async (link, { income, expenses }, what) => {
    const answered = page.waitForResponse(response => response.url().includes('/api/transactions/summary?'));
    await link.click();
    const summary = await (await answered).json();
    assert.deepEqual([summary.income, summary.expenses], [income, expenses], what);
    await page.getByRole('button', { name: /De um relatório|Relatório: / }).waitFor();
  };
  const body = page.locator('.report-table tbody');
  const months = await api.get(`/api/reports/flow?by=category&interval=month&limit=50&${period}`);
  for (const at of [0, 1, 2]) {
    const [row] = months.rows;
    assert.notEqual(row.series[at].net, '0.00', 'the largest category has rows in each month');
    await go(`/reports?show=months&${period}`);
    await opens(body.getByRole('row').first().getByRole('cell').nth(at).getByRole('link'), row.series[at], `${at}`);
  }
  const flow = await api.get(`/api/reports/flow?by=category&interval=month&kind=both&limit=1&${period}`);
  for (const at of [0, 1, 2]) {
    await go(`/reports?show=flow&${period}`);
    await opens(body.getByRole('row').nth(at).getByRole('link'), flow.total.series[at], `flow ${at}`);
  }
  // The year ends today: what is entered ahead is neither in its month nor behind the link.
  await api.post('/api/transactions', {
    date: '2026-03-25',
    type: 'expense',
    description: 'Viagem',
    amount: '900.00',
    category_id: await api.category('Lazer'),
  });
  const year = await api.get('/api/reports/year');
  assert.equal(year.months.length, 3);
  for (const [at, figures] of year.months.entries()) {
    await go('/reports?show=year');
    await opens(body.getByRole('row').nth(at).getByRole('link'), figures, `year ${figures.month}`);
  }
  const days = 'from=2026-01-01&to=2026-03-10';
  const spent = await api.get(`/api/reports/flow?by=category&limit=50&${days}`);
  const [risen] = year.rises;
  await go('/reports?show=year');
  await opens(
    page.getByRole('region', { name: 'Subiu' }).getByRole('link').first(),
    spent.rows.find(row => row.key === risen.category_id).total,
    'what rose',
  );
  const [paid] = (await api.get(`/api/reports/flow?by=payee&${days}`)).rows;
  await go('/reports?show=year');
  await opens(
    page.getByRole('region', { name: 'Onde mais se gastou' }).getByRole('link').first(),
    paid.total,
    'the largest payee',
  );
  for (const show of ['payees', 'tags', 'people']) {
    await go(`/reports?show=${show}&${period}`);
    await body.getByRole('link').first().waitFor();
    await inspect(page, `reports-${show}`);
  }
  await close();
});

test('in English everything is, and a category says what happens to what is left', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/budgets');
  await page.getByRole('heading', { name: 'Budget of March 2026', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Copy the previous month' }).waitFor();
  await inspect(page, 'budgets-english', { sizes: ['phone'], schemes: ['light'] });
  await go('/reports');
  await page.getByRole('link', { name: 'Where it went' }).waitFor();
  await go('/categories');
  await page.getByRole('button', { name: 'Edit Mercado', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await eventually(async () =>
    assert.equal(await dialog.getByLabel('What is left at the end of a month').inputValue(), 'both'),
  );
  await dialog.getByLabel('Group').fill('Home');
  await dialog.getByLabel('Income here is').selectOption({ label: 'income' });
  await dialog.getByLabel('Hide: no longer offered or suggested').check();
  await inspect(page, 'category-planning', { schemes: ['light'] });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () => {
    const { group, nets_refunds, hidden, carry } = (await api.get('/api/categories')).find(
      category => category.name === 'Mercado',
    );
    assert.deepEqual([group, nets_refunds, hidden, carry], ['Home', false, true, 'both']);
  });
  await close();
});
