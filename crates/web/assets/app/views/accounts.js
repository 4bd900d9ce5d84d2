// Accounts by kind with their total, one account by month, and transfers between accounts.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, post, Problem, remove, resource } from '../api.js';
import { a, button, div, h, h2, li, p, section, small, span, ul } from '../dom.js';
import { dayAndMonth, monthName } from '../dates.js';
import { cents, percentage, worth } from '../money.js';
import { Amount, balance, inText, signedSum } from '../parts/amount.js';
import { AmountField, decimalOf } from '../parts/amount_field.js';
import { AccountField } from '../parts/category_select.js';
import { ask, open } from '../parts/dialog.js';
import { Form, invalid, TextField } from '../parts/field.js';
import { icon } from '../parts/icon.js';
import { inPlace } from '../parts/in_place.js';
import { LimitMeter, limitNote, partsBar } from './cards/limit_meter.js';
import { fromFirst, LineChart } from '../parts/line_chart.js';
import { action, Empty, Head, Hero, named, removal, useRows } from '../parts/overview.js';
import { ghost, Loaded } from '../parts/problem.js';
import { toast } from '../parts/toast.js';
import { recording } from '../parts/undo.js';
import { go } from '../router.js';
import { accountById, accounts, canWrite, today, useReading, wrote } from '../session.js';
import { language, words } from '../words.js';
import { accountWords } from '../words/accounts.js';
import { Anchors } from './accounts/anchors.js';
import { Earned } from './accounts/earned.js';

/** @typedef {import('../session.js').Schemas['Account']} Account */
/** @typedef {import('../session.js').Schemas['Transfer']} Transfer */

const KINDS = /** @type {const} */ (['current', 'savings', 'investment', 'credit']);
/** The number of transactions that are searched for transfers. */
const LEGS_READ = 16;
/** The number of months in the chart. */
const MONTHS_SHOWN = 12;

/** The selected account; 0 for all. */
const chosen = named('/accounts', 'id');

/** The balance of the account at each month's end, oldest first. For this month, today's. */
const trend = resource(async signal => {
  const id = chosen.peek();
  return {
    id,
    ...(await get('/api/accounts/{id}/balances', { path: { id }, query: { months: MONTHS_SHOWN }, signal })),
  };
});

/** The latest transfers that were entered here. @type {import('../../../types/client').Resource<Transfer[]>} */
const transfers = resource(async signal => {
  const rows = await get('/api/transactions', { query: { source: 'transfer', limit: LEGS_READ }, signal });
  return rows.flatMap(from => {
    const to = rows.find(row => row.transfer_id === from.transfer_id && row.type === 'income');
    return from.type === 'expense' && to ? [{ id: from.transfer_id ?? 0, from, to }] : [];
  });
});

/** Reads the data for the address. */
const read = () => void (chosen.peek() ? trend : transfers).load();

const again = () => {
  read();
  void accounts.load();
  void wrote();
};

/** @param {Account} [account] */
const edit = account =>
  void import('./accounts/account_form.js').then(({ openAccount }) => openAccount(again, { account }));

/** Opens the form that corrects the balance if the bank shows another one. @param {Account} account */
const correct = account =>
  void import('./accounts/balance_form.js').then(({ openBalance }) => openBalance(account, again));

/** @param {Account} account */
const rowsOf = account => `/transactions?month=all&account_id=${account.id}`;
/** @param {Account} account */
const billsOf = account => `/cards?id=${account.id}`;

/** @param {{ account: Account, close: () => void }} props */
const RemovalForm = ({ account, close }) => {
  const w = accountWords.value,
    isUsed = useSignal(false);
  return h(Form, {
    submit: words.value.transactions.remove,
    cancel: close,
    danger: true,
    work: async () => {
      const { changed, offer } = recording();
      try {
        await remove('/api/accounts/{id}', { path: { id: account.id }, changed });
      } catch (error) {
        isUsed.value = error instanceof Problem && error.code === 'ErrAccountInUse';
        if (isUsed.value) return;
        throw error;
      }
      close();
      go('/accounts', { replace: true });
      toast(w.removed(account.name), offer(again));
      again();
    },
    // What prevents the deletion, with links to it.
    children: () =>
      !isUsed.value
        ? p(null, w.remove_text)
        : div(
            { class: 'problem', role: 'alert' },
            p(null, w.in_use),
            a({ class: 'button', href: rowsOf(account), onClick: close }, w.rows),
            account.kind === 'credit' && a({ class: 'button', href: billsOf(account), onClick: close }, w.cards.bills),
          ),
  });
};

