// One line as an entry: what is read of it, what is asked, and what happens to it without a connection.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import {
  accessible,
  eventually,
  fits,
  inspect,
  onDevice,
  PASSWORD,
  refusal,
  settled,
  SIZES,
  undo,
  visit,
} from './support.mjs';
import { caughtUp, isAbsent, keysBound } from './waits.mjs';

const { service, browser, user } = await suite();

/** A separate profile with the accounts of the sentences. */
const profile = async () => {
  const api = await user();
  const account = (name, kind, more = {}) => api.post('/api/accounts', { name, kind, ...more });
  const bank = await account('Conta Itaú', 'current', { opening_balance: '1000.00', opening_date: '2026-02-01' });
  const nubank = await account('Nubank', 'credit', { closing_day: 25, due_day: 5 });
  const visa = await account('Itaú Visa', 'credit', { closing_day: 20, due_day: 1 });
  const savings = await account('Poupança', 'savings', { opening_balance: '0.00', opening_date: '2026-02-01' });
  return { api, bank, nubank, visa, savings };
};

const dialogOf = page => page.getByRole('dialog', { name: 'Novo lançamento' });
const lineOf = page => dialogOf(page).getByLabel('Escreva numa linha só');
const focused = page => page.evaluate(() => document.activeElement?.getAttribute('name') ?? '');
const money = text => text.replaceAll('R$ ', 'R$\u00a0');
const toast = (page, text) => page.locator('#toasts').getByText(money(text));
/** The rows that were entered, the newest first. */
const rows = async (api, query = '') =>
  (await api.get(`/api/transactions?limit=100${query}`)).filter(row => row.source === 'manual');
const waitingButton = (page, count) => page.getByRole('button', { name: `A enviar (${count})` });
const waitingDialog = page => page.getByRole('dialog', { name: 'A enviar' });

/** Opens quick add by its key. */
const begin = async page => {
  await keysBound(page);
  await page.keyboard.press('n');
  await lineOf(page).waitFor();
  await eventually(async () => assert.equal(await focused(page), 'line'));
};

test('n, a line, Enter: stored, told, and the focus is in the empty line, by keyboard on a phone', async () => {
  const { api, nubank } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, size: 'phone' });
  await page.clock.install();
  await go('/');
  await begin(page);
  await page.keyboard.type('mercado 54,90 ontem no nubank #casa');
  const dialog = dialogOf(page);
  // The chips say what was read.
  for (const name of [
    'Descrição: Mercado',
    'Valor: R$ 54,90',
    'Data: Ontem',
    'Conta: Nubank',
    'Categoria: Mercado',
    'Tag: #casa',
  ])
    await dialog.getByRole('button', { name: money(name), exact: true }).waitFor();
  await inspect(page, 'entry-line', { sizes: ['phone', 'desktop'] });
  await page.setViewportSize(SIZES.phone);
  await lineOf(page).press('Enter');
  await dialog.locator('#toasts').getByText(money('Salvo: Mercado, R$ 54,90, ontem')).waitFor();
  assert.equal(await page.locator('#toasts').getAttribute('role'), 'status');
  await eventually(async () => assert.equal(await focused(page), 'line'));
  assert.equal(await lineOf(page).inputValue(), '');
  const [row] = await rows(api);
  assert.deepEqual(
    [row.description, row.amount, row.date, row.account_id, row.tags],
    ['Mercado', '54.90', '2026-03-09', nubank.id, ['casa']],
  );
  assert.equal(row.category_id, await api.category('Mercado'));
  await accessible(page, 'a saved line');
  await fits(page, 'a saved line');
  // The account that is not named is the last one. A line is sent also before the pause is over.
  await page.keyboard.type('padaria 8');
  await page.keyboard.press('Enter');
  await toast(page, 'Salvo: Padaria, R$ 8,00, hoje').waitFor();
  assert.equal((await rows(api, '&q=Padaria'))[0].account_id, nubank.id);
  await undo(page, 'Padaria').click();
  await toast(page, 'Desfeito.').waitFor();
  assert.equal((await rows(api)).length, 1);
  await close();
});

