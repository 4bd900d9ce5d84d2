// Where a person is told: devices that a push service reaches, and e-mail. What a push shows, and where a click on it leads.
import assert from 'node:assert/strict';
import { createECDH, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as listen } from 'node:net';
import test, { after } from 'node:test';
import { suite } from './suite.mjs';
import { addAccount, eventually, inspect, visit } from './support.mjs';

/** The head of every push. @type {import('node:http').IncomingHttpHeaders[]} */
const pushed = [];
const pushService = createServer((request, response) => {
  request.resume();
  pushed.push(request.headers);
  response.writeHead(201).end();
}).listen(0, '127.0.0.1');
await new Promise(resolve => pushService.once('listening', resolve));
after(() => pushService.close());

/** The content of every mail. @type {string[]} */
const mails = [];
const mailServer = listen(socket => {
  let isContent = false,
    rest = '';
  socket.write('220 mail.example\r\n');
  socket.on('error', () => {});
  socket.on('data', part => {
    rest += part;
    for (;;) {
      const end = rest.indexOf(isContent ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const line = rest.slice(0, end);
      rest = rest.slice(end + (isContent ? 5 : 2));
      if (isContent) {
        mails.push(line);
        isContent = false;
        socket.write('250 fine\r\n');
      } else {
        isContent = line === 'DATA';
        socket.write(isContent ? '354 go on\r\n' : '250 fine\r\n');
      }
    }
  });
}).listen(0, '127.0.0.1');
await new Promise(resolve => mailServer.once('listening', resolve));
after(() => mailServer.close());

const port = (/** @type {import('node:net').Server} */ server) => /** @type {any} */ (server.address()).port;

const { service, browser, user } = await suite({
  today: '2026-03-10',
  environment: {
    FINANCE_WEBHOOKS_PRIVATE: 'yes',
    FINANCE_PUSH_HOSTS: `127.0.0.1:${port(pushService)}`,
    FINANCE_SMTP_URL: `smtp://127.0.0.1:${port(mailServer)}`,
    FINANCE_MAIL_FROM: 'finance@finance.example',
  },
});

/** The code of the mail to an address. @param {string} address */
const codeOf = address =>
  eventually(() => {
    const mail = mails.find(content => content.includes(address)) ?? '',
      [head = '', body = ''] = mail.split('\r\n\r\n');
    const text = /base64/i.test(head) ? Buffer.from(body, 'base64').toString() : body;
    const found = /\b\d{6}\b/.exec(text)?.[0];
    assert.ok(found, mails.join('\n'));
    return found;
  });

let devices = 0;

/**
 * A browser that a push service knows. The browser of the tests has none, so subscriptions are kept by the page.
 * @param {import('playwright').BrowserContext} context
 */
const withPush = async (context, { permission = 'default', answer = 'granted' } = {}) => {
  const key = createECDH('prime256v1');
  key.generateKeys();
  const endpoint = `http://127.0.0.1:${port(pushService)}/push/${++devices}`,
    keys = { p256dh: key.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') };
  await context.addInitScript(
    given => {
      const permission = () => localStorage.getItem('test.permission') ?? given.permission;
      Object.defineProperty(Notification, 'permission', { get: permission });
      Notification.requestPermission = async () => {
        localStorage.setItem('test.asked', 'yes');
        localStorage.setItem('test.permission', given.answer);
        return /** @type {NotificationPermission} */ (given.answer);
      };
      const made = (/** @type {string} */ key) => ({
        endpoint: given.endpoint,
        options: {
          applicationServerKey: Uint8Array.from(
            atob(key.replaceAll('-', '+').replaceAll('_', '/')),
            letter => letter.codePointAt(0) ?? 0,
          ).buffer,
        },
        toJSON: () => ({ endpoint: given.endpoint, expirationTime: null, keys: given.keys }),
        unsubscribe: async () => {
          localStorage.removeItem('test.key');
          return true;
        },
      });
      PushManager.prototype.getSubscription = async () => {
        const key = localStorage.getItem('test.key');
        return key === null ? null : /** @type {any} */ (made(key));
      };
      PushManager.prototype.subscribe = async options => {
        const key = /** @type {string} */ (options?.applicationServerKey);
        localStorage.setItem('test.key', key);
        return /** @type {any} */ (made(key));
      };
    },
    { permission, answer, endpoint, keys },
  );
};

/** @param {import('playwright').Page} page @param {string} key */
const kept = (page, key) => page.evaluate(name => localStorage.getItem(name), key);

/** Opens the dialog, once the worker is there. @param {{ page: import('playwright').Page, go: (path?: string) => Promise<void> }} visited */
const openChannels = async ({ page, go }, button = 'Celular e e-mail') => {
  await go('/settings');
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await page.getByRole('button', { name: button }).click();
  return page.getByRole('dialog', { name: button });
};

test('a device is told after a click, tried out, and ended', async () => {
  const api = await user();
  const visited = await visit(browser, service.url, { worker: true, api }),
    { page, context, close } = visited;
  await withPush(context);
  const dialog = await openChannels(visited);
  await dialog.getByText('Nenhum aparelho.').waitFor();
  const begin = dialog.getByRole('button', { name: 'Avisar neste aparelho' });
  await begin.waitFor();
  assert.equal(await kept(page, 'test.asked'), null, 'the browser asks at a click only');
  await page.setViewportSize({ width: 360, height: 740 });
  await begin.focus();
  await page.keyboard.press('Enter');
  await dialog.getByText('Este aparelho recebe avisos.').waitFor();
  await dialog.getByText('Desde').waitFor();
  const [device] = await api.get('/api/notices/devices');
  assert.equal(device.host, '127.0.0.1');
  assert.equal(await kept(page, 'test.key'), (await api.get('/api/notices/preferences')).push_key);
  await inspect(page, 'notice-channels');
  const before = pushed.length;
  await dialog.getByRole('button', { name: /^Testar: / }).click();
  await eventually(() => assert.equal(pushed.length, before + 1));
  assert.equal(pushed.at(-1)?.['content-encoding'], 'aes128gcm');
  assert.match(String(pushed.at(-1)?.topic), /^\w{32}$/);
  await dialog.getByRole('button', { name: 'Parar neste aparelho' }).click();
  await dialog.getByText('Nenhum aparelho.').waitFor();
  assert.equal(await kept(page, 'test.key'), null);
  assert.deepEqual(await api.get('/api/notices/devices'), []);
  await close();
});

test('a device signs up again for another key of the service, and ends with the login', async () => {
  const api = await user();
  const visited = await visit(browser, service.url, { worker: true, api }),
    { page, go, context, close } = visited;
  await withPush(context);
  const dialog = await openChannels(visited);
  await dialog.getByRole('button', { name: 'Avisar neste aparelho' }).click();
  await dialog.getByText('Este aparelho recebe avisos.').waitFor();
  const key = await kept(page, 'test.key');
  // As after a change of `FINANCE_PUSH_KEY`, in a later session of the browser.
  await page.evaluate(() => {
    localStorage.setItem('test.key', 'BAAA');
    sessionStorage.removeItem('finance.pushed');
  });
  await go('/accounts');
  await eventually(async () => assert.equal(await kept(page, 'test.key'), key));
  await eventually(async () => assert.equal((await api.get('/api/notices/devices')).length, 1));
  await go('/settings?page=access');
  await page.getByRole('main').getByRole('button', { name: 'Sair' }).click();
  await page.waitForURL(/\/login/);
  // The logout does not wait for the end of the subscription.
  await eventually(async () => assert.equal(await kept(page, 'test.key'), null));
  assert.equal(await kept(page, 'finance.push'), null);
  await close();
});

test('a browser that may not show notices says so', async () => {
  const api = await user();
  const visited = await visit(browser, service.url, { worker: true, api, language: 'en' });
  await withPush(visited.context, { answer: 'denied' });
  const dialog = await openChannels(visited, 'Phone and e-mail');
  await dialog.getByRole('button', { name: 'Tell on this device' }).click();
  await dialog.getByText('The browser does not let this page show notices.').waitFor();
  assert.equal(await kept(visited.page, 'test.key'), null);
  assert.deepEqual(await api.get('/api/notices/devices'), []);
  await inspect(visited.page, 'notice-channels-denied', { sizes: ['phone'] });
  // It stays so: the page does not ask again.
  const again = await openChannels(visited, 'Phone and e-mail');
  await again.getByText('The browser does not let this page show notices.').waitFor();
  assert.equal(await again.getByRole('button', { name: 'Tell on this device' }).count(), 0);
  await visited.close();
});

test('on an iPhone the page is to be installed first', async () => {
  const api = await user();
  const userAgent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1';
  const visited = await visit(browser, service.url, { worker: true, api, options: { userAgent } });
  const dialog = await openChannels(visited);
  await dialog.getByText('Adicionar à Tela de Início').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Avisar neste aparelho' }).count(), 0);
  await visited.close();
});

test('a push is shown with its tag, and its click opens the page, which acts', async () => {
  const api = await user();
  await addAccount(api, 'Conta', 'current', '1000.00', '2026-01-01');
  const card = await api.post('/api/accounts', { name: 'Nubank', kind: 'credit', closing_day: 3, due_day: 13 });
  await api.post('/api/transactions', {
    type: 'expense',
    account_id: card.id,
    date: '2026-02-20',
    description: 'Loja',
    amount: '300.00',
  });
  const due = async () => (await api.get('/api/notices')).find(notice => notice.kind === 'bill_due');
  const { id } = await due();
  const { page, context, go, close } = await visit(browser, service.url, { worker: true, api });
  await context.grantPermissions(['notifications']);
  await go('/accounts');
  await page.getByRole('button', { name: /^Avisos/ }).waitFor();
  // The page is controlled once the worker is active, and gets what the worker tells.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await eventually(async () => assert.ok(await page.evaluate(() => navigator.serviceWorker.controller !== null)));
  const devtools = await context.newCDPSession(page);
  const registered = new Promise(resolve =>
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId);
    }),
  );
  await devtools.send('ServiceWorker.enable');
  const registrationId = /** @type {string} */ (await registered);
  const push = (/** @type {string} */ data) =>
    devtools.send('ServiceWorker.deliverPushMessage', { origin: service.url, registrationId, data });
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  // A browser without a window shows no notifications, so what the worker shows is kept in it.
  await worker.evaluate(() => {
    const kept = /** @type {any[]} */ ([]),
      own = /** @type {any} */ (ServiceWorkerRegistration.prototype);
    own.showNotification = async (title, { body, tag, data }) => {
      const one = { title, body, tag: tag ?? '', data, close: () => void kept.splice(kept.indexOf(one), 1) },
        former = kept.findIndex(other => one.tag !== '' && other.tag === one.tag);
      if (former < 0) kept.push(one);
      else kept[former] = one;
    };
    own.getNotifications = async ({ tag } = {}) => kept.filter(one => tag === undefined || one.tag === tag);
  });
  const shown = () =>
    worker.evaluate(async () => {
      const found = await /** @type {any} */ (globalThis).registration.getNotifications();
      return found.map(({ title, body, tag, data }) => ({ title, body, tag, data }));
    });
  const message = { title: 'Fatura Nubank vence em 3 dias', body: 'Até 13/03.', tag: 'abc', url: '/cards' };
  await push(JSON.stringify({ ...message, actions: [{ action: `tomorrow:${id}`, title: 'Amanhã' }] }));
  const expected = { title: message.title, body: message.body, tag: 'abc', data: { url: '/cards' } };
  await eventually(async () => assert.deepEqual(await shown(), [expected]));
  // The same tag takes the place of the one before. What cannot be read is shown, too.
  await push(JSON.stringify({ ...message, body: 'Até amanhã.' }));
  await eventually(async () => assert.deepEqual(await shown(), [{ ...expected, body: 'Até amanhã.' }]));
  await push('?');
  await eventually(async () => assert.equal((await shown()).length, 2));
  const click = (/** @type {string} */ action) =>
    worker.evaluate(async chosen => {
      const scope = /** @type {any} */ (globalThis);
      const [notification] = await scope.registration.getNotifications({ tag: 'abc' });
      const event = new Event('notificationclick');
      scope.dispatchEvent(Object.assign(event, { notification, action: chosen, waitUntil: () => {} }));
    }, action);
  await click(`tomorrow:${id}`);
  await page.waitForURL(/\/cards$/);
  await page.getByText('Aviso adiado para amanhã').waitFor();
  assert.equal((await due()).snoozed_until, '2026-03-11');
  await eventually(async () => assert.equal((await shown()).length, 1));
  await go(`/cards?notice=paid:${id}`);
  await page.getByRole('dialog').getByRole('button', { name: /Pagar/ }).waitFor();
  await close();
});

