//! The sums of a year for the income tax return, one query each.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Numeric, Text};
use finance_domain::categories::TaxKind;
use finance_domain::irpf::{IrpfRepo, TEXTS_MAX, TaxKindTexts, TextTotal, YearChanges};
use finance_domain::transactions::{Kind, Source};
use finance_domain::{AccountId, Result, Word};
use time::Date;

use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache};
use crate::sums::COUNTS;
use crate::transactions::filters::PAYEE_TEXT;
use crate::words::StoredWord;

row! { struct TextRow {
    tax_kind: StoredWord<TaxKind> [Text],
    text: String [Text],
    description: String [Text],
    total: Hundredths [Numeric],
    kind_total: Hundredths [Numeric],
} }

row! { struct ChangesRow {
    account_id: i64 [BigInt],
    after_previous: Hundredths [Numeric],
    after: Hundredths [Numeric],
    earned: Hundredths [Numeric],
} }

impl IrpfRepo for PgRepo<'_> {
    fn tax_kind_texts(&mut self, first: Date, last: Date) -> Result<Vec<TaxKindTexts>> {
        let query = self.sql(format!(
            "select tax_kind, text, description, total, kind_total
            from (
                select c.tax_kind, {PAYEE_TEXT} as text,
                    (array_agg(t.description order by t.date desc, t.id desc))[1] as description,
                    sum(coalesce(l.amount, t.amount)) as total,
                    sum(sum(coalesce(l.amount, t.amount))) over (partition by c.tax_kind) as kind_total,
                    row_number() over (partition by c.tax_kind
                        order by sum(coalesce(l.amount, t.amount)) desc, min(t.id)) as place
                from transactions t
                left join transaction_lines l on l.profile_id = $1 and l.transaction_id = t.id
                join categories c on c.profile_id = $1 and c.id = coalesce(l.category_id, t.category_id) and c.tax_kind <> $4
                where t.profile_id = $1 and t.date between $2 and $3 and t.kind = $5 and {COUNTS}
                group by c.tax_kind, 2
            ) as texts
            where place <= $6
            order by tax_kind, place"
        ));
        let rows: Vec<TextRow> = query
            .arg(first)
            .arg(last)
            .arg(TaxKind::None.as_str())
            .arg(Kind::Expense.as_str())
            .arg(TEXTS_MAX as i64)
            .rows(self.connection)?;
        let mut kinds: Vec<TaxKindTexts> = Vec::new();
        for TextRow { tax_kind, text, description, total, kind_total } in rows {
            let text = TextTotal { text, description, total: total.into() };
            match kinds.last_mut().filter(|last| last.tax_kind == tax_kind.0) {
                Some(last) => last.texts.push(text),
                None => {
                    let (tax_kind, total) = (tax_kind.0, kind_total.into());
                    kinds.push(TaxKindTexts { tax_kind, total, texts: vec![text] });
                }
            }
        }
        kinds.sort_by_key(|of| TaxKind::ALL.iter().position(|kind| *kind == of.tax_kind));
        Ok(kinds)
    }

    fn year_changes(&mut self, first: Date, last: Date) -> Result<Vec<(AccountId, YearChanges)>> {
        let changes = |row: ChangesRow| {
            let (after_previous, after, earned) = (row.after_previous.into(), row.after.into(), row.earned.into());
            (AccountId(row.account_id), YearChanges { after_previous, after, earned })
        };
        self.sql(
            "select account_id,
                sum(case when kind = $4 then amount else -amount end) as after_previous,
                coalesce(sum(case when kind = $4 then amount else -amount end) filter (where date > $3), 0) as after,
                coalesce(sum(case when kind = $4 then amount else -amount end)
                    filter (where date <= $3 and source = $5), 0) as earned
            from transactions
            where profile_id = $1 and account_id is not null and date >= $2
            group by account_id",
        )
        .arg(first)
        .arg(last)
        .arg(Kind::Income.as_str())
        .arg(Source::Yield.as_str())
        .rows_as(self.connection, changes)
    }
}
