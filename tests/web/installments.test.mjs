// Purchases by instalments: how they are entered, listed and deleted; the limit of a card, and its future bills.
import assert from 'node:assert/strict';
import test from 'node:test';
import { cardCsv } from './statements.mjs';
import { suite } from './suite.mjs';
import { accessible, addAccount, eventually, inspect, undo, visit } from './support.mjs';
import { caughtUp, isAbsent, keysBound, withStoppedClock } from './waits.mjs';

const { service, browser, user } = await suite({ today: '2026-03-10' });

/** A current account and a card with a limit of 5000.00, whose open bill closes on 24 March and is due on 5 April. */
const profile = async () => {
  const api = await user();
  const current = await addAccount(api, 'Itaú', 'current', '2000.00', '2026-03-01');
  const card = await api.post('/api/accounts', {
    name: 'Nubank',
    kind: 'credit',
    closing_day: 25,
    due_day: 5,
    credit_limit: '5000.00',
  });
  const buy = (date, description, amount) =>
    api.post('/api/transactions', { date, type: 'expense', description, amount, account_id: card.id });
  return { api, current, card, buy, here: `/cards?id=${card.id}`, plans: () => api.get('/api/installments') };
};

const money = text => text.replaceAll('R$ ', 'R$\u00a0');
const quick = page => page.getByRole('dialog', { name: 'Novo lançamento' });
const limit = page => page.getByRole('region', { name: 'Limite' });
const ahead = page => page.getByRole('region', { name: 'Próximas faturas' });
const bought = page => page.getByRole('region', { name: 'Compras parceladas' });

test('a purchase by instalments is entered by keyboard, and taken back', async () => {
  const { api, card, plans } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/transactions');
  await keysBound(page);
  await page.keyboard.press('n');
  await quick(page).getByLabel('Valor', { exact: true }).fill('100');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Geladeira');
  // Only a card has instalments.
  await quick(page).getByLabel('Conta', { exact: true }).selectOption({ label: 'Nubank' });
  await quick(page).getByLabel('Compra parcelada').waitFor();
  await quick(page).getByLabel('Conta', { exact: true }).selectOption({ label: 'Itaú' });
  await quick(page).getByLabel('Compra parcelada').waitFor({ state: 'detached' });
  await quick(page).getByLabel('Conta', { exact: true }).selectOption({ label: 'Nubank' });
  await quick(page).getByLabel('Compra parcelada').waitFor();
  await quick(page).getByRole('radio', { name: 'Entrada' }).check();
  await quick(page).getByLabel('Compra parcelada').waitFor({ state: 'detached' });
  await quick(page).getByRole('radio', { name: 'Saída' }).check();
  await quick(page).getByLabel('Compra parcelada').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  // An error is shown at its field before anything is sent.
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await quick(page).getByText('Precisa estar entre 2 e 99.').waitFor();
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'count'),
  );
  await inspect(page, 'instalments-wrong', { sizes: ['phone'] });
  assert.equal((await plans()).length, 0);
  await quick(page).getByLabel('Em quantas vezes').fill('3');
  await quick(page).getByText(money('R$ 33,34 na primeira, depois 2 × R$ 33,33, R$ 100,00 ao todo')).waitFor();
  await quick(page).getByLabel('O valor acima é').selectOption({ label: 'o de cada parcela' });
  await quick(page).getByText(money('3 × R$ 100,00, R$ 300,00 ao todo')).waitFor();
  await inspect(page, 'instalments-new', { sizes: ['phone', 'tablet', 'desktop'] });
  await quick(page).getByLabel('O valor acima é').selectOption({ label: 'o total da compra' });
  const rows = async () =>
    (await api.get(`/api/transactions?account_id=${card.id}`))
      .map(row => [row.date, row.description, row.amount])
      .sort();
  // Its name once, and which instalment it is.
  const row = page.getByRole('row').filter({ hasText: 'Geladeira' });
  await withStoppedClock(page, async () => {
    await page.keyboard.press('Shift+Enter');
    await quick(page).waitFor({ state: 'detached' });
    await page.locator('#toasts').getByText(money('Salvo: Geladeira, 3 × R$ 33,33, hoje')).waitFor();
    // The stored rows are as shown: the first instalment has the remaining cents.
    assert.deepEqual(await rows(), [
      ['2026-03-10', 'Geladeira - Parcela 1/3', '33.34'],
      ['2026-04-10', 'Geladeira - Parcela 2/3', '33.33'],
      ['2026-05-10', 'Geladeira - Parcela 3/3', '33.33'],
    ]);
    await row.getByText('1/3', { exact: true }).waitFor();
    await undo(page, 'Geladeira').click();
    await page.locator('#toasts').getByText('Desfeito.').waitFor();
  });
  await row.waitFor({ state: 'detached' });
  assert.deepEqual(await rows(), []);
  // The next one is not by instalments.
  await page.keyboard.press('n');
  await quick(page).getByLabel('Compra parcelada').waitFor();
  assert.equal(await quick(page).getByLabel('Compra parcelada').isChecked(), false);
  await close();
});

