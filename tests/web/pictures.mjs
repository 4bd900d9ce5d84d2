// Takes the pictures of docs/web.md and the README: `just web --pictures`.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { household } from './household.mjs';
import { sheet } from './sheet.mjs';
import { cardCsv, file, ofx } from './statements.mjs';
import { client, createUser, launch, pictures, serve, settled, SIZES, visit } from './support.mjs';

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));

const account = ofx([
  ['2026-03-05', '6500.00', 'Salário'],
  ['2026-03-06', '-32.70', 'UBER TRIP HELP.UBER.COM'],
  ['2026-03-07', '-218.40', 'Supermercado Bom Preço'],
  ['2026-03-07', '-96.00', 'Pizzaria Napoli'],
  ['2026-03-08', '-780.10', 'PAGAMENTO FATURA CARTAO'],
  ['2026-03-08', '-27.90', 'UBER TRIP HELP.UBER.COM'],
  ['2026-03-09', '-64.90', 'Farmácia'],
  ['2026-03-09', '-41.50', 'Padaria Santa Efigênia'],
]);
const card = cardCsv([
  ['2026-03-04', 'Livraria Cultura', '89.90'],
  ['2026-03-05', 'Posto Shell', '180.00'],
  ['2026-03-07', 'Cinema', '56.00'],
  ['2026-03-08', 'Estorno Posto Shell', '-30.00'],
]);
/**
 * Chooses a file, and goes on until its rows are to be checked.
 * @param {import('playwright-core').Page} page
 * @param {string} name
 * @param {string} content
 * @param {string} account
 */
const bring = async (page, name, content, account) => {
  await page.locator('.drop input[type=file]').setInputFiles(file(name, content));
  await page.getByLabel('Conta', { exact: true }).selectOption({ label: account });
  await page.getByRole('button', { name: 'Ler arquivo' }).click();
  await page
    .locator('.import-steps [aria-current]')
    .filter({ hasText: /Leitura|Conferência/ })
    // A phone shows no steps.
    .waitFor({ state: 'attached' });
};
const check = async page => {
  await bring(page, 'extrato-2026-03.ofx', account, 'Itaú · Conta corrente');
  const select = page.getByLabel('Categoria de UBER TRIP HELP.UBER.COM').first();
  await select.focus();
  await select.selectOption({ label: 'Transporte' });
  await select.blur();
};

/** Enters both sides of a payment by hand. */
const unlinked = async api => {
  const accounts = Object.fromEntries((await api.get('/api/accounts')).map(({ name, id }) => [name, id]));
  const add = (account, type, date, amount, description) =>
    api.post('/api/transactions', { account_id: accounts[account], type, date, amount, description });
  await add('Nubank', 'income', '2026-02-13', '512.30', 'Pagamento recebido');
  await add('Itaú', 'expense', '2026-02-14', '512.30', 'PAGTO FATURA NUBANK');
};
/** Closes all messages. */
const quiet = async page => {
  for (const close of await page.locator('#toasts').getByRole('button', { name: 'Fechar' }).all()) await close.click();
};

/**
 * Name, address, size, colours, and the actions before the picture.
 * @type {[string, string, keyof typeof SIZES, 'light' | 'dark', ((page: import('playwright-core').Page) => Promise<unknown>)?][]}
 */
