-- A scope for tokens that may only enter transactions, instalments and transfers.
alter table tokens
    drop constraint tokens_scopes_known,
    add constraint tokens_scopes_known
        check (scopes <@ array['read', 'import', 'write', 'export', 'calendar', 'enter'] and cardinality(scopes) between 1 and 6);
