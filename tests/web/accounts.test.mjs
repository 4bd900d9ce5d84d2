// Accounts: their balances, one account month by month, what can be written and what is refused, transfers, every
// state.
import assert from 'node:assert/strict';
import test from 'node:test';
import { household } from './household.mjs';
import { looksWhileFailing, looksWhileLoading } from './away.mjs';
import { suite } from './suite.mjs';
import { accessible, eventually, inspect, PHONE, refusal, settled, undo, visit } from './support.mjs';
import { caughtUp, hold, isAbsent, keysBound, withStoppedClock } from './waits.mjs';

const { service, browser, user: profile } = await suite({ today: '2026-03-10' });

const focused = page =>
  page.evaluate(() => document.activeElement?.getAttribute('name') ?? document.activeElement?.textContent);
const isRefused = (page, text) => page.locator('#toasts .wrong').getByText(text).waitFor();

test('accounts stand by kind, with what each kind and all of them come to', async () => {
  const api = await profile();
  const { current } = await household(api);
  await api.post('/api/accounts', {
    name: 'CDB',
    kind: 'investment',
    yield_type: 'cdi',
    cdi_percentage: 102.5,
    opening_balance: '15000.00',
    opening_date: '2025-06-30',
    last_yield_date: '2026-03-08',
  });
  await api.post('/api/accounts', {
    name: 'Ações',
    kind: 'investment',
    yield_type: 'variable',
    opening_balance: '4200.00',
    opening_date: '2025-06-30',
  });
  const { net_worth } = await api.get('/api/dashboard');
  assert.equal(net_worth, '49920.55');
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/accounts');
  const worth = page.getByRole('region', { name: 'Patrimônio' });
  await worth.getByText('R$ 49.920,55').waitFor();
  await worth.getByText('R$ 51.312,75 em contas, menos R$ 1.392,20 a pagar nos cartões.').waitFor();
  await eventually(async () =>
    assert.deepEqual(
      await worth.locator('.tile').allInnerTexts(),
      [
        'Contas correntes\nR$ 23.412,75',
        'Poupança\nR$ 8.700,00',
        'Investimentos\nR$ 19.200,00',
        'Cartões\n−R$ 1.392,20',
      ].map(text => text.replaceAll('R$ ', 'R$\u00a0')),
    ),
  );
  const list = page.getByRole('region', { name: 'Contas', exact: true });
  await list.getByText('Rende 102,5% do CDI').waitFor();
  await list.getByText('Rende de forma variável').waitFor();
  await list.getByText('Fecha dia 3, vence dia 13').waitFor();
  assert.equal(
    await list.getByRole('link', { name: 'Ver lançamentos: Itaú' }).getAttribute('href'),
    `/transactions?month=all&account_id=${current.id}`,
  );
  await inspect(page, 'accounts', { sizes: ['phone', 'tablet', 'desktop'] });
  await page.keyboard.press('h');
  await eventually(async () =>
    assert.equal(
      await page
        .locator('main')
        .getByText(/\d,\d\d/)
        .filter({ hasNotText: '%' })
        .count(),
      0,
    ),
  );
  await inspect(page, 'accounts-hidden', { sizes: ['desktop'], schemes: ['light'] });
  await close();
});

