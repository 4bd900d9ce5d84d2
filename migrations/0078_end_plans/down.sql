drop table ended_plans;
