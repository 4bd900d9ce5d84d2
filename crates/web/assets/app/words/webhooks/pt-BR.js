// Words of webhooks.
/** @type {Record<string, string>} */
const events = {
  'import.confirmed': 'Extrato importado',
  'bill.closed': 'Fatura fechada',
  'bill.due': 'Fatura perto de vencer',
  'budget.exceeded': 'Orçamento ultrapassado',
  'transaction.created': 'Lançamento criado à mão',
};
/** @type {Record<string, string>} */
const errors = {
  unresolved: 'o endereço não existe ou é de uma rede privada',
  timeout: 'não respondeu a tempo',
  connection: 'não foi possível conectar',
  redirect: 'respondeu com outro endereço',
  status: 'recusou',
  stopped: 'quem criou o webhook não pode mais',
};
/** @type {Record<string, string>} */
const states = { pending: 'A enviar', delivered: 'Entregue', failed: 'Não entregue' };

export default {
  events,
  errors,
  states,
  title: 'Webhooks',
  none: 'Nenhum endereço é avisado ainda.',
  /** @param {string} name */
  by: name => `Criado por ${name}`,
  url: 'Endereço',
  url_hint: 'O endereço inteiro, a partir de https.',
  of: 'Avisar de',
  create: 'Criar webhook',
  secret: 'Segredo das assinaturas, mostrado só agora:',
  deliveries: 'Entregas',
  no_deliveries: 'Nada foi enviado ainda.',
  again: 'Enviar de novo',
  sent_again: 'Será enviado de novo.',
  remove: 'Excluir',
  removed: 'Webhook excluído.',
  /** @param {number} count */
  attempts: count => (count === 1 ? '1 tentativa' : `${count} tentativas`),
};
