//! The profiles. The use cases create them on the store, as in the service.

use std::sync::Arc;

use finance_adapters_postgres::PgStore;
use finance_domain::accounts::{AccountInput, AccountKind};
use finance_domain::credit_bills::PayInput;
use finance_domain::imports::{ImportInput, ImportTarget, RowInput, StatementFormat};
use finance_domain::members::{Credential, Member};
use finance_domain::profiles::{NewAccess, NewProfile};
use finance_domain::recurring::RecurringInput;
use finance_domain::transactions::{Kind, TransactionInput};
use finance_domain::transfers::Choice;
use finance_domain::use_cases::{accounts, bill_refresh, categories, credit_bills, imports, recurring, transactions};
use finance_domain::yields::DayCount;
use finance_domain::{
    Access, AccountId, Caller, CategoryId, Context, CredentialId, Money, Month, ProfileId, Result, SessionId, Store,
};
use finance_http::LoginTokens;
use finance_tests::TOKEN_SECRET;
use time::macros::date;
use time::{Date, OffsetDateTime};

use crate::stage::TODAY;

/// The number of recurring items of each profile.
const RECURRING: i64 = 5;
/// One row in this many is on the card.
const ON_THE_CARD: usize = 5;
/// The most rows of one confirmed import.
const ROWS_OF_A_FILE: usize = 50_000;

/// A purchase that every profile has already, so that another one like it earns no XP.
pub(crate) const BOUGHT: (&str, Money) = ("Pão de todo dia", Money::from_cents(750));
/// The date of that purchase.
pub(crate) const BOUGHT_ON: Date = date!(2026 - 03 - 14);

/// A profile that sends requests.
#[derive(Clone)]
pub(crate) struct Household {
    pub(crate) profile: i64,
    pub(crate) account: i64,
    pub(crate) category: i64,
    pub(crate) token: String,
}

/// The number of active purchases by instalments on the card of a profile made by [`load_with_plans`].
const PLANS: usize = 200;
/// The number of instalments of each purchase, and the number of posted ones. The last posted one is on the open bill.
const INSTALLMENTS: (u8, u8) = (12, 3);

/// Creates a profile as [`load`] does, with [`PLANS`] purchases by instalments and a limit on its card.
pub(crate) fn load_with_plans(store: &PgStore, name: &str, rows: usize, months: i32) -> Household {
    let household = load(store, name, 1, rows, months).remove(0);
    let store: &dyn Store = store;
    let known = store.credential_by_name(&format!("{name}0")).unwrap().expect("the profile is there");
    let caller = Caller::of_login(ProfileId(household.profile), known.id);
    buy_by_installments(store, &caller).unwrap();
    household
}

fn buy_by_installments(store: &dyn Store, caller: &Caller) -> Result<()> {
    let context = context();
    let (count, posted) = INSTALLMENTS;
    store.run(caller, Access::Write, |repo| {
        let all = repo.account_list(context.today)?;
        let card = all.into_iter().find(|account| account.kind == AccountKind::Credit).expect("a card");
        let limit = AccountInput {
            name: Some(card.name.clone()),
            kind: Some(card.kind),
            closing_day: card.days().map(|days| i64::from(days.closing_day)),
            due_day: card.days().map(|days| i64::from(days.due_day)),
            credit_limit: Some(Money::from_cents(100_000_000)),
            ..Default::default()
        };
        accounts::update(repo, &context, card.id, limit)?;
        let row = |plan: usize, number: u8| RowInput {
            date: Some(Month::of(TODAY).minus(i32::from(posted - number)).day_clamped(12)),
            description: Some(format!("Loja {plan} - Parcela {number}/{count}")),
            amount: Some(Money::from_cents(1_000 + plan as i128)),
            kind: Some(Kind::Expense),
            ..RowInput::default()
        };
        let rows = (0..PLANS).flat_map(|plan| (1..=posted).map(move |number| Some(row(plan, number)))).collect();
        imports::confirm(repo, &context, import(card.id, rows))?;
        bill_refresh::refresh(repo, TODAY)?;
        // A household pays its bills. Every unpaid bill would be a candidate for a payment by an expense.
        for bill in repo.bill_list_due(None, Some(TODAY))? {
            credit_bills::pay(repo, &context, bill.id, PayInput::default())?;
        }
        Ok(())
    })
}

