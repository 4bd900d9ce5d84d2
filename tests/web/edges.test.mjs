// The edges of a session: what happens between requests, tabs, views and people, and without a connection.
import assert from 'node:assert/strict';
import test from 'node:test';
import { household } from './household.mjs';
import { suite } from './suite.mjs';
import {
  addMember,
  client,
  createUser,
  eventually,
  inspect,
  PASSWORD,
  refusal,
  settled,
  undo,
  visit,
} from './support.mjs';
import { caughtUp, hold, isAbsent, keysBound } from './waits.mjs';

const { service, browser, user } = await suite();

/** A separate profile with a household. */
const profile = async () => {
  const api = await user();
  return { api, ...(await household(api)) };
};

/** @param {string} path */
const opened = async (path, options = {}) => {
  const known = await profile();
  const visited = await visit(browser, service.url, { api: known.api, ...options });
  await visited.go(path);
  return { ...known, ...visited };
};

const heading = (page, name) => page.getByRole('heading', { level: 1, name });
const menu = (page, name) => page.getByRole('navigation', { name: 'Menu' }).first().getByRole('link', { name });
const isPost = path => request => request.method() === 'POST' && new URL(request.url()).pathname === path;
const isEntry = isPost('/api/transactions');

const money = text => text.replaceAll('R$ ', 'R$\u00a0');

/** Opens the quick form. */
const quick = async page => {
  await keysBound(page);
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'Novo lançamento' });
  await dialog.getByLabel('Descrição').waitFor();
  return dialog;
};
const type = async (dialog, description, amount) => {
  await dialog.getByLabel('Descrição').fill(description);
  await dialog.getByLabel('Valor').fill(amount);
};
const values = async dialog => [
  await dialog.getByLabel('Descrição').inputValue(),
  await dialog.getByLabel('Valor').inputValue(),
];

test('what was saved is told inside the open form, where it is read out', async () => {
  const { page, close } = await opened('/transactions');
  const dialog = await quick(page);
  await type(dialog, 'Padaria', '12,50');
  await page.keyboard.press('Enter');
  // XP may be told beside it.
  const message = dialog
    .getByRole('status')
    .locator('.toast')
    .filter({ hasText: money('Salvo: Padaria, R$ 12,50, hoje') });
  await message.waitFor();
  // It can be pressed: nothing lies above it, and it is not inert.
  await message.getByRole('button', { name: 'Fechar' }).click();
  await message.waitFor({ state: 'detached' });
  assert.equal(await dialog.count(), 1);
  await close();
});

