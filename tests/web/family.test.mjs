// Half a year of a family that uses only the page. At the end of each month the figures of the dashboard are equal, to
// the
// cent, to the figures of the family's own table.
import assert from 'node:assert/strict';
import test from 'node:test';
import { money } from '../../crates/web/assets/app/money.js';
import { file, ofx } from './statements.mjs';
import { suite } from './suite.mjs';
import { eventually, NAME, PASSWORD, picture, settled, visit } from './support.mjs';
import { keysBound } from './waits.mjs';

// 0.05 % a day. On weekends the rate of the day before applies.
const { service, browser } = await suite({ today: '2026-01-02', rate: '0.05' });

/** The bank's statement of a month: salary, rent, school, market. */
const statement = (month, rent, market, ...more) =>
  file(
    `itau-${month}.ofx`,
    ofx([
      [`${month}-05`, '6500.00', 'SALARIO ANA'],
      [`${month}-08`, '-980.00', 'ESCOLA ARCO'],
      [`${month}-10`, `-${rent}`, 'ALUGUEL APTO'],
      [`${month}-15`, `-${market}`, 'SUPERMERCADO BOM PRECO'],
      ...more,
    ]),
  );

/**
 * The family's own table, written by hand: the end of each month, read on the next morning.
 *
 * Each month has the income of Ana, 6,500.00, the income of Bia, 3,850.40, and the yield of the savings. The yield is
 * computed for
 * each run of days in which the balance does not change: the balance at the end of the day before times 1.0005 for each
 * day,
 * rounded once for each run. The family began with 14,200.00 (3,000.00 + 1,200.00 + 10,000.00). Its net worth grows by
 * the income
 * less the expenses.
 */
