// What every view shows while it loads, when it cannot be read, and without a connection.
import { inspect, refusal, settled } from './support.mjs';
import { hold, placeholdersShown } from './waits.mjs';

/**
 * Opens a view whose first answer is held, and checks its placeholders. The view shows `ready` once the answer has come.
 * @param {import('playwright-core').Page} page @param {string} name
 * @param {{ address: string, calls: string, ready: import('playwright-core').Locator, options?: Parameters<typeof inspect>[2] }} view
 */
export const looksWhileLoading = async (page, name, { address, calls, ready, options }) => {
  let isHeld = true;
  const held = await hold(page, calls, { isHeld: () => isHeld });
  await page.goto(address);
  await placeholdersShown(page);
  await inspect(page, `${name}-loading`, options);
  isHeld = false;
  for (const _ of held.requests) held.open();
  await ready.waitFor();
  await settled(page);
  await page.unroute(calls);
};

/**
 * Opens a view whose calls fail. The view says so, with the code for support, and is read by "Tentar de novo".
 * @param {Pick<Awaited<ReturnType<typeof import('./support.mjs').visit>>, 'page' | 'go' | 'expect'>} visitor @param {string} name
 * @param {{ path: string, calls: string, ready: import('playwright-core').Locator, status?: 500 | 503, options?: Parameters<typeof inspect>[2] }} view
 */
export const looksWhileFailing = async ({ page, go, expect }, name, { path, calls, ready, status = 503, options }) => {
  expect(status);
  const problem = status === 503 ? refusal(503, 'ErrUnavailable', { 'Retry-After': '1' }) : refusal(500, 'ErrInternal');
  await page.route(calls, route => route.fulfill(problem));
  await go(path);
  await page.getByText('Código do erro: r-7').waitFor();
  await inspect(page, `${name}-error`, options);
  await page.unroute(calls);
  await page.getByRole('button', { name: 'Tentar de novo', exact: true }).click();
  await ready.waitFor();
  await settled(page);
};

/**
 * Checks a view with a month while it loads, when it cannot be read, and without a connection. It says so, and goes on by itself.
 * @param {Pick<Awaited<ReturnType<typeof import('./support.mjs').visit>>, 'page' | 'go' | 'expect'>} visitor @param {string} name
 * @param {{ address: string, calls: string, ready: import('playwright-core').Locator }} view
 */
export const looksWhileAway = async (visitor, name, { address, calls, ready }) => {
  const { page, expect } = visitor;
  await looksWhileLoading(page, name, { address, calls, ready, options: { schemes: ['light'] } });
  await looksWhileFailing(visitor, name, { path: new URL(address).pathname, calls, ready });

  expect('ERR_INTERNET_DISCONNECTED');
  await page.context().setOffline(true);
  await page.getByRole('link', { name: /^Mês seguinte/ }).click();
  await page.getByText('Sem conexão com o Finance').waitFor();
  await page.getByRole('alert').waitFor();
  await inspect(page, `${name}-offline`, { sizes: ['phone'], schemes: ['light'] });
  await page.context().setOffline(false);
  await page.getByText('Sem conexão com o Finance').waitFor({ state: 'detached' });
  await ready.waitFor();
};
