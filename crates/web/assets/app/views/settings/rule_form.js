// The form of a rule, beside a preview of its changes to stored transactions.
import { signal, useSignal } from '@preact/signals';
import { post, put } from '../../api.js';
import { button, details, div, fieldset, h, h3, legend, newId, p, summary } from '../../dom.js';
import { amount } from '../../money.js';
import { rules, TEXT_CHARACTERS_MAX } from '../../rules.js';
import { accounts } from '../../session.js';
import { words } from '../../words.js';
import { rulesWords } from '../../words/rules.js';
import { AmountField, decimalOf } from '../../parts/amount_field.js';
import { AccountField, CategorySelect } from '../../parts/category_select.js';
import { open } from '../../parts/dialog.js';
import { check, Field, Form, invalid, selectField, TextField } from '../../parts/field.js';
import { icon } from '../../parts/icon.js';
import { fieldMessage } from '../../parts/problem.js';
import { Tried } from './rule_tried.js';
import { toast } from '../../parts/toast.js';
import { recording } from '../../parts/undo.js';

/** @typedef {import('../../rules.js').Rule} Rule */
/** @typedef {import('../../rules.js').RuleBody} RuleBody */
/** @typedef {import('../../rules.js').Condition} Condition */
/** @typedef {Condition['field']} What */
/** @typedef {Condition['op']} Op */
/**
 * A condition as typed; `last` is the second value of `between`.
 * @typedef {{ key: string, field: What, op: Op, value: import('@preact/signals').Signal<string>, last: import('@preact/signals').Signal<string> }} Typed
 */

const CONDITIONS_MAX = 10,
  NAME_CHARACTERS_MAX = 100;

/** How each field may be compared. @type {Record<What, [Op, ...Op[]]>} */
const OPS = {
  description: ['contains', 'not_contains', 'starts_with', 'ends_with', 'equals'],
  amount: ['eq', 'gte', 'lte', 'between'],
  type: ['eq'],
  account_id: ['eq'],
  day: ['between'],
};
const FIELDS = /** @type {What[]} */ (Object.keys(OPS));

/** @param {What} field @param {Op} [op] @param {string} [value] @param {string} [last] @returns {Typed} */
const typed = (field, op = OPS[field][0], value = '', last = '') => ({
  key: newId(),
  field,
  op,
  value: signal(value),
  last: signal(last),
});

/** @param {Condition} condition */
const typedOf = ({ field, op, value }) => {
  const [first, last] = (Array.isArray(value) ? value : [value, '']).map(one =>
    field === 'amount' && one !== '' ? amount(String(one)) : String(one),
  );
  return typed(field, op, first, last);
};

/**
 * The request body of a condition; null if something is missing.
 * @param {Typed} condition
 * @returns {Condition | null}
 */
const conditionOf = ({ field, op, value, last }) => {
  const day = (/** @type {string} */ text) => (/^\d{1,2}$/.test(text.trim()) ? Number(text) : null);
  const read =
    field === 'amount'
      ? decimalOf
      : field === 'day'
        ? day
        : field === 'account_id'
          ? (/** @type {string} */ text) => Number(text) || null
          : (/** @type {string} */ text) => text.trim() || null;
  const first = read(value.value),
    second = op === 'between' ? read(last.value) : first;
  if (first === null || second === null) return null;
  return { field, op, value: op === 'between' ? [first, second] : first };
};

/**
 * @param {{ at: number, of: Typed, error: unknown, change: (to: Typed) => void, remove: (() => void) | null }} props
 */
