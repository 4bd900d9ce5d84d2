// A página do personagem, em português.

/** @type {Record<string, string>} */
const skins = {
  fair: 'Muito clara',
  light: 'Clara',
  medium: 'Morena clara',
  tan: 'Morena',
  brown: 'Marrom',
  deep: 'Escura',
  dark: 'Muito escura',
};
/** @type {Record<string, string>} */
const hair_styles = {
  short: 'Curto',
  long: 'Comprido',
  wavy: 'Ondulado',
  curly: 'Cacheado',
  coily: 'Crespo',
  braids: 'Tranças',
  bun: 'Coque',
  shaved: 'Raspado',
};
/** @type {Record<string, string>} */
const bodies = { slim: 'Esguio', curvy: 'Curvilíneo', broad: 'Robusto' };
/** @type {Record<string, string>} */
const colors = {
  background: 'Fundo',
  surface: 'Papel',
  primary: 'Principal',
  accent: 'Destaque',
  leaf: 'Folha',
  skin: 'Pele',
  hair: 'Cabelo',
  shirt: 'Parte de cima',
  pants: 'Parte de baixo',
  shoes: 'Calçado',
};
/** @type {Record<string, string>} */
const actions = {
  transaction_created: 'Lançamento',
  import_confirmed: 'Extrato importado',
  savings_checked: 'Meta alcançada',
  category_created: 'Categoria criada',
  category_budgeted: 'Orçamento definido',
  category_budget_kept: 'Mês dentro do orçamento',
  account_created: 'Conta criada',
  transfer_created: 'Transferência',
  bill_paid: 'Fatura paga',
  recurring_created: 'Recorrente criado',
  recurring_confirmed: 'Receita confirmada',
  settings_changed: 'Meta definida',
  quest_completed: 'Missão',
  achievement_earned: 'Conquista',
};

/**
 * The texts of the catalog in another language than that of the service; what is missing stays as the service says it.
 * @type {{ quests: Record<string, [title: string, description: string]>, achievements: Record<string, [title: string, description: string]>, of_category: [title: RegExp, toTitle: string, toDescription: string] | null, cosmetics: Record<string, string> }}
 */
const catalog = { quests: {}, achievements: {}, of_category: null, cosmetics: {} };

export default {
  catalog,
  title: 'Personagem',
  /** @param {string} xp */
  all_xp: xp => `${xp} XP ao todo`,
  theme: 'As cores do seu tema',
  clothes: 'Guarda-roupa',
  kind: 'O que experimentar',
  kinds: { hair: 'Cabelo', shirt: 'Parte de cima', pants: 'Parte de baixo', shoes: 'Calçados' },
  worn: 'Vestindo',
  /** @param {number} level */
  from_level: level => `A partir do nível ${level}`,
  /** @param {string} name */
  trying: name => `Experimentando: ${name}`,
  /** @param {string} name */
  wearing: name => `Vestindo: ${name}`,
  nothing: 'Nada escolhido aqui ainda.',
  wear: 'Vestir',
  take_off: 'Tirar',
  put_back: 'Deixar como estava',
  appearance: 'Aparência',
  skin: 'Pele',
  hair_style: 'Cabelo',
  body: 'Corpo',
  ids: { skin: skins, hair_style: hair_styles, body: bodies },
  colors,
  quests: 'Missões',
  quest_types: { daily: 'Hoje', weekly: 'Esta semana', monthly: 'Este mês', once: 'Uma vez só' },
  /** @param {number} progress @param {number} target */
  progress: (progress, target) => `${progress} de ${target}`,
  /** @param {string} when */
  completed: when => `Cumprida em ${when}`,
  /** @param {number} xp */
  xp: xp => `+${xp.toLocaleString('pt-BR')} XP`,
  achievements: 'Conquistas',
  /** @param {number} count @param {number} of */
  earned_of: (count, of) => `${count} de ${of}`,
  none_earned: 'Nenhuma ainda. A primeira vem com um lançamento.',
  /** @param {number} count */
  to_earn: count => `Ainda por vir (${count})`,
  history: 'De onde veio o XP',
  no_history: 'Nada ainda. Registre um lançamento para começar.',
  more: 'Mostrar mais',
  actions,
};
