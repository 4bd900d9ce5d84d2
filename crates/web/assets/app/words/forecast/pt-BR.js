// O que vem pela frente, em português do Brasil.
import { plural } from '../pt-BR.js';

export default {
  /** @param {string} amount */
  reserved: amount => `Reservado para contas do ano: ${amount}.`,
  /** @param {string} amount */
  bills_after: amount => `Depois disso vencem ${amount} em faturas abertas.`,
  /** @param {string} day */
  until: day => `até ${day}`,
  as_usual: ', com os gastos de costume',
  why: 'Por quê?',
  today: 'Saldo de hoje',
  today_text: 'Contas com dinheiro livre para gastar',
  kinds: {
    posted: 'já lançado',
    recurring: 'recorrente',
    credit_bill: 'fatura de cartão',
    pending_bill: 'fatura guardada',
  },
  /** @param {string} day */
  tightest: day => `Menor saldo até lá, em ${day}`,
  smallest: 'Menor saldo até lá',
  reserved_then: '− reservado para contas do ano',
  nothing_coming: 'Nada previsto até lá.',
  /** @param {number} count */
  more: count => `e mais ${plural(count, 'previsão', 'previsões')}`,
  ahead: 'Ver os próximos meses',
  /** @param {string} day */
  negative: day => `Em ${day} o saldo fica negativo.`,
  /** @param {string} month */
  end_of: month => `Fim de ${month}`,
  lowest: 'Menor saldo',
  title: 'Saldo previsto',
  /** @param {string} day @param {string} balance */
  low: (day, balance) => `O dia mais apertado é ${day}: ${balance}`,
  /** @param {string} day @param {string} balance */
  below: (day, balance) => `O saldo fica negativo; o pior dia é ${day}: ${balance}`,
  spending: 'Gastos além do previsto',
  none: 'Nada',
  median3: 'O de costume',
  median3_text:
    'A mediana dos últimos três meses: o que saiu sem ser imposto, parcela nem item recorrente, em partes iguais por dia.',
  none_text: 'Itens recorrentes, faturas e lançamentos de datas futuras; nada é estimado.',
  months: 'Meses à frente',
  by_month: 'Mês a mês',
  month: 'Mês',
  income: 'Entra',
  expenses: 'Sai',
  card_bills: 'Faturas',
  estimated: 'Estimado',
  closing: 'Saldo no fim',
  /** @param {string} month */
  events: month => `Previsto em ${month}`,
  /** @param {string} month */
  no_events: month => `Nada previsto em ${month}. O que se repete todo mês entra aqui quando está nos recorrentes.`,
  cut: 'A previsão mostra só os primeiros 2.000 acontecimentos; os saldos contam todos.',
  empty: 'Nada para prever ainda',
  empty_text: 'A previsão parte do saldo das contas correntes e da poupança. Comece por uma delas.',
};
