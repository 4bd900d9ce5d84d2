// Access: people and invitations, keys for programs, the address of the calendar, sessions, and what each role sees.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { accessible, addMember, client, eventually, inspect, PASSWORD, refusal, settled, visit } from './support.mjs';
import { caughtUp, ended, isAbsent, keysBound, withStoppedClock } from './waits.mjs';

const { service, browser, user: profile } = await suite({ today: '2026-03-10' });

let members = 0;
/** Adds another member to a profile. */
const member = async (api, role) => {
  const name = `member${++members}`;
  await addMember(service.url, api, role, name);
  return { name, api: await client(service.url, name) };
};

const focused = page =>
  page.evaluate(() => document.activeElement?.getAttribute('name') ?? document.activeElement?.textContent);
const region = (page, name) => page.getByRole('region', { name, exact: true });
const asked = (page, text) => page.locator('#toasts').getByText(text).last().waitFor();

test('people are invited by a link, which makes them a member once; roles change; they leave', async () => {
  const api = await profile(),
    owner = (await api.get('/api/auth/me')).name;
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/settings?page=access');
  await page.getByRole('link', { name: 'Ver acessos' }).click();
  await page.getByRole('heading', { level: 1, name: 'Pessoas e acesso' }).waitFor();
  await eventually(async () => assert.equal(await focused(page), 'Pessoas e acesso'));
  await region(page, 'Seu acesso').getByText('Responsável').waitFor();
  const people = region(page, 'Pessoas');
  await people.getByText(`${owner} (você)`).waitFor();
  // The last owner cannot be changed or removed. The page says so, and shows the unchanged role.
  expect(409);
  await withStoppedClock(page, async () => {
    await people.getByLabel(`Acesso de ${owner}`).selectOption('viewer');
    await asked(page, 'É preciso haver ao menos uma pessoa responsável.');
    await page.locator('#toasts').getByRole('button', { name: 'Fechar' }).click();
  });
  await page.locator('#toasts').getByText('É preciso haver').waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await people.getByLabel(`Acesso de ${owner}`).inputValue(), 'owner'));
  await people.getByRole('button', { name: `Remover ${owner}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remover' }).click();
  await asked(page, 'É preciso haver ao menos uma pessoa responsável.');

  // By keyboard: the role, and the link, which is shown once and copied.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await people.getByRole('button', { name: 'Convidar' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Convidar alguém' });
  await dialog.getByRole('radio', { name: /Pode editar/ }).waitFor();
  await inspect(page, 'invite');
  await page.keyboard.press('ArrowDown');
  await eventually(async () => assert.ok(await dialog.getByRole('radio', { name: /Somente leitura/ }).isChecked()));
  await page.keyboard.press('Enter');
  const link = await dialog.getByLabel('Endereço do convite').inputValue();
  assert.match(link, new RegExp(`^${service.url}/login#invite=inv_[\\w-]{43}$`));
  await dialog.getByText('Vale para uma só, até').waitFor();
  await inspect(page, 'invite-link');
  await dialog.getByRole('button', { name: 'Copiar' }).click();
  await asked(page, 'Copiado.');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  await dialog.locator('.dialog-body').getByRole('button', { name: 'Fechar' }).click();
  await dialog.waitFor({ state: 'detached' });

  // A person with the link chooses a name and a password, and is logged in. The invitation does not stay in the
  // address,
  // and is not sent in one.
  const other = await visit(browser, service.url);
  const paths = [];
  other.page.on('request', request => paths.push(request.url()));
  await other.page.goto(link);
  await other.page.getByRole('heading', { name: 'Você recebeu um convite' }).waitFor();
  await other.page.waitForURL(`${service.url}/login`);
  await eventually(async () => assert.equal(await focused(other.page), 'name'));
  await inspect(other.page, 'accept');
  await other.page.keyboard.press('Enter');
  await other.page.getByText('A nova senha precisa ter').waitFor();
  other.expect(409);
  await other.page.getByLabel('Seu nome').fill(owner);
  await other.page.getByLabel('Senha').fill('battery staple');
  await other.page.keyboard.press('Enter');
  await other.page.getByText('Já existe alguém com este nome.').waitFor();
  await accessible(other.page, 'name taken');
  await other.page.getByLabel('Seu nome').fill('bia');
  await other.page.keyboard.press('Enter');
  await other.page.waitForURL(`${service.url}/`);
  await settled(other.page);
  assert.ok(paths.every(path => !path.includes('inv_')));
  // An invitation can be used only once.
  const late = await visit(browser, service.url);
  late.expect(401);
  await late.page.goto(link);
  await late.page.getByLabel('Seu nome').fill('caio');
  await late.page.getByLabel('Senha').fill('battery staple');
  await late.page.keyboard.press('Enter');
  await late.page.getByText('O convite não vale mais. Peça outro.').waitFor();
  await inspect(late.page, 'accept-late', { sizes: ['phone'] });
  await late.page.getByRole('button', { name: 'Já tenho acesso' }).click();
  await late.page.getByLabel('Nome').waitFor();
  await late.close();

  // On the way back to the page she is there.
  await page.getByRole('link', { name: 'Ajustes', exact: true }).first().click();
  await page.getByRole('link', { name: 'Acesso', exact: true }).click();
  await page.getByRole('link', { name: 'Ver acessos' }).click();
  await people.getByText('bia', { exact: true }).waitFor();
  await inspect(page, 'access', { sizes: ['phone', 'tablet', 'desktop'] });
  await people.getByLabel('Acesso de bia').selectOption('editor');
  await asked(page, 'bia: pode editar.');
  await eventually(async () =>
    assert.deepEqual(
      (await api.get('/api/members')).map(({ name, role }) => [name, role]),
      [
        [owner, 'owner'],
        ['bia', 'editor'],
      ],
    ),
  );
  await people.getByRole('button', { name: 'Remover bia' }).click();
  await page.getByRole('dialog', { name: 'Remover bia?' }).getByRole('button', { name: 'Remover' }).click();
  await asked(page, 'bia não entra mais.');
  await people.getByText('bia', { exact: true }).waitFor({ state: 'detached' });
  assert.equal((await api.get('/api/members')).length, 1);
  // The removal takes effect at once: the next request shows the login.
  other.expect(401);
  await other.page.goto(`${service.url}/accounts`);
  await other.page.getByText('Sua sessão terminou.').waitFor();
  await other.close();
  await close();
});

