// The report of a year for the income tax, in English.

/** @type {typeof import('./pt-BR.js').default} */
export default {
  title: year => `Income tax ${year}`,
  text: year =>
    `Figures for the tax return of ${year}. Compare them with the statements of your banks, which are authoritative.`,
  year: 'Year',
  csv: 'Download CSV',
  print: 'Print',
  spending: 'Deductible spending',
  spending_none: 'No spending of this year is in a category for the tax return.',
  spending_how: 'Mark the categories for health, education, private pensions and donations.',
  leave_out:
    'Medicine from a pharmacy is not deductible. To leave somebody out, open the transactions by the name and change their category.',
  payee: 'Paid to',
  total: 'Total',
  payees_cut: 'Only the 500 largest are listed.',
  accounts: 'Assets and debts',
  accounts_text: 'The balance of each account on the last day of both years. Card debts are negative.',
  account: 'Account',
  end_of: year => `31/12/${year}`,
  no_accounts: 'No account.',
  yields: 'Yields',
  yields_text:
    'The earnings of each account in the year, and the tax if everything were withdrawn at its end, or today.',
  no_yields: 'No account earned anything this year.',
  gross: 'Gross',
  iof: 'IOF',
  income_tax: 'Income tax',
};
