// Statements: how they are chosen, read, corrected, checked, sent and undone; held card statements; files that are not
// statements.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { suite } from './suite.mjs';
import {
  accessible,
  addAccount,
  eventually,
  fits,
  inspect,
  isFirefox,
  loseFirstAnswer,
  PHONE,
  picture,
  settled,
  SIZES,
  undo,
  visit,
} from './support.mjs';
import { cardCsv, file, march, ofx, unfiled } from './statements.mjs';
import { caughtUp, fieldFocused, hold, isAbsent, keysBound, placeholdersShown, withStoppedClock } from './waits.mjs';

/** The most elements of a page, however long the file is. */
const ELEMENTS_MAX = 1500;

const { service, browser, user } = await suite();

/** A separate profile, with an account and a card. */
const profile = async () => {
  const api = await user();
  const account = await addAccount(api, 'Itaú', 'current', '5000.00', '2026-02-01');
  const card = await api.post('/api/accounts', { name: 'Cartão', kind: 'credit', closing_day: 25, due_day: 5 });
  return { api, account, card };
};

const choose = (page, ...files) => page.locator('.drop input[type=file]').setInputFiles(files);
const read = async (page, account) => {
  if (account) await page.getByLabel('Conta', { exact: true }).selectOption({ label: account });
  await page.getByRole('button', { name: 'Ler arquivo' }).click();
};
const heading = (page, name) => page.getByRole('heading', { name, exact: true });
const ITAU = 'Itaú · Conta corrente',
  CARD = 'Cartão · Cartão de crédito';

test('a new profile is told what to do first', async () => {
  const { page, go, close } = await visit(browser, service.url, { api: await user() });
  await go('/imports');
  await heading(page, 'Importar').waitFor();
  await page.getByText('Nenhuma ainda.').waitFor();
  await page.getByText('Onde encontro o arquivo?').click();
  await inspect(page, 'imports-empty');
  await choose(page, file('extrato.ofx', march));
  await page.getByRole('button', { name: 'Nova conta' }).click();
  await page.getByLabel('Nome').fill('Carteira');
  await page.getByRole('button', { name: 'Adicionar conta' }).click();
  // The only account is chosen by itself.
  await page
    .getByLabel('Conta', { exact: true })
    .locator('option:checked', { hasText: 'Carteira' })
    .waitFor({ state: 'attached' });
  await close();
});

test('an OFX file is imported once, however often it is brought', async () => {
  const { api, account } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  await choose(page, file('extrato-03.ofx', march));
  await heading(page, 'De onde é extrato-03.ofx?').waitFor();
  // Nothing is sent before an account is chosen.
  await read(page);
  await page.getByText('Diga de qual conta é este arquivo.').waitFor();
  await inspect(page, 'imports-place-wrong', { schemes: ['light'] });
  await read(page, ITAU);
  await heading(page, 'Confira antes de importar').waitFor();
  await page.getByText('6 lançamentos novos para Itaú.').waitFor();
  await inspect(page, 'imports-review', { sizes: ['phone', 'tablet', 'desktop'] });
  await page.getByRole('checkbox', { name: /^Importar FARMACIA CENTRAL/ }).uncheck();
  const send = page.getByRole('button', { name: /^Importar 5 lançamentos/ });
  await eventually(async () => assert.match(await send.innerText(), /\+R\$\s3\.510,85/));
  await send.click();
  await heading(page, '5 lançamentos importados').waitFor();
  await page.getByText('Em Itaú, somando +R$ 3.510,85.').waitFor();
  await settled(page);
  await inspect(page, 'imports-result', { sizes: ['phone', 'desktop'] });
  // The link leads to the imported rows of all dates, and back.
  await page.getByRole('link', { name: 'Ver lançamentos' }).click();
  await heading(page, 'Lançamentos').waitFor();
  await page.getByText('SUPERMERCADO BOM PRECO').waitFor();
  await page.goBack();
  await heading(page, '5 lançamentos importados').waitFor();
  await page.getByRole('button', { name: 'Concluir' }).click();
  await page
    .getByRole('listitem')
    .filter({ hasText: 'extrato-03.ofx' })
    .getByText(/Itaú · 5 lançamentos/)
    .waitFor();
  await inspect(page, 'imports-log', { schemes: ['light'] });
  await eventually(async () =>
    assert.equal((await api.get('/api/transactions?limit=100')).filter(row => row.source === 'ofx').length, 5),
  );

  // The file is imported again: its account is known from its name, and one row is new.
  await choose(page, file('extrato-04.ofx', march));
  await eventually(async () =>
    assert.equal(await page.getByLabel('Conta', { exact: true }).inputValue(), String(account.id)),
  );
  await read(page);
  await page.getByText('1 lançamento novo para Itaú; 5 repetidos ficam de fora.').waitFor();
  await page.getByRole('button', { name: /^Importar 1 lançamento/ }).click();
  await heading(page, '1 lançamento importado').waitFor();
  await page.getByRole('button', { name: 'Concluir' }).click();

  await choose(page, file('extrato-03.ofx', march));
  await read(page);
  await page.getByText('Todos os 6 lançamentos deste arquivo já estão aqui. Não há nada a importar.').waitFor();
  await page.getByText('Nada a enviar.').waitFor();
  await eventually(async () =>
    assert.equal(
      await page.getByRole('row').getByRole('checkbox').filter({ visible: true }).count(),
      1,
      'only that of the head',
    ),
  );
  await eventually(async () => assert.equal(await page.getByRole('button', { name: /^Importar \d/ }).count(), 0));
  // Each duplicate has a link to the stored row.
  await page.getByRole('button', { name: 'Já está aqui SALARIO' }).click();
  const dialog = page.getByRole('dialog', { name: 'Já está aqui' });
  await dialog.getByText('domingo, 1 de março').waitFor();
  await dialog.getByText('arquivo OFX').waitFor();
  await accessible(page, 'the stored row');
  await page.keyboard.press('Escape');
  await inspect(page, 'imports-duplicates');
  await page.getByRole('button', { name: 'Concluir' }).click();
  await heading(page, 'Importar').waitFor();
  await close();
});

