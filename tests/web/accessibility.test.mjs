// What docs/accessibility.md promises for every screen: names, landmarks and headings in the tree that a screen reader
// gets, a zoom of 200 %, reduced motion, forced colours, and announcements. The other files run axe on every state.
import assert from 'node:assert/strict';
import test from 'node:test';
import { household } from './household.mjs';
import { file, march } from './statements.mjs';
import { suite } from './suite.mjs';
import { accessible, client, eventually, fits, PHONE, picture, settled, visit } from './support.mjs';

const { service, browser } = await suite();
const api = await client(service.url);
const made = await household(api);

/**
 * Every screen, and the part that is opened on it.
 * @type {[string, string, ((page: import('playwright-core').Page) => Promise<unknown>)?][]}
 */
const SCREENS = [
  ['dashboard', '/'],
  ['transactions', '/transactions'],
  ['transactions-filtered', '/transactions?month=2026-03&type=income'],
  ['quick-add', '/transactions', page => page.keyboard.press('n')],
  [
    'edit',
    '/transactions',
    page =>
      page
        .getByRole('button', { name: /^Farmácia/ })
        .first()
        .click(),
  ],
  ['accounts', '/accounts'],
  ['account', '/accounts?id={account}'],
  ['account-form', '/accounts', page => page.getByRole('button', { name: 'Nova conta' }).click()],
  ['cards', '/cards'],
  ['bill', '/cards', page => page.getByRole('link', { name: 'Fatura de março de 2026' }).click()],
  ['recurring', '/recurring'],
  ['categories', '/categories'],
  ['reports', '/reports?year=2026'],
  ['imports', '/imports'],
  [
    'imports-check',
    '/imports',
    async page => {
      await page.locator('.drop input[type=file]').setInputFiles(file('extrato.ofx', march));
      await page.getByLabel('Conta', { exact: true }).selectOption({ label: 'Itaú · Conta corrente' });
      await page.getByRole('button', { name: 'Ler arquivo' }).click();
      await page.getByRole('heading', { name: 'Confira antes de importar' }).waitFor();
    },
  ],
  ['character', '/character'],
  ['settings', '/settings'],
  ['settings-looks', '/settings?page=looks'],
  ['settings-access', '/settings?page=access'],
  ['settings-data', '/settings?page=data'],
  ['access', '/settings?show=access'],
  ['search', '/settings', page => page.keyboard.press('/')],
  ['help', '/settings', page => page.keyboard.press('?')],
];

/**
 * Shows each screen in turn.
 * @param {Parameters<typeof visit>[2]} options
 * @param {(page: import('playwright-core').Page, name: string) => Promise<void>} check
 */
const eachScreen = async (options, check) => {
  const visitor = await visit(browser, service.url, { api, ...options });
  for (const [name, path, show] of SCREENS) {
    await visitor.go(path.replace('{account}', made.current.id));
    if (show) {
      await show(visitor.page);
      if (['quick-add', 'edit', 'account-form', 'search', 'help'].includes(name))
        await visitor.page.getByRole('dialog').waitFor();
      await settled(visitor.page);
    }
    await check(visitor.page, name);
  }
  await visitor.close();
};

/** The roles that need a name. */
const NAMED = new Set([
  'button',
  'link',
  'textbox',
  'searchbox',
  'combobox',
  'listbox',
  'checkbox',
  'radio',
  'spinbutton',
  'DateTime',
  'Date',
  'image',
  'img',
  'dialog',
  'region',
  'navigation',
  'table',
  'grid',
  'progressbar',
  'meter',
  'heading',
  'option',
  'DisclosureTriangle',
]);

const text = value =>
  String(value ?? '')
    .replace(/\s+/g, ' ')
    .trim();
const property = (node, name) => node.properties?.find(known => known.name === name)?.value.value;

/**
 * The accessibility tree, with the nodes that a screen reader ignores, such as those under a modal dialog.
 * @param {import('playwright-core').Page} page
 */
