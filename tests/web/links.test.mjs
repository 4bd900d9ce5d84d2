// Transfers between own accounts: those that are found among stored transactions, and those that a user links by hand.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { accessible, addAccount, eventually, inspect, settled, undo, visit } from './support.mjs';
import { caughtUp, withStoppedClock } from './waits.mjs';

const { service, browser, user } = await suite();

/**
 * A profile with two accounts and a card, and a function that enters a row by hand. An amount below zero is an expense.
 */
const profile = async () => {
  const api = await user();
  const account = await addAccount(api, 'Itaú', 'current', '5000.00', '2026-02-01');
  const savings = await api.post('/api/accounts', { name: 'Reserva', kind: 'savings' });
  const card = await api.post('/api/accounts', { name: 'Nubank', kind: 'credit', closing_day: 25, due_day: 5 });
  const add = (where, date, signed, description) =>
    api.post('/api/transactions', {
      type: signed.startsWith('-') ? 'expense' : 'income',
      amount: signed.replace('-', ''),
      date,
      description,
      account_id: where.id,
    });
  const march = async () => {
    const { income, expenses } = await api.get('/api/dashboard?month=2026-03');
    return [income, expenses];
  };
  return { api, account, savings, card, add, march };
};

const focused = page => page.evaluate(() => document.activeElement?.textContent ?? '');

test('stored transfers that are certain are shown, linked at once, and separated again', async () => {
  const { api, account, card, add, march } = await profile();
  const { page, go, close } = await visit(browser, service.url, { api });
  const found = page.getByRole('region', { name: /transferências? reconhecidas?$/ }),
    done = page.getByRole('region', { name: /transferências? ligadas?$/ });
  // If nothing is found, nothing is offered, and the page does not look again for a while.
  const looked = page.waitForResponse(answer => answer.url().includes('dry_run'));
  await go('/imports');
  await (await looked).finished();
  await eventually(async () =>
    assert.equal(
      await page.evaluate(() => Object.values(JSON.parse(localStorage.getItem('finance.looked') ?? '{}')).join()),
      '2026-03-10',
    ),
  );
  await caughtUp(page);
  assert.equal(await found.count(), 0);
  await page.evaluate(() =>
    localStorage.setItem(
      'finance.looked',
      JSON.stringify(
        Object.fromEntries(
          Object.entries(JSON.parse(localStorage.getItem('finance.looked'))).map(([id]) => [id, '2026-03-03']),
        ),
      ),
    ),
  );

  await add(card, '2026-02-10', '-300.00', 'Compra');
  await add(card, '2026-03-05', '300.00', 'Pagamento recebido');
  await add(card, '2026-03-07', '5.00', 'Pagamento efetuado');
  // After the card's rows, which would ask it.
  await add(account, '2026-03-06', '-300.00', 'PAGAMENTO FATURA');
  await add(account, '2026-03-08', '-80.00', 'Feira');
  assert.deepEqual(await march(), ['305.00', '380.00']);
  await go('/imports');
  await page.getByRole('heading', { name: '2 transferências reconhecidas' }).waitFor();
  await found.getByText('PAGAMENTO FATURA · 6 de mar. · Itaú').waitFor();
  await found.getByText('Pagamento recebido · 5 de mar. · Nubank').waitFor();
  await found.getByText('a outra ponta não está aqui').waitFor();
  // A certain transfer is offered once, and not also as a likely one.
  await eventually(async () =>
    assert.equal(await page.getByRole('region', { name: 'Parecem transferências' }).count(), 0),
  );
  assert.deepEqual(await march(), ['305.00', '380.00'], 'to look changes nothing');
  await settled(page);
  await inspect(page, 'links-found', { sizes: ['phone', 'tablet', 'desktop'] });

  await found.getByRole('button', { name: 'Ligar as 2' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '2 transferências ligadas' }).waitFor();
  await eventually(async () => assert.equal(await focused(page), '2 transferências ligadas'));
  assert.deepEqual(await march(), ['0.00', '80.00']);
  await settled(page);
  await inspect(page, 'links-made', { schemes: ['light'] });
  // A link that is not a transfer can be separated, whether the other side is stored here or not.
  await done.getByRole('button', { name: 'Separar Pagamento efetuado' }).click();
  await page.getByText('Separamos Pagamento efetuado.').waitFor();
  await page.getByRole('heading', { name: '1 transferência ligada' }).waitFor();
  assert.deepEqual(await march(), ['5.00', '80.00']);
  await done.getByRole('button', { name: 'Desfazer' }).click();
  await done.waitFor({ state: 'detached' });
  // The card's payment is a transfer without another side. The account's row counts again.
  assert.deepEqual(await march(), ['5.00', '380.00']);
  // A separated pair is not offered again.
  const again = page.waitForResponse(answer => answer.url().includes('dry_run'));
  await go('/imports');
  assert.deepEqual(await (await again).json(), { linked: 0, suggested: 0, transfers: [] });
  await page.getByText('Nenhuma ainda.').waitFor();
  await caughtUp(page);
  assert.equal(await found.count(), 0);
  await close();
});

