// Transactions: the list with its filters and pages, the actions on rows, and the quick add.
import assert from 'node:assert/strict';
import test from 'node:test';
import { household } from './household.mjs';
import { looksWhileFailing, looksWhileLoading } from './away.mjs';
import { suite } from './suite.mjs';
import {
  accessible,
  eventually,
  fits,
  gate,
  inspect,
  PHONE,
  picture,
  refusal,
  settled,
  SIZES,
  undo,
  visit,
} from './support.mjs';
import { caughtUp, ended, hold, isAbsent, keysBound, withStoppedClock } from './waits.mjs';

const FROZEN = '2026-03-10';
/** The most elements of a page, whatever the length of its list. */
const ELEMENTS_MAX = 1500;

const { service, browser, user: profile } = await suite({ today: FROZEN });

/** Imports many expenses of March at once, as a statement. */
const many = async (api, count, account) => {
  const lines = Array.from(
    { length: count },
    (_, index) =>
      `2026-03-${String((index % 28) + 1).padStart(2, '0')};Compra ${String(index + 1).padStart(5, '0')};-${(index % 90) + 1},50`,
  );
  const preview = await api.preview(`Data;Descrição;Valor\n${lines.join('\n')}\n`, { account_id: account });
  assert.equal(preview.rows.length, count);
  await api.post('/api/import/confirm', {
    account_id: account,
    file_name: 'compras.csv',
    format: 'csv',
    rows: preview.rows,
  });
};

const row = (page, name) => page.getByRole('row').filter({ hasText: name }).first();
const count = page => page.locator('.summary-line p');
const focused = page =>
  page.evaluate(
    () =>
      document.activeElement?.closest('tr')?.textContent ??
      document.activeElement?.getAttribute('name') ??
      document.activeElement?.tagName,
  );

test('a month by day, transfers as one calm row, opening balances as what they are', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await page.getByRole('heading', { name: 'Lançamentos de março de 2026', level: 1 }).waitFor();
  await page.getByText('Ontem').waitFor();
  await eventually(async () =>
    assert.equal(await count(page).textContent(), '12 lançamentosentraram R$\u00a06.850,00saíram R$\u00a02.986,45'),
  );
  await eventually(async () => assert.equal(await page.getByRole('row', { name: 'Itaú → Reserva' }).count(), 1));
  await eventually(async () => assert.match(await row(page, 'Itaú → Reserva').textContent(), /Transferência/));
  await eventually(async () =>
    assert.equal(
      await page.getByRole('table').getAttribute('aria-rowcount'),
      String(await page.getByRole('row').count()),
    ),
  );
  await inspect(page, 'transactions', { sizes: ['phone', 'tablet', 'desktop'] });
  await page.goto(`${service.url}/transactions?month=2025-09`);
  await settled(page);
  await page.getByText('Saldo inicial').first().waitFor();
  await close();
});

test('filters stand in the address: links, back, forward and reload keep them', async () => {
  const api = await profile();
  const { categories, current } = await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go(`/transactions?month=2026-03&category_id=${categories.Restaurantes}`);
  await eventually(async () => assert.match(await count(page).textContent(), /^2 lançamentos/));
  await eventually(async () =>
    assert.equal(await page.getByLabel('Categoria', { exact: true }).inputValue(), String(categories.Restaurantes)),
  );
  await page.getByLabel('Categoria', { exact: true }).selectOption({ label: 'Sem categoria' });
  await page.getByText('Venda da bicicleta').waitFor();
  await page.waitForURL(/category_id=none/);
  await page.getByLabel('Conta', { exact: true }).selectOption({ label: 'Itaú' });
  await page.waitForURL(new RegExp(`account_id=${current.id}`));
  await page.getByLabel('Tipo', { exact: true }).selectOption({ label: 'Só entradas' });
  await page.waitForFunction(() => document.querySelector('.summary-line p')?.textContent?.startsWith('1 lançamento'));
  await page.reload();
  await settled(page);
  await page.getByText('Venda da bicicleta').waitFor();
  await inspect(page, 'transactions-filtered');
  for (let steps = 0; steps < 3; steps++) await page.goBack();
  await page.getByText('Bistrô').waitFor();
  await eventually(async () =>
    assert.equal(await page.getByLabel('Categoria', { exact: true }).inputValue(), String(categories.Restaurantes)),
  );
  await page.goForward();
  await page.getByText('Venda da bicicleta').waitFor();
  await page.getByRole('link', { name: 'Limpar filtros' }).click();
  await page.getByText('Bistrô').waitFor();
  await page.waitForURL(`${service.url}/transactions?month=2026-03`);

  // The text filter ignores case and accents. One step back undoes it.
  await keysBound(page);
  await page.keyboard.press('/');
  await page.keyboard.type('FARMACIA', { delay: 20 });
  await page.getByText('Bistrô').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Farmácia', exact: true }).waitFor();
  await page.waitForURL(/q=FARMACIA/);
  await page.goBack();
  await page.getByText('Bistrô').waitFor();
  await eventually(async () => assert.equal(await page.getByRole('searchbox').inputValue(), ''));

  // Days that are not a month. The month switch says so, and leads back.
  await page.getByLabel('Período', { exact: true }).selectOption({ label: 'Outro período' });
  await page.getByLabel('De', { exact: true }).fill('2026-02-01');
  await page.getByLabel('Até', { exact: true }).fill('2026-02-12');
  await page.waitForURL(/from=2026-02-01&to=2026-02-12/);
  await page.waitForFunction(() => document.querySelector('.summary-line p')?.textContent?.startsWith('4 lançamentos'));
  await inspect(page, 'transactions-range');
  await page.getByLabel('Mês', { exact: true }).selectOption({ label: 'janeiro 2026' });
  await page.getByRole('heading', { name: 'Lançamentos de janeiro de 2026', level: 1 }).waitFor();
  await page.waitForURL(`${service.url}/transactions?month=2026-01`);
  await page.getByLabel('Período', { exact: true }).selectOption({ label: 'Todos os meses' });
  await page.waitForFunction(() =>
    document.querySelector('.summary-line p')?.textContent?.startsWith('41 lançamentos'),
  );

  // The rows of a bill.
  const bill = (await api.get('/api/credit-bills')).find(({ total }) => total !== '0.00');
  await go(`/transactions?bill_id=${bill.id}`);
  await page.getByRole('button', { name: /^Só da fatura Nubank que vence em/ }).waitFor();
  const rows = await api.get(`/api/transactions?bill_id=${bill.id}`);
  await eventually(async () => assert.match(await count(page).textContent(), new RegExp(`^${rows.length} lançamento`)));
  await close();
});