/** @param {Account} account */
const removeAccount = account =>
  void open({ title: words.value.transactions.remove_title(account.name) }, close =>
    h(RemovalForm, { account, close }),
  );

// ————— transfers

/**
 * The description of a transfer: its amount and its accounts.
 * @param {Transfer} transfer
 * @returns {[string, string, string]}
 */
const namesOf = ({ from, to }) => {
  const [left, reached] = [from, to].map(({ account_id }) => accountById.value.get(account_id ?? 0)?.name ?? '');
  return [inText(from.amount), left ?? '', reached ?? ''];
};

/** @param {{ first: Account | undefined, close: () => void }} props */
const TransferForm = ({ first, close }) => {
  const w = words.value.entry,
    own = accountWords.value,
    known = groups().flatMap(({ rows }) => rows),
    isCard = first?.kind === 'credit';
  // Money moves to a card, not from one.
  const source = (!isCard && first) || known[0],
    target = isCard ? first : known.find(account => account !== source);
  const from = useSignal(source?.id ?? null),
    to = useSignal(target?.id ?? null),
    amount = useSignal(''),
    date = useSignal(today.value),
    about = useSignal('');
  return h(Form, {
    submit: own.transfer,
    cancel: close,
    work: async key => {
      const value = decimalOf(amount.value);
      if (value === null) throw invalid('amount');
      const { changed, offer } = recording();
      const made = await post('/api/transfers', {
        body: {
          from_account_id: from.value ?? 0,
          to_account_id: to.value ?? 0,
          amount: value,
          date: date.value,
          description: about.value || null,
        },
        key,
        changed,
      });
      close();
      again();
      toast(own.transferred(...namesOf(made)), offer(again));
    },
    children: error => [
      div(
        { class: 'pair' },
        h(AmountField, { value: amount, label: w.amount, error }),
        h(TextField, { label: w.date, name: 'date', error, value: date, type: 'date' }),
      ),
      div(
        { class: 'pair' },
        h(AccountField, { label: w.left_account, name: 'from_account_id', error, value: from, none: null }),
        h(AccountField, { label: w.reached_account, name: 'to_account_id', error, value: to, none: null }),
      ),
      h(TextField, {
        label: w.description,
        name: 'description',
        error,
        value: about,
        maxLength: 255,
        placeholder: words.value.money.transfer,
      }),
    ],
  });
};

/** @param {Account} [first] */
const transfer = first => void open({ title: words.value.money.transfer }, close => h(TransferForm, { first, close }));

const { act } = inPlace(transfers, again);

/** @param {Transfer} gone */
const removeTransfer = ({ id }) => {
  const work = async () => {
    const { changed, offer } = recording();
    await remove('/api/transfers/{id}', { path: { id }, changed });
    toast(accountWords.value.transfer_removed, offer(again));
  };
  act(`transfer ${id}`, work, rows => rows.filter(known => known.id !== id));
  document.getElementById('transfers')?.focus();
};

