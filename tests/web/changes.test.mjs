// What changed: the list, its filters, undo by keyboard, what is in the way, other members, and the history of one row.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { addAccount, addMember, client, eventually, inspect, PASSWORD, settled, undo, visit } from './support.mjs';
import { goByKeys, isAbsent, keysBound, withStoppedClock } from './waits.mjs';

const { service, browser, user } = await suite();

/** A client of another member. @param {any} api @param {string} name @param {'editor' | 'viewer'} role */
const member = async (api, name, role) => {
  await addMember(service.url, api, role, name);
  return client(service.url, name);
};

/** Three rows of March in an account. @param {any} api */
const march = async api => {
  const account = await addAccount(api, 'Conta', 'current', '1000.00', '2026-01-01');
  const rows = [];
  for (const [description, amount] of [
    ['Padaria', '10.00'],
    ['Mercado', '20.00'],
    ['Cinema', '30.00'],
  ])
    rows.push(
      await api.post('/api/transactions', {
        type: 'expense',
        account_id: account.id,
        date: '2026-03-05',
        description,
        amount,
        category_id: await api.category('Mercado'),
      }),
    );
  return { account, rows };
};

/** The transactions of March, without what no restore could know. @param {any} api */
const inMarch = api => api.get('/api/transactions?month=2026-03');

/** A month that is open in the list of transactions, with a clock that can be stopped. */
const openMarch = async () => {
  const api = await user();
  await march(api);
  const before = await inMarch(api);
  const visitor = await visit(browser, service.url, { api });
  await visitor.page.clock.install();
  await visitor.go('/transactions?month=2026-03');
  return { api, before, ...visitor };
};

/** @param {import('playwright-core').Page} page @param {string | RegExp} text */
const toastOf = (page, text) => page.locator('#toasts .toast').filter({ hasText: text });