test('a row that looks like a stored one says so, and a person decides', async () => {
  const { api, account } = await profile();
  await api.post('/api/transactions', {
    date: '2026-03-08',
    type: 'expense',
    description: 'Farmácia do bairro',
    amount: '64.90',
    account_id: account.id,
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  await choose(page, file('extrato-03.ofx', march));
  await read(page, ITAU);
  await heading(page, 'Confira antes de importar').waitFor();
  await page.getByRole('button', { name: 'Parecido com um que já está aqui FARMACIA CENTRAL' }).click();
  const dialog = page.getByRole('dialog', { name: 'Parecido com um que já está aqui' });
  await dialog.getByText('Farmácia do bairro').waitFor();
  await accessible(page, 'the row that looks like it');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // The row is imported unless it is unmarked.
  await page.getByRole('button', { name: /^Importar 6 lançamentos/ }).waitFor();
  await page.getByRole('row').filter({ hasText: 'Farmácia Central' }).getByRole('checkbox').uncheck();
  await page.getByRole('button', { name: /^Importar 5 lançamentos/ }).click();
  await heading(page, '5 lançamentos importados').waitFor();
  assert.deepEqual(
    (await api.get('/api/transactions?q=farm%C3%A1cia')).map(row => row.description),
    ['Farmácia do bairro'],
  );
  await close();
});

test('a CSV file that was misread is mended', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  // An American export: what looks like the third of April is the fourth of March.
  await choose(
    page,
    file(
      'export.csv',
      'Date;Memo;Amount\n03/04/2026;BOOKSHOP;-12.50\n03/05/2026;CAFE;-3.20\n03/06/2026;REFUND;10.00\nsoon;NOTHING;1.00\n',
    ),
  );
  await read(page, ITAU);
  await heading(page, 'Veja como lemos o arquivo').waitFor();
  await page.getByText('3 lançamentos encontrados e 1 linha que não é lançamento.').waitFor();
  await page.getByText('sexta-feira, 3 de abril').waitFor();
  await page.getByText('Algo está trocado? Corrija a leitura').click();
  await inspect(page, 'imports-columns');
  await page.getByLabel('Como as datas são escritas').selectOption('mm/dd/yyyy');
  await page.getByText('quarta-feira, 4 de março').waitFor();
  await page.getByLabel('Deixar de fora os valores negativos').check();
  await page.getByText('1 lançamento encontrado').waitFor();
  await page.getByLabel('Deixar de fora os valores negativos').uncheck();
  await page.getByLabel('Tudo é saída').check();
  await page.getByText('3 lançamentos encontrados').waitFor();
  await page.getByText('Saída −R$ 10,00').waitFor();
  await page.getByLabel('Tudo é saída').uncheck();
  await page.getByText('Entrada +R$ 10,00').waitFor();
  await page.getByText('1 linha não é lançamento').click();
  await page.getByText('linha 5:').waitFor();
  await page.getByRole('button', { name: 'Conferir 3 lançamentos' }).click();
  await page.getByText('3 lançamentos novos para Itaú.').waitFor();
  // A step back and forth keeps the answers.
  await page.getByRole('button', { name: 'Corrigir leitura' }).click();
  await eventually(async () =>
    assert.equal(await page.getByLabel('Como as datas são escritas').inputValue(), 'mm/dd/yyyy'),
  );
  await page.getByRole('button', { name: 'Conferir 3 lançamentos' }).click();
  const sent = page.waitForRequest(request => request.url().includes('/api/import/confirm'));
  await page.getByRole('button', { name: /^Importar 3 lançamentos/ }).click();
  const request = await sent;
  if (!isFirefox)
    assert.deepEqual(
      request.postDataJSON().rejected.map(line => [line.line, line.code, line.amount, line.description]),
      [[5, 'invalid_date', '1.00', 'NOTHING']],
    );
  await heading(page, '3 lançamentos importados').waitFor();
  const dates = (await api.get('/api/transactions?limit=100'))
    .filter(row => row.source === 'csv')
    .map(row => row.date)
    .sort();
  assert.deepEqual(dates, ['2026-03-04', '2026-03-05', '2026-03-06']);
  await close();
});

test('a known CSV file goes on to the check at once, and its rows without a category are one link away', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await api.post('/api/transactions', {
    date: '2026-02-27',
    type: 'expense',
    description: 'ZQX',
    amount: '5.00',
    category_id: null,
  });
  await go('/imports');
  const rows = cardCsv([
    ['2026-03-01', 'XYZW LTDA', '10.00'],
    ['2026-03-02', 'Supermercado Bom Preço', '20.00'],
    ['2026-03-03', 'QKJH LTDA', '30.00'],
  ]);
  await choose(page, file('nubank-2026-03.csv', rows));
  await read(page, CARD);
  await heading(page, 'Confira antes de importar').waitFor();
  // The way back to the columns stays.
  await page.getByRole('button', { name: 'Corrigir leitura' }).click();
  await heading(page, 'Veja como lemos o arquivo').waitFor();
  await page.getByRole('button', { name: 'Conferir 3 lançamentos' }).click();
  await page.getByRole('button', { name: /^Importar 3 lançamentos/ }).click();
  await heading(page, '3 lançamentos importados').waitFor();
  await page.getByText('2 sem categoria: categorizar').waitFor();
  await inspect(page, 'imports-uncategorized', { schemes: ['light'] });
  await page.getByRole('link', { name: 'categorizar' }).click();
  await page.getByText('2 lançamentos', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^XYZW/i }).waitFor();
  await page.getByRole('button', { name: /^QKJH/i }).waitFor();
  // Brought again with one more, what is new comes first.
  await go('/imports');
  await choose(page, file('nubank-2026-03b.csv', `${rows}2026-03-05,VBNM LTDA,40.00\n`));
  await read(page, CARD);
  await page.getByText('1 lançamento novo para Cartão; 3 repetidos ficam de fora.').waitFor();
  await eventually(async () =>
    assert.deepEqual(
      await page.locator('.review-row').evaluateAll(all => all.map(row => row.classList.contains('duplicate'))),
      [false, true, true, true],
    ),
  );
  await close();
});

test('a balance in the file that does not agree is told with the result', async () => {
  const { api, account } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  const statement = ofx([['2026-03-02', '-32.70', 'UBER TRIP']]).replace(
    '</BANKTRANLIST>',
    '</BANKTRANLIST><LEDGERBAL><BALAMT>777.00<DTASOF>20260309</LEDGERBAL>',
  );
  await choose(page, file('extrato.ofx', statement));
  await read(page, ITAU);
  await page.getByRole('button', { name: /^Importar 1 lançamento/ }).click();
  await heading(page, '1 lançamento importado').waitFor();
  await page
    .getByText(
      /O saldo não confere: o arquivo diz que Itaú tinha R\$\s777,00 em 9 de março, e aqui são R\$\s4\.967,30\./,
    )
    .waitFor();
  await page.getByText(/Diferença de R\$\s4\.190,30\./).waitFor();
  await isAbsent(page.getByText('Está diferente no banco?'));
  await accessible(page, 'a balance that does not agree');
  await page.getByRole('link', { name: 'Ver o que pode faltar' }).click();
  await page.waitForURL(`${service.url}/accounts?id=${account.id}`);
  await close();
});