const PICTURES = [
  ['dashboard', '/', 'desktop', 'light'],
  ['dashboard-dark', '/', 'desktop', 'dark'],
  ['dashboard-phone', '/', 'phone', 'light'],
  [
    'dashboard-phone-chart',
    '/',
    'phone',
    'dark',
    page => page.getByRole('heading', { name: 'Para onde foi' }).evaluate(heading => heading.scrollIntoView()),
  ],
  ['pay', '/', 'phone', 'light', page => page.getByRole('button', { name: 'Pagar Nubank' }).first().click()],
  ['settings', '/settings', 'phone', 'light'],
  ['imports', '/imports', 'phone', 'light'],
  [
    'imports-columns',
    '/imports',
    'phone',
    'light',
    page => bring(page, 'fatura-2026-03.csv', card, 'Nubank · Cartão de crédito'),
  ],
  ['imports-check', '/imports', 'desktop', 'light', check],
  ['imports-check-phone', '/imports', 'phone', 'dark', check],
  ['transactions', '/transactions', 'desktop', 'light'],
  ['transactions-phone', '/transactions', 'phone', 'dark'],
  [
    'transactions-marked',
    '/transactions',
    'phone',
    'light',
    async page => {
      await page.getByRole('button', { name: 'Mais sobre a lista' }).click();
      await page.getByRole('button', { name: 'Selecionar' }).click();
      for (const name of ['Farmácia', 'Venda da bicicleta']) await page.getByLabel(`Marcar ${name}`).check();
    },
  ],
  ['accounts', '/accounts', 'desktop', 'light'],
  [
    'account',
    '/accounts',
    'phone',
    'dark',
    async page => {
      await page.getByRole('link', { name: 'Itaú', exact: true }).click();
      await page.mouse.move(0, 0);
      await page.getByText('março de 2026 R$').waitFor();
    },
  ],
  [
    'account-form',
    '/accounts',
    'phone',
    'light',
    async page => {
      await page.getByRole('button', { name: 'Nova conta' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Nome').fill('Caixinha');
      await dialog.getByLabel('Tipo').selectOption('investment');
      await dialog.getByRole('radio', { name: /Um percentual do CDI/ }).check();
    },
  ],
  ['cards', '/cards', 'phone', 'light'],
  [
    'card-bill',
    '/cards',
    'desktop',
    'light',
    async page => {
      await page.getByRole('link', { name: 'Fatura de março de 2026' }).click();
      await page.getByRole('cell', { name: /Livraria Cultura/ }).waitFor();
    },
  ],
  ['recurring', '/recurring', 'desktop', 'light'],
  ['recurring-phone', '/recurring', 'phone', 'dark'],
  ['categories', '/categories', 'desktop', 'light'],
  ['categories-phone', '/categories', 'phone', 'dark'],
  ['forecast', '/forecast', 'desktop', 'light'],
  ['forecast-phone', '/forecast', 'phone', 'dark'],
  [
    'search',
    '/settings',
    'desktop',
    'light',
    async page => {
      await page.keyboard.press('/');
      await page.getByRole('dialog', { name: 'Procurar' }).getByRole('combobox').fill('merc');
      await page.getByRole('option', { name: /^Todos os lançamentos/ }).waitFor();
    },
  ],
  [
    'search-phone',
    '/',
    'phone',
    'light',
    async page => {
      await page.keyboard.press('/');
      await page.getByRole('dialog', { name: 'Procurar' }).getByRole('combobox').fill('sa');
      await page.getByRole('option', { name: /^Todos os lançamentos/ }).waitFor();
    },
  ],
  ['budgets', '/budgets', 'desktop', 'light', page => page.getByRole('textbox', { name: 'Orçado, Mercado' }).waitFor()],
  ['reports-where', '/reports', 'desktop', 'light', page => page.getByRole('rowheader', { name: 'Moradia' }).waitFor()],
  [
    'reports-flow',
    '/reports?show=flow&from=2025-10-01&to=2026-03-31',
    'phone',
    'light',
    page => page.getByRole('img', { name: 'Entradas e saídas' }).waitFor(),
  ],
  ['reports-year', '/reports?show=year', 'phone', 'dark', page => page.getByText('sem gastar').waitFor()],
  [
    'changes',
    '/changes',
    'phone',
    'light',
    page => page.getByRole('heading', { level: 1, name: 'O que mudou' }).waitFor(),
  ],
  [
    'notices',
    '/',
    'phone',
    'dark',
    async page => {
      await page.getByRole('button', { name: /^Avisos/ }).click();
      await page.getByRole('dialog', { name: 'Avisos' }).getByRole('listitem').first().waitFor();
    },
  ],
  [
    'entry-line',
    '/transactions',
    'phone',
    'light',
    async page => {
      await page.keyboard.press('n');
      const dialog = page.getByRole('dialog', { name: 'Novo lançamento' });
      await dialog.getByLabel('Escreva numa linha só').fill('mercado 54,90 ontem no nubank #casa');
      await dialog.getByRole('button', { name: 'Conta: Nubank' }).waitFor();
    },
  ],
  ['character', '/character', 'desktop', 'light'],
  [
    'character-phone',
    '/character',
    'phone',
    'dark',
    async page => {
      const wardrobe = page.getByRole('region', { name: 'Guarda-roupa' });
      await wardrobe.getByRole('radio', { name: 'Parte de cima' }).check();
      await wardrobe.getByRole('radio', { name: 'Casaco de lã' }).check();
      await wardrobe.getByRole('heading').evaluate(heading => heading.scrollIntoView());
    },
  ],
  [
    'quick-add',
    '/transactions',
    'phone',
    'light',
    async page => {
      await page.keyboard.press('n');
      await page.getByRole('dialog').getByLabel('Descrição').pressSequentially('super');
      await page.getByRole('listbox', { name: 'Usadas antes' }).waitFor();
    },
  ],
  [
    'transactions-edit',
    '/transactions',
    'phone',
    'light',
    async page => {
      await page.getByRole('button', { name: /^Farmácia/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  ],
  [
    'month-deletion',
    '/transactions',
    'phone',
    'dark',
    async page => {
      await page.getByRole('button', { name: 'Mais sobre a lista' }).click();
      await page.getByRole('button', { name: 'Apagar o mês…' }).click();
      await page.getByRole('dialog', { name: /^Apagar/ }).waitFor();
    },
  ],
  // The last pictures change the stored data.
  [
    'imports-result',
    '/imports',
    'phone',
    'light',
    async page => {
      await check(page);
      await page.getByRole('button', { name: /^Importar \d/ }).click();
      await page.getByText('Saldo de Itaú agora').waitFor();
      await quiet(page);
    },
  ],
  [
    'imports-links',
    '/imports',
    'desktop',
    'light',
    page => page.getByRole('heading', { name: /reconhecidas?$/ }).waitFor(),
  ],
];
/** Only pictures whose name begins with this text are taken. */
const only = process.argv[2] ?? '';
/** The files of the pictures that were taken. @type {string[]} */
const taken = [];

const service = await serve();
const browser = await launch();
try {
  mkdirSync(folder, { recursive: true });
  const take = async (page, name) => {
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: `${folder}${name}.png`, animations: 'disabled' });
    taken.push(`${folder}${name}.png`);
  };
  const api = await client(service.url);
  const filled = await household(api),
    { id, name, kind, closing_day, due_day } = filled.card;
  await api.put(`/api/accounts/${id}`, { name, kind, closing_day, due_day, credit_limit: '6000.00' });
  await api.post('/api/installments', {
    account_id: id,
    description: 'Geladeira',
    date: '2026-03-06',
    count: 10,
    total_amount: '2399.00',
    category_id: filled.categories.Moradia,
  });
  await api.put('/api/gamification/appearance', { skin: 'brown', hair_style: 'curly', body: 'curvy' });
  for (const [name, address, size, scheme, before] of PICTURES.filter(([known]) => known.startsWith(only))) {
    const { page, go, close } = await visit(browser, service.url, { api, size, scheme });
    if (name === 'imports-links') await unlinked(api);
    await go(address);
    if (before) await before(page);
    await settled(page);
    await take(page, name);
    await close();
  }
  if ('levels'.startsWith(only)) {
    const levels = await browser.newPage({ viewport: { width: 1048, height: 800 } });
    await levels.setContent(await sheet(service.url, api));
    await levels.waitForFunction(() => [...document.images].every(image => image.complete));
    await levels.locator('#levels').screenshot({ path: `${folder}levels.png` });
    // A picture of all drawings, to look at.
    await levels.screenshot({ path: `${pictures}/sheet.png`, fullPage: true });
    await levels.close();
  }
  if ('first-steps'.startsWith(only)) {
    createUser(service, 'bia');
    const fresh = await visit(browser, service.url, { api: await client(service.url, 'bia'), size: 'phone' });
    await fresh.go('/');
    await take(fresh.page, 'first-steps');
    await fresh.close();
  }
  if ('login'.startsWith(only)) {
    const outside = await visit(browser, service.url, { size: 'phone' });
    await outside.go('/login');
    await take(outside.page, 'login');
    await outside.close();
  }
} finally {
  await browser.close();
  await service.stop();
}
// This reduces the files to a quarter of their bytes, without a visible difference.
const smaller = spawnSync('sh', [
  '-c',
  `command -v pngquant > /dev/null && pngquant --force --ext .png --strip --quality 80-98 "$@"`,
  'sh',
  ...taken,
]);
if (smaller.status !== 0) console.error('pngquant is not here; the pictures are larger than they need be');
process.exit(0);
