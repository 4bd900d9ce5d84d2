-- Failed logins by name and address, kept here so that every node counts the same ones.
-- Names are counted whether a profile has them or not.
create table login_failures (
    name_key text not null,
    address text not null,
    failures integer not null,
    window_started_at timestamptz not null,
    constraint login_failures_pkey primary key (name_key, address)
);

create index login_failures_window on login_failures (window_started_at);
