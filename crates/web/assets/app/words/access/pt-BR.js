// Quem tem acesso: pessoas, chaves, calendário, sessões. Em português do Brasil.

export default {
  title: 'Pessoas e acesso',
  roles: { owner: 'Responsável', editor: 'Pode editar', viewer: 'Somente leitura' },
  role_texts: {
    owner: 'Vê e muda tudo, também quem tem acesso, e exporta os dados.',
    editor: 'Vê e muda tudo, menos quem tem acesso e a exportação.',
    viewer: 'Vê tudo, não muda nada.',
  },
  own: 'Seu acesso',
  you: 'você',
  members: 'Pessoas',
  members_text: 'Quem entra aqui, cada um com seu nome e sua senha.',
  /** @param {string} date */
  since: date => `desde ${date}`,
  /** @param {string} name */
  role_of: name => `Acesso de ${name}`,
  /** @param {string} name @param {string} role */
  role_saved: (name, role) => `${name}: ${role.toLowerCase()}.`,
  /** @param {string} name */
  remove: name => `Remover ${name}`,
  /** @param {string} name */
  remove_title: name => `Remover ${name}?`,
  remove_text:
    'A pessoa sai na hora, e as chaves, os convites e os webhooks que fez deixam de valer. O que anotou fica.',
  remove_yes: 'Remover',
  /** @param {string} name */
  removed: name => `${name} não entra mais.`,
  invite: 'Convidar',
  invite_title: 'Convidar alguém',
  invite_role: 'O que a pessoa poderá fazer',
  invite_do: 'Criar convite',
  /** @param {string} until */
  invite_text: until => `Mande este endereço à pessoa. Vale para uma só, até ${until}, e não é mostrado de novo.`,
  link: 'Endereço do convite',
  invitations: 'Convites abertos',
  /** @param {string | null} name @param {string} until */
  invitation: (name, until) => (name ? `por ${name}, até ${until}` : `até ${until}`),
  /** @param {string} role @param {string} until */
  withdraw: (role, until) => `Recolher o convite: ${role.toLowerCase()}, até ${until}`,
  withdrawn: 'Convite recolhido.',
  tokens: 'Chaves para programas',
  tokens_text: 'Um programa entra com uma chave, que só faz o que está marcado nela.',
  no_tokens: 'Nenhuma chave.',
  new_token: 'Nova chave',
  make_token: 'Criar chave',
  name: 'Para quê',
  name_hint: 'Como “importar toda noite”.',
  scopes: 'O que ela pode',
  scope_names: {
    read: 'Ler tudo',
    import: 'Importar extratos',
    write: 'Ler e mudar tudo',
    export: 'Exportar',
    calendar: 'Calendário',
    enter: 'Lançar',
  },
  scope_texts: {
    read: 'Contas, lançamentos e relatórios, sem mudar nada.',
    import: 'Envia extratos, e vê contas, categorias e importações.',
    write: 'Também importa. Menos a exportação, as pessoas e as chaves.',
    export: 'Baixa tudo o que há aqui, num arquivo.',
    calendar: 'Só o que vence, para um calendário.',
    enter: 'Ler linhas e salvar lançamentos, parcelas e transferências, sem ver nada.',
  },
  scopes_needed: 'Marque ao menos um.',
  expires: 'Vale até',
  expires_hint: 'No máximo um ano.',
  /** @param {string} date */
  until: date => `vale até ${date}`,
  /** @param {string} date */
  ended: date => `venceu em ${date}`,
  never_used: 'nunca usada',
  /** @param {string} date */
  used: date => `usada por último em ${date}`,
  token: 'Chave',
  token_text: 'Guarde agora: ela não é mostrada de novo.',
  /** @param {string} name */
  revoke: name => `Revogar ${name}`,
  /** @param {string} name */
  revoke_title: name => `Revogar ${name}?`,
  revoke_text: 'Quem usa esta chave deixa de entrar na hora. Não dá para desfazer.',
  revoke_yes: 'Revogar',
  /** @param {string} name */
  revoked: name => `${name}: revogada.`,
  copy: 'Copiar',
  copied: 'Copiado.',
  calendar: 'Calendário do celular',
  calendar_text:
    'Faturas e recorrentes que vencem, no calendário do celular. Quem tem o endereço vê isso, então trate-o como senha.',
  /** @param {string} name */
  calendar_name: name => `Calendário de ${name}`,
  calendar_make: 'Criar endereço',
  calendar_change: 'Trocar endereço',
  calendar_told: 'Assine este endereço no calendário. Ele não é mostrado de novo.',
  calendar_changed: 'O endereço de antes não vale mais.',
  calendar_address: 'Endereço do calendário',
  calendar_amounts: 'Com os valores',
  sessions: 'Sessões',
  sessions_text: 'Cada aparelho em que você entrou fica com uma sessão aberta. Se perdeu um deles, encerre-o aqui.',
  /** @param {string} browser @param {string} system */
  device: (browser, system) => `${browser} no ${system}`,
  device_this: 'este aparelho',
  device_unknown: 'Programa desconhecido',
  /** @param {string} since @param {string} until */
  session_time: (since, until) => `desde ${since}, até ${until}`,
  session_end: 'Encerrar este aparelho',
  session_ended: 'Aparelho encerrado: ele só volta com a senha.',
  sessions_end: 'Sair de todos os aparelhos',
  sessions_title: 'Sair de todos os aparelhos?',
  sessions_ask:
    'Você sai daqui também e entra de novo com sua senha. Os convites que você fez deixam de valer; as chaves continuam.',
  sessions_yes: 'Sair de todos',
  new_password: 'Nova senha',
  /** @param {string} name */
  new_password_of: name => `Nova senha de ${name}`,
  /** @param {string} name @param {string} until */
  password_text: (name, until) =>
    `Mande este endereço a ${name}, que escolhe a senha com ele. Vale uma vez, até ${until}, e não é mostrado de novo. Até lá, nada muda.`,
  password_link: 'Endereço para a senha',
  /** @param {string} name */
  choose_title: name => `Escolha sua senha, ${name}`,
  choose_text: 'Com ela você entra daqui em diante. Se havia outra senha, quem entrou com ela sai.',
  choose_do: 'Guardar e entrar',
  accept_title: 'Você recebeu um convite',
  accept_text: 'Escolha o nome e a senha com que vai entrar.',
  accept_name: 'Seu nome',
  accept_password: 'Senha',
  accept_password_hint: 'Ao menos 8 caracteres.',
  accept_do: 'Aceitar e entrar',
  accept_busy: 'Entrando…',
  accept_login: 'Já tenho acesso',
};
