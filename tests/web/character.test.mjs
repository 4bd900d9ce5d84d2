// The character: appearance, wardrobe, quests, achievements, history, and whether every drawing stays in its frame.
import assert from 'node:assert/strict';
import test from 'node:test';
import { household } from './household.mjs';
import { SPRITES } from './sheet.mjs';
import { suite } from './suite.mjs';
import { eventually, inspect, settled, visit } from './support.mjs';
import { caughtUp, goByKeys, hold, isAbsent, keysBound } from './waits.mjs';

const APPEARANCE = '/api/gamification/appearance';

const { service, browser, user } = await suite();

/** Opens the page with a new profile. */
const newcomer = async (name, options = {}) => {
  const api = await user({ name });
  const shown = await visit(browser, service.url, { api, ...options });
  await shown.go('/character');
  const { page } = shown;
  const region = named => page.getByRole('region', { name: named, exact: true });
  const hero = page.locator('.hero img');
  return { api, ...shown, region, hero, source: () => hero.getAttribute('src') };
};
const profile = api => api.get('/api/gamification/profile');

test('a cosmetic is tried on, worn and taken off, and the sprite changes', async () => {
  const { api, page, close, region, source } = await newcomer('ana-1');
  const wardrobe = region('Guarda-roupa'),
    plain = await source();
  assert.equal(plain, (await profile(api)).sprite);
  await wardrobe.getByText('Nada escolhido aqui ainda.').waitFor();
  await wardrobe.getByRole('radio', { name: 'Cabelo preto' }).check();
  await wardrobe.getByRole('status').getByText('Experimentando: Cabelo preto').waitFor();
  await eventually(async () => assert.match(await source(), /hair=%231e1e24/));
  assert.equal((await profile(api)).sprite, plain, 'nothing is stored by trying on');
  await inspect(page, 'character-trying', { schemes: ['light'] });
  await wardrobe.getByRole('button', { name: 'Deixar como estava' }).click();
  await eventually(async () => assert.equal(await source(), plain));
  await caughtUp(page);
  assert.equal((await profile(api)).sprite, plain, 'nothing was stored');

  await wardrobe.getByRole('radio', { name: 'Cabelo preto' }).check();
  await wardrobe.getByRole('button', { name: 'Vestir Cabelo preto' }).click();
  await wardrobe.getByText('Vestindo: Cabelo preto').waitFor();
  await wardrobe.getByRole('radio', { name: 'Cabelo preto Vestindo' }).waitFor();
  const worn = await eventually(async () => {
    const found = await profile(api);
    assert.equal(found.equipped.hair, 2);
    return found;
  });
  await eventually(async () => assert.equal(await source(), worn.sprite));
  await eventually(async () => assert.equal(await page.locator('.side .thumb').getAttribute('src'), worn.sprite));
  // The preview leaves out the colours of the cosmetic that would be replaced.
  await wardrobe.getByRole('radio', { name: 'Chapéu de palha Nível 5' }).check();
  await eventually(async () => {
    const query = new URL(await source(), service.url).searchParams;
    assert.deepEqual([query.get('hair_shape'), query.get('accent'), query.get('hair')], ['straw_hat', '#e0a93b', null]);
  });
  await wardrobe.getByRole('radio', { name: 'Cabelo preto Vestindo' }).check();
  await wardrobe.getByRole('button', { name: 'Tirar Cabelo preto' }).click();
  await wardrobe.getByText('Nada escolhido aqui ainda.').waitFor();
  await eventually(async () => assert.equal((await profile(api)).equipped.hair, null));
  await eventually(async () => assert.equal(await source(), plain));
  await close();
});

