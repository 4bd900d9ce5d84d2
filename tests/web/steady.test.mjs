// Nothing jumps: how far what is shown moves while a view loads, on every view, for a household and for a new profile.
import assert from 'node:assert/strict';
import test from 'node:test';
import { household } from './household.mjs';
import { suite } from './suite.mjs';
import { isFirefox, settled, visit } from './support.mjs';
import { bellShown } from './waits.mjs';

const { service, browser, user } = await suite({ today: '2026-03-10' });

/** The most that a view may move, as browsers count it (cumulative layout shift). */
const SHIFT_MAX = 0.05;

/** Collects the movements of the page from its first frame. */
const watch = context =>
  context.addInitScript(() => {
    globalThis.shifts = [];
    new PerformanceObserver(list => {
      for (const entry of list.getEntries())
        if (!entry.hadRecentInput)
          globalThis.shifts.push([
            entry.value,
            entry.sources.map(({ node }) => `${node?.nodeName} ${node?.className ?? node?.parentElement?.className}`),
          ]);
    }).observe({ type: 'layout-shift', buffered: true });
  });

/** @param {import('playwright-core').Page} page */
const shiftOf = async page => {
  await settled(page);
  await bellShown(page);
  const found = await page.evaluate(() => globalThis.shifts);
  return { sum: found.reduce((sum, [value]) => sum + value, 0), found };
};

const skip = isFirefox && 'Firefox counts no movements';

for (const size of /** @type {const} */ (['desktop', 'phone'])) {
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
    const [bill] = await api.get(`/api/credit-bills?account_id=${card.id}`);
    const moved = {};
    for (const path of [
      '/',
      '/?month=2026-02',
      '/transactions',
      '/transactions?month=all&tag=festa',
      '/accounts',
      `/accounts?id=${current.id}`,
      `/cards?id=${card.id}`,
      `/cards?id=${card.id}&bill=${bill.id}`,
      '/forecast',
      '/imports',
      '/recurring',
      '/budgets',
      '/categories',
      '/reports',
      '/character',
      '/settings',
    ]) {
      const { page, go, close } = await visit(browser, service.url, { api, size });
      await watch(page.context());
      await go(path);
      const { sum, found } = await shiftOf(page);
      if (sum > SHIFT_MAX) moved[path] = [sum, JSON.stringify(found)];
      await close();
    }
    assert.deepEqual(moved, {});
  });

  test(`the first steps do not move (${size})`, { skip }, async () => {
    const api = await user();
    const { page, go, close } = await visit(browser, service.url, { api, size });
    await watch(page.context());
    await go('/');
    await page.getByRole('heading', { name: 'Três passos para começar' }).waitFor();
    const { sum, found } = await shiftOf(page);
    assert.ok(sum <= SHIFT_MAX, JSON.stringify(found));
    await close();
    // With an account, the other figures stand below them.
    await api.post('/api/accounts', {
      name: 'Itaú',
      kind: 'current',
      opening_balance: '10.00',
      opening_date: '2026-03-01',
    });
    const again = await visit(browser, service.url, { api, size });
    await watch(again.page.context());
    await again.go('/');
    await again.page.getByRole('heading', { name: 'Três passos para começar' }).waitFor();
    const { sum: more, found: others } = await shiftOf(again.page);
    assert.ok(more <= SHIFT_MAX, JSON.stringify(others));
    await again.close();
  });
}
