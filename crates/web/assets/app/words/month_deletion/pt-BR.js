// Apagar um mês e guardar uma cópia de tudo, em português do Brasil.
import { plural } from '../pt-BR.js';

export default {
  /** @param {string} month */
  title: month => `Apagar ${month}`,
  /** @param {number} count */
  count: count =>
    count === 1 ? '1 lançamento será apagado.' : `${count.toLocaleString('pt-BR')} lançamentos serão apagados.`,
  text: 'São todos os do mês, de todas as contas.',
  /** @param {string} month */
  none: month => `Não há lançamentos em ${month}.`,
  export_first: 'Quer guardar uma cópia de tudo antes?',
  exported: 'Cópia guardada. Ela tem tudo o que é seu aqui.',
  export_json: 'Exportar JSON',
  export_csv: 'Exportar CSV para planilhas',
  /** @param {number} count */
  submit: count => `Apagar ${plural(count, 'lançamento', 'lançamentos')}`,
  /** @param {number} count @param {string} month */
  done: (count, month) =>
    `${plural(count, 'lançamento', 'lançamentos')} de ${month} ${count === 1 ? 'apagado' : 'apagados'}.`,
};
