// Importar, em português do Brasil.
import { plural } from '../pt-BR.js';

export default {
  title: 'Importar',
  drop: 'Solte aqui os arquivos do banco',
  drop_now: 'Pode soltar',
  choose: 'Escolher arquivos',
  kinds: 'Extratos e faturas em OFX, CSV ou planilha (XLSX, XLS, ODS). Nada é gravado antes de você conferir.',
  how: 'Onde encontro o arquivo?',
  how_steps: [
    'No aplicativo ou no site do banco, abra o extrato ou a fatura e procure “Exportar”, “Salvar” ou “Compartilhar”.',
    'Escolha OFX. Se não houver, escolha CSV ou planilha.',
    'Mande o arquivo para este aparelho e escolha-o aqui. Se alguma linha já estiver aqui, ela é reconhecida e não entra de novo.',
  ],
  steps: { file: 'Arquivo', columns: 'Leitura', review: 'Conferência', result: 'Resultado' },
  /** @param {number} number @param {number} of @param {string} name */
  file_of: (number, of, name) => `Arquivo ${number} de ${of}: ${name}`,
  drop_all: 'Cancelar todos',
  many: {
    /** @param {number} count */
    sorting: count => `Lendo ${plural(count, 'arquivo', 'arquivos')}…`,
    /** @param {number} count */
    ready: count => `${plural(count, 'arquivo', 'arquivos')} para importar`,
    /** @param {number} count */
    sending: count => `Importando ${plural(count, 'arquivo', 'arquivos')}…`,
    /** @param {number} count */
    done: count => plural(count, 'arquivo importado', 'arquivos importados'),
    waits: 'Esperando a vez',
    asks: 'Precisa de uma resposta sua',
    nothing: 'Nada novo: tudo já está aqui',
    /** @param {string} where @param {number} fresh @param {number} duplicate */
    found: (where, fresh, duplicate) =>
      `${where} · ${plural(fresh, 'lançamento novo', 'lançamentos novos')}${duplicate === 0 ? '' : `, ${plural(duplicate, 'repetido', 'repetidos')}`}`,
    /** @param {string} where @param {number} inserted */
    sent: (where, inserted) => `${where} · ${plural(inserted, 'lançamento importado', 'lançamentos importados')}`,
    /** @param {number} count */
    asks_later: count =>
      count === 1 ? 'Depois, uma pergunta sobre o outro arquivo.' : `Depois, perguntas sobre os outros ${count}.`,
    one_by_one: 'Conferir um por um',
    /** @param {number} count */
    import_files: count => `Importar ${plural(count, 'arquivo', 'arquivos')}`,
    busy: 'Importando…',
    /** @param {number} count */
    go_on: count => (count === 1 ? 'Responder sobre o outro' : `Responder sobre os outros ${count}`),
  },
  /** @param {string} name */
  place: name => `De onde é ${name}?`,
  account: 'Conta',
  several_accounts: 'O arquivo traz extratos de mais de uma conta. Para onde vai cada um?',
  /** @param {string | null} hint @param {number} rows */
  statement_of: (hint, rows) =>
    `${hint === null ? 'Sem número' : `Final ${hint}`} · ${plural(rows, 'lançamento', 'lançamentos')}`,
  leave_out: 'Deixar de fora',
  choose_account: 'Escolha a conta…',
  new_account: 'Nova conta',
  no_account_hint: 'Os lançamentos entram sem conta e não mudam nenhum saldo.',
  is_card: 'É a fatura de um cartão',
  dating: 'Data das compras',
  own_days: 'Cada compra no seu dia',
  own_days_text: 'Para extratos e faturas em andamento.',
  one_day: 'Todas no dia do pagamento da fatura',
  one_day_text: 'O dia de cada compra continua anotado. Se o pagamento ainda não chegou, a fatura espera por ele.',
  payment_date: 'Dia do pagamento',
  /** @param {string} day */
  held_until: day =>
    `A fatura fica pendente até ${day}: o cartão já a deve, e os lançamentos entram quando você confirmar.`,
  /** @param {string} day */
  dated: day => `As compras entram com a data de ${day}.`,
  read: 'Ler arquivo',
  /** @param {string} name */
  reading: name => `Lendo ${name}…`,
  back: 'Voltar',
  next_file: 'Próximo arquivo',
  skip_file: 'Pular este arquivo',
  other_file: 'Escolher outro arquivo',
  tell_columns: 'Dizer como ler',
  wrong: {
    kept: 'Nada foi gravado.',
    sheet_then:
      'Veja se a planilha abre sem senha e tem uma lista com data, descrição e valor. Ou exporte de novo no banco.',
    /** @param {string} name */
    pdf: name => `${name} é um PDF, feito para imprimir.`,
    pdf_then: 'No banco, exporte o mesmo extrato em OFX, CSV ou planilha.',
    /** @param {string} name */
    kind: name => `${name} não é um arquivo OFX, nem CSV, nem uma planilha.`,
    kind_then: 'No banco, exporte o extrato em OFX, CSV ou planilha e escolha esse arquivo.',
    /** @param {string} name */
    empty: name => `${name} está vazio.`,
    empty_then: 'Às vezes o banco exporta um período sem lançamentos, ou o envio parou no meio. Exporte de novo.',
    /** @param {string} name */
    unreadable: name => `Nenhum lançamento foi encontrado em ${name}.`,
    unreadable_text_then: 'Se o arquivo abre como tabela, você pode dizer qual coluna é a data, a descrição e o valor.',
    /** @param {string} name @param {number} size @param {number | null} most */
    large: (name, size, most) =>
      `${name} tem ${size} MB${most === null ? ', mais do que cabe aqui' : `; cabem até ${most} MB`}.`,
    /** @param {string} name */
    large_inside: name => `${name} é pequeno, mas tem mais dentro do que se pode ler de uma vez.`,
    /** @param {string} name */
    long: name => `${name} tem lançamentos demais para uma vez só.`,
    large_then: 'Exporte períodos menores e importe um de cada vez.',
  },
  banks: {
    title: 'Onde cada banco exporta',
    bank: 'Banco',
    place: 'Onde procurar',
    file: 'Arquivo',
    /** @param {string[]} channels @returns {string} */
    channels: channels =>
      channels.length > 1 ? 'No aplicativo ou no site' : channels[0] === 'app' ? 'No aplicativo' : 'No site',
  },
  columns: {
    title: 'Veja como lemos o arquivo',
    unknown_title: 'Como este arquivo é?',
    mend: 'Algo está trocado? Corrija a leitura',
    tell: 'Diga como ler',
    /** @param {number} place */
    column: place => `Coluna ${place}`,
    unknown: 'Não deu para reconhecer as colunas. Diga qual é qual, e o resultado aparece na hora.',
    nothing: 'O arquivo foi aberto, mas nenhuma linha tem data e valor. Confira as colunas.',
    /** @param {number} count @param {number} rejected */
    found: (count, rejected) =>
      `${plural(count, 'lançamento encontrado', 'lançamentos encontrados')}${rejected === 0 ? '' : ` e ${plural(rejected, 'linha que não é lançamento', 'linhas que não são lançamentos')}`}.`,
    lines: 'Primeiras linhas do arquivo',
    roles: { date: 'Data', description: 'Descrição', amount: 'Valor' },
    column_of: { date: 'Coluna da data', description: 'Coluna da descrição', amount: 'Coluna do valor' },
    automatic: 'Automático',
    /** @param {string} known */
    recognised: known => `Automático: ${known}`,
    separator: 'O que separa as colunas',
    separators: { ';': 'ponto e vírgula ( ; )', ',': 'vírgula ( , )', '\t': 'tabulação', '|': 'barra ( | )' },
    decimal: 'Centavos depois de',
    decimals: { ',': 'vírgula: 1.234,56', '.': 'ponto: 1,234.56' },
    card_sign: 'Sinal das compras',
    /** @type {Record<string, string>} */
    card_signs: { purchases_positive: 'Compras são positivas', purchases_negative: 'Compras são negativas' },
    date_format: 'Como as datas são escritas',
    /** @param {string} format */
    letters: format => format.replaceAll('y', 'a'),
    /** @param {string} format */
    date_formats: format =>
      `${format.replaceAll('y', 'a')} (${format.replace('dd', '31').replace('mm', '12').replace('yyyy', '2026').replace('yy', '26')})`,
    skip_negative: 'Deixar de fora os valores negativos',
    skip_negative_hint: 'Em muitas faturas são pagamentos e estornos.',
    all_expenses: 'Tudo é saída',
    all_expenses_hint: 'Para arquivos sem sinal de menos.',
    result: 'Primeiros lançamentos',
    nothing_then: 'Nada ainda. Ajuste a leitura até os lançamentos aparecerem aqui.',
    /** @param {number} count */
    go: count => `Conferir ${plural(count, 'lançamento', 'lançamentos')}`,
    go_none: 'Nada a conferir',
  },
  /** @param {number} count */
  rejected: count => `${plural(count, 'linha não é lançamento', 'linhas não são lançamentos')}`,
  rejected_text: 'Ficam de fora:',
  /** @param {number} line */
  line: line => `linha ${line}:`,
  /** @param {string} sheet @param {number} line */
  sheet_line: (sheet, line) => `${sheet}, linha ${line}:`,
  /** @param {number} count */
  more_lines: count => `e mais ${plural(count, 'linha', 'linhas')}`,
  /**
   * Why a line holds no transaction or a row was not inserted, by code, with its parameters.
   * @type {Record<string, (params: Record<string, unknown>) => string>}
   */
  reasons: {
    zero_amount: () => 'valor zero',
    negative_skipped: () => 'valor negativo, deixado de fora como você pediu',
    future_transaction: () => 'ainda não aconteceu',
    pending_transaction: () => 'ainda não foi processado pelo banco',
    repeated_header: () => 'cabeçalho repetido',
    not_settled: ({ status }) => `“${status}”: não movimentou dinheiro`,
    other_currency: ({ currency }) => `está em ${currency}, e não em reais`,
    not_chosen: () => 'nenhuma conta foi escolhida para este extrato',
    balance_line: () => 'é um saldo',
    carried_balance: () => 'é o que a fatura anterior deixou',
    total_line: () => 'é um total',
    line_without_date: () => 'não tem data',
    line_without_amount: () => 'não tem valor',
    missing_date: () => 'falta a data',
    missing_amount: () => 'falta o valor',
    truncated_file: () => 'o arquivo termina no meio',
    invalid_date: ({ text }) => `“${text}” não é uma data`,
    illegible_amount: ({ text }) => `“${text}” não é um valor`,
    amount_too_large: ({ text }) => `“${text}” passa do maior valor possível`,
    duplicate: () => 'já estava aqui',
    skipped_by_rule: () => 'fica de fora por uma regra',
    duplicate_of_pending: () => 'já está em uma fatura pendente',
    automatic_yield: () => 'é um rendimento, que a conta já lança sozinha',
  },
  review: {
    title: 'Confira antes de importar',
    mend: 'Corrigir leitura',
    move: 'Trocar conta',
    /** @param {string} name */
    nothing: name => `${name} não tem nenhum lançamento. Nada a importar.`,
    /** @param {number} count */
    all_known: count =>
      `${count === 1 ? 'O único lançamento deste arquivo já está' : `Todos os ${plural(count, 'lançamento', 'lançamentos')} deste arquivo já estão`} aqui. Não há nada a importar.`,
    /** @param {number} fresh @param {number} duplicate @param {string} where */
    found: (fresh, duplicate, where) =>
      `${plural(fresh, 'lançamento novo', 'lançamentos novos')} para ${where}${duplicate === 0 ? '.' : `; ${plural(duplicate, 'repetido fica', 'repetidos ficam')} de fora.`}`,
    rows: 'Lançamentos do arquivo',
    search: 'Procurar na descrição',
    filter: 'Mostrar',
    filters: { all: 'Todos', new: 'Novos', duplicate: 'Repetidos', uncategorized: 'Sem categoria' },
    none_fits: 'Nenhum lançamento assim.',
    /** @param {number} count */
    bulk: count =>
      count === 0
        ? 'Nenhum marcado visível'
        : `Categoria ${count === 1 ? 'do marcado visível' : `dos ${count.toLocaleString('pt-BR')} marcados visíveis`}`,
    choose_category: 'Escolha…',
    apply: 'Aplicar',
    /** @param {number} count @param {string} name */
    categorized: (count, name) => `${plural(count, 'lançamento', 'lançamentos')} em ${name}.`,
    tools: 'Procurar, filtrar e mudar várias',
    mark_all: 'Marcar todos visíveis',
    date: 'Data',
    description: 'Descrição',
    category: 'Categoria',
    amount: 'Valor',
    notes: 'Observações',
    /** @param {string} named */
    send: named => `Importar ${named}`,
    /** @param {string} description */
    category_of: description => `Categoria de ${description}`,
    suggested: 'sugerida',
    /** The source of a suggested category, in a word. */
    sources: {
      rule: 'regra',
      history: 'histórico',
      installment: 'parcela',
      payee: 'favorecido',
      similar: 'parecido',
      file: 'extrato',
      dictionary: 'dicionário',
    },
    reasons: {
      rule: 'Sugerida por uma regra sua',
      history: 'Sugerida pelo histórico: a última categoria que você usou com esta descrição',
      installment: 'Sugerida pela parcela anterior desta compra',
      payee: 'Sugerida pelo favorecido: a categoria mais usada com ele',
      similar: 'Sugerida por lançamentos de nome parecido',
      file: 'Sugerida pelo extrato, que diz a categoria',
      dictionary: 'Sugerida pelo dicionário: o ramo que o nome diz',
    },
    suggestions: 'Sugestões',
    keys: 'Pelo teclado: u vai à primeira sem categoria; digite a categoria, e Enter vai à próxima. Ctrl+Enter importa.',
    /** @param {number} count */
    any_source: count => `todas (${count.toLocaleString('pt-BR')})`,
    /** @param {string} source @param {number} count */
    by_source: (source, count) => `${source} (${count.toLocaleString('pt-BR')})`,
    /** @param {number} count */
    take: count => (count === 1 ? 'Aceitar a sugestão' : `Aceitar as ${count.toLocaleString('pt-BR')} sugestões`),
    /** @param {number} count */
    refuse: count => (count === 1 ? 'Recusar a sugestão' : `Recusar as ${count.toLocaleString('pt-BR')} sugestões`),
    /** @param {number} count */
    taken: count => `${plural(count, 'sugestão aceita', 'sugestões aceitas')}.`,
    /** @param {number} count */
    refused: count => `${plural(count, 'lançamento ficou', 'lançamentos ficaram')} sem categoria.`,
    skipped: 'Uma regra deixa esta linha de fora.',
    kept: 'Entra, embora uma regra a deixe de fora.',
    yield: 'Um rendimento, que a conta já lança sozinha.',
    yield_kept: 'Entra, embora a conta já lance rendimentos sozinha.',
    keep: 'Importar mesmo assim',
    skip: 'Deixar de fora',
    duplicate: 'Já está aqui',
    duplicate_held: 'Já está em uma fatura pendente',
    duplicate_leg: 'É a transferência que você já anotou',
    similar: 'Parecido com um que já está aqui',
    /** @param {number} count */
    alike: count =>
      count === 1
        ? 'Usar também no outro com esta descrição'
        : `Usar também nos outros ${count.toLocaleString('pt-BR')} com esta descrição`,
    transfers: {
      /** @param {string} card */
      payment: card => (card ? `Pagamento da fatura do ${card}` : 'Pagamento da fatura do cartão'),
      /** @param {string} card @param {string} day */
      pays: (card, day) => `Pagamento da fatura do ${card || 'cartão'} que vence em ${day}`,
      /** @param {string} card @param {string} day */
      bill: (card, day) => `Fatura do ${card || 'cartão'} que vence em ${day}`,
      own: 'Transferência entre suas contas',
      linked: 'ligado a',
      alone: 'não conta como entrada nem saída',
      other_side: 'A outra ponta',
      /** @param {string} type @returns {string} */
      ordinary: type => (type === 'income' ? 'Contar como entrada' : 'Contar como saída'),
      /** @param {string} type @returns {string} */
      is_ordinary: type => (type === 'income' ? 'Conta como entrada.' : 'Conta como saída.'),
      back: 'Voltar a ser transferência',
      maybe: 'Pode ser uma transferência',
      maybe_payment: 'Pode ser o pagamento de uma fatura',
      with: 'com',
      maybe_then: 'Você decide depois de importar.',
    },
    discard_title: 'Desistir deste arquivo?',
    discard_text: 'As categorias que você escolheu aqui se perdem. Nada foi gravado.',
    discard: 'Desistir',
    /** @param {string} description */
    stale: description =>
      `A outra ponta de “${description}” mudou enquanto você conferia. Nada foi gravado. Leia o arquivo de novo; suas escolhas ficam.`,
    /** @param {string} description */
    wrong_row: description =>
      `“${description}” não foi aceito, e por isso nada foi gravado. Leia o arquivo de novo, ou desmarque a linha.`,
    read_again: 'Ler de novo',
    /** @param {number} count */
    hold: count => `Guardar ${plural(count, 'lançamento', 'lançamentos')}`,
    /** @param {number} count */
    import: count => `Importar ${plural(count, 'lançamento', 'lançamentos')}`,
    /** @param {number} count */
    sending: count => `Importando ${plural(count, 'lançamento', 'lançamentos')}…`,
    stopped:
      'A espera foi interrompida. Se o envio já tinha chegado, ele aparece nas importações anteriores; importar de novo não repete nada.',
    nothing_to_send: 'Nada a enviar.',
    finish: 'Concluir',
  },
  result: {
    /** @param {number} count */
    inserted: count => `${plural(count, 'lançamento importado', 'lançamentos importados')}`,
    /** @param {string} where @param {string} sum */
    inserted_text: (where, sum) => `Em ${where}, somando ${sum}.`,
    /** @param {string} sum */
    inserted_loose: sum => `Sem conta, somando ${sum}.`,
    /** @param {string} where @param {string} balance */
    balance: (where, balance) => `Saldo de ${where} agora: ${balance}.`,
    /** @param {string} _where @param {string} balance */
    balance_as_said: (_where, balance) => `Saldo de hoje: ${balance}, como você disse.`,
    balance_differs: 'Está diferente no banco?',
    /** @param {string} where @param {string} day @param {string} bank @param {string} here @param {string} difference */
    disagrees: (where, day, bank, here, difference) =>
      `O saldo não confere: o arquivo diz que ${where} tinha ${bank} em ${day}, e aqui são ${here}. Diferença de ${difference}.`,
    see_difference: 'Ver o que pode faltar',
    /** @param {number} count */
    uncategorized: count => `${count.toLocaleString('pt-BR')} sem categoria:`,
    categorize: 'categorizar',
    /** @param {string} where */
    balance_of: where => `Acertar o saldo de ${where}`,
    balance_today: 'Saldo no banco',
    correct_text:
      'Vale o saldo do fim de hoje. O saldo inicial se ajusta a ele, ou a conta mostra a diferença: nenhum gasto e nenhuma renda mudam.',
    correct_balance: 'Acertar saldo',
    /** @param {string} where */
    differs: where => `${where}: a diferença está na conta.`,
    none: 'Nada entrou',
    none_text: 'Tudo o que foi enviado já estava aqui.',
    /** @param {number} count */
    held: count => `Fatura guardada com ${plural(count, 'lançamento', 'lançamentos')}`,
    /** @param {string} day @param {string} total */
    held_text: (day, total) =>
      `São ${total}, pendentes até ${day}. Ela espera por você aqui e no painel; confirme quando pagar.`,
    /** @param {number} count */
    linked: count => `${plural(count, 'transferência reconhecida', 'transferências reconhecidas')}`,
    /** @param {string} card @param {string} day */
    to_bill: (card, day) => `paga a fatura do ${card} que vence em ${day}`,
    /** @param {string} row */
    to_row: row => `ligado a ${row}`,
    to_none: 'a outra ponta não está aqui',
    /** @param {number} count */
    skipped: count => `${plural(count, 'ficou', 'ficaram')} de fora`,
    see: 'Ver lançamentos',
    undone: 'Importação desfeita',
    /** @param {number} count */
    undone_text: count =>
      `${plural(count, 'lançamento foi apagado', 'lançamentos foram apagados')}. Tudo está como antes.`,
    correct: 'Corrigir e importar de novo',
    finish: 'Concluir',
  },
  stored: {
    description: 'Descrição',
    amount: 'Valor',
    date: 'Data',
    original_date: 'Dia da compra',
    account: 'Conta',
    category: 'Categoria',
    source: 'Veio de',
    sources: {
      manual: 'anotado à mão',
      ofx: 'arquivo OFX',
      csv: 'arquivo CSV',
      yield: 'rendimento',
      transfer: 'transferência',
      opening_balance: 'saldo inicial',
      installment: 'compra parcelada',
    },
    open: 'Abrir em Lançamentos',
  },
  held: {
    title: 'Faturas pendentes',
    text: 'Esperam o dia do pagamento. Confirme quando pagar, e os lançamentos entram.',
  },
  log: {
    title: 'Importações anteriores',
    empty: 'Nenhuma ainda. A primeira aparece aqui, e pode ser desfeita.',
    no_name: 'Arquivo sem nome',
    /** @param {number} inserted @param {number} skipped */
    counts: (inserted, skipped) =>
      `${plural(inserted, 'lançamento', 'lançamentos')}${skipped === 0 ? '' : `, ${plural(skipped, 'repetido', 'repetidos')}`}`,
    /** @param {string} name */
    undo_title: name => `Desfazer a importação de ${name}?`,
    /** @param {number} count */
    undo_text: count =>
      `${count === 1 ? 'O lançamento que entrou é apagado, mesmo que você o tenha editado' : `Os ${plural(count, 'lançamento', 'lançamentos')} que entraram são apagados, também os que você editou`}. Você pode importar o arquivo outra vez.`,
    undo: 'Desfazer importação',
    /** @param {number} count */
    undone: count => `${plural(count, 'lançamento apagado', 'lançamentos apagados')}.`,
    more: 'Mostrar mais',
  },
  detected: {
    /** @param {number} count */
    title: count => plural(count, 'transferência reconhecida', 'transferências reconhecidas'),
    text: 'Já estão nos lançamentos, mas ainda contam como gasto e renda. Confira e ligue; cada uma pode ser separada depois.',
    /** @param {number} count */
    link: count => (count === 1 ? 'Ligar' : `Ligar as ${count.toLocaleString('pt-BR')}`),
    all: 'Mostrar todas',
    /** @param {number} count */
    more: count => `E mais ${count.toLocaleString('pt-BR')}, mais antigas.`,
    payment: 'Pagamento de fatura',
    own: 'Entre suas contas',
    /** @param {number} count */
    done: count => plural(count, 'transferência ligada', 'transferências ligadas'),
    done_text: 'Não contam mais como gasto nem como renda. Se alguma não for transferência, separe.',
    unlink: 'Separar',
    /** @param {number} count @param {string} description */
    unlinked: (count, description) =>
      count === 1 ? `Separamos ${description}.` : `${count.toLocaleString('pt-BR')} transferências separadas.`,
  },
  suggestions: {
    title: 'Parecem transferências',
    text: 'O mesmo valor saiu de uma conta e entrou em outra. Ligados, não contam como gasto nem como renda.',
    payment: 'Pagamento de fatura?',
    own: 'Entre suas contas?',
    from: 'Saiu:',
    to: 'Entrou:',
    link: 'Ligar',
    refuse: 'Não é',
    linked: 'Ligados como transferência.',
    refused: 'Anotado: não é transferência.',
  },
};
