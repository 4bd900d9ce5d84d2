// The report of a year for the income tax: on the page, on paper, as a table, and the categories that belong in it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { suite } from './suite.mjs';
import {
  accessible,
  addAccount,
  client,
  createUser,
  eventually,
  inspect,
  picture,
  refusal,
  settled,
  SIZES,
  visit,
} from './support.mjs';
import { goByKeys, hold, isAbsent, keysBound } from './waits.mjs';

const { service, browser, user } = await suite({ today: '2026-03-10', rate: '0.045513' });

/** Spending on health and education in two years, an investment, a card. */
const profile = async () => {
  const api = await user();
  const categories = await api.get('/api/categories'),
    of = named => categories.find(category => category.name === named);
  const kind = (named, tax_kind) =>
    api.put(`/api/categories/${of(named).id}`, { name: named, is_tax: false, tax_kind });
  await kind('Saúde', 'health');
  await kind('Educação', 'education');
  const current = await addAccount(api, 'Itaú', 'current', '5000.00', '2024-06-30');
  await api.post('/api/accounts', {
    name: 'CDB',
    kind: 'investment',
    yield_type: 'cdi',
    yield_tax: 'regressive',
    yield_day_count: 'business',
    opening_balance: '12000.00',
    opening_date: '2025-01-31',
    last_yield_date: '2025-01-31',
  });
  const spend = (date, description, amount, category) =>
    api.post('/api/transactions', {
      date,
      type: 'expense',
      description,
      amount,
      account_id: current.id,
      category_id: of(category).id,
    });
  await spend('2025-03-10', 'Dra. Helena Prado', '450.00', 'Saúde');
  await spend('2025-08-10', 'Dra. Helena Prado', '480.00', 'Saúde');
  await spend('2025-05-02', 'Clínica de fisioterapia do bairro com um nome bem comprido', '1200.00', 'Saúde');
  await spend('2025-02-05', 'Escola Girassol', '1980.50', 'Educação');
  await spend('2026-01-05', 'Escola Girassol', '2100.00', 'Educação');
  await spend('2025-06-05', 'Pizzaria', '90.00', 'Restaurantes');
  await api.get('/api/accounts');
  return { api, health: of('Saúde') };
};

const money = text => text.replaceAll('R$ ', 'R$\u00a0');
const rows = async table =>
  (await table.getByRole('row').allInnerTexts()).map(text => text.split(/\t|\n/).flatMap(cell => cell.trim() || []));

test('a payee is left out of the income tax by another category, from the report', async () => {
  const { api } = await profile();
  for (const size of /** @type {const} */ (['desktop', 'phone'])) {
    const { page, go, close } = await visit(browser, service.url, { api, size });
    await go('/reports?show=irpf&year=2025');
    await page.getByText('Para deixar alguém de fora').waitFor();
    await inspect(page, 'irpf-leave-out', { sizes: [size] });
    await page.getByRole('link', { name: 'Dra. Helena Prado' }).click();
    await page.waitForURL(/type=expense&payee=dra.+&from=2025-01-01&to=2025-12-31/);
    await eventually(async () => assert.equal(await page.getByRole('button', { name: /^Dra. Helena/ }).count(), 2));
    await close();
  }
  for (const { id, ...row } of await api.get('/api/transactions?q=Helena'))
    await api.put(`/api/transactions/${id}`, { ...row, category_id: await api.category('Lazer') });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/reports?show=irpf&year=2025');
  await page.getByRole('link', { name: /^Clínica/ }).waitFor();
  await isAbsent(page.getByText('Dra. Helena Prado'));
  await close();
});