test('many are shown in part, and a refusal says why', async () => {
  const { api, account, card, add, march } = await profile();
  // The card's rows first: they would ask the stored payments.
  for (let day = 1; day <= 6; day += 1) await add(card, `2026-03-0${day}`, `${day}00.00`, `Pagamento recebido ${day}`);
  for (let day = 1; day <= 6; day += 1)
    await add(account, `2026-03-0${day}`, `-${day}00.00`, `PAGAMENTO FATURA ${day}`);
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/imports');
  const found = page.getByRole('region', { name: '6 transferências reconhecidas' });
  await found.getByRole('listitem').first().waitFor();
  await eventually(async () => assert.equal(await found.getByRole('listitem').count(), 4));
  await found.getByRole('button', { name: 'Mostrar todas' }).click();
  await eventually(async () => assert.equal(await found.getByRole('listitem').count(), 6));
  expect(503);
  await page.route('**/api/transfers/detect?transfers=true', route =>
    route.fulfill({
      status: 503,
      headers: { 'Retry-After': '1' },
      contentType: 'application/problem+json',
      body: '{"code":"ErrUnavailable","status":503}',
    }),
  );
  await found.getByRole('button', { name: 'Ligar as 6' }).click();
  await page.getByText('O Finance está ocupado').waitFor();
  await page.unroute('**/api/transfers/detect?transfers=true');
  await found.getByRole('button', { name: 'Ligar as 6' }).click();
  await page.getByRole('heading', { name: '6 transferências ligadas' }).waitFor();
  assert.deepEqual(await march(), ['0.00', '0.00']);
  await page.getByRole('button', { name: 'Concluir' }).click();
  await page.getByRole('heading', { name: '6 transferências ligadas' }).waitFor({ state: 'detached' });
  await close();
});

test('two that a person marks are linked as a transfer, and separated again', async () => {
  const { api, account, savings, add, march } = await profile();
  await add(account, '2026-03-02', '-250.00', 'Guardado');
  await add(savings, '2026-03-09', '250.00', 'Chegou');
  await add(savings, '2026-03-04', '240.00', 'Outra coisa');
  await add(account, '2026-03-04', '250.00', 'Na mesma conta');
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await page.clock.install();
  await go('/transactions');
  const link = page.getByRole('button', { name: 'Ligar como transferência' });
  const mark = async (...names) => {
    for (const name of names) await page.getByLabel(`Marcar ${name}`).check();
    await page.getByText(`${names.length} marcados`).waitFor();
  };
  const unmark = () => page.getByRole('button', { name: 'Desmarcar todos' }).click();
  // Two rows of one direction, or three rows, cannot be a transfer.
  await mark('Chegou', 'Outra coisa');
  await eventually(async () => assert.equal(await link.count(), 0));
  await page.getByLabel('Marcar Guardado').check();
  await page.getByText('3 marcados').waitFor();
  await eventually(async () => assert.equal(await link.count(), 0));
  await unmark();
  // A pair that does not fit is refused with a reason, and nothing changes.
  expect(422);
  await mark('Guardado', 'Outra coisa');
  await link.click();
  await page.getByText('Os valores são diferentes').waitFor();
  await unmark();
  await mark('Guardado', 'Na mesma conta');
  await link.click();
  await page.getByText('Os dois estão na mesma conta').waitFor();
  await unmark();
  assert.deepEqual(await march(), ['740.00', '250.00']);

  await mark('Guardado', 'Chegou');
  await settled(page);
  await inspect(page, 'links-marked', { sizes: ['phone', 'tablet', 'desktop'] });
  await withStoppedClock(page, async () => {
    await link.click();
    // A toast stays while the pointer is on it.
    await page.getByText('Ligados como transferência').hover();
  });
  const row = page.getByRole('row').filter({ hasText: 'Itaú → Reserva' });
  await row.waitFor();
  await eventually(async () =>
    assert.match(await page.evaluate(() => document.activeElement?.closest('tr')?.textContent ?? ''), /Itaú → Reserva/),
  );
  assert.deepEqual(await march(), ['490.00', '0.00']);
  await accessible(page, 'linked by hand');
  await undo(page, 'Ligados como transferência').click();
  await eventually(async () => assert.deepEqual(await march(), ['740.00', '250.00']));
  await row.waitFor({ state: 'detached' });

  // With the keyboard alone.
  await page.getByRole('row').filter({ hasText: 'Chegou' }).focus();
  await page.keyboard.press('x');
  await page.getByText('1 marcado', { exact: true }).waitFor();
  await page.getByRole('row').filter({ hasText: 'Guardado' }).focus();
  await page.keyboard.press('x');
  await page.getByText('2 marcados').waitFor();
  for (let stop = 0; stop < 60 && (await focused(page)) !== 'Ligar como transferência'; stop += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await row.waitFor();
  await eventually(async () => assert.deepEqual(await march(), ['490.00', '0.00']));
  await close();
});