test('open invitations are listed, and taken back', async () => {
  const api = await profile(),
    owner = (await api.get('/api/auth/me')).name,
    other = await member(api, 'editor'),
    { member_id } = await other.api.get('/api/auth/me');
  await api.put(`/api/members/${member_id}`, { role: 'owner' });
  const { invitation } = await other.api.post('/api/members/invitations', { role: 'viewer' });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/settings?show=access');
  const people = region(page, 'Pessoas'),
    rows = people.getByRole('list', { name: 'Convites abertos' }).getByRole('listitem');
  await rows.getByText(`por ${other.name}, até`).waitFor();
  await people.getByRole('button', { name: 'Convidar' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Criar convite' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Fechar' }).last().click();
  await rows.getByText(`por ${owner}, até`).waitFor();
  assert.equal(await rows.count(), 2);
  await inspect(page, 'invitations', { sizes: ['phone', 'desktop'] });
  await rows.getByRole('button', { name: /^Recolher o convite: somente leitura, até/ }).focus();
  await page.keyboard.press('Enter');
  await asked(page, 'Convite recolhido.');
  await eventually(async () => assert.equal(await rows.count(), 1));
  await eventually(async () => assert.equal(await focused(page), 'Pessoas'));
  const late = await fetch(`${service.url}/api/auth/accept`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ invitation, name: 'late', password: PASSWORD }),
  });
  assert.equal(late.status, 401);
  // An invitation goes with whoever made it: the list follows.
  await other.api.post('/api/members/invitations', { role: 'editor' });
  await page.reload();
  await rows.getByText(`por ${other.name}, até`).waitFor();
  await people.getByLabel(`Acesso de ${other.name}`).selectOption('editor');
  await rows.getByText(`por ${other.name}, até`).waitFor({ state: 'detached' });
  await rows.getByRole('button').click();
  await people.getByText('Convites abertos').waitFor({ state: 'detached' });
  assert.deepEqual(await api.get('/api/members/invitations'), []);
  await close();
});

