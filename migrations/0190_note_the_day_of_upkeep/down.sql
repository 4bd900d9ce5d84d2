alter table profiles drop column upkept_on;