const ConditionFields = ({ at, of, error, change, remove }) => {
  const w = rulesWords.value,
    { field, op, value, last } = of,
    name = `conditions[${at}].value`;
  const text = (
    /** @type {string} */ caption,
    /** @type {import('@preact/signals').Signal<string>} */ held,
    /** @type {unknown} */ wrong,
    attributes = {},
  ) => h(TextField, { label: caption, name, value: held, error: wrong, ...attributes });
  const values = () => {
    if (field === 'amount')
      return op === 'between'
        ? [
            h(AmountField, { key: 'from', label: w.from, name, value, error }),
            h(AmountField, { key: 'to', label: w.to, name, value: last }),
          ]
        : h(AmountField, { label: words.value.entry.amount, name, value, error });
    if (field === 'day')
      return [w.from, w.to].map((caption, index) =>
        text(caption, index === 0 ? value : last, index === 0 ? error : null, {
          key: caption,
          inputMode: 'numeric',
          class: 'short',
          maxLength: 2,
        }),
      );
    if (field === 'type')
      return selectField({
        label: words.value.entry.type,
        name,
        error,
        value: value.value,
        options: [
          ['', '…'],
          ['expense', words.value.money.expense],
          ['income', words.value.money.income],
        ],
        choose: chosen => (value.value = chosen),
      });
    if (field === 'account_id')
      return h(AccountField, { label: words.value.form.account, name, error, value: numeric(value), none: '…' });
    return text(w.value, value, error, { maxLength: TEXT_CHARACTERS_MAX });
  };
  return fieldset(
    { class: 'condition' },
    legend({ class: 'unseen' }, w.condition(at + 1)),
    selectField({
      label: w.field,
      name: `conditions[${at}].field`,
      error,
      value: field,
      options: FIELDS.map(one => [one, w.fields[one]]),
      choose: chosen => change({ ...typed(/** @type {What} */ (chosen)), key: of.key }),
    }),
    OPS[field].length > 1 &&
      selectField({
        label: w.op,
        name: `conditions[${at}].op`,
        error,
        value: op,
        options: OPS[field].map(one => [one, w.ops[one]]),
        choose: chosen => change({ ...of, op: /** @type {Op} */ (chosen) }),
      }),
    values(),
    remove &&
      button(
        {
          class: 'icon-button',
          type: 'button',
          'aria-label': w.remove_condition(at + 1),
          title: w.remove_condition(at + 1),
          onClick: remove,
        },
        icon('close'),
      ),
  );
};

/** A text signal as a number. @param {import('@preact/signals').Signal<string>} text @returns {any} */
const numeric = text => ({
  get value() {
    return Number(text.value) || null;
  },
  set value(found) {
    text.value = found === null ? '' : String(found);
  },
});

