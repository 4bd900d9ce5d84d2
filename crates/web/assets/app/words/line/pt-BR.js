// A linha que vira lançamento, em português do Brasil.

export default {
  label: 'Escreva numa linha só',
  example: 'mercado 54,90 ontem no nubank #casa',
  understood: 'Entendido',
  type: 'Tipo',
  amount: 'Valor',
  each: 'Cada parcela',
  count: 'Parcelas',
  date: 'Data',
  description: 'Descrição',
  account: 'Conta',
  category: 'Categoria',
  from: 'Sai de',
  to: 'Vai para',
  bill: 'Fatura',
  tag: 'Tag',
  transfer: 'Transferência',
  payment: 'Pagamento de fatura',
  /** @param {string} name @param {string} value */
  chip: (name, value) => `${name}: ${value}`,
  /** @param {number} count */
  times: count => `${count}×`,
  /** @type {Record<string, string>} What is asked where two readings fit. */
  which: {
    type: 'Saída ou entrada?',
    amount: 'Qual é o valor?',
    total_amount: 'Qual é o total?',
    count: 'Quantas parcelas?',
    date: 'Que dia?',
    account_id: 'Qual conta?',
    from_account_id: 'De qual conta sai?',
    to_account_id: 'Para qual conta vai?',
    bill_id: 'Qual fatura?',
    description: 'O que foi?',
  },
  /** @type {Record<string, string>} What is said where nothing fits. */
  missing: {
    type: 'Falta dizer se é saída ou entrada',
    amount: 'Falta o valor',
    total_amount: 'Falta o valor',
    count: 'Falta o número de parcelas',
    date: 'Falta o dia',
    account_id: 'Falta a conta',
    from_account_id: 'Falta a conta de onde sai',
    to_account_id: 'Falta a conta para onde vai',
    bill_id: 'Não há fatura fechada a pagar. Uma fatura aberta se paga em Cartões.',
    description: 'Falta a descrição',
  },
  /** @param {string} text */
  read: text => `Entendido: ${text}.`,
  code: 'Isto é o código de um boleto ou Pix, não um lançamento.',
  code_do: 'Criar uma conta a pagar',
  unread: 'Sem conexão: a linha será lida e enviada quando o Finance voltar.',
  /** @param {string} description @param {string} amount @param {string} day */
  saved: (description, amount, day) => `Salvo: ${description}, ${amount}, ${day}`,
  repeat: 'Repetir todo mês',
  repeat_category: 'Para repetir, escolha uma categoria.',
  repeat_offline: 'Para repetir, é preciso estar conectado.',
  /** @param {string} saved @param {number} day */
  repeats: (saved, day) => `${saved}; repete todo mês, no dia ${day}`,
  unrepeated: 'Não vai se repetir todo mês.',
  /** @param {string} name */
  paid: name => `Salvo: ${name} paga`,
  /** @param {string} name @param {string} amount */
  paid_part: (name, amount) => `Salvo: ${name}, ainda faltam ${amount}`,
  /** @param {string} text */
  waits: text => `Sem conexão: “${text}” está em A enviar.`,
  /** @param {number} most */
  full: most => `Já há ${most} lançamentos a enviar. Espere a conexão voltar.`,
};
