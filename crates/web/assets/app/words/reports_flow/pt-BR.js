// Os relatórios, em português do Brasil.
import { plural } from '../pt-BR.js';

export default {
  title: 'Relatórios',
  kinds: 'Relatório',
  shows: {
    where: 'Para onde foi',
    months: 'Mês a mês',
    flow: 'Entradas e saídas',
    payees: 'Por estabelecimento',
    tags: 'Por tag',
    people: 'Por pessoa',
    year: 'Ano',
    irpf: 'Imposto de renda',
  },
  period: 'Período',
  periods: {
    1: 'Este mês',
    3: '3 meses',
    6: '6 meses',
    12: '12 meses',
    24: '24 meses',
    year: 'Este ano',
    other: 'Outro período',
  },
  from: 'De',
  to: 'Até',
  csv: 'Baixar CSV',
  print: 'Imprimir',
  total: 'Total',
  previous: 'Período anterior',
  other: 'O resto',
  none: 'Nada neste período.',
  names: {
    where: 'Categoria',
    months: 'Categoria',
    flow: 'Mês',
    payees: 'Estabelecimento',
    tags: 'Tag',
    people: 'Pessoa',
  },
  without: {
    where: 'Sem categoria',
    months: 'Sem categoria',
    payees: 'Sem nome',
    tags: 'Sem tag',
    people: 'O próprio Finance',
  },
  income: 'Entradas',
  expenses: 'Saídas',
  refunds: 'Estornos',
  left: 'Sobrou',
  month: 'Mês',
  savings: 'Poupado',
  year: 'Ano',
  rises: 'Subiu',
  falls: 'Caiu',
  /** @param {string} before */
  was: before => `era ${before}`,
  largest: 'Onde mais se gastou',
  /** @param {string} from @param {string} to */
  days_of: (from, to) => `De ${from} a ${to}, ao lado dos mesmos dias do ano anterior.`,
  /** @param {number} quiet @param {number} days */
  quiet: (quiet, days) => `${plural(quiet, 'dia', 'dias')} sem gastar, de ${days}.`,
  /** @param {number} days @param {string} from @param {string} to */
  streak: (days, from, to) => `A maior sequência: ${plural(days, 'dia', 'dias')}, de ${from} a ${to}.`,
};
