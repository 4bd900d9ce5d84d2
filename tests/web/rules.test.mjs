// Suggestions and rules: why a category is suggested, a rule from a correction, the list of rules, and what rules
// change.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { accessible, addAccount, eventually, inspect, picture, SIZES, undo, visit } from './support.mjs';
import { file, ofx } from './statements.mjs';
import { caughtUp, keysBound, withStoppedClock } from './waits.mjs';

const { service, browser, user } = await suite();

/** A separate profile, with an account. */
const profile = async () => {
  const api = await user();
  const account = await addAccount(api, 'Itaú', 'current', '5000.00', '2026-01-01');
  return { api, account };
};

/** A rule for descriptions that contain a text. */
const rule = (text, actions, more = {}) => ({
  name: text,
  match: 'all',
  conditions: [{ field: 'description', op: 'contains', value: text }],
  actions,
  ...more,
});
const heading = (page, name) => page.getByRole('heading', { name, exact: true });
/** A row by its name. */
const row = (page, text) => page.getByRole('row').filter({ hasText: text }).first();
/** A row of the check by the whole text of the statement, which names its controls. */
const checked = (page, text) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('checkbox', { name: `Importar ${text}` }) })
    .first();
const focused = page =>
  page.evaluate(() => document.activeElement?.textContent || document.activeElement?.getAttribute('aria-label') || '');
const bring = async (page, name, rows) => {
  await page.locator('.drop input[type=file]').setInputFiles(file(name, ofx(rows)));
  await heading(page, `De onde é ${name}?`).waitFor();
  const account = page.getByLabel('Conta', { exact: true });
  if ((await account.inputValue()) === '') await account.selectOption({ label: 'Itaú · Conta corrente' });
  await page.getByRole('button', { name: 'Ler arquivo' }).click();
  await heading(page, 'Confira antes de importar').waitFor();
};
/** Stored rows of statements, with the names of their categories. */
const stored = async (api, query = '') => {
  const names = new Map((await api.get('/api/categories')).map(one => [one.id, one.name]));
  return (await api.get(`/api/transactions?limit=100${query}`))
    .filter(one => one.source === 'ofx')
    .map(one => [one.description, names.get(one.category_id) ?? null])
    .sort();
};

const january = [
  ['2026-01-05', '4200.00', 'SALARIO EMPRESA'],
  ['2026-01-07', '-18.40', 'PADARIA PAO QUENTE 0034'],
  ['2026-01-12', '-22.10', 'PADARIA PAO QUENTE 0051'],
  ['2026-01-15', '-64.90', 'DROGARIA RAIA'],
];
const february = [
  ['2026-02-05', '4200.00', 'SALARIO EMPRESA'],
  ['2026-02-09', '-19.30', 'PADARIA PAO QUENTE 0077'],
  ['2026-02-16', '-71.00', 'DROGARIA RAIA'],
];

