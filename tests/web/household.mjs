// A household for the tests and pictures: two accounts, a card, budgets, recurring items, six months of history.

/** Fills a profile. Today is 2026-03-10. */
export const household = async api => {
  const categories = Object.fromEntries(
    (await api.get('/api/categories')).map(category => [category.name, category.id]),
  );
  const account = body => api.post('/api/accounts', body);
  const current = await account({
    name: 'Itaú',
    kind: 'current',
    opening_balance: '2300.00',
    opening_date: '2025-09-30',
  });
  const savings = await account({
    name: 'Reserva',
    kind: 'savings',
    opening_balance: '8200.00',
    opening_date: '2025-09-30',
  });
  const card = await account({ name: 'Nubank', kind: 'credit', closing_day: 3, due_day: 13 });
  const add = (date, type, description, amount, category, account_id = current.id) =>
    api.post('/api/transactions', {
      date,
      type,
      description,
      amount,
      category_id: categories[category] ?? null,
      account_id,
    });
  const months = [
    ['2025-10', 31],
    ['2025-11', 28],
    ['2025-12', 62],
    ['2026-01', 40],
    ['2026-02', 35],
  ];
  for (const [month, extra] of months) {
    await add(`${month}-05`, 'income', 'Salário', '6500.00', 'Salário');
    await add(`${month}-10`, 'expense', 'Aluguel', '1800.00', 'Moradia');
    await add(`${month}-12`, 'expense', 'Supermercado Bom Preço', `${700 + extra}.90`, 'Mercado');
    await add(`${month}-18`, 'expense', 'Restaurante da Esquina', `${extra * 4}.50`, 'Restaurantes');
    await add(`${month}-20`, 'expense', 'DARF', '310.00', 'Impostos');
  }
  await add('2026-02-08', 'expense', 'Supermercado Bom Preço', '642.10', 'Mercado', card.id);
  await add('2026-02-19', 'expense', 'Livraria Cultura', '138.00', 'Educação', card.id);
  await add('2026-03-05', 'income', 'Salário', '6500.00', 'Salário');
  await add('2026-03-01', 'expense', 'Aluguel', '1800.00', 'Moradia');
  await add(
    '2026-03-02',
    'expense',
    'Internet e telefone fixo do apartamento com descrição bem comprida',
    '149.90',
    'Assinaturas',
  );
  await add('2026-03-03', 'expense', 'Supermercado Bom Preço', '412.35', 'Mercado');
  await add('2026-03-06', 'expense', 'Pizzaria Napoli', '128.00', 'Restaurantes');
  await add('2026-03-07', 'expense', 'Bistrô', '112.40', 'Restaurantes');
  await add('2026-03-07', 'expense', 'Uber', '32.70', 'Transporte');
  await add('2026-03-08', 'expense', 'Supermercado Bom Preço', '286.20', 'Mercado', card.id);
  await add('2026-03-09', 'expense', 'Farmácia', '64.90', 'Saúde');
  await add('2026-03-09', 'income', 'Venda da bicicleta', '350.00', '');
  await api.post('/api/transfers', {
    from_account_id: current.id,
    to_account_id: savings.id,
    amount: '500.00',
    date: '2026-03-06',
    description: 'Reserva',
  });
  const budget = (name, monthly_budget, is_tax = false) =>
    api.put(`/api/categories/${categories[name]}`, { name, is_tax, monthly_budget });
  await budget('Mercado', '1200.00');
  await budget('Restaurantes', '200.00');
  await budget('Transporte', '300.00');
  const recurring = (type, description, amount, category, day, account_id = current.id) =>
    api.post('/api/recurring', { type, description, amount, category_id: categories[category], day, account_id });
  await recurring('expense', 'Aluguel', '1800.00', 'Moradia', 1);
  await recurring('expense', 'Escola', '980.00', 'Educação', 8);
  await recurring('expense', 'Condomínio', '640.00', 'Moradia', 15);
  await recurring('income', 'Pensão', '900.00', 'Outras receitas' in categories ? 'Outras receitas' : 'Salário', 4);
  const held = await api.preview(cardStatement, {
    account_id: card.id,
    is_credit_card: true,
    payment_date: '2026-04-13',
  });
  await api.post('/api/import/confirm', {
    account_id: card.id,
    file_name: 'nubank-2026-04.csv',
    format: held.format,
    is_credit_card: true,
    payment_date: '2026-04-13',
    rows: held.rows,
  });
  await api.get('/api/accounts');
  return { categories, current, savings, card };
};

export const cardStatement = `date,title,amount
2026-03-04,Mercado Livre,89.90
2026-03-05,Posto Shell,180.00
2026-03-07,Cinema,56.00
`;
