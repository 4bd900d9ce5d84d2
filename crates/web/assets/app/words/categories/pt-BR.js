// Categorias, em português do Brasil.
import { plural } from '../pt-BR.js';

export default {
  /** @param {string} month */
  title: month => `Categorias em ${month}`,
  add: 'Nova categoria',
  edit: 'Editar categoria',
  /** @param {string} spent @param {string} budget */
  used: (spent, budget) => `${spent} de ${budget} planejados`,
  /** @param {number} count */
  over: count => plural(count, 'passou do orçamento', 'passaram do orçamento'),
  planned: 'Com orçamento',
  unplanned: 'Sem orçamento',
  unused: 'Sem saídas neste mês',
  tax: 'Imposto',
  six: 'Últimos seis meses',
  budget: 'Orçamento',
  budget_hint: 'Em branco, sem orçamento.',
  is_tax: 'É imposto',
  is_tax_hint: 'O que sai por ela soma em “Impostos” no painel.',
  tax_kind: 'Na declaração do imposto de renda',
  tax_kind_hint: 'O que sai por ela é somado, por quem recebeu, no relatório do ano.',
  tax_kinds: {
    none: 'Não entra',
    health: 'Saúde',
    education: 'Educação',
    pension: 'Previdência privada',
    donation: 'Doações',
  },
  standard: 'Categoria padrão: pode mudar de nome, mas não é apagada.',
  /** @param {string} name */
  created: name => `${name} criada.`,
  remove_text: 'Ela sai das listas. Não dá para desfazer.',
  move_to: 'Passar o que é dela para',
  move_hint: 'Lançamentos, itens recorrentes e faturas guardadas.',
  move_none: 'Nada a passar',
  /** @param {string} name @param {string} to */
  moved: (name, to) => `${name}: apagada; o que era dela está em ${to}.`,
  in_use_text:
    'Há lançamentos, itens recorrentes, regras ou faturas guardadas nesta categoria. Escolha acima para onde vão, ou veja quais são.',
  rules: 'Regras',
};
