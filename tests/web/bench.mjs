// Measures the time budgets with 100,000 stored transactions: medians of seven, in one run with a blank page and a
// peer.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { measurePeer, peer, servePeer } from './bench_peer.mjs';
import { shareTo } from './shared.mjs';
import { file, ofx } from './statements.mjs';
import { client, launch, serve, settled, target, visit } from './support.mjs';

const RUNS = 7;
const ROWS_OF_IMPORT = 50_000,
  IMPORTS = 2;
const ROWS_OF_PREVIEW = 10_000,
  PREVIEWS = 3;
const BUDGET = {
  paint: 100,
  cold: 350,
  warm: 250,
  interaction: 100,
  interactionMax: 200,
  preview: 300,
  frame: 34,
  elements: 1500,
  growth: 10,
  shared: 2000,
  filter: 200,
  jump: 50,
};
/** More rows than a list has loaded after this many ends of it. */
const ENDS_OF_LIST = 67;
/**
 * Rounds of ten actions, and the rounds before them, in which the browser compiles the used code and fills its caches
 * of a page.
 */
const ROUNDS = 20,
  ROUNDS_BEFORE = 10;

const median = values => [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];
const round = value => Math.round(value);

/** Rows over six years. Each has a different description. */
const rows = (start, categories) =>
  Array.from({ length: ROWS_OF_IMPORT }, (_, index) => {
    const day = new Date(Date.UTC(2020, 2, 10) + ((start + index) % 2190) * 86_400_000).toISOString().slice(0, 10);
    return {
      date: day,
      description: `Compra ${start + index}`,
      amount: `${(index % 400) + 1}.50`,
      type: index % 9 === 0 ? 'income' : 'expense',
      external_id: null,
      category_id: categories[index % categories.length],
    };
  });

