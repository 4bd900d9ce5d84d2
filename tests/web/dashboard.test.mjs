// The dashboard: what it shows, which actions it has, and every state of it.
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { household } from './household.mjs';
import { looksWhileFailing, looksWhileLoading } from './away.mjs';
import { suite } from './suite.mjs';
import {
  accessible,
  addAccount,
  addMember,
  client,
  eventually,
  inspect,
  isFirefox,
  loseFirstAnswer,
  PHONE,
  serve,
  settled,
  undo,
  visit,
} from './support.mjs';
import { bellShown, caughtUp, isAbsent, keysBound, meanwhile, withStoppedClock } from './waits.mjs';

const FROZEN = '2026-03-10';
const { service, browser, user } = await suite({ today: FROZEN });
const early = await serve({ today: '2026-03-03' });
after(() => early.stop());

/** A separate profile for a test. */
const profile = (where = service) => user({ where });

test('the month at a glance', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/');
  const hero = page.getByRole('region', { name: 'Março até agora: sobram R$ 3.864.' });
  // Income is 6850.00. Expenses are 412.35, 286.20 and others. The transfer is neither.
  await hero
    .getByText('Gastos 2.986 de 1.700 planejados, faltam 21 dias; no dia 10 de fevereiro eram 2.442.')
    .waitFor();
  await page.getByRole('region', { name: 'Números do mês' }).getByText('56,4%').waitFor();
  await page.getByText('Você guardou 56,4% em março, 16 pontos acima da meta').waitFor();
  await page.getByText('120% do orçamento de R$ 200,00').waitFor();
  await page.getByText('Esta fatura vence em 3 dias · 13 de mar.').waitFor();
  await page.getByText('Itaú → Reserva').waitFor();
  await eventually(async () => assert.equal((await page.getByText('Entrada a confirmar').count()) > 0, true));
  await inspect(page, 'dashboard', { sizes: ['phone', 'tablet', 'desktop'] });
  // The table has the figures of the chart.
  await page.getByText('Ver em tabela').first().click();
  await eventually(async () => assert.equal(await page.getByRole('row').count(), 7));
  // A bar leads to its month.
  await page
    .getByRole('link', { name: /^fevereiro de 2026/ })
    .first()
    .click();
  await page.waitForURL(/month=2026-02/);
  await page.getByRole('heading', { name: 'Resultado de fevereiro' }).waitFor();
  await page.goBack();
  await page.getByText('Março até agora').waitFor();
  await close();
});

test('amounts can be hidden, and stay so', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/');
  await keysBound(page);
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
  await page.getByRole('heading', { name: 'Março até agora: sobram R$ ••••.' }).waitFor();
  // Those in the fields of the budgets are hidden, too.
  await go('/budgets');
  const field = page.getByRole('textbox', { name: 'Orçado, Mercado', exact: true });
  await eventually(async () =>
    assert.ok([await field.inputValue(), await field.getAttribute('placeholder')].includes('••••')),
  );
  // Passing by with Enter changes nothing, and what is typed takes the place of the dots.
  await field.focus();
  await page.keyboard.press('Enter');
  await field.focus();
  await page.keyboard.type('815');
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal(await field.inputValue(), '••••'));
  const stored = (await api.get('/api/budgets/2026-03')).categories.find(line => line.name === 'Mercado');
  assert.equal(stored.own, '815.00');
  await field.focus();
  await page.keyboard.press('Enter');
  await settled(page);
  assert.equal((await api.get('/api/budgets/2026-03')).categories.find(line => line.name === 'Mercado').own, '815.00');
  await go('/');
  await inspect(page, 'dashboard-hidden', { sizes: ['desktop'], schemes: ['light'] });
  await go('/');
  await page.getByRole('button', { name: 'Mostrar valores' }).click();
  await page.getByRole('heading', { name: 'Março até agora: sobram R$ 3.864.' }).waitFor();
  await close();
});

