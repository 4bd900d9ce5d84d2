-- A token with only that scope can do nothing without it. One with others keeps those.
delete from tokens where scopes = array['enter'];
update tokens set scopes = array_remove(scopes, 'enter') where 'enter' = any (scopes);
alter table tokens
    drop constraint tokens_scopes_known,
    add constraint tokens_scopes_known
        check (scopes <@ array['read', 'import', 'write', 'export', 'calendar'] and cardinality(scopes) between 1 and 5);
