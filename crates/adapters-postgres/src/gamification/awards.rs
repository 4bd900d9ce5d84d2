//! The statements of awards, and the tallies that they return.

use std::collections::HashMap;
use std::sync::LazyLock;

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Nullable, Text, Timestamptz};
use finance_domain::gamification::{Action, Advance, Awarded, Standing, Tally};
use finance_domain::{Error, Result};
use time::{Date, OffsetDateTime};

use crate::budgets::{REFUNDS, budget_of};
use crate::row::row;
use crate::sql::{Rows, unnest};

/// The awards of the arrays $2 to $5 that are new and within the caps of the day $6. The awards of one action are taken in the
/// given order, up to the cap.
///
/// `offset 0` keeps the planner to one look-up for each award. Without it the planner, which does not know the parameters of a
/// prepared statement, reads every event of the profile.
fn fresh_awards(rows: Rows) -> String {
    let (wanted, nth) = match rows {
        Rows::One => {
            let one = "values (($2::text[])[1], ($3::text[])[1], ($4::integer[])[1], ($5::integer[])[1], 1)";
            (one.to_string(), "1")
        }
        Rows::Many => {
            let awards = unnest(2, &["text", "text", "integer", "integer"]);
            let nth = "row_number() over (partition by wanted.action order by wanted.position)";
            (format!("select * from {awards} with ordinality"), nth)
        }
    };
    format!(
        "with wanted (action, subject, xp, daily_cap, position) as (
            {wanted}
        ), unknown as (
            select wanted.*, {nth} as nth
            from wanted
            left join lateral (
                select true as is_given from xp_events known
                where known.profile_id = $1 and known.action = wanted.action and known.subject = wanted.subject
                offset 0
            ) known on true
            where known.is_given is null
        ), fresh as (
            select unknown.*
            from unknown
            left join lateral (
                select tally.day_count from xp_tallies tally
                where tally.profile_id = $1 and tally.action = unknown.action and tally.last_day = $6
                offset 0
            ) tally on true
            where coalesce(tally.day_count, 0) + unknown.nth <= unknown.daily_cap
        )"
    )
}

/// The categories whose spending was within their budget in the month that begins on `month`, without those stored before. What is
/// carried does not count.
fn budgets_kept(month: &str) -> String {
    let month = format!("(select {month}::date)");
    format!(
        "select category.profile_id, category.id, category.name
        from month_totals sums
        join categories category on category.profile_id = $1 and category.id = sums.category_id
        where sums.profile_id = $1 and sums.month = {month} and sums.expenses > 0
            and not exists (select 1 from category_achievements earned
                where earned.profile_id = $1 and earned.category_id = category.id)
            and sums.expenses - {REFUNDS} <= {budget}",
        budget = budget_of("category.id", "category.monthly_budget", &month),
    )
}

/// Stores [fresh awards](fresh_awards). Returns whether budgets were kept in the month $7 and, if awards were stored, the
/// tallies: all tallies before the change and, with `is_after`, the changed ones after it.
///
/// Writers of one profile run one after another, so a new award is still new at the insert. A unique key guarantees it.
fn inserting(rows: Rows) -> String {
    format!(
        "{fresh}, before as materialized (
            select * from xp_tallies where profile_id = $1
        ), given as (
            insert into xp_events (profile_id, action, subject, xp, day)
            select $1, action, subject, xp, $6 from fresh {in_order}
            on conflict do nothing
            returning action, xp
        ), tallied as (
            insert into xp_tallies as known
                (profile_id, action, last_day, day_count, week_count, month_count, total_count, total_xp)
            select $1, action, $6, {count}, {count}, {count}, {count}, {xp} from given {by_action}
            on conflict (profile_id, action) do update set
                last_day = excluded.last_day,
                day_count = excluded.day_count
                    + case when known.last_day = excluded.last_day then known.day_count else 0 end,
                week_count = excluded.week_count
                    + case when date_trunc('week', known.last_day::timestamp) = date_trunc('week', excluded.last_day::timestamp)
                        then known.week_count else 0 end,
                month_count = excluded.month_count
                    + case when date_trunc('month', known.last_day::timestamp) = date_trunc('month', excluded.last_day::timestamp)
                        then known.month_count else 0 end,
                total_count = known.total_count + excluded.total_count,
                total_xp = known.total_xp + excluded.total_xp
            returning known.*
        )
        select budgets.are_kept, tally.*
        from (select exists ({kept}) as are_kept) budgets
        left join (
            select true as is_after, tallied.* from tallied
            union all
            select false, before.* from before where exists (select 1 from given)
        ) tally on true",
        fresh = fresh_awards(rows),
        in_order = rows.only_many("order by position"),
        count = rows.all("sum", "1"),
        xp = rows.all("sum", "xp"),
        by_action = rows.by("action"),
        kept = budgets_kept("$7"),
    )
}

/// The statement that stores the given number of awards.
pub(super) fn insert_awards(count: usize) -> &'static str {
    static ONE: LazyLock<String> = LazyLock::new(|| inserting(Rows::One));
    static MANY: LazyLock<String> = LazyLock::new(|| inserting(Rows::Many));
    match Rows::of(count) {
        Rows::One => &ONE,
        Rows::Many => &MANY,
    }
}

