// Português do Brasil. Other languages have the same keys; a missing one is a type error.

/** @param {number} count @param {string} one @param {string} many */
export const plural = (count, one, many) => `${count.toLocaleString('pt-BR')} ${count === 1 ? one : many}`;

/** `Conta Nubank`, and `Conta Itaú` of a name that has the word. @param {string} name */
export const account = name => (/^conta\b/i.test(name) ? name : `Conta ${name}`);

/** A month at the beginning of a sentence. @param {string} month */
const capital = month => month.charAt(0).toUpperCase() + month.slice(1);

export default {
  app: {
    title: 'Finance',
    skip_content: 'Ir para o conteúdo',
    skip_menu: 'Ir para o menu',
    menu: 'Menu',
    more: 'Mais',
    add: 'Novo lançamento',
    hide_values: 'Ocultar valores',
    show_values: 'Mostrar valores',
    hidden_value: 'valor oculto',
    loading: 'Carregando',
    close: 'Fechar',
    cancel: 'Cancelar',
    save: 'Salvar',
    undo: 'Desfazer',
    undone: 'Desfeito.',
    redo: 'Refazer',
    redone: 'Refeito.',
    retry: 'Tentar de novo',
    /** @param {number} seconds */
    retry_in: seconds => `Tentar de novo em ${seconds} s`,
    logout: 'Sair',
    offline: 'Sem conexão com o Finance. O que já foi lido continua aqui; tentando de novo…',
    not_loaded: 'Não foi possível abrir esta parte do Finance. Verifique a conexão.',
    unread: 'Não foi possível ler as categorias e as contas: os nomes delas não aparecem.',
    drop_title: 'Descartar o que foi digitado?',
    drop_text: 'O que você digitou aqui ainda não foi salvo.',
    drop: 'Descartar',
    pending_salary: 'Salário pendente',
    pending_income: 'Entrada a confirmar',
    copy: 'Copiar como tabela',
    /** @param {number} count */
    copied: count => `${plural(count, 'linha copiada', 'linhas copiadas')}.`,
    copy_refused: 'O navegador não deixou copiar. O texto está selecionado: copie com Ctrl+C.',
    only_reads: 'Seu acesso é só de leitura: você vê tudo, e quem edita é outra pessoa da casa.',
  },
  views: {
    dashboard: 'Painel',
    transactions: 'Lançamentos',
    imports: 'Importar',
    accounts: 'Contas',
    cards: 'Cartões',
    forecast: 'Previsão',
    recurring: 'Recorrentes',
    budgets: 'Orçamento',
    categories: 'Categorias',
    reports: 'Relatórios',
    changes: 'O que mudou',
    character: 'Personagem',
    settings: 'Ajustes',
    login: 'Entrar',
    missing: 'Esta página não existe',
    missing_text: 'O endereço pode ter mudado, ou alguém errou uma letra.',
    to_dashboard: 'Ir para o painel',
  },
  month: {
    label: 'Mês',
    /** @param {string} month */
    previous: month => `Mês anterior, ${month}`,
    /** @param {string} month */
    next: month => `Mês seguinte, ${month}`,
  },
  days: {
    today: 'Hoje',
    yesterday: 'Ontem',
    tomorrow: 'Amanhã',
  },
  money: {
    income: 'Entrada',
    expense: 'Saída',
    transfer: 'Transferência',
  },
  character: {
    /** @param {number} level @param {string} title */
    level: (level, title) => `Nível ${level}, ${title}`,
    /** @param {number} level */
    short: level => `Nível ${level}`,
    /** @param {number} xp */
    to_next: xp => `faltam ${xp.toLocaleString('pt-BR')} XP para o próximo nível`,
    last_level: 'o último nível',
    /** @param {number} xp */
    earned: xp => `Você ganhou ${xp.toLocaleString('pt-BR')} XP.`,
    /** @param {number} level @param {string} title */
    rose: (level, title) => `Você chegou ao nível ${level}: ${title}!`,
    /** The title of a level, which the service has in Portuguese. @param {{ title: string, sprite: string }} of */
    titled: of => of.title,
  },
  login: {
    title: 'Entrar',
    welcome: 'Suas contas, em ordem.',
    name: 'Nome',
    password: 'Senha',
    show: 'Mostrar senha',
    keep: 'Manter conectado (90 dias)',
    submit: 'Entrar',
    busy: 'Entrando…',
    code: 'Código do autenticador',
    code_needed: 'Digite o código que o autenticador mostra, ou um código de recuperação.',
    wrong_code: 'Nome, senha ou código não conferem. Cada código vale uma vez.',
    wrong: 'Nome ou senha não conferem. Confira as maiúsculas e tente de novo.',
    /** @param {string} time */
    wait: time => `Foram muitas tentativas. Você pode tentar de novo em ${time}.`,
    ended: 'Sua sessão terminou. Entre de novo para continuar de onde parou.',
    kept: 'O que você digitou espera no formulário, ainda não salvo.',
    left: 'Você saiu. Até logo!',
    name_needed: 'Diga seu nome.',
    password_needed: 'Digite sua senha.',
    help: 'Sem acesso ou sem senha? Quem cuida do servidor, ou outro responsável daqui, manda um endereço.',
    /** @param {number} minutes */
    ends_soon: minutes => `Sua sessão termina em ${plural(minutes, 'minuto', 'minutos')}`,
    stay_text: 'Digite sua senha para continuar; nada do que está na tela se perde.',
    stay: 'Continuar',
  },
  dashboard: {
    /** @param {string} month */
    title: month => `Painel de ${month}`,
    /** @param {string} month */
    result: month => `Resultado de ${month}`,
    /** @param {string} month */
    result_expected: month => `Resultado previsto de ${month}`,
    /** @param {string} month @param {string} left @param {boolean} isShort */
    so_far: (month, left, isShort) => `${capital(month)} até agora: ${isShort ? 'faltam' : 'sobram'} ${left}.`,
    /** @param {string} spent @param {string | false} planned @param {number} days */
    pace: (spent, planned, days) =>
      [
        planned ? `Gastos ${spent} de ${planned} planejados` : `Gastos ${spent}`,
        days === 0 ? 'hoje é o último dia' : days === 1 ? 'falta 1 dia' : `faltam ${days} dias`,
      ].join(', '),
    /** @param {string} day @param {string} spent */
    pace_before: (day, spent) => `; no dia ${day} eram ${spent}`,
    /** @param {string} spent */
    pace_average: spent => `; na média dos últimos meses, até este dia eram ${spent}`,
    figures: 'Números do mês',
    income_expected: 'Deve entrar',
    expenses_expected: 'Deve sair',
    free: 'Livre para gastar',
    income: 'Entrou',
    expenses: 'Saiu',
    taxes: 'Impostos',
    savings: 'Economizado',
    savings_so_far: 'Economizado até agora',
    /** @param {string} goal */
    goal: goal => `meta de ${goal}`,
    savings_null: 'Sem renda neste mês, não há o que comparar com a meta.',
    net_worth: 'Patrimônio',
    net_worth_expected: 'Patrimônio previsto',
    /** @param {string} month */
    net_worth_of: month => `Patrimônio no fim de ${month}`,
    /** @param {string} month */
    net_worth_coming: month => `Patrimônio previsto para o fim de ${month}`,
    balances_today: 'Ver os saldos de hoje',
    /** @param {string} amount */
    after_tax: amount => `${amount} após impostos`,
    waiting: 'Esperando por você',
    /** @param {number} count */
    more_waiting: count => `Mostrar mais ${count}`,
    nothing_waiting: 'Nada esperando por você.',
    salary: 'Seu salário já caiu?',
    salary_text: 'Confira o valor e o dia e confirme; o lançamento é feito na hora.',
    received: 'Confirmar',
    received_title: 'Confirmar recebimento',
    amount: 'Valor',
    date: 'Data',
    account: 'Conta',
    no_account: 'Sem conta',
    /** @param {string} description */
    confirmed: description => `Recebimento confirmado: ${description}.`,
    /** @param {string} date */
    expected: date => `esperado em ${date}`,
    /** @param {string} date */
    was_expected: date => `era esperado em ${date}`,
    late: 'Atrasado',
    mark_late: 'Marcar como atrasado',
    unmark_late: 'Não atrasado',
    ignore: 'Ignorar',
    /** @param {string} description */
    ignored: description => `Ignoramos ${description} neste mês.`,
    /** @param {string} description @param {string} day */
    ignored_due: (description, day) => `Ignoramos ${description} de ${day}`,
    /** @param {string} description */
    marked_late: description => `Marcamos o atraso de ${description}.`,
    ignored_list: 'Ignorados neste mês',
    none_ignored: 'Nenhum.',
    /** @param {string} card */
    bill_of: card => `Fatura ${card}`,
    /** @param {number} days */
    due: days =>
      days === 0
        ? 'Vence hoje'
        : days === 1
          ? 'Vence amanhã'
          : days > 1
            ? `Esta fatura vence em ${plural(days, 'dia', 'dias')}`
            : days === -1
              ? 'Venceu ontem'
              : `Venceu há ${plural(-days, 'dia', 'dias')}`,
    /** @param {string} date @param {boolean} isPast */
    due_on: (date, isPast) => `${isPast ? 'Venceu' : 'Vence'} ${date}`,
    /** @param {string} date */
    closes: date => `Aberta, fecha em ${date}`,
    /** @param {string} paid @param {string} total */
    paid_of: (paid, total) => `${paid} já pagos de ${total}`,
    pay: 'Pagar',
    /** @param {string} card */
    pay_title: card => `Pagar fatura do ${card}`,
    pay_from: 'Pagar com',
    pay_noted: 'Só anotar que foi paga',
    pay_noted_hint: 'O pagamento fica anotado na fatura, sem sair de nenhuma conta daqui.',
    paid_on: 'Dia do pagamento',
    /** @param {string} amount */
    pay_submit: amount => `Pagar ${amount}`,
    /** @param {string} card */
    paid: card => `Fatura ${card} paga.`,
    /** @param {string} card */
    unpaid: card => `Pagamento da fatura ${card} desfeito.`,
    /** @param {string} date */
    held: date => `Fatura importada, fica guardada até ${date}`,
    /** @param {number} count */
    held_rows: count => plural(count, 'linha', 'linhas'),
    see: 'Ver',
    confirm_held: 'Confirmar',
    discard: 'Descartar',
    discard_title: 'Descartar esta fatura?',
    discard_text: 'As linhas guardadas são apagadas. Você pode importar o arquivo outra vez.',
    discarded: 'Fatura descartada.',
    /** @param {number} count */
    held_confirmed: count => `${plural(count, 'lançamento incluído', 'lançamentos incluídos')}.`,
    /** @param {number} count */
    held_skipped: count => `${plural(count, 'repetido ficou', 'repetidos ficaram')} de fora.`,
    spending: 'Para onde foi',
    spending_coming: 'Para onde vai',
    no_spending_coming: 'Nenhuma saída lançada neste mês ainda.',
    /** @param {string} category @param {string} share */
    spending_title: (category, share) => `${category} levou ${share} do que saiu`,
    no_spending: 'Nenhuma saída neste mês.',
    no_category: 'Sem categoria',
    /** @param {string} share @param {string} budget */
    over: (share, budget) => `${share} do orçamento de ${budget}`,
    /** @param {string} left @param {string} budget */
    within: (left, budget) => `restam ${left} de ${budget}`,
    /** @param {string} name */
    rows_of: name => `Ver lançamentos de ${name}`,
    more_categories: 'Mostrar todas',
    evolution: 'Mês a mês',
    /** @param {string} pct @param {string} month */
    saved: (pct, month) => `Você guardou ${pct} em ${month}`,
    /** @param {string} pct @param {string} month */
    overspent: (pct, month) => `Em ${month} saiu mais do que entrou: ${pct}`,
    /** @param {string} points @param {boolean} below */
    against_goal: (points, below) => `${points} ${below ? 'abaixo' : 'acima'} da meta`,
    /** @param {string} count */
    points: count => `${count} ${count === '1' ? 'ponto' : 'pontos'}`,
    on_goal: 'bem na meta',
    /** @param {string} month */
    no_rate: month => `Em ${month} não entrou renda para comparar`,
    goal_line: 'meta',
    as_table: 'Ver em tabela',
    month: 'Mês',
    last: 'Últimos lançamentos',
    all_of_month: 'Ver todos do mês',
    no_transactions: 'Nenhum lançamento neste mês ainda.',
    accounts: 'Contas',
    open_bills: 'Faturas abertas',
    first: 'Quatro passos para começar',
    first_text: 'Leva uns cinco minutos. Depois o painel se preenche sozinho.',
    step_account: 'Adicione uma conta',
    step_account_text: 'O banco em que seu dinheiro está, com o saldo de hoje.',
    step_account_do: 'Adicionar conta',
    step_account_more: 'Outra conta',
    step_statement: 'Traga um extrato',
    step_statement_text: 'O arquivo OFX, CSV ou a planilha que o aplicativo do seu banco exporta.',
    step_statement_do: 'Importar extrato',
    step_goal: 'Escolha sua meta de economia',
    step_goal_text: 'A parte da renda que você quer guardar por mês. Começa em 40%.',
    step_goal_do: 'Definir meta',
    goal_label: 'Quanto da renda guardar, em %',
    goal_saved: 'Meta definida.',
    step_budget: 'Planeje uma categoria',
    step_budget_text: 'Diga quanto quer gastar por mês, por exemplo, com mercado.',
    step_budget_do: 'Definir orçamento',
    done: 'Feito',
    not_now: 'Agora não',
  },
  transactions: {
    /** @param {string} month */
    title: month => `Lançamentos de ${month}`,
    title_all: 'Lançamentos',
    search: 'Procurar na descrição',
    search_hint: 'Procurar',
    filters: 'Filtros',
    /** @param {number} count */
    filters_set: count => `Filtros (${count})`,
    any_account: 'Conta: todas',
    any_category: 'Categoria: todas',
    tag: 'Tag',
    any_tag: 'Tag: todas',
    any_type: 'Tipo: todos',
    only_expense: 'Só saídas',
    only_income: 'Só entradas',
    period: 'Período',
    all_months: 'Todos os meses',
    range: 'Outro período',
    from: 'De',
    to: 'Até',
    of_bill: 'Só desta fatura',
    /** @param {string} card @param {string} date */
    bill: (card, date) => `Só da fatura ${card} que vence em ${date}`,
    of_import: 'Só desta importação',
    without_tag: 'Sem tag',
    /** @param {string | undefined} name */
    of_report: name => (name ? `Relatório: ${name}` : 'De um relatório'),
    without: 'tirar este filtro',
    clear: 'Limpar filtros',
    /** @param {number} count */
    count: count => plural(count, 'lançamento', 'lançamentos'),
    /** @param {string} value */
    came: value => `entraram ${value}`,
    /** @param {string} value */
    went: value => `saíram ${value}`,
    actions: 'Ações',
    /** @param {string} description */
    edit_row: description => `Editar ${description}`,
    /** @param {string} description */
    duplicate_row: description => `Duplicar ${description}`,
    /** @param {string} description */
    remove_row: description => `Apagar ${description}`,
    /** @param {string} description */
    unlink_row: description => `Separar ${description}`,
    /** @param {string} description */
    mark: description => `Marcar ${description}`,
    mark_all: 'Marcar todos',
    unmark: 'Desmarcar todos',
    change_category: 'Trocar a categoria',
    /** @param {string} description */
    category_of: description => `categoria de ${description}`,
    /** @param {string} date */
    bought: date => `compra em ${date}`,
    /** @param {string} text */
    statement_said: text => `no extrato: ${text}`,
    /** @param {string} description */
    saved: description => `Lançamento ${description} salvo.`,
    /** @param {string} description @param {string} day */
    duplicated: (description, day) => `Lançamento ${description} copiado para ${day.toLowerCase()}.`,
    /** @param {string} description */
    removed: description => `Lançamento ${description} apagado.`,
    link: 'Ligar como transferência',
    linked: 'Ligados como transferência: não contam mais como entrada nem saída.',
    unlinked: 'Separados: cada um conta por si de novo.',
    remove: 'Apagar',
    /** @param {string} description */
    remove_title: description => `Apagar ${description}?`,
    remove_text: 'Ele sai da lista e das somas.',
    remove_imported_text: 'Veio de um extrato. Se você importar o mesmo arquivo outra vez, ele volta.',
    remove_transfer_title: 'Apagar esta transferência?',
    remove_transfer_text: 'Os dois lados são apagados, e os saldos das duas contas mudam.',
    /** @param {string} description @param {string} value */
    changed_one: (description, value) => `${description}: agora em ${value}.`,
    /** @param {number} count @param {string} value */
    changed: (count, value) => `${plural(count, 'lançamento', 'lançamentos')} agora em ${value}.`,
    /** @param {number} count @param {number} all */
    marked_of: (count, all) => `${count.toLocaleString('pt-BR')} de ${all.toLocaleString('pt-BR')} marcados`,
    /** @param {number} all */
    mark_matching: all => `Marcar todos os ${all.toLocaleString('pt-BR')}`,
    /** @param {number} done @param {number} all */
    progress: (done, all) => `${done.toLocaleString('pt-BR')} de ${all.toLocaleString('pt-BR')}…`,
    /** @param {number} count @param {string} payee */
    others: (count, payee) =>
      count === 1
        ? `Mudar também o outro de ${payee}`
        : `Mudar também os outros ${count.toLocaleString('pt-BR')} de ${payee}`,
    /** @param {number} count */
    marked: count => plural(count, 'marcado', 'marcados'),
    bulk_title: {
      /** @param {number} count */
      category: count => `Categoria de ${plural(count, 'lançamento', 'lançamentos')}`,
      /** @param {number} count */
      account: count => `Conta de ${plural(count, 'lançamento', 'lançamentos')}`,
    },
    apply: 'Aplicar',
    /** @param {number} count */
    left_alone: count =>
      count === 1
        ? '1 fica como está: transferência ou dividido.'
        : `${count} ficam como estão: transferências ou divididos.`,
    /** @param {number} count */
    remove_many_title: count => `Apagar ${plural(count, 'lançamento', 'lançamentos')}?`,
    remove_many_text: 'De uma transferência são apagados os dois lados.',
    /** @param {number} count */
    remove_many: count => `Apagar ${plural(count, 'lançamento', 'lançamentos')}`,
    /** @param {number} count */
    removed_many: count =>
      count === 1 ? '1 lançamento apagado.' : `${count.toLocaleString('pt-BR')} lançamentos apagados.`,
    load_more: 'Mostrar mais',
    loading_more: 'Carregando…',
    nothing_found: 'Nada encontrado',
    nothing_found_text: 'Nenhum lançamento combina com estes filtros.',
    look_everywhere: 'Procurar em todos os meses',
    /** @param {string} month */
    empty: month => `Nada em ${month} ainda`,
    empty_text: 'Traga o extrato do seu banco, ou anote o primeiro gasto à mão.',
    remove_month: 'Apagar o mês…',
    list_menu: 'Mais sobre a lista',
    select: 'Selecionar',
  },
  entry: {
    edit_title: 'Editar lançamento',
    facts_title: 'Lançamento',
    description: 'Descrição',
    amount: 'Valor',
    date: 'Data',
    type: 'Tipo',
    fixed_account: 'Fica sempre na sua conta.',
    used_before: 'Usadas antes',
    /** @param {string} description @param {string} why */
    refused: (description, why) =>
      `Não salvamos ${description}: ${why} O que você digitou volta ao formulário depois deste.`,
    save_and_add: 'Salvar e lançar outro',
    enter_stays: 'salva e continua',
    enter_closes: 'salva e fecha',
    recur: 'Tornar recorrente',
    duplicate: 'Duplicar',
    remove: 'Apagar',
    remove_transfer: 'Apagar a transferência',
    origin: 'De onde veio',
    entered_by: 'Quem anotou',
    somebody: 'outra pessoa',
    /** @param {string} name */
    by: name => `por ${name}`,
    methods: {
      pix: 'Pix',
      boleto: 'Boleto',
      debit: 'Débito',
      credit: 'Crédito',
      transfer: 'Transferência',
      cash: 'Dinheiro',
    },
    sources: {
      manual: 'Anotado aqui',
      ofx: 'Extrato OFX',
      csv: 'Extrato CSV',
      yield: 'Rendimento',
      transfer: 'Transferência',
      opening_balance: 'Saldo inicial',
      installment: 'Compra parcelada',
    },
    statement_said: 'No extrato',
    bought_on: 'Compra em',
    is_transfer: 'É entre contas minhas',
    is_transfer_hint: 'Muda o saldo, mas não conta como entrada nem como saída.',
    left_account: 'Saiu de',
    reached_account: 'Chegou em',
    transfer_text: 'Muda os saldos das duas contas; não conta como entrada nem como saída.',
    linked_text: 'Reconhecida nos extratos: os dois lados são o mesmo dinheiro. Se não for assim, separe.',
    unlink: 'Separar',
  },
  held: { description: 'Descrição' },
  kinds: { current: 'Conta corrente', savings: 'Poupança', investment: 'Investimento', credit: 'Cartão de crédito' },
  account_form: {
    title: 'Nova conta',
    name: 'Nome',
    name_hint: 'Como você a chama: Itaú, Nubank, carteira…',
    kind: 'Tipo',
    today: 'Quanto tem hoje?',
    balance: 'Saldo de hoje',
    balance_hint: 'Deixe em branco se não souber; dá para acertar depois.',
    closing_day: 'Dia em que a fatura fecha',
    due_day: 'Dia em que a fatura vence',
    limit: 'Limite',
    limit_hint: 'Se quiser ver quanto ainda cabe nele.',
    submit: 'Adicionar conta',
    /** @param {string} name */
    created: name => `${account(name)} adicionada.`,
  },
  budget_form: {
    title: 'Orçamento de uma categoria',
    category: 'Categoria',
    budget: 'Quanto por mês',
    submit: 'Definir orçamento',
    /** @param {string} name */
    saved: name => `Orçamento de ${name} definido.`,
  },
  help: {
    title: 'Atalhos do teclado',
    new: 'novo lançamento',
    search: 'procurar',
    hide: 'ocultar ou mostrar valores',
    rows: 'linha de baixo, linha de cima',
    mark: 'marcar a linha',
    marked: 'o que fazer com as linhas marcadas',
    unmark: 'desmarcar as linhas',
    edit: 'editar a linha',
    help: 'esta ajuda',
  },
  form: {
    split: 'Dividido',
    amount_hint: 'Aceita contas: 12+8,50',
    category: 'Categoria',
    no_category: 'Sem categoria',
    new_category: 'Nova categoria…',
    new_category_title: 'Nova categoria',
    create_category: 'Criar categoria',
    /** @param {string} name */
    category_created: name => `Categoria ${name} criada.`,
    account: 'Conta',
    /** @param {string} value */
    result: value => `= ${value}`,
  },
  /**
   * The message for each problem code.
   * @type {Record<Exclude<import('../../../types/client').Schemas['ProblemCode'], 'ErrMalformedRequest' | 'ErrMethodNotAllowed' | 'ErrUnauthenticated'> | 'Offline' | 'ErrNotEmpty', string>}
   */
  problems: {
    Offline: 'Não foi possível falar com o Finance. Nada se perdeu; confira a conexão.',
    ErrAlreadyUndone: 'Isto já foi desfeito.',
    ErrChangedSince: 'Algo mudou depois. Desfaça antes o que veio depois.',
    ErrUnavailable: 'O Finance está ocupado ou o banco de dados está fora do ar. Costuma passar logo.',
    ErrRequestTimeout: 'O envio demorou demais e foi interrompido.',
    ErrInternal: 'Algo deu errado do nosso lado.',
    ErrValidation: 'Confira os campos marcados.',
    ErrNotFound: 'Isto não existe mais; talvez tenha sido apagado em outro aparelho.',
    ErrTooManyAttempts: 'Foram muitas tentativas. Espere um pouco.',
    ErrStandardCategory: 'Esta categoria é padrão e não pode ser apagada.',
    ErrCategoryInUse: 'Há lançamentos nesta categoria.',
    ErrCategoryNameTaken: 'Já existe uma categoria com este nome.',
    ErrAccountInUse: 'Há lançamentos nesta conta.',
    ErrAccountNameTaken: 'Já existe uma conta com este nome.',
    ErrDuplicateExternalId: 'Este lançamento já existe.',
    ErrOpeningFollows: 'O saldo inicial segue o saldo de um dia que você informou. Mude ou apague esse saldo.',
    ErrTransferLeg: 'Isto é parte de uma transferência e muda junto com ela.',
    ErrTransferNotLinked: 'Esta transferência foi feita aqui; apague-a em vez de separar.',
    ErrPaidByStatement: 'O pagamento veio de um extrato; desfaça a ligação no lançamento.',
    ErrInstallmentImported: 'Estas parcelas vieram de uma fatura; desfaça a importação dela.',
    ErrBillAlreadyPaid: 'Esta fatura já está paga.',
    ErrBillNotPaid: 'Esta fatura não está paga.',
    ErrNothingToPay: 'Não há nada a pagar nesta fatura.',
    ErrPendingBillSettled: 'Esta fatura já foi confirmada.',
    ErrRecurringNotPending: 'Este item já foi resolvido neste mês.',
    ErrRecurringNotIgnored: 'Este item não está mais ignorado.',
    ErrRecurringNotLinked: 'Este item não está ligado a nenhum lançamento.',
    ErrRecurringNotLate: 'Este item não está mais atrasado.',
    ErrRecurringNotIncome: 'Só entradas podem ser confirmadas.',
    ErrCosmeticLocked: 'Isto ainda não foi desbloqueado.',
    ErrLimitReached: 'Você chegou ao limite de itens deste tipo.',
    ErrTooLarge: 'O arquivo é grande demais.',
    ErrUnsupportedMedia: 'Este tipo de arquivo não é lido. Exporte OFX, CSV ou planilha.',
    ErrStatementUnreadable: 'Não há lista de lançamentos que se possa ler neste arquivo.',
    ErrNotConfigured: 'Quem cuida deste serviço ainda não configurou isso.',
    ErrIdempotencyKeyReused: 'O envio anterior já foi feito. Confira antes de repetir.',
    ErrNotEmpty: 'Este perfil já não está vazio. Um arquivo só é restaurado num perfil novo.',
    ErrSecondFactorRequired: 'O login pede também um código do autenticador, ou um código de recuperação.',
    ErrSecondFactorMissing: 'A verificação em duas etapas não está ligada. Comece de novo.',
    ErrSecondFactorActive: 'A verificação em duas etapas já está ligada. Desligue-a antes.',
    ErrInvitationInvalid: 'O convite não vale mais. Peça outro.',
    ErrInsufficientScope: 'Esta chave não dá acesso a isto.',
    ErrNotAllowed: 'Seu acesso não permite isto. Peça a quem é responsável pela casa.',
    ErrLastOwner: 'É preciso haver ao menos uma pessoa responsável.',
    ErrNameTaken: 'Já existe alguém com este nome.',
    ErrInvalidCredentials: 'Nome ou senha não conferem.',
  },
  problem: {
    unknown: 'Algo não deu certo.',
    not_saved: 'Nada foi gravado.',
    /** @param {string} id */
    request: id => `Código do erro: ${id}`,
  },
  /**
   * The message for each code of a field error, with its parameters.
   * @type {Partial<Record<import('../../../types/client').Schemas['FieldErrorCode'], (params: Record<string, any>) => string>>}
   */
  field_codes: {
    not_a_whole_number: () => 'Use um número inteiro, como 3.',
    no_such_due: () => 'Não vence neste dia.',
    not_a_code: () => 'Não é o código de um boleto, de uma conta ou de um Pix.',
    with_until: () => 'Informe o último dia ou o número de vezes, não os dois.',
    only_on_rare_expense: () => 'Só de uma despesa que vence de tantos em tantos meses ou anos.',
    covers_nothing: () => 'É uma transferência ou um saldo inicial.',
    other_type: () => 'É de outro tipo.',
    covers_another: () => 'Já é de outra conta.',
    not_a_push_service: () => 'O navegador usa um serviço de avisos desconhecido.',
    not_a_public_key: () => 'O navegador enviou uma chave que não serve.',
    byte_count: () => 'O navegador enviou uma chave que não serve.',
    not_an_email_address: () => 'Digite um endereço de e-mail.',
    invalid_time: () => 'Use o formato HH:MM.',
    line_count: () => '2 a 20 partes.',
    lines_sum: () => 'As partes não somam o valor.',
    with_opening_balance: () => 'Informe o saldo de hoje ou o saldo inicial, não os dois.',
    nothing_to_adjust: () => 'Não há diferença neste dia.',
    with_lines: () => 'Cada parte tem a sua categoria.',
    lines_of_transfer: () => 'Uma transferência não se divide.',
    is_split: () => 'Está dividido: cada parte tem a sua categoria.',
    required: () => 'Preencha este campo.',
    blank: () => 'Preencha este campo.',
    required_on_card: () => 'Preencha: um cartão precisa deste dia.',
    hidden_character: () => 'Há um caractere invisível. Digite de novo.',
    too_long: ({ max }) => `Use até ${max} caracteres.`,
    too_short: ({ min }) => `Use ao menos ${min} caracteres.`,
    too_many_bytes: () => 'Ficou longo demais.',
    too_many_decimals: () => 'Use no máximo duas casas depois da vírgula.',
    not_positive: () => 'O valor precisa ser maior que zero.',
    too_large: () => 'O valor é grande demais.',
    too_small: () => 'O valor é pequeno demais.',
    not_both_amounts: () => 'Preencha só um: o total ou a parcela.',
    too_far_from_zero: () => 'O valor é grande demais.',
    out_of_range: ({ min, max }) => `Precisa estar entre ${min} e ${max}.`,
    invalid_date: () => 'Escolha uma data.',
    after_today: () => 'Não pode ser depois de hoje.',
    outside_month: () => 'Escolha um dia perto do vencimento.',
    no_such_category: () => 'Esta categoria não existe mais. Escolha outra.',
    not_a_reference: () => 'O arquivo não traz mais este extrato. Envie-o de novo.',
    several_accounts: () => 'O arquivo traz extratos de várias contas: escolha uma para cada.',
    no_such_statement: () => 'O arquivo não traz mais este extrato. Envie-o de novo.',
    repeated_statement: () => 'Este extrato aparece duas vezes. Envie o arquivo de novo.',
    no_such_account: () => 'Esta conta não existe mais. Escolha outra.',
    same_account: () => 'Escolha outra conta, diferente da primeira.',
    card_itself: () => 'Escolha outra conta, não o próprio cartão.',
    not_a_card: () => 'Escolha um cartão de crédito.',
    fixed_account: () => 'Rendimentos e saldos iniciais ficam na conta deles.',
    required_for_transfer: () => 'Escolha a conta: uma transferência precisa de uma.',
    never_a_transfer: () => 'Isto não pode ser uma transferência.',
    same_account_as_from: () => 'Os dois estão na mesma conta, e uma transferência vai de uma conta para outra.',
    other_amount: () => 'Os valores são diferentes: o que sai de uma conta é o que chega na outra.',
    without_account: () => 'Falta dizer a conta: uma transferência vai de uma conta para outra.',
    no_such_inbox_item: () => 'O arquivo não está mais entre os que chegaram.',
    no_such_transaction: () => 'Um dos lançamentos não existe mais; talvez tenha sido apagado em outro aparelho.',
    not_a_web_address: () => 'Escreva o endereço inteiro, a partir de http ou https.',
    private_address: () => 'Este endereço é de uma rede privada, e o servidor só avisa endereços da internet.',
    wrong_code: () => 'Este código não vale agora. Digite o que o autenticador mostra.',
    wrong_password: () => 'A senha atual não confere.',
    no_such_header: () => 'O arquivo não tem esta coluna.',
    only_one_column: () => 'O arquivo tem só uma coluna; confira o que as separa.',
    no_such_column: () => 'O arquivo não tem tantas colunas.',
    unfit_date_column: () => 'Esta coluna não tem datas.',
    unfit_description_column: () => 'Esta coluna não serve para a descrição.',
    unfit_amount_column: () => 'Esta coluna não tem valores.',
    unfit_date_format: () => 'Nenhuma data do arquivo é escrita assim.',
    unfit_separator: () => 'Este sinal não separa as colunas deste arquivo.',
    unfit_decimal_separator: () => 'Nenhum valor do arquivo é escrito assim.',
    no_date_in_column: () => 'Esta coluna não tem datas.',
    no_amount_in_column: () => 'Esta coluna não tem valores.',
  },
  /** The message by field name, if the code of the error is unknown. @type {Record<string, string>} */
  fields: {
    amount: 'Escreva um valor acima de zero, como 45,90.',
    date: 'Escolha um dia válido.',
    note: 'Uma compra parcelada não tem nota nem partes.',
    description: 'Escreva uma descrição de até 255 letras.',
    name: 'Escreva um nome de até 100 letras.',
    category_id: 'Escolha uma categoria.',
    account_id: 'Escolha outra conta.',
    opening_balance: 'Escreva um valor como 1.250,00.',
    balance_today: 'Escreva um valor como 1.250,00.',
    cdi_percentage: 'Um número acima de 0, até 1000.',
    yield_rate: 'Um número como 6,5, até 1000.',
    last_yield_date: 'Um dia entre o último rendimento e hoje.',
    closing_day: 'Um dia de 1 a 31.',
    due_day: 'Um dia de 1 a 31.',
    day: 'Um dia de 1 a 31.',
    monthly_budget: 'Escreva um valor como 800,00.',
    code: 'Digite os seis números que o autenticador mostra.',
    password: 'Digite sua senha.',
    url: 'Escreva o endereço inteiro, a partir de https.',
    events: 'Escolha ao menos um.',
    transaction_ids: 'Marque ao menos um lançamento.',
    current_password: 'A senha atual não confere.',
    new_password: 'A nova senha precisa ter de 8 a 72 caracteres.',
    savings_goal_pct: 'Um número de 0 a 100.',
    second_factor_days: 'Um número de 1 a 90, ou nada.',
    choose_account: 'Diga de qual conta é este arquivo.',
    date_column: 'Escolha outra coluna.',
    description_column: 'Escolha outra coluna.',
    amount_column: 'Escolha outra coluna.',
    separator: 'Este sinal não serve para este arquivo.',
    decimal_separator: 'Isto não serve para este arquivo.',
    date_format: 'As datas deste arquivo são escritas de outro jeito.',
    payment_date: 'Escolha um dia válido.',
  },
  field_unknown: 'Este valor não foi aceito.',
};
