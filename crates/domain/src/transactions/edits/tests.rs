use proptest::prelude::*;
use time::macros::{date, datetime};

use super::*;
use crate::ids::{ImportId, ProfileId, TransferId};
use crate::money::Money;
use crate::transactions::kinds::Kind;
use crate::transactions::lines::Details;

fn imported() -> Transaction {
    Transaction {
        id: TransactionId(7),
        profile_id: ProfileId(1),
        kind: Kind::Expense,
        category_id: None,
        account_id: Some(AccountId(1)),
        date: date!(2026 - 01 - 31),
        original_date: None,
        external_id: Some("A1".into()),
        source: Source::Ofx,
        description: "PADARIA PAO QUENTE".into(),
        amount: Money::from_cents(550),
        transfer_id: None,
        import_id: Some(ImportId(3)),
        is_transfer: false,
        is_kept_unlinked: false,
        statement: StatementValues::default(),
        installment: None,
        is_recognised: false,
        details: Details::default(),
        created_by: None,
        created_at: datetime!(2026-02-01 12:00 UTC),
    }
}

/// The transaction as the store would hold it after an edit.
fn stored(before: &Transaction, edit: Edit) -> Transaction {
    assert_eq!(edit.id, before.id);
    Transaction {
        kind: edit.new.kind,
        category_id: edit.new.category_id,
        account_id: edit.new.account_id,
        date: edit.new.date,
        original_date: edit.new.original_date,
        external_id: edit.new.external_id,
        description: edit.new.description,
        amount: edit.new.amount,
        is_transfer: edit.new.is_transfer,
        is_kept_unlinked: edit.new.is_kept_unlinked,
        statement: edit.statement,
        is_recognised: edit.is_recognised,
        details: edit.new.details,
        ..before.clone()
    }
}

/// The values with which rows of a statement are compared.
fn stated(of: &Transaction) -> (String, Date, Money, Kind, Option<AccountId>) {
    let statement = of.statement.clone();
    (
        statement.description.unwrap_or_else(|| of.description.clone()),
        statement.date.or(of.original_date).unwrap_or(of.date),
        statement.amount.unwrap_or(of.amount),
        statement.kind.unwrap_or(of.kind),
        statement.account_id.or(of.account_id),
    )
}

fn edits() -> impl Strategy<Value = NewTransaction> {
    let account = prop_oneof![Just(None), (1i64..4).prop_map(|id| Some(AccountId(id)))];
    (any::<bool>(), 0i64..3, 0usize..3, 549i128..552, account).prop_map(|(income, days, text, cents, account_id)| {
        let kind = if income { Kind::Income } else { Kind::Expense };
        let description = ["PADARIA PAO QUENTE", "Pão", "Padaria"][text];
        let date = date!(2026 - 01 - 31) + time::Duration::days(days);
        NewTransaction { account_id, ..NewTransaction::new(kind, date, description, Money::from_cents(cents)) }
    })
}

proptest! {
    #[test]
    fn edits_keep_the_values_of_the_statement(
        edits in prop::collection::vec(edits(), 1..6), has_purchase_date in any::<bool>()
    ) {
        let first = imported();
        let first = Transaction { original_date: has_purchase_date.then_some(date!(2026-01-20)), ..first };
        let mut now = first.clone();
        for new in edits {
            let edit = now.edited(new.clone());
            prop_assert_eq!(&edit.new_values().description, &new.description);
            now = stored(&now, edit);
            prop_assert_eq!(stated(&now), stated(&first));
            let StatementValues { description, date, amount, kind, account_id } = &now.statement;
            prop_assert_ne!(description.as_ref(), Some(&now.description), "null while it is the row's own");
            prop_assert_ne!(*date, Some(now.date));
            prop_assert_ne!(*amount, Some(now.amount));
            prop_assert_ne!(*kind, Some(now.kind));
            prop_assert!(account_id.is_none() || *account_id != now.account_id);
        }
        let back = NewTransaction {
            account_id: first.account_id,
            ..NewTransaction::new(first.kind, first.date, first.description.as_str(), first.amount)
        };
        prop_assert_eq!(stored(&now, now.edited(back)), first);
    }
}

#[test]
fn what_was_entered_by_hand_has_no_statement() {
    let by_hand = Transaction { source: Source::Manual, import_id: None, ..imported() };
    let edit = by_hand.edited(NewTransaction::new(Kind::Income, date!(2026 - 02 - 01), "Pão", Money::from_cents(1)));
    assert_eq!(*edit.statement(), StatementValues::default());
    assert_eq!(edit.new_values().external_id, None, "a client changes the id that a client gave");
}