test('a chip leads to its field, and what is corrected there stays while the line goes on', async () => {
  const { api, bank } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await begin(page);
  await page.keyboard.type('uber 23,40');
  const dialog = dialogOf(page);
  await dialog.getByRole('button', { name: money('Valor: R$ 23,40') }).click();
  assert.equal(await focused(page), 'amount');
  await dialog.getByLabel('Valor', { exact: true }).fill('25');
  await lineOf(page).focus();
  await page.keyboard.press('End');
  await page.keyboard.type(' ontem');
  await dialog.getByRole('button', { name: 'Data: Ontem' }).click();
  assert.equal(await focused(page), 'date');
  assert.equal(await dialog.getByLabel('Data', { exact: true }).inputValue(), '2026-03-09');
  assert.equal(await dialog.getByLabel('Valor', { exact: true }).inputValue(), '25,00');
  await lineOf(page).press('Enter');
  await toast(page, 'Salvo: Uber, R$ 25,00, ontem').waitFor();
  const [row] = await rows(api);
  assert.deepEqual([row.amount, row.date, row.account_id], ['25.00', '2026-03-09', bank.id]);
  await close();
});

test('where two readings fit the person chooses, and Enter goes to what is missing', async () => {
  const { api, nubank, visa } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await begin(page);
  const dialog = dialogOf(page);
  // Both accounts of the bank fit.
  await page.keyboard.type('uber 23,40 no itaú');
  await page.keyboard.press('Enter');
  const accounts = dialog.getByRole('group', { name: 'Qual conta?' });
  await accounts.waitFor();
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Conta Itaú'),
  );
  await inspect(page, 'entry-line-asks', { sizes: ['phone', 'desktop'] });
  assert.deepEqual(await rows(api), []);
  await accounts.getByRole('button', { name: 'Itaú Visa' }).click();
  await eventually(async () => assert.equal(await focused(page), 'line'));
  await accounts.waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await toast(page, 'Salvo: Uber, R$ 23,40, hoje').waitFor();
  assert.equal((await rows(api))[0].account_id, visa.id);
  // Each, or all.
  await page.keyboard.type('tv 10x 199,90 no nubank #sala');
  await dialog
    .getByRole('group', { name: 'Qual é o total?' })
    .getByRole('button', { name: money('R$ 199,90') })
    .click();
  await page.keyboard.press('Enter');
  await toast(page, 'Salvo: Tv, 10 × R$ 19,99, hoje').waitFor();
  const [plan] = await api.get('/api/installments');
  assert.deepEqual([plan.account_id, plan.count, plan.total], [nubank.id, 10, plan.total]);
  assert.deepEqual((await api.get('/api/transactions?q=Tv&limit=1'))[0].tags, ['sala']);
  // The amount of each says nothing about the next purchase.
  await page.keyboard.type('mesa 10x de 30 no nubank');
  await page.keyboard.press('Enter');
  await toast(page, 'Salvo: Mesa, 10 × R$ 30,00, hoje').waitFor();
  await page.keyboard.type('cama 600 em 3x no nubank');
  await page.keyboard.press('Enter');
  await toast(page, 'Salvo: Cama, 3 × R$ 200,00, hoje').waitFor();
  // What cannot be read leaves its field, which gets the focus. The button does not save it either.
  await page.keyboard.type('café 5 dólares');
  await dialog.getByRole('button', { name: 'Falta o valor' }).waitFor();
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialog.getByText('Escreva um valor acima de zero').waitFor();
  await lineOf(page).press('Enter');
  await eventually(async () => assert.equal(await focused(page), 'amount'));
  await page.keyboard.type('25');
  await page.keyboard.press('Enter');
  await toast(page, 'Salvo: Café, R$ 25,00, hoje').waitFor();
  await close();
});

