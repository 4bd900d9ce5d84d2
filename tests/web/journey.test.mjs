// The way of a new user from the login to the spending on food of last month: once with the keyboard alone, and once by
// touch on a phone. Only the files that the banks export are prepared.
import assert from 'node:assert/strict';
import test from 'node:test';
import { suite } from './suite.mjs';
import {
  accessible,
  client,
  createUser,
  eventually,
  fits,
  PASSWORD,
  PHONE,
  picture,
  settled,
  visit,
} from './support.mjs';
import { february, file } from './statements.mjs';
import { goByKeys } from './waits.mjs';

const MARKET = '859.55',
  RESTAURANTS = '243.45',
  BILL = '378.70';
const FILES = [
  file('itau-2026-02.ofx', february.account),
  file('nubank-2026-02.csv', february.other),
  file('fatura-2026-03.csv', february.card),
];
/** Chooses the files in the place of the browser's file dialog. */
const choose = async (page, open) => {
  const chooser = page.waitForEvent('filechooser');
  await open();
  await (await chooser).setFiles(FILES);
};
const heading = (page, name) => page.getByRole('heading', { name, exact: true });
/** The most stops of the Tab key until something is reached. */
const STOPS_MAX = 120;

const { service, browser } = await suite();

/** Checks what is stored at the end, to the cent. It is the same for both ways. @param {string} name */
const figures = async name => {
  const api = await client(service.url, name);
  const categories = new Map((await api.get('/api/categories')).map(category => [category.id, category.name]));
  const of = await api.get('/api/dashboard?month=2026-02');
  const spent = Object.fromEntries(
    of.spending_by_category.map(row => [row.category_id === null ? '' : categories.get(row.category_id), row.total]),
  );
  // The dictionary files the rent and the taxi.
  assert.deepEqual(spent, {
    '': '75.00',
    Mercado: MARKET,
    Moradia: '1500.00',
    Restaurantes: RESTAURANTS,
    Transporte: '33.10',
  });
  assert.deepEqual([of.income, of.expenses], ['4500.00', '2711.10']);
  const balances = Object.fromEntries((await api.get('/api/accounts')).map(account => [account.name, account.balance]));
  // These are the balances that the banks have today, the payment of today included.
  assert.deepEqual(balances, { Itaú: '2994.35', 'Nubank conta': '115.25', 'Nubank cartão': '0.00' });
  const bills = (await api.get('/api/credit-bills')).filter(bill => bill.total !== '0.00');
  assert.deepEqual(
    bills.map(bill => [bill.total, bill.paid_amount, bill.status, bill.due_date]),
    [[BILL, BILL, 'paid', '2026-03-12']],
  );
};