const Transfers = () => {
  const w = accountWords.value,
    own = words.value.transactions;
  /** @param {Transfer} row */
  const askAbout = async row =>
    (await ask({ title: own.remove_transfer_title, text: own.remove_transfer_text, yes: own.remove })) &&
    removeTransfer(row);
  return section(
    { class: 'card', 'aria-labelledby': 'transfers' },
    div(
      { class: 'card-head' },
      h2({ id: 'transfers', tabIndex: -1 }, w.transfers),
      action(w.transfer, () => transfer()),
    ),
    Loaded({
      of: transfers,
      skeleton: ghost(4),
      children: rows => [
        p({ class: 'quiet' }, rows.length === 0 ? w.no_transfers : w.transfers_text, ' ', w.transfers_found),
        ul(
          { class: 'rows' },
          rows.map(row => {
            const names = namesOf(row),
              [, from, to] = names;
            return li(
              { key: row.id, class: 'account-row' },
              div(
                { class: 'entry-text' },
                `${from} → ${to}`,
                span(
                  { class: 'quiet' },
                  `${dayAndMonth(language.value, row.from.date, today.value)} · ${row.from.description}`,
                ),
              ),
              h(Amount, { value: row.from.amount, class: 'moved' }),
              removal(w.remove_transfer(...names), () => void askAbout(row)),
            );
          }),
        ),
        rows.length * 2 >= LEGS_READ &&
          div(
            { class: 'list-end' },
            a({ class: 'button', href: '/transactions?month=all&source=transfer' }, w.all_transfers),
          ),
      ],
    }),
  );
};

// ————— accounts

/** The details of an account beside its kind. @param {Account} account */
const facts = ({ kind, closing_day, due_day, yield_type, cdi_percentage, yield_rate }) => {
  const w = accountWords.value,
    rate = percentage(yield_rate ?? 0);
  if (kind === 'credit') return w.days(closing_day ?? 0, due_day ?? 0);
  return {
    none: '',
    poupanca: w.poupanca,
    cdi: w.cdi(percentage(cdi_percentage)),
    fixed: w.fixed_rate(rate),
    ipca: w.ipca(rate),
    selic: w.selic(yield_rate ? rate : null),
    variable: w.variable,
  }[yield_type];
};

/** The amount after taxes, in words. @param {Account} account */
const afterTax = ({ balance, net_balance }) =>
  net_balance !== null && net_balance !== balance && accountWords.value.after_tax(inText(net_balance));

/** What waits for its day, in words. @param {Account} account */
const toCome = ({ held, ahead }) => [
  cents(held) !== 0n && accountWords.value.of_held(inText(-cents(held))),
  cents(ahead) !== 0n && accountWords.value.ahead(signedSum(cents(ahead))),
];

/** @param {Account[]} rows */
const sum = rows => rows.reduce((total, account) => total + worth(account), 0n);

/** The accounts of each kind. */
const groups = () =>
  KINDS.map(kind => ({ kind, rows: (accounts.data.value ?? []).filter(account => account.kind === kind) }));

/** The used part of a card's limit. @param {{ account: Account }} props */
const Limit = ({ account }) =>
  account.credit_limit !== null &&
  account.available_limit !== null && [
    small({ key: 'said', class: 'quiet' }, limitNote(account)),
    div(
      { key: 'bar' },
      partsBar([cents(account.credit_limit) - cents(account.available_limit)], cents(account.credit_limit)),
    ),
  ];

const All = () => {
  const w = accountWords.value,
    of = groups(),
    all = accounts.data.value ?? [],
    total = sum(all),
    owed = sum(all.filter(account => account.kind === 'credit'));
  return [
    h(
      Hero,
      {
        title: words.value.dashboard.net_worth,
        value: total,
        tiles: of.map(({ kind, rows }) => [w.kinds[kind], balance(sum(rows))]),
      },
      owed < 0n && p({ class: 'quiet' }, w.worth(inText(total - owed), inText(-owed))),
    ),
    div(
      { class: 'columns' },
      section(
        { class: 'card dashboard', 'aria-label': words.value.views.accounts },
        of.map(
          ({ kind, rows }) =>
            rows.length > 0 &&
            div(
              { key: kind },
              h2({ class: 'quiet' }, w.kinds[kind]),
              ul(
                { class: 'rows' },
                rows.map(account =>
                  li(
                    { key: account.id, class: 'account-row', 'data-row': account.id },
                    div(
                      { class: 'entry-text' },
                      span({ class: 'waiting-title' }, a({ href: `/accounts?id=${account.id}` }, account.name)),
                      small(
                        { class: 'quiet' },
                        [facts(account), afterTax(account), ...toCome(account)].filter(Boolean).join(' · '),
                      ),
                      h(Limit, { account }),
                    ),
                    balance(worth(account)),
                    a(
                      { class: 'icon-button', href: rowsOf(account), 'aria-label': `${w.rows}: ${account.name}` },
                      icon('transactions'),
                    ),
                  ),
                ),
              ),
            ),
        ),
      ),
      all.length > 1 && h(Transfers, null),
    ),
  ];
};