test('a yield that the account adds by itself is left out, unless a person keeps it', async () => {
  const api = await user();
  const account = await api.post('/api/accounts', {
    name: 'Cofre',
    kind: 'investment',
    yield_type: 'cdi',
    last_yield_date: '2026-03-09',
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  const rows = ofx([
    ['2026-03-02', '1000.00', 'DEPOSITO'],
    ['2026-03-03', '0.45', 'RENDIMENTOS'],
    ['2026-03-04', '0.55', 'RENDIMENTOS MARCO'],
  ]);
  await choose(page, file('cofre.ofx', rows));
  await read(page, 'Cofre · Investimento');
  await page.getByText('Um rendimento, que a conta já lança sozinha.').first().waitFor();
  await page.getByRole('button', { name: /^Importar 1 lançamento/ }).waitFor();
  await inspect(page, 'imports-yield', { sizes: ['phone', 'desktop'] });
  await page.getByRole('button', { name: 'Importar mesmo assim RENDIMENTOS MARCO' }).click();
  await page.getByText('Entra, embora a conta já lance rendimentos sozinha.').waitFor();
  await page.getByRole('button', { name: /^Importar 2 lançamentos/ }).click();
  await page.getByText('Em Cofre, somando +R$\u00a01.000,55.').waitFor();
  const stored = await api.get(`/api/transactions?account_id=${account.id}`);
  assert.deepEqual(stored.map(one => one.description).sort(), ['DEPOSITO', 'RENDIMENTOS MARCO']);
  await close();
});

test('columns that nobody recognises are named by a person; what does not fit is said at its field', async () => {
  const { api } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/imports');
  await choose(
    page,
    file('caderno.csv', 'nota#quando#quanto#resto\nfeira#01.03.2026#12,50#100,00\npadaria#02.03.2026#8,00#92,00\n'),
  );
  expect(422);
  await read(page, ITAU);
  await page.getByText('Nenhum lançamento foi encontrado em caderno.csv.').waitFor();
  await inspect(page, 'imports-unreadable', { schemes: ['light'] });
  await page.getByRole('button', { name: 'Dizer como ler' }).click();
  await heading(page, 'Como este arquivo é?').waitFor();
  await page.getByRole('columnheader', { name: 'quanto' }).waitFor();
  await inspect(page, 'imports-unknown', { schemes: ['light'] });
  await page.getByLabel('O que separa as colunas').selectOption('#');
  await page.getByText('2 lançamentos encontrados.').waitFor();
  await page.getByText('Entrada +R$ 12,50').waitFor();
  await page.getByLabel('Coluna do valor').selectOption({ label: 'nota' });
  await page.locator('[aria-invalid=true]').waitFor();
  await accessible(page, 'a column that does not fit');
  await page.getByLabel('Coluna do valor').selectOption({ label: 'resto' });
  await page.getByText('Entrada +R$ 100,00').waitFor();
  await page.getByRole('button', { name: 'Voltar' }).click();
  await page.getByRole('button', { name: 'Cancelar' }).click();
  await heading(page, 'Importar').waitFor();
  await close();
});

test('files that are no statements say what they are, and the others go on', async () => {
  const { api } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/imports');
  const zip = Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 6, 0, 8, 0, 0, 0, 0x21, 0, 1, 2, 3, 4]);
  // Several files are read as soon as they are chosen.
  expect(422);
  expect(415);
  await choose(
    page,
    file('extrato.xlsx', zip),
    file('vazio.csv', ''),
    file('extrato.pdf', '%PDF-1.7\n1 0 obj\n'),
    file('bom.ofx', march),
  );
  await page.getByText('Arquivo 1 de 4: extrato.xlsx').waitFor();
  await read(page, ITAU);
  await page.getByText('Nenhum lançamento foi encontrado em extrato.xlsx.').waitFor();
  await page.getByText('Nada foi gravado. Veja se a planilha abre sem senha').waitFor();
  // The kind of the file is right.
  await isAbsent(page.getByRole('heading', { name: 'Onde cada banco exporta' }));
  await inspect(page, 'imports-xlsx');
  await page.getByRole('button', { name: 'Pular este arquivo' }).click();
  await page.getByText('Arquivo 2 de 4: vazio.csv').waitFor();
  await read(page, ITAU);
  await page.getByText('vazio.csv está vazio.').waitFor();
  // The pressed button is gone, and the focus is on what happened.
  await eventually(async () =>
    assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /^vazio\.csv está vazio\./),
  );
  await inspect(page, 'imports-empty-file', { schemes: ['light'] });
  await page.getByRole('button', { name: 'Pular este arquivo' }).click();
  await read(page, ITAU);
  await page.getByText('extrato.pdf é um PDF, feito para imprimir.').waitFor();
  const banks = page.getByRole('group', { name: 'Onde cada banco exporta' });
  const itau = banks.getByRole('row', { name: /^Itaú/ });
  await itau.getByText('No site').waitFor();
  await itau.getByText('Conta corrente › Consultar extrato › Salvar em OFX').waitFor();
  assert.deepEqual(await itau.locator('td.nowrap > div').allTextContents(), ['OFX', 'XLS']);
  await banks
    .getByRole('row', { name: /^Nubank/ })
    .getByText('No aplicativo', { exact: true })
    .waitFor();
  await inspect(page, 'imports-pdf');
  // Another file replaces it, and keeps its answers.
  await page
    .getByLabel('Escolher outro arquivo')
    .setInputFiles(file('certo.ofx', ofx([['2026-03-03', '-9.90', 'CINEMA']])));
  await heading(page, 'De onde é certo.ofx?').waitFor();
  await read(page);
  await page.getByRole('button', { name: /^Importar 1 lançamento/ }).click();
  await page.getByRole('button', { name: 'Próximo arquivo' }).click();
  await page.getByText('Arquivo 4 de 4: bom.ofx').waitFor();
  await page.getByRole('button', { name: 'Cancelar todos' }).click();
  await heading(page, 'Importar').waitFor();
  await close();
});

test('a spreadsheet is read sheet by sheet, and imported', async () => {
  const { api, account } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  await choose(
    page,
    file('btg.xlsx', await readFile(new URL('../../crates/statements/tests/fixtures/btg.xlsx', import.meta.url))),
  );
  await read(page, ITAU);
  await heading(page, 'Veja como lemos o arquivo').waitFor();
  await page.getByText('5 lançamentos encontrados e 2 linhas que não são lançamentos.').waitFor();
  await page.getByText('2 linhas não são lançamentos').click();
  await page.getByText('Fevereiro, linha 3:').waitFor();
  await page.getByText('Algo está trocado? Corrija a leitura').click();
  await page.getByLabel('Coluna do valor').waitFor();
  // Its cells are separate already.
  await isAbsent(page.getByLabel('O que separa as colunas'));
  await inspect(page, 'imports-spreadsheet');
  // When a column is chosen, the file is read again.
  await page.getByLabel('Coluna da descrição').selectOption({ label: 'Categoria' });
  await page.locator('.read-row').getByText('Transferência').waitFor();
  await page.getByLabel('Coluna da descrição').selectOption({ value: '' });
  await page.locator('.read-row').getByText('PADARIA DO ZÉ').waitFor();
  await page.getByRole('button', { name: 'Conferir 5 lançamentos' }).click();
  await page.getByRole('button', { name: /^Importar 5 lançamentos/ }).click();
  await heading(page, '5 lançamentos importados').waitFor();
  await eventually(async () => {
    const stored = (await api.get('/api/transactions?limit=100')).filter(
      row => row.account_id === account.id && row.source === 'csv',
    );
    assert.deepEqual(stored.map(row => row.amount).sort(), ['0.30', '12.34', '1234.56', '45.90', '5000.00']);
  });
  await close();
});

