// Cards: each bill, due and paid amounts, held statements, every state.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { household } from './household.mjs';
import { cardCsv } from './statements.mjs';
import { looksWhileFailing, looksWhileLoading } from './away.mjs';
import { suite } from './suite.mjs';
import { accessible, addMember, client, eventually, gate, inspect, refusal, settled, undo, visit } from './support.mjs';
import { goByKeys, isAbsent, keysBound, meanwhile, withStoppedClock } from './waits.mjs';

const { service, browser, user } = await suite({ today: '2026-03-10' });

/** A separate profile for a test, with a household, and the bill that is due in three days. */
const profile = async () => {
  const api = await user(),
    made = await household(api);
  const bills = await api.get(`/api/credit-bills?account_id=${made.card.id}`),
    due = bills.find(bill => bill.due_date === '2026-03-13');
  return {
    api,
    ...made,
    due,
    bill: () => api.get(`/api/credit-bills/${due.id}`),
    here: `/cards?id=${made.card.id}&bill=${due.id}`,
  };
};

const focused = page => page.evaluate(() => document.activeElement?.textContent);
const tiles = page => page.locator('.tile').allInnerTexts();
/** The label and amount of each tile. @param {...string} texts */
const tileTexts = (...texts) => texts.map(text => text.replace(': ', '\n').replaceAll('R$ ', 'R$\u00a0'));

test('a card has its bills, the open one first, with what is due and when', async () => {
  const { api, current, card, due } = await profile();
  await api.post('/api/transactions', {
    date: '2026-01-10',
    type: 'expense',
    description: 'Loja',
    amount: '90.00',
    account_id: card.id,
  });
  await api.post('/api/transfers', {
    from_account_id: current.id,
    to_account_id: card.id,
    amount: '90.00',
    date: '2026-02-12',
  });
  const [old] = (await api.get(`/api/credit-bills?account_id=${card.id}`)).filter(
    bill => bill.due_date === '2026-02-13',
  );
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/cards');
  await page.getByRole('heading', { level: 1, name: 'Nubank' }).waitFor();
  const list = page.getByRole('region', { name: 'Faturas', exact: true });
  await list.getByText('Fecha dia 3, vence dia 13').waitFor();
  await eventually(async () =>
    assert.deepEqual(
      (await list.getByRole('listitem').allInnerTexts()).map(text =>
        text.split('\n').flatMap(line => line.trim() || []),
      ),
      [
        [
          'Fatura de abril de 2026',
          'Aberta, fecha em 3 de abr. · vence 13 de abr.',
          'R$\u00a0325,90 a confirmar',
          'R$\u00a0612,10',
          'Pagar',
          'Fatura de abril de 2026',
        ],
        [
          'Fatura de março de 2026',
          'Esta fatura vence em 3 dias · 13 de mar.',
          'R$\u00a0780,10',
          'Pagar',
          'Fatura de março de 2026',
        ],
        ['Fatura de fevereiro de 2026', 'Paga', 'R$\u00a090,00'],
      ],
    ),
  );
  await inspect(page, 'cards', { sizes: ['phone', 'tablet', 'desktop'] });
  // By keyboard: to the second bill, into it, and back to its row.
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await eventually(async () => assert.equal(await focused(page), 'Fatura de março de 2026'));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Nubank · Fatura de março de 2026' }).waitFor();
  await eventually(async () => assert.match(await focused(page), /Fatura de março/));
  await page.waitForURL(`${service.url}/cards?id=${card.id}&bill=${due.id}`);
  await page.getByText('Compras de 3 de fev. a 2 de mar.').waitFor();
  await eventually(async () =>
    assert.deepEqual(
      await tiles(page),
      tileTexts('Fatura anterior: R$ 0,00', 'Compras: R$ 780,10', 'Pagamentos: R$ 0,00', 'A pagar: R$ 780,10'),
    ),
  );
  await page.getByRole('cell', { name: 'Supermercado Bom Preço Mercado' }).waitFor();
  await page.getByRole('cell', { name: '−R$ 642,10' }).waitFor();
  await page.getByText('Mercado levou 82% do que saiu').waitFor();
  await inspect(page, 'bill', { sizes: ['phone', 'tablet', 'desktop'] });
  await page.getByRole('link', { name: /^Educação/ }).click();
  await page.waitForURL(/bill_id=\d+&type=expense&category_id=\d+$/);
  await page.getByText('Livraria Cultura').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Ver as 2 em Lançamentos' }).click();
  await page.waitForURL(`${service.url}/transactions?bill_id=${due.id}`);
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Nubank · Fatura de março de 2026' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Cartões', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Nubank', exact: true }).waitFor();
  await eventually(async () => assert.equal(await focused(page), 'Fatura de março de 2026'));
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Nubank · Fatura de março de 2026' }).waitFor();
  await page.reload();
  await settled(page);
  await page.getByRole('heading', { level: 1, name: 'Nubank · Fatura de março de 2026' }).waitFor();
  // The id of the bill alone is a sufficient address.
  await page.goto(`${service.url}/cards?bill=${old.id}`);
  await page.getByRole('heading', { level: 2, name: 'Paga' }).waitFor();
  await close();
});

