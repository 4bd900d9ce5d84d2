drop table xp_events;
