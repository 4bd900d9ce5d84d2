// Recurring items: their status in a month, marks and their undo, and new items, with and without a transaction to
// begin
// from.
import assert from 'node:assert/strict';
import test from 'node:test';
import { household } from './household.mjs';
import { looksWhileAway } from './away.mjs';
import { suite } from './suite.mjs';
import { accessible, eventually, inspect, PHONE, refusal, settled, undo, visit } from './support.mjs';
import { caughtUp, goByKeys, isAbsent, keysBound, meanwhile, withStoppedClock } from './waits.mjs';

const { service, browser, user } = await suite();

/** A separate profile for a test, with an item in each state. */
const profile = async ({ isEmpty = false } = {}) => {
  const api = await user();
  if (isEmpty) return { api };
  const { categories, current } = await household(api);
  const item = async (type, description, amount, category, day) =>
    api.post('/api/recurring', {
      type,
      description,
      amount,
      category_id: categories[category],
      account_id: current.id,
      day,
    });
  const bonus = await item('income', 'Bônus', '1200.00', 'Salário', 2);
  const gym = await item('expense', 'Academia', '89.90', 'Saúde', 31);
  const known = Object.fromEntries((await api.get('/api/recurring')).map(one => [one.description, one]));
  await api.post(`/api/recurring/${bonus.id}/confirm`, {});
  await api.post(`/api/recurring/${gym.id}/ignore`);
  await api.post(`/api/recurring/${known.Escola.id}/late`);
  const status = async description =>
    (await api.get('/api/recurring')).find(one => one.description === description)?.status;
  return { api, categories, current, known, status, item };
};

const row = (page, name) => page.getByRole('row').filter({ hasText: name });
const summary = page => page.locator('.summary-line p');
const focused = page =>
  page.evaluate(
    () =>
      document.activeElement?.closest('tr')?.textContent ??
      document.activeElement?.getAttribute('name') ??
      document.activeElement?.tagName,
  );