test('a late answer to an earlier search is not shown', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  const late = await hold(page, '**/api/transactions?*q=a&*');
  await page.getByRole('searchbox').fill('a');
  await page.waitForURL(/q=a$/);
  await late.asked(1);
  await page.getByRole('searchbox').fill('aluguel');
  await page.getByText('Bistrô').waitFor({ state: 'detached' });
  await eventually(async () => assert.match(await count(page).textContent(), /^1 lançamento/));
  // The first answer comes only now, unless the page has cancelled its request.
  late.open();
  await ended(late.requests[0]);
  await caughtUp(page);
  assert.equal(late.requests.length, 1);
  assert.match(await count(page).textContent(), /^1 lançamento/);
  assert.equal(await page.getByText('Pizzaria Napoli').count(), 0);
  assert.equal(await row(page, 'Aluguel').count(), 1);
  await close();
});

test('quick add by keyboard alone', async () => {
  const api = await profile();
  const { categories, card } = await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await keysBound(page);
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'Novo lançamento' });
  await dialog.waitFor();
  await eventually(async () => assert.equal(await focused(page), 'line'));
  await inspect(page, 'quick-add', { sizes: ['phone', 'tablet', 'desktop'] });
  // The fields are below the line.
  await page.keyboard.press('Tab');
  await eventually(async () => assert.equal(await focused(page), 'amount'));
  await page.keyboard.type('12+8,50');
  await dialog.getByText('= R$ 20,50').waitFor();
  await page.keyboard.press('Tab');
  await eventually(async () => assert.equal(await focused(page), 'description'));
  // A description fills in the values that it was last used with.
  await page.keyboard.type('super', { delay: 10 });
  await dialog.getByRole('option', { name: /Supermercado Bom Preço/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await inspect(page, 'quick-add-completion');
  await page.keyboard.press('Enter');
  await dialog.getByRole('listbox').waitFor({ state: 'detached' });
  await eventually(async () =>
    assert.equal(await dialog.getByLabel('Descrição').inputValue(), 'Supermercado Bom Preço'),
  );
  await eventually(async () =>
    assert.equal(await dialog.getByLabel('Categoria').inputValue(), String(categories.Mercado)),
  );
  await eventually(async () => assert.equal(await dialog.getByLabel('Conta').inputValue(), String(card.id)));
  // Past the type, the category and the account.
  for (let stop = 0; stop < 4; stop++) await page.keyboard.press('Tab');
  await eventually(async () => assert.equal(await focused(page), 'date'));
  await page.keyboard.press('ArrowDown');
  await dialog.getByText('Ontem, segunda-feira').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Salvo: Supermercado Bom Preço, R$ 20,50, ontem').waitFor();
  // The form stays open for the next entry, with the same day and account.
  await eventually(async () => assert.equal(await focused(page), 'line'));
  await eventually(async () => assert.equal(await dialog.getByLabel('Descrição').inputValue(), ''));
  await eventually(async () => assert.equal(await dialog.getByLabel('Data').inputValue(), '2026-03-09'));
  await page.keyboard.press('Tab');
  await page.keyboard.type('1.234,56');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Padaria');
  await page.keyboard.press('Shift+Enter');
  await dialog.waitFor({ state: 'detached' });
  await row(page, 'Padaria').waitFor();
  const [bakery, market] = (await api.get('/api/transactions?from=2026-03-09&to=2026-03-09&type=expense')).filter(
    found => ['20.50', '1234.56'].includes(found.amount),
  );
  assert.deepEqual(
    [bakery.description, bakery.amount, bakery.category_id, bakery.account_id],
    ['Padaria', '1234.56', null, card.id],
  );
  assert.deepEqual(
    [market.description, market.amount, market.category_id, market.account_id],
    ['Supermercado Bom Preço', '20.50', categories.Mercado, card.id],
  );
  // The account is kept, even if the page is opened again.
  await go('/');
  await keysBound(page);
  await page.keyboard.press('n');
  await dialog.waitFor();
  await eventually(async () => assert.equal(await dialog.getByLabel('Conta').inputValue(), String(card.id)));
  await page.keyboard.press('Enter');
  await dialog.getByText('Escreva uma descrição').waitFor();
  await dialog.getByText('Escreva um valor acima de zero').waitFor();
  await eventually(async () => assert.equal(await focused(page), 'amount'));
  await inspect(page, 'quick-add-wrong');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await close();
});

/**
 * Opens the dashboard. The module of the form arrives when the gate `form` is opened. A browser keeps it after that, so each
 * test has a page of its own.
 */
const beforeTheForm = async () => {
  const api = await profile();
  const { categories } = await household(api);
  const { page, close } = await visit(browser, service.url, { api });
  const form = await hold(page, '**/parts/quick_add.js');
  await page.goto(service.url, { waitUntil: 'commit' });
  await page.getByText('Março até agora').waitFor();
  await keysBound(page);
  const dialog = page.getByRole('dialog', { name: 'Novo lançamento' });
  return { api, categories, page, close, form, dialog };
};