test('a line may be a transfer, the payment of a bill, or a code that is none of them', async () => {
  const { api, bank, savings, nubank } = await profile();
  await api.post('/api/transactions', {
    type: 'expense',
    date: '2026-02-10',
    description: 'Loja',
    amount: '300.00',
    account_id: nubank.id,
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await begin(page);
  const dialog = dialogOf(page);
  await page.keyboard.type('transferi 200 da conta para poupança');
  await dialog.getByRole('button', { name: 'Vai para: Poupança' }).waitFor();
  await eventually(async () =>
    assert.equal(await dialog.getByLabel('Saiu de', { exact: true }).inputValue(), String(bank.id)),
  );
  await inspect(page, 'entry-line-transfer', { sizes: ['phone'] });
  await lineOf(page).press('Enter');
  await toast(page, 'Salvo: Transferência, R$ 200,00, hoje').waitFor();
  const sides = (await api.get('/api/transactions?limit=10')).filter(row => row.is_transfer);
  assert.deepEqual(sides.map(row => [row.type, row.account_id]).sort(), [
    ['expense', bank.id],
    ['income', savings.id],
  ]);
  await eventually(async () => assert.equal(await focused(page), 'line'));
  await page.keyboard.type('paguei a fatura do nubank com a conta itaú ontem');
  await page.keyboard.press('Enter');
  await toast(page, 'Salvo: Fatura Nubank paga').waitFor();
  const paid = (await api.get(`/api/credit-bills?account_id=${nubank.id}`)).find(bill => bill.status === 'paid');
  assert.equal(paid.amount_due, '0.00');
  // A boleto becomes a bill to pay.
  await lineOf(page).fill('34191.79001 01043.510047 91020.150008 8 95870000012345');
  await dialog.getByText('Isto é o código de um boleto ou Pix').waitFor();
  await lineOf(page).press('Enter');
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Criar uma conta a pagar'),
  );
  await close();
});

test('a line about a bill says where no closed bill is to be paid, and keeps the focus', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await begin(page);
  const dialog = dialogOf(page);
  await page.keyboard.type('paguei a fatura do nubank');
  await dialog.locator('.entry-line .problem').getByText('Não há fatura fechada a pagar.').waitFor();
  await isAbsent(dialog.getByRole('button', { name: 'Falta a fatura' }));
  await inspect(page, 'entry-line-no-bill', { sizes: ['phone', 'desktop'], schemes: ['light'] });
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await eventually(async () => assert.equal(await focused(page), 'line'));
  await lineOf(page).press('Enter');
  await caughtUp(page);
  assert.equal(await focused(page), 'line');
  assert.equal(await lineOf(page).inputValue(), 'paguei a fatura do nubank');
  await isAbsent(dialog.getByText('Este valor não foi aceito.'));
  await close();
});

test('a transfer is one of the types; the amount comes first, and the button closes the form', async () => {
  const { api, bank, savings } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, size: 'phone' });
  await go('/transactions');
  await begin(page);
  const dialog = dialogOf(page),
    type = name => dialog.getByRole('radio', { name, exact: true });
  await page.keyboard.press('Tab');
  await eventually(async () => assert.equal(await focused(page), 'amount'));
  await page.keyboard.type('200');
  // The type is chosen by the arrow keys, and keeps the focus.
  await type('Saída').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await dialog.getByRole('radio', { name: 'Transferência', checked: true }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('value')), 'transfer');
  await dialog.getByLabel('Chegou em').waitFor();
  assert.equal(await dialog.getByLabel('Saiu de').inputValue(), String(bank.id));
  await isAbsent(dialog.getByLabel('Categoria', { exact: true }));
  await inspect(page, 'quick-transfer');
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialog.getByText('Escolha a conta: uma transferência precisa de uma.').waitFor();
  await eventually(async () => assert.equal(await focused(page), 'to_account_id'));
  await dialog.getByLabel('Chegou em').selectOption({ label: 'Poupança' });
  // Back to an expense and to a transfer again: what was filled in stays.
  await type('Entrada').check();
  await dialog.getByLabel('Conta', { exact: true }).waitFor();
  await type('Transferência').check();
  assert.equal(await dialog.getByLabel('Chegou em').inputValue(), String(savings.id));
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await toast(page, 'Salvo: Transferência, R$ 200,00, hoje').waitFor();
  const sides = (await api.get('/api/transactions?limit=10')).filter(row => row.is_transfer);
  assert.deepEqual(sides.map(row => [row.type, row.account_id]).sort(), [
    ['expense', bank.id],
    ['income', savings.id],
  ]);
  await undo(page, 'Salvo: Transferência').click();
  await toast(page, 'Desfeito.').waitFor();
  assert.deepEqual(
    (await api.get('/api/transactions?limit=10')).filter(row => row.is_transfer),
    [],
  );
  // A type that was chosen stays when a line is read, and nothing of the line is asked that the type has not.
  await begin(page);
  await type('Transferência').check();
  await lineOf(page).fill('reserva 30');
  await dialog.getByRole('button', { name: 'Descrição: Reserva' }).waitFor();
  await dialog.getByRole('radio', { name: 'Transferência', checked: true }).waitFor();
  await dialog.getByLabel('Chegou em').selectOption({ label: 'Poupança' });
  await dialog.getByRole('button', { name: 'Salvar e lançar outro' }).click();
  await toast(page, 'Salvo: Reserva, R$ 30,00, hoje').waitFor();
  await eventually(async () => assert.equal(await focused(page), 'line'));
  await dialog.getByRole('radio', { name: 'Saída', checked: true }).waitFor();
  await close();
});