test('on a phone a report has its amounts in sight, and of many months the newest', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, size: 'phone' });
  const right = async place => {
    const box = await place.boundingBox();
    return box.x + box.width;
  };
  await go('/reports?show=payees');
  const total = page.getByRole('table', { name: 'Por estabelecimento' }).locator('td .money').first();
  await total.waitFor();
  assert.ok((await right(total)) <= SIZES.phone.width);
  // Each row has its figures with their names, and nothing is beyond the edge.
  for (const [path, name] of [
    ['/reports?show=flow', 'Entradas e saídas'],
    ['/reports?show=year', 'Mês a mês'],
    ['/', 'Mês a mês'],
  ]) {
    await go(path);
    if (path === '/') await page.getByText('Ver em tabela').first().click();
    const frame = page.getByRole('group', { name }).filter({ has: page.getByRole('table') });
    await frame.first().waitFor();
    const [shown, whole, label] = await frame.first().evaluate(one => {
      const cell = one.querySelector('tbody td');
      return [one.clientWidth, one.scrollWidth, cell && getComputedStyle(cell, '::before').content];
    });
    assert.equal(whole, shown, path);
    assert.match(label ?? '', /Entr/, path);
  }
  await go('/reports?show=months');
  const months = page.getByRole('table', { name: 'Mês a mês' });
  await months.waitFor();
  await eventually(async () => assert.ok((await right(months.getByRole('columnheader').last())) <= SIZES.phone.width));
  // The names stay beside them.
  assert.ok((await months.getByRole('rowheader').first().boundingBox()).x >= 0);
  await inspect(page, 'report-months-phone', { sizes: ['phone'], schemes: ['light'] });
  await close();
});

test('a report that came before the day of the service is read again', async () => {
  const { api } = await profile();
  const { page, close } = await visit(browser, service.url, { api });
  const until = [];
  page.on('request', request => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/reports/flow') until.push(searchParams.get('to'));
  });
  const day = await hold(page, '**/api/auth/me');
  await page.goto(`${service.url}/reports?show=payees`);
  await eventually(async () => assert.notEqual(until.length, 0));
  assert.notEqual(until.at(-1), '2026-03-31', 'the day of the device');
  day.open();
  await eventually(async () => assert.equal(until.at(-1), '2026-03-31'));
  await settled(page);
  await close();
});

test('the year is added up by kind and payee, with the balances of two years and the yields', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/');
  await keysBound(page);
  await goByKeys(page, 'd');
  await page.getByRole('heading', { level: 1, name: 'Relatórios' }).waitFor();
  await page.getByRole('link', { name: 'Imposto de renda' }).click();
  await page.getByRole('heading', { level: 1, name: 'Imposto de renda 2025' }).waitFor();
  await eventually(async () =>
    assert.deepEqual(await rows(page.getByRole('table', { name: 'Saúde' })), [
      ['A quem', 'Total'],
      ['Clínica de fisioterapia do bairro com um nome bem comprido', money('R$ 1.200,00')],
      ['Dra. Helena Prado', money('R$ 930,00')],
      ['Total', money('R$ 2.130,00')],
    ]),
  );
  await eventually(async () =>
    assert.deepEqual((await rows(page.getByRole('table', { name: 'Educação' }))).at(-1), [
      'Total',
      money('R$ 1.980,50'),
    ]),
  );
  await isAbsent(page.getByText('Pizzaria'));
  const report = await api.get('/api/reports/irpf?year=2025'),
    cdb = report.accounts.find(({ name }) => name === 'CDB');
  const written = text =>
    `R$\u00a0${new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2 }).format(Number(text))}`;
  await eventually(async () =>
    assert.deepEqual(await rows(page.getByRole('table', { name: 'Bens e dívidas' })), [
      ['Conta', '31/12/2024', '31/12/2025'],
      ['CDB Investimento', written('0'), written(cdb.balance)],
      ['Itaú Conta corrente', money('R$ 5.000,00'), money('R$ 799,50')],
    ]),
  );
  const [earned] = report.yields;
  assert.notEqual(earned.income_tax, '0.00');
  await eventually(async () =>
    assert.deepEqual(await rows(page.getByRole('table', { name: 'Rendimentos' })), [
      ['Conta', 'Bruto', 'IOF', 'Imposto de renda'],
      ['CDB', written(earned.gross), written(earned.iof), written(earned.income_tax)],
    ]),
  );
  await inspect(page, 'reports', { sizes: ['phone', 'tablet', 'desktop'] });
  // Another year is chosen by keyboard, and is kept in the address.
  await page.getByLabel('Ano', { exact: true }).focus();
  await page.getByLabel('Ano', { exact: true }).selectOption('2026');
  await page.waitForURL(`${service.url}/reports?year=2026`);
  await page.getByRole('heading', { level: 1, name: 'Imposto de renda 2026' }).waitFor();
  await eventually(async () =>
    assert.deepEqual(await rows(page.getByRole('table', { name: 'Educação' })), [
      ['A quem', 'Total'],
      ['Escola Girassol', money('R$ 2.100,00')],
      ['Total', money('R$ 2.100,00')],
    ]),
  );
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.id), 'year'));
  await page.reload();
  await settled(page);
  await page.getByRole('heading', { level: 1, name: 'Imposto de renda 2026' }).waitFor();
  // Hidden amounts are also hidden here.
  await page.keyboard.press('h');
  await eventually(async () =>
    assert.equal(
      await page
        .locator('main')
        .getByText(/\d,\d\d/)
        .count(),
      0,
    ),
  );
  await close();
});

