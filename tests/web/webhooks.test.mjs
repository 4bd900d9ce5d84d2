// Webhooks in the settings: how they are created and deleted, and their deliveries.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import test, { after } from 'node:test';
import { suite } from './suite.mjs';
import { addMember, client, eventually, inspect, visit } from './support.mjs';

const received = [];
const receiver = createServer((request, response) => {
  request.resume();
  received.push(request.headers['finance-signature']);
  response.writeHead(204).end();
}).listen(0, '127.0.0.1');
after(() => receiver.close());
const { service, browser, user } = await suite({ environment: { FINANCE_WEBHOOKS_PRIVATE: 'yes' } });

test('a webhook is made, told, sent again and deleted', async () => {
  const api = await user({ name: 'gil' });
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  await go('/settings?page=data');
  await page.getByRole('button', { name: 'Ver webhooks' }).click();
  const dialog = page.getByRole('dialog').first();
  await dialog.getByText('Nenhum endereço é avisado ainda.').waitFor();
  const widthOf = async part => (await part.boundingBox())?.width ?? 0;
  const [around, field] = [dialog.locator('.dialog-body > .stack'), dialog.getByLabel('Endereço')];
  assert.ok((await widthOf(field)) > (await widthOf(around)) - 1, 'the form is as wide as its dialog');
  expect(422);
  await dialog.getByLabel('Endereço').fill('exemplo.com');
  await dialog.getByRole('button', { name: 'Criar webhook' }).click();
  await dialog.getByText('Escreva o endereço inteiro').waitFor();
  await dialog.getByLabel('Endereço').fill(`http://127.0.0.1:${receiver.address().port}/finance`);
  // What is refused is told, also where no field of its own could show it.
  const events = await dialog.getByRole('checkbox').all();
  for (const event of events) await event.uncheck();
  expect(422);
  await dialog.getByRole('button', { name: 'Criar webhook' }).click();
  await dialog.getByText('Escolha ao menos um.').waitFor();
  await inspect(page, 'webhooks-refused', { sizes: ['phone', 'desktop'] });
  for (const event of events) await event.check();
  await dialog.getByLabel('Fatura fechada').uncheck();
  await dialog.getByRole('button', { name: 'Criar webhook' }).click();
  await dialog.getByText(/whs_/).waitFor();
  await inspect(page, 'webhooks', { sizes: ['phone', 'desktop'] });
  const [made] = await api.get('/api/webhooks');
  assert.equal(made.created_by, (await api.get('/api/auth/me')).member_id);
  assert.deepEqual(made.events, ['import.confirmed', 'bill.due', 'budget.exceeded', 'transaction.created']);
  await api.post('/api/transactions', { type: 'expense', date: '2026-03-02', description: 'Pão', amount: '8' });
  await eventually(() => assert.match(received[0], /^t=\d+,v1=[0-9a-f]{64}$/));
  await eventually(async () =>
    assert.equal((await api.get(`/api/webhooks/${made.id}/deliveries`))[0].state, 'delivered'),
  );
  await dialog.getByRole('button', { name: 'Entregas' }).click();
  const deliveries = page.getByRole('dialog').last();
  await deliveries.getByText('Entregue').waitFor();
  await inspect(page, 'webhook-deliveries', { sizes: ['phone', 'desktop'] });
  await deliveries.getByRole('button', { name: 'Enviar de novo' }).click();
  await eventually(() => assert.equal(received.length, 2));
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Excluir' }).click();
  await dialog.getByText('Nenhum endereço é avisado ainda.').waitFor();
  assert.deepEqual(await api.get('/api/webhooks'), []);
  await close();
});

test('where there is more than one member, a webhook says who made it, and goes with them', async () => {
  const api = await user({ name: 'lua' });
  await addMember(service.url, api, 'editor', 'rui');
  const editor = await client(service.url, 'rui');
  const url = `http://127.0.0.1:${receiver.address().port}/rui`;
  const { created_by } = await editor.post('/api/webhooks', { url, events: ['bill.due'] });
  for (const [as, text] of [
    [api, 'Criado por rui'],
    [editor, 'Criado por rui'],
  ]) {
    const { page, go, close } = await visit(browser, service.url, { api: as });
    await go('/settings?page=data');
    await page.getByRole('button', { name: 'Ver webhooks' }).click();
    await page.getByRole('dialog').first().getByText(text).waitFor();
    await close();
  }
  await api.remove(`/api/members/${created_by}`);
  const { page, go, close } = await visit(browser, service.url, { api });
  await go('/settings?page=data');
  await page.getByRole('button', { name: 'Ver webhooks' }).click();
  await page.getByRole('dialog').first().getByText('Nenhum endereço é avisado ainda.').waitFor();
  await close();
});