/**
 * The balance, its taxes, and the amount after them.
 * @param {Account} account
 * @returns {import('preact').ComponentChildren[][]}
 */
const taxTiles = ({ balance: gross, iof, income_tax, net_balance }) => {
  const w = accountWords.value;
  return Object.entries({ [w.gross]: gross, [w.iof]: iof, [w.income_tax]: income_tax, [w.net]: net_balance }).map(
    ([name, value]) => [name, h(Amount, { value: value ?? '0' })],
  );
};

/** @param {{ account: Account }} props */
const One = ({ account }) => {
  const w = accountWords.value,
    paid = account.last_yield_date;
  return [
    h(
      Hero,
      {
        title: words.value.account_form.balance,
        value: worth(account),
        ...(account.net_balance !== null && { tiles: taxTiles(account) }),
      },
      p(
        { class: 'quiet' },
        [
          words.value.kinds[account.kind],
          facts(account),
          !['none', 'variable'].includes(account.yield_type) &&
            paid &&
            w.paid_until(dayAndMonth(language.value, paid, today.value)),
          ...toCome(account),
        ]
          .filter(Boolean)
          .join(' · '),
      ),
      h(LimitMeter, { account }),
      div(
        { class: 'chips' },
        a({ href: rowsOf(account) }, w.rows),
        account.kind === 'credit'
          ? a({ href: billsOf(account) }, w.cards.bills)
          : canWrite.value &&
              button({ class: 'link-button', type: 'button', onClick: () => correct(account) }, w.differs),
      ),
    ),
    h(Anchors, { account, done: again }),
    section(
      { class: 'card', 'aria-labelledby': 'trend' },
      h2({ id: 'trend' }, w.trend),
      Loaded({
        of: trend,
        skeleton: ghost(6),
        children: ({ id, balances }) => {
          const points = fromFirst(balances, point => point.balance);
          return id === account.id && points[0]
            ? [
                p(
                  { class: 'finding' },
                  w.trend_title(
                    monthName(language.value, points[0].month),
                    inText(points[0].balance),
                    inText(account.balance),
                  ),
                ),
                h(LineChart, {
                  points,
                  title: w.trend,
                  label: w.balance,
                  href: month => `/transactions?month=${month}&account_id=${account.id}`,
                }),
              ]
            : ghost(6);
        },
      }),
    ),
    !['none', 'variable'].includes(account.yield_type) && h(Earned, { account }),
  ];
};

export default () => {
  const w = accountWords.value,
    id = chosen.value,
    all = accounts.data.value ?? [],
    account = all.find(known => known.id === id),
    title = words.value.views.accounts;
  // Data that another view has read is shown meanwhile.
  useEffect(() => void accounts.load(), []);
  useReading(read, () => chosen.value);
  useRows(id, focused => {
    const one = accountById.peek().get(chosen.peek() || focused);
    if (one) edit(one);
  });
  return div(
    { class: 'page' },
    h(
      Head,
      { title: account?.name ?? title, back: id !== 0 && ['/accounts', title] },
      account
        ? [
            all.length > 1 && action(w.transfer, () => transfer(account)),
            action(w.edit, () => edit(account)),
            action(words.value.transactions.remove, () => removeAccount(account), 'quiet-button destructive'),
          ]
        : id === 0 && all.length > 0 && action(words.value.account_form.title, () => edit()),
    ),
    Loaded({
      of: accounts,
      skeleton: div({ class: 'dashboard' }, ghost(3), ghost(6)),
      children: rows =>
        div(
          { class: 'dashboard' },
          account
            ? h(One, { account })
            : id !== 0
              ? p({ class: 'problem' }, w.gone)
              : rows.length > 0
                ? h(All, null)
                : h(
                    Empty,
                    { title: w.empty, text: w.empty_text },
                    action(words.value.dashboard.step_account_do, () => edit(), 'primary'),
                  ),
        ),
    }),
  );
};