test('what is lost on the way is entered once, and what is refused keeps what was typed', async () => {
  const { api, plans } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/');
  await keysBound(page);
  await page.keyboard.press('n');
  const fill = async (amount, count) => {
    await quick(page).getByLabel('Descrição').fill('Sofá');
    await quick(page).getByLabel('Valor', { exact: true }).fill(amount);
    await quick(page).getByLabel('Conta', { exact: true }).selectOption({ label: 'Nubank' });
    await quick(page).getByLabel('Compra parcelada').check();
    await quick(page).getByLabel('Em quantas vezes').fill(count);
  };
  // Each instalment would be less than a cent.
  expect(422);
  await fill('0,05', '10');
  await quick(page).getByRole('button', { name: 'Salvar', exact: true }).click();
  await quick(page).locator('.field-error').waitFor();
  await eventually(async () =>
    assert.deepEqual(
      [
        await quick(page).getByLabel('Valor', { exact: true }).inputValue(),
        await quick(page).getByLabel('Em quantas vezes').inputValue(),
      ],
      ['0,05', '10'],
    ),
  );
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'amount'),
  );
  await accessible(page, 'instalments refused');
  let tries = 0;
  expect('ERR_FAILED');
  await page.route('**/api/installments', async route => {
    tries += 1;
    const response = await route.fetch();
    if (tries === 1) await route.abort();
    else await route.fulfill({ response });
  });
  await fill('1200', '12');
  await quick(page).getByRole('button', { name: 'Salvar e lançar outro' }).click();
  await page.locator('#toasts').getByText(money('Salvo: Sofá, 12 × R$ 100,00, hoje')).waitFor();
  await eventually(() => assert.equal(tries, 2));
  assert.deepEqual(
    (await plans()).map(plan => [plan.description, plan.count, plan.amount]),
    [['Sofá', 12, '100.00']],
  );
  // The form stays open for the next purchase, and is empty.
  await eventually(async () => assert.equal(await quick(page).getByLabel('Descrição').inputValue(), ''));
  await eventually(async () => assert.equal(await quick(page).getByLabel('Compra parcelada').isChecked(), false));
  await close();
});

test('a note or parts of a purchase by instalments are refused, not lost', async () => {
  const { api, plans } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/');
  await keysBound(page);
  await page.keyboard.press('n');
  await quick(page).getByLabel('Descrição').fill('Cama');
  await quick(page).getByLabel('Valor', { exact: true }).fill('300');
  await quick(page).getByLabel('Conta', { exact: true }).selectOption({ label: 'Nubank' });
  await quick(page).getByText('Dividir, tags e nota').click();
  const note = quick(page).getByLabel('Nota');
  await note.fill('garantia de um ano');
  await quick(page).getByLabel('Compra parcelada').check();
  await quick(page).getByLabel('Em quantas vezes').fill('3');
  await quick(page).getByRole('button', { name: 'Salvar', exact: true }).click();
  await quick(page).getByText('Uma compra parcelada não tem nota nem partes.').waitFor();
  assert.equal(await note.inputValue(), 'garantia de um ano');
  assert.deepEqual(await plans(), []);
  await note.fill('');
  await quick(page).getByRole('button', { name: 'Salvar', exact: true }).click();
  await quick(page).waitFor({ state: 'detached' });
  await eventually(async () =>
    assert.deepEqual(
      (await plans()).map(({ count }) => count),
      [3],
    ),
  );
  await close();
});

