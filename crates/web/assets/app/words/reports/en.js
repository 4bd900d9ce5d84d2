// The report of a year for the income tax, in English.

/** @type {typeof import('./pt-BR.js').default} */
export default {
  title: year => `Income tax ${year}`,
  text: year => `What helps with the return about ${year}. Compare it with what the banks send, which is what counts.`,
  year: 'Year',
  csv: 'Download CSV',
  print: 'Print',
  spending: 'Spending to deduct',
  spending_none: 'No spending of the year is in a category that belongs in the return.',
  spending_how: 'Mark those of health, education, private pensions and donations in the categories.',
  payee: 'Paid to',
  total: 'Total',
  payees_cut: 'The list ends with the 500 largest.',
  accounts: 'Assets and debts',
  accounts_text: 'What each account held on the last day of both years. What cards owe is below zero.',
  account: 'Account',
  end_of: year => `31/12/${year}`,
  no_accounts: 'No account.',
  yields: 'Yields',
  yields_text: 'What each account earned in the year, and the tax if all of it had left at its end, or today.',
  no_yields: 'No account earned anything in this year.',
  gross: 'Gross',
  iof: 'IOF',
  income_tax: 'Income tax',
};