test('an entry that repeats every month becomes a recurring item, and the undo takes both back', async () => {
  const { api, nubank } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/transactions');
  await begin(page);
  const dialog = dialogOf(page),
    repeats = dialog.getByLabel('Repetir todo mês');
  const items = async () => await api.get('/api/recurring');
  await page.keyboard.type('academia 99,90 ontem no nubank');
  await dialog.getByRole('button', { name: 'Conta: Nubank' }).waitFor();
  // A recurring item needs a category.
  await dialog.getByLabel('Categoria', { exact: true }).selectOption({ label: 'Sem categoria' });
  await dialog.getByText('Para repetir, escolha uma categoria.').waitFor();
  assert.equal(await repeats.isDisabled(), true);
  await dialog.getByLabel('Categoria', { exact: true }).selectOption({ label: 'Saúde' });
  await repeats.check();
  await inspect(page, 'quick-repeats');
  // An instalment is no monthly item.
  await dialog.getByLabel('Compra parcelada').check();
  await isAbsent(repeats);
  await dialog.getByLabel('Compra parcelada').uncheck();
  await repeats.waitFor();
  assert.equal(await repeats.isChecked(), true);
  await lineOf(page).press('Enter');
  await toast(page, 'Salvo: Academia, R$ 99,90, ontem; repete todo mês, no dia 9').waitFor();
  await eventually(async () => assert.equal(await focused(page), 'line'));
  assert.equal(await repeats.isChecked(), false);
  const [item] = await items(),
    [row] = await rows(api);
  assert.deepEqual(
    [item.description, item.amount, item.type, item.category_id, item.account_id, item.day, item.start_on],
    ['Academia', '99.90', 'expense', await api.category('Saúde'), nubank.id, 9, '2026-03-09'],
  );
  // This month's due is covered by the entry.
  assert.deepEqual(
    (await api.get('/api/recurring?month=2026-03')).map(one => one.status),
    ['covered'],
  );
  assert.equal(row.description, 'Academia');
  await undo(page, 'Academia').click();
  await toast(page, 'Desfeito.').waitFor();
  assert.deepEqual([await items(), await rows(api)], [[], []]);
  // What is refused of it is told, and the entry stays.
  expect(503);
  await page.route('**/api/recurring', route =>
    route.request().method() === 'POST' ? route.fulfill(refusal(503, 'ErrUnavailable')) : route.continue(),
  );
  await dialog.getByLabel('Valor', { exact: true }).fill('10');
  await dialog.getByLabel('Descrição', { exact: true }).fill('Jornal');
  await dialog.getByLabel('Categoria', { exact: true }).selectOption({ label: 'Lazer' });
  await repeats.check();
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await toast(page, 'Não vai se repetir todo mês. O Finance está ocupado').waitFor();
  assert.deepEqual([(await items()).length, (await rows(api)).length], [0, 1]);
  await close();
});

test('> in the search begins a line, and in English everything is', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en', size: 'phone' });
  await go('/');
  await keysBound(page);
  await page.keyboard.press('/');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await page.keyboard.type('>');
  const dialog = page.getByRole('dialog', { name: 'New transaction' });
  const line = dialog.getByLabel('Write it in one line');
  await line.waitFor();
  await eventually(async () => assert.equal(await focused(page), 'line'));
  await page.keyboard.type('spent 20 at starbucks yesterday on nubank');
  await dialog.getByRole('button', { name: 'Account: Nubank' }).waitFor();
  await inspect(page, 'entry-line-english', { sizes: ['phone'], schemes: ['light'] });
  await line.press('Enter');
  await toast(page, 'Saved: Starbucks, R$ 20.00, yesterday').waitFor();
  assert.equal((await rows(api))[0].date, '2026-03-09');
  await close();
});