const everyNode = async page => {
  const protocol = await page.context().newCDPSession(page);
  const { nodes } = await protocol.send('Accessibility.getFullAXTree');
  await protocol.detach();
  return nodes;
};

/**
 * The tree that a screen reader gets: role, name and properties of every node that is not ignored.
 * @param {import('playwright-core').Page} page
 */
const tree = async page =>
  (await everyNode(page))
    .filter(node => !node.ignored)
    .map(node => ({
      role: String(node.role?.value),
      name: text(node.name?.value),
      level: Number(property(node, 'level') ?? 0),
    }));

/**
 * The texts of all live regions that a screen reader reads out, each with the role of its region.
 * @param {import('playwright-core').Page} page
 */
const announced = async page => {
  const nodes = new Map((await everyNode(page)).map(node => [node.nodeId, node]));
  const spoken = node => [
    ...(!node.ignored && node.role?.value === 'StaticText' ? [node.name?.value] : []),
    ...(node.childIds ?? []).flatMap(id => (nodes.has(id) ? spoken(nodes.get(id)) : [])),
  ];
  return [...nodes.values()]
    .filter(node => !node.ignored && ['polite', 'assertive'].includes(property(node, 'live')))
    .map(node => `${node.role?.value}: ${text(spoken(node).join(' '))}`);
};

test('in the tree that a screen reader gets everything has a name, a place and an order', async () => {
  await eachScreen({}, async (page, name) => {
    const nodes = await tree(page);
    assert.ok(nodes.length > 20, `${name}: ${nodes.length} nodes`);
    assert.deepEqual(
      nodes.filter(node => NAMED.has(node.role) && node.name === ''),
      [],
      `${name}: without a name`,
    );
    const isModal = nodes.some(node => node.role === 'dialog');
    // The tree leaves out the content under a dialog.
    const count = role => nodes.filter(node => node.role === role).length;
    if (isModal) {
      assert.equal(count('dialog'), 1, `${name}: dialogs`);
      assert.equal(count('main'), 0, `${name}: what is under the dialog`);
    } else {
      assert.equal(count('main'), 1, `${name}: main`);
      assert.equal(count('banner'), 1, `${name}: banner`);
      assert.equal(
        nodes.filter(node => node.role === 'heading' && node.level === 1).length,
        1,
        `${name}: headings of the first level`,
      );
    }
    const levels = nodes.filter(node => node.role === 'heading').map(node => node.level);
    levels.forEach((level, index) =>
      assert.ok(index === 0 || level <= levels[index - 1] + 1, `${name}: a level is left out: ${levels}`),
    );
    // Landmarks of one kind have different names. A form without a name is not a landmark.
    const places = nodes
      .filter(
        node => ['region', 'navigation', 'form', 'search'].includes(node.role) && (node.role !== 'form' || node.name),
      )
      .map(node => `${node.role} ${node.name}`);
    assert.deepEqual(
      places.filter((place, index) => places.indexOf(place) !== index),
      [],
      `${name}: landmarks of one name`,
    );
  });
});