test('the day of payment is that of the bill that has closed, until it is due', async () => {
  const api = await user();
  for (const [name, closing_day, due_day] of [
    ['Fechado', 5, 15],
    ['Vencido', 25, 5],
  ])
    await api.post('/api/accounts', { name, kind: 'credit', closing_day, due_day });
  for (const [name, date] of [
    ['Fechado', '2026-03-15'],
    ['Vencido', '2026-04-05'],
  ]) {
    const { page, go, close } = await visit(browser, service.url, { api });
    await go('/imports');
    await choose(page, file('fatura.csv', cardCsv([['2026-03-04', 'Mercado Livre', '89.90']])));
    await page.getByLabel('Conta', { exact: true }).selectOption({ label: `${name} · Cartão de crédito` });
    await page.getByText('Todas no dia do pagamento da fatura').click();
    await eventually(async () =>
      assert.equal(await page.getByLabel('Dia do pagamento', { exact: true }).inputValue(), date),
    );
    await close();
  }
  // The day follows the card until a person chooses one.
  const { page, go, close } = await visit(browser, service.url, { api });
  const day = page.getByLabel('Dia do pagamento', { exact: true });
  const card = name => page.getByLabel('Conta', { exact: true }).selectOption({ label: `${name} · Cartão de crédito` });
  await go('/imports');
  await choose(page, file('fatura.csv', cardCsv([['2026-03-04', 'Mercado Livre', '89.90']])));
  await card('Fechado');
  await page.getByText('Todas no dia do pagamento da fatura').click();
  await card('Vencido');
  await eventually(async () => assert.equal(await day.inputValue(), '2026-04-05'));
  await day.fill('2026-04-07');
  await card('Fechado');
  await eventually(async () => assert.equal(await day.inputValue(), '2026-04-07'));
  // One digit too many in the year breaks nothing.
  await day.evaluate(field => {
    field.value = '20266-04-07';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await caughtUp(page);
  await card('Vencido');
  assert.equal(await day.inputValue(), '20266-04-07');
  await close();
});

test('a card statement of the future waits, is confirmed, or is discarded', async () => {
  const { api, card } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  const hold = async rows => {
    await choose(page, file('fatura.csv', cardCsv(rows)));
    await page.getByLabel('Conta', { exact: true }).selectOption({ label: CARD });
    await page.getByText('Todas no dia do pagamento da fatura').click();
    await page.getByLabel('Dia do pagamento', { exact: true }).fill('2026-04-05');
    await page.getByText('A fatura fica pendente até 5 de abril').waitFor();
    await page.getByRole('button', { name: 'Ler arquivo' }).click();
    await page.getByRole('button', { name: /^Guardar \d/ }).click();
    await heading(page, `Fatura guardada com ${rows.length} lançamentos`).waitFor();
  };
  await hold([
    ['2026-03-04', 'Mercado Livre', '89.90'],
    ['2026-03-05', 'Posto Shell', '180.00'],
    ['2026-03-07', 'Estorno loja', '-20.00'],
  ]);
  await page.getByText('São R$ 249,90, pendentes até 5 de abril.').waitFor();
  await inspect(page, 'imports-held');
  await eventually(async () =>
    assert.equal((await api.get('/api/transactions?limit=100')).filter(row => row.account_id === card.id).length, 0),
  );
  // The import is undone at once.
  await page.locator('#content').getByRole('button', { name: 'Desfazer' }).click();
  await heading(page, 'Importação desfeita').waitFor();
  await eventually(async () => assert.deepEqual(await api.get('/api/pending-bills'), []));
  await page.getByRole('button', { name: 'Concluir' }).click();

  await hold([
    ['2026-03-04', 'Mercado Livre', '89.90'],
    ['2026-03-05', 'Posto Shell', '180.00'],
  ]);
  await page.getByRole('button', { name: 'Concluir' }).click();
  const held = page.getByRole('region', { name: 'Faturas pendentes' });
  await held.getByText('Fatura importada, fica guardada até 5 de abr. · 2 linhas').waitFor();
  await inspect(page, 'imports-pending');
  await held.getByRole('button', { name: 'Ver Cartão' }).click();
  await page.getByRole('dialog').getByText('Posto Shell').waitFor();
  await page.keyboard.press('Escape');
  await held.getByRole('button', { name: 'Confirmar Cartão' }).click();
  await page.getByText('2 lançamentos incluídos.').waitFor();
  await held.waitFor({ state: 'detached' });
  await eventually(async () =>
    assert.equal((await api.get('/api/transactions?limit=100')).filter(row => row.account_id === card.id).length, 2),
  );

  await hold([
    ['2026-03-08', 'Livraria', '40.00'],
    ['2026-03-09', 'Bistrô', '112.40'],
  ]);
  await page.getByRole('button', { name: 'Concluir' }).click();
  await held.getByRole('button', { name: 'Descartar Cartão' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Descartar' }).click();
  await page.getByText('Fatura descartada.').waitFor();
  await held.waitFor({ state: 'detached' });
  await eventually(async () => assert.deepEqual(await api.get('/api/pending-bills'), []));
  await close();
});

test('many are categorised at once; an import is taken back', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  const transport = await api.category('Transporte'),
    health = await api.category('Saúde');
  await go('/imports');
  await choose(page, file('extrato.ofx', unfiled));
  await read(page, ITAU);
  await heading(page, 'Confira antes de importar').waitFor();
  const count = name => page.getByRole('group', { name: 'Mostrar' }).getByText(name);
  await count('Sem categoria 6').waitFor();
  // One row is filed, and then all rows with the same description.
  const first = page.getByLabel('Categoria de LOJA NORTE').first();
  await first.focus();
  await first.selectOption({ label: 'Transporte' });
  await page.getByRole('button', { name: 'Usar também nos outros 2 com esta descrição' }).click();
  await page.getByText('2 lançamentos em Transporte.').waitFor();
  await count('Sem categoria 3').waitFor();
  // The marked rows that are shown are filed.
  await page.keyboard.press('/');
  await page.keyboard.type('azul');
  await page.getByText('Categoria do marcado visível').waitFor();
  await page.locator('form.review-bulk select').selectOption({ label: 'Saúde' });
  await page.getByRole('button', { name: 'Aplicar' }).click();
  await count('Sem categoria 2').waitFor();
  await undo(page, '1 lançamento em Saúde.').click();
  await count('Sem categoria 3').waitFor();
  // A new category may be made on the way.
  const blue = page.getByLabel('Categoria de CASA AZUL');
  await blue.focus();
  await blue.selectOption({ label: 'Nova categoria…' });
  const created = page.getByRole('dialog', { name: 'Nova categoria' });
  await created.getByLabel('Nome').fill('Presentes de natal');
  await created.getByRole('button', { name: 'Criar categoria' }).click();
  await created.waitFor({ state: 'detached' });
  await count('Sem categoria 2').waitFor();
  await page.locator('form.review-bulk select').selectOption({ label: 'Saúde' });
  await page.getByRole('button', { name: 'Aplicar' }).click();
  await page.getByRole('searchbox').fill('');
  await page.getByRole('radio', { name: /^Sem categoria/ }).check();
  await eventually(async () => assert.equal(await page.getByRole('row').count(), 3, 'the head and two'));
  await page.getByRole('radio', { name: /^Todos/ }).check();
  await inspect(page, 'imports-categorised');
  await page.getByRole('button', { name: /^Importar 6 lançamentos/ }).click();
  await heading(page, '6 lançamentos importados').waitFor();
  const stored = (await api.get('/api/transactions?limit=100')).filter(row => row.source === 'ofx');
  assert.deepEqual(stored.filter(row => row.category_id === transport).length, 3);
  assert.deepEqual(
    stored.filter(row => row.category_id === health).map(row => row.description),
    ['CASA AZUL'],
  );

  await page.locator('#content').getByRole('button', { name: 'Desfazer' }).click();
  await page.getByText('6 lançamentos foram apagados. Tudo está como antes.').waitFor();
  await eventually(async () =>
    assert.equal((await api.get('/api/transactions?limit=100')).filter(row => row.source === 'ofx').length, 0),
  );
  // The chosen categories are still there.
  await page.getByRole('button', { name: 'Corrigir e importar de novo' }).click();
  await page.getByText('6 lançamentos novos para Itaú.').waitFor();
  await count('Sem categoria 2').waitFor();
  await page.getByRole('button', { name: /^Importar 6 lançamentos/ }).click();
  await page.getByRole('button', { name: 'Concluir' }).click();
  // The log has a link to the imported rows.
  await page.getByRole('link', { name: 'extrato.ofx' }).click();
  await page.waitForURL(/\/transactions\?month=all&import_id=\d+$/);
  await page.getByText(/^6 lançamentos/).waitFor();
  await page.goBack();
  // From the log, the page asks before an undo.
  await page.getByRole('button', { name: 'Desfazer extrato.ofx' }).click();
  await page
    .getByRole('dialog')
    .getByText('Os 6 lançamentos que entraram são apagados, também os que você editou.')
    .waitFor();
  await accessible(page, 'the question');
  await page.getByRole('button', { name: 'Desfazer importação' }).click();
  await page.getByText('6 lançamentos apagados.').waitFor();
  await page.getByText('Nenhuma ainda.').waitFor();
  // The pressed button is gone with its row.
  await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.id), 'log'));
  // The history suggests a category. A suggestion is marked as one.
  await api.post('/api/transactions', {
    date: '2026-02-01',
    type: 'expense',
    description: 'CASA AZUL',
    amount: '10.00',
    category_id: health,
  });
  await choose(page, file('extrato.ofx', unfiled));
  await read(page, ITAU);
  const suggested = page.getByRole('row').filter({ hasText: 'CASA AZUL' });
  await suggested.getByText('histórico').waitFor();
  await eventually(async () => assert.equal(await suggested.getByRole('combobox').inputValue(), String(health)));
  await close();
});

