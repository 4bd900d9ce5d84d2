// The forecast: the amount that is free to spend and why, the months ahead, and every state of both.
import assert from 'node:assert/strict';
import test from 'node:test';
import { looksWhileFailing, looksWhileLoading } from './away.mjs';
import { suite } from './suite.mjs';
import { accessible, eventually, inspect, refusal, settled, visit } from './support.mjs';
import { goByKeys, hold, isAbsent, keysBound } from './waits.mjs';

const { service, browser, user } = await suite({ today: '2026-03-10' });

/**
 * A current account, an income of day 5 that has arrived, a rent of day 15 that is not paid yet, a card with an open
 * bill of 400.00
 * of which 100.00 is an instalment, and a recurring expense on the card.
 */
const profile = async (balance = '2000.00') => {
  const api = await user(),
    category = name => api.category(name);
  const current = await api.post('/api/accounts', {
    name: 'Itaú',
    kind: 'current',
    opening_balance: (Number(balance) - 5000).toFixed(2),
    opening_date: '2026-03-01',
  });
  const card = await api.post('/api/accounts', { name: 'Nubank', kind: 'credit', closing_day: 25, due_day: 5 });
  const recurring = async (type, description, amount, day, account_id, name) =>
    api.post('/api/recurring', { type, description, amount, day, account_id, category_id: await category(name) });
  const salary = {
    type: 'income',
    description: 'Salário',
    amount: '5000.00',
    account_id: current.id,
    category_id: await category('Salário'),
  };
  await api.post('/api/recurring', { ...salary, day: 5 });
  await api.post('/api/transactions', { ...salary, date: '2026-03-05' });
  await recurring('expense', 'Aluguel', '1800.00', 15, current.id, 'Moradia');
  await recurring('expense', 'Streaming', '40.00', 12, card.id, 'Assinaturas');
  await api.post('/api/transactions', {
    date: '2026-03-02',
    type: 'expense',
    description: 'Loja - Parcela 3/6',
    amount: '100.00',
    account_id: card.id,
  });
  await api.post('/api/transactions', {
    date: '2026-03-03',
    type: 'expense',
    description: 'Supermercado',
    amount: '300.00',
    account_id: card.id,
  });
  return { api, current, card };
};

const texts = async list =>
  (await list.getByRole('listitem').allInnerTexts()).map(text => text.split('\n').flatMap(line => line.trim() || []));
const money = text => text.replaceAll('R$ ', 'R$\u00a0');
const hero = page => page.locator('.hero');

test('the dashboard of this month begins with what is free to spend, and says why', async () => {
  const { api } = await profile();
  const { page, close } = await visit(browser, service.url, { api });
  // The first paint needs no forecast. It is requested afterwards, and only adds the day.
  const forecast = await hold(page, '**/api/forecast*');
  await page.goto(service.url);
  await hero(page).getByText('Livre para gastar', { exact: true }).waitFor();
  await eventually(async () => assert.equal(await hero(page).locator('.hero-figure').innerText(), money('R$ 200,00')));
  await forecast.asked(1);
  forecast.open();
  await hero(page).getByText('Livre para gastar até 4 de abr.').waitFor();
  await page.unroute('**/api/forecast*');
  await hero(page).getByText('Março até agora: sobram').waitFor();
  const why = hero(page).getByRole('button', { name: 'Por quê?' });
  await eventually(async () => assert.equal(await why.getAttribute('aria-expanded'), 'false'));
  await why.focus();
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal(await why.getAttribute('aria-expanded'), 'true'));
  await eventually(async () =>
    assert.deepEqual(await texts(hero(page)), [
      ['Saldo de hoje', 'Contas com dinheiro livre para gastar', money('R$ 2.000,00')],
      ['Aluguel', '15 de mar. · recorrente · Itaú', 'Saída', money('−R$ 1.800,00')],
    ]),
  );
  await hero(page).getByText('Menor saldo até lá, em 15 de mar.').waitFor();
  await inspect(page, 'free-to-spend', { sizes: ['phone', 'tablet', 'desktop'] });
  // Each reason has a link to its source.
  await hero(page).getByRole('link', { name: 'Aluguel' }).click();
  await page.getByRole('heading', { level: 1, name: 'Contas a pagar e a receber em março de 2026' }).waitFor();
  await page.waitForURL(`${service.url}/recurring?month=2026-03`);
  await page.goBack();
  // A change on the page changes the amount at once.
  await hero(page).getByText('Livre para gastar até 4 de abr.').waitFor();
  await page.getByRole('button', { name: 'Ignorar Aluguel' }).click();
  await eventually(async () =>
    assert.equal(await hero(page).locator('.hero-figure').innerText(), money('R$ 2.000,00')),
  );
  await why.click();
  await hero(page).getByText('Nada previsto até lá.').waitFor();
  // Another month has no such amount.
  await page.getByRole('link', { name: /^Mês anterior/ }).click();
  await page.getByRole('heading', { name: 'Resultado de fevereiro' }).waitFor();
  await isAbsent(page.getByText('Livre para gastar'));
  await close();
});

