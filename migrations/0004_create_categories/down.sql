drop table categories;