test('kinds, accounts and yields of the return open exactly their rows', async () => {
  const { api } = await profile();
  // The kind has two categories.
  const pets = (await api.get('/api/categories')).find(category => category.name === 'Lazer');
  await api.put(`/api/categories/${pets.id}`, { name: pets.name, is_tax: false, tax_kind: 'health' });
  await api.post('/api/transactions', {
    date: '2025-09-10',
    type: 'expense',
    description: 'Academia',
    amount: '75.00',
    category_id: pets.id,
  });
  const report = await api.get('/api/reports/irpf?year=2025');
  const { page, go, close } = await visit(browser, service.url, { api });
  /** Presses a link of the report, and returns the summary of the rows that it opens. */
  const opened = async link => {
    await go('/reports?year=2025');
    await page.getByRole('table', { name: 'Saúde' }).waitFor();
    const answered = page.waitForResponse(response => response.url().includes('/api/transactions/summary?'));
    await link.click();
    return (await answered).json();
  };
  const main = page.locator('main');
  let health = 0;
  for (const name of ['Saúde', 'Lazer'])
    health += Number((await opened(main.getByRole('link', { name, exact: true }))).expenses);
  assert.equal(health, Number(report.categories.find(kind => kind.tax_kind === 'health').total));
  const { income, expenses } = await opened(
    page.getByRole('table', { name: 'Bens e dívidas' }).getByRole('link', { name: 'Itaú' }),
  );
  const bank = report.accounts.find(({ name }) => name === 'Itaú');
  assert.equal(Number(income) - Number(expenses), Number(bank.balance) - Number(bank.balance_previous));
  const yields = await opened(page.getByRole('table', { name: 'Rendimentos' }).getByRole('link', { name: 'CDB' }));
  assert.equal(yields.income, report.yields[0].gross);
  await close();
});