test('what is told inside a form lies over none of it', async () => {
  const { page, close } = await opened('/transactions');
  for (const size of [
    { width: 390, height: 844 },
    { width: 1280, height: 720 },
  ]) {
    await page.setViewportSize(size);
    const dialog = await quick(page);
    // The toast of the first one may still be there.
    const name = `Padaria ${size.width}`;
    await type(dialog, name, '12,50');
    const save = dialog.getByRole('button', { name: 'Salvar e lançar outro' });
    await save.click();
    await dialog
      .locator('.toast')
      .filter({ hasText: `Salvo: ${name}` })
      .waitFor();
    await settled(page);
    const [body, toasts] = await Promise.all([
      dialog.locator('.dialog-body').boundingBox(),
      dialog.locator('#toasts').boundingBox(),
    ]);
    assert.ok(body.y + body.height <= toasts.y || toasts.x + toasts.width <= body.x, JSON.stringify([body, toasts]));
    // Nor does the field in which the next one is typed leave the sight.
    const line = await dialog.getByLabel('Escreva numa linha só').boundingBox();
    assert.ok(line.y + line.height / 2 > body.y, JSON.stringify([line, body]));
    await save.click({ trial: true });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  await close();
});

test('an entry that is refused while the next one is typed returns to the form after it', async () => {
  const { api, page, close, expect } = await opened('/transactions');
  expect(503);
  const { open, asked } = await hold(page, '**/api/transactions', {
    isHeld: request => isEntry(request) && request.postDataJSON().description === 'Primeiro',
    answer: route => route.fulfill(refusal(503, 'ErrUnavailable')),
  });
  const dialog = await quick(page);
  await type(dialog, 'Primeiro', '10');
  await page.keyboard.press('Enter');
  await asked(1);
  await type(dialog, 'Segundo', '20');
  open();
  await dialog.getByText(/^Não salvamos Primeiro, R\$\s10,00:/).waitFor();
  assert.deepEqual(await values(dialog), ['Segundo', '20']);
  await page.keyboard.press('Enter');
  await eventually(async () => assert.deepEqual(await values(dialog), ['Primeiro', '10']));
  const rows = await api.get('/api/transactions?q=Segundo');
  assert.deepEqual([rows.length, (await api.get('/api/transactions?q=Primeiro')).length], [1, 0]);
  await close();
});

test('an entry that comes back though it was stored is stored once', async () => {
  const { api, page, close, expect } = await opened('/transactions');
  expect(503);
  const keys = /** @type {(string | undefined)[]} */ ([]);
  page.on('request', request => {
    if (isEntry(request) && request.postDataJSON().description === 'Feira')
      keys.push(request.headers()['idempotency-key']);
  });
  const { open, asked } = await hold(page, '**/api/transactions', {
    isHeld: request => isEntry(request) && request.postDataJSON().description === 'Feira' && keys.length === 1,
    answer: async route => {
      await route.fetch();
      await route.fulfill(refusal(503, 'ErrUnavailable'));
    },
  });
  const dialog = await quick(page);
  await type(dialog, 'Feira', '10');
  await page.keyboard.press('Enter');
  await asked(1);
  await type(dialog, 'Banca', '20');
  open();
  await dialog.getByText(/^Não salvamos Feira, R\$\s10,00:/).waitFor();
  await page.keyboard.press('Enter');
  await eventually(async () => assert.deepEqual(await values(dialog), ['Feira', '10']));
  await page.keyboard.press('Enter');
  await dialog.getByText(money('Salvo: Feira, R$ 10,00, hoje')).waitFor();
  assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
  assert.equal((await api.get('/api/transactions?q=Feira')).length, 1);
  await close();
});

test('a form in which nothing was typed begins with the date of today, and one that was typed in keeps its own', async () => {
  const { page, close } = await opened('/transactions');
  const dialog = await quick(page);
  await type(dialog, 'Padaria', '12,50');
  await dialog.getByLabel('Data').fill('2026-02-03');
  await page.keyboard.press('Enter');
  await dialog.getByText(/^Salvo: Padaria, R\$\s12,50, 3 de fev/).waitFor();
  // The next one of a pile of receipts has the same day.
  assert.equal(await dialog.getByLabel('Data').inputValue(), '2026-02-03');
  await page.keyboard.press('Escape');
  await isAbsent(dialog);
  await quick(page);
  assert.equal(await dialog.getByLabel('Data').inputValue(), '2026-03-10');
  await dialog.getByLabel('Data').fill('2026-02-04');
  await dialog.getByLabel('Descrição').fill('Feira');
  await page.keyboard.press('Escape');
  await isAbsent(dialog);
  await quick(page);
  assert.equal(await dialog.getByLabel('Data').inputValue(), '2026-02-04');
  await close();
});

test('Escape asks before it drops what was typed in a form', async () => {
  const { page, close } = await opened('/accounts');
  await page.getByRole('button', { name: 'Nova conta', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Nova conta' }),
    question = page.getByRole('dialog', { name: 'Descartar o que foi digitado?' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await isAbsent(dialog);
  await page.getByRole('button', { name: 'Nova conta', exact: true }).click();
  await dialog.getByLabel('Nome').fill('Itaú');
  await page.keyboard.press('Escape');
  await question.waitFor();
  await question.getByRole('button', { name: 'Cancelar' }).click();
  assert.equal(await dialog.getByLabel('Nome').inputValue(), 'Itaú');
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Descartar' }).click();
  await isAbsent(dialog);
  await close();
});

test('Shift+Enter while an entry is being sent does not close the form at a later one', async () => {
  const { page, close } = await opened('/transactions');
  const { open, asked } = await hold(page, '**/api/transactions', { isHeld: isEntry });
  const dialog = await quick(page);
  await type(dialog, 'Primeiro', '10');
  await page.keyboard.press('Enter');
  await asked(1);
  await page.keyboard.press('Shift+Enter');
  open();
  await dialog.getByText(money('Salvo: Primeiro, R$ 10,00, hoje')).waitFor();
  await type(dialog, 'Segundo', '20');
  open();
  await page.keyboard.press('Enter');
  await dialog.getByText(money('Salvo: Segundo, R$ 20,00, hoje')).waitFor();
  await caughtUp(page);
  assert.equal(await dialog.count(), 1);
  await close();
});

test('after lost answers the same entry waits, is sent again under its key, and is stored once', async () => {
  const { api, page, close, expect } = await opened('/transactions');
  expect('ERR_FAILED');
  const keys = /** @type {string[]} */ ([]);
  await page.route('**/api/transactions', async route => {
    if (!isEntry(route.request())) return route.fallback();
    keys.push(route.request().headers()['idempotency-key'] ?? '');
    // The form sends it twice before it lets it wait.
    if (keys.length > 2) return route.fallback();
    await route.fetch();
    await route.abort();
  });
  const dialog = await quick(page);
  await type(dialog, 'Padaria', '12,50');
  await page.keyboard.press('Enter');
  await dialog.getByText(money('Sem conexão: “Padaria, R$ 12,50” está em A enviar.')).waitFor();
  await eventually(async () => assert.deepEqual(await values(dialog), ['', '']));
  await dialog.getByText('1 lançamento guardado foi enviado.').waitFor();
  await isAbsent(page.getByText('Sem conexão com o Finance'));
  assert.deepEqual([keys.length, new Set(keys).size], [3, 1]);
  assert.equal((await api.get('/api/transactions?q=Padaria')).length, 1);
  await close();
});

test('an entry that is corrected after a failure is another request', async () => {
  const { api, page, close, expect } = await opened('/transactions');
  expect(503);
  let count = 0;
  await page.route('**/api/transactions', async route => {
    if (!isEntry(route.request()) || count > 0) return route.fallback();
    count += 1;
    await route.fetch();
    await route.fulfill(refusal(503, 'ErrUnavailable'));
  });
  const dialog = await quick(page);
  await type(dialog, 'Feira', '12,50');
  await page.keyboard.press('Enter');
  await dialog.getByText('O Finance está ocupado').waitFor();
  await eventually(async () => assert.deepEqual(await values(dialog), ['Feira', '12,50']));
  await dialog.getByLabel('Valor').fill('21,50');
  await page.keyboard.press('Enter');
  await dialog.getByText(money('Salvo: Feira, R$ 21,50, hoje')).waitFor();
  const stored = (await api.get('/api/transactions?q=Feira')).map(row => row.amount).sort();
  assert.deepEqual(stored, ['12.50', '21.50']);
  await close();
});

test('a chosen category is not taken back by the completion', async () => {
  const { page, close } = await opened('/transactions');
  const dialog = await quick(page),
    category = dialog.getByLabel('Categoria'),
    chosen = () => category.locator('option:checked').innerText();
  const known = page.waitForResponse(answer => answer.url().includes('descriptions?q=Farm%C3%A1cia&'));
  await dialog.getByLabel('Descrição').fill('Farmácia');
  await known;
  await caughtUp(page);
  await category.selectOption({ label: 'Compras' });
  await dialog.getByLabel('Descrição').focus();
  await dialog.getByLabel('Valor').focus();
  await caughtUp(page);
  assert.equal(await chosen(), 'Compras');
  await close();
  const second = await opened('/transactions');
  const other = await quick(second.page);
  const again = second.page.waitForResponse(answer => answer.url().includes('descriptions?q=Farm%C3%A1cia&'));
  await other.getByLabel('Descrição').fill('Farmácia');
  await again;
  await caughtUp(second.page);
  await other.getByLabel('Valor').focus();
  await eventually(async () =>
    assert.equal(await other.getByLabel('Categoria').locator('option:checked').innerText(), 'Saúde'),
  );
  await second.close();
});

test('a view that could not be loaded says so at its address, and comes when it can', async () => {
  const { page, close, expect } = await opened('/');
  expect('ERR_FAILED');
  const files = address => /\/views\/reports\.js$|\/healthz$/.test(address.pathname);
  // Also for the service worker, which may have begun to answer for the page meanwhile.
  await page.context().route(files, route => route.abort());
  await menu(page, 'Relatórios').click();
  await heading(page, 'Relatórios').waitFor();
  await page.getByText('Não foi possível abrir esta parte do Finance.').waitFor();
  await page.getByText('Sem conexão com o Finance').waitFor();
  assert.ok(page.url().endsWith('/reports'));
  // Other views still open.
  await menu(page, 'Lançamentos').click();
  await heading(page, /^Lançamentos/).waitFor();
  await menu(page, 'Relatórios').click();
  await page.getByText('Não foi possível abrir esta parte do Finance.').waitFor();
  await page.context().unroute(files);
  await page.getByText('Não foi possível abrir esta parte do Finance.').waitFor({ state: 'detached' });
  await heading(page, 'Relatórios').waitFor();
  await close();
});

test('a dialog that could not be loaded says so', async () => {
  const { page, close, expect } = await opened('/accounts');
  expect('ERR_FAILED');
  await page.context().route(
    address => /\/accounts\/account_form\.js$|\/healthz$/.test(address.pathname),
    route => route.abort(),
  );
  await page.getByRole('button', { name: 'Nova conta' }).click();
  await page.locator('#toasts').getByText('Não foi possível abrir esta parte do Finance.').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  await close();
});

test('categories that could not be read are not taken for none, and are read again in the next view', async () => {
  const { api } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  expect(500);
  await page.route('**/api/categories', route => route.fulfill(refusal(500, 'ErrInternal')));
  await go('/transactions');
  await page.getByText('Não foi possível ler as categorias e as contas').waitFor();
  await page.getByText('Pizzaria Napoli').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'Pizzaria Napoli' });
  assert.equal(await row.getByText('Sem categoria').count(), 0);
  // A row that has none still says so.
  await page.getByRole('row').filter({ hasText: 'Venda da bicicleta' }).getByText('Sem categoria').waitFor();
  await page.unroute('**/api/categories');
  await menu(page, 'Contas').click();
  await heading(page, 'Contas').waitFor();
  await menu(page, 'Lançamentos').click();
  await row.getByText('Restaurantes').waitFor();
  await isAbsent(page.getByText('Não foi possível ler as categorias e as contas'));
  await close();
});

test('what is refused without a connection comes back, each by itself', async () => {
  const { page, close, expect } = await opened('/recurring');
  expect('ERR_FAILED');
  const escola = page.getByRole('button', { name: 'Ignorar Escola' }),
    condominio = page.getByRole('button', { name: 'Ignorar Condomínio' });
  await condominio.waitFor();
  await page.route(/\/api\/recurring\/\d+\/ignore/, route => route.abort());
  await page.route('**/healthz', route => route.abort());
  await escola.click();
  await condominio.click();
  await page.locator('#toasts').getByText('Não foi possível falar com o Finance.').first().waitFor();
  await escola.waitFor();
  await condominio.waitFor();
  await close();
  const dashboard = await opened('/');
  dashboard.expect('ERR_FAILED');
  const ignored = dashboard.page.getByRole('button', { name: 'Ignorar Escola' });
  await ignored.waitFor();
  await dashboard.page.route('**/api/**', route => route.abort());
  await dashboard.page.route('**/healthz', route => route.abort());
  await ignored.click();
  await dashboard.page.locator('#toasts').getByText('Não foi possível falar com o Finance.').first().waitFor();
  await ignored.waitFor();
  await dashboard.close();
});

test('a viewer is offered no write', async () => {
  const { api, current, card } = await profile();
  const name = 'visita';
  await api.post('/api/import/confirm', {
    account_id: current.id,
    file_name: 'loja.ofx',
    format: 'ofx',
    rows: [
      {
        date: '2026-03-05',
        description: 'COMPRA CARTAO - Padaria Pao Quente',
        amount: '12.50',
        type: 'expense',
        external_id: 'visita-1',
        category_id: null,
      },
    ],
  });
  await addMember(service.url, api, 'viewer', name);
  const bills = await api.get(`/api/credit-bills?account_id=${card.id}`);
  const { page, go, close } = await visit(browser, service.url, { api: await client(service.url, name) });
  const main = page.getByRole('main');
  // Not even a search for transfers, which the service refuses a viewer.
  await page.clock.install();
  const writes = [];
  page.on('request', request => request.url().includes('/api/transfers/detect') && writes.push(request.url()));
  const offered =
    /Pagar|Desfazer|Confirmar|Descartar|Ignorar|Marcar como|Recebi|Editar|Excluir|Apagar|Duplicar|Nova |Novo |Transferir|diferente no banco|Vestir|Tirar|Categoria…|Conta…|Desvincular/;
  for (const [path, shown] of /** @type {[string, string][]} */ ([
    ['/', 'Esperando por você'],
    ['/transactions', 'Pizzaria Napoli'],
    ['/accounts', 'Itaú'],
    [`/accounts?id=${current.id}`, 'Saldo'],
    [`/cards?id=${card.id}`, 'Faturas'],
    ...bills.map(bill => [`/cards?id=${card.id}&bill=${bill.id}`, 'A pagar']),
    ['/recurring', 'Escola'],
    ['/budgets', 'Mercado'],
    ['/categories', 'Mercado'],
    ['/character', 'Conquistas'],
    ['/imports', 'loja.ofx'],
  ])) {
    await go(path);
    await main.getByText(shown).first().waitFor();
    await settled(page);
    const names = await main
      .getByRole('button')
      .evaluateAll(all => all.map(one => one.getAttribute('aria-label') ?? one.textContent));
    assert.deepEqual(
      names.filter(one => offered.test(one ?? '')),
      [],
      path,
    );
  }
  await page.clock.fastForward(5000);
  await caughtUp(page);
  assert.deepEqual(writes, []);
  // Several rows can be summed up, and nothing else.
  await go('/transactions');
  await page.getByRole('checkbox', { name: 'Marcar Pizzaria Napoli' }).check();
  await page.getByText(/^1 marcado/).waitFor();
  assert.equal(await page.locator('.bulk').getByRole('button').count(), 1);
  // A row shows what is stored, without a field.
  await page.getByRole('button', { name: 'Pizzaria Napoli', exact: true }).click();
  const facts = page.getByRole('dialog', { name: 'Lançamento', exact: true });
  await facts.getByText('Seu acesso é só de leitura').waitFor();
  assert.equal(await facts.locator('input, select, textarea').count(), 0);
  await inspect(page, 'viewer-facts', { schemes: ['light'] });
  await facts.getByRole('button', { name: 'Fechar' }).last().click();
  await facts.waitFor({ state: 'detached' });
  // The category is a text, as is that of a transfer.
  assert.equal(await page.getByRole('button', { name: /categoria de Pizzaria/i }).count(), 0);
  // The appearance is the household's.
  await go('/character');
  assert.equal(await page.getByRole('region', { name: 'Aparência' }).count(), 0);
  await close();
});

test('Sair does not wait for the service', async () => {
  const { page, close } = await opened('/');
  const { requests, asked, open } = await hold(page, '**/api/logout');
  await page.getByRole('button', { name: 'Sair' }).first().click();
  await page.getByRole('button', { name: 'Entrar' }).waitFor();
  await asked(1);
  assert.ok(requests[0].headers().authorization);
  assert.equal(await page.evaluate(() => sessionStorage.getItem('finance.token')), null);
  open();
  await close();
});

test('a logout takes away what a toast says and undoes', async () => {
  const { page, close } = await opened('/transactions');
  await page.getByRole('button', { name: 'Apagar Pizzaria Napoli' }).click();
  await undo(page, 'Pizzaria Napoli').waitFor();
  await page.getByRole('button', { name: 'Sair' }).first().click();
  await page.getByRole('button', { name: 'Entrar' }).waitFor();
  assert.equal(await page.locator('#toasts .toast').count(), 0);
  await close();
});

test('the menu leads back to the list from one account', async () => {
  const { page, close, current } = await opened('/accounts');
  await page.getByRole('link', { name: 'Itaú', exact: true }).click();
  await page.waitForURL(`${service.url}/accounts?id=${current.id}`);
  await heading(page, 'Itaú').waitFor();
  await menu(page, 'Contas').click();
  await page.waitForURL(`${service.url}/accounts`);
  await heading(page, 'Contas').waitFor();
  await close();
});

test('the focus stays near what goes while it has the focus', async () => {
  const api = await user(),
    { card } = await household(api);
  const { id } = await api.post('/api/accounts', { name: 'Carteira', kind: 'current' });
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  const focusIs = (/** @type {string} */ text) =>
    eventually(async () =>
      assert.equal(await page.evaluate(() => document.activeElement?.textContent?.slice(0, 40)), text),
    );
  // A bill is paid from the list, and its button goes.
  await go(`/cards?id=${card.id}`);
  await page.getByRole('button', { name: 'Pagar Fatura de março de 2026' }).press('Enter');
  await page.getByRole('button', { name: 'Pagar R$ 780,10' }).press('Enter');
  await page.getByText('Paga', { exact: true }).waitFor();
  await settled(page);
  await focusIs('Faturas');
  // An account is deleted, and its page goes.
  await go(`/accounts?id=${id}`);
  await page.getByRole('button', { name: 'Apagar' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Apagar' }).press('Enter');
  await page.waitForURL(`${service.url}/accounts`);
  await page.getByRole('link', { name: 'Carteira', exact: true }).waitFor({ state: 'detached' });
  await settled(page);
  await focusIs('Contas correntes');
  // A form is sent, and its dialog shows what came of it.
  await go('/settings?show=access');
  await page.getByRole('button', { name: 'Convidar' }).press('Enter');
  await page.getByRole('button', { name: 'Criar convite' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Copiar' }).waitFor();
  await focusIs('Copiar');
  await page.getByRole('dialog').getByRole('button', { name: 'Fechar' }).last().press('Enter');
  // What failed is read again.
  expect(500);
  for (const [path = '', calls = ''] of [
    ['/', '**/api/dashboard*'],
    ['/accounts', '**/api/accounts'],
    ['/cards', '**/api/accounts'],
    ['/budgets', /\/api\/budgets/],
  ]) {
    await page.route(calls, route => route.fulfill(refusal(500, 'ErrInternal')));
    await go(path);
    const retry = page.getByRole('main').getByRole('button', { name: 'Tentar de novo', exact: true });
    await retry.waitFor();
    await page.unroute(calls);
    await retry.press('Enter');
    await retry.waitFor({ state: 'detached' });
    await settled(page);
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1', path);
  }
  await close();
});

test('Back closes a dialog and keeps its view, and asks before it drops what was typed', async () => {
  const { page, go, close } = await opened('/', { size: 'phone' });
  await go('/');
  await page.getByRole('navigation', { name: 'Menu' }).last().getByRole('link', { name: 'Lançamentos' }).click();
  await page.getByRole('button', { name: /Pizzaria Napoli/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Editar lançamento' });
  await dialog.waitFor();
  // Nothing was typed.
  await page.goBack();
  await isAbsent(dialog);
  await heading(page, /^Lançamentos/).waitFor();
  await page.getByRole('button', { name: /Pizzaria Napoli/ }).click();
  await dialog.getByLabel('Descrição').fill('Pizzaria do bairro');
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Descartar o que foi digitado?' });
  await question.getByRole('button', { name: 'Cancelar' }).click();
  assert.equal(await dialog.getByLabel('Descrição').inputValue(), 'Pizzaria do bairro');
  await page.goBack();
  await question.getByRole('button', { name: 'Descartar' }).click();
  await isAbsent(dialog);
  assert.ok(page.url().endsWith('/transactions'), page.url());
  await page.goBack();
  await page.getByRole('region', { name: /^Março até agora/ }).waitFor();
  await close();
});

test('deleted rows do not come back while they are being deleted', async () => {
  const { page, close } = await opened('/transactions');
  const { open, asked } = await hold(page, /\/api\/transactions\/\d+$/, {
    isHeld: request => request.method() === 'DELETE',
  });
  const row = page.getByRole('row').filter({ hasText: 'Pizzaria Napoli' });
  await page.getByRole('button', { name: 'Apagar Pizzaria Napoli' }).click();
  await asked(1);
  await isAbsent(row);
  // The list is read again meanwhile, and the service still has the row.
  const again = page.waitForResponse(answer => new URL(answer.url()).pathname === '/api/transactions');
  await page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')));
  await again;
  await caughtUp(page);
  assert.equal(await row.count(), 0);
  open();
  await undo(page, 'Pizzaria Napoli').waitFor();
  await settled(page);
  assert.equal(await row.count(), 0);
  await close();
});

test('a search that has not begun does not follow to the next view', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/transactions');
  const { open, asked } = await hold(page, /\/views\/reports\.js$/);
  await page.getByRole('searchbox').fill('padaria');
  await menu(page, 'Relatórios').click();
  await asked(1);
  // The list is still shown, and its timer runs out.
  await page.clock.fastForward(1000);
  open();
  await heading(page, 'Relatórios').waitFor();
  assert.ok(page.url().endsWith('/reports'), page.url());
  await close();
});

test('another month has no bill of this one', async () => {
  const { api, card } = await profile();
  const [bill] = await api.get(`/api/credit-bills?account_id=${card.id}`);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go(`/transactions?bill_id=${bill.id}`);
  await page.getByRole('button', { name: /^Só da fatura Nubank/ }).waitFor();
  await page.getByRole('link', { name: /^Mês anterior/ }).click();
  await page.waitForURL(/\?month=2026-02$/);
  await isAbsent(page.getByRole('button', { name: /^Só da fatura Nubank/ }));
  await close();
});

test('a tab whose password was changed in another one goes on with the token that was kept', async () => {
  const name = 'casal';
  createUser(service, name);
  const first = await visit(browser, service.url);
  await first.page.goto(`${service.url}/login`);
  await first.page.getByLabel('Nome').fill(name);
  await first.page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
  await first.page.getByLabel('Manter conectado (90 dias)').check();
  await first.page.keyboard.press('Enter');
  await first.page.getByRole('heading', { name: 'Quatro passos para começar' }).waitFor();
  const second = await visit(browser, service.url, { context: first.context });
  await second.go('/');
  // Without the cookie, as where it has ended.
  await first.context.clearCookies();
  const api = await client(service.url, name);
  const kept = await first.page.evaluate(() => JSON.parse(localStorage.getItem('finance.token')));
  second.expect(401);
  // The first tab has a new token, and the second one still uses its own, which is refused.
  await first.page.evaluate(token => localStorage.setItem('finance.token', JSON.stringify(token)), {
    ...kept,
    ...api.credential,
    device_expires_at: null,
  });
  await second.page.route('**/api/accounts', async route => {
    const { authorization } = route.request().headers();
    if (authorization === `Bearer ${kept.token}`) return route.fulfill(refusal(401, 'ErrUnauthenticated'));
    return route.continue();
  });
  await menu(second.page, 'Contas').click();
  await heading(second.page, 'Contas').waitFor();
  await second.page.getByText('Nenhuma conta').first().waitFor();
  assert.equal(
    await first.page.evaluate(() => JSON.parse(localStorage.getItem('finance.token')).token),
    api.credential.token,
  );
  await second.close();
  await first.close();
});

test('a refused token takes no other one with it', async () => {
  const { page, close, expect } = await opened('/');
  expect(401);
  const other = { token: 'of somebody else', expires_at: '2030-01-01T00:00:00Z', profile: { id: 1, name: 'outra' } };
  await page.evaluate(token => localStorage.setItem('finance.token', JSON.stringify(token)), other);
  await page.route('**/api/accounts', route => route.fulfill(refusal(401, 'ErrUnauthenticated')));
  await menu(page, 'Contas').click();
  await page.getByRole('button', { name: 'Entrar' }).waitFor();
  assert.deepEqual(await page.evaluate(() => JSON.parse(localStorage.getItem('finance.token'))), other);
  await close();
});