test('a card has its limit, its bills ahead and its plans', async () => {
  const { api, card, buy, here } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go(here);
  await limit(page).getByText(money('R$ 5.000,00'), { exact: true }).waitFor();
  await ahead(page).getByText('Nada comprometido depois da fatura aberta.').waitFor();
  await bought(page).getByText('São reconhecidas pelo texto da fatura').waitFor();
  await inspect(page, 'card-nothing-ahead', { sizes: ['phone'], schemes: ['light'] });

  await buy('2026-03-02', 'Loja - Parcela 1/12', '100.00');
  await buy('2026-03-03', 'Supermercado', '300.00');
  await api.post('/api/recurring', {
    type: 'expense',
    description: 'Streaming',
    amount: '40.00',
    day: 12,
    account_id: card.id,
    category_id: await api.category('Assinaturas'),
  });
  await go(here);
  await limit(page).getByText(money('R$ 3.500,00')).waitFor();
  await limit(page).getByText(money('R$ 400,00 usados')).waitFor();
  await limit(page).getByText(money('R$ 1.100,00 em parcelas a vir')).waitFor();
  await eventually(async () =>
    assert.equal(
      await limit(page).getByRole('meter').getAttribute('aria-label'),
      money('Limite: R$ 3.500,00 livres de R$ 5.000,00'),
    ),
  );
  await ahead(page)
    .getByText(money('R$ 1.540,00 já comprometidos depois da fatura aberta, até março de 2027'))
    .waitFor();
  const bars = async () =>
    (await ahead(page).getByRole('listitem').allInnerTexts()).map(text =>
      text.split('\n').flatMap(line => line.trim() || []),
    );
  await eventually(async () =>
    assert.deepEqual((await bars()).slice(0, 2), [
      [
        'abril de 2026, vence 5 de abr.',
        money('R$ 440,00'),
        money('R$ 400,00 lançado'),
        money('R$ 40,00 recorrentes a vir'),
      ],
      [
        'maio de 2026, vence 5 de mai.',
        money('R$ 140,00'),
        money('R$ 100,00 parcelas a vir'),
        money('R$ 40,00 recorrentes a vir'),
      ],
    ]),
  );
  await eventually(async () => assert.equal((await bars()).length, 6));
  await ahead(page).getByRole('button', { name: 'Mostrar todas' }).click();
  await eventually(async () => assert.equal((await bars()).length, 12));
  // This plan is read from the bank's text, so it cannot be deleted here.
  await bought(page).getByText(money('1 de 12 · faltam R$ 1.100,00, até 5 de mar. de 2027')).waitFor();
  await bought(page).getByText('estimada').waitFor();
  await isAbsent(bought(page).getByRole('button', { name: /^Apagar/ }));
  await inspect(page, 'card-ahead', { sizes: ['phone', 'tablet', 'desktop'] });

  // The open bill shows its expected total. Its rows show the number of the instalment.
  await ahead(page).getByRole('link', { name: 'abril de 2026, vence 5 de abr.' }).click();
  const coming = page.getByRole('region', { name: 'Como deve fechar' });
  await coming.getByText(money('R$ 440,00')).waitFor();
  await coming.getByText(money('R$ 40,00 recorrentes a vir')).waitFor();
  await page.getByText(money('R$ 100,00 em parcelas')).waitFor();
  await page.getByRole('row').getByText('Loja - Parcela 1/12').waitFor();
  await inspect(page, 'bill-coming');
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

  // The list of accounts shows how much of the limit is free.
  await go('/accounts');
  await page.getByText(money('R$ 3.500,00 livres de R$ 5.000,00')).waitFor();
  await inspect(page, 'accounts-limit');
  await page.getByRole('link', { name: 'Nubank', exact: true }).click();
  await page.getByText(money('R$ 1.500,00 usados ou em parcelas a vir')).waitFor();
  await buy('2026-03-04', 'Viagem', '4000.00');
  await go(here);
  await limit(page).getByText(money('Passou do limite em R$ 500,00')).waitFor();
  await inspect(page, 'card-over', { sizes: ['phone'] });
  await close();
});

test('a plan that was entered by hand is deleted, one of a bill stays', async () => {
  const { api, card, here, plans } = await profile();
  await api.post('/api/installments', {
    account_id: card.id,
    description: 'Sofá',
    date: '2026-03-05',
    count: 3,
    total_amount: '300.00',
  });
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go(here);
  const remove = bought(page).getByRole('button', { name: 'Apagar Sofá' });
  assert.equal(
    await bought(page).getByRole('button', { name: 'Encerrar Sofá' }).count(),
    0,
    'what is entered is deleted',
  );
  await remove.click();
  const sure = page.getByRole('dialog', { name: 'Apagar Sofá?' });
  await accessible(page, 'plan deletion');
  await sure.getByRole('button', { name: 'Cancelar' }).click();
  await sure.waitFor({ state: 'detached' });
  await caughtUp(page);
  assert.equal((await plans()).length, 1);
  // Meanwhile its rows were imported with a bill: the service says so.
  const csv = cardCsv([
    ['2026-03-05', 'Sofá - Parcela 1/3', '100.00'],
    ['2026-04-05', 'Sofá - Parcela 2/3', '100.00'],
    ['2026-05-05', 'Sofá - Parcela 3/3', '100.00'],
  ]);
  const { format, rows } = await api.preview(csv, { account_id: card.id, is_credit_card: true });
  await api.post('/api/import/confirm', {
    account_id: card.id,
    file_name: 'a.csv',
    format,
    is_credit_card: true,
    rows,
  });
  expect(409);
  await remove.click();
  await sure.getByRole('button', { name: 'Apagar' }).click();
  await page.locator('#toasts').getByText('Estas parcelas vieram de uma fatura').waitFor();
  await bought(page).getByText('Sofá').waitFor();
  assert.equal((await plans()).length, 1);

  await api.post('/api/installments', {
    account_id: card.id,
    description: 'Mesa',
    date: '2026-03-06',
    count: 2,
    amount: '50.00',
  });
  await go(here);
  await bought(page).getByRole('button', { name: 'Apagar Mesa' }).click();
  await page.getByRole('dialog', { name: 'Apagar Mesa?' }).getByRole('button', { name: 'Apagar' }).click();
  await page.locator('#toasts').getByText('Mesa: 2 parcelas apagadas.').waitFor();
  await bought(page).getByText('Mesa').waitFor({ state: 'detached' });
  // The pressed button is gone with its row.
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.id), 'plans'));
  assert.deepEqual(
    (await plans()).map(plan => plan.description),
    ['Sofá'],
  );
  await close();
});