#[test]
fn an_account_given_to_what_had_none_is_its_account() {
    let nowhere = Transaction { account_id: None, ..imported() };
    let new = NewTransaction::new(nowhere.kind, nowhere.date, nowhere.description.as_str(), nowhere.amount);
    let given = stored(&nowhere, nowhere.edited(NewTransaction { account_id: Some(AccountId(2)), ..new.clone() }));
    assert_eq!(given.statement.account_id, None);
    let moved = given.edited(NewTransaction { account_id: Some(AccountId(3)), ..new });
    assert_eq!(moved.statement().account_id, Some(AccountId(2)));
}

#[test]
fn a_recognised_transaction_keeps_its_values_and_records_those_of_the_row() {
    let leg = Transaction {
        source: Source::Transfer,
        transfer_id: Some(TransferId(5)),
        import_id: None,
        external_id: None,
        description: "Pagamento de fatura".into(),
        ..imported()
    };
    let row = NewTransaction {
        account_id: leg.account_id,
        original_date: Some(date!(2026 - 02 - 02)),
        external_id: Some("F9".into()),
        ..NewTransaction::new(leg.kind, date!(2026 - 02 - 10), "PAGTO FATURA", leg.amount)
    };
    let edit = leg.recognised(&row);
    let expected = StatementValues {
        description: Some("PAGTO FATURA".into()),
        date: Some(date!(2026 - 02 - 02)),
        ..StatementValues::default()
    };
    assert_eq!(*edit.statement(), expected);
    let known = stored(&leg, edit);
    let unchanged = Transaction { external_id: Some("F9".into()), statement: expected, is_recognised: true, ..leg };
    assert_eq!(known, unchanged);
}

#[test]
fn a_filled_transaction_takes_the_date_and_id_of_the_row_too() {
    let entered = Transaction {
        source: Source::Installment,
        import_id: None,
        external_id: None,
        description: "Loja - Parcela 1/3".into(),
        ..imported()
    };
    let row = NewTransaction {
        account_id: entered.account_id,
        original_date: Some(date!(2026 - 02 - 02)),
        external_id: Some("F9".into()),
        ..NewTransaction::new(entered.kind, date!(2026 - 02 - 10), "LOJA 1/3", Money::from_cents(551))
    };
    let known = stored(&entered, entered.filled(&row));
    let statement = StatementValues {
        description: Some("LOJA 1/3".into()),
        amount: Some(Money::from_cents(551)),
        ..StatementValues::default()
    };
    let (date, original_date) = (date!(2026 - 02 - 10), row.original_date);
    let expected =
        Transaction { date, original_date, external_id: Some("F9".into()), statement, is_recognised: true, ..entered };
    assert_eq!(known, expected);
    // An edit keeps both.
    let renamed = NewTransaction::new(known.kind, known.date, "Geladeira", known.amount);
    let edited = stored(&known, known.edited(renamed));
    assert_eq!((edited.original_date, edited.is_recognised), (original_date, true));
    assert_eq!(edited.statement.description.as_deref(), Some("LOJA 1/3"));
}

#[test]
fn a_released_transaction_is_what_it_was_before_its_statement() {
    let entered = Transaction { source: Source::Installment, import_id: None, external_id: None, ..imported() };
    let row = NewTransaction {
        external_id: Some("F9".into()),
        original_date: Some(date!(2026 - 01 - 10)),
        ..NewTransaction::new(entered.kind, date!(2026 - 02 - 05), "LOJA", entered.amount)
    };
    let before = BeforeStatement {
        id: entered.id,
        date: entered.date,
        original_date: entered.original_date,
        external_id: entered.external_id.clone(),
    };
    let taken = stored(&entered, entered.filled(&row));
    assert_eq!((taken.is_recognised, taken.date), (true, date!(2026 - 02 - 05)));
    assert_eq!(stored(&taken, taken.released(&before)), entered);
}

#[test]
fn a_moved_yield_keeps_the_last_day_that_it_pays_for() {
    let posted = Transaction { source: Source::Yield, import_id: None, external_id: None, ..imported() };
    let on = |date| NewTransaction::new(posted.kind, date, "Rendimento", posted.amount);
    let moved = stored(&posted, posted.edited(on(date!(2026 - 01 - 10))));
    assert_eq!(moved.statement, StatementValues { date: Some(posted.date), ..StatementValues::default() });
    assert!(!moved.is_from_statement());
    let again = stored(&moved, moved.edited(on(date!(2026 - 02 - 10))));
    assert_eq!(again.statement.date, Some(posted.date));
    assert_eq!(stored(&again, again.edited(on(posted.date))).statement, StatementValues::default());
}