test('what is typed before the form is there goes into it', async () => {
  const { api, page, close, form, dialog } = await beforeTheForm();
  await page.getByRole('button', { name: 'Novo lançamento' }).first().focus();
  // These letters are shortcuts elsewhere: hidden values, help, another form.
  await page.keyboard.type('n');
  await page.keyboard.press('Tab');
  await page.keyboard.type('12,50');
  await page.keyboard.press('Tab');
  await page.keyboard.type('padaria hn?');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await form.asked(1);
  assert.equal(await dialog.count(), 0);
  form.open();
  await dialog.waitFor();
  await eventually(async () => assert.equal(await focused(page), 'description'));
  await page.keyboard.type('!');
  await eventually(async () =>
    assert.deepEqual(
      [await dialog.getByLabel('Descrição').inputValue(), await dialog.getByLabel('Valor').inputValue()],
      ['padaria hn!', '12,50'],
    ),
  );
  await page.getByRole('button', { name: 'Ocultar valores' }).waitFor({ state: 'attached' });
  await eventually(async () => assert.equal((await api.get('/api/transactions?q=padaria')).length, 0));
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () =>
    assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /Novo lançamento/),
  );
  await close();
});

test('a form that is closed before it is there stays closed', async () => {
  const { categories, page, close, form, dialog } = await beforeTheForm();
  await page.keyboard.type('nuber');
  await page.keyboard.press('Escape');
  await page.locator('#early').waitFor({ state: 'attached' });
  await form.asked(1);
  form.open();
  await page.locator('#early').waitFor({ state: 'detached' });
  await caughtUp(page);
  assert.equal(await dialog.count(), 0);
  // Now the module is loaded: letters can be typed right after the key, and earlier descriptions are offered.
  await page.keyboard.type('n');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('superm');
  await dialog.getByRole('option', { name: /Supermercado Bom Preço/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await eventually(async () =>
    assert.equal(await dialog.getByLabel('Categoria').inputValue(), String(categories.Mercado)),
  );
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await close();
});

test('the next one is typed while the first is on its way', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/transactions');
  let isBroken = false;
  const held = gate();
  await page.route('**/api/transactions', async route => {
    if (route.request().method() !== 'POST') return route.continue();
    await held.pass();
    return isBroken
      ? route.fulfill({
          status: 503,
          headers: { 'Retry-After': '1' },
          contentType: 'application/problem+json',
          body: '{"code":"ErrUnavailable","status":503}',
        })
      : route.continue();
  });
  const dialog = page.getByRole('dialog', { name: 'Novo lançamento' });
  const typed = async () => [
    await dialog.getByLabel('Descrição').inputValue(),
    await dialog.getByLabel('Valor').inputValue(),
  ];
  await keysBound(page);
  await page.keyboard.type('n');
  await page.keyboard.press('Tab');
  await page.keyboard.type('12,50');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Padaria');
  await dialog.waitFor();
  await eventually(async () => assert.deepEqual(await typed(), ['Padaria', '12,50']));
  await page.keyboard.press('Enter');
  await eventually(async () => assert.deepEqual(await typed(), ['', '']));
  await page.keyboard.press('Tab');
  await page.keyboard.type('7');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Banca');
  held.open();
  await page.getByText('Salvo: Padaria, R$ 12,50, hoje').waitFor();
  await eventually(async () => assert.deepEqual(await typed(), ['Banca', '7,00']));
  // A refused entry is in its fields again, with the reason.
  expect(503);
  isBroken = true;
  const refused = page.waitForRequest(
    request => request.method() === 'POST' && request.url().endsWith('/api/transactions'),
  );
  await page.keyboard.press('Enter');
  await refused;
  await eventually(async () => assert.deepEqual(await typed(), ['', '']));
  held.open();
  await dialog.getByText('O Finance está ocupado').waitFor();
  await eventually(async () => assert.deepEqual(await typed(), ['Banca', '7,00']));
  // The form is closed before the answer. The reason is still shown, and the entry is kept.
  const again = page.waitForRequest(
    request => request.method() === 'POST' && request.url().endsWith('/api/transactions'),
  );
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await again;
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  held.open();
  await page.locator('#toasts').getByText('O Finance está ocupado').waitFor();
  await page.unroute('**/api/transactions');
  await page.keyboard.press('n');
  await eventually(async () => assert.deepEqual(await typed(), ['Banca', '7,00']));
  await page.keyboard.press('Shift+Enter');
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () =>
    assert.deepEqual(
      (await api.get('/api/transactions?month=2026-03&q=ba')).map(found => found.amount),
      ['7.00'],
    ),
  );
  await eventually(async () => assert.equal((await api.get('/api/transactions?q=padaria')).length, 1));
  await close();
});

test('what failed to be read is not said to be not saved; what failed to be saved is', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  expect(500);
  const broken = {
    status: 500,
    contentType: 'application/problem+json',
    body: '{"code":"ErrInternal","status":500,"request_id":"r-8"}',
  };
  await page.route('**/api/transactions?*', route => route.fulfill(broken));
  await go('/transactions');
  const alert = page.getByRole('alert').first();
  await alert.getByText('Algo deu errado do nosso lado.').waitFor();
  await caughtUp(page);
  assert.doesNotMatch(await alert.innerText(), /gravado/);
  await page.unroute('**/api/transactions?*');
  await page.getByRole('button', { name: 'Tentar de novo', exact: true }).click();
  await row(page, 'Bistrô').waitFor();
  await page.route('**/api/transactions', route =>
    route.request().method() === 'POST' ? route.fulfill(broken) : route.continue(),
  );
  await keysBound(page);
  await page.keyboard.type('nFeira');
  const dialog = page.getByRole('dialog', { name: 'Novo lançamento' });
  await dialog.getByLabel('Valor').fill('10');
  await page.keyboard.press('Enter');
  await dialog.getByText('Algo deu errado do nosso lado. Nada foi gravado.').waitFor();
  await inspect(page, 'quick-add-refused', { schemes: ['light'] });
  await page.unroute('**/api/transactions');
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await row(page, 'Feira').waitFor();
  await close();
});