test('a plan of which nothing more comes is ended, taken back, and opened again', async () => {
  const { api, card, here, plans } = await profile();
  await api.post('/api/transactions', {
    type: 'expense',
    account_id: card.id,
    description: 'Sofá - Parcela 1/3',
    date: '2026-03-05',
    amount: '100.00',
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.setViewportSize({ width: 360, height: 740 });
  await go(here);
  const ended = async () => (await plans())[0].ended;
  await limit(page).getByText(money('R$ 4.700,00')).waitFor();
  await bought(page).getByRole('button', { name: 'Encerrar Sofá' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Compra encerrada: Sofá.').waitFor();
  assert.equal(await ended(), true);
  // What does not come any more is free again.
  await limit(page).getByText(money('R$ 4.900,00')).waitFor();
  await undo(page, 'Sofá').click();
  await limit(page).getByText(money('R$ 4.700,00')).waitFor();
  await bought(page).getByRole('button', { name: 'Encerrar Sofá' }).waitFor();
  await eventually(async () => assert.equal(await ended(), false));
  await bought(page).getByRole('button', { name: 'Encerrar Sofá' }).click();
  await bought(page).getByText('Terminadas (1)').click();
  await bought(page).getByText('encerrada: nada mais vem').waitFor();
  await accessible(page, 'ended plan');
  await bought(page).getByRole('button', { name: 'Reabrir Sofá' }).click();
  await bought(page).getByRole('button', { name: 'Encerrar Sofá' }).waitFor();
  assert.equal(await ended(), false);
  await close();
});

test('finished and silent plans are told apart', async () => {
  const { api, buy, here } = await profile();
  await buy('2026-03-01', 'Fone - Parcela 2/2', '80.00');
  await buy('2025-09-02', 'Curso - Parcela 2/10', '60.00');
  const { page, go, close } = await visit(browser, service.url, { api });
  await go(here);
  await bought(page).getByText('2 de 10 · parada: não apareceu nas últimas faturas').waitFor();
  await bought(page).getByText('Terminadas (1)').waitFor();
  await bought(page).getByText('Fone').waitFor({ state: 'hidden' });
  await bought(page).getByText('Terminadas (1)').click();
  await bought(page).getByText('2 de 2 · terminou em 5 de abr.').waitFor();
  await inspect(page, 'plans-finished', { sizes: ['phone'], schemes: ['light'] });
  await bought(page).getByRole('link', { name: 'Curso' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Curso - Parcela 2/10' });
  await row.waitFor();
  // Its description says which one it is, so nothing else does.
  assert.equal((await row.innerText()).split('2/10').length, 2);
  await close();
});

test('in English everything is', async () => {
  const { api, buy, here } = await profile();
  await buy('2026-03-02', 'Loja - Parcela 3/6', '100.00');
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go(here);
  await page.getByText(money('R$ 300.00 already committed after the open bill, until July 2026')).waitFor();
  await page.getByText(money('3 of 6 · R$ 300.00 left, until Jul 5')).waitFor();
  await keysBound(page);
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'New transaction' });
  await dialog.getByLabel('Account', { exact: true }).selectOption({ label: 'Nubank' });
  await dialog.getByLabel('Amount').fill('90');
  await dialog.getByLabel('By instalments').check();
  await dialog.getByLabel('How many').fill('3');
  await dialog.getByText(money('3 × R$ 30.00, R$ 90.00 in total')).waitFor();
  await inspect(page, 'instalments-english', { sizes: ['phone'], schemes: ['light'] });
  await close();
});
