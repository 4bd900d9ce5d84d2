// A busca, em português do Brasil.

export default {
  hint: 'Lançamento, conta, categoria ou página',
  pages: 'Páginas',
  rules: 'Regras',
  /** @param {string} q */
  all: q => `Todos os lançamentos com “${q}”`,
  none: 'Nada encontrado.',
  /** @param {number} count */
  found: count => (count === 1 ? '1 resultado' : `${count} resultados`),
};
