-- Earlier releases look for the bill that holds the day: the last day is in it by the new days.
alter table card_cycles no force row level security;
update card_cycles set replaced_on = closes_on - 1 where closes_on is not null;
alter table card_cycles force row level security;
alter table card_cycles
    drop column closes_on,
    drop column former_closing;