test('a month is imported and corrected, the correction becomes a rule in two clicks, and the next month files itself', async () => {
  const { api } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/imports');
  await bring(page, 'janeiro.ofx', january);
  const first = page.getByLabel('Categoria de PADARIA PAO QUENTE 0034');
  await first.focus();
  await first.selectOption({ label: 'Mercado' });
  const always = page.getByRole('button', { name: 'Sempre assim… criar regra de PADARIA PAO QUENTE 0034' });
  await always.click();
  const dialog = page.getByRole('dialog', { name: 'Nova regra' });
  await eventually(async () => assert.equal(await dialog.getByLabel('Texto').inputValue(), 'PADARIA PAO QUENTE'));
  await eventually(async () =>
    assert.equal(await dialog.getByLabel('Categoria').locator('option:checked').innerText(), 'Mercado'),
  );
  await dialog.getByText('Nenhum lançamento já registrado combina.').waitFor();
  await inspect(page, 'rule-from-import', { sizes: ['phone', 'tablet', 'desktop'] });
  await dialog.getByRole('button', { name: 'Criar regra' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('#toasts').getByText('Regra “PADARIA PAO QUENTE” criada').waitFor();
  // The rule files the other row of the file. The row shows this on hover and focus, and tells it to screen readers.
  const other = page.getByLabel('Categoria de PADARIA PAO QUENTE 0051');
  await eventually(async () => assert.equal(await other.locator('option:checked').innerText(), 'Mercado'));
  await checked(page, 'PADARIA PAO QUENTE 0051').getByText('sugerida', { exact: true }).waitFor();
  await checked(page, 'PADARIA PAO QUENTE 0051').getByTitle('Sugerida por uma regra sua').waitFor();
  await row(page, 'DROGARIA RAIA').getByTitle('Sugerida pelo dicionário').waitFor();
  await eventually(async () =>
    assert.match(
      await other.evaluate(
        select => document.getElementById(select.getAttribute('aria-describedby'))?.textContent ?? '',
      ),
      /regra/,
    ),
  );
  await inspect(page, 'imports-suggested', { sizes: ['phone', 'tablet', 'desktop'] });
  await page.getByRole('button', { name: /^Importar 4 lançamentos/ }).click();
  await heading(page, '4 lançamentos importados').waitFor();
  assert.deepEqual(await stored(api), [
    ['DROGARIA RAIA', 'Saúde'],
    ['PADARIA PAO QUENTE 0034', 'Mercado'],
    ['PADARIA PAO QUENTE 0051', 'Mercado'],
    ['SALARIO EMPRESA', 'Salário'],
  ]);
  await page.getByRole('button', { name: 'Concluir' }).click();

  await bring(page, 'fevereiro.ofx', february);
  await checked(page, 'PADARIA PAO QUENTE 0077').getByTitle('Sugerida por uma regra sua').waitFor();
  await row(page, 'DROGARIA RAIA').getByTitle('Sugerida pelo histórico').waitFor();
  // All suggestions of one kind are shown, rejected, and then accepted.
  const kinds = page.getByRole('group', { name: 'Sugestões' });
  await kinds.getByLabel('Sugestões').selectOption({ label: 'histórico (2)' });
  await row(page, 'PADARIA').waitFor({ state: 'detached' });
  await withStoppedClock(page, async () => {
    await kinds.getByRole('button', { name: 'Recusar as 2 sugestões' }).click();
    await page.locator('#toasts').getByText('2 lançamentos ficaram sem categoria.').waitFor();
    await eventually(async () =>
      assert.equal(
        await page.getByLabel('Categoria de DROGARIA RAIA').locator('option:checked').innerText(),
        'Sem categoria',
      ),
    );
    await undo(page, '2 lançamentos ficaram sem categoria.').click();
  });
  await kinds.getByLabel('Sugestões').selectOption({ label: 'todas (3)' });
  await kinds.getByRole('button', { name: 'Aceitar as 3 sugestões' }).click();
  await page.locator('#toasts').getByText('3 sugestões aceitas.').waitFor();
  await kinds.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Importar 3 lançamentos/ }).click();
  await heading(page, '3 lançamentos importados').waitFor();
  assert.deepEqual(await stored(api, '&month=2026-02'), [
    ['DROGARIA RAIA', 'Saúde'],
    ['PADARIA PAO QUENTE 0077', 'Mercado'],
    ['SALARIO EMPRESA', 'Salário'],
  ]);
  await close();
});

