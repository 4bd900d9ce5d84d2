alter table card_cycles
    drop column closes_on,
    drop column former_closing;
