// Rules of the household: the loaded rules, a rule in one sentence, and the rule that a correction suggests.
import { get, resource } from './api.js';
import { inText } from './parts/amount.js';
import { accountById, categoryById } from './session.js';
import { fold } from './text.js';
import { words } from './words.js';
import { rulesWords } from './words/rules.js';

/** @typedef {import('../../types/client').Schemas} Schemas */
/** @typedef {Schemas['Rule']} Rule */
/**
 * A request body with both lists.
 * @typedef {Schemas['RuleBody'] & Required<Pick<Schemas['RuleBody'], 'conditions' | 'actions'>>} RuleBody
 */
/** @typedef {Schemas['RuleCondition']} Condition */
/** @typedef {Schemas['RuleAction']} Action */

/** The most characters of a text that a rule compares with. */
export const TEXT_CHARACTERS_MAX = 100;

/** All rules, in their order. */
export const rules = resource(signal => get('/api/rules', { signal }));

/** The request body of a rule. @param {Rule} rule @returns {RuleBody} */
export const bodyOf = ({ name, position, enabled, match, conditions, actions }) => ({
  name,
  position,
  enabled,
  match,
  conditions,
  actions,
});

/** @param {Condition} condition */
const conditionText = ({ field, op, value }) => {
  const w = rulesWords.value.texts,
    [first, last] = Array.isArray(value) ? value : [value, value];
  switch (field) {
    case 'description':
      return w.description[/** @type {keyof typeof w.description} */ (op)](String(first));
    case 'amount':
      return w.amount[/** @type {keyof typeof w.amount} */ (op)](inText(String(first)), inText(String(last)));
    case 'type':
      return w.type(first === 'income');
    case 'account_id':
      return w.account(accountById.value.get(Number(first))?.name ?? '…');
    default:
      return w.day(Number(first), Number(last));
  }
};

/** @param {Action} action */
const actionText = ({ action, category_id, description, tag }) => {
  const w = rulesWords.value.texts;
  switch (action) {
    case 'set_category':
      return w.set_category(categoryById.value.get(category_id ?? 0)?.name ?? '…');
    case 'add_tag':
      return w.add_tag(tag ?? '');
    case 'rename':
      return w.rename(description ?? '');
    default:
      return w[action];
  }
};

/** @param {Pick<Rule, 'conditions' | 'match' | 'actions'>} rule */
export const sentence = ({ conditions, match, actions }) =>
  rulesWords.value.sentence(conditions.map(conditionText), match, actions.map(actionText));

/**
 * The part of a description that is likely to occur again: its longest run of words without a digit.
 * @param {string} description
 */
export const lasting = description => {
  const runs = description
    .trim()
    .split(/\s*\S*\d\S*\s*/)
    .map(run => run.replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '').replace(/\s+/g, ' '));
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  return (longest || description.trim()).slice(0, TEXT_CHARACTERS_MAX).trim();
};

/**
 * The rule for a correction: rows with this description get the category. If the part that repeats names nobody, or lacks
 * the name of the payee, as in `PIX ENVIADO LOJA 3`, it would meet other payees too: the whole description is compared.
 * @param {string} description As the statement has it.
 * @param {number | null} category_id
 * @param {string} [payee] The payee's key, if it is known.
 * @returns {RuleBody}
 */
export const ruleOf = (description, category_id, payee) => {
  const part = lasting(description),
    whole = description.trim().replace(/\s+/g, ' ');
  const isTooWide = payee !== undefined && part !== whole && (payee === '' || !fold(part).includes(payee)),
    isWhole = isTooWide && whole.length <= TEXT_CHARACTERS_MAX,
    text = isWhole ? whole : part;
  return {
    name: text,
    match: 'all',
    conditions: [{ field: 'description', op: isWhole ? 'equals' : 'contains', value: text }],
    actions: category_id === null ? [] : [{ action: 'set_category', category_id }],
  };
};

/** The changes of a stored transaction, in words. @param {Schemas['RuleSample']} row */
export const changeText = ({ category_id: before, changes: { category_id, description, tags, is_transfer } }) => {
  const w = rulesWords.value,
    nameOf = (/** @type {number | null} */ id) => categoryById.value.get(id ?? 0)?.name ?? words.value.form.no_category;
  const found = [
    category_id !== undefined && w.becomes(nameOf(before), nameOf(category_id)),
    description !== undefined && w.renamed(description),
    tags && w.tagged(tags.join(', ')),
    is_transfer && w.transfer,
  ];
  return found.filter(Boolean).join(', ') || w.stays;
};
