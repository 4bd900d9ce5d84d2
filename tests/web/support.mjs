// A service on a temporary directory, a browser that shows its pages, and the checks of every test.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');
export const finance = process.env.FINANCE_BINARY ?? join(target, 'debug/finance');
export const pictures = join(target, 'web');
/** Whether the screens are saved as pictures. */
const isPictured = process.env.FINANCE_PICTURES === 'yes';
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules whose result depends on the colours. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];
const START_MILLISECONDS = 180_000;
/** How long a step of a page may take on a busy machine, and how long a change may take to be stored. */
const STEP_MILLISECONDS = 90_000,
  EVENTUALLY_MILLISECONDS = 45_000;
/** The time between two tries of `eventually`. */
const TRY_MILLISECONDS = 25;
/** How many frames in a row show that nothing is loading. A view may begin a request after a frame was painted. */
const QUIET_FRAMES = 4;

export const NAME = 'ana',
  PASSWORD = 'correct horse';
/** The date of a service, unless a test names another. */
export const TODAY = '2026-03-10';
export const SIZES = {
  phone: { width: 360, height: 740 },
  tablet: { width: 768, height: 1024 },
  desktop: { width: 1280, height: 860 },
};

/**
 * A rate provider in the place of the central bank's, which no test calls. It has no rate, or one rate (percent a day)
 * for every
 * weekday.
 * @param {string | null} rate
 */
const provide = rate =>
  new Promise(resolve => {
    const server = createServer((request, response) => {
      const asked = new URL(request.url ?? '/', 'http://localhost').searchParams;
      const [day, last] = ['dataInicial', 'dataFinal'].map(
        name => new Date(`${(asked.get(name) ?? '').split('/').reverse().join('-')}T00:00:00Z`),
      );
      const found = [];
      for (; rate && day <= last; day.setUTCDate(day.getUTCDate() + 1)) {
        if (day.getUTCDay() % 6 !== 0)
          found.push({ data: day.toISOString().slice(0, 10).split('-').reverse().join('/'), valor: rate });
      }
      if (found.length === 0) response.writeHead(404).end('{"erro":{"statusCode":404}}');
      else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(found));
    });
    server.listen(0, '127.0.0.1', () => resolve(server));
  });

/**
 * Whether the tests run in Firefox. This is Debian's Firefox, with an older client over WebDriver BiDi, because newer
 * clients use commands that it does not know.
 */
export const isFirefox = process.env.FINANCE_BROWSER === 'firefox';

/**
 * How long a page may take to begin a requested download or file dialog, and how long a test waits for Firefox to have
 * no pending module.
 */
const ASKED_MILLISECONDS = 30_000,
  IDLE_MILLISECONDS = 10_000;
/** How long the picture of a page in which a test failed may take. */
const PICTURE_MILLISECONDS = 10_000;
/** How often Firefox is sent to an address. */
const TRIES_MAX = 40;

/**
 * An answer that is to be lost: the path of its requests, and the number of such requests so far.
 * @typedef {{ path: RegExp, asked: number }} Lost
 */

/**
 * A proxy in front of the service. The code that a test runs in a page is text, and Firefox refuses it by the page's
 * policy. So the
 * proxy widens the policy, and changes nothing else. It also loses the answers that are to be lost.
 * @param {() => string} target @param {Set<Lost>} losses
 */
const widen = (target, losses) =>
  new Promise(resolve => {
    const server = createServer((request, response) => {
      const lost = [...losses].find(({ path }) => path.test(request.url ?? '')),
        isLost = lost?.asked === 0;
      if (lost) lost.asked += 1;
      const passed = ask(target() + request.url, { method: request.method, headers: request.headers }, found => {
        if (isLost) return void found.resume().on('end', () => response.destroy());
        const policy = found.headers['content-security-policy'];
        if (policy)
          found.headers['content-security-policy'] = String(policy).replace(
            "script-src 'self'",
            "script-src 'self' 'unsafe-eval'",
          );
        response.writeHead(found.statusCode ?? 502, found.headers);
        found.pipe(response);
      });
      passed.on('error', () => response.destroy());
      request.pipe(passed);
    });
    server.listen(0, '127.0.0.1', () => resolve(server));
  });