test('fifty lines without a connection, pages that are killed, two tabs and a lost answer: fifty rows', async () => {
  const { api, bank } = await profile();
  const context = await browser.newContext({
    viewport: SIZES.phone,
    locale: 'pt-BR',
    timezoneId: 'America/Sao_Paulo',
    reducedMotion: 'reduce',
  });
  const first = await visit(browser, service.url, { api, context });
  await first.go('/');
  await begin(first.page);
  // The page knows that there is no connection, and starts without one.
  await settled(first.page);
  const type = async (page, from, to) => {
    for (let number = from; number <= to; number++) {
      await lineOf(page).fill(`compra ${number}a ${number},00 ontem`);
      await lineOf(page).press('Enter');
      await waitingButton(page, number).waitFor({ state: 'attached' });
      await eventually(async () => assert.equal(await lineOf(page).inputValue(), ''));
    }
  };
  first.expect('ERR_FAILED');
  const cut = page => page.route(/\/(api\/|healthz)/, route => route.abort());
  await cut(first.page);
  await type(first.page, 1, 25);
  await dialogOf(first.page).getByText('compra 25a').first().waitFor();
  await accessible(first.page, 'lines that wait');
  await fits(first.page, 'lines that wait');
  assert.deepEqual(await rows(api), []);
  // Killed with half of them.
  await first.close();
  const second = await visit(browser, service.url, { api, context });
  second.expect('ERR_FAILED');
  await cut(second.page);
  await second.page.goto(service.url);
  await waitingButton(second.page, 25).waitFor();
  await begin(second.page);
  await type(second.page, 26, 50);
  await second.page.keyboard.press('Escape');
  await waitingButton(second.page, 50).click();
  await waitingDialog(second.page).getByText('Esperando a conexão').first().waitFor();
  await inspect(second.page, 'waiting', { sizes: ['phone'], schemes: ['light', 'dark'] });
  // The connection is back, and the page is killed while it sends. The answer to what it sent is lost.
  let stored = 0;
  await second.page.unroute(/\/(api\/|healthz)/);
  await second.page.route('**/api/transactions', async route => {
    if (route.request().method() !== 'POST') return route.continue();
    stored += 1;
    if (stored <= 3) return route.continue();
    await route.fetch();
    // No answer ever comes.
  });
  await eventually(() => assert.equal(stored, 4));
  await eventually(async () => assert.ok((await rows(api)).length >= 4));
  await second.close();
  // Two tabs: one of them sends.
  const tabs = await Promise.all([
    visit(browser, service.url, { api, context }),
    visit(browser, service.url, { api, context }),
  ]);
  const keys = /** @type {string[]} */ ([]);
  for (const { page } of tabs)
    page.on('request', request => {
      const key = request.headers()['idempotency-key'];
      if (key && request.method() === 'POST' && request.url().endsWith('/api/transactions')) keys.push(key);
    });
  await Promise.all(tabs.map(({ page }) => page.goto(service.url)));
  await eventually(async () => assert.equal((await rows(api)).length, 50), 90_000);
  for (const { page } of tabs) await isAbsent(page.getByRole('button', { name: /^A enviar/ }));
  assert.equal(keys.length, new Set(keys).size);
  const found = await rows(api);
  assert.deepEqual(
    found.map(row => Number(row.amount)).sort((one, other) => one - other),
    Array.from({ length: 50 }, (_, at) => at + 1),
  );
  assert.ok(found.every(row => row.date === '2026-03-09' && row.account_id === bank.id));
  for (const { close } of tabs) await close();
  await context.close();
});