/** The keyboard of a user who sees the page: the focused element is found by its name, and has to be visible. */
const keyboard = page => {
  const at = () =>
    page.evaluate(() => {
      const element = /** @type {any} */ (document.activeElement);
      const named =
        element.getAttribute('aria-label') ??
        (element.labels?.length ? element.labels[0].textContent : element.textContent);
      const box = element.getBoundingClientRect(),
        [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const over = document.elementFromPoint(x, y);
      // The element may be a field that its label draws, or a line that is longer than the window.
      const isInSight =
        element.matches('.unseen, body, main, h1, h2') ||
        (over !== null &&
          (element.contains(over) ||
            over.contains(element) ||
            over.control === element ||
            over.closest('label')?.control === element));
      return {
        name: named.replace(/\s+/g, ' ').trim(),
        tag: element.tagName,
        isInSight,
        over: over?.outerHTML.slice(0, 120) ?? '',
      };
    });
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const type = text => page.keyboard.type(text);
  /** Presses Tab until the element with this name has the focus. @param {string | RegExp} name */
  const reach = async name => {
    const isThere = now => (typeof name === 'string' ? now.name === name : name.test(now.name));
    const seen = [];
    for (let stop = 0; stop < STOPS_MAX; stop += 1) {
      const now = await at();
      if (stop > 0) assert.ok(now.isInSight, `${now.name} (${now.tag}) has the focus and is behind ${now.over}`);
      if (isThere(now)) return;
      seen.push(now.name);
      await press('Tab');
    }
    assert.fail(`${name} is not reached by Tab: ${seen.join(' | ')}`);
  };
  /** Waits until the element with this name has the focus by itself. */
  const arrive = name => eventually(async () => assert.match((await at()).name, name));
  return { press, type, reach, arrive };
};

test('from the login to what food cost last month, with the keyboard alone', async () => {
  createUser(service, 'teclado');
  const { page, close } = await visit(browser, service.url, { options: { hasTouch: false } });
  await page.clock.install();
  const { press, type, reach, arrive } = keyboard(page);
  await page.goto(service.url);
  await arrive(/^Nome$/);
  await type('teclado');
  await reach('Senha');
  await type(PASSWORD);
  await press('Enter');

  // Two accounts and a card are created in the first step.
  await heading(page, 'Quatro passos para começar').waitFor();
  const account = async (name, fill) => {
    await page.getByRole('dialog', { name: 'Nova conta' }).waitFor();
    await arrive(/^Nome$/);
    await type(name);
    await fill();
    await press('Enter');
    await page.getByText(`Conta ${name} adicionada.`).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await reach('Adicionar conta');
  await press('Enter');
  await account('Itaú', async () => {
    await reach('Quanto tem hoje?');
    await type('2.994,35');
  });
  // The button is gone, and the focus is near the next one.
  await arrive(/^Quatro passos/);
  await reach('Outra conta');
  await press('Enter');
  await account('Nubank conta', async () => {
    await reach('Quanto tem hoje?');
    await type('115,25');
  });
  await arrive(/^Outra conta$/);
  await press('Enter');
  await account('Nubank cartão', async () => {
    await reach('Tipo');
    await type('Cart');
    await reach('Dia em que a fatura fecha');
    await type('26');
    await reach('Dia em que a fatura vence');
    await type('12');
  });
  await arrive(/^Outra conta$/);
  await picture(page, 'journey-accounts');

  // Three files are imported at once.
  await reach('Importar extrato');
  await press('Enter');
  await arrive(/^Importar$/);
  await reach('Escolher arquivos');
  await choose(page, () => press('Space'));
  await arrive(/^De onde é itau-2026-02\.ofx\?$/);
  await reach('Conta');
  await type('Itaú');
  await reach('Ler arquivo');
  await press('Enter');
  await arrive(/^Confira antes de importar$/);
  const categorize = async (row, category) => {
    await reach(`Categoria de ${row}`);
    await type(category);
  };
  const send = async (count, sum) => {
    await reach(new RegExp(`^Importar ${count} lançamentos`));
    await page.getByRole('button', { name: new RegExp(`^Importar ${count} lançamentos\\s*${sum}$`) }).waitFor();
    await press('Enter');
    await arrive(new RegExp(`^${count} lançamentos importados$`));
  };
  await categorize('ARMAZEM BOM PRECO', 'Merc');
  await reach(/^Usar também no outro com esta descrição/);
  await press('Enter');
  await page.getByText('1 lançamento em Mercado.').waitFor();
  await categorize('RESTAURANTE SABOR', 'Rest');
  await picture(page, 'journey-check');
  await send(6, '\\+R\\$\\s1\\.994,35');
  // The balance of today stays, whatever older rows come. The opening balance follows.
  const stays = balance => page.getByText(`Saldo de hoje: R$ ${balance}, como você disse.`).waitFor();
  await stays('2.994,35');
  await picture(page, 'journey-stays');
  await reach('Próximo arquivo');
  await press('Enter');

  await arrive(/^De onde é nubank-2026-02\.csv\?$/);
  await reach('Conta');
  await type('Nubank conta');
  await reach('Ler arquivo');
  await press('Enter');
  await arrive(/^Confira antes de importar$/);
  await categorize('Compra no débito - Feira da Praça', 'Merc');
  await categorize('Compra no débito - Restaurante Vila', 'Rest');
  await send(3, '\\+R\\$\\s115,25');
  await stays('115,25');
  await reach('Próximo arquivo');
  await press('Enter');

  await arrive(/^De onde é fatura-2026-03\.csv\?$/);
  await reach('Conta');
  await type('Nubank cartão');
  await reach('Ler arquivo');
  await press('Enter');
  await arrive(/^Confira antes de importar$/);
  await categorize('Mercado Extra', 'Merc');
  await categorize('Ifood Pizzaria', 'Rest');
  await send(4, '−R\\$\\s378,70');
  await reach('Concluir');
  await press('Enter');
  await heading(page, 'Importações anteriores').waitFor();

  // The bill is on the dashboard.
  await goByKeys(page, 'p');
  await page.getByText('Esta fatura vence em 2 dias').waitFor();
  await settled(page);
  await accessible(page, 'journey: a bill waits');
  await picture(page, 'journey-waiting');
  await reach('Pagar Nubank cartão');
  await press('Enter');
  await page.getByRole('dialog', { name: 'Pagar fatura do Nubank cartão' }).waitFor();
  await reach('Pagar com');
  await type('Itaú');
  await reach('Pagar R$ 378,70');
  await press('Enter');
  await page.getByText('Fatura Nubank cartão paga.').waitFor();
  await page.getByText('Esta fatura vence em 2 dias').waitFor({ state: 'detached' });
  await arrive(/^Esperando por você$/);

  // The spending on food of last month: from the dashboard to its rows.
  await reach(/^Mês anterior, fevereiro/);
  await press('Enter');
  await page.getByRole('heading', { name: 'Resultado de fevereiro' }).waitFor();
  await settled(page);
  await picture(page, 'journey-february');
  for (const [name, amount, rows] of [
    ['Mercado', 'R$ 859,55', 4],
    ['Restaurantes', 'R$ 243,45', 3],
  ]) {
    await reach(new RegExp(`^${name}.*${amount.replace('R$ ', 'R\\$\\s')}`));
    await press('Enter');
    await heading(page, 'Lançamentos de fevereiro de 2026').waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: `${rows} lançamentos` })
      .getByText(`saíram ${amount}`)
      .waitFor();
    await settled(page);
    await picture(page, `journey-${name}`);
    // A user would press the browser's key. A test cannot press it.
    await page.goBack();
    await page.getByRole('heading', { name: 'Resultado de fevereiro' }).waitFor();
  }
  await figures('teclado');
  await close();
});