test('a bill is paid and unpaid, and nothing is done twice', async () => {
  const { api, current, card, bill, here } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go(`/cards?id=${card.id}`);
  await page.getByRole('button', { name: 'Pagar Fatura de março de 2026' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pagar fatura do Nubank' });
  await dialog.getByLabel('Pagar com').selectOption({ label: 'Itaú' });
  await dialog.getByLabel('Dia do pagamento').fill('2026-03-09');
  const row = page.getByRole('listitem').filter({ hasText: 'Fatura de março de 2026' });
  const transfers = () => api.get(`/api/transactions?account_id=${current.id}&source=transfer&from=2026-03-09`);
  await withStoppedClock(page, async () => {
    await dialog.getByRole('button', { name: 'Pagar R$ 780,10' }).dblclick();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Fatura Nubank paga.').waitFor();
    await row.getByText('Paga', { exact: true }).waitFor();
    assert.deepEqual(
      (await transfers()).map(one => [one.amount, one.date]),
      [['780.10', '2026-03-09']],
    );
    await undo(page, 'Fatura Nubank paga.').click();
  });
  await row.getByText('Esta fatura vence em 3 dias · 13 de mar.').waitFor();
  await eventually(async () => assert.equal((await bill()).status, 'unpaid'));
  await eventually(async () => assert.equal((await transfers()).length, 0));

  // On its own page the bill is only marked as paid.
  await page.getByRole('link', { name: 'Fatura de março de 2026' }).click();
  await page.getByRole('button', { name: 'Pagar Fatura de março de 2026' }).click();
  await dialog.getByLabel('Pagar com').selectOption({ label: 'Só anotar que foi paga' });
  await dialog.getByRole('button', { name: 'Pagar R$ 780,10' }).click();
  await page.getByRole('heading', { level: 2, name: 'Paga' }).waitFor();
  await eventually(async () =>
    assert.deepEqual(
      await tiles(page),
      tileTexts('Fatura anterior: R$ 0,00', 'Compras: R$ 780,10', 'Pagamentos: R$ 780,10', 'A pagar: R$ 0,00'),
    ),
  );
  await inspect(page, 'bill-paid');
  // The change is shown at once, before the answer. The button is pressed twice, and one request is sent.
  let asked = 0;
  const held = gate();
  await page.route('**/unpay', async route => {
    asked += 1;
    await held.pass();
    await route.continue();
  });
  await page.getByRole('button', { name: 'Desfazer pagamento' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'Esta fatura vence em 3 dias' }).waitFor();
  await page.keyboard.press('Enter');
  await eventually(() => assert.equal(asked, 1));
  assert.equal((await bill()).status, 'paid');
  held.open();
  await page.getByText('Pagamento da fatura Nubank desfeito.').waitFor();
  await eventually(async () => assert.equal((await bill()).status, 'unpaid'));
  assert.equal(asked, 1);
  await page.unroute('**/unpay');

  // The change is refused, because it was made elsewhere. It is undone, and the reason is shown.
  await page.getByRole('button', { name: 'Pagar Fatura de março de 2026' }).click();
  await dialog.getByRole('button', { name: 'Pagar R$ 780,10' }).click();
  await page.getByRole('heading', { level: 2, name: 'Paga' }).waitFor();
  const { id } = await bill();
  await meanwhile(page, '**/unpay', () => api.post(`/api/credit-bills/${id}/unpay`));
  expect(409);
  await page.getByRole('button', { name: 'Desfazer pagamento' }).click();
  await page.getByText('Esta fatura não está paga.').waitFor();
  await page.getByRole('heading', { level: 2, name: 'Esta fatura vence em 3 dias' }).waitFor();
  // The bill is paid elsewhere: the dialog says so, and stays open.
  await page.getByRole('button', { name: 'Pagar Fatura de março de 2026' }).click();
  await dialog.getByLabel('Pagar com').waitFor();
  await api.post(`/api/credit-bills/${(await bill()).id}/pay`, {});
  await dialog.getByRole('button', { name: 'Pagar R$ 780,10' }).click();
  await dialog.getByText('Esta fatura já está paga.').waitFor();
  await accessible(page, 'bill paid elsewhere');
  await page.keyboard.press('Escape');
  await go(here);
  await page.getByRole('heading', { level: 2, name: 'Paga' }).waitFor();
  await close();
});

test('a payment of the open bill says beforehand that it goes to the bill that is due, and then what is left', async () => {
  const { api, card, bill } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go(`/cards?id=${card.id}`);
  await page.getByRole('button', { name: 'Pagar Fatura de março de 2026' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pagar fatura do Nubank' }),
    goesFirst = dialog.getByText('O pagamento vai primeiro para ela.');
  await dialog.getByLabel('Pagar com').waitFor();
  await settled(page);
  await isAbsent(goesFirst);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Pagar Fatura de abril de 2026' }).click();
  await goesFirst.waitFor();
  assert.equal(
    await goesFirst.innerText(),
    'A fatura com vencimento em 13 de março ainda tem R$\u00a0780,10 a pagar. O pagamento vai primeiro para ela.',
  );
  await inspect(page, 'pay-open-bill', { sizes: ['phone', 'desktop'], schemes: ['light'] });
  const text = 'Pagamento feito. Nesta fatura do Nubank ainda faltam R$\u00a0612,10.';
  await withStoppedClock(page, async () => {
    await dialog.getByRole('button', { name: 'Pagar R$ 612,10' }).click();
    await page.locator('#toasts').getByText(text).waitFor();
    await eventually(async () => assert.equal((await bill()).amount_due, '168.00'));
    await undo(page, text).click();
  });
  await eventually(async () => assert.equal((await bill()).amount_due, '780.10'));
  await close();
});

test('a payment that is not the page’s to take back is explained', async () => {
  const { api, current, card, here } = await profile();
  await api.post('/api/transfers', {
    from_account_id: current.id,
    to_account_id: card.id,
    amount: '780.10',
    date: '2026-03-09',
  });
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  expect(409);
  await go(here);
  await page.getByRole('heading', { level: 2, name: 'Paga' }).waitFor();
  await page.getByRole('button', { name: 'Desfazer pagamento' }).click();
  await page.getByRole('alert').getByText('Esta fatura foi paga por um lançamento que veio do extrato').waitFor();
  await page.getByRole('heading', { level: 2, name: 'Paga' }).waitFor();
  await inspect(page, 'bill-by-statement');
  await page.getByRole('link', { name: 'Ver pagamentos do cartão' }).click();
  await page.waitForURL(`${service.url}/transactions?month=all&type=income&account_id=${card.id}`);
  await page.getByRole('row').filter({ hasText: 'R$ 780,10' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 2, name: 'Paga' }).waitFor();
  await isAbsent(page.getByRole('alert'));
  await close();
});

test('what was bought early, came back or was paid in part is told', async () => {
  const { api, card, due, here } = await profile();
  await api.post(`/api/credit-bills/${due.id}/pay`, {});
  // A refund, a row without a category, and a row of a statement that counts on the day of its payment.
  await api.post('/api/transactions', {
    date: '2026-02-20',
    type: 'income',
    description: 'Estorno Livraria',
    amount: '38.00',
    account_id: card.id,
  });
  await api.post('/api/transactions', {
    date: '2026-02-21',
    type: 'expense',
    description: 'Sem rumo',
    amount: '60.00',
    account_id: card.id,
  });
  const csv = await api.preview(cardCsv([['2026-02-05', 'Posto Shell', '200.00']]), {
    account_id: card.id,
    is_credit_card: true,
    payment_date: '2026-03-10',
  });
  await api.post('/api/import/confirm', {
    account_id: card.id,
    file_name: 'a.csv',
    format: csv.format,
    is_credit_card: true,
    payment_date: '2026-03-10',
    rows: csv.rows,
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go(here);
  await eventually(async () =>
    assert.deepEqual(
      await tiles(page),
      tileTexts('Fatura anterior: R$ 0,00', 'Compras: R$ 1.002,10', 'Pagamentos: R$ 780,10', 'A pagar: R$ 222,00'),
    ),
  );
  await page.getByRole('row').filter({ hasText: 'Posto Shell' }).getByRole('cell', { name: '5 de fev.' }).waitFor();
  const spending = page.getByRole('region', { name: 'Para onde foi' });
  await spending.getByText('Sem categoria').waitFor();
  await spending.getByText('Estornos e créditos').waitFor();
  await spending.getByText('−R$ 38,00').waitFor();
  assert.match(await spending.getByRole('link', { name: /Sem categoria/ }).getAttribute('href'), /category_id=none$/);
  await inspect(page, 'bill-part');
  await page.getByRole('main').getByRole('link', { name: 'Cartões', exact: true }).click();
  await page.getByText('R$ 780,10 já pagos de R$ 1.002,10').waitFor();
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

test('held statements of the card are looked at, confirmed or discarded', async () => {
  const { api, card } = await profile();
  const other = await api.post('/api/accounts', { name: 'Inter', kind: 'credit', closing_day: 20, due_day: 28 });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go(`/cards?id=${other.id}`);
  await page.getByRole('heading', { level: 1, name: 'Inter' }).waitFor();
  await page.getByText('Aberta, fecha em 20 de mar. · vence 28 de mar.').waitFor();
  await isAbsent(page.getByText('Fatura importada'));
  const cards = page.getByRole('navigation', { name: 'Cartões' });
  await eventually(async () =>
    assert.equal(await cards.getByRole('link', { name: 'Inter' }).getAttribute('aria-current'), 'page'),
  );
  await inspect(page, 'cards-empty-bill', { sizes: ['phone'] });
  await cards.getByRole('link', { name: 'Nubank' }).click();
  await page.getByRole('heading', { level: 1, name: 'Nubank' }).waitFor();
  await page.waitForURL(`${service.url}/cards?id=${card.id}`);
  await page.getByText('Fatura importada, fica guardada até 13 de abr. · 3 linhas').waitFor();
  await page.getByRole('button', { name: 'Ver Nubank' }).click();
  await page.getByRole('cell', { name: 'Cinema' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Descartar Nubank' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancelar' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Confirmar Nubank' }).click();
  await page.getByText('3 lançamentos incluídos.').waitFor();
  await page.getByText('Fatura importada').waitFor({ state: 'detached' });
  await eventually(async () => assert.equal((await api.get('/api/pending-bills')).length, 0));
  await page.getByRole('region', { name: 'Faturas', exact: true }).getByText('R$ 612,10').waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Inter' }).waitFor();
  await page.goForward();
  await page.getByRole('heading', { level: 1, name: 'Nubank' }).waitFor();
  // Another held statement is discarded.
  const { format, rows } = await api.preview(cardCsv([['2026-03-09', 'Farmácia', '30.00']]), {
    account_id: card.id,
    is_credit_card: true,
    payment_date: '2026-05-13',
  });
  await api.post('/api/import/confirm', {
    account_id: card.id,
    file_name: 'b.csv',
    format,
    is_credit_card: true,
    payment_date: '2026-05-13',
    rows,
  });
  await go(`/cards?id=${card.id}`);
  await page.getByRole('button', { name: 'Descartar Nubank' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Descartar' }).click();
  await page.getByText('Fatura importada').waitFor({ state: 'detached' });
  await eventually(async () => assert.equal((await api.get('/api/pending-bills')).length, 0));
  await close();
});

test('a held statement that is brought back while the cards are shown is among them', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/imports');
  await keysBound(page);
  await withStoppedClock(page, async () => {
    await page.getByRole('button', { name: 'Descartar Nubank' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Descartar' }).click();
    // The pointer holds the toast.
    await undo(page, 'Fatura descartada.').hover();
  });
  await goByKeys(page, 'c');
  await page.getByRole('heading', { level: 1, name: 'Nubank' }).waitFor();
  await settled(page);
  await isAbsent(page.getByText('Fatura importada'));
  await undo(page, 'Fatura descartada.').click();
  await page.getByText('Fatura importada, fica guardada até 13 de abr. · 3 linhas').waitFor();
  await close();
});

/** Runs SQL in the database of the service, as its superuser. @param {string} statement */
const sql = statement => {
  const database = `host=${service.env.FINANCE_DATA_DIR}/postgres user=finance_admin dbname=finance`;
  const { status, stderr, error } = spawnSync('psql', ['-v', 'ON_ERROR_STOP=1', '-q', '-c', statement, database], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, `${error ?? ''} ${stderr}`);
};

test('what an upgrade changed on the bills is told until somebody has read it', async () => {
  const { api, card } = await profile(),
    viewer = `leitora ${card.id}`;
  await addMember(service.url, api, 'viewer', viewer);
  // What the last release showed as due, as its migration keeps it.
  const due = 'update credit_bills set due_before = 700.00';
  sql(`${due} where account_id = ${card.id} and due_date = '2026-04-13'`);
  sql(`update accounts set payments_stale = true, bills_complete_until = null where id = ${card.id}`);
  sql('update profiles set upkept_on = null');
  const changedBill = async () => (await api.get('/api/accounts')).find(one => one.id === card.id).changed_bill;
  const { due_date, before, after } = await changedBill();
  assert.deepEqual([due_date, before], ['2026-04-13', '700.00']);
  const notice = page => page.getByRole('region', { name: 'Suas faturas agora somam como as do banco' });
  const figures = `antes R$ 700,00, agora R$ ${after.replace('.', ',')}`.replaceAll('R$ ', 'R$\u00a0');

  // Who may not write sees it, and cannot take it away.
  const reader = await visit(browser, service.url, { api: await client(service.url, viewer) });
  await reader.go('/');
  await notice(reader.page).getByText(figures).waitFor();
  await isAbsent(notice(reader.page).getByRole('button', { name: 'Entendi' }));
  await reader.close();

  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/');
  await notice(page).getByText('Fatura que vence em 13 de abr.').waitFor();
  await notice(page).getByText(figures).waitFor();
  await inspect(page, 'changed-bills', { sizes: ['phone', 'desktop'] });
  // Nothing is forgotten if the service does not answer.
  expect(503);
  await page.route('**/api/credit-bills/changed', route => route.fulfill(refusal(503, 'ErrUnavailable')));
  await notice(page).getByRole('button', { name: 'Entendi' }).click();
  await notice(page).getByText('O Finance está ocupado').waitFor();
  await accessible(page, 'the notice is not taken away');
  assert.ok(await changedBill());
  await page.unroute('**/api/credit-bills/changed');
  // It is also where the bills are, and goes by keyboard.
  await go(`/cards?id=${card.id}`);
  await notice(page).getByText(figures).waitFor();
  await notice(page).getByRole('button', { name: 'Entendi' }).focus();
  await page.keyboard.press('Enter');
  await notice(page).waitFor({ state: 'detached' });
  assert.equal(await changedBill(), null);
  await go('/');
  await page.getByRole('heading', { name: 'Contas', exact: true }).first().waitFor();
  await isAbsent(notice(page));
  await close();
});

test('a card is added, and its days are changed', async () => {
  const api = await user();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/cards');
  await page.getByText('Nenhum cartão ainda').waitFor();
  await inspect(page, 'cards-none');
  await page.getByRole('button', { name: 'Novo cartão' }).click();
  const dialog = page.getByRole('dialog', { name: 'Novo cartão' });
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'name'),
  );
  await page.keyboard.type('Nubank');
  for (const typed of ['', '3', '13']) {
    await page.keyboard.press('Tab');
    await page.keyboard.type(typed);
  }
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: 'Nubank' }).waitFor();
  await page.getByText('Aberta, fecha em 3 de abr. · vence 13 de abr.').waitFor();
  await keysBound(page);
  await page.keyboard.press('e');
  const edit = page.getByRole('dialog', { name: 'Nubank' });
  await edit.getByLabel('Dia em que a fatura fecha').fill('20');
  await edit.getByLabel('Dia em que a fatura vence').fill('28');
  await edit.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Fecha dia 20, vence dia 28').waitFor();
  await page.getByText('Aberta, fecha em 20 de mar. · vence 28 de mar.').waitFor();
  await page.getByRole('link', { name: 'Fatura de março de 2026' }).click();
  await page.getByText('Nenhuma compra nesta fatura ainda.').waitFor();
  await inspect(page, 'bill-empty', { sizes: ['phone'] });
  // A purchase that is entered on the page is on the bill.
  await page.keyboard.press('n');
  const quick = page.getByRole('dialog', { name: 'Novo lançamento' });
  await quick.getByLabel('Descrição').fill('Padaria');
  await quick.getByLabel('Valor').fill('18,50');
  await quick.getByLabel('Conta', { exact: true }).selectOption({ label: 'Nubank' });
  await quick.getByRole('button', { name: 'Salvar', exact: true }).click();
  await page.getByRole('cell', { name: 'Padaria' }).waitFor();
  await page.getByRole('link', { name: 'Ver em Lançamentos' }).waitFor();
  await close();
});

test('a bill closes and is due when its bank says', async () => {
  const { api, card } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go(`/cards?id=${card.id}`);
  await page.getByRole('link', { name: 'Fatura de abril de 2026' }).click();
  await page.getByRole('button', { name: 'Mudar datas' }).click();
  const dialog = page.getByRole('dialog', { name: 'Datas da fatura de abril de 2026' });
  await eventually(async () =>
    assert.deepEqual(
      [await dialog.getByLabel('Fecha em').inputValue(), await dialog.getByLabel('Vencimento').inputValue()],
      ['2026-04-03', '2026-04-13'],
    ),
  );
  await inspect(page, 'bill-dates', { sizes: ['phone', 'desktop'] });
  expect(422);
  await dialog.getByLabel('Fecha em').fill('2026-07-30');
  await dialog.getByRole('button', { name: 'Salvar datas' }).click();
  await dialog.locator('[aria-invalid=true]').first().waitFor();
  await dialog.getByLabel('Fecha em').fill('2026-04-06');
  await dialog.getByLabel('Vencimento').fill('2026-04-15');
  await dialog.getByRole('button', { name: 'Salvar datas' }).click();
  await page.getByText('Datas da fatura alteradas.').waitFor();
  await page.locator('#content').getByText('Aberta, fecha em 6 de abr. · vence 15 de abr.').waitFor();
  const { closing_date, due_date, period_end } = (await api.get('/api/accounts')).find(
    account => account.id === card.id,
  ).current_bill;
  assert.deepEqual([closing_date, due_date, period_end], ['2026-04-06', '2026-04-15', '2026-04-05']);
  await close();
});

test('what is loading, away or failing says so, and goes on by itself', async () => {
  const { api, card, here } = await profile();
  const visitor = await visit(browser, service.url, { api });
  const { page, go, close, expect } = visitor;
  const options = { sizes: ['phone'] };
  await looksWhileLoading(page, 'cards', {
    address: `${service.url}/cards?id=${card.id}`,
    calls: '**/api/credit-bills?*',
    ready: page.getByText('Esta fatura vence em 3 dias'),
    options,
  });
  const ready = page.getByRole('heading', { level: 1, name: 'Nubank · Fatura de março de 2026' });
  await looksWhileFailing(visitor, 'bill', { path: here, calls: '**/api/credit-bills/*', ready, options });
  expect(404);
  await go('/cards?bill=999999');
  await page.getByText('Isto não existe mais').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Cartões', exact: true }).click();
  await page.getByText('Esta fatura vence em 3 dias').waitFor();
  expect('ERR_INTERNET_DISCONNECTED');
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Fatura de março de 2026' }).click();
  await page.getByText('Sem conexão com o Finance').waitFor();
  await page.goBack();
  await page.getByText('Esta fatura vence em 3 dias').waitFor();
  await inspect(page, 'cards-offline', { sizes: ['phone'] });
  await page.goForward();
  await page.context().setOffline(false);
  await page.getByRole('cell', { name: /Livraria Cultura/ }).waitFor();
  await close();
});

test('a long bill draws a part of its rows and leads to all', async () => {
  const { api, card, here, due } = await profile();
  const rows = Array.from({ length: 120 }, (_, index) => ({
    date: '2026-02-10',
    description: `Compra ${index + 1}`,
    amount: '1.00',
    type: 'expense',
    external_id: `long-${index}`,
    category_id: null,
  }));
  await api.post('/api/import/confirm', { account_id: card.id, file_name: 'long.ofx', format: 'ofx', rows });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go(here);
  await page.getByText('R$ 900,10').first().waitFor();
  await eventually(async () =>
    assert.equal(await page.getByRole('region', { name: 'Compras' }).getByRole('row').count(), 101),
  );
  const all = page.getByRole('link', { name: 'Ver as 122 em Lançamentos' });
  await eventually(async () => assert.equal(await all.count(), 2));
  await all.last().click();
  await page.waitForURL(`${service.url}/transactions?bill_id=${due.id}`);
  await close();
});

test('in English everything is', async () => {
  const { api, card, here } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go(`/cards?id=${card.id}`);
  await page.getByRole('link', { name: 'Bill of March 2026' }).waitFor();
  await page.getByText('Closes on day 3, due on day 13').waitFor();
  await go(here);
  await page.getByText('This bill is due in 3 days').waitFor();
  await page.getByText('See the 2 in Transactions').waitFor();
  await inspect(page, 'bill-english', { sizes: ['desktop'], schemes: ['light'] });
  await page.getByRole('button', { name: 'Change dates' }).click();
  await page.getByRole('dialog', { name: 'Dates of the bill of March 2026', exact: true }).waitFor();
  await close();
});