const cardMarch = ofx([
  ['2026-02-10', '-300.00', 'MERCADO A'],
  ['2026-02-20', '-700.00', 'LOJA B - Parcela 1/3'],
  ['2026-03-02', '-120.00', 'POSTO C'],
  ['2026-03-05', '1000.00', 'Pagamento recebido'],
  ['2026-03-08', '50.00', 'Estorno LOJA D'],
]);
const accountMarch = ofx([
  ['2026-03-01', '4000.00', 'SALARIO'],
  ['2026-03-05', '-1000.00', 'PAGAMENTO FATURA CARTAO'],
  ['2026-03-06', '-200.00', 'PIX ENVIADO FULANO'],
]);
const figures = async api => {
  const march = await api.get('/api/dashboard?month=2026-03');
  return { income: march.income, expenses: march.expenses };
};

test('card and account of one month: the payment of the bill is what it is', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  await choose(page, file('cartao.ofx', cardMarch), file('conta.ofx', accountMarch));
  await read(page, CARD);
  const received = page.getByRole('row').filter({ hasText: 'Pagamento recebido' });
  await received.getByText('Pagamento da fatura do Cartão, não conta como entrada nem saída.').waitFor();
  await received.getByText('Transferência').first().waitFor();
  await inspect(page, 'imports-payment-alone');
  await page.getByRole('button', { name: /^Importar 5 lançamentos/ }).click();
  await heading(page, '5 lançamentos importados').waitFor();
  await page.getByText('1 transferência reconhecida').waitFor();
  await page.getByText('a outra ponta não está aqui').waitFor();
  await page.getByRole('button', { name: 'Próximo arquivo' }).click();
  await heading(page, 'De onde é conta.ofx?').waitFor();
  await read(page, ITAU);
  const paid = page.getByRole('row').filter({ hasText: 'PAGAMENTO FATURA CARTAO' });
  await paid.getByText('Pagamento da fatura do Cartão, ligado a').waitFor();
  await paid.getByRole('button', { name: 'Pagamento recebido, 5 de mar., Cartão' }).click();
  await page.getByRole('dialog', { name: 'A outra ponta' }).getByText('quinta-feira, 5 de março').waitFor();
  await page.keyboard.press('Escape');
  await inspect(page, 'imports-payment', { sizes: ['phone', 'tablet', 'desktop'] });
  // The row can be changed to an ordinary row, and back to a transfer.
  await paid.getByRole('button', { name: /^Contar como saída/ }).click();
  await paid.getByText('Conta como saída.').waitFor();
  await paid.getByRole('combobox').waitFor();
  await accessible(page, 'an ordinary row');
  await paid.getByRole('button', { name: /^Voltar a ser transferência/ }).click();
  await paid.getByText('Pagamento da fatura do Cartão, ligado a').waitFor();
  await page.getByRole('button', { name: /^Importar 3 lançamentos/ }).click();
  await page.getByText('ligado a Pagamento recebido, 5 de mar., Cartão').waitFor();
  await inspect(page, 'imports-linked');
  await eventually(async () => assert.deepEqual(await figures(api), { income: '4050.00', expenses: '320.00' }));
  // Both files are imported again: there is nothing to send.
  await page.getByRole('button', { name: 'Concluir' }).click();
  await choose(page, file('cartao.ofx', cardMarch));
  await read(page);
  await page.getByText('Todos os 5 lançamentos deste arquivo já estão aqui.').waitFor();
  await page.getByRole('button', { name: 'Concluir' }).click();
  await close();
});

