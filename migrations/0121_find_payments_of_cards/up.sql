-- Each new row of a card asks the payments of cards around it. Their texts all name a bill or a card as here, which the list of phrases
-- is held to (`may_pay_a_card`), so few rows of an account are read, however many there are.
create index transactions_maybe_payers on transactions
    (profile_id, (case when statement_date is not null then statement_date
        when original_date is not null then original_date else date end) desc, id desc)
    where kind = 'expense' and transfer_id is null
        and (coalesce(statement_description_normalized, description_normalized) like '%fatura%'
            or coalesce(statement_description_normalized, description_normalized) like '%fat cartao%'
            or coalesce(statement_description_normalized, description_normalized) like '%cartao%credito%');