test('what is refused, or leaves something open, waits for the person and holds up nothing', async () => {
  const { api, visa } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/');
  await begin(page);
  expect('ERR_FAILED');
  await page.route(/\/(api\/|healthz)/, route => route.abort());
  for (const [text, count] of [
    ['uber 10 no itaú', 1],
    ['pão 5', 2],
    ['leite 6', 3],
  ]) {
    await lineOf(page).fill(String(text));
    // What is changed by hand waits with it.
    if (count === 1) await dialogOf(page).getByLabel('Categoria', { exact: true }).selectOption({ label: 'Lazer' });
    await lineOf(page).press('Enter');
    await waitingButton(page, count).waitFor({ state: 'attached' });
  }
  // A line does not wait without its note, which is not lost.
  await lineOf(page).fill('café 7');
  // This text moves what is below it, which could move away between the two halves of a click.
  await dialogOf(page).getByText('Sem conexão: a linha será lida').waitFor();
  await dialogOf(page).getByText('Dividir, tags e nota').click();
  await dialogOf(page).getByLabel('Nota').fill('Com a Bia');
  await lineOf(page).press('Enter');
  await page.locator('#toasts').getByText('Nada se perdeu').waitFor();
  assert.equal(await dialogOf(page).getByLabel('Nota').inputValue(), 'Com a Bia');
  await dialogOf(page).getByLabel('Nota').fill('');
  await lineOf(page).fill('');
  // An entry that was filled in waits too.
  await dialogOf(page).getByLabel('Descrição', { exact: true }).fill('Feira');
  await dialogOf(page).getByLabel('Valor', { exact: true }).fill('38');
  await dialogOf(page).getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await waitingButton(page, 4).waitFor();
  // The service takes one less.
  expect(422);
  const refused = {
    ...refusal(422, 'ErrValidation'),
    body: JSON.stringify({
      code: 'ErrValidation',
      status: 422,
      detail: '',
      errors: [{ field: 'description', code: 'too_long', message: '', params: {} }],
    }),
  };
  await page.route('**/api/transactions', route =>
    route.request().method() === 'POST' && route.request().postDataJSON().description === 'Pão'
      ? route.fulfill(refused)
      : route.continue(),
  );
  await page.unroute(/\/(api\/|healthz)/);
  await waitingButton(page, 2).waitFor();
  assert.deepEqual((await rows(api)).map(row => row.description).sort(), ['Feira', 'Leite']);
  await waitingButton(page, 2).click();
  const list = waitingDialog(page);
  await list.getByText('Recusado:').waitFor();
  await list.getByText('Precisa de uma resposta sua').waitFor();
  await inspect(page, 'waiting-refused', { sizes: ['phone', 'desktop'] });
  await page.unroute('**/api/transactions');
  // It is mended.
  await list.getByRole('button', { name: 'Corrigir pão 5' }).click();
  await eventually(async () => assert.equal(await lineOf(page).inputValue(), 'pão 5'));
  await lineOf(page).fill('pão francês 5');
  await lineOf(page).press('Enter');
  await dialogOf(page).waitFor({ state: 'detached' });
  await waitingButton(page, 1).click();
  // And it is answered, on the day on which it was written.
  await list.getByRole('button', { name: 'Responder uber 10 no itaú' }).click();
  await dialogOf(page).getByRole('group', { name: 'Qual conta?' }).getByRole('button', { name: 'Itaú Visa' }).click();
  const category = dialogOf(page).getByLabel('Categoria', { exact: true });
  assert.equal(await category.locator('option:checked').innerText(), 'Lazer');
  await lineOf(page).press('Enter');
  await dialogOf(page).waitFor({ state: 'detached' });
  await isAbsent(page.getByRole('button', { name: /^A enviar/ }));
  const found = await rows(api);
  assert.deepEqual(found.map(row => row.description).sort(), ['Feira', 'Leite', 'Pão francês', 'Uber']);
  const uber = found.find(row => row.description === 'Uber');
  assert.deepEqual([uber.account_id, uber.category_id], [visa.id, await api.category('Lazer')]);
  await close();
});