/** @param {{ rule: RuleBody & { id?: number }, close: () => void, saved: (rule: Rule) => void }} props */
const RuleForm = ({ rule, close, saved }) => {
  const w = rulesWords.value,
    isNew = rule.id === undefined;
  const actionOf = (/** @type {string} */ kind) => rule.actions.find(one => one.action === kind);
  const conditions = useSignal(/** @type {Typed[]} */ ([])),
    match = useSignal(rule.match ?? 'all'),
    name = useSignal(isNew ? '' : rule.name);
  if (conditions.peek().length === 0)
    conditions.value = rule.conditions.length > 0 ? rule.conditions.map(typedOf) : [typed('description')];
  const category = useSignal(actionOf('set_category')?.category_id ?? null),
    description = useSignal(actionOf('rename')?.description ?? ''),
    tag = useSignal(actionOf('add_tag')?.tag ?? '');
  const isTransfer = useSignal(Boolean(actionOf('mark_transfer'))),
    isSkipped = useSignal(Boolean(actionOf('skip'))),
    isApplied = useSignal(false);
  const hasMore = useSignal(description.peek() !== '' || tag.peek() !== '' || isTransfer.peek() || isSkipped.peek());
  accounts.want();

  const read = conditions.value.map(conditionOf);
  const actions = /** @type {RuleBody['actions']} */ (
    [
      category.value !== null && { action: 'set_category', category_id: category.value },
      description.value.trim() && { action: 'rename', description: description.value.trim() },
      tag.value.trim() && { action: 'add_tag', tag: tag.value.trim() },
      isTransfer.value && { action: 'mark_transfer' },
      isSkipped.value && { action: 'skip' },
    ].filter(Boolean)
  );
  const known = /** @type {Condition[]} */ (read.filter(one => one !== null)),
    isComplete = known.length === read.length;
  const subject = known.find(one => one.field === 'description')?.value ?? w.fields[known[0]?.field ?? 'description'];
  /** @returns {RuleBody} */
  const body = () => ({
    ...(isNew ? {} : { position: rule.position, enabled: rule.enabled }),
    name: (name.value.trim() || String(subject)).slice(0, NAME_CHARACTERS_MAX),
    match: match.value,
    conditions: known,
    actions,
  });
  /** Whether the rule was sent without an action and still has none. @param {unknown} error */
  const isIdle = error => actions.length === 0 && fieldMessage(error, 'actions') !== null;
  const replace = (/** @type {number} */ at, /** @type {Typed[]} */ ...by) =>
    (conditions.value = conditions.value.toSpliced(at, 1, ...by));
  /** @param {string} text @param {import('@preact/signals').Signal<boolean>} is */
  const checkOf = (text, is) => check(text, is.value, on => (is.value = on));
  return h(Form, {
    submit: isNew ? w.create : words.value.app.save,
    cancel: close,
    work: async key => {
      const wrong = read.flatMap((one, at) =>
        one === null ? [{ field: `conditions[${at}].value`, code: /** @type {const} */ ('required') }] : [],
      );
      if (wrong.length > 0 || actions.length === 0)
        throw invalid(...wrong, ...(actions.length === 0 ? ['actions'] : []));
      const { changed, offer } = recording();
      const made = isNew
        ? await post('/api/rules', { body: body(), key, changed })
        : await put('/api/rules/{id}', { path: { id: /** @type {number} */ (rule.id) }, body: body(), changed });
      close();
      toast(
        isNew ? w.created(made.name) : w.saved(made.name),
        offer(() => void rules.load()),
      );
      void rules.load();
      saved(made);
      if (isApplied.peek()) {
        const { apply } = await import('./rule_apply.js');
        await apply({ rule_ids: [made.id], only_uncategorized: true });
      }
    },
    children: error => [
      fieldset(
        { key: 'when', class: 'field' },
        legend(null, h3(null, w.when)),
        div(
          { class: 'form' },
          conditions.value.map((one, at) =>
            h(ConditionFields, {
              key: one.key,
              at,
              of: one,
              error,
              change: to => replace(at, to),
              remove: conditions.value.length > 1 ? () => replace(at) : null,
            }),
          ),
          conditions.value.length > 1 &&
            selectField({
              label: w.match,
              name: 'match',
              error,
              value: match.value,
              options: [
                ['all', w.matches.all],
                ['any', w.matches.any],
              ],
              choose: chosen => (match.value = /** @type {'all' | 'any'} */ (chosen)),
            }),
          conditions.value.length < CONDITIONS_MAX &&
            div(
              null,
              button(
                {
                  class: 'link-button',
                  type: 'button',
                  onClick: () =>
                    (conditions.value = [
                      ...conditions.value,
                      typed(conditions.value.some(one => one.field === 'description') ? 'amount' : 'description'),
                    ]),
                },
                w.add_condition,
              ),
            ),
        ),
      ),
      fieldset(
        { key: 'then', class: 'field' },
        legend(null, h3(null, w.then)),
        div(
          { class: 'form' },
          h(Field, {
            label: words.value.form.category,
            name: 'actions[0].category_id',
            error,
            children: control =>
              CategorySelect({
                control: { ...control, 'aria-invalid': control['aria-invalid'] || isIdle(error) },
                value: category,
                none: w.keep_category,
              }),
          }),
          isIdle(error) && p({ class: 'field-error' }, w.no_action),
          details(
            { open: hasMore.value, onToggle: event => (hasMore.value = event.currentTarget.open) },
            summary(null, w.more_actions),
            div(
              { class: 'field-grid' },
              h(TextField, {
                label: w.rename,
                name: 'actions[1].description',
                value: description,
                error,
                hint: w.rename_hint,
                maxLength: 255,
              }),
              h(TextField, { label: w.add_tag, name: 'actions[2].tag', value: tag, error, maxLength: 30 }),
              checkOf(w.mark_transfer, isTransfer),
              checkOf(w.skip, isSkipped),
            ),
          ),
        ),
      ),
      h(TextField, {
        key: 'name',
        label: words.value.account_form.name,
        name: 'name',
        value: name,
        error,
        hint: w.name_hint,
        maxLength: NAME_CHARACTERS_MAX,
      }),
      h(Tried, { key: 'tried', rule: isComplete && actions.length > 0 ? body() : null, isNew }),
      isNew && category.value !== null && div({ key: 'also', class: 'field' }, checkOf(w.also, isApplied)),
    ],
  });
};

/**
 * Opens the form of a new rule, or of an existing one with an id.
 * @param {RuleBody & { id?: number }} rule
 * @param {(rule: Rule) => void} [saved]
 */
export const openRule = (rule, saved = () => {}) =>
  open({ title: rule.id === undefined ? rulesWords.value.add : rulesWords.value.edit_title, kind: 'wide' }, close =>
    h(RuleForm, { rule, close, saved }),
  );
