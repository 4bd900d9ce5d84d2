// Divisão, tags e nota de um lançamento, em português.
export default {
  more: 'Dividir, tags e nota',
  tags: 'Tags',
  tags_hint: 'Até 10; Enter ou vírgula separa.',
  /** @param {string} tag */
  remove_tag: tag => `Tirar ${tag}`,
  history: 'Histórico',
  note: 'Nota',
  split: 'Dividir em categorias',
  whole: 'Não dividir',
  /** @param {number} number */
  line: number => `Parte ${number}`,
  add_line: 'Mais uma parte',
  /** @param {number} number */
  remove_line: number => `Tirar a parte ${number}`,
  /** @param {string} amount */
  left: amount => `Faltam ${amount}`,
  /** @param {string} amount */
  over: amount => `Passou ${amount} do valor`,
  done: 'As partes somam o valor.',
  /** @param {string} amount */
  fill: amount => `Pôr ${amount} na parte vazia`,
};