test('what was entered outlives a lost connection, and what was typed a session that ends', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/transactions');
  await keysBound(page);
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'Novo lançamento' });
  await dialog.getByLabel('Descrição').fill('Feira');
  await dialog.getByLabel('Valor').fill('38');
  expect('ERR_INTERNET_DISCONNECTED');
  await page.context().setOffline(true);
  await dialog.getByRole('button', { name: 'Salvar e lançar outro' }).click();
  await dialog.getByText('está em A enviar').waitFor();
  await inspect(page, 'quick-add-offline', { schemes: ['light'] });
  await page.context().setOffline(false);
  await eventually(async () => assert.equal((await api.get('/api/transactions?q=feira')).length, 1));
  await dialog.getByLabel('Descrição').fill('Quitanda');
  await dialog.getByLabel('Valor').fill('38');
  expect(401);
  await page.route('**/api/transactions', route =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 401,
          contentType: 'application/problem+json',
          body: '{"code":"ErrUnauthenticated","status":401}',
        })
      : route.continue(),
  );
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await page.waitForURL(/\/login\?next=%2Ftransactions/);
  await page.unroute('**/api/transactions');
  await page.getByLabel('Nome').fill(api.credential.profile.name);
  await page.getByLabel('Senha', { exact: true }).fill('correct horse');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Lançamentos de março de 2026', level: 1 }).waitFor();
  await page.getByText('O que você digitou espera no formulário, ainda não salvo.').waitFor();
  await settled(page);
  await page.keyboard.press('n');
  await eventually(async () => assert.equal(await dialog.getByLabel('Descrição').inputValue(), 'Quitanda'));
  await eventually(async () => assert.equal(await dialog.getByLabel('Valor').inputValue(), '38,00'));
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () => assert.equal((await api.get('/api/transactions?q=quitanda')).length, 1));
  await close();
});

test('rows are gone through, marked and edited by keys', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await keysBound(page);
  const passed = [];
  for (let rows = 0; rows < 3; rows++) {
    await page.keyboard.press('j');
    await page.waitForFunction(before => {
      const focused = document.activeElement;
      return focused?.tagName === 'TR' && focused.textContent !== before;
    }, passed.at(-1));
    passed.push(await focused(page));
  }
  assert.equal(new Set(passed).size, 3);
  await page.keyboard.press('k');
  await eventually(async () => assert.equal(await focused(page), passed[1]));
  await page.keyboard.press('x');
  await page.getByText('1 marcado').waitFor();
  await page.keyboard.press('x');
  await page.getByText('1 marcado').waitFor({ state: 'detached' });
  // What is done with marked rows is a key away, and so is to mark none.
  await page.keyboard.press('x');
  await page.getByText('1 marcado').waitFor();
  await page.keyboard.press('m');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Categoria…');
  await page.keyboard.press('Escape');
  await page.getByText('1 marcado').waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await focused(page), passed[1]));
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog', { name: 'Editar lançamento' });
  await dialog.waitFor();
  await inspect(page, 'transaction-edit', { sizes: ['phone', 'desktop'] });
  const before = await dialog.getByLabel('Descrição').inputValue();
  await dialog.getByLabel('Descrição').fill('');
  await dialog.getByLabel('Valor').fill('0');
  await page.keyboard.press('Enter');
  await dialog.getByText('Escreva uma descrição').waitFor();
  await accessible(page, 'edit wrong');
  await dialog.getByLabel('Descrição').fill(`${before} nova`);
  await dialog.getByLabel('Valor').fill('70,10');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await row(page, `${before} nova`).getByText('70,10').waitFor();
  await eventually(async () =>
    assert.equal((await api.get(`/api/transactions?q=${encodeURIComponent(`${before} nova`)}`))[0].amount, '70.10'),
  );
  // The key `?` shows the shortcuts.
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Atalhos do teclado' }).waitFor();
  await close();
});

test('a category is changed where it stands, and given back', async () => {
  const api = await profile();
  const { categories } = await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/transactions');
  const sale = row(page, 'Venda da bicicleta');
  const stored = async () => (await api.get('/api/transactions?q=bicicleta'))[0].category_id;
  await withStoppedClock(page, async () => {
    await sale.getByRole('button', { name: 'Sem categoria, categoria de Venda da bicicleta' }).click();
    await page.getByLabel('categoria de Venda da bicicleta').selectOption({ label: 'Lazer' });
    await page.getByText('Venda da bicicleta: agora em Lazer.').waitFor();
    await eventually(async () => assert.equal(await stored(), categories.Lazer));
    await undo(page, 'Venda da bicicleta: agora em Lazer.').click();
  });
  await sale.getByRole('button', { name: 'Sem categoria, categoria de Venda da bicicleta' }).waitFor();
  await eventually(async () => assert.equal(await stored(), null));
  await close();
});

