drop table card_cycles;