test('nothing is shown before the character itself has come, so nothing moves below it', async () => {
  const { page, close, hero } = await newcomer('ana-11', { size: 'phone' });
  const held = await hold(page, '**/api/gamification/profile');
  const others = ['cosmetics', 'appearance', 'quests', 'achievements', 'xp-events'].map(name =>
    page.waitForResponse(answer => answer.url().includes(`/api/gamification/${name}`)),
  );
  await page.goto(`${service.url}/character`);
  await Promise.all(others);
  await held.asked(1);
  await caughtUp(page);
  assert.equal(await page.locator('main .card:not(.ghost)').count(), 0);
  held.open();
  await hero.waitFor();
  await close();
});

test('what is locked says its level, and can be seen but not worn', async () => {
  const { page, close, region, source } = await newcomer('ana-2', { size: 'phone' });
  const wardrobe = region('Guarda-roupa');
  await wardrobe.getByRole('radio', { name: 'Parte de cima' }).check();
  await wardrobe.getByRole('radio', { name: 'Casaco de lã Nível 9' }).check();
  await wardrobe.getByRole('status').getByText('A partir do nível 9').waitFor();
  await eventually(async () => assert.match(await source(), /shirt_shape=coat/));
  assert.equal(await wardrobe.getByRole('button', { name: /Vestir/ }).count(), 0);
  await inspect(page, 'character-locked', { sizes: ['phone'] });
  await wardrobe.getByRole('radio', { name: 'Calçados' }).check();
  await wardrobe.getByRole('radio', { name: 'Sandália Nível 5' }).waitFor();
  await eventually(async () => assert.match(await source(), /shirt_shape=tee/, 'another kind puts it back'));
  await close();
});

test('the appearance is chosen by pictures and kept', async () => {
  const { api, page, go, close, region, source } = await newcomer('ana-3');
  const looks = region('Aparência');
  const group = named => looks.getByRole('group', { name: named });
  for (const [named, count] of [
    ['Pele', 7],
    ['Cabelo', 8],
    ['Corpo', 3],
  ])
    await eventually(async () => assert.equal(await group(named).getByRole('radio').count(), count));
  await group('Pele').getByRole('radio', { name: 'Muito escura' }).check();
  await group('Cabelo').getByRole('radio', { name: 'Crespo' }).check();
  await group('Corpo').getByRole('radio', { name: 'Robusto' }).check();
  const chosen = { skin: 'dark', hair_style: 'coily', body: 'broad' };
  await eventually(async () => {
    const { choices, ...now } = await api.get(APPEARANCE);
    assert.deepEqual(now, chosen);
  });
  await eventually(async () =>
    assert.equal(await page.locator('.side .thumb').getAttribute('src'), (await profile(api)).sprite),
  );
  await eventually(async () => assert.match(await source(), /hair_style=coily&body=broad/));
  await go('/character');
  await eventually(async () => assert.equal(await source(), (await profile(api)).sprite));
  for (const [named, option] of [
    ['Pele', 'Muito escura'],
    ['Cabelo', 'Crespo'],
    ['Corpo', 'Robusto'],
  ])
    await eventually(async () =>
      assert.ok(await group(named).getByRole('radio', { name: option, exact: true }).isChecked()),
    );
  await close();
});

test('a choice that is made while another is being saved is saved too', async () => {
  const { api, page, close, region } = await newcomer('ana-9');
  const radio = (named, option) => region('Aparência').getByRole('group', { name: named }).getByRole('radio', option);
  const held = await hold(page, `**${APPEARANCE}`, { isHeld: request => request.method() === 'PUT' });
  await radio('Pele', { name: 'Muito escura' }).check();
  await held.asked(1);
  await radio('Cabelo', { name: 'Crespo' }).check();
  held.open();
  await held.asked(2);
  held.open();
  await eventually(async () => {
    const { skin, hair_style } = await api.get(APPEARANCE);
    assert.deepEqual([skin, hair_style], ['dark', 'coily']);
  });
  await caughtUp(page);
  assert.ok(await radio('Cabelo', { name: 'Crespo' }).isChecked());
  await close();
});

