// Categories: the monthly budget of each, its expenses, and the months before.
import { effect, untracked, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { get, post, Problem, put, remove } from '../api.js';
import {
  a,
  button,
  classes,
  datalist,
  div,
  fieldset,
  h,
  input,
  legend,
  newId,
  option,
  p,
  small,
  span,
  td,
} from '../dom.js';
import { addMonths, isMonth, monthName, monthOf } from '../dates.js';
import { amount, cents } from '../money.js';
import { inText } from '../parts/amount.js';
import { AmountField, decimalOf } from '../parts/amount_field.js';
import { BudgetBar, categoryColor } from '../parts/budget_bar.js';
import { SYMBOLS } from './categories/category_icon.js';
import { CategoryField } from '../parts/category_select.js';
import { open } from '../parts/dialog.js';
import { check, Form, hinted, invalid, selectField, TextField } from '../parts/field.js';
import { icon } from '../parts/icon.js';
import { MonthList, ofMonth } from '../parts/month_list.js';
import { ProblemNote } from '../parts/problem.js';
import { toast } from '../parts/toast.js';
import { recording } from '../parts/undo.js';
import { withQuery } from '../router.js';
import { canWrite, categories, categoryById, changed, month, today, wrote } from '../session.js';
import { language, words, wordsOf } from '../words.js';
import { figureTable } from '../parts/table.js';

const categoryWords = await wordsOf('categories');

/** @typedef {import('../session.js').Schemas['Category']} Category */

/** The number of months before the selected one. */
const MONTHS_BEFORE = 5;
/** The colours of `config/category_colors.toml`, drawn by `styles/parts.css`. */
const COLORS = [
  'blue',
  'amber',
  'teal',
  'rose',
  'violet',
  'lime',
  'brown',
  'sky',
  'orange',
  'green',
  'magenta',
  'navy',
  'gold',
  'cyan',
  'crimson',
  'lavender',
  'olive',
  'indigo',
  'coral',
  'mint',
  'plum',
  'slate',
  'sand',
  'forest',
];
const TAX_KINDS = /** @type {const} */ (['none', 'health', 'education', 'pension', 'donation']);

const CARRIES = /** @type {const} */ (['none', 'surplus', 'both']);
/** The place of a category that has none of its own. */
const POSITION_LAST = 9999;

/**
 * The colours, each a radio button that has its name.
 * @param {{ value: import('@preact/signals').Signal<string>, none: string }} props
 */
const Colors = ({ value, none }) => {
  const w = categoryWords.value,
    name = useRef('');
  name.current ||= newId();
  const colorName = (/** @type {string} */ color) => (color ? (w.colors[color] ?? color) : none);
  return fieldset(
    { class: 'field' },
    legend(null, w.color),
    div(
      { class: 'swatches' },
      ['', ...COLORS].map(color =>
        input({
          key: color,
          type: 'radio',
          name: name.current,
          value: color,
          class: color && `color-${color}`,
          'aria-label': colorName(color),
          title: colorName(color),
          checked: value.value === color,
          onChange: () => (value.value = color),
        }),
      ),
    ),
    small({ class: 'hint', 'aria-hidden': 'true' }, colorName(value.value)),
  );
};

/** @typedef {{ spent: bigint, budget: bigint | null }} Use */
/** @type {Use} */
const UNUSED = { spent: 0n, budget: null };

/**
 * What was spent in a month, by category, beside its budget with what earlier months have left. `planned` is the sum of
 * the budgets.
 * @param {string} of @param {AbortSignal} signal
 */
const usesIn = async (of, signal) => {
  const { categories: rows, total } = await get('/api/budgets/{month}', { path: { month: of }, signal });
  /** @type {Map<number | null, Use>} */
  const uses = new Map(
    rows.map(({ category_id, spent, available }) => [
      category_id,
      { spent: cents(spent), budget: available === null ? null : cents(available) + cents(spent) },
    ]),
  );
  return { uses, planned: total.budget };
};

const use = ofMonth(async (of, signal) => {
  if (!categories.data.peek()) await categories.load();
  return usesIn(of, signal);
});
/** One request after the other, so that they use one connection. */
const before = ofMonth(async (of, signal) => {
  const found = [];
  for (let back = MONTHS_BEFORE; back > 0; back--) found.push(await usesIn(addMonths(of, -back), signal));
  return found;
});

/** @param {Category} category @returns {Use} */
const useOf = ({ id }) => use.data.value?.rows.uses.get(id) ?? UNUSED;
/** @param {Category} category */
const spent = category => useOf(category).spent;
/** @param {Category} category */
const budgetOf = category => useOf(category).budget ?? 0n;

/** The six months of a category, oldest first; none until they are known. @param {Category} category */
const history = category => {
  const now = use.data.value,
    past = before.data.value;
  if (!now || past?.month !== now.month) return [];
  return [...past.rows, now.rows].map(({ uses }, index) => ({
    month: monthName(language.value, addMonths(now.month, index - MONTHS_BEFORE)),
    ...(uses.get(category.id) ?? UNUSED),
  }));
};

/** @param {bigint} one @param {bigint} other */
const larger = (one, other) => (one > other ? one : other);

/** Small bars. The dialog has their figures. @param {Category} category */
const bars = category => {
  const months = history(category),
    most = months.reduce((most, one) => larger(most, one.spent), larger(budgetOf(category), 1n));
  const text = months.map(one => `${one.month}: ${inText(one.spent)}`).join(', ');
  return div(
    { class: `six ${categoryColor(category.id)}`, ...(text ? { role: 'img', 'aria-label': text, title: text } : {}) },
    months.map(one =>
      span({
        key: one.month,
        class: classes(one.budget !== null && one.spent > one.budget && 'over'),
        style: { height: `${(larger(one.spent, 0n) * 100n) / most}%` },
      }),
    ),
  );
};

// ————— changes

const again = () => {
  void categories.load();
  void use.load();
  void wrote();
};

/**
 * Deletes a category. Its rows move to another one, or it must have none.
 * @param {{ category: Category, close: () => void }} props
 */
const RemovalForm = ({ category, close }) => {
  const w = categoryWords.value,
    own = words.value.transactions,
    to = useSignal(/** @type {number | null} */ (null)),
    isUsed = useSignal(false);
  return h(Form, {
    submit: own.remove,
    cancel: close,
    danger: true,
    work: async () => {
      const name = categoryById.peek().get(to.value ?? 0)?.name;
      const kept = recording();
      isUsed.value = false;
      try {
        await remove('/api/categories/{id}', {
          path: { id: category.id },
          query: { move_to: to.value ?? undefined },
          changed: kept.changed,
        });
      } catch (error) {
        isUsed.value = error instanceof Problem && error.code === 'ErrCategoryInUse';
        if (isUsed.value) return;
        throw error;
      }
      close();
      const after = () => {
        again();
        // Its expenses now belong to the other one.
        changed.value++;
      };
      toast(name ? w.moved(category.name, name) : w.removed(category.name), kept.offer(after));
      after();
    },
    children: error => [
      p({ key: 'text' }, w.remove_text),
      h(CategoryField, {
        key: 'to',
        label: w.move_to,
        name: 'move_to',
        error,
        hint: w.move_hint,
        value: to,
        none: w.move_none,
        only: one => one.id !== category.id,
      }),
      // What prevents the deletion, with links to it.
      isUsed.value &&
        div(
          { key: 'used', class: 'problem', role: 'alert' },
          p(null, w.in_use_text),
          div(
            { class: 'row-actions', onClick: close },
            a({ class: 'button', href: '/recurring' }, words.value.views.recurring),
            a({ class: 'button', href: '/settings?show=rules' }, w.rules),
            a(
              { class: 'button', href: `/transactions?month=all&category_id=${category.id}` },
              words.value.views.transactions,
            ),
          ),
        ),
    ],
  });
};

/** @param {Category} category */
const removeCategory = category =>
  void open({ title: words.value.transactions.remove_title(category.name) }, close =>
    h(RemovalForm, { category, close }),
  );

/** @param {{ category: Category | null, close: () => void }} props */
const CategoryForm = ({ category, close }) => {
  const w = categoryWords.value,
    months = category ? history(category) : [];
  const name = useSignal(category?.name ?? ''),
    budget = useSignal(category?.monthly_budget ? amount(category.monthly_budget) : ''),
    isTax = useSignal(category?.is_tax ?? false),
    taxKind = useSignal(category?.tax_kind ?? 'none'),
    group = useSignal(category?.group ?? ''),
    symbol = useSignal(category?.icon ?? ''),
    color = useSignal(category?.color ?? ''),
    position = useSignal(category && category.position < POSITION_LAST ? String(category.position) : ''),
    isHidden = useSignal(category?.hidden ?? false),
    nets = useSignal(category?.nets_refunds ?? true),
    carry = useSignal(category?.carry ?? 'none'),
    since = useSignal(category?.carry_since ?? monthOf(today.value));
  return [
    h(Form, {
      submit: words.value.app.save,
      cancel: close,
      ...(category && !category.is_standard
        ? {
            remove: () => {
              close();
              removeCategory(category);
            },
          }
        : {}),
      work: async key => {
        const planned = budget.value.trim() ? decimalOf(budget.value) : '',
          wrong = [];
        if (!name.value.trim()) wrong.push('name');
        if (planned === null || planned.startsWith('-')) wrong.push('monthly_budget');
        if (!/^\d{0,4}$/.test(position.value.trim())) wrong.push('position');
        if (carry.value !== 'none' && !isMonth(since.value)) wrong.push('carry_since');
        if (wrong.length > 0) throw invalid(...wrong);
        const body = {
          name: name.value,
          is_tax: isTax.value,
          tax_kind: taxKind.value,
          monthly_budget: planned || null,
          group: group.value.trim() || null,
          icon: symbol.value || null,
          // A new category gets a free one.
          ...(category || color.value ? { color: color.value || null } : {}),
          position: Number(position.value.trim() || POSITION_LAST),
          hidden: isHidden.value,
          nets_refunds: nets.value,
          carry: carry.value,
          carry_since: carry.value === 'none' ? null : since.value,
        };
        const { changed, offer } = recording();
        const saved = category
          ? await put('/api/categories/{id}', { path: { id: category.id }, body, changed })
          : await post('/api/categories', { body, key, changed });
        close();
        toast(category ? w.saved(saved.name) : words.value.form.category_created(saved.name), offer(again));
        again();
      },
      children: error => [
        h(TextField, {
          label: words.value.account_form.name,
          name: 'name',
          value: name,
          error,
          hint: category?.is_standard ? w.standard : undefined,
          maxLength: 100,
          autoFocus: true,
        }),
        h(AmountField, {
          value: budget,
          name: 'monthly_budget',
          label: words.value.budget_form.budget,
          error,
          hint: w.budget_hint,
        }),
        hinted('tax-note', w.is_tax_hint, w.is_tax, isTax.value, is => (isTax.value = is)),
        selectField({
          label: w.tax_kind,
          name: 'tax_kind',
          error,
          hint: w.tax_kind_hint,
          value: taxKind.value,
          options: TAX_KINDS.map(kind => [kind, w.tax_kinds[kind]]),
          choose: kind => (taxKind.value = kind),
        }),
        selectField({
          label: w.carry,
          name: 'carry',
          error,
          hint: w.carry_hint,
          value: carry.value,
          options: CARRIES.map(one => [one, w.carries[one]]),
          choose: one => (carry.value = one),
        }),
        carry.value !== 'none' &&
          h(TextField, {
            label: w.carry_since,
            name: 'carry_since',
            value: since,
            error,
            type: 'month',
            placeholder: '2026-01',
          }),
        selectField({
          label: w.nets,
          name: 'nets_refunds',
          error,
          value: nets.value,
          options: [
            [true, w.nets_refunds],
            [false, w.nets_income],
          ],
          choose: one => (nets.value = one),
        }),
        h(TextField, { label: w.group, name: 'group', value: group, error, maxLength: 40, list: 'groups' }),
        datalist(
          { id: 'groups' },
          [...new Set((categories.data.value ?? []).flatMap(one => one.group ?? []))]
            .sort()
            .map(one => option({ key: one, value: one })),
        ),
        h(TextField, {
          label: w.position,
          name: 'position',
          value: position,
          error,
          inputMode: 'numeric',
          maxLength: 4,
          hint: w.position_hint,
        }),
        h(Colors, { value: color, none: category ? w.no_color : w.free_color }),
        selectField({
          label: w.icon,
          name: 'icon',
          error,
          value: symbol.value,
          options: [
            ['', w.no_icon],
            ...Object.entries(SYMBOLS).map(
              ([name, drawn]) => /** @type {[string, string]} */ ([name, `${drawn} ${w.icons[name] ?? name}`]),
            ),
          ],
          choose: one => (symbol.value = one),
        }),
        check(w.hidden, isHidden.value, is => (isHidden.value = is)),
      ],
    }),
    months.length > 0 &&
      figureTable(
        w.six,
        [words.value.dashboard.month, words.value.dashboard.expenses],
        months.map(one => [one.month, one.month, [one.spent]]),
        [],
        { key: 'months' },
      ),
  ];
};

/** @param {Category | null} category */
const edit = category =>
  void open({ title: categoryWords.value[category ? 'edit' : 'add'] }, close =>
    h(/** @type {any} */ (CategoryForm), { category, close }),
  );

// ————— the page

/** What was spent of the sum of the month's budgets. @param {{ planned: Category[], budget: string }} props */
const Summary = ({ planned, budget }) => {
  const w = categoryWords.value,
    over = planned.filter(one => spent(one) > budgetOf(one)).length;
  const used = planned.reduce((sum, one) => sum + spent(one), 0n);
  return div(
    { class: 'summary-line' },
    p(
      { role: 'status' },
      span({ key: 'used' }, w.used(inText(used), inText(budget))),
      over > 0 && span({ key: 'over', class: 'late' }, w.over(over)),
    ),
  );
};

export default () => {
  const w = categoryWords.value,
    known = use.data.value,
    of = known?.month;
  useEffect(() => {
    const stops = [
      effect(() => {
        void month.value;
        untracked(before.clear);
      }),
      // The months before are read after this one is painted.
      effect(() => {
        if (use.data.value)
          requestAnimationFrame(() => setTimeout(() => use.data.peek()?.month === month.peek() && void before.load()));
      }),
    ];
    return () => stops.forEach(stop => stop());
  }, []);
  const all = [...(categories.data.value ?? [])].sort((one, other) => one.name.localeCompare(other.name, 'pt-BR'));
  const planned = all.filter(one => useOf(one).budget !== null),
    others = all.filter(one => !planned.includes(one));
  const groups = {
    [w.planned]: planned,
    [w.unplanned]: others.filter(one => spent(one) !== 0n),
    [w.unused]: others.filter(one => spent(one) === 0n),
  };
  const scale = all.reduce((most, one) => larger(most, larger(spent(one), budgetOf(one))), 1n);
  /** @param {Category} category */
  const cells = category => {
    const text = words.value.transactions.edit_row(category.name);
    return [
      td(
        { key: 'use', role: 'cell' },
        h(BudgetBar, {
          id: category.id,
          name: category.name,
          ...(category.is_tax ? { tag: w.tax } : {}),
          total: spent(category),
          budget: useOf(category).budget,
          scale,
          href: withQuery({ month: of, category_id: category.id, kind: 'expense' }, '/transactions'),
        }),
      ),
      td({ key: 'six', role: 'cell' }, bars(category)),
      td(
        { key: 'edit', role: 'cell' },
        canWrite.value &&
          button(
            { class: 'icon-button', type: 'button', 'aria-label': text, title: text, onClick: () => edit(category) },
            icon('edit'),
          ),
      ),
    ];
  };
  const table = () => [
    [words.value.form.category, w.budget, ...(all[0] ? history(all[0]) : []).map(one => one.month)],
    ...all.map(one => [one.name, useOf(one).budget ?? '', ...history(one).map(one => one.spent)]),
  ];
  return MonthList({
    of: use,
    title: w.title(monthName(language.value, month.value)),
    addText: w.add,
    edit,
    class: 'uses',
    columns: [words.value.form.category, w.six, words.value.transactions.actions],
    cells,
    table,
    rows: Object.entries(groups).flatMap(([text, group]) => (group.length === 0 ? [] : [text, ...group])),
    summary: [
      known && planned.length > 0 && h(Summary, { key: 'sum', planned, budget: known.rows.planned }),
      h(ProblemNote, { key: 'wrong', error: before.error.value, retry: before.load, compact: true }),
    ],
    empty: h(ProblemNote, { error: categories.error.value, retry: categories.load }),
  });
};
