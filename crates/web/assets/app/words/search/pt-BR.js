// A busca, em português do Brasil.

export default {
  hint: 'Lançamento, conta, categoria ou página',
  pages: 'Páginas',
  rules: 'Regras',
  settings: 'Ajustes',
  /** Each card of the settings: its name, and the words by which people look for it. */
  setting: {
    device: ['Neste aparelho', 'idioma língua tema claro escuro aparência ocultar valores atalhos'],
    access: ['Pessoas e acesso', 'convidar membros chaves sessões sair calendário'],
    goal: ['Meta de economia', 'poupar guardar economizar'],
    names: ['Nomes da casa', 'transferências próprias família'],
    'password-title': ['Senha', 'trocar mudar senha'],
    'second-factor': ['Verificação em duas etapas', 'código autenticador segurança'],
    'character-shown': ['Mostrar o personagem', 'esconder nível missões'],
    notices: ['Avisos', 'notificações lembretes vencimentos'],
    webhooks: ['Webhooks', 'integrações programas'],
    data: ['Seus dados', 'exportar baixar cópia backup csv planilha json'],
    restore: ['Restaurar', 'backup cópia arquivo recuperar'],
    about: ['Sobre', 'versão licença bibliotecas'],
  },
  /** @param {string} q */
  all: q => `Todos os lançamentos com “${q}”`,
  none: 'Nada encontrado.',
  /** @param {number} count */
  found: count => (count === 1 ? '1 resultado' : `${count} resultados`),
};
