// Contas e cartões, em português do Brasil.
import { account } from '../pt-BR.js';

export default {
  /** @param {string} own @param {string} owed */
  worth: (own, owed) => `${own} em contas, menos ${owed} a pagar nos cartões.`,
  kinds: { current: 'Contas correntes', savings: 'Poupança', investment: 'Investimentos', credit: 'Cartões' },
  /** @param {string} share */
  cdi: share => `Rende ${share} do CDI`,
  variable: 'Rende de forma variável',
  poupanca: 'Rende como poupança',
  /** @param {string} rate */
  fixed_rate: rate => `Rende ${rate} ao ano`,
  /** @param {string} rate */
  ipca: rate => `Rende IPCA + ${rate} ao ano`,
  /** @param {string | null} rate */
  selic: rate => (rate ? `Rende Selic + ${rate} ao ano` : 'Rende a Selic'),
  /** @param {string} date */
  paid_until: date => `Rendimento lançado até ${date}`,
  /** @param {number} closing @param {number} due */
  days: (closing, due) => `Fecha dia ${closing}, vence dia ${due}`,
  rows: 'Ver lançamentos',
  differs: 'Está diferente no banco?',
  edit: 'Editar',
  empty: 'Nenhuma conta ainda',
  empty_text:
    'Comece pelo banco em que seu dinheiro está, com o saldo de hoje. Cartões e investimentos também são contas.',
  gone: 'Esta conta não existe mais.',
  trend: 'Saldo mês a mês',
  /** @param {string} month @param {string} was @param {string} is */
  trend_title: (month, was, is) => `De ${was} no fim de ${month} a ${is} hoje`,
  balance: 'Saldo no fim do mês',
  anchors: {
    title: 'Saldo do banco',
    /** @param {string} date */
    until: date => `Confere com o banco até ${date}`,
    /** @param {string} date @param {string} amount */
    short: (date, amount) => `Em ${date} faltam ${amount}`,
    /** @param {string} date @param {string} amount */
    over: (date, amount) => `Em ${date} sobram ${amount}`,
    /** @param {string} amount */
    bank: amount => `O banco diz ${amount}.`,
    suspects: 'Pode ser um destes:',
    sign: 'Entrada no lugar de saída, ou o contrário?',
    extra: 'Lançado a mais?',
    left_out: 'Ficou de fora da importação',
    adjust: 'Acertar',
    adjust_text: 'Cria um lançamento que muda só o saldo: não é entrada nem saída.',
    /** @param {string} date */
    adjusted: date => `Saldo de ${date} acertado.`,
  },
  transfers: 'Transferências',
  all_transfers: 'Ver todas em Lançamentos',
  transfers_text: 'As feitas aqui.',
  transfers_found: 'As reconhecidas em extratos estão nos lançamentos.',
  no_transfers: 'Nenhuma feita aqui. Transferir muda os saldos; não é entrada nem saída.',
  transfer: 'Transferir',
  /** @param {string} amount @param {string} from @param {string} to */
  transferred: (amount, from, to) => `${amount} de ${from} para ${to}.`,
  /** @param {string} amount @param {string} from @param {string} to */
  remove_transfer: (amount, from, to) => `Apagar transferência de ${amount}, ${from} → ${to}`,
  transfer_removed: 'Transferência apagada.',
  remove_text: 'O saldo inicial é apagado com ela.',
  /** @param {string} name */
  removed: name => `${account(name)} apagada.`,
  in_use:
    'Ainda há o que é desta conta: lançamentos, faturas pagas ou uma fatura guardada. Apague isso antes, ou passe os lançamentos para outra conta.',
  spendable: 'O dinheiro desta conta está livre para gastar',
  fixed: 'O tipo não muda depois de criada.',
  then: 'Saldo neste dia',
  opened: 'No dia',
  yields: 'Como rende',
  yields_none: 'Não rende sozinha',
  none_text: 'O saldo só muda com os lançamentos.',
  yields_cdi: 'Um percentual do CDI',
  cdi_text: 'CDBs, caixinhas: o rendimento entra sozinho, mês a mês, pela taxa do Banco Central, antes de impostos.',
  yields_variable: 'De forma variável',
  variable_text: 'Ações, fundos: você anota o que rendeu ou perdeu.',
  yields_poupanca: 'Como poupança',
  poupanca_text: 'No aniversário de cada depósito, pela taxa do Banco Central, sem impostos.',
  yields_fixed: 'Uma taxa fixa',
  fixed_text: 'Prefixados: a taxa ao ano combinada na aplicação.',
  yields_ipca: 'IPCA mais uma taxa',
  ipca_text: 'Tesouro IPCA+, CDBs: a inflação de cada mês e uma taxa ao ano.',
  yields_selic: 'Selic mais uma taxa',
  selic_text: 'Tesouro Selic: a taxa básica e, se houver, um pouco mais ao ano.',
  rate: '% ao ano',
  rate_more: 'Mais % ao ano',
  day_count: 'Dias que rendem',
  calendar: 'Todos os dias',
  calendar_text: 'Em 2024, 100% pagou 16,12%.',
  business: 'Só dias úteis',
  business_text: 'Em 2024, 100% pagou 10,88%, como no banco.',
  taxes: 'Impostos',
  tax_none: 'Isento',
  tax_none_text: 'LCI, LCA e outros sem imposto.',
  tax_regressive: 'IOF e imposto de renda',
  tax_regressive_text: 'CDB, Tesouro: mostra quanto sobraria se tudo saísse hoje. Nada é lançado.',
  gross: 'Bruto',
  iof: 'IOF',
  income_tax: 'Imposto de renda',
  net: 'Líquido',
  /** @param {string} amount */
  of_held: amount => `${amount} a confirmar`,
  /** @param {string} amount */
  ahead: amount => `${amount} depois de hoje`,
  /** @param {string} amount */
  after_tax: amount => `${amount} depois dos impostos`,
  over_time: 'Patrimônio mês a mês',
  earned: 'Quanto rendeu',
  /** @param {string} gross @param {string | null} net */
  earned_title: (gross, net) => `${gross} em doze meses${net === null ? '' : `, ${net} depois dos impostos`}.`,
  nothing_earned: 'Nada nos últimos doze meses.',
  tax: 'Imposto',
  tax_note: 'O imposto é o que seria cobrado se tudo saísse hoje.',
  share: '% do CDI',
  since: 'Já rendeu até',
  since_hint: 'Conta do dia seguinte em diante.',
  /** @param {string} name */
  saved: name => `${account(name)} salva.`,
  changed_bills: {
    title: 'Suas faturas agora somam como as do banco',
    text: 'O que fica em aberto, ou a mais, passa para a fatura seguinte. Seus lançamentos e pagamentos continuam os mesmos.',
    /** @param {string} date */
    due: date => `Fatura que vence em ${date}`,
    /** @param {string} before @param {string} after */
    change: (before, after) => `antes ${before}, agora ${after}`,
    done: 'Entendi',
  },
  today_hint: 'Com tudo de hoje: lançamentos com a data de hoje não mudam este saldo. Deixe em branco se não souber.',
  cards: {
    add: 'Novo cartão',
    empty: 'Nenhum cartão ainda',
    empty_text: 'Com o dia em que a fatura fecha e o dia em que vence, cada compra cai na fatura certa.',
    held: 'Faturas guardadas',
    bills: 'Faturas',
    /** @param {string} month */
    bill: month => `Fatura de ${month}`,
    paid: 'Paga',
    nothing: 'Nada a pagar',
    /** @param {string} date */
    due: date => `vence ${date}`,
    before: 'Há pagamentos de faturas de antes.',
    /** @param {string} from @param {string} to */
    period: (from, to) => `Compras de ${from} a ${to}`,
    /** @param {string} date @param {string} amount */
    pays_before: (date, amount) =>
      `A fatura com vencimento em ${date} ainda tem ${amount} a pagar. O pagamento vai primeiro para ela.`,
    /** @param {string} card @param {string} amount */
    paid_part: (card, amount) => `Pagamento feito. Nesta fatura do ${card} ainda faltam ${amount}.`,
    previous: 'Fatura anterior',
    /** @param {string} amount @param {string} month @param {boolean} isCredit */
    carried: (amount, month, isCredit) =>
      `${isCredit ? 'Crédito' : 'Resto'} de ${amount} foi para a fatura de ${month}`,
    total: 'Total',
    paid_amount: 'Pagamentos',
    amount_due: 'A pagar',
    due_date: 'Vencimento',
    closing_date: 'Fecha em',
    dates: 'Mudar datas',
    /** @param {string} bill */
    dates_title: bill => `Datas da ${bill.toLowerCase()}`,
    dates_text:
      'Só desta fatura, como o banco diz. Compras do dia em que fecha já são da próxima. Em branco, valem os dias do cartão.',
    dates_save: 'Salvar datas',
    dates_saved: 'Datas da fatura alteradas.',
    unpay: 'Desfazer pagamento',
    by_statement:
      'Esta fatura foi paga por um lançamento que veio do extrato ou de uma transferência. Separe ou apague esse lançamento, e a fatura volta a estar em aberto.',
    payments: 'Ver pagamentos do cartão',
    credits: 'Estornos e créditos',
    rows: 'Compras',
    no_rows: 'Nenhuma compra nesta fatura ainda.',
    /** @param {number} count @param {boolean} isMore */
    all_rows: (count, isMore) =>
      isMore ? `Ver todas, mais de ${count}` : count === 1 ? 'Ver em Lançamentos' : `Ver as ${count} em Lançamentos`,
  },
};