test('what happens is told without being looked at', async () => {
  const { page, go, close, expect } = await visit(browser, service.url, { api });
  const announcements = async () => (await announced(page)).join(' | ');
  const isTold = words => eventually(async () => assert.match(await announcements(), words));
  await go('/transactions');
  await isTold(/12 lançamentos/);
  await page.getByLabel('Tipo', { exact: true }).selectOption({ label: 'Só entradas' });
  await isTold(/3 lançamentos/);
  await page.getByLabel('Marcar Venda da bicicleta').check();
  await isTold(/1 marcado/);
  // One form is refused, and one is accepted.
  await go('/transactions');
  await page.keyboard.press('n');
  await page.getByRole('dialog').getByRole('button', { name: 'Salvar', exact: true }).click();
  await isTold(/Confira os campos/);
  await eventually(async () =>
    assert.equal(await page.getByRole('dialog').getByLabel('Descrição').getAttribute('aria-invalid'), 'true'),
  );
  const hint = await page.getByRole('dialog').getByLabel('Descrição').getAttribute('aria-describedby');
  await eventually(async () => assert.match(await page.locator(`[id="${hint}"]`).innerText(), /Escreva uma descrição/));
  // What lies under the dialog is not read out.
  assert.doesNotMatch(await announcements(), /lançamentos/);
  // An entry is saved, and the dialog stays open for the next one.
  await page.getByRole('dialog').getByLabel('Descrição').fill('Leite');
  await page.getByRole('dialog').getByLabel('Valor').fill('6');
  await page.getByRole('dialog').getByRole('button', { name: 'Salvar e lançar outro' }).click();
  await isTold(/Salvo: Leite, R\$ 6,00, hoje/);
  assert.equal(await page.getByRole('dialog').count(), 1);
  // Its button can be pressed beside that of the dialog. The toast stays when the dialog is closed.
  assert.equal((await tree(page)).filter(node => node.role === 'button' && node.name === 'Fechar').length, 2);
  await accessible(page, 'a toast in a dialog');
  await page.getByRole('dialog').getByLabel('Descrição').fill('Pão');
  await page.getByRole('dialog').getByLabel('Valor').fill('8');
  await page.getByRole('dialog').getByRole('button', { name: 'Salvar', exact: true }).click();
  await isTold(/Salvo: Leite, R\$ 6,00, hoje.* Salvo: Pão, R\$ 8,00, hoje/);
  for (const entry of ['P%C3%A3o', 'Leite']) {
    const [{ id }] = await api.get(`/api/transactions?q=${entry}`);
    await api.remove(`/api/transactions/${id}`);
  }
  // The results of a search, and a connection that is lost and comes back.
  await go('/settings');
  await page.keyboard.press('/');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('merc');
  await isTold(/6 resultados/);
  await page.keyboard.press('Escape');
  expect('ERR_INTERNET_DISCONNECTED');
  // The service worker reports it with another error.
  expect('ERR_FAILED');
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Recorrentes' }).first().click();
  await isTold(/Sem conexão com o Finance/);
  await page.context().setOffline(false);
  await eventually(async () => assert.doesNotMatch(await announcements(), /Sem conexão/));
  await close();
});

test('at 200 % everything is there, and nothing goes sideways', async () => {
  // A window of 1280 × 860 pixels. Each pixel of the page is twice as large.
  await eachScreen({ options: { viewport: { width: 640, height: 430 }, deviceScaleFactor: 2 } }, async (page, name) => {
    await fits(page, `${name} at 200 %`);
    await accessible(page, `${name} at 200 %`);
    // The focused element is not covered by the elements that stay at the edges of the window.
    const covered = await page.evaluate(() => {
      const within = document.querySelector('dialog[open]') ?? document.querySelector('main');
      return [...(within?.querySelectorAll('a[href], button, input:not([type=file]), select') ?? [])]
        .filter(element => element.checkVisibility())
        .slice(0, 25)
        .flatMap(element => {
          element.focus();
          const { x, y, width, height } = element.getBoundingClientRect();
          if (width < 2 || height < 2) return [];
          const over = document.elementFromPoint(
            Math.min(Math.max(x + width / 2, 0), innerWidth - 1),
            Math.min(Math.max(y + height / 2, 0), innerHeight - 1),
          );
          return over &&
            (element.contains(over) ||
              over.contains(element) ||
              over.closest('label')?.contains(element) ||
              over.closest('label')?.control === element)
            ? []
            : [`${element.outerHTML.slice(0, 100)} under ${over?.outerHTML.slice(0, 80)}`];
        });
    });
    assert.deepEqual(covered, [], `${name} at 200 %`);
    await picture(page, `zoom-${name}`, { fullPage: false });
  });
});