test('a choice that is refused is told and taken back', async () => {
  const { api, page, close, expect, region } = await newcomer('ana-4');
  expect(503);
  await page.route(`**${APPEARANCE}`, route =>
    route.request().method() === 'PUT'
      ? route.fulfill({
          status: 503,
          contentType: 'application/problem+json',
          body: JSON.stringify({
            type: 'about:blank',
            title: 'x',
            status: 503,
            code: 'ErrUnavailable',
            request_id: 'r',
          }),
        })
      : route.continue(),
  );
  const hair = region('Aparência').getByRole('group', { name: 'Cabelo' });
  await hair.getByRole('radio', { name: 'Tranças' }).click();
  await page.getByText('O Finance está ocupado').waitFor();
  await eventually(async () => assert.ok(await hair.getByRole('radio', { name: 'Curto' }).isChecked()));
  assert.equal((await api.get(APPEARANCE)).hair_style, 'short');
  await close();
});

test('the keyboard alone chooses and wears, and what has the focus is seen', async () => {
  const { api, page, close, region } = await newcomer('ana-5', { size: 'phone' });
  const focused = () =>
    page.evaluate(() => {
      const box = document.activeElement.getBoundingClientRect();
      const bars = [...document.querySelectorAll('.bottom, .review-bar, .top')]
        .filter(bar => !bar.contains(document.activeElement))
        .map(bar => bar.getBoundingClientRect());
      const hidden = bars.filter(bar => box.bottom > bar.top && box.top < bar.bottom);
      return hidden.length > 0 || box.top < 0 || box.bottom > innerHeight ? JSON.stringify([box, hidden]) : '';
    });
  await region('Aparência').getByRole('radio', { name: 'Morena clara' }).focus();
  await page.keyboard.press('ArrowRight');
  await eventually(async () => assert.equal((await api.get(APPEARANCE)).skin, 'tan'));
  // Tab moves past hair and body to the kinds of cosmetics, and then to the cosmetics.
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await eventually(async () =>
    assert.ok(await region('Guarda-roupa').getByRole('radio', { name: 'Parte de cima' }).isChecked()),
  );
  await page.keyboard.press('Tab');
  for (let step = 0; step < 7; step += 1) {
    await page.keyboard.press('ArrowDown');
    await eventually(async () => assert.equal(await focused(), ''));
  }
  await page.keyboard.press('ArrowDown');
  await region('Guarda-roupa').getByRole('status').getByText('Experimentando: Camiseta azul-clara').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal((await profile(api)).equipped.shirt, 8));
  await close();
});

test('quests, achievements and history tell what earned XP, page by page', async () => {
  const { api, page, go, close, region, hero } = await newcomer('ana-6');
  await region('De onde veio o XP').getByText('Nada ainda.').waitFor();
  await region('Conquistas').getByText('Nenhuma ainda.').waitFor();
  await inspect(page, 'character-new');
  await household(api);
  // To read a month that met the goal earns XP.
  await api.get('/api/dashboard');
  await go('/character');
  const events = await api.get('/api/gamification/xp-events?limit=1000'),
    { title, xp, sprite } = await profile(api);
  await page.getByRole('heading', { name: title, exact: true }).waitFor();
  await region(title)
    .getByText(`${xp.toLocaleString('pt-BR')} XP ao todo`)
    .waitFor();
  const drawing = (/** @type {string} */ address) => address.split('?')[0];
  await eventually(async () => assert.equal(drawing(await hero.getAttribute('src')), drawing(sprite)));
  const quests = region('Missões'),
    lines = region('De onde veio o XP').getByRole('listitem');
  await quests.getByRole('listitem').filter({ hasText: 'Diário em dia' }).getByText('Cumprida em').waitFor();
  const month = quests.getByRole('progressbar', { name: 'Mês registrado' });
  await eventually(async () => assert.equal(await month.getAttribute('max'), '60'));
  await region('Conquistas').getByRole('listitem').filter({ hasText: 'Primeiro lançamento' }).waitFor();
  await region('Conquistas').getByText('Ainda por vir').click();
  await region('Conquistas').getByText('Sombra para todos').waitFor();
  await lines.filter({ hasText: 'Missão' }).first().waitFor();
  while ((await lines.count()) < events.length) {
    const shown = await lines.count();
    assert.ok(shown % 10 === 0);
    await region('De onde veio o XP').getByRole('button', { name: 'Mostrar mais' }).click();
    await eventually(async () => assert.ok((await lines.count()) > shown));
  }
  await isAbsent(region('De onde veio o XP').getByRole('button'));
  await lines.filter({ hasText: 'MissãoPrimeiros passos' }).waitFor();
  await lines.filter({ hasText: 'Orçamento definidomercado' }).first().waitFor();
  await inspect(page, 'character');
  await close();
});