test('a month by day, each item with how it stands', async () => {
  const { api, categories } = await profile();
  await api.post('/api/recurring', {
    type: 'expense',
    description: 'IPVA',
    amount: '2400.00',
    category_id: categories.Moradia,
    every: { n: 1, unit: 'year' },
    start_on: '2026-06-20',
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/recurring');
  await page.getByRole('heading', { name: 'Contas a pagar e a receber em março de 2026', level: 1 }).waitFor();
  await eventually(async () =>
    assert.deepEqual(await page.locator('.day, .entry-title').allTextContents(), [
      'Atrasadas',
      'Pensão',
      'Escola',
      'Próximos 7 dias',
      'Condomínio',
      'Pagas',
      'Aluguel',
      'Bônus',
      'Ignoradas',
      'Academia',
      'Em outros meses',
      'IPVA',
    ]),
  );
  await eventually(async () => assert.match(await row(page, 'IPVA').textContent(), /^20jun.*Esperado.*2\.400,00$/));
  assert.equal(await row(page, 'IPVA').getByRole('button').count(), 1, 'what is done with a due waits for its month');
  await eventually(async () =>
    assert.match(await row(page, 'Aluguel').textContent(), /^1domAluguelJá lançadoMoradia · Itaú.*1\.800,00/),
  );
  await eventually(async () =>
    assert.match(await row(page, 'Bônus').textContent(), /^2segBônusConfirmado.*\+R\$.1\.200,00/),
  );
  await eventually(async () => assert.match(await row(page, 'Pensão').textContent(), /Ainda não entrou/));
  await eventually(async () => assert.match(await row(page, 'Escola').textContent(), /Atrasado/));
  await eventually(async () => assert.match(await row(page, 'Condomínio').textContent(), /Esperado/));
  await eventually(async () => assert.match(await row(page, 'Academia').textContent(), /^31ter.*Ignorado/));
  await eventually(async () =>
    assert.equal(
      await summary(page).textContent(),
      '3 de 6 resolvidasa receber R$\u00a0900,00a pagar R$\u00a01.620,00',
    ),
  );
  await inspect(page, 'recurring', { sizes: ['phone', 'tablet', 'desktop'] });

  // The month is in the address. A day past a month's end means its last day.
  await page.getByRole('link', { name: /^Mês anterior/ }).click();
  await page.getByRole('heading', { name: 'Contas a pagar e a receber em fevereiro de 2026' }).waitFor();
  await eventually(async () => assert.match(await row(page, 'Academia').textContent(), /^28sáb/));
  await page.reload();
  await settled(page);
  await page.getByRole('heading', { name: 'Contas a pagar e a receber em fevereiro de 2026' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Contas a pagar e a receber em março de 2026' }).waitFor();
  await eventually(async () => assert.match(await row(page, 'Academia').textContent(), /^31ter/));
  await page.getByRole('button', { name: 'Ocultar valores' }).click();
  await eventually(async () => assert.match(await summary(page).textContent(), /a pagar R\$.••••/));
  await close();
});

test('each mark shows at once, is stored, and is taken back', async () => {
  const { api, status } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/recurring');
  const condo = row(page, 'Condomínio'),
    school = row(page, 'Escola');
  await withStoppedClock(page, async () => {
    await condo.getByRole('button', { name: 'Marcar como atrasado Condomínio' }).click();
    await condo.getByRole('button', { name: 'Não atrasado Condomínio' }).waitFor();
    await eventually(async () => assert.equal(await status('Condomínio'), 'late'));
    await page.getByText('Marcamos o atraso de Condomínio.').waitFor();
    await undo(page, 'Marcamos o atraso de Condomínio.').click();
  });
  await condo.getByRole('button', { name: 'Marcar como atrasado Condomínio', exact: true }).waitFor();
  await eventually(async () => assert.equal(await status('Condomínio'), 'pending'));

  await school.getByRole('button', { name: 'Não atrasado Escola' }).click();
  await eventually(async () => assert.equal(await status('Escola'), 'pending'));
  await school.getByRole('button', { name: 'Ignorar Escola' }).click();
  await school.getByText('Ignorado').waitFor();
  await eventually(async () => assert.equal(await status('Escola'), 'ignored'));
  await school.getByRole('button', { name: 'Desfazer Escola' }).click();
  await eventually(async () => assert.equal(await status('Escola'), 'pending'));

  // Two actions at once are executed one after the other.
  await condo.getByRole('button', { name: 'Ignorar Condomínio' }).click();
  await school.getByRole('button', { name: 'Ignorar Escola' }).click();
  await eventually(async () =>
    assert.deepEqual([await status('Condomínio'), await status('Escola')], ['ignored', 'ignored']),
  );
  await eventually(async () => assert.match(await summary(page).textContent(), /^5 de 6 resolvidas/));
  await close();
});

test('an income is confirmed with its amount and day, and the confirmation undone', async () => {
  const { api } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/recurring');
  await page.getByRole('link', { name: 'Entrada a confirmar', exact: true }).waitFor();
  await row(page, 'Pensão').getByRole('button', { name: 'Confirmar Pensão' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirmar recebimento' });
  await dialog.getByLabel('Valor', { exact: true }).fill('0');
  expect(422);
  await dialog.getByRole('button', { name: 'Confirmar' }).click();
  await dialog.getByText('O valor precisa ser maior que zero.').waitFor();
  await inspect(page, 'recurring-confirm', { schemes: ['light'] });
  await dialog.getByLabel('Valor', { exact: true }).fill('912,50');
  await dialog.getByRole('button', { name: 'Confirmar' }).click();
  await row(page, 'Pensão').getByText('Confirmado').waitFor();
  await eventually(async () => assert.equal((await api.get('/api/transactions?q=pensao'))[0]?.amount, '912.50'));
  // The salary is no longer shown as pending anywhere.
  await page.getByRole('link', { name: 'Entrada a confirmar', exact: true }).waitFor({ state: 'detached' });

  await row(page, 'Pensão').getByRole('button', { name: 'Desfazer Pensão' }).click();
  await row(page, 'Pensão').getByText('Ainda não entrou').waitFor();
  await eventually(async () => assert.equal((await api.get('/api/transactions?q=pensao')).length, 0));
  await page.getByRole('link', { name: 'Entrada a confirmar', exact: true }).waitFor();
  await close();
});

test('an income that is edited is no longer said to be pending where it is not', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/recurring');
  const badge = page.getByRole('link', { name: 'Entrada a confirmar', exact: true });
  await badge.waitFor();
  await row(page, 'Pensão')
    .getByRole('button', { name: /^Pensão/ })
    .click();
  const edit = page.getByRole('dialog', { name: 'Editar conta' });
  await edit.getByRole('radio', { name: 'Saída' }).check();
  await edit.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Conta Pensão salva.').waitFor();
  await badge.waitFor({ state: 'detached' });
  await close();
});

test('an income that is entered elsewhere is no longer said to be pending', async () => {
  const { api, known } = await profile();
  const { name } = (await api.get('/api/categories')).find(one => one.id === known.Pensão.category_id);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  const badge = page.getByRole('link', { name: 'Entrada a confirmar', exact: true });
  await badge.waitFor();
  await page.getByRole('button', { name: 'Novo lançamento' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Novo lançamento' });
  await dialog.getByRole('radio', { name: 'Entrada', exact: true }).check();
  await dialog.getByLabel('Descrição', { exact: true }).fill('Pensão');
  await dialog.getByLabel('Valor', { exact: true }).fill('900');
  await dialog.getByLabel('Categoria', { exact: true }).selectOption({ label: name });
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await badge.waitFor({ state: 'detached' });
  await close();
});

test('the covering transaction is a link away, and back again', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/recurring?month=2026-03');
  await row(page, 'Aluguel').getByRole('link', { name: 'Ver lançamento Aluguel' }).click();
  await page.getByRole('heading', { name: 'Lançamentos de março de 2026' }).waitFor();
  await page.getByText(/^1 lançamento/).waitFor();
  await eventually(async () => assert.match(await focused(page), /Aluguel/));
  // The address has the row only for the first visit. When the list is read again, it keeps its place and does not move
  // the
  // focus.
  await eventually(async () => assert.doesNotMatch(page.url(), /row=/));
  await page.goBack();
  await page.getByRole('heading', { name: 'Contas a pagar e a receber em março de 2026' }).waitFor();
  await row(page, 'Bônus').getByRole('link', { name: 'Ver lançamento Bônus' }).click();
  await eventually(async () => assert.match(await focused(page), /Bônus/));
  await close();
});

test('an item is added, changed and deleted; what is wrong is told at its field', async () => {
  const { api, status } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/recurring');
  await page.getByRole('button', { name: 'Nova conta' }).click();
  const dialog = page.getByRole('dialog', { name: 'Nova conta a pagar ou receber' });
  await dialog.getByLabel('Dia do mês').fill('32');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  for (const text of [
    'Escreva uma descrição',
    'Escreva um valor acima de zero',
    'Um dia de 1 a 31.',
    'Escolha uma categoria.',
  ])
    await dialog.getByText(text).waitFor();
  await eventually(async () => assert.equal(await focused(page), 'description'));
  await inspect(page, 'recurring-wrong');
  await dialog.getByLabel('Descrição').fill('Natação');
  await dialog.getByLabel('Valor', { exact: true }).fill('100+35,50');
  await dialog.getByLabel('Dia do mês').fill('20');
  await dialog.getByLabel('Categoria').selectOption({ label: 'Saúde' });
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Natação: todo mês, no dia 20.').waitFor();
  await row(page, 'Natação').getByText('135,50').waitFor();
  await eventually(async () => assert.equal(await status('Natação'), 'pending'));

  await row(page, 'Natação')
    .getByRole('button', { name: /^Natação/ })
    .click();
  const edit = page.getByRole('dialog', { name: 'Editar conta' });
  await eventually(async () => assert.equal(await edit.getByLabel('Valor', { exact: true }).inputValue(), '135,50'));
  await inspect(page, 'recurring-edit');
  await edit.getByLabel('Dia do mês').fill('3');
  await edit.getByLabel('Conta', { exact: true }).selectOption({ label: 'Nubank' });
  await edit.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Conta Natação salva.').waitFor();
  await eventually(async () =>
    assert.match(await row(page, 'Natação').textContent(), /^3ter.*Ainda não saiu.*Saúde · Nubank/),
  );

  await row(page, 'Natação')
    .getByRole('button', { name: /^Natação/ })
    .click();
  await edit.getByRole('button', { name: 'Apagar' }).click();
  const sure = page.getByRole('dialog', { name: 'Apagar Natação?' });
  await inspect(page, 'recurring-delete', { schemes: ['light'] });
  await sure.getByRole('button', { name: 'Apagar' }).click();
  await page.getByText('Conta Natação apagada.').waitFor();
  await eventually(async () => assert.equal(await status('Natação'), undefined));
  await eventually(async () => assert.equal(await row(page, 'Natação').count(), 0));
  await close();
});

test('a least or greatest amount that is none is told at its field', async () => {
  const { api, known } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/recurring');
  await row(page, 'Condomínio')
    .getByRole('button', { name: /^Condomínio/ })
    .click();
  const edit = page.getByRole('dialog', { name: 'Editar conta' });
  await edit.getByText('Mais opções').click();
  await edit.getByLabel('Valor mínimo').fill('600');
  await edit.getByLabel('Valor máximo').fill('12,345');
  await edit.getByRole('button', { name: 'Salvar' }).click();
  await edit.getByText('Este valor não foi aceito.').waitFor();
  await eventually(async () => assert.equal(await focused(page), 'amount_max'));
  await edit.getByLabel('Valor máximo').fill('700');
  await edit.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Conta Condomínio salva.').waitFor();
  const { amount_min, amount_max } = await api.get(`/api/recurring/${known.Condomínio.id}`);
  assert.deepEqual([amount_min, amount_max], ['600.00', '700.00']);
  await close();
});

test('what is refused is taken back with its reason', async () => {
  const { api, status, known } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/recurring');
  await meanwhile(page, /\/api\/recurring\/\d+\//, () => api.post(`/api/recurring/${known.Condomínio.id}/ignore`));
  expect(409);
  await row(page, 'Condomínio').getByRole('button', { name: 'Marcar como atrasado Condomínio' }).click();
  await page.getByText('Este item já foi resolvido neste mês.').waitFor();
  await row(page, 'Condomínio').getByText('Ignorado').waitFor();

  expect(503);
  await page.route('**/api/recurring/*', route =>
    route.request().method() === 'DELETE' ? route.fulfill(refusal(503, 'ErrUnavailable')) : route.continue(),
  );
  await row(page, 'Escola')
    .getByRole('button', { name: /^Escola/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apagar' }).click();
  await page.getByRole('dialog', { name: 'Apagar Escola?' }).getByRole('button', { name: 'Apagar' }).click();
  await page.getByText('O Finance está ocupado').waitFor();
  await row(page, 'Escola').getByText('Atrasado').first().waitFor();
  await caughtUp(page);
  assert.equal(await status('Escola'), 'late');
  await page.unroute('**/api/recurring/*');

  expect('ERR_INTERNET_DISCONNECTED');
  await page.context().setOffline(true);
  await row(page, 'Escola').getByRole('button', { name: 'Ignorar Escola' }).click();
  await page.getByText('Não foi possível falar com o Finance').first().waitFor();
  await row(page, 'Escola').getByRole('button', { name: 'Não atrasado Escola' }).waitFor();
  await page.context().setOffline(false);
  await page.getByText('Sem conexão com o Finance').waitFor({ state: 'detached' });
  await close();
});

test('by keys alone: to the view, along the rows, into one, and back', async () => {
  const { api, status } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/settings');
  await keysBound(page);
  await goByKeys(page, 'r');
  await page.getByRole('heading', { name: 'Contas a pagar e a receber em março de 2026' }).waitFor();
  await row(page, 'Aluguel').waitFor();
  await keysBound(page);
  for (const name of [/Pensão/, /Escola/, /Condomínio/]) {
    await page.keyboard.press('j');
    await eventually(async () => assert.match(await focused(page), name));
  }
  await page.keyboard.press('k');
  await eventually(async () => assert.match(await focused(page), /Escola/));
  await accessible(page, 'a row with the focus');
  await page.keyboard.press('e');
  await page.getByRole('dialog', { name: 'Editar conta' }).waitFor();
  await eventually(async () => assert.equal(await focused(page), 'description'));
  await page.keyboard.press('Escape');
  // The focus is back a moment before the dialog is gone.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await eventually(async () => assert.match(await focused(page), /Escola/));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Editar conta' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await eventually(async () => assert.match(await focused(page), /Escola/));
  // The name, "Pagar", "É este lançamento", "Não atrasado".
  for (let steps = 0; steps < 4; steps++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal(await status('Escola'), 'pending'));
  // The focused button now has another action. The focus is not lost.
  await eventually(async () => assert.match(await focused(page), /Escola/));
  await close();
});

test('a transaction becomes an item that is expected every month', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  await row(page, 'Internet e telefone')
    .getByRole('button', { name: /^Tornar recorrente/ })
    .click();
  const dialog = page.getByRole('dialog', { name: 'Nova conta a pagar ou receber' });
  await eventually(async () =>
    assert.deepEqual(
      [
        await dialog.getByLabel('Valor', { exact: true }).inputValue(),
        await dialog.getByLabel('Dia do mês').inputValue(),
        await dialog.getByLabel('Categoria').locator('option:checked').textContent(),
        await dialog.getByLabel('Conta', { exact: true }).locator('option:checked').textContent(),
      ],
      ['149,90', '2', 'Assinaturas', 'Itaú'],
    ),
  );
  await dialog.getByLabel('Descrição').fill('Internet');
  await inspect(page, 'recurring-from-row');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Internet: todo mês, no dia 2.').waitFor();
  await eventually(async () =>
    assert.equal((await api.get('/api/recurring')).find(one => one.description === 'Internet')?.status, 'covered'),
  );
  // A transfer between accounts cannot be made recurring.
  await eventually(async () =>
    assert.equal(
      await row(page, 'Itaú → Reserva')
        .getByRole('button', { name: /^Tornar recorrente/ })
        .count(),
      0,
    ),
  );
  await close();

  const phone = await visit(browser, service.url, { api, ...PHONE });
  await phone.go('/transactions');
  await phone.page.getByRole('button', { name: /^Farmácia/ }).tap();
  await inspect(phone.page, 'transaction-edit-recur', { sizes: ['phone'] });
  await phone.page.getByRole('button', { name: 'Tornar recorrente' }).tap();
  const form = phone.page.getByRole('dialog', { name: 'Nova conta a pagar ou receber' });
  await form.getByRole('button', { name: 'Salvar' }).tap();
  await phone.page.getByText('Farmácia: todo mês, no dia 9.').waitFor();
  await phone.go('/recurring');
  await row(phone.page, 'Farmácia').getByText('Já lançado').waitFor();
  await row(phone.page, 'Escola').getByRole('button', { name: 'Ignorar Escola' }).tap();
  await row(phone.page, 'Escola').getByText('Ignorado').waitFor();
  await phone.close();
});

/** The line of a boleto of 2026-03-15, a Sunday, with its check digits. */
const boleto = cents => {
  const digits = text => [...text].map(Number);
  const mod10 = text =>
    (10 -
      (digits(text)
        .reverse()
        .map((digit, at) => (at % 2 === 0 ? digit * 2 : digit))
        .reduce((sum, value) => sum + Math.floor(value / 10) + (value % 10), 0) %
        10)) %
    10;
  const free = '1234567890123456789012345',
    due = `1386${String(cents).padStart(10, '0')}`;
  const sum = digits(`3419${due}${free}`)
    .reverse()
    .reduce((total, digit, at) => total + digit * ((at % 8) + 2), 0);
  const rest = 11 - (sum % 11),
    whole = rest === 0 || rest > 9 ? 1 : rest;
  const fields = [`3419${free.slice(0, 5)}`, free.slice(5, 15), free.slice(15)].map(one => `${one}${mod10(one)}`);
  return `${fields.join(' ')} ${whole} ${due}`;
};

const newBill = async page => {
  await page.getByRole('button', { name: 'Nova conta' }).click();
  return page.getByRole('dialog', { name: 'Nova conta a pagar ou receber' });
};

test('a boleto that is pasted fills the form, and is paid; the payment is undone', async () => {
  const { api, status } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/recurring');
  const dialog = await newBill(page);
  const code = dialog.getByLabel('Boleto ou Pix copia e cola');
  await code.fill(boleto(18000).replace('1386', '1387'));
  expect(422);
  await dialog.getByRole('button', { name: 'Ler código' }).click();
  await dialog.getByText('Não é o código de um boleto').waitFor();
  // The errors of what was not typed are gone once the code has filled it in.
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await dialog.getByText('Escreva um valor acima de zero').waitFor();
  await code.fill(boleto(18000));
  await code.press('Enter');
  await page.getByText('Código lido.').waitFor();
  await isAbsent(dialog.locator('[aria-invalid=true]'));
  await isAbsent(dialog.locator('.field-error'));
  await isAbsent(dialog.getByText('Confira os campos marcados.'));
  await eventually(async () =>
    assert.deepEqual(
      [
        await dialog.getByLabel('Valor', { exact: true }).inputValue(),
        await dialog.getByLabel('Repete').inputValue(),
        await dialog.getByLabel('Vencimento').inputValue(),
        await dialog.getByLabel('Em fim de semana ou feriado').inputValue(),
      ],
      ['180,00', 'once', '2026-03-15', 'after'],
    ),
  );
  await inspect(page, 'recurring-boleto');
  await dialog.getByLabel('Descrição').fill('Dentista');
  await dialog.getByLabel('Categoria').selectOption({ label: 'Saúde' });
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Dentista: em 15/03/2026.').waitFor();
  // A Sunday: it is expected on the Monday after.
  await eventually(async () => assert.match(await row(page, 'Dentista').textContent(), /^16seg.*180,00/));

  await row(page, 'Dentista').getByRole('button', { name: 'Pagar Dentista' }).click();
  const pay = page.getByRole('dialog', { name: 'Registrar pagamento' });
  await inspect(page, 'recurring-pay', { schemes: ['light'] });
  await pay.getByRole('button', { name: 'Pagar' }).click();
  await page.getByText('Pagamento registrado: Dentista.').waitFor();
  await row(page, 'Dentista').getByText('Ligado à mão').waitFor();
  assert.equal(await status('Dentista'), 'covered');
  assert.equal((await api.get('/api/transactions?q=dentista'))[0]?.amount, '180.00');
  await undo(page, 'Pagamento registrado: Dentista.').click();
  await row(page, 'Dentista').getByText('Esperado').waitFor();
  await eventually(async () => assert.equal((await api.get('/api/transactions?q=dentista')).length, 0));
  await close();
});

/** The text of a Pix, with its check digits. @param {string} name @param {string} amount */
const pix = (name, amount) => {
  const field = (id, value) => `${id}${String(value.length).padStart(2, '0')}${value}`;
  const key = field('00', 'br.gov.bcb.pix') + field('01', 'ana@example.com');
  const text =
    field('00', '01') +
    field('26', key) +
    field('52', '0000') +
    field('53', '986') +
    field('54', amount) +
    field('58', 'BR') +
    field('59', name) +
    field('60', 'SAO PAULO') +
    '6304';
  let crc = 0xffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return text + crc.toString(16).toUpperCase().padStart(4, '0');
};

test('a Pix that is pasted fills the form, by keyboard on a phone, and is one bill', async () => {
  const { api } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api, size: 'phone' });
  await go('/recurring');
  const dialog = await newBill(page);
  const code = dialog.getByLabel('Boleto ou Pix copia e cola');
  // A digit of the amount was lost.
  await code.fill(pix('Clínica Boa Vida', '75.40').replace('75.40', '15.40'));
  expect(422);
  await code.press('Enter');
  await dialog.getByText('Não é o código de um boleto').waitFor();
  await accessible(page, 'a wrong code');
  await code.fill(pix('Clínica Boa Vida', '75.40'));
  await code.press('Enter');
  await page.getByText('Código lido.').waitFor();
  await eventually(async () =>
    assert.deepEqual(
      [
        await dialog.getByLabel('Descrição').inputValue(),
        await dialog.getByLabel('Valor', { exact: true }).inputValue(),
        await dialog.getByLabel('Repete').inputValue(),
      ],
      ['Clínica Boa Vida', '75,40', 'once'],
    ),
  );
  await inspect(page, 'recurring-pix', { sizes: ['phone'] });
  await dialog.getByLabel('Categoria').selectOption({ label: 'Saúde' });
  // A Pix has no due date.
  await dialog.getByLabel('Vencimento').fill('2026-03-12');
  await dialog.getByRole('button', { name: 'Salvar' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Clínica Boa Vida: em 12/03/2026.').waitFor();
  const item = (await api.get('/api/recurring')).find(one => one.description === 'Clínica Boa Vida');
  assert.deepEqual([item.type, item.amount, item.count, item.start_on], ['expense', '75.40', 1, '2026-03-12']);
  await close();
});

test('each rhythm is made in the form, by keyboard too', async () => {
  const { api } = await profile({ isEmpty: true });
  await household(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/recurring');
  const made = async (name, choice, fields, message) => {
    const dialog = await newBill(page);
    await dialog.getByLabel('Descrição').fill(name);
    await dialog.getByLabel('Valor', { exact: true }).fill('150');
    await dialog.getByLabel('Categoria').selectOption({ label: 'Moradia' });
    await dialog.getByLabel('Repete').selectOption({ label: choice });
    for (const [label, value] of Object.entries(fields)) {
      const field = dialog.getByLabel(label, { exact: true });
      if (value === true) await field.check();
      else if (label === 'Unidade') await field.selectOption({ label: value });
      else await field.fill(value);
    }
    await dialog.getByRole('button', { name: 'Salvar' }).press('Enter');
    await page.getByText(message).waitFor();
    const { every, start_on, count, reserve, day } = (await api.get('/api/recurring')).find(
      one => one.description === name,
    );
    return { every, start_on, count, reserve, day };
  };
  const item = (n, unit, start_on, day, others = {}) => ({
    every: { n, unit },
    start_on,
    count: null,
    reserve: false,
    day,
    ...others,
  });
  assert.deepEqual(
    await made('Dentista', 'Uma vez', { Vencimento: '2026-03-12' }, 'Dentista: em 12/03/2026.'),
    item(1, 'month', '2026-03-12', 12, { count: 1 }),
  );
  assert.deepEqual(
    await made('Faxina', 'Toda semana', { 'A partir de': '2026-03-13' }, 'Faxina: toda semana'),
    item(1, 'week', '2026-03-13', 13),
  );
  assert.deepEqual(
    await made('Natação', 'Todo mês', { 'Dia do mês': '20' }, 'Natação: todo mês, no dia 20.'),
    item(1, 'month', null, 20),
  );
  assert.deepEqual(
    await made(
      'IPVA',
      'Todo ano',
      { Vencimento: '2027-01-20', 'Reservar um pouco a cada mês': true },
      'IPVA: todo ano',
    ),
    item(1, 'year', '2027-01-20', 20, { reserve: true }),
  );
  assert.deepEqual(
    await made(
      'Jardim',
      'Outro',
      { 'A cada': '3', Unidade: 'semanas', 'A partir de': '2026-03-11' },
      'Jardim: a cada 3 semanas.',
    ),
    item(3, 'week', '2026-03-11', 11),
  );
  // Each Friday is a due.
  await eventually(async () => assert.equal(await row(page, 'Faxina').count(), 3));
  await inspect(page, 'recurring-rhythms');
  await row(page, 'Jardim')
    .first()
    .getByRole('button', { name: /^Jardim/ })
    .click();
  await eventually(async () =>
    assert.equal(await page.getByRole('dialog', { name: 'Editar conta' }).getByLabel('A cada').inputValue(), '3'),
  );
  await inspect(page, 'recurring-other', { schemes: ['light'] });
  await close();
});

test('a template fills the form', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/recurring');
  const dialog = await newBill(page);
  await dialog.getByLabel('Começar de um modelo').selectOption({ label: 'IPVA' });
  await eventually(async () => assert.equal(await dialog.getByLabel('Descrição').inputValue(), 'IPVA'));
  assert.equal(await dialog.getByLabel('Repete').inputValue(), 'yearly');
  assert.equal(await dialog.getByLabel('Reservar um pouco a cada mês').isChecked(), true);
  await close();
});

test('a row to link has the name that it has in the lists', async () => {
  const { api } = await profile();
  const name = 'PADARIA CAMPO5';
  await api.post('/api/transactions', { type: 'expense', date: '2026-03-10', description: name, amount: '5.00' });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/recurring');
  await row(page, 'Condomínio').getByRole('button', { name: 'É este lançamento Condomínio' }).click();
  await page.getByRole('checkbox', { name: new RegExp(name) }).waitFor();
  await close();
});

test('a due is linked to a transaction of a list, and unlinked', async () => {
  const { api, status } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/recurring');
  await row(page, 'Condomínio').getByRole('button', { name: 'É este lançamento Condomínio' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Qual lançamento é Condomínio?' });
  await dialog.getByRole('checkbox').first().waitFor();
  await dialog.getByRole('button', { name: 'É este lançamento' }).click();
  await dialog.getByText('Marque ao menos um lançamento.').waitFor();
  await inspect(page, 'recurring-link');
  await dialog.getByLabel('Procurar lançamento').fill('farmácia');
  await eventually(async () => assert.equal(await dialog.getByRole('checkbox').count(), 1));
  await dialog.getByRole('checkbox', { name: /Farmácia/ }).press('Space');
  await dialog.getByRole('button', { name: 'É este lançamento' }).press('Enter');
  await page.getByText('Ligamos Condomínio ao lançamento.').waitFor();
  await row(page, 'Condomínio').getByText('Ligado à mão').waitFor();
  assert.equal(await status('Condomínio'), 'covered');
  await undo(page, 'Ligamos Condomínio ao lançamento.').click();
  await row(page, 'Condomínio').getByText('Esperado').waitFor();
  await eventually(async () => assert.equal(await status('Condomínio'), 'pending'));
  // The toast stays while another view is opened, which shows what is undone.
  await row(page, 'Condomínio').getByRole('button', { name: 'É este lançamento Condomínio' }).press('Enter');
  await dialog.getByRole('checkbox', { name: /Farmácia/ }).check();
  await dialog.getByRole('button', { name: 'É este lançamento' }).click();
  await page.getByText('Ligamos Condomínio ao lançamento.').last().waitFor();
  await page.getByRole('navigation', { name: 'Menu' }).first().getByRole('link', { name: 'Painel' }).click();
  await settled(page);
  const reread = page.waitForRequest(/\/api\/dashboard/);
  await undo(page, 'Ligamos Condomínio ao lançamento.').last().click();
  await reread;
  await close();
});

test('what was found is followed, or is none; both are undone; a new price is taken', async () => {
  const { api } = await profile({ isEmpty: true });
  const categories = Object.fromEntries((await api.get('/api/categories')).map(one => [one.name, one.id]));
  const add = (description, date, amount) =>
    api.post('/api/transactions', {
      type: 'expense',
      description,
      date,
      amount,
      category_id: categories.Assinaturas,
    });
  const months = ['2025-10', '2025-11', '2025-12', '2026-01', '2026-02'];
  for (const month of months) {
    await add('Netflix', `${month}-12`, '39.90');
    await add('Academia Corpo', `${month}-20`, '99.00');
  }
  await api.post('/api/recurring', {
    type: 'expense',
    description: 'Spotify',
    amount: '21.90',
    category_id: categories.Assinaturas,
    day: 5,
  });
  for (const month of ['2025-12', '2026-01', '2026-02']) await add('Spotify', `${month}-05`, '21.90');
  await add('Spotify', '2026-03-05', '23.90');
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/recurring');
  const found = page.getByRole('region', { name: 'Encontramos 3 contas que se repetem' });
  await found.getByText('Encontramos').click();
  await found.getByText(/^Subiu de R\$.21,90 para R\$.23,90$/).waitFor();
  await inspect(page, 'recurring-found');
  const two = page.getByRole('region', { name: 'Encontramos 2 contas que se repetem' });

  await found.getByRole('button', { name: 'Não é Academia' }).press('Enter');
  await page.getByText(/^Não sugerimos mais Academia.*\.$/).waitFor();
  await two.waitFor();
  await eventually(async () =>
    assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /^(Acompanhar|Atualizar)/),
  );
  await undo(page, 'Não sugerimos mais').click();
  await found.waitFor();

  await found.getByRole('button', { name: 'Acompanhar Netflix' }).click();
  await page.getByText('Acompanhamos Netflix daqui em diante.').waitFor();
  await row(page, 'Netflix').waitFor();
  await two.waitFor();
  await undo(page, 'Acompanhamos Netflix daqui em diante.').click();
  await found.waitFor();
  await eventually(async () => assert.equal(await row(page, 'Netflix').count(), 0));

  // A second press says nothing wrong.
  await found.getByRole('button', { name: 'Atualizar valor Spotify' }).dblclick();
  await page.getByText('Spotify: valor atualizado.').waitFor();
  await two.waitFor();
  await isAbsent(page.locator('#toasts .wrong'));
  assert.equal((await api.get('/api/recurring'))[0]?.amount, '23.90');
  await close();
});

test('nothing yet is a beginning; what cannot be read says so', async () => {
  const { api } = await profile({ isEmpty: true });
  const visitor = await visit(browser, service.url, { api });
  const { page, go, close } = visitor;
  await go('/recurring');
  await page.getByText('Nada se repete ainda').waitFor();
  await inspect(page, 'recurring-empty');
  // What was found is not contradicted.
  const category_id = await api.category('Assinaturas');
  for (const month of ['2025-11', '2025-12', '2026-01', '2026-02']) {
    const entry = { type: 'expense', description: 'Netflix', amount: '39.90', category_id };
    await api.post('/api/transactions', { ...entry, date: `${month}-12` });
  }
  await go('/recurring');
  await page.getByRole('region', { name: 'Encontramos 1 conta que se repete' }).waitFor();
  await page.getByText('Nenhuma conta acompanhada ainda').waitFor();
  await isAbsent(page.getByText('Nada se repete ainda'));
  await inspect(page, 'recurring-found-empty', { sizes: ['phone', 'desktop'] });
  await page.getByRole('link', { name: 'Usar um lançamento como base' }).click();
  await page.waitForURL(/\/transactions/);
  await household(api);
  await looksWhileAway(visitor, 'recurring', {
    address: `${service.url}/recurring`,
    calls: '**/api/recurring?*',
    ready: row(page, 'Condomínio'),
  });
  await close();
});

test('in English everything is', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/recurring');
  await page.getByRole('heading', { name: 'Bills and expected income in March 2026' }).waitFor();
  await eventually(async () => assert.match(await summary(page).textContent(), /^3 of 6 settled/));
  await inspect(page, 'recurring-english', { sizes: ['phone', 'desktop'], schemes: ['light'] });
  await page.getByRole('button', { name: 'New bill' }).click();
  await page
    .getByRole('dialog', { name: 'New bill or expected income' })
    .getByText('In shorter months, the last day.')
    .waitFor();
  await close();
});
