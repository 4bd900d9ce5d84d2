// Several statements at once: of several accounts in one file, and of several files.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { accessible, eventually, fits, inspect, visit } from './support.mjs';
import { file, ofxOfAccounts } from './statements.mjs';
import { isAbsent, keysBound } from './waits.mjs';

const { service, browser, user } = await suite();

const PHONE = { width: 360, height: 740 };

/** A separate profile with two accounts. */
const profile = async () => {
  const api = await user();
  const create = name =>
    api.post('/api/accounts', { name, kind: 'current', opening_balance: '1000.00', opening_date: '2026-02-01' });
  return { api, itau: await create('Itaú'), bank: await create('Nubank') };
};

/** The statements of two accounts. */
const OF_TWO_ACCOUNTS = file(
  'contas.ofx',
  ofxOfAccounts({
    '00012345': [['2026-03-02', '-10.00', 'PADARIA']],
    '00067890': [['2026-03-03', '-20.00', 'CINEMA']],
  }),
);

const choose = (page, ...files) => page.locator('.drop input[type=file]').setInputFiles(files);
const heading = (page, name) => page.getByRole('heading', { name, exact: true });

/** Presses Tab until the element with this name has the focus, and then the key. */
const press = async (page, role, name, key = 'Enter') => {
  const wanted = page.getByRole(role, { name, exact: true });
  await wanted.waitFor();
  await keysBound(page);
  for (let steps = 0; steps < 60; steps++) {
    if (await wanted.evaluate(element => element === document.activeElement)) return page.keyboard.press(key);
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach ${role} ${name}`);
};

const stored = async (api, account) =>
  (await api.get('/api/transactions?limit=100'))
    .filter(row => row.source === 'ofx' && row.account_id === account.id)
    .map(row => row.description)
    .sort();

test('a file of two accounts is asked about once, by keyboard on a phone; the accounts are known next time', async () => {
  const { api, itau, bank } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.setViewportSize(PHONE);
  await go('/imports');
  await choose(page, OF_TWO_ACCOUNTS);
  await heading(page, 'De onde é contas.ofx?').waitFor();
  const first = page.getByLabel('Final 2345 · 1 lançamento'),
    second = page.getByLabel('Final 7890 · 1 lançamento');
  await first.waitFor();
  // Nobody is asked for one account of the whole file.
  await isAbsent(page.getByLabel('Conta', { exact: true }));
  await press(page, 'button', 'Ler arquivo');
  await page.getByText('Diga de qual conta é este arquivo.').waitFor();
  await accessible(page, 'the accounts of one file');
  await fits(page, 'several statements');
  await first.selectOption({ label: 'Itaú' });
  await second.selectOption({ label: 'Nubank' });
  await press(page, 'button', 'Ler arquivo');
  await heading(page, 'Confira antes de importar').waitFor();
  const send = page.getByRole('button', { name: /^Importar 2 lançamentos/ });
  await send.focus();
  await page.keyboard.press('Enter');
  await heading(page, '2 lançamentos importados').waitFor();
  assert.deepEqual(await stored(api, itau), ['PADARIA']);
  assert.deepEqual(await stored(api, bank), ['CINEMA']);
  await press(page, 'button', 'Concluir');
  const line = page.getByRole('listitem').filter({ hasText: 'contas.ofx' });
  await line.getByText(/Itaú, Nubank|Nubank, Itaú/).waitFor();

  await choose(
    page,
    file(
      'outro.ofx',
      ofxOfAccounts({
        '00012345': [['2026-03-05', '-11.00', 'FEIRA']],
        '00067890': [['2026-03-06', '-21.00', 'TEATRO']],
      }),
    ),
  );
  await heading(page, 'De onde é outro.ofx?').waitFor();
  await first.waitFor();
  assert.equal(await first.inputValue(), String(itau.id));
  assert.equal(await second.inputValue(), String(bank.id));
  await press(page, 'button', 'Ler arquivo');
  await heading(page, 'Confira antes de importar').waitFor();
  await page.getByRole('button', { name: /^Importar 2 lançamentos/ }).waitFor();
  await close();
});

test('the accounts of a first file are created where it asks for them', async () => {
  const api = await user();
  const { page, go, close } = await visit(browser, service.url, { api, size: 'phone' });
  await go('/imports');
  await choose(page, OF_TWO_ACCOUNTS);
  for (const [name, statement] of [
    ['Itaú', 'Final 2345 · 1 lançamento'],
    ['Nubank', 'Final 7890 · 1 lançamento'],
  ]) {
    await page.getByLabel(statement).waitFor();
    await page.getByRole('button', { name: 'Nova conta' }).click();
    const dialog = page.getByRole('dialog', { name: 'Nova conta' });
    await dialog.getByLabel('Nome').fill(name);
    await dialog.getByRole('button', { name: 'Adicionar conta' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel(statement).locator('option:checked', { hasText: name }).waitFor({ state: 'attached' });
  }
  await inspect(page, 'imports-several', { sizes: ['phone', 'desktop'] });
  await press(page, 'button', 'Ler arquivo');
  await page.getByRole('button', { name: /^Importar 2 lançamentos/ }).click();
  await heading(page, '2 lançamentos importados').waitFor();
  const accounts = await api.get('/api/accounts');
  assert.deepEqual(
    accounts.map(({ name, balance }) => [name, balance]),
    [
      ['Itaú', '-10.00'],
      ['Nubank', '-20.00'],
    ],
  );
  await close();
});

test('three files are imported by one button, by keyboard on a phone; what needs an answer is asked after', async () => {
  const { api, itau, bank } = await profile();
  // Each account knows its number from an earlier file.
  for (const [account, number] of [
    [itau, '00012345'],
    [bank, '00067890'],
  ]) {
    const body = new FormData();
    body.set('account_id', String(account.id));
    body.set('file', new Blob([ofxOfAccounts({ [number]: [['2026-02-20', '-1.00', 'ANTES']] })]), 'antes.ofx');
    const { rows, statements, format } = await api.post('/api/import/preview', body);
    await api.post('/api/import/confirm', { account_id: account.id, format, rows, statements });
  }
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.setViewportSize(PHONE);
  await go('/imports');
  const third = ofxOfAccounts({
    '00012345': [['2026-03-08', '-12.00', 'FARMACIA']],
    '00067890': [['2026-03-09', '-22.00', 'LIVRARIA']],
  });
  await choose(
    page,
    file('a.ofx', ofxOfAccounts({ '00012345': [['2026-03-05', '-11.00', 'FEIRA']] })),
    file('b.ofx', ofxOfAccounts({ '00067890': [['2026-03-06', '-21.00', 'TEATRO']] })),
    file('c.ofx', third),
    file('d.ofx', ofxOfAccounts({ '00099999': [['2026-03-07', '-31.00', 'ESTACIONAMENTO']] })),
  );
  await heading(page, '4 arquivos para importar').waitFor();
  const line = name => page.getByRole('listitem').filter({ hasText: name });
  await line('a.ofx').getByText('Itaú · 1 lançamento novo').waitFor();
  await line('b.ofx').getByText('Nubank · 1 lançamento novo').waitFor();
  await line('c.ofx').getByText('Itaú, Nubank · 2 lançamentos novos').waitFor();
  await line('d.ofx').getByText('Precisa de uma resposta sua').waitFor();
  await inspect(page, 'imports-many', { sizes: ['phone', 'desktop'] });
  await page.setViewportSize(PHONE);
  await press(page, 'button', 'Importar 3 arquivos');
  await heading(page, '3 arquivos importados').waitFor();
  await line('c.ofx').getByText('2 lançamentos importados').waitFor();
  await accessible(page, 'three files imported');
  await fits(page, 'several statements');
  await eventually(async () => assert.deepEqual(await stored(api, itau), ['ANTES', 'FARMACIA', 'FEIRA']));
  assert.deepEqual(await stored(api, bank), ['ANTES', 'LIVRARIA', 'TEATRO']);
  // The fourth is of an account that nobody has told.
  await press(page, 'button', 'Responder sobre o outro');
  await heading(page, 'De onde é d.ofx?').waitFor();
  await page.getByLabel('Conta', { exact: true }).selectOption({ label: 'Nubank · Conta corrente' });
  await press(page, 'button', 'Ler arquivo');
  await page.getByRole('button', { name: /^Importar 1 lançamento/ }).click();
  await heading(page, '1 lançamento importado').waitFor();
  await press(page, 'button', 'Concluir');
  await heading(page, 'Importações anteriores').waitFor();
  assert.deepEqual(await stored(api, bank), ['ANTES', 'ESTACIONAMENTO', 'LIVRARIA', 'TEATRO']);

  // The same files again hold nothing new.
  await choose(
    page,
    file('c.ofx', third),
    file('e.ofx', ofxOfAccounts({ '00012345': [['2026-03-09', '-13.00', 'PAPELARIA']] })),
  );
  await line('c.ofx').getByText('0 lançamentos novos, 2 repetidos').waitFor();
  await press(page, 'button', 'Importar 2 arquivos');
  await line('c.ofx').getByText('Nada novo: tudo já está aqui').waitFor();
  await line('e.ofx').getByText('1 lançamento importado').waitFor();
  await press(page, 'button', 'Concluir');
  await heading(page, 'Importações anteriores').waitFor();
  assert.equal((await stored(api, itau)).length, 4);
  await close();
});
