drop table import_accounts;
drop table account_keys;
drop table account_key_secrets;