const MONTHS = [
  {
    // Yield: 10,000.00 from the 3rd to the 31st, 146.02. Out: 1,800.00 + 980.00 + 612.35 + 84.20 + 156.80 + 230.00.
    month: '2026-01',
    name: 'janeiro',
    next: '2026-02-01',
    rent: '1800.00',
    market: '612.35',
    rows: [
      ['2026-01-12', 'Farmácia São João', '84,20', 'Saúde', 'Conta Bia'],
      ['2026-01-14', 'Cantina da Praça', '156,80', 'Restaurantes', 'Visa'],
      ['2026-01-07', 'Livraria Cultura', '230', 'Educação', 'Master'],
    ],
    bills: [['Master', 'janeiro', '230,00', '2026-01-20']],
    income: '10496.42',
    expenses: '3863.35',
    taxes: '0.00',
    left: '6633.07',
    worth: '20833.07',
    balances: { Itaú: '5877.65', 'Conta Bia': '4966.20', Caixinha: '10146.02', Visa: '-156.80', Master: '0.00' },
    spent: { Moradia: '1800.00', Educação: '1210.00', Mercado: '612.35', Restaurantes: '156.80', Saúde: '84.20' },
    transfer: ['500,00', 'Itaú', 'Caixinha'],
  },
  {
    // 500.00 are moved to the savings on the 1st. Yield: 10,146.02 for a day, 5.07; 10,651.09 for 27 days, 144.73.
    month: '2026-02',
    name: 'fevereiro',
    next: '2026-03-01',
    rent: '1800.00',
    market: '587.90',
    rows: [
      ['2026-02-10', 'Tênis da escola', '349,90', 'Compras', 'Visa'],
      ['2026-02-18', 'Cantina da Praça', '98,70', 'Restaurantes', 'Visa'],
      ['2026-02-03', 'Farmácia São João', '61,15', 'Saúde', 'Master'],
      ['2026-02-09', 'IPVA', '1.240,00', 'Impostos', 'Conta Bia'],
    ],
    bills: [['Master', 'fevereiro', '61,15', '2026-02-20']],
    paid: [['156,80', 'Itaú', 'Visa', '2026-02-05']],
    income: '10500.20',
    expenses: '5117.65',
    taxes: '1240.00',
    left: '5382.55',
    worth: '26215.62',
    balances: { Itaú: '8291.80', 'Conta Bia': '7576.60', Caixinha: '10795.82', Visa: '-448.60', Master: '0.00' },
    spent: { Moradia: '1800.00', Impostos: '1240.00', Educação: '980.00', Mercado: '587.90', Compras: '349.90' },
  },
  {
    // The shoes are returned. The statement is first imported into Bia's account, by mistake. A bill of 120.00 is
    // forgotten.
    // Yield: 10,795.82 for 31 days, 168.60. In: 6,500.00 + 3,850.40 + 349.90 + 168.60.
    month: '2026-03',
    name: 'março',
    next: '2026-04-01',
    rent: '1800.00',
    market: '701.25',
    isMistaken: true,
    rows: [
      ['2026-03-06', 'Estorno Tênis da escola', '349,90', 'Compras', 'Visa', 'Entrada'],
      ['2026-03-12', 'Mercado do mês', '520', 'Mercado', 'Visa'],
      ['2026-03-02', 'Livraria Cultura', '120', 'Educação', 'Master'],
    ],
    paid: [['448,60', 'Itaú', 'Visa', '2026-03-05']],
    income: '10868.90',
    expenses: '4121.25',
    taxes: '0.00',
    left: '6747.65',
    worth: '32963.27',
    balances: { Itaú: '10861.95', 'Conta Bia': '11427.00', Caixinha: '10964.42', Visa: '-170.10', Master: '-120.00' },
    spent: { Moradia: '1800.00', Mercado: '1221.25', Educação: '1100.00' },
    late: ['Master', '120,00', 'Venceu há 12 dias'],
    transfer: ['2.000,00', 'Caixinha', 'Itaú'],
  },
  {
    // The forgotten bill is paid on the 1st, 12 days late, and 2,000.00 come back from the savings on that day.
    // Yield: 10,964.42 for a day, 5.48; 8,969.90 for 29 days, 130.98.
    month: '2026-04',
    name: 'abril',
    next: '2026-05-01',
    rent: '1850.00',
    market: '655.40',
    rows: [['2026-04-16', 'Dentista', '900', 'Saúde', 'Conta Bia']],
    paid: [['170,10', 'Itaú', 'Visa', '2026-04-05']],
    income: '10486.86',
    expenses: '4385.40',
    taxes: '0.00',
    left: '6101.46',
    worth: '39064.73',
    balances: { Itaú: '15586.45', 'Conta Bia': '14377.40', Caixinha: '9100.88', Visa: '0.00', Master: '0.00' },
    spent: { Moradia: '1850.00', Educação: '980.00', Saúde: '900.00', Mercado: '655.40' },
  },
  {
    // Yield: 9,100.88 for 31 days, 142.13.
    month: '2026-05',
    name: 'maio',
    next: '2026-06-01',
    rent: '1850.00',
    market: '598.05',
    rows: [
      ['2026-05-08', 'Presente da vó', '210,35', 'Lazer', 'Visa'],
      ['2026-05-06', 'Uber', '45,90', 'Transporte', 'Master'],
    ],
    bills: [['Master', 'maio', '45,90', '2026-05-20', 'Conta Bia']],
    income: '10492.53',
    expenses: '3684.30',
    taxes: '0.00',
    left: '6808.23',
    worth: '45872.96',
    balances: { Itaú: '18658.40', 'Conta Bia': '18181.90', Caixinha: '9243.01', Visa: '-210.35', Master: '0.00' },
    spent: { Moradia: '1850.00', Educação: '980.00', Mercado: '598.05', Lazer: '210.35', Transporte: '45.90' },
  },
  {
    // Half of the thirteenth salary. The holidays are on the card, and its bill is open. Yield: 9,243.01 for 30 days,
    // 139.66.
    month: '2026-06',
    name: 'junho',
    next: '2026-07-01',
    rent: '1850.00',
    market: '640.00',
    more: [['2026-06-30', '3250.00', 'DECIMO TERCEIRO']],
    rows: [['2026-06-28', 'Férias', '1.999,99', 'Lazer', 'Visa']],
    paid: [['210,35', 'Itaú', 'Visa', '2026-06-05']],
    income: '13740.06',
    expenses: '5469.99',
    taxes: '0.00',
    left: '8270.07',
    worth: '54143.03',
    balances: { Itaú: '24728.05', 'Conta Bia': '22032.30', Caixinha: '9382.67', Visa: '-1999.99', Master: '0.00' },
    spent: { Lazer: '1999.99', Moradia: '1850.00', Educação: '980.00', Mercado: '640.00' },
  },
];
const CATEGORIES = { 'ESCOLA ARCO': 'Educação', 'ALUGUEL APTO': 'Moradia', 'SUPERMERCADO BOM PRECO': 'Mercado' };

