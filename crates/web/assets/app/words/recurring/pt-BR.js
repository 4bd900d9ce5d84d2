// Contas a pagar e a receber, em português do Brasil.
import { account } from '../pt-BR.js';

export default {
  /** @param {string} name */
  expected_again: name => `Esperamos ${name} de novo.`,
  /** @param {string} month */
  title: month => `Contas a pagar e a receber em ${month}`,
  add: 'Nova conta',
  new: 'Nova conta a pagar ou receber',
  edit: 'Editar conta',
  /** @param {string} description */
  saved: description => `${account(description)} salva.`,
  /** @param {string} description */
  removed: description => `${account(description)} apagada.`,
  groups: {
    late: 'Atrasadas',
    today: 'Hoje',
    week: 'Próximos 7 dias',
    later: 'Depois',
    far: 'Em outros meses',
    paid: 'Pagas',
    ignored: 'Ignoradas',
  },
  /** @param {number} done @param {number} all */
  solved: (done, all) => `${done} de ${all} ${all === 1 ? 'resolvida' : 'resolvidas'}`,
  /** @param {string} value */
  coming: value => `a receber ${value}`,
  /** @param {string} value */
  going: value => `a pagar ${value}`,
  expected: 'Esperado',
  missing: { income: 'Ainda não entrou', expense: 'Ainda não saiu' },
  state: 'Situação',
  states: { covered: 'Já lançado', confirmed: 'Confirmado', late: 'Atrasado', ignored: 'Ignorado' },
  linked: 'Ligado à mão',
  see: 'Ver lançamento',
  pay: 'Pagar',
  pay_title: 'Registrar pagamento',
  /** @param {string} description */
  paid: description => `Pagamento registrado: ${description}.`,
  link: 'É este lançamento',
  /** @param {string} description */
  link_title: description => `Qual lançamento é ${description}?`,
  link_text: 'Marque um, ou os vários em que foi paga.',
  link_search: 'Procurar lançamento',
  link_none: 'Nenhum lançamento por perto desta data.',
  /** @param {string} description */
  linked_done: description => `Ligamos ${description} ao lançamento.`,
  unlink: 'Desligar',
  /** @param {string} description */
  unlinked: description => `Desligamos ${description} do lançamento.`,
  date: 'Dia',
  day: 'Dia do mês',
  day_hint: 'Em mês mais curto, o último dia.',
  day_nth_hint: 'O quinto dia útil é 5.',
  choose: 'Escolha…',
  /** @param {string} description @param {string} rhythm */
  added: (description, rhythm) => `${description}: ${rhythm}.`,
  rhythm: 'Repete',
  rhythms: {
    once: 'Uma vez',
    weekly: 'Toda semana',
    monthly: 'Todo mês',
    yearly: 'Todo ano',
    other: 'Outro',
  },
  every: 'A cada',
  unit: 'Unidade',
  units: { day: 'dias', week: 'semanas', month: 'meses', year: 'anos' },
  due: 'Vencimento',
  start: 'A partir de',
  more: 'Mais opções',
  until: 'Até',
  count: 'Quantas vezes',
  count_hint: 'Em branco, sem fim.',
  day_count: 'O dia conta',
  day_counts: { calendar: 'todos os dias', business: 'dias úteis', labour: 'dias úteis e sábados' },
  weekend: 'Em fim de semana ou feriado',
  weekends: { same: 'fica no dia', before: 'passa para antes', after: 'passa para depois' },
  min: 'Valor mínimo',
  max: 'Valor máximo',
  expects: 'Valor esperado',
  expected_amounts: { amount: 'o valor acima', last: 'o último valor', mean3: 'a média dos últimos três' },
  reserve: 'Reservar um pouco a cada mês',
  code: 'Boleto ou Pix copia e cola',
  code_hint: 'Cole o código e o resto é preenchido.',
  read: 'Ler código',
  code_read: 'Código lido. Confira e escolha a categoria.',
  template: 'Começar de um modelo',
  template_none: 'Nenhum',
  /** @param {string} day */
  once_on: day => `em ${day}`,
  /** @param {string} weekday */
  weekly_on: weekday => `toda semana (${weekday})`,
  /** @param {number} day */
  monthly_on: day => `todo mês, no dia ${day}`,
  /** @param {number} nth */
  monthly_nth: nth => `todo mês, no ${nth}º dia útil`,
  /** @param {string} day */
  yearly_on: day => `todo ano, em ${day}`,
  /** @param {number} n @param {string} units */
  every_n: (n, units) => (n === 1 ? 'todos os dias' : `a cada ${n} ${units}`),
  /** @param {number} count */
  found: count => (count === 1 ? 'Encontramos 1 conta que se repete' : `Encontramos ${count} contas que se repetem`),
  follow: 'Acompanhar',
  update: 'Atualizar valor',
  reject: 'Não é',
  /** @param {string} description */
  followed: description => `Acompanhamos ${description} daqui em diante.`,
  /** @param {string} description */
  updated: description => `${description}: valor atualizado.`,
  /** @param {string} description */
  rejected: description => `Não sugerimos mais ${description}.`,
  /** @param {string} from @param {string} to */
  price_up: (from, to) => `Subiu de ${from} para ${to}`,
  /** @param {string} from @param {string} to */
  price_down: (from, to) => `Baixou de ${from} para ${to}`,
  /** @param {string} day */
  next: day => `próxima em ${day}`,
  remove_text: 'Deixa de ser esperada em todas as datas. Os lançamentos já feitos ficam.',
  empty: 'Nada se repete ainda',
  empty_found: 'Nenhuma conta acompanhada ainda',
  empty_text: 'Salário, aluguel, escola, IPVA: diga uma vez o que volta, e o Finance avisa o que ainda falta.',
  from_row: 'Usar um lançamento como base',
};