test('several are changed and deleted at once; a refusal takes it back with its reason', async () => {
  const api = await profile();
  const { categories } = await household(api);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/transactions');
  await page.getByLabel('Marcar Bistrô').check();
  // Shift marks all rows between the two.
  await page.getByLabel('Marcar Farmácia').click({ modifiers: ['Shift'] });
  await page.getByText('4 marcados').waitFor();
  await page.getByRole('button', { name: 'Desmarcar todos' }).click();
  await page.getByLabel('Marcar Bistrô').check();
  await page.getByLabel('Marcar Uber').check();
  await page.getByLabel('Marcar Reserva').check();
  await page.getByText('4 marcados').waitFor();
  await inspect(page, 'transactions-marked', { sizes: ['phone', 'tablet', 'desktop'] });
  await page.getByRole('button', { name: 'Categoria…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Categoria de 2 lançamentos' });
  await dialog.getByText('2 ficam como estão: transferências ou divididos.').waitFor();
  await dialog.getByLabel('Categoria').selectOption({ label: 'Lazer' });
  await inspect(page, 'transactions-bulk', { schemes: ['light'] });
  const leisure = async () =>
    (await api.get(`/api/transactions?month=2026-03&category_id=${categories.Lazer}`))
      .map(found => found.description)
      .sort();
  await withStoppedClock(page, async () => {
    await dialog.getByRole('button', { name: 'Aplicar' }).click();
    await page.getByText('2 lançamentos agora em Lazer.').waitFor();
    await eventually(async () => assert.deepEqual(await leisure(), ['Bistrô', 'Uber']));
    await undo(page, '2 lançamentos agora em Lazer.').click();
  });
  await row(page, 'Uber').getByText('Transporte').waitFor();
  await eventually(async () => assert.deepEqual(await leisure(), []));

  // If the action is refused, everything is as before, and the reason is shown.
  expect(503);
  await page.route('**/api/transactions/delete', route =>
    route.fulfill({
      status: 503,
      headers: { 'Retry-After': '1' },
      contentType: 'application/problem+json',
      body: '{"code":"ErrUnavailable","status":503}',
    }),
  );
  await page.getByLabel('Marcar Bistrô').check();
  await page.getByLabel('Marcar Uber').check();
  const removal = page.getByRole('dialog', { name: 'Apagar 2 lançamentos?' });
  await page.getByRole('button', { name: 'Apagar…' }).click();
  await removal.getByRole('button', { name: 'Apagar 2 lançamentos' }).click();
  await page.getByText('O Finance está ocupado').waitFor();
  await row(page, 'Bistrô').waitFor();
  await page.route('**/api/transactions/update', route => route.fulfill(refusal(503, 'ErrUnavailable')));
  await page.getByRole('button', { name: 'Categoria…' }).click();
  const refused = page.waitForResponse('**/api/transactions/update');
  await dialog.getByRole('button', { name: 'Aplicar' }).click();
  await (await refused).finished();
  await caughtUp(page);
  // They are still marked, to try again.
  await page.getByText('2 marcados').waitFor();
  await page.unroute('**/api/transactions/update');
  await page.unroute('**/api/transactions/delete');
  const bistro = async () => (await api.get('/api/transactions?month=2026-03&q=bistro')).length;
  await withStoppedClock(page, async () => {
    await page.getByRole('button', { name: 'Apagar…' }).click();
    await removal.getByRole('button', { name: 'Apagar 2 lançamentos' }).click();
    await page.getByText('2 lançamentos apagados.').waitFor();
    await row(page, 'Bistrô').waitFor({ state: 'detached' });
    assert.equal(await bistro(), 0);
    await undo(page, '2 lançamentos apagados.').click();
    await row(page, 'Bistrô').waitFor();
    assert.equal(await bistro(), 1);
    await page.locator('#toasts').getByRole('button', { name: 'Refazer' }).click();
    await page.locator('#toasts').getByText('Refeito.').waitFor();
    assert.equal(await bistro(), 0);
  });
  await row(page, 'Bistrô').waitFor({ state: 'detached' });
  await close();
});

test('one is duplicated and deleted; what was entered by hand comes back', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/transactions');
  await page.getByRole('button', { name: 'Duplicar Uber' }).click();
  await page.getByText('Lançamento Uber copiado para hoje.').waitFor();
  await page.getByText('Hoje', { exact: true }).waitFor();
  await eventually(async () =>
    assert.deepEqual(
      (await api.get('/api/transactions?q=uber')).map(found => found.date),
      [FROZEN, '2026-03-07'],
    ),
  );
  // A copy of what moves between own accounts would be an expense.
  const [moved] = await api.get('/api/transactions?q=uber');
  await api.put(`/api/transactions/${moved.id}`, { ...moved, is_transfer: true });
  await go('/transactions?q=uber');
  await eventually(async () => assert.equal(await page.getByRole('button', { name: 'Duplicar Uber' }).count(), 1));
  await page.getByRole('button', { name: 'Uber', exact: true }).first().click();
  const alone = page.getByRole('dialog');
  await alone.getByRole('button', { name: 'Histórico' }).waitFor();
  await isAbsent(alone.getByRole('button', { name: 'Duplicar' }));
  await page.keyboard.press('Escape');
  await alone.waitFor({ state: 'detached' });
  await go('/transactions');
  const napoli = await api.get('/api/transactions?q=napoli');
  await withStoppedClock(page, async () => {
    await page.getByRole('button', { name: 'Apagar Pizzaria Napoli' }).click();
    await row(page, 'Pizzaria Napoli').waitFor({ state: 'detached' });
    await page.getByText('Lançamento Pizzaria Napoli apagado.').waitFor();
    await eventually(async () => assert.equal((await api.get('/api/transactions?q=napoli')).length, 0));
    await undo(page, 'Lançamento Pizzaria Napoli apagado.').click();
    // The same row is back, and can be deleted again by the toast.
    const toasts = page.locator('#toasts');
    await toasts.getByText('Desfeito.').waitFor();
    await row(page, 'Pizzaria Napoli').waitFor();
    assert.deepEqual(await api.get('/api/transactions?q=napoli'), napoli);
    await toasts.getByRole('button', { name: 'Refazer' }).click();
    await toasts.getByText('Refeito.').waitFor();
    await row(page, 'Pizzaria Napoli').waitFor({ state: 'detached' });
    assert.deepEqual(await api.get('/api/transactions?q=napoli'), []);
    await undo(page, 'Refeito.').click();
  });
  await row(page, 'Pizzaria Napoli').waitFor();
  assert.deepEqual(await api.get('/api/transactions?q=napoli'), napoli);
  // A transfer is shown, and deleted with both sides after a question.
  await page.getByRole('button', { name: 'Reserva', exact: true }).click();
  const transfer = page.getByRole('dialog', { name: 'Transferência' });
  await transfer.getByText('Saiu de').waitFor();
  await inspect(page, 'transfer');
  await transfer.getByRole('button', { name: 'Apagar a transferência' }).click();
  await page
    .getByRole('dialog', { name: 'Apagar esta transferência?' })
    .getByRole('button', { name: 'Apagar' })
    .click();
  await page.getByText('Itaú → Reserva').waitFor({ state: 'detached' });
  await page.getByText('Lançamento Reserva apagado.').waitFor();
  await eventually(async () =>
    assert.equal(
      (await api.get('/api/transactions?month=2026-03')).some(found => found.transfer_id !== null),
      false,
    ),
  );
  await close();
});