/// Creates `count` profiles with `rows` rows each, spread over `months` months that end with the current one.
pub(crate) fn load(store: &PgStore, name: &str, count: i64, rows: usize, months: i32) -> Vec<Household> {
    let store: &dyn Store = store;
    // Profiles are created one after the other, so that their ids are consecutive. Their rows are filled in two at a time.
    let made: Vec<_> = (0..count).map(|at| settle(store, &format!("{name}{at}")).unwrap()).collect();
    std::thread::scope(|scope| {
        for half in [0, 1] {
            let mine = made.iter().skip(half).step_by(2);
            scope.spawn(move || {
                for (caller, household, card, categories) in mine {
                    fill(store, caller, household, *card, categories, rows, months).unwrap();
                }
            });
        }
    });
    made.into_iter().map(|(_, household, _, _)| household).collect()
}

/// The credential that the stage sets for each profile after all are created. pgbench can compute it from the profile's id.
pub(crate) fn credential_of(profile: i64) -> CredentialId {
    CredentialId(u128::from(profile.unsigned_abs()))
}

/// The SQL that sets the credentials of [`credential_of`].
pub(crate) const SET_CREDENTIALS: &str = "update members set credential_id = lpad(to_hex(profile_id), 32, '0')::uuid";

/// The token of a profile that [`store_tokens`] stores. It is computed from the profile's id.
pub(crate) fn token_of(profile: i64) -> String {
    format!("fin_{profile:043}")
}

/// The SQL that gives each profile a token for reading. The token counts as used today already.
pub(crate) fn store_tokens() -> String {
    let last_day = TODAY + time::Duration::days(30);
    format!(
        "insert into tokens (profile_id, member_id, name, scopes, hash, expires_on, last_used_on)
        select profile_id, id, 'bench', '{{read}}', sha256(convert_to('fin_' || lpad(profile_id::text, 43, '0'), 'UTF8')),
            '{last_day}', '{TODAY}'
        from members;
        analyze tokens"
    )
}

/// The token of a login with the credential from [`credential_of`].
pub(crate) fn login_of(member: Member) -> Result<String> {
    let id = credential_of(member.profile_id.0);
    let credential = Credential { member, password_hash: None, id, factor: None };
    Ok(LoginTokens::new(TOKEN_SECRET).unwrap().issue(&credential, None, OffsetDateTime::now_utc())?.0)
}

/// The SQL that gives each profile a session. Its id is computed from the profile's id.
pub(crate) fn store_sessions() -> String {
    format!(
        "insert into sessions (profile_id, id, member_id, credential_id, created_at, expires_at)
        overriding system value
        select profile_id, profile_id + {SESSIONS_FROM}, id, credential_id, now(), now() + interval '1 day' from members;
        analyze sessions"
    )
}

/// The token of a login that names the session from [`store_sessions`].
pub(crate) fn with_session(store: &PgStore, name: &str) -> Result<String> {
    let known = store.credential_by_name(name)?.expect("the profile is there");
    let session = SessionId(known.member.profile_id.0 + SESSIONS_FROM);
    Ok(LoginTokens::new(TOKEN_SECRET).unwrap().issue(&known, Some(session), OffsetDateTime::now_utc())?.0)
}

/// The ids of these sessions begin above those of logins.
const SESSIONS_FROM: i64 = 1_000_000;

/// Creates a profile with few rows: one account, two categories, and one transaction on each of the first five days of the month.
pub(crate) fn settle_small(store: &PgStore, name: &str) -> Result<(Household, Member)> {
    const CATEGORIES: usize = 2;
    const ROWS: u8 = 5;
    let store: &dyn Store = store;
    let mut standard_categories = finance_cli::catalogs::standard_categories().unwrap();
    standard_categories.truncate(CATEGORIES);
    let new = NewProfile {
        name: name.to_string(),
        access: NewAccess::Password(finance_tests::PASSWORD_HASH.to_string()),
        standard_categories,
    };
    let member = store.profile_upsert(&new)?;
    let known = store.credential_by_name(name)?.expect("the profile is there");
    let caller = Caller::of_login(member.profile_id, known.id);
    let context = context();
    let (account, category) = store.run(&caller, Access::Write, |repo| {
        let bank = AccountInput { name: Some("Conta".into()), kind: Some(AccountKind::Current), ..Default::default() };
        let account = accounts::create(repo, &context, bank)?.account.id;
        let categories: Vec<_> = categories::list(repo)?.into_iter().map(|category| category.id).collect();
        for at in 1..=ROWS {
            let bought = TransactionInput {
                kind: Some(Kind::Expense),
                description: Some(format!("Compra {at}")),
                amount: Some(Money::from_cents(1_000 + i128::from(at))),
                date: Some(Month::of(TODAY).day_clamped(at)),
                account_id: Some(account),
                category_id: categories.get(usize::from(at) % CATEGORIES).copied(),
                ..Default::default()
            };
            transactions::create(repo, &context, bought)?;
        }
        Ok((account, categories[0]))
    })?;
    let token = login_of(member.clone())?;
    let household = Household { profile: member.profile_id.0, account: account.0, category: category.0, token };
    Ok((household, member))
}

