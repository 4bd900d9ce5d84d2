//! The tables as diesel declares them. The files in `migrations/` create them.

use diesel::{allow_tables_to_appear_in_same_query, table};

table! {
    profiles (id) {
        id -> BigInt,
        created_at -> Timestamptz,
    }
}

table! {
    members (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        name -> Text,
        name_key -> Text,
        role -> Text,
        password_hash -> Nullable<Text>,
        credential_id -> Uuid,
        is_disabled -> Bool,
        created_at -> Timestamptz,
        factor_secret -> Nullable<Bytea>,
        factor_since -> Nullable<Timestamptz>,
        factor_step -> BigInt,
    }
}

table! {
    tokens (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        member_id -> BigInt,
        name -> Text,
        scopes -> Array<Text>,
        hash -> Bytea,
        expires_on -> Date,
        last_used_on -> Nullable<Date>,
        created_at -> Timestamptz,
    }
}

table! {
    invitations (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        role -> Nullable<Text>,
        hash -> Bytea,
        expires_at -> Timestamptz,
        created_by -> Nullable<BigInt>,
        created_at -> Timestamptz,
        member_id -> Nullable<BigInt>,
    }
}

table! {
    settings (profile_id) {
        profile_id -> BigInt,
        savings_goal_pct -> Numeric,
        show_character -> Bool,
        second_factor_days -> Nullable<SmallInt>,
    }
}

table! {
    categories (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        name -> Text,
        name_key -> Text,
        is_tax -> Bool,
        is_standard -> Bool,
        monthly_budget -> Nullable<Numeric>,
        tax_kind -> Text,
        group_name -> Nullable<Text>,
        group_key -> Nullable<Text>,
        position -> SmallInt,
        icon -> Nullable<Text>,
        color -> Nullable<Text>,
        is_hidden -> Bool,
        nets_refunds -> Bool,
        carry -> Text,
        carry_since -> Nullable<Date>,
    }
}

table! {
    accounts (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        name -> Text,
        name_key -> Text,
        kind -> Text,
        yield_type -> Text,
        cdi_percentage -> Numeric,
        last_yield_date -> Nullable<Date>,
        closing_day -> Nullable<SmallInt>,
        due_day -> Nullable<SmallInt>,
        bills_complete_until -> Nullable<Date>,
        credit_limit -> Nullable<Numeric>,
        yield_rate -> Nullable<Numeric>,
        yield_day_count -> Nullable<Text>,
        yield_tax -> Text,
        opening_is_derived -> Bool,
        is_spendable -> Nullable<Bool>,
        changed_bill_due_date -> Nullable<Date>,
        changed_bill_before -> Nullable<Numeric>,
        changed_bill_after -> Nullable<Numeric>,
    }
}

table! {
    account_balances (profile_id, account_id) {
        profile_id -> BigInt,
        account_id -> BigInt,
        balance -> Numeric,
    }
}

table! {
    anchors (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        account_id -> BigInt,
        import_id -> Nullable<BigInt>,
        date -> Date,
        amount -> Numeric,
        rows_total -> Numeric,
    }
}

table! {
    imports (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        file_name -> Nullable<Text>,
        format -> Text,
        account_id -> Nullable<BigInt>,
        inserted -> Integer,
        skipped -> Integer,
        created_at -> Timestamptz,
    }
}

table! {
    transactions (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        kind -> Text,
        category_id -> Nullable<BigInt>,
        account_id -> Nullable<BigInt>,
        date -> Date,
        original_date -> Nullable<Date>,
        external_id -> Nullable<Text>,
        source -> Text,
        description -> Text,
        description_normalized -> Text,
        amount -> Numeric,
        transfer_id -> Nullable<BigInt>,
        import_id -> Nullable<BigInt>,
        statement_description -> Nullable<Text>,
        statement_description_normalized -> Nullable<Text>,
        statement_date -> Nullable<Date>,
        statement_amount -> Nullable<Numeric>,
        statement_kind -> Nullable<Text>,
        statement_account_id -> Nullable<BigInt>,
        is_transfer -> Bool,
        is_kept_unlinked -> Bool,
        installment_number -> Nullable<SmallInt>,
        installment_count -> Nullable<SmallInt>,
        is_recognised -> Bool,
        note -> Nullable<Text>,
        note_normalized -> Nullable<Text>,
        tags -> Nullable<Array<Text>>,
        tag_keys -> Nullable<Array<Text>>,
        is_split -> Bool,
        created_by -> Nullable<BigInt>,
        created_at -> Timestamptz,
    }
}

table! {
    transfers (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
    }
}

table! {
    rejected_transfers (profile_id, from_id, to_id) {
        profile_id -> BigInt,
        from_id -> BigInt,
        to_id -> BigInt,
    }
}

table! {
    own_names (profile_id, position) {
        profile_id -> BigInt,
        position -> SmallInt,
        name -> Text,
    }
}