test('one account has its months as a line, and the address keeps it', async () => {
  const api = await profile();
  const { current } = await household(api);
  const { balances } = await api.get(`/api/accounts/${current.id}/balances?months=12`);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/accounts');
  await page.getByRole('link', { name: 'Itaú', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Itaú' }).waitFor();
  await eventually(async () => assert.equal(await focused(page), 'Itaú'));
  await page.waitForURL(new RegExp(`/accounts\\?id=${current.id}$`));
  await page.getByRole('region', { name: 'Saldo de hoje' }).getByText('R$ 23.412,75').waitFor();
  const trend = page.getByRole('region', { name: 'Saldo mês a mês' });
  // It begins with the first month that has a balance.
  const first = balances.findIndex(({ balance }) => balance !== '0.00');
  await trend.getByText('De R$ 2.300,00 no fim de setembro de 2025 a R$ 23.412,75 hoje').waitFor();
  await page.mouse.move(0, 0);
  await trend.getByText('março de 2026 R$ 23.412,75').waitFor();
  await eventually(async () => assert.equal(await trend.getByRole('link').count(), balances.length - first));
  // A month shows its figure on hover and on focus, and leads to its rows.
  await trend.getByRole('link', { name: /^dezembro de 2025: R\$/ }).hover();
  await trend.getByText('dezembro de 2025 R$ 12.760,80 (+R$ 3.378,60)').waitFor();
  await page.mouse.move(0, 0);
  await trend.getByRole('link', { name: /^fevereiro de 2026/ }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  await trend.getByText(/fevereiro de 2026 R\$/).waitFor();
  await inspect(page, 'account', { sizes: ['phone', 'tablet', 'desktop'] });
  await trend.getByText('Ver em tabela').click();
  await eventually(async () => assert.equal(await trend.getByRole('row').count(), balances.length - first + 1));
  await trend.getByRole('row', { name: 'dezembro de 2025 R$ 12.760,80' }).waitFor();
  await accessible(page, 'account table');
  await page.reload();
  await settled(page);
  await page.getByRole('heading', { level: 1, name: 'Itaú' }).waitFor();
  await page.getByRole('link', { name: /^dezembro de 2025/ }).click();
  await page.waitForURL(`${service.url}/transactions?month=2025-12&account_id=${current.id}`);
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Itaú' }).waitFor();
  await page.getByRole('link', { name: 'Ver lançamentos' }).click();
  await page.waitForURL(`${service.url}/transactions?month=all&account_id=${current.id}`);
  await page.getByRole('heading', { level: 1, name: 'Lançamentos' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Itaú' }).waitFor();
  // The way back leads to the row.
  await page.getByRole('main').getByRole('link', { name: 'Contas', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Contas' }).waitFor();
  await eventually(async () => assert.equal(await focused(page), 'Itaú'));
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Itaú' }).waitFor();
  // The bank has another balance.
  await page.getByRole('button', { name: 'Está diferente no banco?' }).click();
  const dialog = page.getByRole('dialog', { name: 'Acertar o saldo de Itaú' });
  await dialog.getByLabel('Saldo no banco').fill('23412,75+100');
  await dialog.getByRole('button', { name: 'Acertar saldo' }).click();
  await page.mouse.move(0, 0);
  await page.getByText('março de 2026 R$ 23.512,75').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () => assert.equal((await api.get(`/api/accounts/${current.id}`)).balance, '23512.75'));
  // A transaction of an earlier day changes the line, not the balance that the bank has today.
  await api.post('/api/transactions', {
    date: '2026-02-27',
    type: 'expense',
    description: 'Padaria',
    amount: '12.75',
    account_id: current.id,
  });
  const before = (await api.get(`/api/accounts/${current.id}/balances?months=3`)).balances[0].balance;
  await go(`/accounts?id=${current.id}`);
  await page.getByText('março de 2026 R$ 23.512,75').waitFor();
  await trend.getByText('Ver em tabela').click();
  const [whole, part] = before.split('.');
  const figure = `R$ ${whole.replace(/(\d)(?=(\d{3})+$)/g, '$1.')},${part}`;
  await trend.getByRole('row', { name: `janeiro de 2026 ${figure}` }).waitFor();
  await close();
});

test('an account tells until when it agrees with the bank, and a difference is ended by keyboard', async () => {
  const api = await profile();
  const { id } = await api.post('/api/accounts', { name: 'Itaú', kind: 'current', balance_today: '1000.00' });
  const row = (date, amount, description) => ({ date, amount, description, type: 'expense' });
  const confirm = (rows, balance) =>
    api.post('/api/import/confirm', { account_id: id, format: 'ofx', rows, statements: [{ index: 0, balance }] });
  await confirm([row('2026-03-02', '600.00', 'Mercado')], { date: '2026-03-02', amount: '1000.00' });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go(`/accounts?id=${id}`);
  const bank = page.getByRole('region', { name: 'Saldo do banco' });
  await bank.getByText('Confere com o banco até 2 de mar.').waitFor();
  await inspect(page, 'account-agrees', { sizes: ['phone', 'desktop'] });
  // One expense is there twice, and another one has the wrong sign.
  await confirm([row('2026-03-03', '54.90', 'Farmácia'), row('2026-03-04', '54.90', 'FARMACIA')]);
  await api.put(`/api/accounts/${id}/anchors/2026-03-02`, { amount: '1054.90' });
  await go(`/accounts?id=${id}`);
  await bank.getByText('Em 2 de mar. faltam R$ 54,90').waitFor();
  await bank.getByText('O banco diz R$ 1.054,90.').waitFor();
  const found = bank.getByRole('listitem');
  await eventually(async () => assert.equal(await found.count(), 2));
  await found.getByText('4 de mar. · Lançado a mais?').waitFor();
  assert.equal(
    await found.first().getByRole('link').getAttribute('href'),
    `/transactions?month=2026-03&account_id=${id}`,
  );
  await inspect(page, 'account-differs', { sizes: ['phone', 'tablet', 'desktop'] });
  await page.setViewportSize({ width: 360, height: 740 });
  await bank.getByRole('button', { name: 'Acertar' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Em 2 de mar. faltam R$ 54,90' });
  await dialog.getByText('Cria um lançamento que muda só o saldo: não é entrada nem saída.').waitFor();
  await accessible(page, 'account adjust');
  await keysBound(page);
  await dialog.getByRole('button', { name: 'Acertar' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Saldo de 2 de mar. acertado.').waitFor();
  await bank.getByText('Confere com o banco até 2 de mar.').waitFor();
  await eventually(async () => assert.equal(await focused(page), 'Saldo do banco'));
  const after = await api.get(`/api/accounts/${id}`);
  assert.deepEqual([after.balance, after.first_difference], ['1000.00', null]);
  await close();
});

test('a view stays until the next one is there', async () => {
  const api = await profile();
  const { current } = await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  const module = await hold(page, '**/views/transactions.js');
  await go(`/accounts?id=${current.id}`);
  await page.getByRole('link', { name: 'Ver lançamentos' }).click();
  await page.waitForURL(`${service.url}/transactions?month=all&account_id=${current.id}`);
  await module.asked(1);
  await caughtUp(page);
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Itaú');
  await page.getByText('março de 2026 R$ 23.412,75').waitFor();
  module.open();
  await page.getByRole('heading', { level: 1, name: 'Lançamentos' }).waitFor();
  await close();
});

test('accounts are created and changed by keyboard alone; the kind stays', async () => {
  const api = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/accounts');
  await page.getByRole('heading', { level: 1, name: 'Contas' }).waitFor();
  await page.getByText('Nenhuma conta ainda').waitFor();
  await inspect(page, 'accounts-empty');
  await page.getByRole('button', { name: 'Adicionar conta' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Adicionar conta' }).waitFor();
  await page.keyboard.type('Itaú');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('1.250,00');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Conta Itaú adicionada.').waitFor();
  await eventually(async () => assert.equal((await api.get('/api/accounts'))[0].balance, '1250.00'));
  await eventually(async () =>
    assert.deepEqual(
      (await api.get('/api/transactions')).map(row => [row.source, row.date]),
      [['opening_balance', '2026-03-10']],
    ),
  );

  // An investment: the meaning of each kind of yield, and the day until which the balance has yielded.
  await page.getByRole('button', { name: 'Nova conta' }).click();
  await dialog.getByLabel('Nome').fill('CDB');
  await dialog.getByLabel('Tipo').selectOption('investment');
  await dialog.getByText('Ações, fundos: você anota o que rendeu ou perdeu.').waitFor();
  await dialog.getByRole('radio', { name: /Um percentual do CDI/ }).check();
  await dialog.getByLabel('Quanto tem hoje?').fill('10000');
  await dialog.getByLabel('No dia').fill('2026-03-02');
  await dialog.getByLabel('Saldo neste dia').waitFor();
  await eventually(async () => assert.equal(await dialog.getByLabel('Já rendeu até').inputValue(), '2026-03-02'));
  await dialog.getByLabel('% do CDI').fill('nada');
  await dialog.getByRole('button', { name: 'Adicionar conta' }).click();
  await dialog.getByText('Um número acima de 0, até 1000.').waitFor();
  await eventually(async () => assert.equal(await focused(page), 'cdi_percentage'));
  await inspect(page, 'account-form-wrong');
  expect(422);
  await dialog.getByLabel('% do CDI').fill('5000');
  await dialog.getByLabel('Já rendeu até').fill('2026-03-11');
  await page.keyboard.press('Enter');
  await dialog.getByText('Não pode ser depois de hoje.').waitFor();
  await dialog.getByText('Um número acima de 0, até 1000.').waitFor();
  await dialog.getByLabel('% do CDI').fill('110,5');
  await dialog.getByLabel('Já rendeu até').fill('2026-03-08');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const cdb = await eventually(async () => {
    const found = (await api.get('/api/accounts')).find(account => account.name === 'CDB');
    assert.deepEqual(
      [found?.yield_type, found?.cdi_percentage, found?.last_yield_date, found?.balance],
      ['cdi', 110.5, '2026-03-08', '10000.00'],
    );
    return found;
  });
  assert.equal((await api.get(`/api/transactions?account_id=${cdb.id}`))[0].date, '2026-03-02');

  // A card needs its days. If a name is taken, the form says so and keeps its input.
  await page.getByRole('button', { name: 'Nova conta' }).click();
  await dialog.getByLabel('Tipo').selectOption('credit');
  await dialog.getByRole('button', { name: 'Adicionar conta' }).click();
  await dialog.getByText('Escreva um nome').waitFor();
  await eventually(async () => assert.equal(await dialog.getByText('Um dia de 1 a 31.').count(), 2));
  await dialog.getByLabel('Nome').fill('itaú');
  await dialog.getByLabel('Dia em que a fatura fecha').fill('3');
  await dialog.getByLabel('Dia em que a fatura vence').fill('13');
  expect(409);
  await page.keyboard.press('Enter');
  await dialog.getByText('Já existe uma conta com este nome.').waitFor();
  await accessible(page, 'account name taken');
  await dialog.getByLabel('Nome').fill('Nubank');
  // The form is sent twice, and executed once.
  await dialog.getByRole('button', { name: 'Adicionar conta' }).dblclick();
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () =>
    assert.deepEqual((await api.get('/api/accounts')).map(account => account.name).sort(), ['CDB', 'Itaú', 'Nubank']),
  );

  // An account is edited with `j` to its row and `e`.
  await page.getByRole('link', { name: 'Nubank', exact: true }).waitFor();
  for (const name of ['Itaú', 'CDB', 'Nubank', 'Nubank']) {
    await page.keyboard.press('j');
    await eventually(async () => assert.equal(await focused(page), name));
  }
  await page.keyboard.press('k');
  await eventually(async () => assert.equal(await focused(page), 'CDB'));
  await page.keyboard.press('e');
  await dialog.getByText('O tipo não muda depois de criada.').waitFor();
  await eventually(async () => assert.equal(await dialog.getByLabel('Tipo').getAttribute('readonly'), ''));
  await dialog.getByText('Rendimento lançado até 08/03/2026').waitFor();
  await eventually(async () => assert.equal(await dialog.getByLabel('% do CDI').inputValue(), '110,5'));
  await dialog.getByLabel('Nome').fill('CDB Inter');
  await dialog.getByLabel('% do CDI').fill('112');
  await inspect(page, 'account-form');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Conta CDB Inter salva.').waitFor();
  await eventually(async () => {
    const found = await api.get(`/api/accounts/${cdb.id}`);
    assert.deepEqual([found.name, found.cdi_percentage, found.last_yield_date], ['CDB Inter', 112, '2026-03-08']);
  });
  // `n` opens the quick add, as on every screen. Enter opens a row.
  await page.getByRole('link', { name: 'CDB Inter', exact: true }).focus();
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'Novo lançamento' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await focused(page), 'CDB Inter'));
  await page.keyboard.press('Enter');
  await page.getByText('Investimento · Rende 112% do CDI · Rendimento lançado até 8 de mar.').waitFor();
  await keysBound(page);
  await page.keyboard.press('e');
  await dialog.getByRole('radio', { name: /De forma variável/ }).check();
  await page.keyboard.press('Enter');
  await page.getByText('Investimento · Rende de forma variável').waitFor();
  await page.getByRole('link', { name: 'Cartões', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Nubank' }).waitFor();
  await close();
});

test('a corrected amount is no longer said to be wrong while it is sent, and the balance of today says what it holds', async () => {
  const api = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/accounts');
  await page.getByRole('button', { name: 'Adicionar conta' }).click();
  const dialog = page.getByRole('dialog'),
    today = dialog.getByLabel('Quanto tem hoje?'),
    wrong = dialog.locator('[aria-invalid=true]');
  await dialog.getByText('lançamentos com a data de hoje não mudam este saldo').waitFor();
  await dialog.getByLabel('Nome').fill('Conta Itaú');
  await today.fill('1.234,5x');
  await page.keyboard.press('Enter');
  await wrong.waitFor();
  const sent = await hold(page, '**/api/accounts', { isHeld: request => request.method() === 'POST' });
  await today.fill('1.234,50');
  await page.keyboard.press('Enter');
  await sent.asked(1);
  await caughtUp(page);
  await isAbsent(wrong);
  await isAbsent(dialog.locator('.field-error'));
  sent.open();
  // The name has the word already.
  await page.locator('#toasts').getByText('Conta Itaú adicionada.', { exact: true }).waitFor();
  await close();
});

test('an account that is in use says what is in the way; another is deleted', async () => {
  const api = await profile();
  const { current, card } = await household(api);
  const { id } = await api.post('/api/accounts', { name: 'Carteira', kind: 'current', opening_balance: '50.00' });
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  expect(409);
  await go(`/accounts?id=${card.id}`);
  await page.getByRole('button', { name: 'Apagar' }).click();
  const dialog = page.getByRole('dialog', { name: 'Apagar Nubank?' });
  await dialog.getByText('O saldo inicial é apagado com ela.').waitFor();
  await dialog.getByRole('button', { name: 'Apagar' }).click();
  await dialog.getByRole('alert').getByText('Ainda há o que é desta conta').waitFor();
  await inspect(page, 'account-in-use');
  assert.equal(
    await dialog.getByRole('link', { name: 'Ver lançamentos' }).getAttribute('href'),
    `/transactions?month=all&account_id=${card.id}`,
  );
  await dialog.getByRole('link', { name: 'Faturas' }).click();
  await page.waitForURL(`${service.url}/cards?id=${card.id}`);
  await dialog.waitFor({ state: 'detached' });
  await go(`/accounts?id=${current.id}`);
  await page.getByRole('button', { name: 'Apagar' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancelar' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await caughtUp(page);
  assert.equal((await api.get('/api/accounts')).length, 4);
  await go(`/accounts?id=${id}`);
  await page.getByRole('button', { name: 'Apagar' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apagar' }).click();
  await page.getByText('Conta Carteira apagada.').waitFor();
  await page.waitForURL(`${service.url}/accounts`);
  await page.getByRole('link', { name: 'Carteira', exact: true }).waitFor({ state: 'detached' });
  assert.equal((await api.get('/api/accounts')).length, 3);
  // The page of a deleted account says so, and leads back.
  expect(404);
  await page.goto(`${service.url}/accounts?id=${id}`);
  await page.getByText('Esta conta não existe mais.').waitFor();
  await inspect(page, 'account-gone', { sizes: ['phone'] });
  await page.getByRole('main').getByRole('link', { name: 'Contas', exact: true }).click();
  await page.getByRole('region', { name: 'Patrimônio' }).waitFor();
  await close();
});

test('transfers are made, listed, taken back and deleted', async () => {
  const api = await profile();
  const { current, savings } = await household(api);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/accounts');
  const list = page.getByRole('region', { name: 'Transferências' });
  await list.getByText('Itaú → Reserva').waitFor();
  await list.getByText('6 de mar. · Reserva').waitFor();
  await list.getByRole('button', { name: 'Transferir' }).click();
  const dialog = page.getByRole('dialog', { name: 'Transferência' });
  await eventually(async () => assert.equal(await focused(page), 'amount'));
  await dialog.getByRole('button', { name: 'Transferir' }).click();
  await dialog.getByText('Escreva um valor acima de zero').waitFor();
  await inspect(page, 'transfer-form');
  expect(422);
  await dialog.getByLabel('Valor').fill('200+50,50');
  await dialog.getByText('= R$ 250,50').waitFor();
  await dialog.getByLabel('Chegou em').selectOption({ label: 'Itaú' });
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog.getByText('Escolha outra conta, diferente da primeira.').waitFor();
  await accessible(page, 'transfer refused');
  await dialog.getByLabel('Chegou em').selectOption({ label: 'Reserva' });
  await dialog.getByLabel('Descrição').fill('Férias');
  const made = () => api.get('/api/transactions?source=transfer&q=f%C3%A9rias');
  await withStoppedClock(page, async () => {
    await dialog.getByRole('button', { name: 'Transferir' }).dblclick();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('R$ 250,50 de Itaú para Reserva.').waitFor();
    await list.getByText('10 de mar. · Férias').waitFor();
    assert.deepEqual(
      (await made()).map(row => [row.account_id, row.type, row.amount]).sort(),
      [
        [current.id, 'expense', '250.50'],
        [savings.id, 'income', '250.50'],
      ].sort(),
    );
    await page.getByRole('region', { name: 'Patrimônio' }).getByText('R$ 30.720,55').waitFor();
    await page.getByRole('link', { name: 'Reserva', exact: true }).waitFor();
    await page.getByText('R$ 8.950,50').first().waitFor();
    await undo(page, 'de Itaú para Reserva.').click();
    await page.locator('#toasts').getByText('Desfeito.').waitFor();
  });
  await list.getByText('Férias').waitFor({ state: 'detached' });
  await eventually(async () => assert.equal((await made()).length, 0));

  // A refused change is undone, and the reason is shown.
  const remove = list.getByRole('button', { name: 'Apagar transferência de R$ 500,00, Itaú → Reserva' });
  await remove.click();
  const question = page.getByRole('dialog', { name: 'Apagar esta transferência?' });
  await question.getByRole('button', { name: 'Cancelar' }).click();
  await question.waitFor({ state: 'detached' });
  expect(503);
  await page.route(
    '**/api/transfers/*',
    route =>
      route.fulfill({
        status: 503,
        headers: { 'Content-Type': 'application/problem+json' },
        body: '{"code":"ErrUnavailable","status":503}',
      }),
    { times: 1 },
  );
  await remove.click();
  await question.getByRole('button', { name: 'Apagar' }).click();
  await isRefused(page, 'O Finance está ocupado');
  await remove.click();
  await question.getByRole('button', { name: 'Apagar' }).click();
  await list.getByText('Nenhuma feita aqui.').waitFor();
  await list.getByText('As reconhecidas em extratos estão nos lançamentos.').waitFor();
  await eventually(async () => assert.equal((await api.get('/api/transactions?source=transfer')).length, 0));
  await inspect(page, 'transfers-none', { sizes: ['phone'], schemes: ['light'] });

  // A transfer from the account that is shown. Its answer is lost and requested again, and the transfer is made once.
  await page.getByRole('link', { name: 'Reserva', exact: true }).click();
  await page.getByRole('button', { name: 'Transferir' }).click();
  await dialog.getByLabel('Valor').fill('100');
  await eventually(async () =>
    assert.deepEqual(
      await Promise.all(
        ['Saiu de', 'Chegou em'].map(name =>
          dialog.getByLabel(name).evaluate(select => select.selectedOptions[0].text),
        ),
      ),
      ['Reserva', 'Itaú'],
    ),
  );
  let tries = 0;
  expect('ERR_FAILED');
  await page.route('**/api/transfers', async route => {
    tries += 1;
    const response = await route.fetch();
    if (tries === 1) await route.abort();
    else await route.fulfill({ response });
  });
  await page.keyboard.press('Enter');
  await page.getByText('R$ 100,00 de Reserva para Itaú.').waitFor();
  await eventually(() => assert.equal(tries, 2));
  assert.equal((await api.get('/api/transactions?source=transfer')).length, 2);
  await page.getByText('março de 2026 R$ 8.100,00').waitFor();
  await close();
});

test('what is loading, away or failing says so, and goes on by itself', async () => {
  const api = await profile();
  const { current } = await household(api);
  const visitor = await visit(browser, service.url, { api });
  const { page, close, expect } = visitor;
  const ready = page.getByRole('region', { name: 'Patrimônio' });
  const options = { sizes: ['phone'] },
    calls = '**/api/accounts';
  await looksWhileLoading(page, 'accounts', { address: `${service.url}/accounts`, calls, ready, options });
  await looksWhileFailing(visitor, 'accounts', { path: '/accounts', calls, ready, options });
  const away = route => route.fulfill(refusal(503, 'ErrUnavailable', { 'Retry-After': '1' }));
  await page.route('**/balances*', away);
  await page.getByRole('link', { name: 'Itaú', exact: true }).click();
  await page.getByRole('region', { name: 'Saldo mês a mês' }).getByText('O Finance está ocupado').waitFor();
  await accessible(page, 'account without its line');
  await page.unroute('**/balances*');
  await page.getByRole('button', { name: 'Tentar de novo', exact: true }).click();
  await page.getByText('março de 2026 R$ 23.412,75').waitFor();

  // Without a connection, the data on the page stays, and a form keeps its input.
  expect('ERR_INTERNET_DISCONNECTED');
  await keysBound(page);
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Nome').waitFor();
  await page.context().setOffline(true);
  await dialog.getByLabel('Nome').fill('Itaú Personnalité');
  await page.keyboard.press('Enter');
  await dialog.getByText('Não foi possível falar com o Finance.').waitFor();
  await page.context().setOffline(false);
  await page.getByText('Sem conexão com o Finance').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await page.getByRole('heading', { level: 1, name: 'Itaú Personnalité' }).waitFor();
  assert.equal((await api.get(`/api/accounts/${current.id}`)).name, 'Itaú Personnalité');
  await page.context().setOffline(true);
  await page.getByRole('main').getByRole('link', { name: 'Contas', exact: true }).click();
  await page.getByText('Sem conexão com o Finance').waitFor();
  await page.getByRole('region', { name: 'Patrimônio' }).getByText('R$ 30.720,55').waitFor();
  await inspect(page, 'accounts-offline', { sizes: ['phone'] });
  await page.context().setOffline(false);
  await page.getByRole('region', { name: 'Transferências' }).getByText('Itaú Personnalité → Reserva').waitFor();
  await close();
});

test('in English everything is', async () => {
  const api = await profile();
  const { current } = await household(api);
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/accounts');
  await page.getByText('R$ 32,112.75 in accounts, less R$ 1,392.20 owed on cards.').waitFor();
  await page.getByText('Closes on day 3, due on day 13').waitFor();
  await inspect(page, 'accounts-english', { sizes: ['desktop'], schemes: ['light'] });
  await go(`/accounts?id=${current.id}`);
  await page.getByText('From R$ 2,300.00 at the end of September 2025 to R$ 23,412.75 today').waitFor();
  await keysBound(page);
  await page.keyboard.press('e');
  await page.getByText('The kind cannot change after creation.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Transfer' }).click();
  await page.getByRole('dialog', { name: 'Transfer' }).waitFor();
  await close();
});

test('on a phone the views are behind "Mais", and everything is done with a thumb', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, {
    api,
    ...PHONE,
  });
  await go('/');
  await page.getByRole('button', { name: 'Mais', exact: true }).tap();
  await page.getByRole('dialog').getByRole('link', { name: 'Contas' }).tap();
  await page.getByRole('heading', { level: 1, name: 'Contas' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Reserva', exact: true }).tap();
  await page.getByRole('heading', { level: 1, name: 'Reserva' }).waitFor();
  await page.getByRole('link', { name: /^janeiro de 2026/ }).waitFor();
  for (const name of ['Transferir', 'Editar', 'Apagar']) {
    const { height } = await page.getByRole('button', { name }).boundingBox();
    assert.ok(height >= 44, `${name}: ${height}`);
  }
  await page.getByRole('button', { name: 'Editar' }).tap();
  await page.getByRole('dialog').getByLabel('Nome').fill('Reserva de emergência');
  await page.getByRole('dialog').getByRole('button', { name: 'Salvar' }).tap();
  await page.getByRole('heading', { level: 1, name: 'Reserva de emergência' }).waitFor();
  await close();
});