test('a key is told once, says what it may do, and is revoked', async () => {
  const api = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/settings?show=access');
  const keys = region(page, 'Chaves para programas');
  await keys.getByText('Nenhuma chave.').waitFor();
  await keys.getByRole('button', { name: 'Nova chave' }).click();
  const dialog = page.getByRole('dialog', { name: 'Nova chave' });
  await eventually(async () => assert.equal(await focused(page), 'name'));
  await page.keyboard.press('Enter');
  await dialog.getByText('Marque ao menos um.').waitFor();
  await inspect(page, 'token-wrong');
  await dialog.getByLabel('Para quê').fill('importar toda noite');
  await dialog.getByRole('checkbox', { name: /Importar extratos/ }).check();
  await eventually(async () => assert.equal(await dialog.getByLabel('Vale até').inputValue(), '2026-06-08'));
  expect(422);
  await dialog.getByLabel('Vale até').fill('2027-09-09');
  await dialog.getByRole('button', { name: 'Criar chave' }).click();
  await eventually(async () => assert.equal(await dialog.getByLabel('Vale até').getAttribute('aria-invalid'), 'true'));
  await dialog.getByLabel('Vale até').fill('2026-12-31');
  await dialog.getByRole('button', { name: 'Criar chave' }).click();
  await dialog.getByText('Guarde agora: ela não é mostrada de novo.').waitFor();
  const key = await dialog.getByLabel('Chave', { exact: true }).inputValue();
  assert.match(key, /^fin_[\w-]{43}$/);
  await inspect(page, 'token-told');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await keys.getByText('Importar extratos · vale até 31 de dez. · nunca usada').waitFor();
  const by = await fetch(`${service.url}/api/accounts`, { headers: { Authorization: `Bearer ${key}` } });
  assert.equal(by.status, 200);
  await page.reload();
  await keys.getByText('usada por último em 10 de mar.').waitFor();
  await inspect(page, 'tokens');
  await keys.getByRole('button', { name: 'Revogar importar toda noite' }).click();
  await page
    .getByRole('dialog', { name: 'Revogar importar toda noite?' })
    .getByRole('button', { name: 'Revogar' })
    .click();
  await asked(page, 'importar toda noite: revogada.');
  await keys.getByText('Nenhuma chave.').waitFor();
  assert.equal(
    (await fetch(`${service.url}/api/accounts`, { headers: { Authorization: `Bearer ${key}` } })).status,
    401,
  );
  await close();
});

test('the calendar has an address, and a new one at a click', async () => {
  const api = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/settings?show=access');
  const calendar = region(page, 'Calendário do celular');
  // A second press makes no second one.
  await calendar.getByRole('button', { name: 'Criar endereço' }).dblclick();
  const dialog = page.getByRole('dialog', { name: 'Calendário do celular' });
  const address = dialog.getByLabel('Endereço do calendário');
  const first = await address.inputValue();
  assert.ok(first.startsWith(`${service.url}/calendar.ics?token=fin_`));
  const feed = await fetch(first);
  assert.deepEqual([feed.status, feed.headers.get('content-type')], [200, 'text/calendar; charset=utf-8']);
  await dialog.getByLabel('Com os valores').check();
  await eventually(async () => assert.equal(await address.inputValue(), `${first}&amounts=1`));
  await inspect(page, 'calendar-address');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await calendar.getByRole('button', { name: 'Trocar endereço' }).click();
  await dialog.getByText('O endereço de antes não vale mais.').waitFor();
  const second = await address.inputValue();
  assert.notEqual(second, first);
  assert.deepEqual([(await fetch(first)).status, (await fetch(second)).status], [401, 200]);
  await dialog.locator('.dialog-body').getByRole('button', { name: 'Fechar' }).click();
  await eventually(async () => assert.equal((await api.get('/api/tokens')).length, 1));
  await calendar.getByText(/vale até 11 de mar. de 2027/).waitFor();
  await close();
});