table! {
    card_cycles (profile_id, account_id, replaced_on) {
        profile_id -> BigInt,
        account_id -> BigInt,
        replaced_on -> Date,
        closing_day -> SmallInt,
        due_day -> SmallInt,
        closes_on -> Nullable<Date>,
        former_closing -> Nullable<Date>,
    }
}

table! {
    bill_dates (profile_id, account_id, scheduled_closing) {
        profile_id -> BigInt,
        account_id -> BigInt,
        scheduled_closing -> Date,
        closing_date -> Nullable<Date>,
        due_date -> Nullable<Date>,
    }
}

table! {
    credit_bill_payments (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        bill_id -> BigInt,
        amount -> Numeric,
        date -> Date,
        transfer_id -> Nullable<BigInt>,
        transaction_id -> Nullable<BigInt>,
        created_at -> Timestamptz,
    }
}

table! {
    recurring (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        kind -> Text,
        description -> Text,
        amount -> Numeric,
        category_id -> BigInt,
        account_id -> Nullable<BigInt>,
        day -> SmallInt,
        every_n -> SmallInt,
        every_unit -> Text,
        start_on -> Nullable<Date>,
        until_on -> Nullable<Date>,
        due_count -> Nullable<SmallInt>,
        day_count -> Text,
        weekend -> Text,
        amount_min -> Nullable<Numeric>,
        amount_max -> Nullable<Numeric>,
        expects -> Text,
        reserves -> Bool,
    }
}

table! {
    recurring_due_marks (profile_id, recurring_id, due) {
        profile_id -> BigInt,
        recurring_id -> BigInt,
        due -> Date,
        mark -> Text,
        transaction_id -> Nullable<BigInt>,
    }
}

table! {
    recurring_links (profile_id, transaction_id) {
        profile_id -> BigInt,
        transaction_id -> BigInt,
        recurring_id -> BigInt,
        is_by_due -> Bool,
        due -> Date,
    }
}

table! {
    rejected_recurring (profile_id, suggestion) {
        profile_id -> BigInt,
        suggestion -> Text,
        recurring_id -> Nullable<BigInt>,
    }
}

table! {
    recurring_marks (profile_id, recurring_id, month) {
        profile_id -> BigInt,
        recurring_id -> BigInt,
        month -> Date,
        mark -> Text,
        transaction_id -> Nullable<BigInt>,
    }
}

table! {
    pending_bills (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        account_id -> Nullable<BigInt>,
        payment_date -> Date,
        file_name -> Nullable<Text>,
        format -> Text,
        total -> Numeric,
        row_count -> Integer,
        status -> Text,
        created_at -> Timestamptz,
    }
}

table! {
    pending_bill_rows (profile_id, pending_bill_id, position) {
        profile_id -> BigInt,
        pending_bill_id -> BigInt,
        position -> Integer,
        date -> Date,
        description -> Text,
        description_normalized -> Text,
        amount -> Numeric,
        kind -> Text,
        external_id -> Nullable<Text>,
        external_id_base -> Nullable<Text>,
        category_id -> Nullable<BigInt>,
        is_transfer -> Bool,
        is_kept_unlinked -> Bool,
        statement_description -> Nullable<Text>,
        note -> Nullable<Text>,
        tags -> Nullable<Array<Text>>,
        is_stored -> Bool,
        is_repeated -> Bool,
    }
}

table! {
    rules (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        name -> Text,
        position -> Integer,
        is_enabled -> Bool,
        matching -> Text,
    }
}

table! {
    rule_conditions (profile_id, rule_id, position) {
        profile_id -> BigInt,
        rule_id -> BigInt,
        position -> SmallInt,
        field -> Text,
        op -> Text,
        text -> Nullable<Text>,
        amount_min -> Nullable<Numeric>,
        amount_max -> Nullable<Numeric>,
        kind -> Nullable<Text>,
        account_id -> Nullable<BigInt>,
        day_first -> Nullable<SmallInt>,
        day_last -> Nullable<SmallInt>,
    }
}

table! {
    rule_actions (profile_id, rule_id, position) {
        profile_id -> BigInt,
        rule_id -> BigInt,
        position -> SmallInt,
        action -> Text,
        category_id -> Nullable<BigInt>,
        description -> Nullable<Text>,
        tag -> Nullable<Text>,
    }
}

table! {
    xp_events (profile_id, id) {
        profile_id -> BigInt,
        id -> BigInt,
        action -> Text,
        subject -> Text,
        xp -> Integer,
        day -> Date,
        created_at -> Timestamptz,
    }
}

table! {
    appearances (profile_id) {
        profile_id -> BigInt,
        skin -> Text,
        hair_style -> Text,
        body -> Text,
    }
}

table! {
    equipped_cosmetics (profile_id, kind) {
        profile_id -> BigInt,
        kind -> Text,
        cosmetic_id -> BigInt,
    }
}

allow_tables_to_appear_in_same_query!(categories, transactions);
allow_tables_to_appear_in_same_query!(accounts, account_balances);
