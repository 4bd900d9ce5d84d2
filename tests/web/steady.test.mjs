// Nothing jumps: how far what is shown moves while a view loads, on every view, with the data of a household and without any.
import assert from 'node:assert/strict';
import test from 'node:test';
import { household } from './household.mjs';
import { suite } from './suite.mjs';
import { addAccount, addMember, client, isFirefox, settled, visit } from './support.mjs';
import { bellShown, caughtUp, hold } from './waits.mjs';

const { service, browser, user } = await suite({ today: '2026-03-10' });

/** The most that a view may move, as browsers count it (cumulative layout shift). */
const SHIFT_MAX = 0.05;
const SIZES = /** @type {const} */ (['desktop', 'phone']);
const skip = isFirefox && 'Firefox counts no movements';

/** Collects the movements of the page from its first frame. @param {import('playwright-core').BrowserContext} context */
const watch = context =>
  context.addInitScript(() => {
    const found = /** @type {unknown[]} */ ([]);
    /** @param {PerformanceEntry[]} entries */
    const add = entries => {
      for (const entry of /** @type {any[]} */ (entries))
        if (!entry.hadRecentInput)
          found.push([
            entry.value,
            ...entry.sources.map(
              ({ node, previousRect, currentRect }) =>
                `${node?.nodeName} ${node?.className || node?.parentElement?.className}: ${previousRect.y} to ${currentRect.y}`,
            ),
          ]);
    };
    const observer = new PerformanceObserver(list => add(list.getEntries()));
    observer.observe({ type: 'layout-shift', buffered: true });
    globalThis.shifts = () => {
      add(observer.takeRecords());
      return found;
    };
  });

/** How far the page has moved, and what moved. @param {import('playwright-core').Page} page */
const shifted = async page => {
  const found = await page.evaluate(() => globalThis.shifts());
  return { sum: found.reduce((sum, [value]) => sum + value, 0), found };
};

/**
 * The views that move by more than they may, with what moved. Each is loaded by a new browser, which has no file yet.
 * @param {any} api @param {typeof SIZES[number]} size @param {string[]} paths
 */
const moving = async (api, size, paths) => {
  const moved = /** @type {Record<string, unknown>} */ ({});
  for (const path of paths) {
    const { page, go, close } = await visit(browser, service.url, { api, size });
    await watch(page.context());
    await go(path);
    await bellShown(page);
    await settled(page);
    const { sum, found } = await shifted(page);
    if (sum > SHIFT_MAX) moved[path] = JSON.stringify({ sum, found });
    console.log(size, path, sum.toFixed(3));
    await close();
  }
  return moved;
};

/** Views that show much the same with data and without. */
const PLAIN = [
  '/settings',
  '/settings?page=looks',
  '/settings?page=access',
  '/settings?page=data',
  '/settings?show=access',
  '/settings?show=rules',
];
/** Views of months, accounts and all else that a profile has. */
const VIEWS = [
  '/',
  '/?month=2026-02',
  '/transactions',
  '/transactions?month=all',
  '/accounts',
  '/cards',
  '/forecast',
  '/imports',
  '/recurring',
  '/budgets',
  '/categories',
  '/reports',
  '/reports?year=2026',
  '/changes',
  '/character',
];

for (const size of SIZES) {
  test(`no view of a household moves while it loads (${size})`, { skip }, async () => {
    const api = await user();
    const { card, current } = await household(api);
    await api.post('/api/transactions', {
      date: '2026-03-08',
      type: 'expense',
      description: 'Presente',
      amount: '80.00',
      account_id: current.id,
      tags: ['festa'],
    });
    await api.post('/api/rules', {
      name: 'Mercado',
      conditions: [{ field: 'type', op: 'eq', value: 'expense' }],
      actions: [{ action: 'add_tag', tag: 'casa' }],
    });
    const [bill] = await api.get(`/api/credit-bills?account_id=${card.id}`);
    assert.deepEqual(
      await moving(api, size, [
        ...VIEWS,
        '/transactions?month=all&tag=festa',
        '/transactions?month=2026-03&type=income&account_id=none',
        `/accounts?id=${current.id}`,
        `/cards?id=${card.id}`,
        `/cards?id=${card.id}&bill=${bill.id}`,
        ...PLAIN,
      ]),
      {},
    );
  });

  test(`no view of a new profile moves while it loads (${size})`, { skip }, async () => {
    const api = await user();
    assert.deepEqual(await moving(api, size, VIEWS), {});
    // With an account, the other figures stand below the first steps.
    await addAccount(api, 'Itaú', 'current', '10.00', '2026-03-01');
    assert.deepEqual(await moving(api, size, ['/', '/transactions', '/accounts']), {});
  });
  test(`no page of settings moves while it loads for who may only read (${size})`, { skip }, async () => {
    const api = await user();
    const name = `viewer-${size}`;
    await addMember(service.url, api, 'viewer', name);
    assert.deepEqual(await moving(await client(service.url, name), size, PLAIN), {});
  });
  test(`cards of settings do not go when the role is known late (${size})`, { skip }, async () => {
    const api = await user();
    const name = `late-${size}`;
    await addMember(service.url, api, 'viewer', name);
    const { page, close } = await visit(browser, service.url, { api: await client(service.url, name), size });
    await watch(page.context());
    const role = await hold(page, '**/api/auth/me');
    await page.goto(`${service.url}/settings?page=data`, { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await role.asked(1);
    await caughtUp(page);
    role.open();
    await page.getByRole('heading', { level: 2, name: 'Sobre' }).waitFor();
    await caughtUp(page);
    const { sum, found } = await shifted(page);
    assert.ok(sum <= SHIFT_MAX, JSON.stringify(found));
    await close();
  });
}
