// The form of an item that is due in a rhythm. A new one may be filled in from a transaction, a draft, a code or a
// template.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, isAborted, post, put } from '../../api.js';
import { dayAndMonth, shortDate, weekday } from '../../dates.js';
import { button, details, div, h, input, summary } from '../../dom.js';
import { amount } from '../../money.js';
import { accountById, accounts, categories, today, wrote } from '../../session.js';
import { language, words, wordsOf } from '../../words.js';
import { AmountField, decimalOf } from '../../parts/amount_field.js';
import { open } from '../../parts/dialog.js';
import { emptyEntry, entryOf, EntryFields, typedOf, useDraft } from '../../parts/entry_fields.js';
import { check, Field, Form, optionsOf, selectField, TextField } from '../../parts/field.js';
import { toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';

export const recurringWords = await wordsOf('recurring');

/** @typedef {import('../../session.js').Schemas['Recurring']} Recurring */
/** @typedef {import('../../session.js').Schemas['RecurringDraft']} RecurringDraft */
/** @typedef {'once' | 'weekly' | 'monthly' | 'yearly' | 'other'} Rhythm */
/**
 * `item` is edited; `row` and `draft` fill in a new one. `save` stores it in place of a new item.
 * @typedef {{ item?: Recurring, row?: import('../../session.js').Schemas['Transaction'], draft?: RecurringDraft, save?: (body: any, key: string) => Promise<Recurring>, done?: () => void, remove?: (item: Recurring) => void }} Options
 */

const CODE_CHARACTERS_MAX = 1000;

/** @param {Recurring | RecurringDraft} of @returns {Rhythm} */
const rhythmOf = ({ count, every: { n, unit } }) =>
  count === 1
    ? 'once'
    : n !== 1 || unit === 'day'
      ? 'other'
      : unit === 'week'
        ? 'weekly'
        : unit === 'month'
          ? 'monthly'
          : 'yearly';

/** When an item is due, in words. @param {Recurring | RecurringDraft} of */
export const rhythmInWords = of => {
  const w = recurringWords.value,
    { every, start_on: start, day } = of;
  switch (rhythmOf(of)) {
    case 'once':
      return w.once_on(shortDate(language.value, start ?? today.value));
    case 'weekly':
      return w.weekly_on(weekday(language.value, start ?? today.value));
    case 'monthly':
      return of.day_count === 'calendar' ? w.monthly_on(day ?? 1) : w.monthly_nth(day ?? 1);
    case 'yearly':
      return w.yearly_on(dayAndMonth(language.value, start ?? today.value, start ?? today.value).replace(/\.$/, ''));
    default:
      return w.every_n(every.n, w.units[every.unit]);
  }
};

/** @param {Options} options @returns {import('../../parts/entry_fields.js').Typed} The date holds the day of the month. */
const begun = ({ item, row, draft }) => {
  const known = item ?? draft;
  return known
    ? {
        ...emptyEntry(),
        date: String(known.day ?? ''),
        description: known.description ?? '',
        amount: known.amount === null ? '' : amount(known.amount),
        type: known.type,
        category: known.category_id,
        ...(item || known.account_id !== null ? { account: known.account_id } : {}),
      }
    : row
      ? { ...typedOf(row), lines: [], date: String(Number(row.date.slice(8))) }
      : { ...emptyEntry(), date: '' };
};

/** @param {Recurring | RecurringDraft | undefined} of @param {string | undefined} day */
const begunSchedule = (of, day) => ({
  rhythm: of ? rhythmOf(of) : /** @type {Rhythm} */ ('monthly'),
  start: of?.start_on ?? day ?? '',
  n: String(of?.every.n ?? 2),
  unit: of?.every.unit ?? 'week',
  until: of?.until ?? '',
  count: of?.count && of.count > 1 ? String(of.count) : '',
  dayCount: of?.day_count ?? 'calendar',
  weekend: of?.weekend ?? 'same',
  min: of?.amount_min ? amount(of.amount_min) : '',
  max: of?.amount_max ? amount(of.amount_max) : '',
  expects: of?.expects ?? 'amount',
  reserve: of?.reserve ?? false,
});

/** @param {{ options: Options, close: () => void }} props */
const RecurringForm = ({ options, close }) => {
  const { item, row, save, done, remove } = options,
    w = recurringWords.value,
    isNew = !item && !row && !options.draft;
  const draft = useDraft(`recurring ${item?.id ?? row?.id}`, begun(options)),
    schedule = useSignal(begunSchedule(item ?? options.draft, undefined)),
    code = useSignal(''),
    codeError = useSignal(/** @type {unknown} */ (null)),
    problem = useSignal(/** @type {unknown} */ (null)),
    templates = useSignal(/** @type {{ name: string, draft: RecurringDraft }[]} */ ([])),
    template = useSignal('');
  const s = schedule.value;
  /** @param {Partial<typeof s>} changes */
  const set = changes => (schedule.value = { ...schedule.peek(), ...changes });

  useEffect(() => {
    if (!isNew) return;
    // Without templates the form is as useful.
    get('/api/recurring/templates').then(
      found =>
        (templates.value = found.flatMap(({ name, items }) =>
          items.map(draft => ({ name: items.length === 1 ? name : (draft.description ?? name), draft })),
        )),
      () => {},
    );
  }, []);

  /** @param {RecurringDraft} found */
  const fill = found => {
    draft.type.value = found.type;
    draft.description.value = found.description ?? draft.description.peek();
    draft.amount.value = found.amount === null ? '' : amount(found.amount);
    draft.date.value = String(found.day ?? '');
    draft.category.value = found.category_id ?? draft.category.peek();
    if (found.account_id !== null && accountById.peek().has(found.account_id)) draft.account.value = found.account_id;
    set(begunSchedule(found, undefined));
    // The errors are of what was there before.
    problem.value = null;
  };
  const readCode = async () => {
    const text = code.peek().trim();
    if (!text) return;
    try {
      const read = await post('/api/recurring/parse', { body: { text } });
      codeError.value = null;
      fill(read.draft);
      toast(w.code_read);
    } catch (error) {
      if (!isAborted(error)) codeError.value = error;
    }
  };

  const isMonthly = s.rhythm === 'monthly',
    unit = s.rhythm === 'other' ? s.unit : s.rhythm === 'weekly' ? 'week' : s.rhythm === 'yearly' ? 'year' : 'month',
    n = s.rhythm === 'other' ? Number(s.n) : 1,
    isByMonth = s.rhythm !== 'once' && (unit === 'month' || unit === 'year'),
    isRare = isByMonth && (unit === 'year' || n > 1) && draft.type.value === 'expense';
  const hasMore =
    s.until || s.count || s.dayCount !== 'calendar' || s.weekend !== 'same' || s.min || s.max || s.expects !== 'amount';

  const date = (/** @type {'start' | 'until'} */ name, /** @type {string} */ text, /** @type {unknown} */ error) =>
    h(Field, {
      label: text,
      name: name === 'start' ? 'start_on' : 'until',
      error,
      children: control =>
        input({
          ...control,
          type: 'date',
          value: s[name],
          onInput: event => set({ [name]: event.currentTarget.value }),
        }),
    });
  const number = (/** @type {'n' | 'count'} */ name, /** @type {string} */ text, /** @type {unknown} */ error) =>
    h(Field, {
      label: text,
      name: name === 'n' ? 'every.n' : 'count',
      error,
      hint: name === 'count' ? w.count_hint : undefined,
      children: control =>
        input({
          ...control,
          type: 'text',
          autoComplete: 'off',
          inputMode: 'numeric',
          maxLength: 3,
          value: s[name],
          onInput: event => set({ [name]: event.currentTarget.value }),
        }),
    });
  const range = (/** @type {'min' | 'max'} */ name, /** @type {unknown} */ error) => {
    // A field of a form of its own signal would be told apart from the rest of the schedule.
    const value = {
      get value() {
        return schedule.value[name];
      },
      set value(typed) {
        set({ [name]: typed });
      },
      peek: () => schedule.peek()[name],
    };
    return h(AmountField, {
      value: /** @type {any} */ (value),
      name: `amount_${name}`,
      label: w[name],
      error,
    });
  };

  /** @param {Parameters<typeof import('../../parts/field.js').invalid>} wrong */
  const bodyOf = wrong => {
    const whole = (/** @type {string} */ text) => /^\s*[1-9]\d{0,2}\s*$/.test(text);
    if (isMonthly ? !/^\s*([12]?\d|3[01])\s*$/.test(draft.date.value) || Number(draft.date.value) === 0 : false)
      wrong.push('day');
    if (!isMonthly && !s.start) wrong.push({ field: 'start_on', code: 'required' });
    if (s.rhythm === 'other' && !whole(s.n)) wrong.push({ field: 'every.n', code: 'not_a_whole_number' });
    if (s.rhythm !== 'once' && s.count && !whole(s.count)) wrong.push({ field: 'count', code: 'not_a_whole_number' });
    for (const name of /** @type {const} */ (['min', 'max']))
      if (s[name].trim() && decimalOf(s[name]) === null) wrong.push(`amount_${name}`);
    if (draft.category.value === null) wrong.push('category_id');
    const entry = /** @type {ReturnType<typeof entryOf> & { category_id: number }} */ (entryOf(draft, wrong));
    // A day that is not that of the first date stays with it.
    const known = item ?? options.draft,
      day = known && known.start_on === s.start && !isMonthly ? known.day : null;
    return {
      ...entry,
      day: isMonthly ? Number(draft.date.value) : day,
      every: { n, unit },
      start_on: s.start || null,
      until: s.rhythm === 'once' ? null : s.until || null,
      count: s.rhythm === 'once' ? 1 : s.count ? Number(s.count) : null,
      day_count: isByMonth ? s.dayCount : /** @type {const} */ ('calendar'),
      weekend: s.weekend,
      amount_min: decimalOf(s.min),
      amount_max: decimalOf(s.max),
      expects: s.expects,
      reserve: isRare && s.reserve,
    };
  };

  return h(Form, {
    submit: words.value.app.save,
    problem,
    cancel: close,
    ...(item && remove
      ? {
          remove: () => {
            close();
            remove(item);
          },
        }
      : {}),
    work: async key => {
      const body = bodyOf([]),
        { changed, offer } = recording();
      const saved = item
        ? await put('/api/recurring/{id}', { path: { id: item.id }, body, changed })
        : save
          ? await save(body, key)
          : await post('/api/recurring', { body, key, changed });
      close();
      if (!save)
        toast(
          item ? w.saved(saved.description) : w.added(saved.description, rhythmInWords(saved)),
          offer(() => done?.()),
        );
      done?.();
      void wrote();
    },
    children: error => [
      isNew && [
        h(TextField, {
          key: 'code',
          label: w.code,
          name: 'text',
          value: code,
          error: codeError.value,
          hint: w.code_hint,
          maxLength: CODE_CHARACTERS_MAX,
          onPaste: event => {
            const text = event.clipboardData?.getData('text');
            if (!text) return;
            event.preventDefault();
            code.value = text.trim();
            void readCode();
          },
          onKeyDown: event => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            void readCode();
          },
        }),
        code.value.trim()
          ? div({ key: 'read' }, button({ class: 'button', type: 'button', onClick: () => void readCode() }, w.read))
          : selectField({
              key: 'template',
              label: w.template,
              name: 'template',
              error: null,
              value: template.value,
              options: [
                ['', w.template_none],
                ...templates.value.map((one, at) => /** @type {[string, string]} */ ([`t${at}`, one.name])),
              ],
              choose: value => {
                template.value = value;
                const found = templates.peek()[Number(value.slice(1))]?.draft;
                if (value && found) fill(found);
              },
            }),
      ],
      h(EntryFields, {
        draft,
        error,
        completes: isNew || !!row,
        autofocus: true,
        none: w.choose,
        when: selectField({
          label: w.rhythm,
          name: 'every',
          error,
          value: s.rhythm,
          options: optionsOf(w.rhythms),
          choose: rhythm => set({ rhythm, start: schedule.peek().start || (rhythm === 'monthly' ? '' : today.peek()) }),
        }),
      }),
      s.rhythm === 'other' &&
        div(
          { class: 'pair' },
          number('n', w.every, error),
          selectField({
            label: w.unit,
            name: 'every.unit',
            error,
            value: s.unit,
            options: optionsOf(w.units),
            choose: chosen => set({ unit: chosen }),
          }),
        ),
      isMonthly
        ? h(TextField, {
            label: w.day,
            name: 'day',
            value: draft.date,
            error,
            hint: s.dayCount === 'calendar' ? w.day_hint : w.day_nth_hint,
            inputMode: 'numeric',
            maxLength: 2,
          })
        : date('start', s.rhythm === 'once' || s.rhythm === 'yearly' ? w.due : w.start, error),
      isRare && check(w.reserve, s.reserve, is => set({ reserve: is })),
      details(
        { class: 'more-fields', open: Boolean(hasMore || (error && isOfMore(error))) },
        summary(null, w.more),
        isMonthly && date('start', w.start, error),
        s.rhythm !== 'once' && div({ class: 'pair' }, date('until', w.until, error), number('count', w.count, error)),
        div(
          { class: 'pair' },
          selectField({
            label: w.weekend,
            name: 'weekend',
            error,
            value: s.weekend,
            options: optionsOf(w.weekends),
            choose: weekend => set({ weekend }),
          }),
          isByMonth &&
            selectField({
              label: w.day_count,
              name: 'day_count',
              error,
              value: s.dayCount,
              options: optionsOf(w.day_counts),
              choose: dayCount => set({ dayCount }),
            }),
        ),
        div({ class: 'pair' }, range('min', error), range('max', error)),
        selectField({
          label: w.expects,
          name: 'expects',
          error,
          value: s.expects,
          options: optionsOf(w.expected_amounts),
          choose: expects => set({ expects }),
        }),
      ),
    ],
  });
};

const MORE_FIELDS = ['until', 'count', 'weekend', 'day_count', 'amount_min', 'amount_max', 'expects'];

/** Whether an error is of a field that may be hidden. @param {unknown} error */
const isOfMore = error =>
  /** @type {{ errors?: { field: string }[] }} */ (error).errors?.some(({ field }) => MORE_FIELDS.includes(field)) ===
  true;

/** @param {Options} options */
export const openRecurring = options => {
  categories.want();
  accounts.want();
  return open({ title: recurringWords.value[options.item ? 'edit' : 'new'] }, close =>
    h(RecurringForm, { options, close }),
  );
};
