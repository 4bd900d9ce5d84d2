// Ajustes, em português do Brasil.
import { plural } from '../pt-BR.js';

export default {
  title: 'Ajustes',
  device: 'Neste aparelho',
  language: 'Idioma',
  theme: 'Aparência',
  theme_system: 'Sistema',
  theme_light: 'Clara',
  theme_dark: 'Escura',
  hide: 'Ocultar valores',
  hide_hint: 'Troca os valores por pontos, para quando alguém está olhando.',
  goal: 'Meta de economia',
  goal_label: 'Quanto da renda guardar, em %',
  goal_saved: 'Meta definida.',
  password: 'Senha',
  current: 'Senha atual',
  new: 'Nova senha',
  new_hint: 'Ao menos 8 caracteres.',
  change: 'Trocar senha',
  changed: 'Senha trocada. Os outros aparelhos precisam entrar de novo.',
  names: 'Nomes da casa',
  names_text: 'Como os bancos chamam você e quem mora com você. Um Pix entre estes nomes é reconhecido como transferência entre contas suas.',
  names_saved: 'Nomes guardados.',
  data: 'Seus dados',
  export_text: 'Tudo o que é seu, num arquivo: JSON para guardar e restaurar, CSV para planilhas.',
  restore: 'Restaurar',
  restore_text: 'Traz de volta o que está num arquivo JSON exportado daqui, para um perfil ainda vazio.',
  restore_file: 'Escolher arquivo…',
  restore_title: 'Restaurar este arquivo?',
  /** @param {number} rows @param {number} accounts */
  holds: (rows, accounts) => `${plural(rows, 'lançamento', 'lançamentos')} e ${plural(accounts, 'conta', 'contas')}`,
  /** @param {string} name @param {string} day @param {string} what */
  from: (name, day, what) => `Exportado por ${name}, ${day}: ${what}.`,
  restore_ask: 'Tudo entra neste perfil de uma vez, ou nada. Só funciona enquanto ele está vazio.',
  restoring: 'Restaurando…',
  /** @param {string} what */
  restored: what => `Restaurado: ${what}.`,
  foreign: 'Este arquivo não é uma exportação em JSON daqui.',
  unsound: 'O arquivo está incompleto, ou é de uma versão mais nova do Finance. Nada foi gravado.',
  session: 'Sessão',
  /** @param {string} name */
  logged_in: name => `Você entrou como ${name}.`,
  about: 'Sobre',
  libraries: 'Bibliotecas usadas nesta página:',
  api: 'A API, para programas',
};
