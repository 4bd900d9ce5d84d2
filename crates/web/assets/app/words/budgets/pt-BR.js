// O orçamento do mês, em português do Brasil.
import { plural } from '../pt-BR.js';

export default {
  /** @param {string} month */
  title: month => `Orçamento de ${month}`,
  category: 'Categoria',
  budget: 'Orçado',
  spent: 'Gasto',
  available: 'Disponível',
  carried: 'Trazido',
  to_distribute: 'A distribuir',
  /** @param {string} income */
  of_income: income => `de ${income} esperados`,
  total: 'Total',
  no_group: 'Sem grupo',
  no_category: 'Sem categoria',
  /** @param {string} name */
  field: name => `Orçado, ${name}`,
  hint: 'Enter guarda e desce, ↑↓ andam, Esc desfaz o que foi digitado; em branco, vale o de todo mês. Dá para somar: 12+8,50.',
  /** @param {string} name @param {string} value */
  set: (name, value) => `${name}: ${value} neste mês.`,
  /** @param {string} name */
  unset: name => `${name}: sem valor próprio neste mês.`,
  every: 'Todo mês',
  /** @param {string} name */
  every_of: name => `Todo mês, ${name}`,
  /** @param {string} name @param {string} value */
  every_set: (name, value) => `${name}: ${value} todo mês, a partir deste.`,
  wrong: 'Escreva um valor, como 45,90 ou 12+8,50.',
  fill: 'Preencher',
  from: {
    previous: 'Copiar do mês anterior',
    average3: 'Média de 3 meses',
    average12: 'Média de 12 meses',
    last_year: 'Mesmo mês do ano passado',
  },
  /** @param {number} count */
  filled: count => `${plural(count, 'categoria preenchida', 'categorias preenchidas')}.`,
  nothing: 'Nada a mudar.',
};