test('from the login to what food cost last month, with a finger on a phone', async () => {
  createUser(service, 'dedo');
  const { page, close } = await visit(browser, service.url, {
    ...PHONE,
  });
  const tap = async (role, name, of = page) => of.getByRole(role, { name, exact: typeof name === 'string' }).tap();
  const check = async name => {
    await settled(page);
    await fits(page, name);
    await picture(page, `journey-phone-${name}`);
  };
  await page.goto(service.url);
  await page.getByLabel('Nome').fill('dedo');
  await page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
  await tap('button', 'Entrar');
  await heading(page, 'Quatro passos para começar').waitFor();
  await check('start');

  // The files come first. Each account is created when a file needs it.
  await tap('link', 'Importar extrato');
  await heading(page, 'Importar').waitFor();
  await choose(page, () => page.getByText('Escolher arquivos').tap());
  const account = async (name, fill) => {
    await tap('button', 'Nova conta');
    const dialog = page.getByRole('dialog', { name: 'Nova conta' });
    await dialog.getByLabel('Nome').fill(name);
    await fill(dialog);
    await tap('button', 'Adicionar conta', dialog);
    await dialog.waitFor({ state: 'detached' });
    // The new account is chosen for the file.
    await page
      .getByLabel('Conta', { exact: true })
      .locator('option:checked', { hasText: name })
      .waitFor({ state: 'attached' });
  };
  const categorize = async (row, category) => {
    const select = page.getByLabel(`Categoria de ${row}`).first();
    await select.tap();
    await select.selectOption({ label: category });
  };
  const send = async (count, sum) => {
    const button = page.getByRole('button', { name: new RegExp(`^Importar ${count} lançamentos`) });
    await eventually(async () => assert.match(await button.innerText(), sum));
    await button.tap();
    await heading(page, `${count} lançamentos importados`).waitFor();
  };
  await heading(page, 'De onde é itau-2026-02.ofx?').waitFor();
  await account('Itaú', async () => {});
  await check('place');
  await tap('button', 'Ler arquivo');
  await heading(page, 'Confira antes de importar').waitFor();
  await categorize('ARMAZEM BOM PRECO', 'Mercado');
  await page.getByRole('button', { name: 'Usar também no outro com esta descrição' }).tap();
  await categorize('RESTAURANTE SABOR', 'Restaurantes');
  await check('check');
  await send(6, /\+R\$\s1\.994,35/);
  // The opening balance of the account was not known.
  await page.getByText('Saldo de Itaú agora: R$ 1.994,35.').waitFor();
  await check('result');
  await tap('button', 'Está diferente no banco?');
  const balance = page.getByRole('dialog', { name: 'Acertar o saldo de Itaú' });
  await balance.getByLabel('Saldo no banco').fill('abc');
  await tap('button', 'Acertar saldo', balance);
  await balance.getByText('Escreva um valor como 1.250,00.').waitFor();
  await balance.getByLabel('Saldo no banco').fill('2.994,35');
  await picture(page, 'journey-phone-balance');
  await tap('button', 'Acertar saldo', balance);
  await page.getByRole('main').getByText('Saldo de hoje: R$ 2.994,35, como você disse.').waitFor();
  await tap('button', 'Próximo arquivo');

  await heading(page, 'De onde é nubank-2026-02.csv?').waitFor();
  await account('Nubank conta', async () => {});
  await tap('button', 'Ler arquivo');
  await categorize('Compra no débito - Feira da Praça', 'Mercado');
  await categorize('Compra no débito - Restaurante Vila', 'Restaurantes');
  await send(3, /\+R\$\s115,25/);
  await tap('button', 'Próximo arquivo');

  await heading(page, 'De onde é fatura-2026-03.csv?').waitFor();
  await account('Nubank cartão', async dialog => {
    await dialog.getByLabel('Tipo').selectOption({ label: 'Cartão de crédito' });
    await dialog.getByLabel('Dia em que a fatura fecha').fill('26');
    await dialog.getByLabel('Dia em que a fatura vence').fill('12');
    await picture(page, 'journey-phone-card');
  });
  await check('card-place');
  await tap('button', 'Ler arquivo');
  await categorize('Mercado Extra', 'Mercado');
  await categorize('Ifood Pizzaria', 'Restaurantes');
  await send(4, /−R\$\s378,70/);
  await tap('button', 'Concluir');

  const bar = page.getByRole('navigation', { name: 'Menu' }).filter({ visible: true });
  await tap('link', 'Painel', bar);
  await page.getByText('Esta fatura vence em 2 dias').waitFor();
  await check('waiting');
  await tap('button', 'Pagar Nubank cartão');
  const dialog = page.getByRole('dialog', { name: 'Pagar fatura do Nubank cartão' });
  await dialog.getByLabel('Pagar com').selectOption({ label: 'Itaú' });
  await tap('button', 'Pagar R$ 378,70', dialog);
  await page.getByText('Fatura Nubank cartão paga.').waitFor();
  await page.getByText('Esta fatura vence em 2 dias').waitFor({ state: 'detached' });

  // The spending on food of last month: in the list of transactions, by its filters.
  await tap('link', 'Lançamentos', bar);
  await heading(page, 'Lançamentos de março de 2026').waitFor();
  await tap('link', /^Mês anterior, fevereiro/);
  await heading(page, 'Lançamentos de fevereiro de 2026').waitFor();
  await tap('button', 'Filtros');
  for (const [name, amount, rows] of [
    ['Mercado', 'R$ 859,55', 4],
    ['Restaurantes', 'R$ 243,45', 3],
  ]) {
    await page.getByLabel('Categoria', { exact: true }).selectOption({ label: name });
    await page
      .getByRole('status')
      .filter({ hasText: `${rows} lançamentos` })
      .getByText(`saíram ${amount}`)
      .waitFor();
    await check(name);
  }
  await accessible(page, 'journey: food of last month');
  await figures('dedo');
  await close();
});