test('in English, and from any page', async () => {
  const { page, go, close, region } = await newcomer('ana-7', { language: 'en' });
  await page.clock.install();
  await page.getByRole('heading', { name: 'Character' }).waitFor();
  await region('Appearance').getByRole('group', { name: 'Hair' }).getByRole('radio', { name: 'Coily' }).waitFor();
  await region('Wardrobe').getByRole('radio', { name: 'Bottom' }).check();
  await region('Wardrobe').getByRole('radio', { name: 'Khaki shorts Level 4' }).waitFor();
  // So are the texts of the catalog, also in the frame.
  await eventually(async () => assert.equal(await page.locator('h2 [lang="en"]').textContent(), 'Seed'));
  await page.getByRole('img', { name: 'Level 1, Seed' }).first().waitFor();
  await region('Quests').getByText('Add 3 transactions today.').waitFor();
  await isAbsent(page.locator('main [lang="pt-BR"]'));
  await inspect(page, 'character-english', { schemes: ['light'] });
  await go('/settings');
  await keysBound(page);
  await goByKeys(page, 'x');
  await page.getByRole('heading', { name: 'Character' }).waitFor();
  await settled(page);
  await close();
});

test('every drawing stays in its frame, whatever is worn', async () => {
  const page = await browser.newPage();
  const looks = [
    'hair_style=coily&body=broad&shirt_shape=cloak&pants_shape=skirt&shoes_shape=wellies',
    'hair_style=bun&body=curvy&hair_shape=straw_hat&shirt_shape=coat&pants_shape=wide&shoes_shape=boots',
  ];
  for (const name of [...SPRITES, 'portrait', 'fitting']) {
    const drawn = [];
    for (const query of looks) {
      const svg = await (await fetch(`${service.url}/sprites/${name}.svg?${query}`)).text();
      const [inside, outside, first] = await page.evaluate(async text => {
        const margin = 20,
          image = new Image();
        image.src = `data:image/svg+xml,${encodeURIComponent(text.replace('viewBox="0 0 120 160"', `viewBox="${-margin} ${-margin} ${120 + 2 * margin} ${160 + 2 * margin}" width="320" height="400"`))}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [320, 400];
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0, 320, 400);
        const { data } = context.getImageData(0, 0, 320, 400);
        let within = 0,
          beyond = 0,
          sum = 0;
        for (let at = 0; at < 320 * 400; at += 1) {
          const x = (at % 320) / 2 - margin,
            y = Math.floor(at / 320) / 2 - margin;
          if (data[at * 4 + 3] > 0) x >= 1 && x < 119 && y >= 1 && y < 159 ? (within += 1) : (beyond += 1);
          sum = (sum * 31 + data[at * 4]) % 1_000_003;
        }
        return [within, beyond, sum];
      }, svg);
      assert.equal(outside, 0, `${name} ${query}`);
      assert.ok(inside > 70_000, `${name} is drawn: ${inside}`);
      drawn.push(first);
    }
    assert.notEqual(drawn[0], drawn[1], name);
  }
  await page.close();
});
