// O relatório do ano para o imposto de renda, em português do Brasil.

export default {
  /** @param {number} year */
  title: year => `Imposto de renda ${year}`,
  /** @param {number} year */
  text: year =>
    `O que ajuda a preencher a declaração do que aconteceu em ${year}. Confira com os informes dos bancos, que valem na declaração.`,
  year: 'Ano',
  csv: 'Baixar CSV',
  print: 'Imprimir',
  spending: 'Despesas para deduzir',
  spending_none: 'Nenhuma despesa do ano está numa categoria que entra na declaração.',
  spending_how: 'Marque nas categorias as de saúde, educação, previdência privada e doações.',
  leave_out:
    'Remédio de farmácia não se deduz. Para deixar alguém de fora, abra os lançamentos pelo nome e mude a categoria.',
  payee: 'A quem',
  total: 'Total',
  payees_cut: 'A lista para nos 500 maiores.',
  accounts: 'Bens e dívidas',
  accounts_text: 'O que havia em cada conta no último dia dos dois anos. O que os cartões devem está abaixo de zero.',
  account: 'Conta',
  /** @param {number} year */
  end_of: year => `31/12/${year}`,
  no_accounts: 'Nenhuma conta.',
  yields: 'Rendimentos',
  yields_text: 'O que cada conta rendeu no ano, e o imposto que haveria se tudo saísse no fim dele, ou hoje.',
  no_yields: 'Nenhuma conta rendeu neste ano.',
  gross: 'Bruto',
  iof: 'IOF',
  income_tax: 'Imposto de renda',
};