/**
 * The actions of a user on the page. Every step waits until the page says that it is done.
 * @param {import('playwright-core').Page} page
 */
const hands = page => {
  const dialog = page.getByRole('dialog'),
    main = page.locator('#content');
  const heading = name => main.getByRole('heading', { name });
  const select = async (label, option) => {
    // The option is loaded a little after the form.
    const found = dialog.getByLabel(label, { exact: true });
    await found.locator('option', { hasText: option }).first().waitFor({ state: 'attached' });
    await found.selectOption({ label: option });
  };
  const press = name => dialog.getByRole('button', { name, exact: true }).click();
  const gone = () => dialog.waitFor({ state: 'detached' });
  const at = async path => {
    await page.goto(service.url + path);
    await settled(page);
  };
  return {
    at,
    login: async () => {
      await page.goto(service.url);
      await page.getByLabel('Nome').fill(NAME);
      await page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Entrar' }).click();
      await page.waitForURL(`${service.url}/`);
      await settled(page);
    },
    account: async (name, kind, fields, more = async () => {}) => {
      await at('/accounts');
      await main
        .getByRole('button', { name: /^(Nova conta|Adicionar conta)$/ })
        .first()
        .click();
      await dialog.getByLabel('Nome', { exact: true }).fill(name);
      await select('Tipo', kind);
      await more(dialog);
      for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label, { exact: true }).fill(value);
      await press('Adicionar conta');
      await gone();
      await main.getByRole('link', { name, exact: true }).waitFor();
    },
    recurring: async (description, amount, day, category, account) => {
      await at('/recurring');
      await main.getByRole('button', { name: 'Nova conta' }).click();
      await dialog.getByLabel('Descrição', { exact: true }).fill(description);
      await dialog.getByLabel('Valor', { exact: true }).fill(amount);
      await dialog.getByLabel('Dia do mês', { exact: true }).fill(day);
      await dialog.getByRole('radio', { name: 'Entrada' }).check();
      await select('Categoria', category);
      await select('Conta', account);
      await press('Salvar');
      await gone();
      await main.getByRole('row').filter({ hasText: description }).waitFor();
    },
    /** Confirms the salary that is expected on the first days of a month. */
    receive: async (description, day) => {
      await at('/');
      const widget = page.getByRole('region', { name: 'Seu salário já caiu?' });
      await widget.getByText(description).waitFor();
      await widget.getByLabel('Data').fill(day);
      await widget.getByRole('button', { name: 'Confirmar' }).click();
      await widget.waitFor({ state: 'detached' });
    },
    add: async ([date, description, amount, category, account, type = 'Saída']) => {
      await keysBound(page);
      await page.keyboard.press('n');
      await dialog.getByLabel('Descrição').fill(description);
      await dialog.getByLabel('Valor').fill(amount);
      await dialog.getByLabel('Data').fill(date);
      await dialog.getByRole('radio', { name: type }).check();
      await select('Categoria', category);
      await select('Conta', account);
      await press('Salvar');
      await gone();
      await page.locator('#toasts').getByText(`${description}, R$`).first().waitFor();
    },
    bring: async (statement, account, count) => {
      await at('/imports');
      await page.locator('.drop input[type=file]').setInputFiles([statement]);
      await page.getByLabel('Conta', { exact: true }).selectOption({ label: `${account} · Conta corrente` });
      await page.getByRole('button', { name: 'Ler arquivo' }).click();
      await heading('Confira antes de importar').waitFor();
      for (const [description, category] of Object.entries(CATEGORIES)) {
        const chosen = page.getByLabel(`Categoria de ${description}`);
        // After the first month the history suggests the category.
        if ((await chosen.locator('option:checked').textContent()) !== category) {
          // The select gets its options when it has the focus.
          await chosen.focus();
          await chosen.selectOption({ label: category });
          await chosen.blur();
        }
        await chosen.locator('option:checked', { hasText: category }).waitFor({ state: 'attached' });
      }
      await page.getByRole('button', { name: new RegExp(`^Importar ${count} lançamentos`) }).click();
      await heading(`${count} lançamentos importados`).waitFor();
      await page.getByRole('button', { name: 'Concluir' }).click();
      await page
        .getByRole('button', { name: `Desfazer ${statement.name}` })
        .first()
        .waitFor();
    },
    undo: async (name, count) => {
      await page.getByRole('button', { name: `Desfazer ${name}` }).click();
      await press('Desfazer importação');
      await page.locator('#toasts').getByText(`${count} lançamentos apagados.`).waitFor();
      await page.getByRole('button', { name: `Desfazer ${name}` }).waitFor({ state: 'detached' });
    },
    pay: async ([card, month, amount, day, account = 'Itaú']) => {
      await at('/cards');
      const cards = page.getByRole('navigation', { name: 'Cartões' });
      await cards.getByRole('link', { name: card }).click();
      await page.getByRole('heading', { level: 1, name: card }).waitFor();
      const row = main.getByRole('listitem').filter({ hasText: `Fatura de ${month} de 2026` });
      await row.getByRole('button', { name: /^Pagar/ }).click();
      await select('Pagar com', account);
      await dialog.getByLabel('Dia do pagamento').fill(day);
      await press(`Pagar R$ ${amount}`);
      await gone();
      await row.getByText('Paga', { exact: true }).waitFor();
    },
    transfer: async ([amount, from, to, day]) => {
      await at('/accounts');
      await main.getByRole('button', { name: 'Transferir' }).click();
      await dialog.getByLabel('Valor').fill(amount);
      await select('Saiu de', from);
      await select('Chegou em', to);
      if (day) await dialog.getByLabel('Data').fill(day);
      await press('Transferir');
      await gone();
      await main.getByText(`${from} → ${to}`).first().waitFor();
    },
  };
};

