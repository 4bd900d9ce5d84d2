drop table category_achievements;