test('a linked transfer is taken apart', async () => {
  const api = await profile();
  const { current, savings } = await household(api);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  const from = await api.post('/api/transactions', {
    date: '2026-03-08',
    type: 'expense',
    description: 'PIX ENVIADO ANA',
    amount: '220.00',
    account_id: current.id,
  });
  const to = await api.post('/api/transactions', {
    date: '2026-03-09',
    type: 'income',
    description: 'PIX RECEBIDO ANA',
    amount: '220.00',
    account_id: savings.id,
  });
  await api.post('/api/transfers/link', { from_id: from.id, to_id: to.id });
  await go('/transactions');
  await row(page, 'PIX RECEBIDO ANA').getByText('Itaú → Reserva').waitFor();
  await eventually(async () => assert.equal(await row(page, 'PIX ENVIADO ANA').count(), 0));
  await eventually(async () =>
    assert.match(await count(page).textContent(), /entraram R\$\u00a06.850,00saíram R\$\u00a02.986,45/),
  );
  await page.getByRole('button', { name: 'Editar PIX RECEBIDO ANA' }).click();
  const dialog = page.getByRole('dialog', { name: 'Transferência' });
  await dialog.getByText('Reconhecida nos extratos').waitFor();
  await inspect(page, 'transfer-linked', { schemes: ['light'] });
  await dialog.getByRole('button', { name: 'Separar' }).click();
  await page.getByText('Separados: cada um conta por si de novo.').waitFor();
  await row(page, 'PIX ENVIADO ANA').waitFor();
  await row(page, 'PIX RECEBIDO ANA').waitFor();
  await eventually(async () => assert.equal((await api.get(`/api/transactions/${from.id}`)).transfer_id, null));
  // A row whose other side is not stored here can only be marked as a transfer.
  await page.getByRole('button', { name: 'Editar PIX ENVIADO ANA' }).click();
  const edit = page.getByRole('dialog', { name: 'Editar lançamento' });
  await edit.getByLabel('É entre contas minhas').check();
  await inspect(page, 'transfer-single', { schemes: ['light'] });
  expect(422);
  await edit.getByLabel('Conta', { exact: true }).selectOption({ label: 'Sem conta' });
  await edit.getByRole('button', { name: 'Salvar' }).click();
  await edit.locator('.field-error').waitFor();
  await edit.getByLabel('Conta', { exact: true }).selectOption({ label: 'Itaú' });
  await edit.getByRole('button', { name: 'Salvar' }).click();
  await edit.waitFor({ state: 'detached' });
  await row(page, 'PIX ENVIADO ANA').getByText('Transferência').first().waitFor();
  await eventually(async () => assert.equal((await api.get(`/api/transactions/${from.id}`)).is_transfer, true));
  await close();
});