const spaced = text => text.replaceAll('\u00a0', ' ').trim();

/** Compares what the accounts hold today with the family's table. A dashboard of another month leads there. */
const holds = async (page, { name, balances }) => {
  const amountText = value => spaced(money(value));
  await eventually(async () => {
    const rows = (
      await page.locator('[aria-labelledby=accounts] .rows').first().getByRole('listitem').allInnerTexts()
    ).map(text => spaced(text).split('\n'));
    assert.deepEqual(
      Object.fromEntries(rows.map(lines => [lines[0], lines.at(-1)])),
      Object.fromEntries(Object.entries(balances).map(([account, value]) => [account, amountText(value)])),
      name,
    );
  });
};

/** Compares the dashboard of a month with the family's table. */
const compare = async (page, expected) => {
  const { name, income, expenses, taxes, left, worth, spent } = expected,
    amountText = value => spaced(money(value));
  await eventually(async () => {
    assert.equal(
      spaced(
        await page
          .getByRole('region', { name: `Resultado de ${name}` })
          .locator('.hero-figure')
          .innerText(),
      ),
      amountText(left),
      name,
    );
    const tiles = (await page.locator('.hero-tiles .tile').allInnerTexts()).map(text =>
      spaced(text)
        .replace(/^[+−]/, '')
        .split('\n')
        .map(line => line.trim())
        .filter(Boolean),
    );
    assert.deepEqual(
      tiles,
      [
        ['Entrou', amountText(income)],
        ['Saiu', amountText(expenses)],
        ['Impostos', amountText(taxes)],
        ['Patrimônio', amountText(worth)],
      ],
      name,
    );
    const links = (await page.getByRole('region', { name: 'Para onde foi' }).getByRole('link').allTextContents()).map(
      spaced,
    );
    for (const [category, value] of Object.entries(spent))
      assert.ok(
        links.some(text => text.startsWith(category) && text.includes(amountText(value))),
        `${name}: ${category} ${amountText(value)}: ${links.join(' | ')}`,
      );
  });
};

