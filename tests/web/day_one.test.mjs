// The first day of a household: from the link of a terminal to a dashboard that is right, with a number of keys or taps that is
// counted. No password is typed by anybody else.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { suite } from './suite.mjs';
import { accessible, client, eventually, finance, fits, PASSWORD, PHONE, settled, visit } from './support.mjs';
import { file } from './statements.mjs';

/** The most actions from the link to the dashboard: what is pressed, filled in or chosen. */
const ACTIONS_MAX = 25;

const { service, browser } = await suite({ today: '2026-03-31' });

const demo = name => readFile(new URL(`../../config/demo/${name}`, import.meta.url));
const FILES = [file('three_months.ofx', await demo('three_months.ofx')), file('card.ofx', await demo('card.ofx'))];

/** The link that the program prints for a new user, to this service. @param {string} name */
const linkFor = name => {
  const { status, stdout, stderr } = spawnSync(finance, ['create-user', '--name', name, '--link'], {
    env: { ...service.env, FINANCE_PUBLIC_URL: 'https://finance.example' },
    cwd: service.directory,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^https:\/\/finance\.example\/login#invite=inv_[\w-]{43}&name=\w+\n$/);
  return stdout.trim().replace('https://finance.example', service.url);
};

/**
 * The way to the dashboard. `act` has what a person does: each call is one action.
 * @param {import('playwright-core').Page} page @param {Record<'press' | 'fill' | 'pick' | 'files' | 'send', (...given: any[]) => Promise<void>>} act
 */
const walk = async (page, name, act) => {
  const heading = text => page.getByRole('heading', { name: text, exact: true }).waitFor();
  await page.goto(linkFor(name));
  await heading(`Escolha sua senha, ${name}`);
  await act.fill('Senha', PASSWORD);
  await act.press('Guardar e entrar');
  await heading('Quatro passos para começar');

  await act.press('Adicionar conta');
  const dialog = page.getByRole('dialog', { name: 'Nova conta' });
  await dialog.waitFor();
  await act.fill('Nome', 'Banco');
  await act.fill('Quanto tem hoje?', '5.000,00');
  await act.press('Adicionar conta', dialog);
  await dialog.waitFor({ state: 'detached' });
  await act.press('Outra conta');
  await dialog.waitFor();
  await act.fill('Nome', 'Cartão');
  await act.pick('Tipo', 'Cartão de crédito');
  await act.fill('Dia em que a fatura fecha', '25');
  await act.fill('Dia em que a fatura vence', '5');
  await act.press('Adicionar conta', dialog);
  await dialog.waitFor({ state: 'detached' });

  await act.press('Importar extrato');
  await heading('Importar');
  await act.files();
  for (const [named, account, next] of [
    ['three_months.ofx', 'Banco · Conta corrente', 'Próximo arquivo'],
    ['card.ofx', 'Cartão · Cartão de crédito', 'Concluir'],
  ]) {
    await heading(`De onde é ${named}?`);
    await act.pick('Conta', account);
    await act.press('Ler arquivo');
    await heading('Confira antes de importar');
    await page.getByRole('button', { name: /^Importar \d+ lançamentos/ }).waitFor();
    await act.send();
    await page.getByRole('heading', { name: /^\d+ lançamentos importados$/ }).waitFor();
    if (next === 'Próximo arquivo') await page.getByText('Saldo de hoje: R$ 5.000,00, como você disse.').waitFor();
    await act.press(next);
  }
  await heading('Importações anteriores');
  await act.press('Painel');
  await page.waitForURL(`${service.url}/`);
  await settled(page);
  await accessible(page, 'the first dashboard');
  await fits(page, 'the first dashboard');
};

/** What the dashboard and the accounts say at the end. @param {import('playwright-core').Page} page @param {string} name */
const isRight = async (page, name) => {
  const accounts = page.getByRole('region', { name: 'Contas', exact: true });
  await eventually(async () => assert.match(await accounts.innerText(), /R\$\s5\.000,00/));
  const api = await client(service.url, name);
  const balances = (await api.get('/api/accounts')).map(account => [account.name, account.balance]);
  assert.deepEqual(balances.sort(), [
    ['Banco', '5000.00'],
    ['Cartão', '0.00'],
  ]);
  const { income, expenses } = await api.get('/api/dashboard?month=2026-03');
  assert.deepEqual([income, expenses], ['6970.50', '6498.01']);
  const [opening] = await api.get('/api/transactions?source=opening_balance');
  assert.deepEqual([opening.date, opening.amount], ['2026-01-02', '2510.68']);
};

/** A button or a link that a person sees. */
const button = (label, where) =>
  where
    .getByRole('button', { name: label, exact: typeof label === 'string' })
    .or(where.getByRole('link', { name: label, exact: typeof label === 'string' }))
    .filter({ visible: true })
    .first();
const field = (page, label) => page.getByLabel(label, { exact: true }).filter({ visible: true }).last();

test('from the link to the right dashboard by keyboard, in at most 25 actions', async () => {
  const { page, close } = await visit(browser, service.url);
  let actions = 0;
  const name = 'teclas';
  /** Presses Tab until an element has the focus. Moving is no action: a person looks, and the keys are counted apart. */
  const reach = async wanted => {
    await wanted.waitFor();
    for (let stops = 0; stops < 120; stops++) {
      if (await wanted.evaluate(element => element === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`Tab does not reach ${wanted}`);
  };
  await walk(page, name, {
    press: async (label, where = page) => {
      actions += 1;
      await reach(button(label, where));
      await page.keyboard.press('Enter');
    },
    fill: async (label, text) => {
      actions += 1;
      await reach(field(page, label));
      await page.keyboard.type(text);
    },
    pick: async (label, option) => {
      actions += 1;
      await reach(field(page, label));
      // Only letters that the keyboard of a test has.
      await page.keyboard.type(option.slice(0, 4));
      await field(page, label).locator('option:checked', { hasText: option }).waitFor({ state: 'attached' });
    },
    send: async () => {
      // The button is behind all rows; its keys are not.
      actions += 1;
      await page.keyboard.press('Control+Enter');
    },
    files: async () => {
      // The button, and the files in the dialog of the device.
      actions += 2;
      const chooser = page.waitForEvent('filechooser');
      await reach(page.locator('.drop input[type=file]'));
      await page.keyboard.press('Space');
      await (await chooser).setFiles(FILES);
    },
  });
  await isRight(page, name);
  assert.ok(actions <= ACTIONS_MAX, `${actions} actions`);
  await close();
});

test('the same with a finger at 360 pixels', async () => {
  const { page, close } = await visit(browser, service.url, {
    ...PHONE,
  });
  let actions = 0;
  const name = 'dedos';
  await walk(page, name, {
    press: async (label, where = page) => {
      actions += 1;
      await button(label, where).tap();
    },
    fill: async (label, text) => {
      actions += 1;
      await field(page, label).fill(text);
    },
    pick: async (label, option) => {
      actions += 1;
      await field(page, label).selectOption({ label: option });
    },
    send: async () => {
      actions += 1;
      await page.getByRole('button', { name: /^Importar \d+ lançamentos/ }).tap();
    },
    files: async () => {
      actions += 2;
      const chooser = page.waitForEvent('filechooser');
      await page.getByText('Escolher arquivos').tap();
      await (await chooser).setFiles(FILES);
    },
  });
  await isRight(page, name);
  assert.ok(actions <= ACTIONS_MAX, `${actions} actions`);
  await close();
});