test('an e-mail address is told once its code was typed', async () => {
  const api = await user();
  const visited = await visit(browser, service.url, { worker: true, api }),
    { page, close, expect } = visited;
  const dialog = await openChannels(visited);
  expect(422);
  await dialog.getByLabel('Endereço de e-mail').fill('ana');
  await dialog.getByRole('button', { name: 'Enviar código' }).click();
  await dialog.locator('input[aria-invalid=true]').waitFor();
  await dialog.getByLabel('Endereço de e-mail').fill('ana@example.com');
  await dialog.getByRole('button', { name: 'Enviar código' }).click();
  await dialog.getByText('ana@example.com espera o código.').waitFor();
  await inspect(page, 'notice-channels-code', { sizes: ['phone'] });
  const code = await codeOf('ana@example.com');
  await dialog.getByLabel('Código de seis dígitos').fill(code === '000000' ? '000001' : '000000');
  await dialog.getByRole('button', { name: 'Confirmar e-mail' }).click();
  await dialog.locator('input[aria-invalid=true]').waitFor();
  await dialog.getByLabel('Código de seis dígitos').fill(code);
  await dialog.getByRole('button', { name: 'Confirmar e-mail' }).click();
  await dialog.getByText('Avisos vão para ana@example.com.').waitFor();
  assert.deepEqual((await api.get('/api/notices/preferences')).email, { address: 'ana@example.com', confirmed: true });
  await dialog.getByRole('button', { name: 'Remover e-mail' }).click();
  await dialog.getByLabel('Endereço de e-mail').waitFor();
  await close();
});

test('by keyboard at 360 px, in English: an address, its code, and its end', async () => {
  const api = await user();
  const visited = await visit(browser, service.url, { worker: true, api, language: 'en' }),
    { page, close } = visited;
  await page.setViewportSize({ width: 360, height: 740 });
  const dialog = await openChannels(visited, 'Phone and e-mail');
  await dialog.getByLabel('E-mail address').focus();
  await page.keyboard.type('bia@example.com');
  await page.keyboard.press('Enter');
  await dialog.getByText('bia@example.com waits for the code.').waitFor();
  await dialog.getByLabel('Code of six digits').focus();
  await page.keyboard.type(await codeOf('bia@example.com'));
  await page.keyboard.press('Enter');
  await dialog.getByText('Notices go to bia@example.com.').waitFor();
  await inspect(page, 'notice-channels-email', { sizes: ['phone'] });
  await dialog.getByRole('button', { name: 'Remove e-mail' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByLabel('E-mail address').waitFor();
  assert.equal((await api.get('/api/notices/preferences')).email, null);
  await close();
});