test('a month is deleted and undone by keyboard alone, done again, and undone in the list', async () => {
  const { api, before, page, close } = await openMarch();
  await keysBound(page);
  await withStoppedClock(page, async () => {
    await page.getByRole('button', { name: 'Apagar o mês…' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Apagar março de 2026' });
    await dialog.getByRole('button', { name: 'Apagar 3 lançamentos' }).focus();
    await page.keyboard.press('Enter');
    await toastOf(page, '3 lançamentos de março de 2026 apagados.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(await inMarch(api), []);
    await page.keyboard.press('z');
    const again = toastOf(page, 'Desfeito.').getByRole('button', { name: 'Refazer' });
    await again.waitFor();
    assert.deepEqual(await inMarch(api), before, 'under their ids');
    await again.focus();
    await page.keyboard.press('Enter');
    await toastOf(page, 'Refeito.').waitFor();
    assert.deepEqual(await inMarch(api), []);
  });
  await settled(page);
  await goByKeys(page, 'h');
  await page.getByRole('heading', { level: 1, name: 'O que mudou' }).waitFor();
  await settled(page);
  // The newest change is the undo of the undo, which did what the deletion had done.
  await withStoppedClock(page, async () => {
    await page
      .getByRole('button', { name: /^Refazer/ })
      .first()
      .focus();
    await page.keyboard.press('Enter');
    await toastOf(page, 'Desfeito.').waitFor();
    assert.deepEqual(await inMarch(api), before);
  });
  await close();
});

test('rows deleted together are undone and deleted again', async () => {
  const { api, before, page, close } = await openMarch();
  await page.getByLabel('Marcar Padaria').check();
  await page.getByLabel('Marcar Cinema').check();
  await withStoppedClock(page, async () => {
    await page.getByRole('button', { name: 'Apagar…', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apagar 2 lançamentos' }).click();
    await undo(page, '2 lançamentos').click();
    const again = toastOf(page, 'Desfeito.').getByRole('button', { name: 'Refazer' });
    await again.waitFor();
    assert.deepEqual(await inMarch(api), before);
    await again.click();
    await toastOf(page, 'Refeito.').waitFor();
    assert.equal((await inMarch(api)).length, 1);
  });
  await close();
});

test('a toast stays while it has the focus, also after the pointer left it', async () => {
  const { page, close } = await openMarch();
  await page.getByLabel('Marcar Padaria').check();
  await page.getByLabel('Marcar Cinema').check();
  await page.getByRole('button', { name: 'Apagar…', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apagar 2 lançamentos' }).click();
  const offer = undo(page, '2 lançamentos');
  await offer.hover();
  await offer.focus();
  await page.mouse.move(0, 0);
  await page.clock.fastForward(13_000);
  assert.ok(await offer.evaluate(one => one === document.activeElement));
  await page.getByRole('heading', { level: 1 }).focus();
  await page.clock.fastForward(13_000);
  await toastOf(page, '2 lançamentos').waitFor({ state: 'detached' });
  await close();
});

test('the list shows what a change did, by day and person, and undoes a rule that was applied', async () => {
  const api = await user();
  const { rows } = await march(api);
  const leisure = await api.category('Lazer');
  const rule = await api.post('/api/rules', {
    name: 'Pão',
    match: 'all',
    conditions: [{ field: 'description', op: 'contains', value: 'Padaria' }],
    actions: [{ action: 'set_category', category_id: leisure }],
  });
  await api.post('/api/rules/apply', { rule_ids: [rule.id], only_uncategorized: false });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/changes');
  const change = page.getByRole('listitem').filter({ hasText: 'Regras aplicadas' });
  await change.getByRole('button', { name: /^Regras aplicadas/ }).click();
  await change.getByText('Categoria: Mercado → Lazer').waitFor();
  await inspect(page, 'changes');
  await change.getByRole('button', { name: /^Desfazer/ }).click();
  await eventually(async () =>
    assert.equal((await api.get(`/api/transactions/${rows[0].id}`)).category_id, rows[0].category_id),
  );
  await page.getByText('Desfeito: Regras aplicadas').first().waitFor();
  await page.getByLabel('Até').fill('2020-01-01');
  await page.getByText('Nada mudou nestes dias').waitFor();
  await page.getByRole('link', { name: 'Limpar filtros' }).click();
  await page.getByText('Regras aplicadas').first().waitFor();
  await close();
});

test('a rhythm of which a part changed is said as a whole', async () => {
  const api = await user();
  const item = await api.post('/api/recurring', {
    type: 'expense',
    description: 'Faxina',
    amount: '150.00',
    category_id: await api.category('Moradia'),
    every: { n: 1, unit: 'week' },
    start_on: '2026-03-06',
  });
  const change = every => api.put(`/api/recurring/${item.id}`, { ...item, every });
  await change({ n: 2, unit: 'week' });
  await change({ n: 2, unit: 'month' });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/changes');
  const changes = page.getByRole('listitem').filter({ hasText: 'Faxina' });
  await changes
    .nth(1)
    .getByRole('button', { name: /Faxina/ })
    .first()
    .click();
  await page.getByText('Ritmo: toda semana → a cada 2 semanas').waitFor();
  await changes
    .nth(0)
    .getByRole('button', { name: /Faxina/ })
    .first()
    .click();
  await page.getByText('Ritmo: a cada 2 semanas → a cada 2 meses').waitFor();
  await changes
    .last()
    .getByRole('button', { name: /Faxina/ })
    .first()
    .click();
  // Of the item as it was made, and of the first change.
  await eventually(async () => assert.equal(await page.getByText('Ritmo: toda semana').count(), 2));
  await close();
});

test('values have words, and numbers are written as the language does', async () => {
  const api = await user();
  const id = await api.category('Lazer');
  const category = (await api.get('/api/categories')).find(one => one.id === id);
  await api.put(`/api/categories/${id}`, { ...category, tax_kind: 'health', carry: 'both', carry_since: '2026-01' });
  await api.put('/api/settings', { savings_goal_pct: 33.5 });
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/changes');
  for (const [what, text] of [
    [/Lazer/, 'Tipo de imposto: não entra → saúde'],
    [/Lazer/, 'Sobra desde: nada → janeiro de 2026'],
    [/Ajustes/, 'Meta de economia (%): 40 → 33,5'],
  ]) {
    const change = page.getByRole('main').getByRole('listitem').filter({ hasText: what }).first();
    const title = change.getByRole('button', { name: what }).first();
    if ((await title.getAttribute('aria-expanded')) === 'false') await title.click();
    await change.getByText(text).waitFor();
  }
  await close();
});

test('what is in the way is shown, and undone too, the newest first', async () => {
  const api = await user();
  const { rows } = await march(api);
  const [row] = rows;
  const edit = change => api.put(`/api/transactions/${row.id}`, { ...row, ...change });
  await edit({ description: 'Um' });
  await edit({ description: 'Dois' });
  await edit({ description: 'Dois', amount: '12.00' });
  const { page, go, expect, close } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/changes');
  expect(409);
  await page.getByRole('button', { name: /^Desfazer Lançamento mudado: Um/ }).click();
  const dialog = page.getByRole('dialog', { name: 'O que veio depois' });
  await dialog.getByRole('button', { name: 'Desfazer também estas 2' }).waitFor();
  await inspect(page, 'changes-in-the-way');
  await withStoppedClock(page, async () => {
    await dialog.getByRole('button', { name: 'Desfazer também estas 2' }).click();
    const again = toastOf(page, 'Desfeito.').getByRole('button', { name: 'Refazer' });
    await again.waitFor();
    assert.deepEqual(await api.get(`/api/transactions/${row.id}`), row);
    await again.click();
    await toastOf(page, 'Refeito.').waitFor();
  });
  const again = await api.get(`/api/transactions/${row.id}`);
  assert.deepEqual([again.description, again.amount], ['Dois', '12.00']);
  await close();
});

test("another member's change is found by its person and undone, and a viewer has no buttons", async () => {
  const api = await user();
  const { rows } = await march(api);
  const bia = await member(api, 'bia.edita', 'editor');
  await bia.remove(`/api/transactions/${rows[0].id}`);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/changes');
  await page.getByLabel('Pessoa').selectOption('bia.edita');
  const change = page.getByRole('listitem').filter({ hasText: 'Lançamento apagado: Padaria' });
  await change.getByText('bia.edita').waitFor();
  await change.getByRole('button', { name: /^Desfazer/ }).click();
  await eventually(async () =>
    assert.equal((await api.get('/api/transactions?month=2026-03')).filter(({ id }) => id === rows[0].id).length, 1),
  );
  await close();

  const vic = await member(api, 'vic.le', 'viewer');
  const seen = await visit(browser, service.url, { api: vic });
  await seen.go('/changes');
  await seen.page.getByText('Lançamento apagado: Padaria').first().waitFor();
  await isAbsent(seen.page.getByRole('button', { name: /^(Desfazer|Refazer)/ }));
  await seen.close();
});

test('the people of one household are not offered in another one', async () => {
  const api = await user();
  const bia = await member(api, 'bia.vizinha', 'editor');
  await bia.post('/api/categories', { name: 'Da Bia' });
  await user({ name: 'carla' });
  const { page, go, close } = await visit(browser, service.url, { api });
  const people = page.getByLabel('Pessoa').locator('option');
  await go('/changes');
  await people.filter({ hasText: 'bia.vizinha' }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Sair' }).first().click();
  await page.getByLabel('Nome').fill('carla');
  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'O que mudou' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'O que mudou' }).waitFor();
  await settled(page);
  assert.deepEqual(await people.allTextContents(), ['Todas as pessoas', 'carla']);
  await close();
});

test('a row has its history, and on a phone a change has its whole title, and its button beside it', async () => {
  const api = await user();
  const { rows } = await march(api);
  const [row] = rows;
  await api.put(`/api/transactions/${row.id}`, { ...row, description: 'Padaria da esquina com um nome bem comprido' });
  const { page, go, close } = await visit(browser, service.url, { api, size: 'phone' });
  await go('/changes');
  const change = page.locator('.change').filter({ hasText: 'Lançamento mudado' });
  const lines = await change.evaluate(one => {
    const [title, small, button] = ['.waiting-title', 'small', '.row-actions'].map(name =>
      one.querySelector(name).getBoundingClientRect(),
    );
    return {
      isBeside: button.top < small.top && button.left >= title.right,
      isBelow: small.top >= title.bottom - 1,
      isWhole: [...one.querySelectorAll('.waiting-title, .waiting-title > *')].every(
        part => part.scrollWidth <= part.clientWidth || getComputedStyle(part).display === 'inline',
      ),
      height: one.getBoundingClientRect().height,
    };
  });
  assert.deepEqual([lines.isBeside, lines.isBelow, lines.isWhole], [true, true, true]);
  await inspect(page, 'changes-title', { sizes: ['phone'] });
  assert.ok(lines.height < 140, `${lines.height} px`);
  await go(`/transactions?month=2026-03`);
  await page.getByText('Padaria da esquina').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Histórico' }).click();
  const history = page.getByRole('dialog', { name: /^Histórico/ });
  await history.getByText('Descrição: Padaria → Padaria da esquina com um nome bem comprido').waitFor();
  await inspect(page, 'entry-history');
  await history.getByRole('button', { name: /^Desfazer Lançamento mudado/ }).click();
  await eventually(async () => assert.equal((await api.get(`/api/transactions/${row.id}`)).description, 'Padaria'));
  await close();
});

test('a change of many rows shows them in parts, each once', async () => {
  const api = await user();
  const { account, rows } = await march(api);
  const more = Array.from({ length: 52 }, (_, at) =>
    api.post('/api/transactions', {
      type: 'expense',
      account_id: account.id,
      date: '2026-03-06',
      description: `Linha ${at}`,
      amount: '1.00',
    }),
  );
  const all = [...rows, ...(await Promise.all(more))];
  await api.remove('/api/transactions?month=2026-03');
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/changes');
  await page
    .getByRole('button', { name: /^Lançamentos apagados/ })
    .first()
    .click();
  const facts = page.locator('.change-facts > li');
  await eventually(async () => assert.equal(await facts.count(), 50));
  await page.getByRole('button', { name: 'Mais 50' }).click();
  await eventually(async () => assert.ok((await facts.count()) >= all.length));
  const shown = await facts.locator('strong').allTextContents();
  assert.deepEqual(
    all.filter(({ description }) => shown.filter(text => text.endsWith(` ${description}`)).length !== 1),
    [],
  );
  await close();
});

test('in English', async () => {
  const api = await user();
  await march(api);
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/changes');
  await page.getByRole('heading', { level: 1, name: 'What changed' }).waitFor();
  await page.getByRole('button', { name: 'Transaction created: Padaria', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo Transaction created: Padaria' }).click();
  await page.getByRole('button', { name: 'Undone: Transaction created: Padaria', exact: true }).waitFor();
  await inspect(page, 'changes-en');
  await close();
});