test('a line that waits is of the day on which it was written, whatever day it is sent', async () => {
  const { api } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  const known = await api.get('/api/auth/me');
  const waits = async (/** @type {string} */ text, /** @type {number} */ count) => {
    await lineOf(page).fill(text);
    await lineOf(page).press('Enter');
    await waitingButton(page, count).waitFor({ state: 'attached' });
    await eventually(async () => assert.equal(await lineOf(page).inputValue(), ''));
  };
  // A minute before a midnight in São Paulo, which is at 3:00 UTC. The service's date is a day later than the page's.
  const [day, three] = [24 * 3_600_000, 3 * 3_600_000];
  await page.clock.install({ time: Math.floor((Date.now() - three) / day) * day + three - 60_000 });
  await page.route('**/api/auth/me', route => route.fulfill({ json: { ...known, today: '2026-03-09' } }));
  await go('/');
  await begin(page);
  expect('ERR_FAILED');
  await page.unroute('**/api/auth/me');
  await page.route(/\/(api\/|healthz)/, route => route.abort());
  await waits('pão 7 ontem', 1);
  // Past midnight, without a connection.
  await page.clock.fastForward(70_000);
  await waits('leite 8 ontem', 2);
  await page.unroute(/\/(api\/|healthz)/);
  const days = async () => Object.fromEntries((await rows(api)).map(row => [row.description, row.date]));
  await eventually(async () => assert.deepEqual(await days(), { Pão: '2026-03-08', Leite: '2026-03-09' }));
  await isAbsent(page.getByRole('button', { name: /^A enviar/ }));
  await close();
});

test('logout and another member’s login say what is lost and wipe it', async () => {
  const { api } = await profile();
  const other = await user();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  const waits = async text => {
    await page.route(/\/api\/(entries|transactions)/, route => route.abort());
    await begin(page);
    await lineOf(page).fill(text);
    await lineOf(page).press('Enter');
    await waitingButton(page, 1).waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
  };
  const kept = async () => (await onDevice(page, 'waiting')).map(({ member: _, ...item }) => item);
  expect('ERR_FAILED');
  await go('/');
  await waits('pão 5');
  // What waits is what was typed, and its key.
  const [item] = await kept();
  assert.deepEqual(
    Object.keys(item).filter(name => !['id', 'key', 'title', 'text', 'on', 'account', 'set'].includes(name)),
    [],
  );
  await page.getByRole('button', { name: 'Sair' }).first().click();
  const leaving = page.getByRole('dialog', { name: 'Sair sem enviar?' });
  await leaving.getByText('Há 1 item que ainda não foi enviado').waitFor();
  await accessible(page, 'a logout with entries that wait');
  await leaving.getByRole('button', { name: 'Cancelar' }).click();
  await leaving.waitFor({ state: 'detached' });
  assert.equal((await kept()).length, 1);
  await page.getByRole('button', { name: 'Sair' }).first().click();
  await leaving.getByRole('button', { name: 'Sair e apagar' }).click();
  await page.getByLabel('Nome').waitFor();
  assert.deepEqual(await kept(), []);
  const login = async member => {
    await page.getByLabel('Nome').fill(member.credential.profile.name);
    await page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
  };
  // A session that ends keeps them. The same member sends them, another one does not see them.
  await page.unroute(/\/api\/(entries|transactions)/);
  await login(api);
  await page.getByRole('button', { name: 'Sair' }).first().waitFor();
  await settled(page);
  await waits('leite 6');
  expect(401);
  await page.route('**/api/accounts', route => route.fulfill(refusal(401, 'ErrUnauthenticated')));
  await page.getByRole('link', { name: 'Contas' }).first().click();
  await page.getByLabel('Nome').waitFor();
  await page.unroute('**/api/accounts');
  assert.equal((await kept()).length, 1);
  const entering = page.getByRole('dialog', { name: 'Entrar e apagar o que era de outra pessoa?' });
  await login(other);
  await entering.getByText('Há 1 item de outra pessoa').waitFor();
  await entering.getByRole('button', { name: 'Cancelar' }).click();
  await entering.waitFor({ state: 'detached' });
  assert.equal((await kept()).length, 1);
  // The session that was refused ends first.
  await page.getByRole('button', { name: 'Entrar', exact: true }).waitFor();
  await login(other);
  await entering.getByRole('button', { name: 'Entrar e apagar' }).click();
  await page.getByRole('button', { name: 'Sair' }).first().waitFor();
  assert.deepEqual(await kept(), []);
  await page.unroute(/\/api\/(entries|transactions)/);
  await caughtUp(page);
  assert.deepEqual([await rows(api), await rows(other)], [[], []]);
  await close();
});