type Settled = (Caller, Household, AccountId, Vec<CategoryId>);

/// Creates a profile with two accounts.
fn settle(store: &dyn Store, name: &str) -> Result<Settled> {
    let new = NewProfile {
        name: name.to_string(),
        access: NewAccess::Password(finance_tests::PASSWORD_HASH.to_string()),
        standard_categories: finance_cli::catalogs::standard_categories().unwrap(),
    };
    let member = store.profile_upsert(&new)?;
    let known = store.credential_by_name(name)?.expect("the profile is there");
    let caller = Caller::of_login(member.profile_id, known.id);
    let id = member.profile_id.0;
    let token = login_of(member)?;
    let context = context();
    store.run(&caller, Access::Write, |repo| {
        let bank = AccountInput { name: Some("Conta".into()), kind: Some(AccountKind::Current), ..Default::default() };
        let bank = accounts::create(repo, &context, bank)?.account.id;
        let card = AccountInput {
            name: Some("Cartão".into()),
            kind: Some(AccountKind::Credit),
            closing_day: Some(10),
            due_day: Some(20),
            ..Default::default()
        };
        let card = accounts::create(repo, &context, card)?.account.id;
        let categories: Vec<_> = categories::list(repo)?.into_iter().map(|category| category.id).collect();
        let lowest = categories.iter().map(|id| id.0).min().unwrap();
        let household = Household { profile: id, account: bank.0, category: lowest, token };
        Ok((caller, household, card, categories))
    })
}

fn fill(
    store: &dyn Store,
    caller: &Caller,
    household: &Household,
    card: AccountId,
    categories: &[CategoryId],
    rows: usize,
    months: i32,
) -> Result<()> {
    let context = context();
    let (on_card, in_bank): (Vec<_>, Vec<_>) = (0..rows).partition(|at| at % ON_THE_CARD == 0);
    for (account, positions) in [(AccountId(household.account), in_bank), (card, on_card)] {
        for file in positions.chunks(ROWS_OF_A_FILE) {
            let rows = file.iter().map(|at| Some(row(*at, rows, months, categories))).collect();
            let input = import(account, rows);
            store.run(caller, Access::Write, |repo| imports::confirm(repo, &context, input))?;
        }
    }
    store.run(caller, Access::Write, |repo| {
        for day in 1..=RECURRING {
            let item = RecurringInput {
                kind: Some(Kind::Expense),
                description: Some(format!("Conta {day}")),
                amount: Some(Money::from_cents(10_000 + i128::from(day))),
                category_id: categories.get(day as usize).copied(),
                day: Some(finance_domain::transactions::Referring::To(day)),
                ..Default::default()
            };
            recurring::create(repo, &context, item, Month::of(TODAY))?;
        }
        let bought = TransactionInput {
            kind: Some(Kind::Expense),
            description: Some(BOUGHT.0.into()),
            amount: Some(BOUGHT.1),
            date: Some(BOUGHT_ON),
            ..Default::default()
        };
        transactions::create(repo, &context, bought)?;
        // Creates the bills of the months that have rows now.
        bill_refresh::refresh(repo, TODAY)
    })
}

fn context() -> Context {
    let catalog = finance_cli::catalogs::gamification().unwrap();
    let (catalog, phrases, lexicon, taxes) = (Arc::new(catalog), Arc::default(), Arc::default(), Arc::default());
    let schedules = Arc::default();
    Context { today: TODAY, catalog, phrases, lexicon, schedules, taxes, day_count: DayCount::Calendar }
}

fn import(account: AccountId, rows: Vec<Option<RowInput>>) -> ImportInput {
    ImportInput {
        target: ImportTarget { account_id: Some(account), ..Default::default() },
        file_name: Some("extrato.ofx".into()),
        format: Some(StatementFormat::Ofx),
        rows: Some(rows),
        ..Default::default()
    }
}

/// The row at a position. Rows are spread over all months and over the first 28 days of each, and one in four is an income.
fn row(at: usize, of: usize, months: i32, categories: &[CategoryId]) -> RowInput {
    let month = Month::of(TODAY).minus(months - 1).plus((at as i64 * i64::from(months) / of as i64) as i32);
    RowInput {
        date: Some(month.day_clamped((at % 28 + 1) as u8)),
        description: Some(format!("Compra no mercado {at}")),
        amount: Some(Money::from_cents((at as i128 * 37) % 50_000 + 1)),
        kind: Some(if at.is_multiple_of(4) { Kind::Income } else { Kind::Expense }),
        external_id: Some(format!("F{at}")),
        category_id: Some(categories[at % categories.len()]),
        choice: Choice::Unsaid,
        ..Default::default()
    }
}
