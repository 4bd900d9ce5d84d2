// Regras, em português do Brasil.
import { plural } from '../pt-BR.js';

/** @param {string[]} parts @param {string} last */
const joined = (parts, last) =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} ${last} ${parts.at(-1)}`;

export default {
  title: 'Regras',
  text: 'Dizem o que fazer com as linhas dos extratos que você importa. Vão de cima para baixo: a primeira que define uma coisa vale. Nenhuma aparece sozinha; todas são suas.',
  add: 'Nova regra',
  see: 'Ver as regras',
  /** @param {number} count */
  count: count => plural(count, 'regra', 'regras'),
  empty: 'Nenhuma regra ainda',
  empty_text:
    'Ao corrigir uma categoria, na importação ou nos lançamentos, escolha “Sempre assim…” e a correção vira regra. Ou crie uma aqui.',
  apply: 'Aplicar aos lançamentos já registrados…',
  list: 'Regras, na ordem em que valem',
  on: 'Ligada',
  off: 'Desligada',
  /** @param {string} name */
  up: name => `Subir ${name}`,
  /** @param {string} name */
  down: name => `Descer ${name}`,
  /** @param {string} name @param {number} place @param {number} of */
  moved: (name, place, of) => `${name}: agora a ${place}ª de ${of}.`,
  order_hint: 'Com o foco numa regra, Alt+↑ e Alt+↓ mudam o lugar dela.',
  /** @param {string} name */
  turned_on: name => `${name}: ligada.`,
  /** @param {string} name */
  turned_off: name => `${name}: desligada.`,
  test: 'Testar',
  edit_title: 'Editar regra',
  /** @param {string} name */
  saved: name => `Regra “${name}” salva.`,
  /** @param {string} name */
  removed: name => `Regra “${name}” apagada.`,
  /** @param {string} name */
  created: name => `Regra “${name}” criada: vale para o que for importado.`,

  when: 'Sempre que',
  match: 'Precisam valer',
  matches: { all: 'todas as condições', any: 'ao menos uma' },
  /** @param {number} number */
  condition: number => `Condição ${number}`,
  field: 'O que olhar',
  op: 'Como',
  fields: { description: 'a descrição', amount: 'o valor', type: 'o tipo', account_id: 'a conta', day: 'o dia do mês' },
  ops: {
    contains: 'contém',
    not_contains: 'não contém',
    starts_with: 'começa com',
    ends_with: 'termina com',
    equals: 'é igual a',
    eq: 'é',
    gte: 'é ao menos',
    lte: 'é no máximo',
    between: 'fica entre',
  },
  value: 'Texto',
  from: 'De',
  to: 'Até',
  add_condition: 'Mais uma condição',
  /** @param {number} number */
  remove_condition: number => `Tirar a condição ${number}`,
  then: 'Então',
  keep_category: 'Não mudar',
  more_actions: 'Outras ações',
  add_tag: 'Tag a mais',
  rename: 'Nova descrição',
  rename_hint: 'Vazia: fica a do extrato. A do extrato continua anotada.',
  mark_transfer: 'É entre contas minhas',
  skip: 'Deixar de fora das importações',
  name_hint: 'Opcional; em branco, usamos o texto da condição.',
  no_action: 'Escolha ao menos uma ação.',
  create: 'Criar regra',
  also: 'Aplicar aos lançamentos já registrados sem categoria',

  tried: 'Lançamentos já registrados',
  trying: 'Procurando…',
  incomplete: 'Complete a regra para ver o que ela mudaria.',
  /** @param {number} matches @param {number} shown */
  found: (matches, shown) =>
    matches === 0
      ? 'Nenhum lançamento já registrado combina.'
      : `${plural(matches, 'lançamento já registrado combina', 'lançamentos já registrados combinam')}.${matches > shown ? ` Os ${shown} mais novos:` : ''}`,
  /** @param {number} count */
  more: count => (count === 1 ? 'Mostrar o outro' : `Mostrar os outros ${count}`),
  only_later: 'Criar a regra não muda nenhum deles.',
  stays: 'fica como está',
  /** @param {string} from @param {string} to */
  becomes: (from, to) => `${from} → ${to}`,
  /** @param {string} text */
  tagged: text => `ganha a tag ${text}`,
  /** @param {string} text */
  renamed: text => `passa a “${text}”`,
  transfer: 'vira transferência',

  apply_title: 'Aplicar regras aos lançamentos já registrados',
  /** @param {string} name */
  apply_one: name => `Aplicar “${name}” aos lançamentos já registrados`,
  scope: 'Quais lançamentos',
  scopes: { none: 'Só os sem categoria', all: 'Todos' },
  scope_all_hint: 'Troca também categorias que você escolheu.',
  since: 'Desde',
  until: 'Até',
  any_day: 'Vazio: sem limite.',
  /** @param {number} count */
  in_scope: count => `${plural(count, 'lançamento', 'lançamentos')} para olhar.`,
  apply_submit: 'Aplicar',
  applying: 'Aplicando…',
  /** @param {number} count */
  applied: count => (count === 0 ? 'Nada mudou.' : `${plural(count, 'lançamento mudou', 'lançamentos mudaram')}.`),
  /** @param {number} count */
  taken_back: count => `${plural(count, 'lançamento voltou', 'lançamentos voltaram')} a ser como antes.`,

  always: 'Sempre assim…',
  always_now: 'Sempre assim',
  adjust: 'Ajustar a regra',
  always_text: 'Salva, e cria uma regra para as próximas importações.',
  /** @param {string} description */
  always_about: description => `criar regra de ${description}`,

  /** A rule in one sentence. @param {string[]} conditions @param {'all' | 'any'} match @param {string[]} actions */
  sentence: (conditions, match, actions) =>
    `Sempre que ${joined(conditions, match === 'all' ? 'e' : 'ou')}: ${joined(actions, 'e')}.`,
  texts: {
    /**
     * @type {Record<'contains' | 'not_contains' | 'starts_with' | 'ends_with' | 'equals', (text: string) => string>}
     */
    description: {
      contains: text => `a descrição contém “${text}”`,
      not_contains: text => `a descrição não contém “${text}”`,
      starts_with: text => `a descrição começa com “${text}”`,
      ends_with: text => `a descrição termina com “${text}”`,
      equals: text => `a descrição é “${text}”`,
    },
    /** @type {Record<'eq' | 'gte' | 'lte' | 'between', (value: string, last: string) => string>} */
    amount: {
      eq: value => `o valor é ${value}`,
      gte: value => `o valor é ao menos ${value}`,
      lte: value => `o valor é no máximo ${value}`,
      between: (value, last) => `o valor fica entre ${value} e ${last}`,
    },
    /** @param {boolean} isIncome @returns {string} */
    type: isIncome => (isIncome ? 'é uma entrada' : 'é uma saída'),
    /** @param {string} name */
    account: name => `a conta é ${name}`,
    /** @param {number} first @param {number} last */
    day: (first, last) => (first === last ? `o dia é ${first}` : `o dia fica entre ${first} e ${last}`),
    /** @param {string} name */
    set_category: name => `categoria ${name}`,
    /** @param {string} tag */
    add_tag: tag => `pôr a tag “${tag}”`,
    /** @param {string} text */
    rename: text => `chamar de “${text}”`,
    mark_transfer: 'é transferência entre contas minhas',
    skip: 'fica de fora das importações',
  },
};