test('what a statement said stands beside what somebody calls it', async () => {
  const api = await profile();
  const { current, card } = await household(api);
  const statement = await api.preview('Data;Descrição;Valor\n2026-03-09;COMPRA 0034 PADARIA PAO QUENTE;-18,40\n', {
    account_id: current.id,
  });
  await api.post('/api/import/confirm', {
    account_id: current.id,
    file_name: 'itau.csv',
    format: 'csv',
    rows: statement.rows,
  });
  const [stored] = await api.get('/api/transactions?q=padaria');
  await api.put(`/api/transactions/${stored.id}`, { ...stored, description: 'Pãozinho' });
  const bill = await api.preview('date,title,amount\n2026-02-05,Posto Shell,180.00\n', {
    account_id: card.id,
    is_credit_card: true,
    payment_date: '2026-03-09',
  });
  await api.post('/api/import/confirm', {
    account_id: card.id,
    file_name: 'nubank.csv',
    format: 'csv',
    is_credit_card: true,
    payment_date: '2026-03-09',
    rows: bill.rows,
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await row(page, 'Pãozinho').getByText('no extrato: COMPRA 0034 PADARIA PAO QUENTE').waitFor();
  await row(page, 'Posto Shell').getByText('compra em 5 de fev.').waitFor();
  await page.getByRole('button', { name: 'Pãozinho', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Editar lançamento' });
  await dialog.getByText('Extrato CSV').waitFor();
  await inspect(page, 'transaction-of-a-statement', { schemes: ['light'] });
  // A deleted row of a statement would be imported again with the statement. So the page asks before, and offers no
  // undo.
  await dialog.getByRole('button', { name: 'Apagar' }).click();
  await page.getByRole('dialog', { name: 'Apagar Pãozinho?' }).getByRole('button', { name: 'Cancelar' }).click();
  await row(page, 'Pãozinho').waitFor();
  await close();
});

test('a month is deleted after an export and undone by keyboard alone', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/transactions?month=2026-03');
  await page.getByRole('button', { name: 'Apagar o mês…' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Apagar março de 2026' });
  await dialog.getByText('12 lançamentos serão apagados.').waitFor();
  await inspect(page, 'month-deletion');
  const march = () => api.get('/api/transactions?month=2026-03');
  const before = await march();
  assert.equal(before.length, 12);
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Exportar JSON' }).click();
  await eventually(async () => assert.match((await download).suggestedFilename(), /\.json$/));
  await dialog.getByText('Cópia guardada.').waitFor();
  await withStoppedClock(page, async () => {
    await dialog.getByRole('button', { name: 'Apagar 12 lançamentos' }).focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('12 lançamentos de março de 2026 apagados.').waitFor();
    await page.getByText('Nada em março de 2026 ainda').waitFor();
    // The button is gone with the rows, and the focus is on the heading.
    await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1'));
    assert.deepEqual(await march(), []);
    await undo(page, '12 lançamentos de março de 2026 apagados.').focus();
    await page.keyboard.press('Enter');
    await page.locator('#toasts').getByText('Desfeito.').waitFor();
    assert.deepEqual(await march(), before);
  });
  await row(page, 'Bistrô').waitFor();
  await close();
});

test('empty, wrong, loading and away', async () => {
  const api = await profile();
  const visitor = await visit(browser, service.url, { api });
  const { page, go, close, expect } = visitor;
  await go('/transactions');
  await page.getByText('Nada em março de 2026 ainda').waitFor();
  await inspect(page, 'transactions-empty', { sizes: ['phone', 'tablet', 'desktop'] });
  await eventually(async () =>
    assert.equal(await page.getByRole('link', { name: 'Importar extrato' }).getAttribute('href'), '/imports'),
  );
  await page.getByRole('searchbox').fill('nada');
  await page.getByText('Nada encontrado').waitFor();
  await inspect(page, 'transactions-none');
  await page.getByRole('link', { name: 'Procurar em todos os meses' }).click();
  await page.waitForURL(/month=all/);

  expect(422);
  await go('/transactions?account_id=abc');
  await page.getByText('Confira os campos marcados.').or(page.getByRole('alert')).first().waitFor();
  await page.getByRole('link', { name: 'Limpar filtros' }).first().click();
  await page.getByText('Nada em março de 2026 ainda').waitFor();

  await household(api);
  const calls = '**/api/transactions?*',
    address = `${service.url}/transactions`;
  const options = { sizes: ['phone', 'tablet', 'desktop'] };
  await looksWhileLoading(page, 'transactions', { address, calls, ready: row(page, 'Bistrô'), options });
  const failing = { path: '/transactions?month=2026-02', calls, ready: row(page, 'DARF'), status: 500 };
  await looksWhileFailing(visitor, 'transactions', failing);

  expect('ERR_INTERNET_DISCONNECTED');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Apagar DARF' }).click();
  await page.getByText('Sem conexão com o Finance').waitFor();
  await page.getByText('Não foi possível falar com o Finance').first().waitFor();
  // The change is undone, because the row was not deleted.
  await row(page, 'DARF').waitFor();
  await inspect(page, 'transactions-offline', { sizes: ['phone', 'desktop'], schemes: ['light'] });
  await page.context().setOffline(false);
  await page.getByText('Sem conexão com o Finance').waitFor({ state: 'detached' });
  await close();
});

test('a description is text, whatever it holds', async () => {
  const api = await profile();
  const description = '<img src=x onerror="document.title=1">';
  await api.post('/api/transactions', { date: FROZEN, type: 'expense', description, amount: '1.00' });
  await api.post('/api/transactions', {
    date: FROZEN,
    type: 'expense',
    description: 'Uma-descrição-sem-espaço-'.repeat(10),
    amount: '9999999999.99',
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await page.getByRole('button', { name: description, exact: true }).waitFor();
  await inspect(page, 'transactions-long', { schemes: ['light'] });
  await page.keyboard.press('n');
  await page.getByRole('dialog').getByLabel('Descrição').pressSequentially('<img');
  await page.getByRole('option', { name: description }).click();
  await eventually(async () =>
    assert.equal(await page.getByRole('dialog').getByLabel('Descrição').inputValue(), description),
  );
  await eventually(async () => assert.equal(await page.locator('main img, dialog img').count(), 0));
  await close();
});

test('10,000 rows scroll with few elements, page by page, and back to the same place', async () => {
  const api = await profile();
  const account = await api.post('/api/accounts', { name: 'Itaú', kind: 'current' });
  await many(api, 10_000, account.id);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await eventually(async () => assert.match(await count(page).textContent(), /^10\.000 lançamentos/));
  await eventually(async () => assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), '-1'));
  // The elements are counted after each change of the page.
  await page.evaluate(() => {
    const count = () => {
      window.most = Math.max(window.most ?? 0, document.querySelectorAll('*').length);
    };
    count();
    new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
  });
  // When the end of the list is in sight, the next page is read, and the list is longer.
  for (let height = 0, isDone = false; !isDone; ) {
    const reached = await page.waitForFunction(before => {
      const now = document.documentElement.scrollHeight;
      scrollTo(0, now);
      const isWhole = document.querySelector('[role=table]')?.getAttribute('aria-rowcount') !== '-1';
      return isWhole || now > before ? [now, isWhole] : null;
    }, height);
    [height, isDone] = await reached.jsonValue();
  }
  const most = await page.evaluate(() => window.most);
  await eventually(async () =>
    assert.equal(await page.getByRole('table').getAttribute('aria-rowcount'), String(10_000 + 28 + 1)),
  );
  assert.ok(most <= ELEMENTS_MAX, `${most} elements`);
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  // The last row of the oldest day, and its index in the whole list.
  await page.waitForFunction(
    () => document.querySelector('tbody tr:last-child')?.getAttribute('aria-rowindex') === '10029',
  );
  await page.getByTitle('Compra 00001', { exact: true }).waitFor();
  // There is no gap: at every place a row is in the middle of the window.
  for (const part of [0.1, 0.37, 0.5, 0.83]) {
    await page.evaluate(share => scrollTo(0, document.documentElement.scrollHeight * share), part);
    const found = () =>
      page.evaluate(() =>
        document
          .elementFromPoint(innerWidth / 2, innerHeight / 2)
          ?.closest('tr')
          ?.getAttribute('aria-rowindex'),
      );
    await eventually(async () => assert.ok(Number(await found()) > 1, `${part}: ${await found()}`));
  }
  // Visible rows stay in their place while the rows above them are measured.
  const y = await page.evaluate(async () => {
    const name = () =>
      [...document.querySelectorAll('tbody tr')].find(found => found.getBoundingClientRect().top > 200);
    const before = name(),
      top = before?.getBoundingClientRect().top ?? 0,
      id = before?.getAttribute('aria-rowindex');
    const now = () => document.querySelector(`tbody tr[aria-rowindex="${id}"]`)?.getBoundingClientRect().top ?? -9999;
    scrollBy(0, -300);
    // Waits until the row has the same place in ten frames.
    for (let still = 0, last = now(), frames = 0; still < 10 && frames < 600; frames += 1) {
      await new Promise(resolve => requestAnimationFrame(resolve));
      still = now() === last ? still + 1 : 0;
      last = now();
    }
    return Math.abs(now() - top - 300);
  });
  assert.ok(y <= 2, `moved by ${y}`);
  await close();
});

test('pages come by the button too, and coming back finds the place', async () => {
  const api = await profile();
  const account = await api.post('/api/accounts', { name: 'Itaú', kind: 'current' });
  await many(api, 650, account.id);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  // If a page of the list cannot be read, the end of the list says so, and the page is requested again.
  expect(503);
  await page.route('**/api/transactions?*cursor=*', route =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      body: '{"code":"ErrUnavailable","status":503}',
    }),
  );
  await go('/transactions');
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.getByText('O Finance está ocupado').waitFor();
  // The check is made at the top, because further down the head of the table covers a row.
  await page.evaluate(() => scrollTo(0, 0));
  await accessible(page, 'a page that does not come');
  await page.unroute('**/api/transactions?*cursor=*');
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole('button', { name: 'Tentar de novo', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.documentElement.scrollHeight > 12_000);
  await page.evaluate(() => scrollTo(0, 9000));
  await page.waitForFunction(() => history.state?.y > 8900);
  const seen = () =>
    page.evaluate(() =>
      document
        .elementFromPoint(innerWidth / 2, 400)
        ?.closest('tr')
        ?.getAttribute('aria-rowindex'),
    );
  const index = await seen();
  await page.getByRole('link', { name: 'Painel' }).first().click();
  await page.getByRole('heading', { level: 1, name: /Painel/ }).waitFor({ state: 'attached' });
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: /Lançamentos/ }).waitFor();
  const back = () =>
    page.waitForFunction(
      at =>
        Math.abs(
          Number(
            document
              .elementFromPoint(innerWidth / 2, 400)
              ?.closest('tr')
              ?.getAttribute('aria-rowindex'),
          ) - at,
        ) <= 2,
      Number(index),
    );
  await back();
  await page.reload();
  await settled(page);
  await back();
  await close();
});

test('on a phone every action is at hand', async () => {
  const api = await profile();
  const { categories } = await household(api);
  const { page, go, close } = await visit(browser, service.url, {
    api,
    ...PHONE,
  });
  await go('/transactions');
  // At least seven rows are on the first screen, and the first one is near its top.
  await page
    .getByRole('button', { name: /Supermercado Bom Preço/ })
    .first()
    .waitFor();
  const bar = await page.locator('.bottom').evaluate(element => element.getBoundingClientRect().top);
  const rows = await page
    .locator('.entry-row')
    .evaluateAll(all => all.map(row => [row.getBoundingClientRect().top, row.getBoundingClientRect().bottom]));
  assert.ok(rows[0][0] <= 200, `the first row begins at ${rows[0][0]}`);
  const whole = rows.filter(([, end]) => end <= bar).length;
  assert.ok(whole >= 7, `${whole} rows are on the first screen`);
  // Boxes come on request, or with a finger that stays.
  const box = page.getByLabel('Marcar Farmácia');
  await isAbsent(box);
  await page.getByRole('button', { name: 'Mais sobre a lista' }).tap();
  const menu = page.getByRole('dialog', { name: 'Mais sobre a lista' });
  await accessible(page, 'phone menu of the list');
  await menu.getByRole('button', { name: 'Selecionar' }).tap();
  await box.check();
  await page.getByText('1 marcado').waitFor();
  await page.getByRole('button', { name: 'Desmarcar' }).tap();
  await isAbsent(page.getByText('1 marcado'));
  await page.getByRole('button', { name: 'Filtros' }).click();
  await page.getByLabel('Categoria', { exact: true }).selectOption({ label: 'Mercado' });
  await page.getByRole('button', { name: 'Filtros (1)' }).waitFor();
  await page.waitForFunction(() => document.querySelector('.summary-line p')?.textContent?.startsWith('2 lançamentos'));
  await picture(page, 'transactions-phone-filters');
  await accessible(page, 'phone filters');
  await page
    .getByRole('button', { name: /Supermercado Bom Preço/ })
    .first()
    .tap();
  const dialog = page.getByRole('dialog', { name: 'Editar lançamento' });
  await dialog.getByLabel('Categoria').selectOption({ label: 'Moradia' });
  await dialog.getByRole('button', { name: 'Salvar' }).tap();
  await dialog.waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.querySelector('.summary-line p')?.textContent?.startsWith('1 lançamento'));
  // The rows may come after the figures above them. The row that has left could be pressed until then.
  await eventually(async () => assert.equal(await page.locator('.entry-row').count(), 1));
  await page
    .getByRole('button', { name: /Supermercado Bom Preço/ })
    .first()
    .tap();
  await dialog.getByRole('button', { name: 'Duplicar' }).tap();
  await page.getByText('copiado para hoje.').waitFor();
  await eventually(async () =>
    assert.equal((await api.get(`/api/transactions?month=2026-03&category_id=${categories.Mercado}`)).length, 2),
  );
  await page.getByRole('button', { name: 'Novo lançamento' }).tap();
  await page.getByRole('dialog', { name: 'Novo lançamento' }).waitFor();
  await fits(page, 'quick add on a phone');
  assert.deepEqual(page.viewportSize(), SIZES.phone);
  await close();
});

test('in English everything is', async () => {
  const api = await profile();
  await household(api);
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/transactions');
  await page.getByRole('heading', { name: 'Transactions of March 2026' }).waitFor();
  await inspect(page, 'transactions-english', { sizes: ['desktop'], schemes: ['light'] });
  await page.getByRole('button', { name: 'Delete the month…' }).click();
  await page.getByText('12 transactions will be deleted.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('n');
  await page.getByRole('dialog', { name: 'New transaction' }).waitFor();
  await close();
});