test('what a person says is no transfer is sent as none', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  await choose(page, file('cartao.ofx', cardMarch), file('conta.ofx', accountMarch));
  await read(page, CARD);
  await page.getByRole('button', { name: /^Importar 5/ }).click();
  await page.getByRole('button', { name: 'Próximo arquivo' }).click();
  await read(page, ITAU);
  await page.getByRole('button', { name: /^Contar como saída/ }).click();
  await page.getByRole('button', { name: /^Importar 3/ }).click();
  await heading(page, '3 lançamentos importados').waitFor();
  await eventually(async () => assert.deepEqual(await figures(api), { income: '4050.00', expenses: '1320.00' }));
  await close();
});

test('a bill whose card has no row of its payment is paid by the account’s row', async () => {
  const { api, card } = await profile();
  for (const [date, amount, description] of [
    ['2026-02-10', '300.00', 'MERCADO A'],
    ['2026-02-20', '700.00', 'LOJA B'],
  ])
    await api.post('/api/transactions', { date, amount, description, type: 'expense', account_id: card.id });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  await choose(page, file('conta.ofx', accountMarch));
  await read(page, ITAU);
  await page.getByText('Pagamento da fatura do Cartão que vence em 5 de março.').waitFor();
  await page.getByRole('button', { name: /^Importar 3/ }).click();
  await page.getByText('paga a fatura do Cartão que vence em 5 de março').waitFor();
  const [bill] = (await api.get(`/api/credit-bills?account_id=${card.id}`)).filter(
    one => one.due_date === '2026-03-05',
  );
  assert.equal(bill.status, 'paid');
  await close();
});

test('a payment whose other side changed meanwhile is read anew, and what was chosen stays', async () => {
  const { api } = await profile();
  const card = await api.preview(cardMarch, {
    account_id: (await api.get('/api/accounts')).find(one => one.kind === 'credit').id,
  });
  const cardId = (await api.get('/api/accounts')).find(one => one.kind === 'credit').id;
  const imported = await api.post('/api/import/confirm', {
    account_id: cardId,
    file_name: 'cartao.ofx',
    format: 'ofx',
    rows: card.rows,
  });
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/imports');
  await choose(page, file('conta.ofx', accountMarch));
  await read(page, ITAU);
  const select = page.getByLabel('Categoria de SALARIO');
  await select.focus();
  await select.selectOption({ label: 'Salário' });
  await page.getByText('Pagamento da fatura do Cartão, ligado a').waitFor();
  await api.remove(`/api/imports/${imported.import_id}`);
  expect(422);
  await page.getByRole('button', { name: /^Importar 3/ }).click();
  await page.getByText('A outra ponta de “PAGAMENTO FATURA CARTAO” mudou enquanto você conferia.').waitFor();
  await inspect(page, 'imports-stale', { schemes: ['light'] });
  await page.getByRole('button', { name: 'Ler de novo' }).click();
  await page.getByText('A outra ponta de').waitFor({ state: 'detached' });
  await eventually(async () =>
    assert.equal(await page.getByLabel('Categoria de SALARIO').locator('option:checked').innerText(), 'Salário'),
  );
  await page.getByRole('button', { name: /^Importar 3/ }).click();
  await heading(page, '3 lançamentos importados').waitFor();
  await close();
});

test('likely transfers are offered after an import: linked, taken back, or refused', async () => {
  const { api } = await profile();
  const savings = await api.post('/api/accounts', { name: 'Reserva', kind: 'savings' });
  await api.post('/api/transactions', {
    date: '2026-03-03',
    amount: '100.00',
    description: 'PIX RECEBIDO',
    type: 'income',
    account_id: savings.id,
  });
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/imports');
  await choose(
    page,
    file(
      'conta.ofx',
      ofx([
        ['2026-03-03', '-100.00', 'PIX ENVIADO ANA', 'a'],
        ['2026-03-03', '-100.00', 'PIX ENVIADO BIA', 'b'],
      ]),
    ),
  );
  await read(page, ITAU);
  await page.getByText('Pode ser uma transferência').first().waitFor();
  await inspect(page, 'imports-likely');
  await page.getByRole('button', { name: /^Importar 2/ }).click();
  const offered = page.getByRole('region', { name: 'Parecem transferências' });
  await offered.getByRole('listitem').first().waitFor();
  await eventually(async () => assert.equal(await offered.getByRole('listitem').count(), 2));
  await inspect(page, 'imports-suggestions');
  const size = page.viewportSize();
  await page.setViewportSize(SIZES.phone);
  const sides = offered.getByRole('listitem').first().locator('.waiting-text > span');
  const [from, to] = [await sides.first().boundingBox(), await sides.last().boundingBox()];
  assert.ok(from.y + from.height <= to.y, 'one side below the other');
  await page.setViewportSize(size);
  await offered.getByRole('button', { name: 'Não é Ana' }).click();
  await page.getByText('Anotado: não é transferência.').waitFor();
  await withStoppedClock(page, async () => {
    await offered.getByRole('button', { name: 'Ligar Bia' }).click();
    await page.getByText('Ligados como transferência.').waitFor();
    await offered.waitFor({ state: 'detached' });
    await eventually(async () => assert.deepEqual(await figures(api), { income: '0.00', expenses: '100.00' }));
    await undo(page, 'Ligados como transferência.').click();
  });
  await eventually(async () => assert.deepEqual(await figures(api), { income: '100.00', expenses: '200.00' }));
  await close();
});

test('by keyboard alone, and in sight of nothing else', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  const chooser = page.waitForEvent('filechooser');
  await page.locator('main').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(file('extrato.ofx', unfiled));
  await heading(page, 'De onde é extrato.ofx?').waitFor();
  await eventually(async () => assert.match(await focused(), /De onde é/));
  await page.keyboard.press('Tab');
  await page.keyboard.type('Itaú');
  // Enter in a select opens its list in some browsers and sends the form in others. The button does the same in all.
  for (let stop = 0; stop < 6 && !(await focused()).startsWith('Ler arquivo'); stop++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await heading(page, 'Confira antes de importar').waitFor();
  await eventually(async () => assert.match(await focused(), /Confira antes/));
  await keysBound(page);
  const passed = [];
  for (const name of [/Crédito Xyz/, /Loja Norte/, /Loja Norte/]) {
    await page.keyboard.press('j');
    const row = await eventually(async () => {
      const text = await focused();
      assert.match(text, name);
      assert.ok(!passed.includes(text), text);
      return text;
    });
    passed.push(row);
  }
  await page.keyboard.press('x');
  await page.getByRole('button', { name: /^Importar 5 lançamentos/ }).waitFor();
  await page.keyboard.press('x');
  await page.getByRole('button', { name: /^Importar 6 lançamentos/ }).waitFor();
  await page.keyboard.press('k');
  await page.keyboard.press('e');
  await eventually(async () =>
    assert.match(
      await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''),
      /^Categoria de LOJA NORTE/,
    ),
  );
  await page.keyboard.type('Tran');
  await page.getByRole('button', { name: 'Usar também nos outros 2 com esta descrição' }).waitFor();
  await page.keyboard.press('Tab');
  await eventually(async () => assert.match(await focused(), /^Usar também/));
  await page.keyboard.press('Enter');
  await page.getByText('2 lançamentos em Transporte.').waitFor();
  for (let stop = 0; stop < 40 && !/^Importar 6/.test(await focused()); stop++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await heading(page, '6 lançamentos importados').waitFor();
  await eventually(async () => assert.match(await focused(), /6 lançamentos importados/));
  await close();
});

