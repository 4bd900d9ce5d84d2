// Compras parceladas e limite do cartão, em português do Brasil.
import { plural } from '../pt-BR.js';

export default {
  by: 'Compra parcelada',
  count: 'Em quantas vezes',
  is: 'O valor acima é',
  total: 'o total da compra',
  each: 'o de cada parcela',
  /** @param {number} count @param {string} amount @param {string} total */
  equal: (count, amount, total) => `${count} × ${amount}, ${total} ao todo`,
  /** @param {string} first @param {number} count @param {string} amount @param {string} total */
  unequal: (first, count, amount, total) => `${first} na primeira, depois ${count} × ${amount}, ${total} ao todo`,
  hint: 'Cada parcela entra na fatura do seu mês; a que vier na fatura do banco toma o lugar dela.',
  limit: 'Limite',
  available: 'Disponível',
  /** @param {string} amount */
  over: amount => `Passou do limite em ${amount}`,
  /** @param {string} limit */
  of: limit => `de ${limit}`,
  used: 'usados',
  taken: 'usados ou em parcelas a vir',
  committed: 'em parcelas a vir',
  /** @param {string} amount @param {string} limit */
  free: (amount, limit) => `${amount} livres de ${limit}`,
  ahead: 'Próximas faturas',
  /** @param {string} amount @param {string} month */
  ahead_title: (amount, month) => `${amount} já comprometidos depois da fatura aberta, até ${month}`,
  ahead_none: 'Nada comprometido depois da fatura aberta.',
  to_come: 'Como deve fechar',
  /** @param {string} amount */
  in_parts: amount => `${amount} em parcelas`,
  posted: 'lançado',
  credit: 'já pago ou de crédito',
  brought: 'da fatura anterior',
  installments: 'parcelas a vir',
  recurring: 'recorrentes a vir',
  /** @param {string} month @param {string} day */
  bill: (month, day) => `${month}, vence ${day}`,
  all_bills: 'Mostrar todas',
  plans: 'Compras parceladas',
  /** @param {string} amount */
  plans_left: amount => `Faltam ${amount} em parcelas`,
  no_plans:
    'Nenhuma. São reconhecidas pelo texto da fatura, como “Loja - Parcela 3/10”, ou anotadas em “Novo lançamento”.',
  /** @param {number} number @param {number} count */
  number: (number, count) => (number === 0 ? `nenhuma de ${count}` : `${number} de ${count}`),
  /** @param {string} amount @param {string} day */
  left: (amount, day) => `faltam ${amount}, até ${day}`,
  estimated: 'estimada',
  estimated_text: 'Só a primeira parcela é conhecida; as outras podem diferir em centavos.',
  stale: 'parada: não apareceu nas últimas faturas',
  end: 'Encerrar',
  reopen: 'Reabrir',
  end_text: 'Nada mais vem desta compra, por exemplo porque foi devolvida.',
  is_ended: 'encerrada: nada mais vem',
  /** @param {string} description */
  ended: description => `Compra encerrada: ${description}.`,
  finished_all: 'Terminadas',
  /** @param {string} day */
  finished: day => `terminou em ${day}`,
  /** @param {string} description */
  remove: description => `Apagar ${description}`,
  /** @param {string} description */
  remove_title: description => `Apagar ${description}?`,
  remove_text: 'As parcelas anotadas à mão são apagadas; as que vieram de uma fatura ficam.',
  /** @param {string} description @param {number} count */
  removed: (description, count) => `${description}: ${plural(count, 'parcela apagada', 'parcelas apagadas')}.`,
};
