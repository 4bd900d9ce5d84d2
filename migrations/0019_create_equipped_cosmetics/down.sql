drop table equipped_cosmetics;
