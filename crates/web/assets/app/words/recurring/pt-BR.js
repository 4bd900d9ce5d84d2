// Recorrentes, em português do Brasil.

export default {
  /** @param {string} month */
  title: month => `Recorrentes de ${month}`,
  add: 'Novo item',
  new: 'Novo item recorrente',
  edit: 'Editar item recorrente',
  /** @param {number} done @param {number} all */
  solved: (done, all) => `${done} de ${all} ${all === 1 ? 'resolvido' : 'resolvidos'}`,
  /** @param {string} value */
  coming: value => `a receber ${value}`,
  /** @param {string} value */
  going: value => `a pagar ${value}`,
  expected: 'Esperado',
  missing: { income: 'Ainda não entrou', expense: 'Ainda não saiu' },
  state: 'Situação',
  states: { covered: 'Já lançado', confirmed: 'Confirmado', late: 'Atrasado', ignored: 'Ignorado neste mês' },
  see: 'Ver lançamento',
  day: 'Dia do mês',
  day_hint: 'Em mês mais curto, o último dia.',
  choose: 'Escolha…',
  /** @param {string} description @param {number} day */
  added: (description, day) => `${description}: esperado todo mês, no dia ${day}.`,
  remove_text: 'Deixa de ser esperado em todos os meses. Os lançamentos já feitos ficam.',
  empty: 'Nada se repete ainda',
  empty_text: 'Salário, aluguel, escola: diga uma vez o que volta todo mês, e o Finance avisa o que ainda falta.',
  from_row: 'Partir de um lançamento',
};