test('what is reserved for the bills of the year is said under what is free, and is gone with its item', async () => {
  const { api, current } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  const category_id = await api.category('Moradia');
  const item = await api.post('/api/recurring', {
    type: 'expense',
    description: 'IPTU',
    amount: '600.00',
    category_id,
    account_id: current.id,
    every: { n: 1, unit: 'year' },
    start_on: '2026-09-10',
    reserve: true,
  });
  const { reserved, free_to_spend } = (await api.get('/api/dashboard')).forecast;
  // Six of the twelve months before September are over.
  assert.equal(reserved, '300.00');
  await go('/');
  await hero(page).getByText('Reservado para contas do ano: R$ 300,00.').waitFor();
  await eventually(async () =>
    assert.equal(
      await hero(page).locator('.hero-figure').innerText(),
      `${Number(free_to_spend) < 0 ? '−' : ''}R$\u00a0${Math.abs(Number(free_to_spend)).toFixed(2).replace('.', ',')}`,
    ),
  );
  // The lines of the reason add up: the lowest balance, less the reserve, is free.
  await hero(page).getByRole('button', { name: 'Por quê?' }).click();
  const ends = async () =>
    (await hero(page).locator('.rows ~ .account-row').allInnerTexts()).map(text => text.split('\n').map(money));
  await eventually(async () =>
    assert.deepEqual(await ends(), [
      ['Menor saldo até lá, em 15 de mar.', money('R$ 200,00')],
      ['− reservado para contas do ano', money('R$ 300,00')],
      ['Livre para gastar', money('R$ 0,00')],
    ]),
  );
  await api.post('/api/transactions', {
    date: '2026-03-09',
    type: 'income',
    description: 'Venda',
    amount: '450.00',
    account_id: current.id,
  });
  // A reserve ends with the event of its item.
  const rare = await api.post('/api/recurring', {
    type: 'expense',
    description: 'IPVA',
    amount: '1200.00',
    category_id,
    account_id: current.id,
    every: { n: 1, unit: 'year' },
    start_on: '2026-03-20',
    reserve: true,
  });
  await go('/');
  await hero(page).getByRole('button', { name: 'Por quê?' }).click();
  await eventually(async () =>
    assert.deepEqual(await ends(), [
      ['Menor saldo até lá, em 20 de mar.', money('−R$ 550,00')],
      ['− reservado para contas do ano', money('R$ 300,00')],
      ['Livre para gastar', money('R$ 0,00')],
    ]),
  );
  await api.remove(`/api/recurring/${rare.id}`);
  await go('/');
  await hero(page).getByRole('button', { name: 'Por quê?' }).click();
  await eventually(async () => assert.deepEqual((await ends()).at(-1), ['Livre para gastar', money('R$ 350,00')]));
  await inspect(page, 'reserved', { sizes: ['phone', 'desktop'] });
  // Hidden amounts are hidden here too.
  await keysBound(page);
  await page.keyboard.press('h');
  await hero(page).getByText('Reservado para contas do ano: R$ ••••.').waitFor();
  await page.keyboard.press('h');
  await api.put(`/api/recurring/${item.id}`, { ...item, reserve: false });
  await go('/');
  await hero(page).getByText('Livre para gastar até 4 de abr.').waitFor();
  await isAbsent(page.getByText('Reservado para contas do ano'));
  await close();
});

