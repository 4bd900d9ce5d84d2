drop table xp_tallies;
