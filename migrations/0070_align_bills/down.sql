-- Earlier releases look for the bill that holds the day, by the former and by the new days.
alter table card_cycles no force row level security;
update card_cycles set replaced_on = greatest(replaced_on, (closes_on - interval '1 month')::date) where closes_on is not null;
alter table card_cycles force row level security;
alter table card_cycles
    drop column closes_on,
    drop column former_closing;
