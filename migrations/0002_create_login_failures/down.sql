drop table login_failures;