test('on paper it is black on white, without what is around it; and it is saved as a table', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.emulateMedia({ colorScheme: 'dark' });
  await go('/reports?year=2025');
  await page.getByRole('table', { name: 'Saúde' }).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Baixar CSV' }).click();
  const file = await saved;
  assert.equal(file.suggestedFilename(), 'irpf-2025.csv');
  const lines = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/);
  assert.equal(lines[0], 'section,kind,account_id,name,total,balance_previous,balance,gross,iof,income_tax');
  assert.ok(
    lines.some(line => line.startsWith('payees,health,,Dra. Helena Prado,930.00')),
    lines.join('\n'),
  );
  await page.evaluate(() => (window.print = () => (window.printed = (window.printed ?? 0) + 1)));
  await page.getByRole('button', { name: 'Imprimir' }).click();
  await eventually(async () => assert.equal(await page.evaluate(() => window.printed), 1));
  await page.setViewportSize({ width: 720, height: 1000 });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const unseen of ['.side', '.top', '.bottom', '#year']) {
    assert.equal(await page.locator(unseen).count(), 1, unseen);
    await page.locator(unseen).waitFor({ state: 'hidden' });
  }
  await isAbsent(page.getByRole('button', { name: 'Imprimir' }));
  await eventually(async () =>
    assert.deepEqual(
      await page.evaluate(() => [
        getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector('h1')).color,
      ]),
      ['rgb(255, 255, 255)', 'rgb(0, 0, 0)'],
    ),
  );
  await accessible(page, 'report on paper');
  await picture(page, 'reports-paper');
  await page.emulateMedia({ media: 'screen' });
  await page.setViewportSize(SIZES.desktop);
  await close();
});

test('a category belongs in the return where its form says so, and a budget keeps that', async () => {
  const { api, health } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/categories');
  await page
    .getByRole('button', { name: 'Editar Pets' })
    .or(page.getByRole('button', { name: 'Editar Lazer' }))
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Na declaração do imposto de renda').selectOption({ label: 'Doações' });
  await inspect(page, 'category-tax-kind', { schemes: ['light'] });
  const name = await dialog.getByLabel('Nome').inputValue();
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await dialog.waitFor({ state: 'detached' });
  const kindOf = async named => (await api.get('/api/categories')).find(category => category.name === named).tax_kind;
  await eventually(async () => assert.equal(await kindOf(name), 'donation'));
  await page.getByRole('button', { name: 'Editar Saúde' }).click();
  await eventually(async () =>
    assert.equal(await dialog.getByLabel('Na declaração do imposto de renda').inputValue(), 'health'),
  );
  await dialog.getByLabel('Quanto por mês').fill('300');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () =>
    assert.deepEqual(
      await api.get(`/api/categories/${health.id}`).then(found => [found.monthly_budget, found.tax_kind]),
      ['300.00', 'health'],
    ),
  );
  await close();
});

test('nothing to report says what to do; what fails says so', async () => {
  createUser(service, 'nova');
  const api = await client(service.url, 'nova');
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/reports?year=2025');
  await page.getByText('Nenhuma despesa do ano está numa categoria que entra na declaração.').waitFor();
  await page.getByText('Nenhuma conta rendeu neste ano.').waitFor();
  await inspect(page, 'reports-empty', { schemes: ['light'] });
  await page.locator('#content').getByRole('link', { name: 'Categorias' }).click();
  await page.waitForURL(`${service.url}/categories`);
  // If the year has not begun, or there is none, the last year is shown.
  await go('/reports?year=2199');
  await page.getByRole('heading', { level: 1, name: 'Imposto de renda 2025' }).waitFor();
  expect(503);
  await page.route('**/api/reports/irpf*', route => route.fulfill(refusal(503, 'ErrUnavailable')));
  await page.getByRole('button', { name: 'Baixar CSV' }).click();
  await page.locator('#toasts .wrong').getByText('O Finance está ocupado').waitFor();
  await go('/reports?year=2025');
  await page.getByText('O Finance está ocupado').waitFor();
  await page.unroute('**/api/reports/irpf*');
  await page.getByRole('button', { name: 'Tentar de novo', exact: true }).click();
  await page.getByText('Nenhuma conta rendeu neste ano.').waitFor();
  await close();
});

test('in English everything is', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/reports?year=2025');
  await page.getByRole('heading', { level: 1, name: 'Income tax 2025' }).waitFor();
  await page.getByRole('table', { name: 'Health' }).waitFor();
  await inspect(page, 'reports-english', { sizes: ['desktop'], schemes: ['light'] });
  await close();
});
