alter table accounts
    -- Whether a person said the opening balance, also that it is zero. Null if it is not known: it is said if one is stored.
    add column opening_is_said boolean,
    -- Whether the opening balance of a card is kept by the service.
    add column opening_is_derived boolean not null default false,
    -- Whether it depends on the rows of the last bill.
    add column opening_follows boolean not null default false;

-- The tables' owner is held to policies like everybody else.
alter table accounts no force row level security;
update accounts set payments_stale = true where kind = 'credit';
alter table accounts force row level security;