/// Whether an award is fresh, or a budget was kept in the month $7.
pub(super) static AWARD_OR_BUDGETS_DUE: LazyLock<String> = LazyLock::new(|| {
    let (fresh, kept) = (fresh_awards(Rows::One), budgets_kept("$7"));
    format!("{fresh} select exists (select 1 from fresh) or exists ({kept}) as due")
});

/// Whether a budget was kept in the month $2.
pub(super) static BUDGETS_DUE: LazyLock<String> =
    LazyLock::new(|| format!("select exists ({}) as due", budgets_kept("$2")));

/// Stores the budgets that were kept in the month $2.
pub(super) static INSERT_BUDGETS_KEPT: LazyLock<String> = LazyLock::new(|| {
    let kept = budgets_kept("$2");
    format!(
        "with kept as ({kept}), noted as (
            insert into category_achievements (profile_id, category_id)
            select profile_id, id from kept
            on conflict do nothing
            returning category_id
        )
        select kept.name from kept join noted on noted.category_id = kept.id order by kept.id"
    )
});

/// The tallies of the profile $1, and the awards of the arrays $2 and $3 that it has.
pub(super) static STANDING: LazyLock<String> = LazyLock::new(|| {
    format!(
        "select action, null as subject, null::timestamptz as created_at,
            last_day, day_count, week_count, month_count, total_count, total_xp
        from xp_tallies where profile_id = $1
        union all
        select event.action, event.subject, event.created_at, null, null, null, null, null, null
        from {} as wanted (action, subject)
        cross join lateral (
            select action, subject, created_at from xp_events known
            where known.profile_id = $1 and known.action = wanted.action and known.subject = wanted.subject
            offset 0
        ) event",
        unnest(2, &["text", "text"])
    )
});

/// Whether budgets were kept, and a tally if awards were stored.
#[derive(QueryableByName)]
pub(super) struct AwardedRow {
    #[diesel(sql_type = Bool)]
    are_kept: bool,
    #[diesel(sql_type = Nullable<Bool>)]
    is_after: Option<bool>,
    #[diesel(embed)]
    tally: TallyRow,
}

/// A tally, or a given award.
#[derive(QueryableByName)]
pub(super) struct StandingRow {
    #[diesel(sql_type = Nullable<Text>)]
    subject: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    created_at: Option<OffsetDateTime>,
    #[diesel(embed)]
    tally: TallyRow,
}

row! {
    /// A tally, or nulls.
    struct TallyRow {
        action: Option<String> [Nullable<Text>],
        last_day: Option<Date> [Nullable<SqlDate>],
        day_count: Option<i64> [Nullable<BigInt>],
        week_count: Option<i64> [Nullable<BigInt>],
        month_count: Option<i64> [Nullable<BigInt>],
        total_count: Option<i64> [Nullable<BigInt>],
        total_xp: Option<i64> [Nullable<BigInt>],
    }
}

impl TallyRow {
    fn action(&self) -> Result<Option<Action>> {
        let known = |word: &String| {
            word.parse::<Action>().map_err(|_| Error::Internal(format!("unknown action {word}").into()))
        };
        self.action.as_ref().map(known).transpose()
    }

    fn tally(&self) -> Result<Option<Tally>> {
        let Some(last_day) = self.last_day else { return Ok(None) };
        let count = |count: Option<i64>| {
            u64::try_from(count.unwrap_or_default()).map_err(|error| Error::Internal(Box::new(error)))
        };
        Ok(Some(Tally {
            last_day,
            day_count: count(self.day_count)?,
            week_count: count(self.week_count)?,
            month_count: count(self.month_count)?,
            total_count: count(self.total_count)?,
            total_xp: count(self.total_xp)?,
        }))
    }
}

/// The result of [`insert_awards`], from its rows.
pub(super) fn awarded(rows: &[AwardedRow]) -> Result<Awarded> {
    let (mut before, mut after) = (HashMap::new(), HashMap::new());
    for row in rows {
        if let (Some(action), Some(tally)) = (row.tally.action()?, row.tally.tally()?) {
            let tallies = if row.is_after == Some(true) { &mut after } else { &mut before };
            tallies.insert(action, tally);
        }
    }
    let standing = |tallies| Standing { tallies, given: HashMap::new() };
    let advance = (!after.is_empty()).then(|| {
        for (action, tally) in &before {
            after.entry(*action).or_insert(*tally);
        }
        Advance { before: standing(before), after: standing(after) }
    });
    Ok(Awarded { advance, has_kept_budgets: rows.iter().any(|row| row.are_kept) })
}

/// The result of [`STANDING`], from its rows.
pub(super) fn standing(rows: Vec<StandingRow>) -> Result<Standing> {
    let mut standing = Standing::default();
    for row in rows {
        let Some(action) = row.tally.action()? else { continue };
        if let (Some(subject), Some(created_at)) = (row.subject, row.created_at) {
            standing.given.insert((action, subject), created_at);
        } else if let Some(tally) = row.tally.tally()? {
            standing.tallies.insert(action, tally);
        }
    }
    Ok(standing)
}