test('rows that a rule leaves out are kept by who wants to, and renamed ones show what the statement says', async () => {
  const { api } = await profile();
  await api.post('/api/rules', rule('tarifa', [{ action: 'skip' }]));
  await api.post(
    '/api/rules',
    rule('padaria', [
      { action: 'rename', description: 'Pãozinho' },
      { action: 'set_category', category_id: await api.category('Mercado') },
    ]),
  );
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/imports');
  await bring(page, 'tarifas.ofx', [
    ['2026-02-03', '-12.00', 'TARIFA MENSAL'],
    ['2026-02-04', '-9.00', 'TARIFA EXTRA'],
    ['2026-02-05', '-18.40', 'PADARIA PAO QUENTE'],
  ]);
  await row(page, 'TARIFA MENSAL').getByText('Uma regra deixa esta linha de fora.').waitFor();
  await row(page, 'Pãozinho').getByText('no extrato: PADARIA PAO QUENTE').waitFor();
  await eventually(async () => assert.equal(await row(page, 'TARIFA MENSAL').getByRole('checkbox').isChecked(), false));
  await page.getByRole('button', { name: /^Importar 1 lançamento/ }).waitFor();
  await inspect(page, 'imports-skipped', { sizes: ['phone', 'desktop'] });
  await page.getByRole('button', { name: 'Importar mesmo assim TARIFA EXTRA' }).click();
  await row(page, 'TARIFA EXTRA').getByText('Entra, embora uma regra a deixe de fora.').waitFor();
  // A search also finds the statement's text.
  await page.getByRole('searchbox').fill('pao quente');
  await row(page, 'TARIFA').waitFor({ state: 'detached' });
  await row(page, 'Pãozinho').waitFor();
  await page.getByRole('searchbox').fill('');
  await page.getByRole('button', { name: /^Importar 2 lançamentos/ }).click();
  await heading(page, '2 lançamentos importados').waitFor();
  assert.deepEqual(await stored(api), [
    ['Pãozinho', 'Mercado'],
    ['TARIFA EXTRA', null],
  ]);
  // When the file is imported again, a renamed row is known.
  await page.getByRole('button', { name: 'Concluir' }).click();
  await bring(page, 'tarifas.ofx', [['2026-02-05', '-18.40', 'PADARIA PAO QUENTE', '2026-02-05-2']]);
  await page.getByText('O único lançamento deste arquivo já está aqui.').waitFor();
  await page.getByRole('button', { name: 'Concluir' }).click();
  await go('/transactions?month=2026-02');
  await page.getByRole('button', { name: 'Pãozinho', exact: true }).click();
  const entry = page.getByRole('dialog', { name: 'Editar lançamento' });
  await entry.getByText('No extrato').waitFor();
  await entry.getByText('PADARIA PAO QUENTE').waitFor();
  await close();
});