test('the months ahead, each with its figures and events, and the lowest day', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/');
  await keysBound(page);
  await goByKeys(page, 'f');
  await page.getByRole('heading', { level: 1, name: 'Previsão' }).waitFor();
  // It begins with the figure of the dashboard.
  await eventually(async () => assert.ok(await page.getByRole('radio', { name: 'Nada' }).isChecked()));
  await hero(page).getByText('Livre para gastar até 4 de abr.', { exact: true }).waitFor();
  await page.waitForURL(`${service.url}/forecast`);
  const table = page.getByRole('table', { name: 'Mês a mês' });
  const rows = async () =>
    (await table.getByRole('row').allInnerTexts()).map(text => text.split(/\t|\n/).flatMap(cell => cell.trim() || []));
  const lines = closings =>
    closings.map(([month, ...figures]) => [
      month,
      ...figures.map(figure => (/\d/.test(figure) && figure.includes(',') ? `R$\u00a0${figure}` : figure)),
    ]);
  await eventually(async () =>
    assert.deepEqual((await rows()).slice(0, 7), [
      ['Mês', 'Entra', 'Sai', 'Faturas', 'Menor saldo', 'Saldo no fim'],
      ...lines([
        ['março de 2026', '0,00', '1.800,00', '0,00', '200,00', '15 de mar.', '200,00'],
        ['abril de 2026', '5.000,00', '1.800,00', '440,00', '200,00', '1 de abr.', '2.960,00'],
        ['maio de 2026', '5.000,00', '1.800,00', '140,00', '2.960,00', '1 de mai.', '6.020,00'],
        ['junho de 2026', '5.000,00', '1.800,00', '140,00', '6.020,00', '1 de jun.', '9.080,00'],
        ['julho de 2026', '5.000,00', '1.800,00', '140,00', '9.080,00', '1 de jul.', '12.140,00'],
        ['agosto de 2026', '5.000,00', '1.800,00', '40,00', '12.140,00', '1 de ago.', '15.300,00'],
      ]),
    ]),
  );
  await eventually(async () => assert.equal((await rows()).length, 13));
  await page.getByText(money('O dia mais apertado é 15 de mar.: R$ 200,00')).waitFor();
  await page.locator('.low').getByText('15 de mar.').waitFor();
  await inspect(page, 'forecast', { sizes: ['phone', 'tablet', 'desktop'] });
  // The events of a month of the chart or the table are shown below it, each with its source.
  await page.getByRole('link', { name: money('maio de 2026: R$ 6.020,00') }).click();
  const events = page.getByRole('region', { name: 'Previsto em maio de 2026' });
  await eventually(async () =>
    assert.deepEqual(await texts(events), [
      ['Salário', '5 de mai. · recorrente · Itaú', 'Entrada', money('+R$ 5.000,00')],
      ['Fatura Nubank', '5 de mai. · fatura de cartão', 'Saída', money('−R$ 140,00')],
      ['Aluguel', '15 de mai. · recorrente · Itaú', 'Saída', money('−R$ 1.800,00')],
    ]),
  );
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Previsto em maio de 2026'),
  );
  await page.reload();
  await settled(page);
  await events.getByText('Fatura Nubank').waitFor();
  await table.getByRole('link', { name: 'março de 2026' }).click();
  await page.getByRole('region', { name: 'Previsto em março de 2026' }).getByText('Aluguel').waitFor();
  // On paper, and with hidden values.
  await page.emulateMedia({ media: 'print' });
  await accessible(page, 'forecast on paper');
  await page.emulateMedia({ media: 'screen' });
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
  // The global search finds the forecast.
  await go('/settings');
  await keysBound(page);
  await page.keyboard.press('/');
  await page.getByRole('dialog').getByRole('combobox').fill('previs');
  await page.getByRole('option', { name: 'Previsão' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${service.url}/forecast`);
  await close();
});

test('a balance below zero is told, and the usual spending comes back on wish', async () => {
  const { api, current } = await profile('1500.00');
  for (const [month, amount] of [
    ['2025-12', '300.00'],
    ['2026-01', '620.00'],
    ['2026-02', '310.00'],
  ]) {
    await api.post('/api/transactions', {
      date: `${month}-28`,
      type: 'expense',
      description: 'Feira',
      amount,
      account_id: current.id,
    });
  }
  // This income equals what those expenses took from the account.
  await api.post('/api/transactions', {
    date: '2026-02-27',
    type: 'income',
    description: 'Venda',
    amount: '1230.00',
    account_id: current.id,
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/');
  await eventually(async () => assert.equal(await hero(page).locator('.hero-figure').innerText(), money('R$ 0,00')));
  await hero(page).getByText('Em 15 de mar. o saldo fica negativo.').waitFor();
  await hero(page).getByRole('button', { name: 'Por quê?' }).click();
  await hero(page).getByText(money('−R$ 300,00')).waitFor();
  await accessible(page, 'below zero on the dashboard');
  await hero(page).getByRole('link', { name: 'Ver os próximos meses' }).click();
  await page.getByText(money('O saldo fica negativo; o pior dia é 15 de mar.: −R$ 300,00')).waitFor();
  await inspect(page, 'forecast-negative');
  const table = page.getByRole('table', { name: 'Mês a mês' });
  await eventually(async () => assert.equal(await table.getByRole('columnheader', { name: 'Estimado' }).count(), 0));
  await page.getByRole('radio', { name: 'O de costume' }).check();
  await page.waitForURL(`${service.url}/forecast?baseline=median3`);
  await table.getByRole('columnheader', { name: 'Estimado' }).waitFor();
  // Another figure has another name.
  await hero(page)
    .getByText(/^Livre para gastar até .*, com os gastos de costume$/)
    .waitFor();
  await eventually(async () => assert.match(await table.getByRole('row').nth(2).innerText(), /R\$.310,00/));
  await page.getByText('A mediana dos últimos três meses').waitFor();
  await inspect(page, 'forecast-median');
  await page.getByLabel('Meses à frente').selectOption('24');
  await eventually(async () => assert.equal(await table.getByRole('row').count(), 25));
  await inspect(page, 'forecast-two-years', { schemes: ['light'] });
  await page.reload();
  await settled(page);
  await eventually(async () => assert.equal(await table.getByRole('row').count(), 25));
  await eventually(async () => assert.ok(await page.getByRole('radio', { name: 'O de costume' }).isChecked()));
  await page.getByRole('radio', { name: 'Nada' }).check();
  await page.waitForURL(`${service.url}/forecast?months=24`);
  await close();
});

test('without an account there is nothing to forecast, and no account of a card is one', async () => {
  const api = await user();
  await api.post('/api/accounts', { name: 'Nubank', kind: 'credit', closing_day: 25, due_day: 5 });
  await api.post('/api/transactions', { date: '2026-03-02', type: 'expense', description: 'Padaria', amount: '10.00' });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/');
  await page.getByRole('heading', { name: 'Março até agora: faltam R$ 10.' }).waitFor();
  await isAbsent(page.getByText('Livre para gastar'));
  await go('/forecast');
  await page.getByText('Nada para prever ainda').waitFor();
  await inspect(page, 'forecast-empty');
  await page.locator('#content').getByRole('link', { name: 'Contas' }).click();
  await page.waitForURL(`${service.url}/accounts`);
  await close();
});

test('what is loading, away or failing says so', async () => {
  const { api } = await profile();
  const visitor = await visit(browser, service.url, { api });
  const { page, go, close, expect } = visitor;
  const ready = page.getByRole('heading', { name: 'Saldo previsto' }),
    calls = '**/api/forecast*';
  const options = { schemes: ['light'] };
  await looksWhileLoading(page, 'forecast', { address: `${service.url}/forecast`, calls, ready, options });
  await looksWhileFailing(visitor, 'forecast', { path: '/forecast', calls, ready, options });
  expect(503);
  await page.route(calls, route => route.fulfill(refusal(503, 'ErrUnavailable', { 'Retry-After': '1' })));
  // The dashboard is shown without the day. The reason is shown under "Por quê?".
  await go('/');
  await hero(page).getByText('Livre para gastar', { exact: true }).waitFor();
  await hero(page).getByRole('button', { name: 'Por quê?' }).click();
  await hero(page).getByText('O Finance está ocupado').waitFor();
  await page.unroute('**/api/forecast*');
  await hero(page).getByRole('button', { name: 'Tentar de novo', exact: true }).click();
  await hero(page).getByText('Menor saldo até lá').waitFor();
  await close();
});

test('in English everything is', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/');
  await hero(page).getByText('Free to spend until Apr 4').waitFor();
  await go('/forecast');
  await page.getByText(money('The tightest day is Mar 15: R$ 200.00')).waitFor();
  await page.getByRole('region', { name: 'Expected in March 2026' }).waitFor();
  await inspect(page, 'forecast-english', { schemes: ['light'] });
  await close();
});
