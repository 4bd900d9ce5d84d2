// O que espera para ser enviado, em português do Brasil.
import { plural } from '../pt-BR.js';

export default {
  /** @param {number} count */
  waiting: count => `A enviar (${count})`,
  title: 'A enviar',
  text: 'Guardado só neste aparelho até o Finance responder.',
  none: 'Nada a enviar.',
  states: {
    waits: 'Esperando a conexão',
    asks: 'Precisa de uma resposta sua',
    refused: 'Recusado',
    doubtful: 'Talvez já enviado',
  },
  doubtful_text:
    'Foi enviado há mais de 23 horas e a resposta não chegou. Confira nos lançamentos antes de enviar de novo.',
  /** @param {string} reason */
  refused: reason => `Recusado: ${reason}`,
  mend: 'Corrigir',
  answer: 'Responder',
  resend: 'Enviar de novo',
  drop: 'Apagar',
  /** @param {string} text */
  dropped: text => `“${text}”: apagado.`,
  /** @param {number} count */
  sent: count => `${plural(count, 'lançamento guardado foi enviado', 'lançamentos guardados foram enviados')}.`,
  /** @param {number} count */
  asked: count =>
    `${plural(count, 'lançamento guardado precisa', 'lançamentos guardados precisam')} de você, em A enviar.`,
  leave_title: 'Sair sem enviar?',
  /** @param {number} count */
  leave_text: count =>
    `${count === 1 ? 'Há 1 item que ainda não foi enviado e será apagado' : `Há ${count} itens que ainda não foram enviados e serão apagados`} deste aparelho.`,
  leave: 'Sair e apagar',
  enter_title: 'Entrar e apagar o que era de outra pessoa?',
  /** @param {number} count */
  enter_text: count =>
    `${count === 1 ? 'Há 1 item de outra pessoa que ainda não foi enviado e será apagado' : `Há ${count} itens de outra pessoa que ainda não foram enviados e serão apagados`} deste aparelho.`,
  enter: 'Entrar e apagar',
};
