// Os arquivos que chegaram, em português do Brasil.
import { plural } from '../pt-BR.js';

export default {
  title: 'Chegaram',
  /** @param {string} when @param {string} until */
  since: (when, until) => `chegou ${when}, fica até ${until}`,
  no_account: 'Conta a escolher',
  unnamed: 'arquivo sem nome',
  /** @param {number} count */
  import_files: count => `Importar ${plural(count, 'arquivo', 'arquivos')}`,
  open: 'Abrir',
  dismiss: 'Dispensar',
  /** @param {string} name */
  dismissed: name => `${name}: dispensado.`,
  /** @param {string} name */
  restored: name => `${name}: de volta.`,
  /** @param {number} count */
  past: count => `${plural(count, 'arquivo dispensado ou importado', 'arquivos dispensados ou importados')}`,
  states: { dismissed: 'dispensado', imported: 'importado' },
  again: 'Trazer de volta',
  delete: 'Apagar',
  /** @param {string} name */
  deleted: name => `${name}: apagado. O que foi importado dele fica.`,
  waits: 'O que foi compartilhado está guardado neste aparelho e chega quando a conexão voltar.',
  /** @param {string} name */
  too_large: name => `${name} é grande demais para ser guardado neste aparelho.`,
};