test('a correction of a stored transaction becomes a rule, which files the others after a look at them', async () => {
  const { api, account } = await profile();
  for (const [day, text] of [
    ['05', 'CLUBE NORTE 11'],
    ['12', 'CLUBE NORTE 12'],
    ['19', 'CLUBE NORTE 13'],
  ]) {
    await api.post('/api/transactions', {
      date: `2026-02-${day}`,
      type: 'expense',
      description: text,
      amount: '80.00',
      account_id: account.id,
    });
  }
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/transactions?month=2026-02');
  await page.getByRole('button', { name: 'CLUBE NORTE 13', exact: true }).click();
  const entry = page.getByRole('dialog', { name: 'Editar lançamento' });
  await entry.getByLabel('Categoria').selectOption({ label: 'Lazer' });
  await entry.getByRole('button', { name: 'Sempre assim…' }).waitFor();
  await inspect(page, 'rule-from-entry', { sizes: ['phone', 'desktop'], schemes: ['light'] });
  await entry.getByRole('button', { name: 'Sempre assim…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Nova regra' });
  await dialog.getByText('3 lançamentos já registrados combinam. Criar a regra não muda nenhum deles.').waitFor();
  await dialog.getByRole('listitem').filter({ hasText: 'CLUBE NORTE 11' }).getByText('Sem categoria → Lazer').waitFor();
  await dialog.getByRole('listitem').filter({ hasText: 'CLUBE NORTE 13' }).getByText('fica como está').waitFor();
  await inspect(page, 'rule-with-sample', { sizes: ['phone', 'tablet', 'desktop'] });
  await dialog.getByLabel('Aplicar aos lançamentos já registrados sem categoria').check();
  const leisure = await api.category('Lazer');
  const filed = async () =>
    (await api.get('/api/transactions?q=clube'))
      .filter(one => one.category_id === leisure)
      .map(one => one.description)
      .sort();
  await withStoppedClock(page, async () => {
    await dialog.getByRole('button', { name: 'Criar regra' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('#toasts').getByText('2 lançamentos mudaram.').waitFor();
    assert.deepEqual(await filed(), ['CLUBE NORTE 11', 'CLUBE NORTE 12', 'CLUBE NORTE 13']);
    await undo(page, '2 lançamentos mudaram.').click();
    await page.locator('#toasts').getByText('2 lançamentos voltaram a ser como antes.').waitFor();
    assert.deepEqual(await filed(), ['CLUBE NORTE 13']);
  });
  // When a category is changed in the list, one press makes a rule of it.
  await withStoppedClock(page, async () => {
    await page.getByRole('button', { name: 'Sem categoria, categoria de CLUBE NORTE 11' }).click();
    await page.getByLabel('categoria de CLUBE NORTE 11').selectOption({ label: 'Saúde' });
    await page.locator('#toasts').getByRole('button', { name: 'Sempre assim', exact: true }).click();
    // The rule is told as a sentence, and is applied to what has no category. Its form opens on request.
    await page.locator('#toasts').getByText('CLUBE NORTE').last().waitFor();
    await eventually(async () =>
      assert.deepEqual(
        (await api.get('/api/transactions?q=clube')).map(one => one.category_id).filter(id => id === null),
        [],
      ),
    );
    await page.locator('#toasts').getByRole('button', { name: 'Ajustar a regra' }).click();
  });
  const adjusted = page.getByRole('dialog', { name: 'Editar regra' });
  await eventually(async () =>
    assert.equal(await adjusted.getByLabel('Categoria').locator('option:checked').innerText(), 'Saúde'),
  );
  await eventually(async () => assert.equal(await adjusted.getByLabel('Texto').inputValue(), 'CLUBE NORTE'));
  await page.keyboard.press('Escape');
  await adjusted.waitFor({ state: 'detached' });
  // The list has it beside the first one, which was read before.
  await page.getByRole('link', { name: 'Ajustes', exact: true }).first().click();
  await page.getByRole('link', { name: 'Ver as regras' }).click();
  await heading(page, 'Regras').waitFor();
  await eventually(async () => assert.equal(await page.locator('.rule').count(), 2));
  await close();
});

test('a rule of a description whose number tells shops apart meets only that shop', async () => {
  const { api, account } = await profile();
  for (const description of ['PIX ENVIADO LOJA 3', 'PIX ENVIADO LOJA 3', 'PIX ENVIADO LOJA 31', 'PIX ENVIADO LOJA 4'])
    await api.post('/api/transactions', {
      date: '2026-03-02',
      type: 'expense',
      description,
      amount: '10.00',
      account_id: account.id,
    });
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/transactions');
  await withStoppedClock(page, async () => {
    await page
      .getByRole('button', { name: 'Sem categoria, categoria de PIX ENVIADO LOJA 3', exact: true })
      .first()
      .click();
    await page.getByLabel('categoria de PIX ENVIADO LOJA 3', { exact: true }).selectOption({ label: 'Lazer' });
    await page.locator('#toasts').getByRole('button', { name: 'Sempre assim', exact: true }).click();
    await page
      .locator('#toasts')
      .getByText(/“PIX ENVIADO LOJA 3”.* 1 lançamento mudou\.$/)
      .waitFor();
  });
  const leisure = await api.category('Lazer');
  const filed = (await api.get('/api/transactions?q=loja')).filter(one => one.category_id === leisure);
  assert.deepEqual(
    filed.map(one => one.description),
    ['PIX ENVIADO LOJA 3', 'PIX ENVIADO LOJA 3'],
  );
  await close();
});

test('rules are made, ordered, switched off, tried and deleted, by keyboard too', async () => {
  const { api, account } = await profile();
  const market = await api.category('Mercado'),
    fun = await api.category('Lazer');
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/settings');
  await page.getByRole('link', { name: 'Ver as regras' }).click();
  await heading(page, 'Regras').waitFor();
  await eventually(async () => assert.equal(await focused(page), 'Regras'));
  await page.getByText('Nenhuma regra ainda').waitFor();
  await inspect(page, 'rules-empty');
  await page.locator('#content').getByRole('button', { name: 'Nova regra' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Nova regra' });
  await dialog.getByText('Complete a regra').waitFor();
  await dialog.getByRole('button', { name: 'Criar regra' }).click();
  await dialog.getByText('Preencha este campo.').waitFor();
  await dialog.getByText('Escolha ao menos uma ação.').waitFor();
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'conditions[0].value'),
  );
  await inspect(page, 'rule-wrong', { schemes: ['light'] });
  await page.keyboard.type('padaria');
  await dialog.getByRole('button', { name: 'Mais uma condição' }).click();
  const second = dialog.getByRole('group', { name: 'Condição 2' });
  await second.getByLabel('Como').selectOption({ label: 'fica entre' });
  await second.getByLabel('De').fill('10');
  await second.getByLabel('Até').fill('1.000,00');
  await dialog.getByLabel('Precisam valer').selectOption({ label: 'todas as condições' });
  for (const [number, field, value] of [
    [3, 'o dia do mês', null],
    [4, 'o tipo', 'Saída'],
    [5, 'a conta', 'Itaú'],
  ]) {
    await dialog.getByRole('button', { name: 'Mais uma condição' }).click();
    const one = dialog.getByRole('group', { name: `Condição ${number}` });
    await one.getByLabel('O que olhar').selectOption({ label: field });
    if (value) await one.getByLabel(field === 'o tipo' ? 'Tipo' : 'Conta').selectOption({ label: value });
    else {
      await one.getByLabel('De').fill('1');
      await one.getByLabel('Até').fill('28');
    }
  }
  await dialog.getByLabel('Categoria').selectOption({ label: 'Mercado' });
  await dialog.getByText('Outras ações').click();
  await dialog.getByLabel('Nova descrição').fill('Pão');
  await dialog.getByLabel('Nome', { exact: true }).fill('Padarias');
  await dialog.getByText('Nenhum lançamento já registrado combina.').waitFor();
  await inspect(page, 'rule-form', { sizes: ['phone', 'tablet', 'desktop'] });
  await dialog.getByRole('button', { name: 'Criar regra' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page
    .locator('#content')
    .getByText(
      'Sempre que a descrição contém “padaria”, o valor fica entre R$ 10,00 e R$ 1.000,00, o dia fica entre 1 e 28, é uma saída e a conta é Itaú: categoria Mercado e chamar de “Pão”.',
    )
    .waitFor();
  const [made] = await api.get('/api/rules');
  assert.deepEqual(
    [made.name, made.conditions, made.actions],
    [
      'Padarias',
      [
        { field: 'description', op: 'contains', value: 'padaria' },
        { field: 'amount', op: 'between', value: ['10.00', '1000.00'] },
        { field: 'day', op: 'between', value: [1, 28] },
        { field: 'type', op: 'eq', value: 'expense' },
        { field: 'account_id', op: 'eq', value: account.id },
      ],
      [
        { action: 'set_category', category_id: market },
        { action: 'rename', description: 'Pão' },
      ],
    ],
  );
  // The fields of the form have the values of the rule.
  await page.getByRole('button', { name: 'Padarias', exact: true }).click();
  const edit = page.getByRole('dialog', { name: 'Editar regra' });
  await eventually(async () =>
    assert.equal(await edit.getByRole('group', { name: 'Condição 2' }).getByLabel('Até').inputValue(), '1.000,00'),
  );
  await edit.getByRole('button', { name: 'Tirar a condição 5' }).click();
  await edit.getByRole('button', { name: 'Salvar' }).click();
  await edit.waitFor({ state: 'detached' });
  await eventually(async () => assert.equal((await api.get('/api/rules'))[0].conditions.length, 4));

  await api.post('/api/rules', rule('cinema', [{ action: 'set_category', category_id: fun }]));
  await api.post('/api/rules', rule('tarifa', [{ action: 'skip' }]));
  await api.post('/api/transactions', {
    date: '2026-02-05',
    type: 'expense',
    description: 'CINEMA CENTRAL',
    amount: '40.00',
  });
  await go('/settings?show=rules');
  const list = page.getByRole('list', { name: 'Regras, na ordem em que valem' });
  const names = async () => (await api.get('/api/rules')).map(one => one.name);
  const shown = () => list.locator('.rule-name').allInnerTexts();
  await eventually(async () => assert.deepEqual(await shown(), ['Padarias', 'cinema', 'tarifa']));
  await inspect(page, 'rules', { sizes: ['phone', 'tablet', 'desktop'] });
  // The order is changed by keyboard. The focus stays on the moved rule.
  await keysBound(page);
  await page.keyboard.press('j');
  await eventually(async () => assert.equal(await focused(page), 'Padarias'));
  await page.keyboard.press('j');
  await eventually(async () => assert.equal(await focused(page), 'cinema'));
  await page.keyboard.press('Alt+ArrowDown');
  await eventually(async () => assert.deepEqual(await names(), ['Padarias', 'tarifa', 'cinema']));
  await page.getByText('cinema: agora a 3ª de 3.').waitFor({ state: 'attached' });
  await eventually(async () => assert.equal(await focused(page), 'cinema'));
  await page.keyboard.press('Alt+ArrowUp');
  await page.keyboard.press('Alt+ArrowUp');
  await eventually(async () => assert.deepEqual(await names(), ['cinema', 'Padarias', 'tarifa']));
  await eventually(async () =>
    assert.deepEqual([await shown(), await focused(page)], [['cinema', 'Padarias', 'tarifa'], 'cinema']),
  );
  await page.getByRole('button', { name: 'Subir tarifa' }).click();
  await eventually(async () => assert.deepEqual(await names(), ['cinema', 'tarifa', 'Padarias']));
  // The rule is tried without a change.
  await page.getByRole('button', { name: 'Testar cinema' }).click();
  const tried = page.getByRole('dialog', { name: 'cinema' });
  await tried.getByText('1 lançamento já registrado combina.').waitFor();
  await tried.getByText('Sem categoria → Lazer').waitFor();
  await inspect(page, 'rule-tried', { schemes: ['light'] });
  await tried.locator('.dialog-body').getByRole('button', { name: 'Fechar' }).click();
  await tried.waitFor({ state: 'detached' });
  await caughtUp(page);
  assert.equal((await api.get('/api/transactions?q=cinema'))[0].category_id, null);

  await page.getByRole('switch', { name: 'Ligada tarifa' }).click();
  await list.getByText('Desligada').waitFor();
  await eventually(async () =>
    assert.equal((await api.get('/api/rules')).find(one => one.name === 'tarifa').enabled, false),
  );
  await accessible(page, 'a rule that is off');
  await withStoppedClock(page, async () => {
    await page.getByRole('button', { name: 'Apagar tarifa' }).click();
    await eventually(async () => assert.deepEqual(await names(), ['cinema', 'Padarias']));
    await undo(page, 'tarifa').click();
  });
  await eventually(async () => assert.deepEqual(await names(), ['cinema', 'tarifa', 'Padarias']));
  await eventually(async () => assert.deepEqual(await shown(), ['cinema', 'tarifa', 'Padarias']));
  await page.getByRole('main').getByRole('link', { name: 'Ajustes' }).click();
  await heading(page, 'Ajustes · Casa').waitFor();
  await close();
});

test('rules are applied to what is stored, within days, and taken back', async () => {
  const { api, account } = await profile();
  const market = await api.category('Mercado'),
    health = await api.category('Saúde');
  const rows = [
    ['2026-01-05', 'FEIRA LIVRE', null],
    ['2026-02-05', 'FEIRA LIVRE', null],
    ['2026-02-10', 'FEIRA LIVRE', health],
    ['2026-02-11', 'CORRETORA XYZ', null],
  ];
  for (const [date, description, category_id] of rows)
    await api.post('/api/transactions', {
      date,
      type: 'expense',
      description,
      amount: '30.00',
      category_id,
      account_id: account.id,
    });
  await api.post('/api/rules', rule('feira', [{ action: 'set_category', category_id: market }]));
  await api.post('/api/rules', rule('corretora', [{ action: 'mark_transfer' }]));
  const now = async () =>
    (await api.get('/api/transactions?limit=100'))
      .filter(one => one.source === 'manual')
      .map(one => [one.date, one.category_id, one.is_transfer])
      .sort();
  const before = await now();
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/settings?show=rules');
  await page.getByRole('button', { name: 'Aplicar aos lançamentos já registrados…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Aplicar regras aos lançamentos já registrados' });
  await dialog.getByLabel('Desde').fill('2026-02-01');
  await dialog.getByText('2 lançamentos para olhar.').waitFor();
  await inspect(page, 'rules-apply', { sizes: ['phone', 'desktop'] });
  await withStoppedClock(page, async () => {
    await dialog.getByRole('button', { name: 'Aplicar', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('#toasts').getByText('2 lançamentos mudaram.').waitFor();
    assert.deepEqual(await now(), [
      ['2026-01-05', null, false],
      ['2026-02-05', market, false],
      ['2026-02-10', health, false],
      ['2026-02-11', null, true],
    ]);
    await undo(page, '2 lançamentos mudaram.').click();
    await page.locator('#toasts').getByText('2 lançamentos voltaram a ser como antes.').waitFor();
    assert.deepEqual(await now(), before);
  });
  // One rule is applied to all rows. Categories that a user chose also change, and the page says so before.
  await page.getByRole('button', { name: 'Testar feira' }).click();
  await page
    .getByRole('dialog', { name: 'feira' })
    .getByRole('button', { name: 'Aplicar aos lançamentos já registrados…' })
    .click();
  const one = page.getByRole('dialog', { name: 'Aplicar “feira” aos lançamentos já registrados' });
  await one.getByRole('radio', { name: 'Todos' }).check();
  await one.getByText('Troca também categorias que você escolheu.').waitFor();
  await one.getByLabel('Desde').fill('2026-03-01');
  await one.getByLabel('Até').fill('2026-02-01');
  await one.getByRole('button', { name: 'Aplicar', exact: true }).click();
  await one.locator('[aria-invalid=true]').waitFor();
  await one.getByLabel('Desde').fill('');
  await one.getByLabel('Até').fill('2026-02-28');
  await withStoppedClock(page, async () => {
    await one.getByRole('button', { name: 'Aplicar', exact: true }).click();
    await one.waitFor({ state: 'detached' });
    await page.locator('#toasts').getByText('3 lançamentos mudaram.').waitFor();
    await undo(page, '3 lançamentos mudaram.').click();
    await page.locator('#toasts').getByText('3 lançamentos voltaram a ser como antes.').waitFor();
  });
  assert.deepEqual(await now(), before);
  await close();
});

test('a category that a rule needs leads to the rules; in English everything is', async () => {
  const { api } = await profile();
  const toys = await api.post('/api/categories', { name: 'Brinquedos' });
  await api.post(
    '/api/rules',
    rule('<img src=x onerror=alert(1)>', [{ action: 'set_category', category_id: toys.id }]),
  );
  const { page, go, close, expect } = await visit(browser, service.url, { api, language: 'en' });
  await go('/categories');
  await page.getByRole('button', { name: 'Edit Brinquedos' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  expect(409);
  await page.getByRole('dialog', { name: 'Delete Brinquedos?' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Rules' }).click();
  await heading(page, 'Rules').waitFor();
  await page
    .locator('#content')
    .getByText('Whenever the description contains “<img src=x onerror=alert(1)>”: category Brinquedos.')
    .waitFor();
  await inspect(page, 'rules-english', { schemes: ['light'] });
  await page.setViewportSize(SIZES.phone);
  await page.getByRole('button', { name: '<img src=x onerror=alert(1)>', exact: true }).click();
  await page.getByRole('dialog', { name: 'Edit rule' }).getByText('No stored transaction matches.').waitFor();
  await picture(page, 'rule-english-phone');
  await close();
});

test('what cannot be read or stored says so, and nothing is lost', async () => {
  const { api } = await profile();
  await api.post('/api/rules', rule('cinema', [{ action: 'skip' }]));
  await api.post('/api/rules', rule('tarifa', [{ action: 'skip' }]));
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  expect(503);
  const broken = {
    status: 503,
    headers: { 'Retry-After': '1' },
    contentType: 'application/problem+json',
    body: '{"code":"ErrUnavailable","status":503,"request_id":"r-9"}',
  };
  await page.route('**/api/rules', route => route.fulfill(broken));
  await go('/settings?show=rules');
  await page.getByText('Código do erro: r-9').waitFor();
  await inspect(page, 'rules-error', { schemes: ['light'] });
  await page.unroute('**/api/rules');
  await page.getByRole('button', { name: 'Tentar de novo', exact: true }).click();
  await page.getByRole('button', { name: 'cinema', exact: true }).waitFor();
  // A refused move of a rule is undone.
  await page.route('**/api/rules/*', route =>
    route.request().method() === 'PUT' ? route.fulfill(broken) : route.continue(),
  );
  await page.getByRole('button', { name: 'Descer cinema' }).click();
  await page.locator('#toasts').getByText('O Finance está ocupado').waitFor();
  await eventually(async () =>
    assert.deepEqual(await page.locator('.rule-name').allInnerTexts(), ['cinema', 'tarifa']),
  );
  // A form keeps its input.
  await page.getByRole('button', { name: 'cinema', exact: true }).click();
  const edit = page.getByRole('dialog', { name: 'Editar regra' });
  await edit.getByLabel('Nome', { exact: true }).fill('Filmes');
  await edit.getByRole('button', { name: 'Salvar' }).click();
  await edit.locator('.dialog-body').getByText('O Finance está ocupado').waitFor();
  await page.unroute('**/api/rules/*');
  await edit.getByRole('button', { name: 'Salvar' }).click();
  await edit.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Filmes', exact: true }).waitFor();
  await close();
});
