// Notices: the bell, the list, what is paid and put off, and what a person is told of.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import { addAccount, eventually, inspect, visit } from './support.mjs';
import { keysBound } from './waits.mjs';

const { service, browser, user } = await suite({ today: '2026-03-10' });

/** A card with a bill that is due in three days, and an account from which it can be paid. @param {any} api */
const withBill = async api => {
  await addAccount(api, 'Conta', 'current', '1000.00', '2026-01-01');
  const card = await api.post('/api/accounts', { name: 'Nubank', kind: 'credit', closing_day: 3, due_day: 13 });
  await api.post('/api/transactions', {
    type: 'expense',
    account_id: card.id,
    date: '2026-02-20',
    description: 'Loja',
    amount: '300.00',
  });
};

test('the bell says how many notices are unread, and the list pays a bill, puts off and marks as read', async () => {
  const api = await user();
  await withBill(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await page.setViewportSize({ width: 360, height: 740 });
  await go('/accounts');
  const bell = page.getByRole('button', { name: 'Avisos: 2 não lidos' });
  await bell.waitFor();
  await bell.focus();
  await page.keyboard.press('Enter');
  const list = page.getByRole('dialog', { name: 'Avisos' });
  await list.getByRole('link', { name: 'Fatura Nubank vence em 3 dias' }).waitFor();
  await list.getByRole('link', { name: 'Fatura Nubank fechou' }).waitFor();
  await inspect(page, 'notices');
  const due = async () => (await api.get('/api/notices')).find(notice => notice.kind === 'bill_due');
  await list.getByRole('button', { name: 'Lembrar amanhã: Fatura Nubank vence' }).click();
  await list.getByText('Aviso adiado para amanhã').waitFor();
  assert.equal((await due()).snoozed_until, '2026-03-11');
  await list.getByRole('button', { name: 'Desfazer' }).click();
  await list.getByText('Aviso de volta').waitFor();
  assert.equal((await due()).snoozed_until, null);
  await list.getByRole('button', { name: 'Marcar tudo como lido' }).click();
  await page.getByRole('button', { name: 'Avisos', exact: true, includeHidden: true }).waitFor();
  await eventually(async () => assert.deepEqual(await api.get('/api/notices?unread=true'), []));
  await list.getByRole('button', { name: 'Paguei: Fatura Nubank vence' }).click();
  const form = page.getByRole('dialog').last();
  await form.getByRole('button', { name: /Pagar/ }).click();
  await list.getByText('Resolvido').waitFor();
  assert.notEqual((await due()).settled_at, null);
  await list.getByRole('link', { name: 'Fatura Nubank fechou' }).click();
  await page.waitForURL(/\/cards\?bill=\d+$/);
  await page.getByText('Loja').first().waitFor();
  await list.waitFor({ state: 'detached' });
  await close();
});

test('a notice tells no amount while amounts are hidden', async () => {
  const api = await user();
  await withBill(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/accounts');
  await keysBound(page);
  await page.keyboard.press('h');
  await page.getByRole('button', { name: 'Avisos: 2 não lidos' }).click();
  const list = page.getByRole('dialog', { name: 'Avisos' });
  await list.getByText('R$\u00a0•••• a pagar até').waitFor();
  assert.equal(await list.getByText(/\d,\d\d/).count(), 0);
  await close();
});

test('without notices the list says so', async () => {
  const api = await user();
  const { page, go, close } = await visit(browser, service.url, { api, language: 'en' });
  await go('/accounts');
  await page.getByRole('button', { name: 'Notices' }).click();
  await page.getByRole('dialog', { name: 'Notices' }).getByText('No notices.').waitFor();
  await inspect(page, 'notices-none', { sizes: ['phone'] });
  await close();
});

test('the settings choose what is told, and from which days and percents on', async () => {
  const api = await user();
  await withBill(api);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/settings');
  await page.getByRole('button', { name: 'Escolher avisos' }).click();
  const dialog = page.getByRole('dialog', { name: 'O que avisar' });
  await dialog.getByLabel('Fatura fechada: Página').uncheck();
  await dialog.getByLabel('Resumo da semana, às segundas: Página').check();
  await dialog.getByLabel('Orçamento perto do fim: Celular').check();
  await dialog.getByLabel('Conta recorrente a vencer: Celular').uncheck();
  await dialog.getByLabel('Conta recorrente a vencer: E-mail').check();
  await dialog.getByLabel('Avisar a partir das').fill('07:30');
  await dialog.getByLabel('Silêncio a partir das').fill('22:00');
  await dialog.getByLabel('Mostrar valores no celular e no e-mail').check();
  const days = dialog.getByLabel('Fatura a vencer: dias antes');
  assert.equal(await days.inputValue(), '3, 0');
  await days.fill('dois');
  await dialog.getByRole('button', { name: 'Salvar avisos' }).click();
  await dialog.locator('input[aria-invalid=true]').waitFor();
  await inspect(page, 'notices-settings');
  await days.fill('3, 1');
  await dialog.getByLabel('Orçamento: porcentagens gastas').fill('90');
  await dialog.getByLabel('Idioma dos avisos').selectOption('en');
  await dialog.getByRole('button', { name: 'Salvar avisos' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { kinds, language, ...times } = await api.get('/api/notices/preferences');
  assert.deepEqual(
    [language, kinds.bill_due, kinds.bill_closed, kinds.digest, kinds.budget],
    [
      'en',
      { channels: ['page', 'push'], days: [3, 1] },
      { channels: [] },
      { channels: ['page'] },
      { channels: ['page', 'push'], percents: [90] },
    ],
  );
  assert.deepEqual(kinds.recurring_due.channels, ['page', 'email']);
  assert.deepEqual([times.hour, times.quiet_from, times.quiet_to, times.amounts], ['07:30', '22:00', '08:00', true]);
  await page.getByRole('button', { name: 'Avisos: 1 não lido' }).click();
  await page.getByRole('link', { name: 'Nubank bill is due in 3 days' }).waitFor();
  await close();
});
