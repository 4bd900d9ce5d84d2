// Categorias, em português do Brasil.
import { plural } from '../pt-BR.js';

export default {
  /** @param {string} month */
  title: month => `Categorias em ${month}`,
  add: 'Nova categoria',
  edit: 'Editar categoria',
  /** @param {string} spent @param {string} budget */
  used: (spent, budget) => `${spent} de ${budget} planejados`,
  /** @param {number} count */
  over: count => plural(count, 'passou do orçamento', 'passaram do orçamento'),
  planned: 'Com orçamento',
  unplanned: 'Sem orçamento',
  unused: 'Sem saídas neste mês',
  tax: 'Imposto',
  six: 'Últimos seis meses',
  budget: 'Orçamento',
  budget_hint: 'Todo mês, a partir deste. Em branco, sem orçamento.',
  is_tax: 'É imposto',
  is_tax_hint: 'O que sai por ela soma em “Impostos” no painel.',
  tax_kind: 'Na declaração do imposto de renda',
  tax_kind_hint: 'O que sai por ela é somado, por quem recebeu, no relatório do ano.',
  tax_kinds: {
    none: 'Não entra',
    health: 'Saúde',
    education: 'Educação',
    pension: 'Previdência privada',
    donation: 'Doações',
  },
  carry: 'O que sobra no fim do mês',
  carry_hint: 'Entra no disponível do mês seguinte.',
  carries: { none: 'Não passa adiante', surplus: 'A sobra passa adiante', both: 'A sobra e o que faltou passam adiante' },
  carry_since: 'Desde o mês',
  nets: 'Entradas aqui são',
  nets_refunds: 'estornos',
  nets_income: 'renda',
  group: 'Grupo',
  position: 'Ordem',
  position_hint: 'Um número: o menor vem antes. Em branco, por último.',
  icon: 'Ícone',
  no_icon: 'Nenhum',
  hidden: 'Esconder: não é mais oferecida nem sugerida',
  icons: /** @type {Record<string, string>} */ ({
    baby: 'bebê', bank: 'banco', beach: 'praia', beer: 'cerveja', bike: 'bicicleta', book: 'livros', box: 'caixa', briefcase: 'trabalho',
    bus: 'ônibus', camera: 'câmera', car: 'carro', cart: 'carrinho', cat: 'gato', chart: 'gráfico', clothes: 'roupa', coffee: 'café',
    dog: 'cachorro', drop: 'água', envelope: 'carta', film: 'cinema', fuel: 'combustível', game: 'jogo', gift: 'presente',
    hammer: 'obra', heart: 'coração', home: 'casa', light: 'luz', medicine: 'remédio', money: 'dinheiro', music: 'música',
    people: 'família', phone: 'telefone', plane: 'viagem', plant: 'planta', receipt: 'recibo', restaurant: 'restaurante',
    school: 'escola', shirt: 'camiseta', star: 'estrela', television: 'televisão', tooth: 'dente', train: 'trem', wifi: 'internet',
  }),
  standard: 'Categoria padrão: pode mudar de nome, mas não é apagada.',
  /** @param {string} name */
  created: name => `${name} criada.`,
  remove_text: 'Ela sai das listas. Não dá para desfazer.',
  move_to: 'Passar o que é dela para',
  move_hint: 'Lançamentos, itens recorrentes e faturas guardadas.',
  move_none: 'Nada a passar',
  /** @param {string} name @param {string} to */
  moved: (name, to) => `${name}: apagada; o que era dela está em ${to}.`,
  in_use_text:
    'Há lançamentos, itens recorrentes, regras ou faturas guardadas nesta categoria. Escolha acima para onde vão, ou veja quais são.',
  rules: 'Regras',
};
