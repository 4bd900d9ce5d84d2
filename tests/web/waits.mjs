// Waits that name what they wait for, in the place of a guessed time.
import assert from 'node:assert/strict';
import { eventually, gate, settled } from './support.mjs';

/** How far the clock of a page jumps before it is stopped: further than the life of every toast. */
const JUMP_MILLISECONDS = 10 * 60_000;

/**
 * Holds requests to an address. Each `open` lets one of them pass, to the service or to `answer`. `requests` are those
 * that came so far, and `asked` waits for their number. Requests for which `isHeld` is false pass at once.
 * @param {import('playwright-core').Page} page @param {string | RegExp} address
 * @param {{ isHeld?: (request: import('playwright-core').Request) => boolean, answer?: (route: import('playwright-core').Route) => Promise<void> }} [options]
 */
export const hold = async (page, address, { isHeld = () => true, answer = route => route.continue() } = {}) => {
  const held = gate();
  /** @type {import('playwright-core').Request[]} */
  const requests = [];
  await page.route(address, async route => {
    const request = route.request();
    if (!isHeld(request)) return route.fallback();
    requests.push(request);
    await held.pass();
    // The page may have cancelled it meanwhile.
    if (request.failure() === null) await answer(route);
  });
  const asked = (/** @type {number} */ count) => eventually(() => assert.equal(requests.length, count));
  return { open: held.open, requests, asked };
};

/**
 * Changes something elsewhere when the page sends its next request to an address. If it were changed earlier, a reload of the
 * page that still runs might already show it.
 * @param {import('playwright-core').Page} page @param {string | RegExp} address @param {() => Promise<unknown>} change
 */
export const meanwhile = (page, address, change) =>
  page.route(
    address,
    async route => {
      await change();
      await route.continue();
    },
    { times: 1 },
  );

/** Waits until a request has its whole answer or has failed. @param {import('playwright-core').Request} request */
export const ended = async request => {
  await (await request.response())?.finished();
};

/**
 * Waits until the page has handled every answer that the browser received before: a later one has arrived, and the next
 * two frames were painted.
 * @param {import('playwright-core').Page} page
 */
export const caughtUp = page =>
  page.evaluate(async () => {
    await (await fetch('/healthz', { cache: 'no-store' })).text();
    await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });

/**
 * Waits until the page handles its shortcuts: their module is loaded, and the effects of what is drawn, which bind them,
 * have run.
 * @param {import('playwright-core').Page} page
 */
export const keysBound = page =>
  page.evaluate(async () => {
    // Effects run in a task after the next frame.
    const effects = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(() => setTimeout(resolve))));
    await effects();
    const main = /** @type {HTMLScriptElement} */ (document.querySelector('script[src$="/app/main.js"]'));
    // A folder that is served has each module as a file.
    if (!(await import(main.src)).$keys) await import(main.src.replace(/main\.js$/, 'keys.js'));
    await effects();
  });

/**
 * Waits until the field of that name has the focus. The page moves it a frame after a press.
 * @param {import('playwright-core').Page} page @param {string} name
 */
export const fieldFocused = (page, name) =>
  page.waitForFunction(wanted => document.activeElement?.getAttribute('name') === wanted, name);

/**
 * Waits until the placeholders of what is loading are fully visible. They appear after a delay.
 * @param {import('playwright-core').Page} page
 */
export const placeholdersShown = page =>
  eventually(async () => {
    const opacities = await page
      .locator('.loading .skeleton')
      .evaluateAll(all => all.map(one => getComputedStyle(one).opacity));
    assert.ok(opacities.length > 0 && opacities.every(opacity => opacity === '1'), `opacities ${opacities.join()}`);
  });

/**
 * Waits for the bell, which comes some time after the rest of the page, and for its number.
 * @param {import('playwright-core').Page} page
 */
export const bellShown = async page => {
  await page.getByRole('button', { name: /^Avisos/ }).waitFor();
  await settled(page);
};

/** How often the clock of a page was stopped. @type {WeakMap<import('playwright-core').Page, number>} */
const stops = new WeakMap();

/**
 * Does something while the clock of the page is stopped, so that a toast stays, however long the machine takes. Timers
 * and frames of the page wait meanwhile. Before that the clock jumps by minutes, which ends older toasts. The clock has
 * to be installed before the page is opened.
 * @template T @param {import('playwright-core').Page} page @param {() => Promise<T>} work @returns {Promise<T>}
 */
export const withStoppedClock = async (page, work) => {
  const count = (stops.get(page) ?? 0) + 1;
  stops.set(page, count);
  await page.clock.pauseAt(Date.now() + count * JUMP_MILLISECONDS);
  try {
    return await work();
  } finally {
    await page.clock.resume();
  }
};

/**
 * Presses `g` and the letter of a view. The page accepts the letter for about a second, so its date does not change
 * between the two. The clock has to be installed before the page is opened.
 * @param {import('playwright-core').Page} page @param {string} letter
 */
export const goByKeys = async (page, letter) => {
  await page.clock.setFixedTime(Date.now());
  await page.keyboard.press('g');
  await page.keyboard.press(letter);
  await page.clock.setSystemTime(Date.now());
};

/**
 * Checks that an element is not there. A test waits before for what would come at the same time or later.
 * @param {import('playwright-core').Locator} locator
 */
export const isAbsent = locator => eventually(async () => assert.equal(await locator.count(), 0, String(locator)));
