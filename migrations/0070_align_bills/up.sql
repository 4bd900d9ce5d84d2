-- A change of a card's days begins with the bill that is actually open, and the bill before it keeps its own dates. So a change is
-- stored with its first bill: `replaced_on` is its first day, `closes_on` the date on which it closes by the new days, and
-- `former_closing` that of the bill before it by the former days. Both are null in rows of earlier releases, where `replaced_on` is
-- any day of that bill.
alter table card_cycles
    add column closes_on date,
    add column former_closing date;
-- After this SQL a rule of the domain makes every stored bill a period of its card (align_bills.rs): earlier releases could leave
-- bills that overlap.