test('where the money went is told after refunds', async () => {
  const api = await profile();
  const { categories } = await household(api);
  for (const [type, amount] of [
    ['expense', '3000.00'],
    ['income', '2900.00'],
  ])
    await api.post('/api/transactions', {
      date: '2026-03-08',
      type,
      description: 'Notebook',
      amount,
      category_id: categories.Compras,
    });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/');
  const spending = page.getByRole('region', { name: 'Para onde foi' });
  await spending.getByText('Moradia levou 58% do que saiu', { exact: true }).waitFor();
  const names = await spending.locator('.budget-name').allTextContents();
  assert.deepEqual(names.slice(0, 6), ['Moradia', 'Mercado', 'Restaurantes', 'Assinaturas', 'Compras', 'Saúde']);
  await close();
});

test('recurring items are confirmed, marked and taken back', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/');
  const waiting = page.getByRole('region', { name: 'Esperando por você' });
  await waiting.getByRole('button', { name: 'Ignorar Escola' }).click();
  await undo(page, 'Ignoramos Escola neste mês.').waitFor();
  await waiting.getByRole('button', { name: 'Ignorar Escola' }).waitFor({ state: 'detached' });
  await waiting.getByText('Ignorados neste mês').click();
  await accessible(page, 'ignored');
  // It stays as it is when something else is written.
  await page.getByRole('button', { name: 'Novo lançamento' }).first().click();
  const quick = page.getByRole('dialog', { name: 'Novo lançamento' });
  await quick.getByLabel('Escreva numa linha só').fill('pão 5');
  await quick.getByRole('button', { name: 'Salvar', exact: true }).click();
  await quick.waitFor({ state: 'detached' });
  await settled(page);
  await waiting.getByRole('button', { name: 'Desfazer Escola' }).click();
  await waiting.getByRole('button', { name: 'Ignorar Escola' }).waitFor();
  await waiting.getByRole('button', { name: 'Marcar como atrasado Condomínio', exact: true }).click();
  await waiting.getByRole('button', { name: 'Não atrasado Condomínio' }).click();
  await waiting.getByRole('button', { name: 'Marcar como atrasado Condomínio', exact: true }).click();
  await waiting.getByRole('button', { name: 'Não atrasado Condomínio' }).waitFor();
  await eventually(async () =>
    assert.deepEqual(
      (await api.get('/api/recurring?month=2026-03')).map(item => [item.description, item.status]).sort(),
      [
        ['Aluguel', 'covered'],
        ['Condomínio', 'late'],
        ['Escola', 'pending'],
        ['Pensão', 'pending'],
      ],
    ),
  );
  // A refused change is undone, and the reason is shown.
  const { id } = (await api.get('/api/recurring?month=2026-03')).find(item => item.description === 'Condomínio');
  await meanwhile(page, /\/api\/recurring\/\d+\//, () => api.post(`/api/recurring/${id}/ignore?month=2026-03`));
  expect(409);
  await waiting.getByRole('button', { name: 'Não atrasado Condomínio' }).click();
  await page.getByText('Este item não está mais atrasado.').waitFor();
  await waiting.getByRole('button', { name: 'Não atrasado Condomínio' }).waitFor({ state: 'detached' });
  await waiting.getByRole('button', { name: 'Confirmar Pensão' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirmar recebimento' });
  await inspect(page, 'income-dialog', { sizes: ['phone'], schemes: ['light'] });
  await dialog.getByLabel('Valor').fill('abc');
  await dialog.getByRole('button', { name: 'Confirmar' }).click();
  await dialog.getByText('Escreva um valor acima de zero').waitFor();
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'amount'),
  );
  await accessible(page, 'income wrong');
  await dialog.getByLabel('Valor').fill('800+120,50');
  await dialog.getByText('= R$ 920,50').waitFor();
  await dialog.getByRole('button', { name: 'Confirmar' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Entrada a confirmar').first().waitFor({ state: 'detached' });
  await eventually(async () => {
    const [made] = await api.get('/api/transactions?month=2026-03&q=Pens%C3%A3o');
    assert.deepEqual([made?.amount, made?.date, made?.source], ['920.50', FROZEN, 'manual']);
  });
  await close();
});

test('a bill is paid from an account, and taken back', async () => {
  const api = await profile();
  const { current } = await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/');
  await page.getByRole('button', { name: 'Pagar Nubank' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Pagar fatura do Nubank' });
  await dialog.waitFor();
  await inspect(page, 'pay-dialog', { schemes: ['light', 'dark'] });
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () =>
    assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /Pagar/),
  );
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Pagar com').selectOption({ label: 'Itaú' });
  const paid = async () => (await api.get('/api/credit-bills')).filter(bill => bill.status === 'paid').length;
  await withStoppedClock(page, async () => {
    await dialog.getByRole('button', { name: 'Pagar R$ 780,10' }).click();
    await page.getByText('Fatura Nubank paga.').waitFor();
    await eventually(async () => assert.equal(await paid(), 1));
    await eventually(async () =>
      assert.equal(
        (await api.get(`/api/transactions?account_id=${current.id}&month=2026-03`)).some(
          row => row.transfer_id && row.amount === '780.10',
        ),
        true,
      ),
    );
    await undo(page, 'Fatura Nubank paga.').click();
    await page.locator('#toasts').getByText('Desfeito.').waitFor();
  });
  await eventually(async () => assert.equal(await paid(), 0));
  // Without an account, the bill is only marked as paid.
  await page.getByText('Esta fatura vence em 3 dias').waitFor();
  await page.getByRole('button', { name: 'Pagar Nubank' }).first().click();
  await dialog.getByLabel('Pagar com').selectOption({ label: 'Só anotar que foi paga' });
  await dialog.getByRole('button', { name: 'Pagar R$ 780,10' }).click();
  await page.getByText('Fatura Nubank paga.').waitFor();
  await eventually(async () => assert.equal(await paid(), 1));
  await close();
});

test('a held statement is looked at, confirmed or discarded', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/');
  await page.getByText('Fatura importada, fica guardada até 13 de abr. · 3 linhas').waitFor();
  await page.getByRole('button', { name: 'Ver Nubank' }).click();
  await page.getByRole('cell', { name: 'Cinema' }).waitFor();
  await inspect(page, 'held-dialog', { schemes: ['light'] });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Descartar Nubank' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancelar' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await caughtUp(page);
  assert.equal((await api.get('/api/pending-bills')).length, 1);
  // If the change is refused, the row is shown again, and the reason too.
  expect(503);
  await page.route('**/api/pending-bills/*', route =>
    route.fulfill({
      status: 503,
      headers: { 'Retry-After': '1' },
      contentType: 'application/problem+json',
      body: '{"code":"ErrUnavailable","status":503}',
    }),
  );
  await page.getByRole('button', { name: 'Descartar Nubank' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Descartar' }).click();
  await page.getByText('O Finance está ocupado').waitFor();
  await page.getByText('Fatura importada, fica guardada até 13 de abr. · 3 linhas').waitFor();
  await page.unroute('**/api/pending-bills/*');
  // The row that has the focus disappears. The focus moves to a near element.
  await page.getByRole('button', { name: 'Confirmar Nubank' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('3 lançamentos incluídos.').waitFor();
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Esperando por você'),
  );
  await eventually(async () => assert.equal((await api.get('/api/pending-bills')).length, 0));
  await page.getByText(/Fatura importada/).waitFor({ state: 'detached' });
  await close();
});

test('what waits is settled by the due that is shown, also one of a month before', async () => {
  const api = await profile();
  await household(api);
  const category_id = await api.category('Moradia');
  const item = (description, more) =>
    api.post('/api/recurring', { type: 'expense', description, amount: '150.00', category_id, ...more });
  const boleto = await item('Boleto', { count: 1, start_on: '2026-02-20' });
  const weekly = await item('Faxina', { every: { n: 1, unit: 'week' }, start_on: '2026-03-06' });
  await api.post(`/api/recurring/${weekly.id}/late?due=2026-03-20`);
  const states = async (id, month) =>
    (await api.get(`/api/recurring/${id}?month=${month}`)).occurrences.map(({ due, status }) => [due, status]);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/');
  const waiting = page.getByRole('region', { name: 'Esperando por você' });
  await waiting.getByText('era esperado em 20 de fev.').waitFor();
  await waiting.getByRole('button', { name: 'Marcar como atrasado Boleto' }).click();
  await waiting.getByRole('button', { name: 'Não atrasado Boleto' }).click();
  await waiting.getByRole('button', { name: 'Marcar como atrasado Boleto' }).waitFor();
  await waiting.getByRole('button', { name: 'Ignorar Boleto' }).click();
  await undo(page, 'Ignoramos Boleto neste mês.').waitFor();
  assert.deepEqual(await states(boleto.id, '2026-02'), [['2026-02-20', 'ignored']]);
  await waiting.getByRole('button', { name: 'Ignorar Faxina' }).click();
  await page.getByText('Ignoramos Faxina de 20 de mar.').waitFor();
  await eventually(async () => assert.deepEqual((await states(weekly.id, '2026-03'))[2], ['2026-03-20', 'ignored']));
  await close();
});

test('on the first days an expected income is confirmed in place', async () => {
  const api = await profile(early);
  const categories = await api.get('/api/categories');
  const account = await addAccount(api, 'Itaú', 'current', '100.00', '2026-02-01');
  const category_id = categories.find(category => category.name === 'Salário').id;
  await api.post('/api/recurring', {
    type: 'income',
    description: 'Salário',
    amount: '6500.00',
    category_id,
    day: 5,
    account_id: account.id,
  });
  const { page, go, close } = await visit(browser, early.url, { api });
  await go('/');
  const widget = page.getByRole('region', { name: 'Seu salário já caiu?' });
  await widget.getByLabel('Valor').waitFor();
  await inspect(page, 'salary');
  // A member who only reads sees it among what waits.
  await addMember(early.url, api, 'viewer', 'leitora');
  const reads = await visit(browser, early.url, { api: await client(early.url, 'leitora') });
  await reads.go('/');
  const waits = reads.page.getByRole('region', { name: 'Esperando por você' });
  await waits.getByText('Salário', { exact: true }).waitFor();
  await reads.close();
  // Hidden amounts are hidden in its field too.
  await keysBound(page);
  await page.keyboard.press('h');
  await eventually(async () => assert.equal(await widget.getByLabel('Valor').inputValue(), '••••'));
  await widget.getByRole('button', { name: 'Confirmar' }).click();
  await widget.waitFor({ state: 'detached' });
  await eventually(async () => {
    const [made] = await api.get('/api/transactions?month=2026-03&type=income');
    assert.deepEqual([made?.amount, made?.date, made?.account_id], ['6500.00', '2026-03-03', account.id]);
  });
  await close();
});

test('before the first steps another month, and the page of a member who only reads, are not blank', async () => {
  const api = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/?month=2026-02');
  await page.getByRole('heading', { name: 'Resultado de fevereiro' }).waitFor();
  await accessible(page, 'another month of a new profile');
  await close();
  await addMember(service.url, api, 'viewer', 'leitora-nova');
  const reads = await visit(browser, service.url, { api: await client(service.url, 'leitora-nova') });
  await reads.go('/');
  await reads.page.getByRole('heading', { name: 'Esperando por você' }).waitFor();
  await accessible(reads.page, 'a new profile of others');
  await reads.close();
});

test('a new profile begins with four steps, each a button, gone once done', async () => {
  const api = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/');
  await page.getByRole('heading', { name: 'Quatro passos para começar' }).waitFor();
  await inspect(page, 'first-steps', { sizes: ['phone', 'tablet', 'desktop'] });
  await page.getByRole('button', { name: 'Adicionar conta' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Adicionar conta' }).click();
  await dialog.getByText('Escreva um nome').waitFor();
  await inspect(page, 'account-dialog', { schemes: ['light'] });
  await dialog.getByLabel('Nome').fill('Itaú');
  await dialog.getByLabel('Quanto tem hoje?').fill('1.250,00');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Feito').waitFor();
  await eventually(async () => assert.equal((await api.get('/api/accounts'))[0].balance, '1250.00'));
  await page.getByRole('button', { name: 'Definir meta' }).click();
  const goal = dialog.getByLabel('Quanto da renda guardar, em %');
  await eventually(async () => assert.equal(await goal.inputValue(), '40'));
  await goal.fill('muito');
  await dialog.getByRole('button', { name: 'Definir meta' }).click();
  await dialog.getByText('Um número de 0 a 100.').waitFor();
  await goal.fill('40');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  // The goal that it begins with is one too.
  await eventually(async () => assert.equal(await page.getByText(/^Feito/).count(), 2));
  await page.getByRole('button', { name: 'Definir orçamento' }).click();
  await dialog.getByLabel('Categoria').selectOption({ label: 'Mercado' });
  await dialog.getByLabel('Quanto por mês').fill('800');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () =>
    assert.equal(
      (await api.get('/api/categories')).find(category => category.name === 'Mercado').monthly_budget,
      '800.00',
    ),
  );
  await eventually(async () =>
    assert.equal(await page.getByRole('link', { name: 'Importar extrato' }).getAttribute('href'), '/imports'),
  );
  await api.post('/api/transactions', { date: FROZEN, type: 'expense', description: 'Padaria', amount: '12.00' });
  await go('/');
  await page.getByText('Padaria').first().waitFor();
  await isAbsent(page.getByRole('heading', { name: 'Quatro passos para começar' }));
  await close();
});

test('on a phone the sentence and what waits fit without scrolling', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, {
    api,
    ...PHONE,
  });
  await go('/');
  const waiting = page.getByRole('region', { name: 'Esperando por você' });
  const more = waiting.getByRole('button', { name: 'Mostrar mais 3' });
  await waiting.getByRole('button', { name: 'Descartar' }).waitFor();
  await page.getByText('Depois disso vencem').waitFor();
  await eventually(async () => {
    const box = await more.boundingBox(),
      bar = await page.locator('.bottom').boundingBox();
    assert.ok(box && bar && box.y + box.height <= bar.y, `${box?.y} above ${bar?.y}`);
  });
  // Links that are pressed often are as high as a finger needs, and the month is not cut.
  for (const target of [
    waiting.getByRole('link', { name: 'Fatura Nubank' }),
    page.getByRole('button', { name: 'Por quê?' }),
  ])
    assert.ok(isFirefox || ((await target.first().boundingBox())?.height ?? 0) >= 43.5);
  assert.equal(await page.getByLabel('Mês', { exact: true }).locator('option:checked').innerText(), 'mar. 2026');
  assert.ok(
    await page.getByLabel('Mês', { exact: true }).evaluate(element => element.scrollWidth <= element.clientWidth + 1),
  );
  await more.tap();
  await waiting.locator('.waiting-title', { hasText: 'Condomínio' }).waitFor();
  await eventually(async () =>
    assert.ok(await page.evaluate(() => Boolean(document.activeElement?.closest('.waiting-row')))),
  );
  await inspect(page, 'dashboard-waiting', { sizes: ['phone'] });
  await close();
});

test('a salary that has not come is named, and is among the first two that wait on a phone', async () => {
  const api = await profile();
  const { current, categories } = await household(api);
  await api.post('/api/recurring', {
    type: 'income',
    description: 'Bônus',
    amount: '5000.00',
    category_id: categories.Salário,
    day: 9,
    account_id: current.id,
  });
  const { page, go, close } = await visit(browser, service.url, {
    api,
    ...PHONE,
  });
  await go('/');
  await page.locator('.bottom').getByRole('img', { name: 'Salário pendente' }).waitFor();
  await page.locator('.bottom').getByRole('link', { name: 'Painel Salário pendente' }).waitFor();
  const rows = page.getByRole('region', { name: 'Esperando por você' }).locator('.waiting-row:visible');
  await eventually(async () => assert.equal(await rows.count(), 2));
  await rows.nth(0).getByText('Pensão').first().waitFor();
  await rows.nth(1).getByText('Bônus').first().waitFor();
  await inspect(page, 'dashboard-salary-pending', { sizes: ['phone'] });
  await close();
});

test('another month shows only what is of that month, and adds up', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  const worthOf = async month => (await api.get(`/api/dashboard?month=${month}`)).net_worth;
  const amountText = worth => `R$\u00a0${Number(worth).toLocaleString('pt-BR', { minimumFractionDigits: 2 })}`;
  const accounts = page.getByRole('region', { name: 'Contas', exact: true });
  await go('/?month=2026-02');
  const past = amountText(await worthOf('2026-02'));
  assert.notEqual(past, amountText(await worthOf('2026-03')));
  await accounts.getByText('Patrimônio no fim de fevereiro de 2026').waitFor();
  // The tile, the card and the end of the chart.
  await page.getByRole('link', { name: `fevereiro de 2026: ${past}` }).waitFor();
  await page.getByRole('region', { name: 'Números do mês' }).getByText(past).waitFor();
  assert.equal(await accounts.locator('.money').innerText(), past);
  await inspect(page, 'dashboard-past', { schemes: ['light'] });
  await go('/?month=2026-04');
  await page.getByRole('heading', { name: 'Resultado previsto de abril' }).waitFor();
  await accounts.getByText('Patrimônio previsto para o fim de abril de 2026').waitFor();
  const coming = amountText(await worthOf('2026-04'));
  await page.getByRole('region', { name: 'Números do mês' }).getByText(coming).waitFor();
  assert.equal(await accounts.locator('.money').innerText(), coming);
  const text = await page.locator('main').innerText();
  assert.doesNotMatch(text, /não entrou|Nenhuma saída neste mês|Entrou|Saiu|Para onde foi/);
  await inspect(page, 'dashboard-coming', { schemes: ['light'] });
  await accounts.getByRole('link', { name: 'Ver os saldos de hoje' }).click();
  await page.waitForURL(/\/accounts/);
  await close();
});

test('what is loading, away or failing says so, and goes on by itself', async () => {
  const api = await profile();
  await household(api);
  const visitor = await visit(browser, service.url, { api });
  const { page, close, expect } = visitor;
  const ready = page.getByText('Março até agora'),
    calls = '**/api/dashboard*';
  await looksWhileLoading(page, 'dashboard', { address: service.url, calls, ready });
  await looksWhileFailing(visitor, 'dashboard', { path: '/', calls, ready });

  // This chart is requested after the rest is painted.
  await page.getByRole('link', { name: /^março de 2026: R\$/ }).waitFor();

  // Without a connection, the data on the page stays, and the page recovers by itself.
  expect('ERR_INTERNET_DISCONNECTED');
  await page.context().setOffline(true);
  await page.getByRole('link', { name: /Mês anterior/ }).click();
  await page.getByText('Sem conexão com o Finance').waitFor();
  await page.getByText('Março até agora').waitFor();
  await inspect(page, 'dashboard-offline');
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Resultado de fevereiro' }).waitFor();
  await page.getByText('Sem conexão com o Finance').waitFor({ state: 'detached' });
  await close();
});

test('a page that comes back to the front shows what was written meanwhile, and is not sent what it has', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/');
  await page.getByRole('heading', { name: 'Março até agora: sobram R$ 3.864.' }).waitFor();
  // The bell stores the notices of the day, which is a write.
  await bellShown(page);
  /** The status of each answer for the dashboard. */
  const answers = /** @type {number[]} */ ([]);
  page.on('response', response => void (response.url().includes('/api/dashboard') && answers.push(response.status())));
  const comeBack = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  // The first answer may be older than an award that its request has earned.
  for (const count of [1, 2]) {
    await comeBack();
    await eventually(() => assert.equal(answers.length, count));
    await settled(page);
  }
  assert.equal(answers.at(-1), 304);
  await page.getByRole('heading', { name: 'Março até agora: sobram R$ 3.864.' }).waitFor();
  await api.post('/api/transactions', { type: 'expense', date: FROZEN, description: 'Presente', amount: '63.55' });
  await comeBack();
  await page.getByRole('heading', { name: 'Março até agora: sobram R$ 3.800.' }).waitFor();
  assert.deepEqual(answers.slice(2), [200]);
  await close();
});

test('a description is text, whatever it holds', async () => {
  const api = await profile();
  await api.post('/api/transactions', {
    date: FROZEN,
    type: 'expense',
    description: '<img src=x onerror="document.title=1">',
    amount: '1.00',
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/');
  await page.getByText('<img src=x onerror="document.title=1">').waitFor();
  await close();
});

test('in English everything is', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/');
  await page.getByText('This bill is due in 3 days').waitFor();
  await page.getByText('You saved 56.4% in March, 16 points above the goal').waitFor();
  await eventually(async () => assert.equal(await page.evaluate(() => document.documentElement.lang), 'en'));
  await inspect(page, 'dashboard-english', { sizes: ['desktop'], schemes: ['light'] });
  await close();
});

test('an answer that is lost and asked for again is done once', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/');
  expect('ERR_FAILED');
  const lost = await loseFirstAnswer(page, service, /^\/api\/recurring\/\d+\/confirm/);
  await page.getByRole('button', { name: 'Confirmar Pensão' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Confirmar' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await eventually(() => assert.equal(lost.asked, 2));
  await eventually(async () =>
    assert.equal((await api.get('/api/transactions?month=2026-03&q=Pens%C3%A3o')).length, 1),
  );
  await close();
});