test('ten thousand rows are drawn as they come into sight', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  const rows = Array.from({ length: 10_000 }, (_, index) => [
    `2026-0${1 + (index % 2)}-${String(1 + (index % 28)).padStart(2, '0')}`,
    `-${1 + (index % 90)}.${String(index % 100).padStart(2, '0')}`,
    `LOJA NUMERO ${index}`,
    `id${index}`,
  ]);
  await go('/imports');
  await choose(page, file('anos.ofx', ofx(rows)));
  await read(page, ITAU);
  await page.getByText('10.000 lançamentos novos para Itaú.').waitFor({ timeout: 120_000 });
  const elements = () => page.evaluate(() => document.querySelectorAll('*').length);
  await eventually(async () => assert.ok((await elements()) <= ELEMENTS_MAX, `${await elements()} elements`));
  const table = page.getByRole('table', { name: 'Lançamentos do arquivo' });
  // The names of the rows are one payee's; their boxes are named by the whole text.
  const sent = number => page.getByRole('checkbox', { name: new RegExp(`^Importar LOJA NUMERO ${number},`) });
  await eventually(async () => assert.equal(await table.getAttribute('aria-rowcount'), '10001'));
  await sent(0).waitFor();
  for (const where of [0.3, 0.7, 1]) {
    await page.evaluate(share => scrollTo(0, document.documentElement.scrollHeight * share), where);
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await eventually(async () => assert.ok((await elements()) <= ELEMENTS_MAX, `${await elements()} elements`));
  }
  await sent(9999).waitFor();
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole('searchbox').fill('numero 9998');
  await sent(9998).waitFor();
  await eventually(async () => assert.equal(await page.getByRole('row').count(), 2));
  await accessible(page, 'a long file');
  await close();
});

test('work can be stopped; what fails says so and can be tried again', async () => {
  const { api } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  let answer = 'hang';
  const release = [];
  await page.route('**/api/import/**', async route => {
    if (answer === 'hang') return void release.push(() => route.abort().catch(() => {}));
    if (answer === 503)
      return route.fulfill({
        status: 503,
        headers: { 'Retry-After': '1' },
        contentType: 'application/problem+json',
        json: {
          type: 'about:blank',
          title: 'Unavailable',
          status: 503,
          code: 'ErrUnavailable',
          detail: '',
          request_id: 'r-1',
        },
      });
    return route.continue();
  });
  await go('/imports');
  await choose(page, file('extrato.ofx', march));
  await read(page, ITAU);
  await page.getByText('Lendo extrato.ofx…').waitFor();
  await inspect(page, 'imports-reading', { sizes: ['phone'], schemes: ['light'] });
  await page.getByRole('button', { name: 'Cancelar' }).click();
  await page.getByRole('button', { name: 'Ler arquivo' }).waitFor();
  answer = 503;
  expect(503);
  await read(page);
  await page.getByText('O Finance está ocupado').waitFor();
  await inspect(page, 'imports-unavailable', { sizes: ['phone'] });
  answer = 'go';
  await page.getByRole('button', { name: 'Tentar de novo', exact: true }).click();
  await heading(page, 'Confira antes de importar').waitFor();
  answer = 'hang';
  await page.getByRole('button', { name: /^Importar 6/ }).click();
  await page.getByText('Importando 6 lançamentos…').waitFor();
  await page.getByRole('button', { name: 'Cancelar' }).click();
  await page.getByText('A espera foi interrompida.').waitFor();
  await accessible(page, 'a send that was stopped');
  answer = 'go';
  await page.getByRole('button', { name: /^Importar 6/ }).click();
  await heading(page, '6 lançamentos importados').waitFor();
  // Both requests that were cancelled had been sent.
  assert.equal(release.length, 2);
  release.forEach(abort => abort());
  await close();
});

test('while it loads it has its shape; what cannot be read says so; without a connection nothing is lost', async () => {
  const { api } = await profile();
  const { page, context, close, expect } = await visit(browser, service.url, { api });
  const logged = await hold(page, '**/api/imports?*', {
    answer: route =>
      route.fulfill({
        status: 500,
        contentType: 'application/problem+json',
        json: {
          type: 'about:blank',
          title: 'Internal error',
          status: 500,
          code: 'ErrInternal',
          detail: '',
          request_id: 'r-77',
        },
      }),
  });
  expect(500);
  await page.goto(`${service.url}/imports`);
  const log = page.getByRole('region', { name: 'Importações anteriores' });
  // All that was brought before comes at once.
  await page.getByRole('main').locator('.skeleton').first().waitFor();
  await placeholdersShown(page);
  await accessible(page, 'while it loads');
  await picture(page, 'imports-loading');
  await logged.asked(1);
  logged.open();
  await log.getByText('Código do erro: r-77').waitFor();
  await inspect(page, 'imports-broken', { schemes: ['light'] });
  await page.unroute('**/api/imports?*');
  await log.getByRole('button', { name: 'Tentar de novo' }).click();
  await log.getByText('Nenhuma ainda.').waitFor();

  await choose(page, file('extrato.ofx', march));
  expect('ERR_INTERNET_DISCONNECTED');
  expect('ERR_FAILED');
  await page.getByLabel('Conta', { exact: true }).selectOption({ label: ITAU });
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Ler arquivo' }).click();
  await page.getByText('Não foi possível falar com o Finance.').waitFor();
  await page.getByText('Sem conexão com o Finance.').waitFor();
  await inspect(page, 'imports-offline', { sizes: ['phone'] });
  await context.setOffline(false);
  await page.getByText('Sem conexão com o Finance.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Tentar de novo' }).click();
  await heading(page, 'Confira antes de importar').waitFor();
  await close();
});

test('an answer that is lost is asked for again, and the import done once', async () => {
  const { api } = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  const lost = await loseFirstAnswer(page, service, /^\/api\/import\/confirm/);
  await go('/imports');
  await choose(page, file('extrato.ofx', march));
  await read(page, ITAU);
  expect('ERR_FAILED');
  await page.getByRole('button', { name: /^Importar 6/ }).click();
  await heading(page, '6 lançamentos importados').waitFor();
  await eventually(async () =>
    assert.equal((await api.get('/api/transactions?limit=100')).filter(row => row.source === 'ofx').length, 6),
  );
  await eventually(async () => assert.equal((await api.get('/api/imports')).length, 1));
  await eventually(() => assert.equal(lost.asked, 2));
  await close();
});