/** Logs in with this `User-Agent`. */
const enter = (name, userAgent) =>
  fetch(`${service.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'User-Agent': userAgent },
    body: JSON.stringify({ name, password: PASSWORD }),
  });

test('where one is logged in is listed in plain words, this device as such', async () => {
  const api = await profile(),
    name = (await api.get('/api/auth/me')).name;
  const clients = [
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
      'Chrome no Android',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox no Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari no iPhone',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
      'Edge no Windows',
    ],
    [`<b>curl/8.5.0</b> ${'x'.repeat(300)}`, `<b>curl/8.5.0</b> ${'x'.repeat(42)}`],
    ['', 'Programa desconhecido'],
  ];
  for (const [agent] of clients) assert.equal((await enter(name, agent)).status, 200);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/settings?show=access');
  const rows = region(page, 'Sessões').getByRole('listitem');
  await rows.nth(clients.length).waitFor();
  await eventually(async () => {
    const shown = await rows.locator('.entry-text > span:first-child').allTextContents();
    assert.deepEqual(shown, [...clients.map(([, words]) => words).reverse(), 'node (este aparelho)']);
    assert.match(
      await rows.last().textContent(),
      /desde \d+ de [a-z]+\.?,? \d\d:\d\d, até \d+ de [a-z]+\.?,? \d\d:\d\d$/,
    );
  });
  await inspect(page, 'sessions', { sizes: ['phone', 'desktop'] });
  // A session that was logged out is not in the list when it is shown again.
  const { token } = await (await enter(name, 'tablet')).json();
  await page.reload();
  await rows.getByText('tablet', { exact: true }).waitFor();
  const left = await fetch(`${service.url}/api/logout`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
  });
  assert.ok(left.ok, `${left.status}`);
  await go('/settings');
  await go('/settings?show=access');
  await rows.getByText('tablet', { exact: true }).waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await rows.count(), clients.length + 1));
  // If the list cannot be read, the page says so, and sessions can still be ended.
  expect(503);
  await page.route('**/api/auth/sessions', route =>
    route.request().method() === 'GET' ? route.fulfill(refusal(503, 'ErrUnavailable')) : route.fallback(),
  );
  await page.reload();
  await region(page, 'Sessões').getByRole('alert').waitFor();
  await region(page, 'Sessões').getByRole('button', { name: 'Sair de todos os aparelhos' }).waitFor();
  await page.unroute('**/api/auth/sessions');
  await region(page, 'Sessões').getByRole('button', { name: 'Tentar de novo' }).click();
  await rows.first().waitFor();
  await close();
  // The list in English.
  const other = await visit(browser, service.url, { api, language: 'en' });
  await other.go('/settings?show=access');
  await region(other.page, 'Sessions').getByText('Firefox on Linux').waitFor();
  await region(other.page, 'Sessions').getByText('(this device)').waitFor();
  await other.close();
});

test('one leaves all devices at once', async () => {
  const api = await profile(),
    name = (await api.get('/api/auth/me')).name;
  const elsewhere = await client(service.url, name);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/settings?show=access');
  await region(page, 'Sessões').getByRole('button', { name: 'Sair de todos os aparelhos' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Você sai daqui também').waitFor();
  await dialog.getByRole('button', { name: 'Cancelar' }).click();
  await dialog.waitFor({ state: 'detached' });
  await caughtUp(page);
  await elsewhere.get('/api/auth/me');
  expect(401);
  await region(page, 'Sessões').getByRole('button', { name: 'Sair de todos os aparelhos' }).click();
  await dialog.getByRole('button', { name: 'Sair de todos' }).click();
  await page.getByText('Você saiu. Até logo!').waitFor();
  await assert.rejects(elsewhere.get('/api/auth/me'), /401/);
  await close();
});

test('an editor sees neither people nor exports; who only reads sees nothing to write with', async () => {
  const api = await profile();
  const { id } = await api.post('/api/accounts', { name: 'Itaú', kind: 'current', opening_balance: '100.00' });
  await api.post('/api/transactions', {
    date: '2026-03-09',
    type: 'expense',
    description: 'Padaria',
    amount: '10.00',
    account_id: id,
  });
  await api.post('/api/recurring', {
    type: 'expense',
    description: 'Aluguel',
    amount: '800.00',
    day: 15,
    account_id: id,
    category_id: await api.category('Moradia'),
  });
  const savings = await api.post('/api/accounts', { name: 'Reserva', kind: 'savings' });
  await api.post('/api/transfers', {
    from_account_id: id,
    to_account_id: savings.id,
    amount: '5.00',
    date: '2026-03-10',
  });
  const card = await api.post('/api/accounts', { name: 'Nubank', kind: 'credit', closing_day: 10, due_day: 20 });
  await api.post('/api/installments', {
    account_id: card.id,
    date: '2026-03-01',
    description: 'Sofá',
    amount: '100.00',
    count: 3,
  });
  for (const name of ['Um', 'Dois'])
    await api.post('/api/rules', {
      name,
      conditions: [{ field: 'type', op: 'eq', value: 'income' }],
      actions: [{ action: 'add_tag', tag: 'x' }],
    });
  const editor = await member(api, 'editor'),
    viewer = await member(api, 'viewer');
  const edits = await visit(browser, service.url, { api: editor.api });
  await edits.go('/settings');
  await edits.page.getByRole('region', { name: 'Meta de economia' }).waitFor();
  await edits.go('/settings?page=data');
  await edits.page.getByRole('region', { name: 'Restaurar' }).waitFor();
  await isAbsent(edits.page.getByRole('region', { name: 'Seus dados' }));
  await edits.go('/settings?show=access');
  await edits.page.getByText('Vê e muda tudo, menos quem tem acesso e a exportação.').waitFor();
  await isAbsent(region(edits.page, 'Pessoas'));
  await region(edits.page, 'Chaves para programas').getByRole('button', { name: 'Nova chave' }).click();
  await edits.page.getByRole('checkbox', { name: /Ler e mudar tudo/ }).waitFor();
  await isAbsent(edits.page.getByRole('checkbox', { name: /Exportar/ }));
  await edits.page.keyboard.press('Escape');
  await inspect(edits.page, 'access-editor', { schemes: ['light'] });
  await edits.close();

  const reads = await visit(browser, service.url, { api: viewer.api }),
    { page } = reads;
  await reads.go('/settings?show=access');
  await page.getByText('Vê tudo, não muda nada.').waitFor();
  await eventually(async () =>
    assert.deepEqual(
      await page.getByRole('region').evaluateAll(all => all.map(one => one.getAttribute('aria-labelledby'))),
      ['own', 'sessions'],
    ),
  );
  await inspect(page, 'access-viewer');
  await reads.go('/settings?page=access');
  await page.getByRole('region', { name: 'Senha' }).getByRole('button', { name: 'Trocar senha' }).waitFor();
  for (const [address, shown, absent] of [
    ['house', 'Regras', ['Meta de economia', 'Nomes da casa']],
    ['looks', 'Neste aparelho', ['Personagem']],
    ['data', 'Sobre', ['Seus dados', 'Restaurar', 'Webhooks']],
  ]) {
    await reads.go(`/settings?page=${address}`);
    await page.getByRole('region', { name: shown }).waitFor();
    for (const name of absent) await isAbsent(page.getByRole('region', { name }));
  }
  await reads.go('/transactions');
  await page.getByRole('row').filter({ hasText: 'Padaria' }).waitFor();
  for (const name of ['Novo lançamento', 'Apagar o mês…', 'Apagar Padaria'])
    await isAbsent(page.getByRole('button', { name }));
  await isAbsent(page.getByRole('link', { name: 'Importar' }));
  // The key `n` opens no form. Keys are handled in their order, and the next one opens the only dialog.
  await keysBound(page);
  await page.keyboard.press('n');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Atalhos do teclado' }).waitFor();
  assert.equal(await page.getByRole('dialog').count(), 1);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await inspect(page, 'viewer-transactions', { schemes: ['light'] });
  await reads.go('/');
  await page.getByText('Aluguel').first().waitFor();
  await isAbsent(page.getByRole('button', { name: 'Ignorar Aluguel' }));
  await inspect(page, 'viewer-dashboard', { schemes: ['light'] });
  for (const [path, shown, name] of [
    ['/accounts', 'Itaú → Reserva', 'Nova conta'],
    ['/categories', 'Moradia', 'Nova categoria'],
    ['/recurring', 'Aluguel', 'Ignorar'],
    ['/settings?show=rules', 'Dois', 'Nova regra'],
  ]) {
    await reads.go(path);
    await page.getByRole('main').getByText(shown).first().waitFor();
    await isAbsent(page.getByRole('button', { name }));
  }
  await reads.go('/settings?show=rules');
  const list = page.getByRole('list', { name: 'Regras, na ordem em que valem' });
  await list.getByRole('button', { name: 'Dois', exact: true }).waitFor();
  for (const name of [/Apagar/, /Subir|Descer/]) await isAbsent(list.getByRole('button', { name }));
  await isAbsent(list.getByRole('switch'));
  await inspect(page, 'viewer-rules', { schemes: ['light'] });
  await reads.go('/accounts');
  await page.getByText('Itaú → Reserva').waitFor();
  await isAbsent(page.getByRole('button', { name: /transferência/ }));
  // Nor does a line in the search begin an entry, and the shortcuts name none.
  await keysBound(page);
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Atalhos do teclado' });
  await help.getByText('procurar', { exact: true }).waitFor();
  await isAbsent(help.getByText('novo lançamento', { exact: true }));
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.getByRole('dialog', { name: 'Procurar' }).waitFor();
  await page.keyboard.type('>pão 5');
  await page.getByRole('dialog').getByText('Nada encontrado.').waitFor();
  // It finds no settings of those who may write.
  const search = page.getByRole('dialog').getByRole('combobox');
  await search.fill('senha');
  await page.getByRole('option', { name: 'Senha', exact: true }).waitFor();
  await search.fill('backup');
  await page.getByRole('dialog').getByText('Nada encontrado.').waitFor();
  await reads.go(`/cards?id=${card.id}`);
  await page.getByText('Sofá').first().waitFor();
  await isAbsent(page.getByRole('button', { name: /Sofá/ }));
  await reads.go('/transactions?month=2025-01');
  await page.getByText('Nada em janeiro').waitFor();
  await isAbsent(page.getByRole('main').getByRole('link', { name: 'Importar' }));
  await inspect(page, 'viewer-nothing', { schemes: ['light'] });
  // An opened form says so, and has no button to send it.
  await reads.go(`/accounts?id=${id}`);
  await page.getByRole('heading', { level: 1, name: 'Itaú' }).waitFor();
  await keysBound(page);
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Seu acesso é só de leitura').waitFor();
  await isAbsent(dialog.getByRole('button', { name: 'Salvar' }));
  await inspect(page, 'viewer-form');
  await dialog.getByRole('button', { name: 'Cancelar' }).click();
  // A refused action in the page is explained in words.
  const texts = await page.evaluate(async () => {
    const { src } = document.querySelector('script[src$="app/main.js"]');
    // A folder that is served has each module as a file.
    const start = await import(src);
    const { message } = start.$parts_problem ?? (await import(src.replace('main.js', 'parts/problem.js')));
    const { Problem } = start.$api ?? (await import(src.replace('main.js', 'api.js')));
    return ['ErrNotAllowed', 'ErrInsufficientScope'].map(code => message(new Problem({ code })));
  });
  assert.deepEqual(texts, [
    'Seu acesso não permite isto. Peça a quem é responsável pela casa.',
    'Esta chave não dá acesso a isto.',
  ]);
  await reads.close();
});

test('where there is more than one member, a transaction says who entered it', async () => {
  const api = await profile(),
    owner = (await api.get('/api/auth/me')).name;
  const account = await api.post('/api/accounts', { name: 'Itaú', kind: 'current' });
  const add = (by, description) =>
    by.post('/api/transactions', {
      date: '2026-03-09',
      type: 'expense',
      description,
      amount: '10.00',
      account_id: account.id,
    });
  await add(api, 'Padaria');
  const alone = await visit(browser, service.url, { api });
  const members = alone.page.waitForRequest('**/api/members');
  await alone.go('/transactions');
  await ended(await members);
  await caughtUp(alone.page);
  await alone.page
    .getByRole('button', { name: /^Padaria/ })
    .first()
    .click();
  await alone.page.getByRole('dialog').getByLabel('Descrição').waitFor();
  await isAbsent(alone.page.getByText('Quem anotou'));
  await alone.close();
  const editor = await member(api, 'editor');
  await add(editor.api, 'Feira');
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/transactions');
  const row = name => page.getByRole('row', { name: new RegExp(name) });
  await row('Feira').getByText(`por ${editor.name}`).waitFor();
  await isAbsent(row('Padaria').getByText(/^por /));
  await inspect(page, 'entered-by', { schemes: ['light'] });
  await page
    .getByRole('button', { name: /^Feira/ })
    .first()
    .click();
  await page.getByRole('dialog').getByText('Quem anotou').waitFor();
  await page.getByRole('dialog').getByText(editor.name, { exact: true }).waitFor();
  await inspect(page, 'entered-by-form', { schemes: ['light'] });
  await close();
  // A member who is not an owner does not see names.
  const other = await visit(browser, service.url, { api: editor.api });
  await other.go('/transactions');
  await other.page
    .getByRole('row', { name: /Padaria/ })
    .getByText('por outra pessoa')
    .waitFor();
  await other.page
    .getByRole('button', { name: /^Feira/ })
    .first()
    .click();
  await other.page.getByRole('dialog').getByText(editor.name, { exact: true }).waitFor();
  assert.equal(await other.page.getByRole('main').getByText(owner).count(), 0);
  await other.close();
});

test('what is loading or failing says so; in English everything is', async () => {
  const api = await profile();
  const { page, go, close, expect } = await visit(browser, service.url, { api, language: 'en' });
  expect(503);
  await page.route('**/api/members', route => route.fulfill(refusal(503, 'ErrUnavailable')));
  await go('/settings?show=access');
  await region(page, 'People').getByRole('alert').waitFor();
  await page.unroute('**/api/members');
  await region(page, 'People').getByRole('button', { name: 'Try again' }).click();
  await region(page, 'People').getByText('(you)').waitFor();
  await region(page, 'Keys for programs').getByText('No key.').waitFor();
  await inspect(page, 'access-english', { sizes: ['desktop'], schemes: ['light'] });
  // The way back leads to the settings, and their heading has the focus.
  await page.getByRole('main').getByRole('link', { name: 'Settings' }).click();
  await eventually(async () => assert.equal(await focused(page), 'Settings · Access'));
  await close();
});

test('another member of the household does not see what the one before typed', async () => {
  const api = await profile(),
    other = await member(api, 'editor');
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/transactions');
  await keysBound(page);
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'Novo lançamento' });
  await dialog.getByLabel('Descrição').fill('Presente');
  // The session ends while the form is open.
  expect(401);
  await page.route('**/api/transactions', route => route.fulfill(refusal(401, 'ErrUnauthenticated')));
  await dialog.getByLabel('Valor').fill('38');
  await dialog.getByRole('button', { name: 'Salvar', exact: true }).click();
  await page.waitForURL(/\/login\?next=%2Ftransactions/);
  await page.unroute('**/api/transactions');
  await page.getByLabel('Nome').fill(other.name);
  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Lançamentos de março de 2026', level: 1 }).waitFor();
  await settled(page);
  await keysBound(page);
  await page.keyboard.press('n');
  await dialog.waitFor();
  assert.equal(await dialog.getByLabel('Descrição').inputValue(), '');
  await close();
});

test('a page that stays open past midnight knows the new day', async () => {
  const api = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  // A minute before the last midnight in São Paulo, which is at 3:00 UTC.
  const [day, three] = [24 * 3_600_000, 3 * 3_600_000];
  await page.clock.install({ time: Math.floor((Date.now() - three) / day) * day + three - 60_000 });
  await go('/transactions');
  await keysBound(page);
  const known = await api.get('/api/auth/me');
  await page.route('**/api/auth/me', route => route.fulfill({ json: { ...known, today: '2026-03-11' } }));
  const asked = page.waitForRequest('**/api/auth/me');
  await page.clock.fastForward(70_000);
  await asked;
  await settled(page);
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'Novo lançamento' });
  await eventually(async () => assert.equal(await dialog.getByLabel('Data').inputValue(), '2026-03-11'));
  await close();
});
