// Yields as banks show them: how an account yields, what it earned by month, the amount after taxes, and net worth over
// time.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { accessible, addAccount, eventually, inspect, refusal, settled, visit } from './support.mjs';
import { hold, isAbsent } from './waits.mjs';

const { service, browser, user: profile } = await suite({ today: '2026-03-10', rate: '0.045513' });

const cents = text => Math.round(Number(text) * 100);
/** An amount, as the page writes it. */
const money = text => `R$\u00a0${new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2 }).format(Number(text))}`;
const focused = page =>
  page.evaluate(() => document.activeElement?.getAttribute('name') ?? document.activeElement?.textContent);
const named = async (api, name) => (await api.get('/api/accounts')).find(account => account.name === name);

test('an investment says how it yields, what each way of counting days pays, and whether it is taxed', async () => {
  const api = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/accounts');
  await page.getByRole('button', { name: 'Adicionar conta' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Nome').fill('CDB 110%');
  await dialog.getByLabel('Tipo').selectOption('investment');
  const days = dialog.getByRole('group', { name: 'Dias que rendem' });
  await dialog.getByRole('radio', { name: /Um percentual do CDI/ }).waitFor();
  await isAbsent(days);
  await dialog.getByRole('radio', { name: /Um percentual do CDI/ }).check();
  await days.getByText('Em 2024, 100% pagou 16,12%.').waitFor();
  await days.getByText('Em 2024, 100% pagou 10,88%, como no banco.').waitFor();
  // The two choices are side by side, so that they can be compared.
  await eventually(async () => {
    const [one, other] = await Promise.all(
      ['Todos os dias', 'Só dias úteis'].map(name => days.locator('label', { hasText: name }).boundingBox()),
    );
    assert.equal(one.y, other.y);
  });
  // A new one counts and is taxed as most contracts are.
  const taxes = dialog.getByRole('group', { name: 'Impostos' });
  await eventually(async () => assert.ok(await days.getByRole('radio', { name: /Só dias úteis/ }).isChecked()));
  await eventually(async () =>
    assert.ok(await taxes.getByRole('radio', { name: /IOF e imposto de renda/ }).isChecked()),
  );
  await inspect(page, 'yield-form', { sizes: ['phone', 'desktop'] });
  // By keyboard: from the percentage to the day until which it yielded, the days that yield, and the taxes.
  await dialog.getByLabel('Quanto tem hoje?').fill('1000');
  await dialog.getByLabel('No dia').fill('2026-01-30');
  await dialog.getByLabel('% do CDI').focus();
  await dialog.getByLabel('% do CDI').fill('110');
  await dialog.getByLabel('Já rendeu até').focus();
  await days.getByRole('radio', { name: /Só dias úteis/ }).focus();
  await page.keyboard.press('ArrowLeft');
  await eventually(async () => assert.ok(await days.getByRole('radio', { name: /Todos os dias/ }).isChecked()));
  await page.keyboard.press('ArrowRight');
  await eventually(async () => assert.ok(await days.getByRole('radio', { name: /Só dias úteis/ }).isChecked()));
  await page.keyboard.press('Tab');
  await eventually(async () => assert.equal(await focused(page), 'yield_tax'));
  await taxes.getByText('LCI, LCA e outros sem imposto.').waitFor();
  await eventually(async () =>
    assert.ok(await taxes.getByRole('radio', { name: /IOF e imposto de renda/ }).isChecked()),
  );
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const stored = await eventually(async () => {
    const found = await named(api, 'CDB 110%');
    assert.deepEqual(
      [found?.yield_type, found?.cdi_percentage, found?.yield_day_count, found?.yield_tax],
      ['cdi', 110, 'business', 'regressive'],
    );
    return found;
  });
  assert.ok(cents(stored.balance) > 100_000, stored.balance);

  // A rate is required if the yield is fixed. Otherwise it is added to an index.
  await page.getByRole('button', { name: 'Nova conta' }).click();
  await dialog.getByLabel('Nome').fill('Tesouro');
  await dialog.getByLabel('Tipo').selectOption('investment');
  await dialog.getByRole('radio', { name: /Uma taxa fixa/ }).check();
  await dialog.getByRole('button', { name: 'Adicionar conta' }).click();
  await dialog.getByText('Um número como 6,5, até 1000.').waitFor();
  await eventually(async () => assert.equal(await focused(page), 'yield_rate'));
  expect(422);
  await dialog.getByLabel('% ao ano').fill('1000,01');
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal(await dialog.getByLabel('% ao ano').getAttribute('aria-invalid'), 'true'));
  await dialog.getByRole('radio', { name: /IPCA mais uma taxa/ }).check();
  await dialog.getByLabel('Mais % ao ano').fill('6,15');
  await dialog.getByRole('button', { name: 'Adicionar conta' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Rende IPCA + 6,15% ao ano').waitFor();
  await eventually(async () =>
    assert.deepEqual(await named(api, 'Tesouro').then(found => [found.yield_type, found.yield_rate, found.yield_tax]), [
      'ipca',
      6.15,
      'regressive',
    ]),
  );

  // A savings account yields like poupança, or not at all.
  await page.getByRole('button', { name: 'Nova conta' }).click();
  await dialog.getByLabel('Nome').fill('Caderneta');
  await dialog.getByLabel('Tipo').selectOption('savings');
  await eventually(async () => assert.equal(await dialog.getByRole('radio').count(), 2));
  await dialog.getByRole('radio', { name: /Como poupança/ }).check();
  await dialog.getByLabel('Já rendeu até').waitFor();
  await accessible(page, 'poupança');
  await dialog.getByRole('button', { name: 'Adicionar conta' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Rende como poupança').waitFor();
  await eventually(async () => assert.equal((await named(api, 'Caderneta')).yield_type, 'poupanca'));

  // Fields that are not changed keep their values.
  await page.getByRole('link', { name: 'CDB 110%', exact: true }).click();
  await page.getByRole('button', { name: 'Editar' }).click();
  for (const name of [/Só dias úteis/, /IOF e imposto de renda/])
    await eventually(async () => assert.ok(await dialog.getByRole('radio', { name }).isChecked(), name.source));
  await dialog.getByLabel('Nome').fill('CDB');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () =>
    assert.deepEqual(
      await named(api, 'CDB').then(found => [found?.cdi_percentage, found?.yield_day_count, found?.yield_tax]),
      [110, 'business', 'regressive'],
    ),
  );
  await close();
});

test('an account shows what it earned by month, gross, tax and net, and what taxes would leave of it', async () => {
  const api = await profile();
  const investment = body =>
    api.post('/api/accounts', {
      kind: 'investment',
      yield_type: 'cdi',
      opening_balance: '10000.00',
      opening_date: '2025-11-28',
      last_yield_date: '2025-11-30',
      yield_day_count: 'business',
      ...body,
    });
  const { id } = await investment({ name: 'CDB', yield_tax: 'regressive' });
  const free = await investment({ name: 'LCI' });
  const account = await named(api, 'CDB'),
    months = (await api.get(`/api/accounts/${id}/yields`)).filter(month => month.gross !== '0.00');
  assert.deepEqual(
    months.map(({ month }) => month),
    ['2025-12', '2026-01', '2026-02', '2026-03'],
  );
  const sum = figure => (months.reduce((total, month) => total + cents(month[figure]), 0) / 100).toFixed(2);
  assert.equal(cents(sum('tax')), cents(account.iof) + cents(account.income_tax));
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/accounts');
  await page.getByText(`${money(account.net_balance)} depois dos impostos`).waitFor();
  await page.getByRole('link', { name: 'CDB', exact: true }).click();
  await eventually(async () =>
    assert.deepEqual(
      await page.locator('.hero .tile').allInnerTexts(),
      [
        ['Bruto', account.balance],
        ['IOF', account.iof],
        ['Imposto de renda', account.income_tax],
        ['Líquido', account.net_balance],
      ].map(([name, value]) => `${name}\n${money(value)}`),
    ),
  );
  const earned = page.getByRole('region', { name: 'Quanto rendeu' });
  await earned
    .getByText(
      `${money(sum('gross'))} em doze meses, ${money(sum('net'))} depois dos impostos. O imposto é o que seria cobrado`,
    )
    .waitFor();
  const rows = async () =>
    (await earned.getByRole('row').allInnerTexts()).map(text => text.split(/\t|\n/).flatMap(cell => cell.trim() || []));
  const names = ['dezembro de 2025', 'janeiro de 2026', 'fevereiro de 2026', 'março de 2026'];
  await eventually(async () =>
    assert.deepEqual(await rows(), [
      ['Mês', 'Bruto', 'Imposto', 'Líquido'],
      ...months.map((month, at) => [names[at], money(month.gross), money(month.tax), money(month.net)]).reverse(),
      ['Total', money(sum('gross')), money(sum('tax')), money(sum('net'))],
    ]),
  );
  await inspect(page, 'account-earned', { sizes: ['phone', 'tablet', 'desktop'] });
  assert.equal(
    await earned.getByRole('link', { name: 'janeiro de 2026' }).getAttribute('href'),
    `/transactions?month=2026-01&account_id=${id}`,
  );
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
  await page.keyboard.press('h');
  // Without taxes there are no tax column and no tiles.
  await go(`/accounts?id=${free.id}`);
  await eventually(async () => assert.deepEqual((await rows())[0], ['Mês', 'Bruto']));
  await isAbsent(page.locator('.hero .tile'));
  // This part fails alone.
  expect(503);
  await page.route('**/yields*', route => route.fulfill(refusal(503, 'ErrUnavailable')));
  await page.reload();
  await earned.getByText('O Finance está ocupado').waitFor();
  await page.unroute('**/yields*');
  await earned.getByRole('button', { name: 'Tentar de novo' }).click();
  await earned.getByRole('table').waitFor();
  await close();
});

test('the dashboard tells what taxes would leave, and net worth by month and kind once it is painted', async () => {
  const api = await profile();
  const current = await addAccount(api, 'Itaú', 'current', '3000.00', '2025-10-31');
  await addAccount(api, 'Reserva', 'savings', '8000.00', '2025-06-30');
  await api.post('/api/accounts', {
    name: 'CDB',
    kind: 'investment',
    yield_type: 'cdi',
    yield_tax: 'regressive',
    yield_day_count: 'business',
    opening_balance: '12000.00',
    opening_date: '2025-08-29',
    last_yield_date: '2025-08-31',
  });
  const card = await api.post('/api/accounts', { name: 'Nubank', kind: 'credit', closing_day: 25, due_day: 5 });
  await api.post('/api/transactions', {
    date: '2026-02-10',
    type: 'expense',
    description: 'Mercado',
    amount: '900.00',
    account_id: card.id,
  });
  await api.post('/api/transactions', {
    date: '2025-12-10',
    type: 'income',
    description: 'Salário',
    amount: '5000.00',
    account_id: current.id,
  });
  await api.get('/api/accounts');
  const { net_worth, net_worth_after_tax } = await api.get('/api/dashboard'),
    months = await api.get('/api/net-worth');
  assert.notEqual(net_worth, net_worth_after_tax);
  const { page, go, close } = await visit(browser, service.url, { api });
  // The dashboard is shown before this request is sent.
  const worths = await hold(page, '**/api/net-worth*');
  await page.goto(service.url);
  await page.getByText(`${money(net_worth_after_tax)} após impostos`).waitFor();
  await worths.asked(1);
  worths.open();
  const worth = page.getByRole('region', { name: 'Patrimônio mês a mês' });
  await worth.getByRole('link', { name: `março de 2026: ${money(net_worth)}` }).waitFor();
  await page.unroute('**/api/net-worth*');
  await eventually(async () => assert.equal(await worth.locator('path.kind').count(), 4));
  await page.mouse.move(0, 0);
  const legend = () => worth.locator('.chart-kinds li').allInnerTexts();
  const now = months.at(-1),
    figures = ({ current, savings, investment, credit }) => [
      `Contas correntes ${money(current)}`,
      `Poupança ${money(savings)}`,
      `Investimentos ${money(investment)}`,
      `Cartões ${money(credit).replace('R$\u00a0-', '−R$\u00a0')}`,
    ];
  await eventually(async () => assert.deepEqual(await legend(), figures(now)));
  await inspect(page, 'net-worth', { sizes: ['phone', 'tablet', 'desktop'] });
  // A month shows its figures when it has the focus.
  await worth.getByRole('link', { name: /^dezembro de 2025/ }).focus();
  const december = months.find(({ month }) => month === '2025-12');
  await eventually(async () => assert.deepEqual(await legend(), figures(december)));
  await worth.getByText('Ver em tabela').click();
  await eventually(async () =>
    assert.deepEqual(
      (await worth.getByRole('row').first().innerText()).split('\t').map(cell => cell.trim()),
      ['Mês', 'Patrimônio', 'Contas correntes', 'Poupança', 'Investimentos', 'Cartões'],
    ),
  );
  await accessible(page, 'net worth as a table');
  // The chart ends with the month that is shown. Each month leads to its dashboard.
  await worth.getByRole('link', { name: /^dezembro de 2025/ }).click();
  await page.waitForURL(`${service.url}/?month=2025-12`);
  await settled(page);
  await eventually(async () => assert.match(await worth.getByRole('link').last().innerText(), /^dezembro de 2025/));
  // A future month has no end yet.
  await go('/?month=2026-05');
  await page.getByRole('heading', { name: /^Painel de maio/ }).waitFor({ state: 'attached' });
  await settled(page);
  await isAbsent(worth);
  await close();
});

test('in English everything is', async () => {
  const api = await profile();
  await api.post('/api/accounts', {
    name: 'CDB',
    kind: 'investment',
    yield_type: 'cdi',
    yield_tax: 'regressive',
    yield_day_count: 'business',
    opening_balance: '12000.00',
    opening_date: '2025-08-29',
    last_yield_date: '2025-08-31',
  });
  const { id } = await named(api, 'CDB');
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go(`/accounts?id=${id}`);
  await page.getByRole('region', { name: 'Earnings' }).getByText('after taxes').waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByText('Over 2024, 100% paid 10.88%, as banks do.').waitFor();
  await inspect(page, 'yields-english', { sizes: ['desktop'], schemes: ['light'] });
  await close();
});
