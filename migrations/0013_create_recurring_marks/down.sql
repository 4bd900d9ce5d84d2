drop table recurring_marks;