const blank = () =>
  new Promise(resolve => {
    const server = createServer((_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>blank</title><p>.</p>'),
    );
    server.listen(0, '127.0.0.1', () => resolve(server));
  });

const firstPaint = page =>
  page.evaluate(
    () =>
      performance.getEntriesByName('first-contentful-paint')[0]?.startTime ??
      performance.getEntriesByName('first-paint')[0]?.startTime ??
      0,
  );
const marked = async (page, name) => {
  await page.waitForFunction(known => performance.getEntriesByName(known).length > 0, name);
  return page.evaluate(known => performance.getEntriesByName(known)[0].startTime, name);
};

/** Collects each interaction over 16 ms. */
const observe = page =>
  page.evaluate(() => {
    window.interactions = [];
    window.collect = entries =>
      entries.forEach(entry => entry.interactionId && window.interactions.push(entry.duration));
    window.observer = new PerformanceObserver(list => window.collect(list.getEntries()));
    window.observer.observe({ type: 'event', durationThreshold: 16, buffered: false });
  });
/** The last interactions are reported after their frame was shown. */
const observed = async page => {
  await settled(page);
  return page.evaluate(() => {
    window.collect(window.observer.takeRecords());
    return window.interactions;
  });
};

/** Uses the list of a month like a person. */
const useTransactions = async page => {
  await page.getByRole('searchbox').pressSequentially('compra 99', { delay: 60 });
  await settled(page);
  await page.getByRole('searchbox').fill('');
  await settled(page);
  await page.getByRole('searchbox').blur();
  for (const key of ['j', 'j', 'x', 'k', 'x']) await page.keyboard.press(key);
  await page.keyboard.press('n');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('compra', { delay: 60 });
  await page.keyboard.press('Escape');
};

/** A file of 10,000 rows: the time from the answer to its rows on the screen, the frames of scrolling, the elements. */
const previewed = async page => {
  const lines = Array.from({ length: ROWS_OF_PREVIEW }, (_, index) => [
    `2026-0${1 + (index % 2)}-${String(1 + (index % 28)).padStart(2, '0')}`,
    `-${1 + (index % 90)}.${String(index % 100).padStart(2, '0')}`,
    `LOJA NUMERO ${index}`,
    `id${index}`,
  ]);
  await page.locator('.drop input[type=file]').setInputFiles(file('anos.ofx', ofx(lines)));
  await page.getByLabel('Conta', { exact: true }).selectOption({ index: 1 });
  await page.evaluate(() => {
    window.painted = new Promise(resolve => {
      const seen = new MutationObserver(() => {
        if (document.querySelector('[aria-rowcount="10001"] [role=row], [aria-rowcount="10001"] tbody tr')) {
          seen.disconnect();
          // The time after the frame that shows the rows.
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
        }
      });
      seen.observe(document.body, { childList: true, subtree: true, attributes: true });
    });
  });
  await page.getByRole('button', { name: 'Ler arquivo' }).click();
  const painted = await page.evaluate(async () => {
    const shown = await window.painted;
    const answered = performance
      .getEntriesByType('resource')
      .filter(entry => entry.name.endsWith('/api/import/preview'))
      .at(-1);
    return shown - answered.responseEnd;
  });
  const frames = await page.evaluate(
    () =>
      new Promise(resolve => {
        const found = [];
        let last = performance.now();
        const step = now => {
          found.push(now - last);
          last = now;
          if (found.length > 120) return resolve(found.slice(1));
          scrollBy(0, 400);
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
  );
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  return { painted, frames, elements };
};

/** The milliseconds from the request of a filter, after the pause in typing, until its rows are on the screen. */
const filtered = async (page, text) => {
  await page.evaluate(() => {
    performance.clearResourceTimings();
    window.filtered = new Promise(resolve => {
      let isAsked = false;
      const seen = new MutationObserver(() => {
        const isOther = document.querySelector('.list-card.other') !== null;
        isAsked ||= isOther;
        if (!isAsked || isOther) return;
        seen.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      });
      seen.observe(document.body, { childList: true, subtree: true, attributes: true });
    });
  });
  await page.getByRole('searchbox').fill(text);
  return page.evaluate(async () => {
    const shown = await window.filtered;
    const isList = entry => entry.name.includes('/api/transactions?');
    return shown - performance.getEntriesByType('resource').filter(isList).at(-1).startTime;
  });
};

/** The frames of jumps in a list that has loaded 20,000 rows. */
const jumped = async page => {
  for (let ends = 0; ends < ENDS_OF_LIST; ends += 1) {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await settled(page);
  }
  return page.evaluate(
    () =>
      new Promise(resolve => {
        const found = [];
        let last = performance.now();
        const height = document.body.scrollHeight - 2 * innerHeight;
        const step = now => {
          found.push(now - last);
          last = now;
          if (found.length > 120) return resolve(found.slice(1));
          // Parts of the height that are far from each other.
          scrollTo(0, height * ((found.length * 0.618) % 1));
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
  );
};

/** A file that another app shares: the time from the press to its preview, through the device and the inbox. */
const shared = async (page, url, number) => {
  await page.goto(url);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await settled(page);
  const content = ofx([['2026-02-10', '-12.34', 'LOJA COMPARTILHADA', `shared${number}`]]);
  const pressed = await shareTo(page, url, { files: [file(`compartilhado${number}.ofx`, content)] });
  await page.getByRole('heading', { name: 'Confira antes de importar' }).waitFor();
  return performance.now() - pressed;
};

/** Ten actions that a user repeats. @param {import('playwright-core').Page} page */
const actions = async page => {
  const go = async (key, title) => {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: title }).waitFor({ state: 'attached' });
    await settled(page);
  };
  const openAndClose = async key => {
    await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await go('l', /^Lançamentos/);
  await openAndClose('n');
  await page.getByRole('link', { name: /^Mês anterior/ }).click();
  await settled(page);
  await page.getByRole('link', { name: /^Mês seguinte/ }).click();
  await settled(page);
  await go('a', 'Contas');
  await go('r', /^Contas a pagar e a receber/);
  await openAndClose('/');
  await go('o', /^Categorias/);
  await go('x', /./);
  await go('p', /^Painel/);
};

/** Bytes, elements and listeners of a page after a garbage collection. */
const held = async protocol => {
  for (let pass = 0; pass < 3; pass += 1) await protocol.send('HeapProfiler.collectGarbage');
  const { usedSize } = await protocol.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await protocol.send('Memory.getDOMCounters');
  return { bytes: usedSize, nodes, listeners: jsEventListeners };
};

const service = await serve();
const browser = await launch();
const server = await blank();
try {
  const api = await client(service.url);
  const categories = (await api.get('/api/categories')).map(category => category.id);
  const account = await api.post('/api/accounts', {
    name: 'Itaú',
    kind: 'current',
    opening_balance: '0',
    opening_date: '2020-01-01',
  });
  for (let at = 0; at < IMPORTS; at += 1) {
    await api.post('/api/import/confirm', {
      account_id: account.id,
      file_name: `${at}.csv`,
      format: 'csv',
      rows: rows(at * ROWS_OF_IMPORT, categories),
    });
  }
  const measured = { blank: [], cold: [], coldPaint: [], warm: [], warmPaint: [], interactions: [] };
  for (let run = 0; run < RUNS; run += 1) {
    const { page, context, close } = await visit(browser, service.url, { api });
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    measured.blank.push(await firstPaint(page));
    await page.goto(service.url);
    measured.cold.push(await marked(page, 'dashboard'));
    measured.coldPaint.push(await firstPaint(page));
    await settled(page);
    // The next visit, with the files in the browser's cache.
    const next = await visit(browser, service.url, { api, context });
    await next.page.goto(service.url);
    measured.warm.push(await marked(next.page, 'dashboard'));
    measured.warmPaint.push(await firstPaint(next.page));
    await settled(next.page);
    await observe(next.page);
    for (const name of ['Ocultar valores', 'Mostrar valores']) await next.page.getByRole('button', { name }).click();
    for (let steps = 0; steps < 4; steps += 1) {
      await next.page.getByRole('link', { name: /^Mês anterior/ }).click();
      await settled(next.page);
    }
    await next.page.getByText('Ver em tabela').first().click();
    await next.page.getByRole('link', { name: 'Ajustes' }).first().click();
    await settled(next.page);
    measured.interactions.push(...(await observed(next.page)));
    await next.page.goto(`${service.url}/transactions?month=2026-02`);
    await settled(next.page);
    // The interactions of the dashboard are lost with its document. Interactions under 16 ms are not reported.
    await observe(next.page);
    await useTransactions(next.page);
    measured.interactions.push(...(await observed(next.page)));
    await next.close();
    await close();
  }
  const previews = [];
  for (let run = 0; run < PREVIEWS; run += 1) {
    const { page, go, close } = await visit(browser, service.url, { api });
    await go('/imports');
    previews.push(await previewed(page));
    await close();
  }
  const filters = [];
  const { page: list, go: goList, close: closeList } = await visit(browser, service.url, { api });
  await goList('/transactions?month=all');
  for (let run = 0; run < RUNS; run += 1) filters.push(await filtered(list, `compra ${97 + run}`));
  await goList('/transactions?month=all');
  const jumps = (await jumped(list)).sort((one, other) => one - other);
  await closeList();
  const shares = [];
  for (let run = 0; run < RUNS; run += 1) {
    const { page, close } = await visit(browser, service.url, { api, size: 'phone' });
    shares.push(await shared(page, service.url, run));
    await close();
  }
  const session = await visit(browser, service.url, { api });
  await session.go('/');
  const protocol = await session.context.newCDPSession(session.page);
  await protocol.send('HeapProfiler.enable');
  for (let turn = 0; turn < ROUNDS_BEFORE; turn += 1) await actions(session.page);
  const before = await held(protocol);
  for (let turn = 0; turn < ROUNDS; turn += 1) await actions(session.page);
  const after = await held(protocol);
  await session.close();
  const base = median(measured.blank);
  const line = (what, value, budget, unit = 'ms') =>
    console.log(
      `${what.padEnd(48)} ${String(round(value)).padStart(5)} ${unit}   budget ${round(budget)} ${unit}   ${value <= budget ? 'met' : 'MISSED'}`,
    );
  console.log(
    `\n${IMPORTS * ROWS_OF_IMPORT} transactions, medians of ${RUNS}; a blank page paints after ${round(base)} ms`,
  );
  line('first paint, cold', median(measured.coldPaint), base + BUDGET.paint);
  line('first paint, warm', median(measured.warmPaint), base + BUDGET.paint);
  line('dashboard shown, cold', median(measured.cold), base + BUDGET.cold);
  line('dashboard shown, warm', median(measured.warm), base + BUDGET.warm);
  const sorted = [...measured.interactions].sort((one, other) => one - other);
  if (sorted.length > 0) {
    line(
      `interactions over 16 ms (${sorted.length}), 98 of 100`,
      sorted[Math.floor(sorted.length * 0.98)] ?? sorted.at(-1),
      BUDGET.interaction,
    );
    line('the longest interaction', sorted.at(-1), BUDGET.interactionMax);
  } else console.log('no interaction took 16 ms or more');
  const frames = previews.flatMap(preview => preview.frames).sort((one, other) => one - other);
  line(`preview of ${ROWS_OF_PREVIEW} rows, painted`, median(previews.map(preview => preview.painted)), BUDGET.preview);
  line('scrolling it, 95 of 100 frames', frames[Math.floor(frames.length * 0.95)], BUDGET.frame);
  line('a list of all, from a filter to its rows', median(filters), BUDGET.filter);
  line('jumps in 20000 rows, 95 of 100 frames', jumps[Math.floor(jumps.length * 0.95)], BUDGET.jump);
  line('a shared file, until its preview is shown', median(shares), BUDGET.shared);
  line('elements of its page', Math.max(...previews.map(preview => preview.elements)), BUDGET.elements, '  ');

  const grown = name => ((after[name] - before[name]) * 100) / before[name];
  for (const [name, what] of [
    ['bytes', `memory, ${round(before.bytes / 1024)} KB`],
    ['nodes', `nodes, ${before.nodes}`],
    ['listeners', `listeners, ${before.listeners}`],
  ]) {
    line(`after ${ROUNDS * 10} actions, growth of ${what}`, grown(name), BUDGET.growth, ' %');
  }

  const build = peer(join(target, 'web/peer'));
  if (build === null) console.log('skipped: the published build of Actual cannot be had from npm here');
  else {
    const peerServer = await servePeer(build),
      address = `http://127.0.0.1:${peerServer.address().port}/`;
    // The first run is not measured, so that the files are compressed before.
    await measurePeer(browser, address);
    const found = [];
    for (let run = 0; run < PREVIEWS; run += 1) found.push(await measurePeer(browser, address));
    const of = name => round(median(found.map(one => one[name])));
    console.log(
      `\nActual's published build on the same machine: first page after ${of('first')} ms (${of('requests')} requests, ${round(of('bytes') / 1024)} KB);`,
    );
    console.log(
      `its demonstration, opened again, after ${of('again')} ms. Here: the dashboard after ${round(median(measured.cold))} ms cold, ${round(median(measured.warm))} ms warm.`,
    );
    peerServer.close();
  }
} finally {
  await browser.close();
  await service.stop();
  server.close();
}
process.exit(0);