test('with text of twice the size nothing goes sideways on a phone', async () => {
  const { page, go, close } = await visit(browser, service.url, {
    api,
    ...PHONE,
  });
  for (const path of ['/', '/accounts', '/forecast', '/categories', '/cards', '/recurring', '/transactions']) {
    await go(path);
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    await fits(page, `${path} with text of 200 %`);
  }
  await picture(page, 'large-text-phone');
  await close();
});

test('with reduced motion nothing moves', async () => {
  const moving = page =>
    page.evaluate(() =>
      [...document.querySelectorAll('*')]
        .flatMap(element => {
          const { transitionDuration, transitionProperty } = getComputedStyle(element);
          return transitionProperty !== 'none' && transitionDuration.split(',').some(time => parseFloat(time) > 0)
            ? [element.className]
            : [];
        })
        .concat(
          document
            .getAnimations()
            .filter(
              one =>
                one.effect?.getComputedTiming().iterations === Infinity ||
                one.effect?.getKeyframes().some(frame => 'transform' in frame),
            )
            .map(one => `animation ${one.animationName}`),
        ),
    );
  await eachScreen({}, async (page, name) => assert.deepEqual(await moving(page), [], name));
  // The same is true while the page loads. Without the setting, the page has the animation `breathe`.
  for (const [reducedMotion, expected] of [
    ['reduce', []],
    ['no-preference', ['animation breathe']],
  ]) {
    const { page, close } = await visit(browser, service.url, { api });
    await page.emulateMedia({ reducedMotion: /** @type {'reduce'} */ (reducedMotion) });
    let release = () => {};
    const held = new Promise(resolve => (release = resolve));
    await page.route('**/api/recurring?*', async route => {
      await held;
      await route.continue();
    });
    await page.goto(`${service.url}/recurring`);
    await page.locator('.loading .skeleton').first().waitFor();
    await eventually(async () =>
      assert.deepEqual([...new Set((await moving(page)).filter(one => String(one).startsWith('animation')))], expected),
    );
    release();
    await settled(page);
    await close();
  }
});

test('in forced colours all that is drawn with a ground is still seen', async () => {
  await eachScreen({ options: { forcedColors: 'active' } }, async (page, name) => {
    assert.equal(await page.evaluate(() => matchMedia('(forced-colors: active)').matches), true);
    const unseen = await page.evaluate(() => {
      const ground = getComputedStyle(document.body).backgroundColor;
      const drawn = [...document.querySelectorAll('.fill, .bar, .mark')].filter(
        element =>
          element.checkVisibility() &&
          element.getBoundingClientRect().width > 0 &&
          element.getBoundingClientRect().height > 0,
      );
      return drawn
        .filter(element => getComputedStyle(element).backgroundColor === ground)
        .map(element => element.className);
    });
    assert.deepEqual(unseen, [], name);
    // Chosen items are drawn on their own background, and not on a plate in the colour of the page's background.
    const plates = await page.evaluate(() =>
      [...document.querySelectorAll('.nav-link.here, .segment input:checked + span')]
        .filter(element => element.checkVisibility() && getComputedStyle(element).forcedColorAdjust !== 'none')
        .map(element => element.textContent),
    );
    assert.deepEqual(plates, [], name);
    // The focus has an outline.
    const outlines = await page.evaluate(() =>
      [...document.querySelectorAll('button, a[href], input:not([type=file]), select')]
        .filter(element => element.checkVisibility())
        .slice(0, 40)
        .flatMap(element => {
          element.focus({ focusVisible: true });
          if (document.activeElement !== element) return [];
          const shown = [element, element.nextElementSibling, element.closest('label')].some(
            one => one && getComputedStyle(one).outlineStyle !== 'none',
          );
          return shown ? [] : [element.outerHTML.slice(0, 120)];
        }),
    );
    assert.deepEqual(outlines, [], `${name}: a focus that is not seen`);
    await picture(page, `forced-${name}`, { fullPage: false });
  });
});