test('what was begun stays while another view is shown, and leaving the page asks', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  await choose(page, file('extrato.ofx', march));
  await read(page, ITAU);
  const select = page.getByLabel('Categoria de SALARIO');
  await select.focus();
  await select.selectOption({ label: 'Salário' });
  await page.getByRole('navigation', { name: 'Menu' }).first().getByRole('link', { name: 'Painel' }).click();
  await heading(page, 'Esperando por você').waitFor();
  await page.goBack();
  await heading(page, 'Confira antes de importar').waitFor();
  await eventually(async () =>
    assert.equal(await page.getByLabel('Categoria de SALARIO').locator('option:checked').innerText(), 'Salário'),
  );
  // The browser asks before it leaves. A user who stays loses nothing.
  const asked = page.waitForEvent('dialog');
  // `page.reload` would wait for a page that does not come, and the script ends when the question is answered.
  const reloading = page.evaluate(() => location.reload());
  const dialog = await asked;
  assert.equal(dialog.type(), 'beforeunload');
  await dialog.dismiss();
  await reloading;
  await heading(page, 'Confira antes de importar').waitFor();
  // The page also asks before it discards the choices, in the step before, too.
  await page.getByRole('button', { name: 'Trocar conta' }).click();
  await page.getByRole('button', { name: 'Cancelar' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancelar' }).click();
  await read(page);
  await eventually(async () =>
    assert.equal(await page.getByLabel('Categoria de SALARIO').locator('option:checked').innerText(), 'Salário'),
  );
  await page.getByRole('button', { name: 'Cancelar' }).click();
  await page.getByRole('dialog').getByText('As categorias que você escolheu aqui se perdem.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Desistir' }).click();
  await heading(page, 'Importar').waitFor();
  await close();
});

test('a description is text, and the page speaks English', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/imports');
  await page.getByRole('heading', { name: 'Drop files from your bank here' }).waitFor();
  await choose(
    page,
    file(
      'a.csv',
      'Data;Descricao;Valor\n01/03/2026;<img src=x onerror=alert(1)>;-5,00\n02/03/2026;LOJA <b>B</b>;-6,00\n',
    ),
  );
  await page.getByLabel('Account', { exact: true }).selectOption({ label: 'Itaú · Current account' });
  await page.getByRole('button', { name: 'Read file' }).click();
  await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
  await page.getByText('2 new transactions for Itaú.').waitFor();
  await page.getByText('LOJA <b>B</b>').waitFor();
  await inspect(page, 'imports-english', { schemes: ['light'] });
  await page.getByRole('button', { name: /^Import 2 transactions/ }).click();
  await page.getByRole('heading', { name: '2 transactions imported' }).waitFor();
  await close();
});

test('a whole import on a phone', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, {
    api,
    ...PHONE,
  });
  await go('/imports');
  await choose(
    page,
    file(
      'fatura.csv',
      cardCsv([
        ['2026-03-04', 'Mercado Livre Comércio Eletrônico de Variedades Ltda', '1289.90'],
        ['2026-03-05', 'Posto Shell', '180.00'],
      ]),
    ),
  );
  await page.getByLabel('Conta', { exact: true }).selectOption({ label: CARD });
  await page.getByRole('button', { name: 'Ler arquivo' }).tap();
  await heading(page, 'Confira antes de importar').waitFor();
  const select = page.getByLabel('Categoria de Posto Shell');
  await select.tap();
  await select.selectOption({ label: 'Transporte' });
  await page.getByRole('checkbox', { name: /^Importar Mercado Livre/ }).tap();
  const send = page.getByRole('button', { name: /^Importar 1 lançamento/ });
  // The button is visible above the bottom bar.
  await eventually(async () => {
    const [bar, button] = [await page.locator('nav.bottom').boundingBox(), await send.boundingBox()];
    assert.ok(button.y + button.height <= bar.y, 'the button is above the bar');
    assert.ok(isFirefox || button.height >= 44);
  });
  await fits(page, 'the check on a phone');
  await page.setViewportSize({ ...SIZES.phone, width: 320 });
  await fits(page, 'the check at 320');
  await send.tap();
  await heading(page, '1 lançamento importado').waitFor();
  await close();
});

test('a row of the check is split, tagged and noted by keyboard, and a large confirm is packed', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.setViewportSize(SIZES.phone);
  await go('/imports');
  const many = Array.from({ length: 2_500 }, (_, at) => [
    '2026-03-10',
    `-${at + 1}.00`,
    `COMPRA NUMERO ${at} DE UMA LISTA LONGA`,
    `M${at}`,
  ]);
  await choose(page, file('extrato-03.ofx', ofx([['2026-03-05', '-100.00', 'ATACADO', 'A1'], ...many])));
  await read(page, ITAU);
  await heading(page, 'Confira antes de importar').waitFor();
  // On a phone, what acts on several rows comes on request.
  await page.getByText('Procurar, filtrar e mudar várias', { exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('searchbox').fill('atacado');
  const open = page.getByRole('button', { name: 'Dividir, tags e nota: ATACADO' });
  await open.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Dividir, tags e nota' });
  await dialog.getByRole('button', { name: 'Dividir em categorias' }).focus();
  await page.keyboard.press('Enter');
  await fieldFocused(page, 'lines[0].amount');
  await dialog.getByLabel('Parte 1', { exact: true }).selectOption({ label: 'Mercado' });
  await dialog.locator('[name="lines[0].amount"]').focus();
  await page.keyboard.type('60');
  await dialog.getByLabel('Parte 2', { exact: true }).selectOption({ label: 'Saúde' });
  await dialog.getByRole('button', { name: 'Pôr R$ 40,00 na parte vazia' }).focus();
  await page.keyboard.press('Enter');
  await fieldFocused(page, 'lines[1].amount');
  await dialog.getByLabel('Tags').focus();
  await page.keyboard.type('família');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Tirar família' }).waitFor();
  await dialog.getByLabel('Nota').focus();
  await page.keyboard.type('Metade é da Bia');
  await inspect(page, 'imports-split', { sizes: ['phone'], schemes: ['light'] });
  await dialog.getByRole('button', { name: 'Salvar' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Mercado R$ 60,00 + Saúde R$ 40,00').waitFor();
  await page.getByText('#família').waitFor();
  await eventually(async () => assert.equal(await open.evaluate(element => element === document.activeElement), true));
  await inspect(page, 'imports-split-row', { sizes: ['phone', 'desktop'], schemes: ['light'] });
  const sent = page.waitForRequest(request => request.url().includes('/api/import/confirm'));
  await page.getByRole('button', { name: /^Importar 2\.501 lançamentos/ }).click();
  assert.equal((await sent).headers()['content-encoding'], 'gzip');
  await heading(page, '2.501 lançamentos importados').waitFor();
  const [stored] = await api.get('/api/transactions?q=atacado');
  assert.deepEqual(
    [stored.lines.map(line => line.amount), stored.tags, stored.note],
    [['60.00', '40.00'], ['família'], 'Metade é da Bia'],
  );
  await close();
});