test('half a year of a family, and every figure is theirs', async () => {
  const { page, close, expect } = await visit(browser, service.url);
  // The browser may look for a new version of the service worker while the service is stopped.
  expect('fetching the script');
  const { at, login, account, recurring, receive, add, bring, undo, pay, transfer } = hands(page);
  await login();
  await account('Itaú', 'Conta corrente', { 'Quanto tem hoje?': '3.000,00' });
  // The salary that she receives today is in it.
  await account('Conta Bia', 'Conta corrente', { 'Quanto tem hoje?': '5.050,40' });
  await account('Caixinha', 'Investimento', { 'Quanto tem hoje?': '10.000,00' }, async dialog => {
    for (const name of [/Um percentual do CDI/, /Todos os dias/, /Isento/])
      await dialog.getByRole('radio', { name }).check();
  });
  await account('Visa', 'Cartão de crédito', { 'Dia em que a fatura fecha': '25', 'Dia em que a fatura vence': '5' });
  await account('Master', 'Cartão de crédito', {
    'Dia em que a fatura fecha': '10',
    'Dia em que a fatura vence': '20',
  });
  await recurring('Salário Bia', '3.850,40', '5', 'Salário', 'Conta Bia');
  await receive('Salário Bia', '2026-01-02');

  for (const month of MONTHS) {
    // This is the next morning. An open page would send requests to the service while it stops.
    await page.goto('about:blank');
    await service.moveTo(month.next);
    await login();
    const brought = statement(month.month, month.rent, month.market, ...(month.more ?? [])),
      count = 4 + (month.more?.length ?? 0);
    if (month.isMistaken) {
      await bring(brought, 'Conta Bia', count);
      await undo(brought.name, count);
    }
    await bring(brought, 'Itaú', count);
    await at('/transactions');
    for (const row of month.rows) await add(row);
    for (const bill of month.bills ?? []) await pay(bill);
    // A bill of this card is on the next one by now, so its payment is told as a transfer of that day.
    for (const payment of month.paid ?? []) await transfer(payment);
    await at('/');
    await holds(page, month);
    await at(`/?month=${month.month}`);
    await compare(page, month);
    await picture(page, `family-${month.month}`);
    // The entries of the new month are made after the comparison.
    if (month.late) {
      const [card, amount, words] = month.late;
      await at('/');
      const waiting = page
        .getByRole('region', { name: 'Esperando por você' })
        .getByRole('listitem')
        .filter({ hasText: `Fatura ${card}` });
      await waiting.getByText(words).waitFor();
      await waiting.getByRole('button', { name: `Pagar ${card}` }).click();
      await page.getByRole('dialog').getByLabel('Pagar com').selectOption({ label: 'Itaú' });
      await page
        .getByRole('dialog')
        .getByRole('button', { name: `Pagar R$ ${amount}` })
        .click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await waiting.waitFor({ state: 'detached' });
    }
    if (month.transfer) await transfer(month.transfer);
    await receive('Salário Bia', month.next);
  }
  await close();
});