/** The environment of a program with a data directory of its own. @param {string} directory */
const environmentOf = (directory, today = TODAY) => {
  const { DATABASE_URL, JWT_SECRET, ...inherited } = process.env;
  return {
    ...inherited,
    FINANCE_DATA_DIR: join(directory, 'data'),
    FINANCE_BIND: '127.0.0.1:0',
    FINANCE_TODAY: today,
    RUST_LOG: 'warn',
  };
};

/** @param {{ env: NodeJS.ProcessEnv, directory: string }} service @param {string} name */
const create = ({ env, directory }, name) => {
  const created = spawnSync(finance, ['create-user', '--name', name], {
    env,
    cwd: directory,
    input: `${PASSWORD}\n`,
    encoding: 'utf8',
  });
  assert.equal(created.status, 0, created.stderr);
};

/** Makes a data directory with the first user, which `serve` copies if FINANCE_PREPARED names it. @param {string} directory */
export const prepare = directory => {
  mkdirSync(directory, { recursive: true });
  create({ env: environmentOf(directory), directory }, NAME);
};

/**
 * Starts a service with a user. The date `today` does not change until `moveTo`, which starts the service again at
 * another address.
 */
export const serve = async ({ today = TODAY, name = NAME, environment = {}, rate = null } = {}) => {
  const directory = mkdtempSync(join(tmpdir(), 'finance-web-'));
  // PostgreSQL's programs run as another user.
  chmodSync(directory, 0o711);
  const provider = await provide(rate);
  const env = {
    ...environmentOf(directory, today),
    FINANCE_BCB_URL: `http://127.0.0.1:${provider.address().port}`,
    ...environment,
  };
  const prepared = process.env.FINANCE_PREPARED;
  if (prepared) {
    // The owners are kept.
    const copied = spawnSync('cp', ['-a', join(prepared, 'data'), env.FINANCE_DATA_DIR], { encoding: 'utf8' });
    assert.equal(copied.status, 0, copied.stderr);
  }
  if (!prepared || name !== NAME) create({ env, directory }, name);
  /** @type {import('node:child_process').ChildProcess} */
  let child;
  /** @returns {Promise<string>} */
  const start = () =>
    new Promise((resolve, reject) => {
      let output = '';
      child = spawn(finance, ['serve'], { env, cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
      const timer = setTimeout(() => reject(new Error(`the service does not listen: ${output}`)), START_MILLISECONDS);
      child.stdout.on('data', part => {
        output += part;
        const found = /^listening on (http:\/\/\S+)$/m.exec(output);
        if (found) {
          clearTimeout(timer);
          resolve(found[1]);
        }
      });
      child.on('exit', code => reject(new Error(`the service ended with ${code}`)));
    });
  const end = async () => {
    child.removeAllListeners('exit');
    const ended = new Promise(resolve => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  };
  // A test that ends early leaves no service behind.
  const kill = () => child.kill('SIGTERM');
  process.on('exit', kill);
  let own = await start();
  const losses = /** @type {Set<Lost>} */ (new Set());
  const proxy = isFirefox ? await widen(() => own, losses) : null;
  const service = {
    losses,
    url: proxy ? `http://127.0.0.1:${proxy.address().port}` : own,
    env,
    directory,
    /** Starts the service again on another day. @param {string} day */
    moveTo: async day => {
      await end();
      env.FINANCE_TODAY = day;
      own = await start();
      if (!proxy) service.url = own;
    },
    stop: async () => {
      await end();
      process.off('exit', kill);
      proxy?.close();
      proxy?.closeAllConnections();
      provider.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return service;
};

/** The OpenAPI document, as the program prints it. */
export const openApi = () => {
  const printed = spawnSync(finance, ['openapi'], { encoding: 'utf8', maxBuffer: 1 << 26 });
  assert.equal(printed.status, 0, printed.stderr);
  return JSON.parse(printed.stdout);
};

/** Creates another user of the same service. */
export const createUser = (service, name) => create(service, name);

/**
 * Makes a member of the profile of an owner, by an invitation that is accepted.
 * @param {string} url @param {any} api The owner's. @param {'editor' | 'viewer'} role @param {string} name
 */
export const addMember = async (url, api, role, name) => {
  const { invitation } = await api.post('/api/members/invitations', { role });
  const answer = await fetch(`${url}/api/auth/accept`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ invitation, name, password: PASSWORD }),
  });
  assert.equal(answer.status, 201);
};

/**
 * What waits on the device of a page. The page has to have opened its database.
 * @param {import('playwright-core').Page} page @param {'shared' | 'waiting'} store @returns {Promise<any[]>}
 */
export const onDevice = (page, store) =>
  page.evaluate(
    store =>
      new Promise((resolve, reject) => {
        const request = indexedDB.open('finance', 1);
        request.onerror = () => reject(request.error);
        request.onsuccess = () => {
          const all = request.result.transaction(store).objectStore(store).getAll();
          all.onerror = () => reject(all.error);
          all.onsuccess = () => {
            request.result.close();
            resolve(all.result);
          };
        };
      }),
    store,
  );

/** A client of the API that prepares the data of a page. */
export const client = async (url, name = NAME, password = PASSWORD) => {
  const send = async (method, path, body, token) => {
    // Connections are not kept, because the service may close one while the test waits for another program and does not
    // see
    // it.
    const headers = {
      Connection: 'close',
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(body === undefined || body instanceof FormData ? {} : { 'Content-Type': 'application/json' }),
    };
    const response = await fetch(url + path, {
      method,
      headers,
      body: body === undefined || body instanceof FormData ? body : JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };
  const { token, expires_at, profile } = await send('POST', '/api/auth/login', { name, password });
  const api = {
    credential: { token, expires_at, profile, token_type: 'Bearer' },
    get: path => send('GET', path, undefined, token),
    post: (path, body) => send('POST', path, body, token),
    put: (path, body) => send('PUT', path, body, token),
    remove: path => send('DELETE', path, undefined, token),
    preview: (content, fields = {}) => {
      const form = new FormData();
      for (const [field, value] of Object.entries(fields)) form.set(field, String(value));
      form.set('file', new Blob([content]), 'statement');
      return send('POST', '/api/import/preview', form, token);
    },
    category: async named => (await api.get('/api/categories')).find(category => category.name === named).id,
  };
  return api;
};

/** Starts the browser in Portuguese, because date fields use the browser's language. */
export const launch = async () => {
  const env = { ...process.env, LANGUAGE: 'pt_BR', LANG: 'pt_BR.UTF-8' };
  if (isFirefox) {
    const { firefox } = await import('playwright-core-esr');
    return firefox.launch({
      channel: 'moz-firefox',
      executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
      env: { ...env, TZ: 'America/Sao_Paulo' },
      firefoxUserPrefs: {
        'intl.locale.requested': 'pt-BR',
        'intl.accept_languages': 'pt-BR',
        'ui.prefersReducedMotion': 1,
        'layout.css.prefers-color-scheme.content-override': 1,
      },
    });
  }
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    env,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--force-color-profile=srgb',
      '--lang=pt-BR',
    ],
  });
};

/**
 * Debian's Firefox does not report changes of the history, which file is saved, or a request for a file. So the page
 * reports them.
 * The protocol cannot switch the connection off, so all requests are refused instead. It has no touch, so the mouse is
 * used instead.
 * @param {import('playwright-core').Page} page
 */
const standIn = async page => {
  let now = 'about:blank';
  /**
   * The functions that wait for a saved file, or for a request for a file.
   * @type {Record<string, ((text: string) => void)[]>}
   */
  const waiting = { download: [], filechooser: [] };
  page.on('console', message => {
    const [, kind = '', text = ''] = /^finance (address|download|filechooser) (.*)$/.exec(message.text()) ?? [];
    if (kind === 'address') now = text;
    else waiting[kind]?.splice(0).forEach(resolve => resolve(text));
  });
  await page.addInitScript(() => {
    const tell = () => console.debug(`finance address ${location.href}`);
    // No file is written to this machine, and no window of the system opens.
    addEventListener(
      'click',
      event => {
        const element = event.target;
        if (element instanceof HTMLInputElement && element.type === 'file') {
          event.preventDefault();
          element.dataset.asked = 'yes';
          console.debug('finance filechooser ');
        }
      },
      true,
    );
    const click = HTMLAnchorElement.prototype.click;
    HTMLAnchorElement.prototype.click = function () {
      if (this.download) console.debug(`finance download ${this.download}`);
      else click.call(this);
    };
    for (const name of ['pushState', 'replaceState']) {
      const known = History.prototype[name];
      History.prototype[name] = function (...given) {
        known.apply(this, given);
        tell();
      };
    }
    for (const event of ['popstate', 'hashchange', 'pageshow']) addEventListener(event, tell, true);
    tell();
  });
  page.url = () => now;
  // Firefox reports a change of the history late, and then takes it for another navigation. A second try succeeds.
  const goTo = page.goto.bind(page);
  page.goto = async (address, options) => {
    let tries = 0;
    const { answer, error } = await eventually(async () => {
      try {
        return { answer: await goTo(address, options) };
      } catch (error) {
        const isAgain =
          ++tries < TRIES_MAX &&
          /Navigation failed|interrupted by another navigation|NS_BINDING_ABORTED|NS_ERROR_FAILURE/.test(String(error));
        if (isAgain) throw error;
        return { error };
      }
    });
    if (error) throw error;
    return answer;
  };
  page.goBack = () => page.evaluate(() => history.back());
  page.goForward = () => page.evaluate(() => history.forward());
  const refuse = route => route.abort();
  page.context().setOffline = isOffline => (isOffline ? page.route('**/*', refuse) : page.unroute('**/*', refuse));
  const known = page.waitForEvent.bind(page);
  page.waitForEvent = /** @type {any} */ (
    async (event, options) => {
      if (!(event in waiting)) return known(event, options);
      const text = await new Promise((resolve, reject) => {
        waiting[event]?.push(resolve);
        setTimeout(() => reject(new Error(`no ${event}`)), ASKED_MILLISECONDS).unref();
      });
      return event === 'download'
        ? { suggestedFilename: () => text }
        : { setFiles: files => page.locator('input[data-asked]').setInputFiles(files) };
    }
  );
  const locators = Object.getPrototypeOf(page.locator('html'));
  locators.tap = locators.click;
  page.waitForURL = wanted =>
    eventually(() =>
      assert.ok(typeof wanted === 'string' ? now === wanted : wanted.test(now), `${now} is not ${wanted}`),
    );
};

/**
 * Keeps a route that matches nothing beside the first one. Of the requests that are on their way when the last route of a
 * page goes, Chromium forgets some: their answers never come.
 * @param {import('playwright-core').Page} page
 */
const keepRouted = page => {
  const route = page.route.bind(page);
  let isKept = false;
  page.route = async (...given) => {
    if (!isKept) await route(/^nothing:/, request => request.continue());
    isKept = true;
    return route(...given);
  };
};

/** What `visit` takes for a phone that is touched. */
export const PHONE = { size: 'phone', options: { hasTouch: true, isMobile: true } };

/** An account, and what it held at the end of a day. */
export const addAccount = (api, name, kind, opening_balance, opening_date) =>
  api.post('/api/accounts', { name, kind, opening_balance, opening_date });

/**
 * Opens a page, which is logged in if a client is given. Console errors, unhandled rejections and violations of the
 * policy are
 * collected, and fail the test in `close`. A test names the status of an expected answer with `expect`. Without `worker`
 * there is no service worker, which would fetch and keep every module of the page: a quarter of the time of a test.
 */
export const visit = async (
  browser,
  url,
  { api, size = 'desktop', scheme = 'light', language, worker = false, context: given, options = {} } = {},
) => {
  const context =
    given ??
    (await browser.newContext({
      viewport: SIZES[size],
      ...(isFirefox
        ? {}
        : {
            colorScheme: scheme,
            locale: 'pt-BR',
            timezoneId: 'America/Sao_Paulo',
            reducedMotion: 'reduce',
            serviceWorkers: worker ? 'allow' : 'block',
          }),
      ...options,
    }));
  context.setDefaultTimeout(STEP_MILLISECONDS);
  const page = await context.newPage();
  if (!isFirefox) {
    // Choosers are caught from the start. If that began with the wait for one, the key that opens it could come first.
    page.on('filechooser', () => {});
    keepRouted(page);
  }
  const wrong = [],
    expected = [];
  page.on('console', message => {
    // Chromium itself writes a line for each answer of 4xx and 5xx, and for a service worker that it cannot fetch. It
    // fetches the worker some time after the page was loaded, so a lost connection may come first.
    const isWorker = message.text().startsWith('An unknown error occurred when fetching the script');
    const isAnswer =
      (message.text().startsWith('Failed to load resource') || isWorker) &&
      expected.some(text => message.text().includes(text) || (isWorker && text === 'ERR_INTERNET_DISCONNECTED'));
    // This is a style that the test itself adds while it takes a picture.
    const isOwn =
      isFirefox &&
      message.text().startsWith('policy violation: style-src') &&
      message.text().includes('%20%3E%20eval:');
    const isBlocked = message.text().startsWith('Service Worker registration blocked');
    if (['error', 'warning'].includes(message.type()) && !isAnswer && !isOwn && !isBlocked)
      wrong.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', error => wrong.push(`page error: ${error.stack}`));
  await context.addInitScript(
    ([credential, code, hasNoWorker]) => {
      // Before its first address, and after its last, a window of Firefox has no storage.
      if (origin === 'null') return;
      // The protocol of Firefox cannot block service workers. There, a module that is on its way through one when the
      // window goes to another address is reported as an error of the page.
      if (hasNoWorker) Reflect.deleteProperty(Navigator.prototype, 'serviceWorker');
      if (credential && !sessionStorage.getItem('finance.seeded')) {
        sessionStorage.setItem('finance.seeded', '1');
        sessionStorage.setItem('finance.token', JSON.stringify(credential));
      }
      if (code) localStorage.setItem('finance.language', JSON.stringify(code));
      addEventListener('securitypolicyviolation', event =>
        console.error(
          `policy violation: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
        ),
      );
    },
    [api?.credential ?? null, language ?? null, isFirefox && !worker],
  );
  if (isFirefox) await standIn(page);
  const modules = new Set();
  page.on('request', request => /\.m?js$/.test(request.url()) && modules.add(request));
  for (const event of /** @type {const} */ (['requestfinished', 'requestfailed']))
    page.on(event, request => modules.delete(request));
  loading.set(page, modules);
  const go = async (path = '/') => {
    await page.goto(url + path);
    await settled(page);
  };
  const leave = () => {
    shown.delete(page);
    return given ? page.close() : context.close();
  };
  shown.set(page, leave);
  const close = async () => {
    await leave();
    assert.deepEqual(wrong, []);
  };
  return { page, context, go, close, wrong, expect: text => expected.push(String(text)) };
};

/** The modules that a page is loading. @type {WeakMap<import('playwright-core').Page, Set<unknown>>} */
const loading = new WeakMap();
/** The open pages, and how each is closed. @type {Map<import('playwright-core').Page, () => Promise<void>>} */
const shown = new Map();

/**
 * Whether the scripts of a page run, but the browser has stopped drawing it. Chromium does so once in some thousand
 * changes of the size of a window, and no test can go on then.
 * @param {import('playwright-core').Page} page
 */
const isFrozen = async page => {
  const timeout = PICTURE_MILLISECONDS;
  try {
    await page.waitForFunction(() => true, null, { polling: TRY_MILLISECONDS, timeout });
  } catch {
    return false;
  }
  return page
    .waitForFunction(() => true, null, { polling: 'raf', timeout })
    .then(
      () => false,
      error => error.name === 'TimeoutError',
    );
};

/** The line that is printed if a test failed in a page that the browser has stopped drawing. @param {string} test */
export const frozen = test => `the browser has stopped drawing: ${test}`;

/** Saves a picture of every open page, and closes it: what the page showed when a test failed. @param {string} test */
export const showFailure = async test => {
  mkdirSync(pictures, { recursive: true });
  const name = test.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');
  let count = 0;
  for (const [page, leave] of shown) {
    if (await isFrozen(page)) console.log(frozen(test));
    const path = join(pictures, `failed-${name}-${++count}.png`);
    try {
      await page.screenshot({ path, animations: 'disabled', timeout: PICTURE_MILLISECONDS });
      console.log(`${page.url()} as it was: ${path}`);
    } catch (error) {
      console.log(`no picture of ${page.url()}: ${error}`);
    }
    await leave();
  }
};

let waits = 0;
/**
 * Waits until that many frames in a row were drawn and, if `isIdle`, nothing was loading in any of them. It uses the
 * browser's own frames, also while a test has stopped the clock of the page.
 * @param {import('playwright-core').Page} page @param {number} frames @param {boolean} isIdle
 */
const drawn = (page, frames, isIdle) =>
  page.waitForFunction(
    ([id, frames, isIdle]) => {
      const isLoading =
        document.querySelector('h1') === null ||
        document.querySelector('.loading, [aria-busy="true"]') !== null ||
        globalThis.financeRequests?.() !== 0;
      const before = globalThis.drawn?.id === id ? globalThis.drawn.frames : 0;
      globalThis.drawn = { id, frames: isIdle && isLoading ? 0 : before + 1 };
      return globalThis.drawn.frames >= frames;
    },
    [++waits, frames, isIdle],
  );

/**
 * Waits until nothing is loading: no request runs, and every module has arrived. The page says how many requests it
 * waits for, with those that began before its first module ran.
 */
export const settled = async page => {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  const modules = loading.get(page) ?? new Set();
  const arrived = () =>
    eventually(
      () => assert.equal(modules.size, 0, 'modules are loading'),
      isFirefox ? IDLE_MILLISECONDS : EVENTUALLY_MILLISECONDS,
    );
  do {
    // Firefox does not report the end of every request that the page cancelled.
    await (isFirefox ? arrived().catch(() => modules.clear()) : arrived());
    await drawn(page, QUIET_FRAMES, true);
  } while (modules.size > 0);
};

/**
 * Waits until no list shows the answer to a former question, which is pale until the new answer arrives. A line that
 * names the new answer can be there before the list.
 */
const current = page =>
  page.waitForFunction(() => document.querySelector('.list-card.other, .budget-page.other') === null);

/**
 * Checks that there is no violation of WCAG 2.2 AA or of best practices, or only of those rules of them that depend on
 * the colours.
 */
export const accessible = async (page, what, { isColoursOnly = false } = {}) => {
  await current(page);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  const runOnly = isColoursOnly ? { type: 'rule', values: RULES_OF_COLOURS } : { type: 'tag', values: STANDARDS };
  const violations = await page.evaluate(async runOnly => {
    // Of what passes nothing is described, which takes longer than to judge it.
    const resultTypes = ['violations'];
    const found = (await axe.run(document, { runOnly, resultTypes })).violations;
    const small = found.find(({ id }) => id === 'target-size');
    if (!small) return found;
    // An element that is scrolled half out of a dialog or a list is measured in the middle of the window, where it is
    // whole.
    const still = [];
    for (const node of small.nodes) {
      const element = document.querySelector(node.target[0]);
      element.scrollIntoView({ block: 'center', behavior: 'instant' });
      const again = await axe.run(element, { runOnly: ['target-size'], resultTypes });
      if (again.violations.length > 0) still.push(node);
    }
    small.nodes = still;
    return found.filter(({ nodes }) => nodes.length > 0);
  }, runOnly);
  const problems = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(
          node =>
            `${node.html.slice(0, 160)} ${node.any
              .concat(node.all, node.none)
              .map(check => check.message)
              .join('; ')
              .slice(0, 240)}`,
        )
        .join('\n    ')}`,
  );
  assert.deepEqual(problems, [], what);
};

/**
 * Checks that nothing is wider than the window, once the parts that depend on the width are drawn again. A list
 * replaces a table a moment after the window becomes narrow.
 */
export const fits = (page, what) =>
  eventually(async () => {
    const [scroll, width] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    assert.ok(scroll <= width, `${what}: ${scroll} > ${width}`);
  });

/** Saves a picture of the page, if pictures were asked for. */
export const picture = async (page, name, { fullPage = true } = {}) => {
  if (!isPictured) return;
  mkdirSync(pictures, { recursive: true });
  const before = page.viewportSize();
  // The window is as high as the page, so that elements at the edges of the window stay there.
  if (fullPage) {
    const height = await page.evaluate(() => Math.ceil(document.documentElement.scrollHeight));
    await page.setViewportSize({ width: before.width, height: Math.max(before.height, height) });
  }
  await page.screenshot({ path: join(pictures, `${name}.png`), animations: 'disabled' });
  if (fullPage) await page.setViewportSize(before);
};

/**
 * Checks a screen in light and dark at the widths of a phone and a desktop: accessibility, no horizontal scroll, and
 * pictures if they were asked for. After the first colours, only the rules that depend on them are checked again.
 */
export const inspect = async (page, name, { sizes = ['phone', 'desktop'], schemes = ['light', 'dark'] } = {}) => {
  const before = page.viewportSize();
  for (const size of sizes) {
    await page.setViewportSize(SIZES[size]);
    for (const scheme of schemes) {
      await page.emulateMedia({ colorScheme: scheme });
      await drawn(page, QUIET_FRAMES, false);
      await picture(page, `${name}-${size}-${scheme}`);
      await accessible(page, `${name} ${size} ${scheme}`, { isColoursOnly: scheme !== schemes[0] });
      await fits(page, `${name} ${size}`);
    }
  }
  await page.setViewportSize({ width: 320, height: 640 });
  await fits(page, `${name} at 320`);
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: schemes[0] });
};

/** A problem, as the service answers it. @param {number} status @param {string} code */
export const refusal = (status, code, headers = {}) => ({
  status,
  headers,
  contentType: 'application/problem+json',
  body: JSON.stringify({ type: 'about:blank', title: code, status, code, detail: '', request_id: 'r-7' }),
});

/** Delays requests. Each `open` lets one request pass, whether the request or `open` comes first. */
export const gate = () => {
  let free = 0;
  /** @type {(() => void)[]} */
  const waiting = [];
  const open = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  const pass = () => new Promise(resolve => (free > 0 ? resolve(free--) : waiting.push(resolve)));
  return { open, pass };
};

/**
 * The first answer to a request is lost, after the service has executed the request. Later answers arrive. `asked` is
 * the number of
 * requests.
 * @param {import('playwright-core').Page} page @param {Awaited<ReturnType<typeof serve>>} service @param {RegExp} path
 */
export const loseFirstAnswer = async (page, service, path) => {
  const lost = { path, asked: 0 };
  if (isFirefox) service.losses.add(lost);
  else {
    await page.route(
      address => path.test(address.pathname),
      async route => {
        if (lost.asked++ > 0) return route.continue();
        await route.fetch();
        await route.abort();
      },
    );
  }
  return lost;
};

/**
 * The button of the toast that has this text. The last button of all toasts belongs to an earlier action until the new toast
 * is shown.
 */
export const undo = (page, text) =>
  page.locator('#toasts .toast').filter({ hasText: text }).getByRole('button', { name: 'Desfazer' });

/** A change is shown at once, but stored a moment later. Repeats the check until it succeeds. */
export const eventually = async (check, milliseconds = EVENTUALLY_MILLISECONDS) => {
  for (const until = Date.now() + milliseconds; ; ) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise(resolve => setTimeout(resolve, TRY_MILLISECONDS));
    }
  }
};
