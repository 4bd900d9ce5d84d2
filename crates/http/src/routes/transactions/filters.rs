//! The filters of a list of transactions, as query parameters.

use finance_domain::categories::{group, group_key};
use finance_domain::month::parse_date;
use finance_domain::tags::{key, tag};
use finance_domain::text::{DESCRIPTION_CHARS_MAX, normalized};
use finance_domain::transactions::{DateBasis, FlowKind, Referring, TransactionFilter, searched_amount};
use finance_domain::{AccountId, BillId, CategoryId, FieldErrors, ImportId, MemberId, Violation};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::extract::query::{Param, ReferenceInput};
use crate::routes::transactions::view::{KindView, SourceView};
use crate::views::{DateInput, MonthInput};
use crate::words::WordView;

/// Which transactions to select: those that pass every given filter.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FilterQuery {
    /// Transactions dated in this month.
    #[param(value_type = Option<MonthInput>, inline)]
    month: Param,
    /// Transactions dated on or after this day.
    #[param(value_type = Option<DateInput>, inline)]
    from: Param,
    /// Transactions dated on or before this day; not earlier than `from`.
    #[param(value_type = Option<DateInput>, inline)]
    to: Param,
    /// Transactions of this account; `none`: without an account.
    #[param(value_type = Option<ReferenceInput>, inline)]
    account_id: Param,
    /// Transactions of this category, or with a line of it; `none`: without a category and not split.
    #[param(value_type = Option<ReferenceInput>, inline)]
    category_id: Param,
    /// Transactions of this type.
    #[serde(rename = "type")]
    #[param(value_type = Option<KindView>)]
    kind: Param,
    /// Transactions from this source.
    #[param(value_type = Option<SourceView>)]
    source: Param,
    /// Transactions from this import.
    #[param(value_type = Option<i64>)]
    import_id: Param,
    /// Rows of this credit bill: those that its `total` sums.
    #[param(value_type = Option<i64>)]
    bill_id: Param,
    /// Transactions with this text in the description, the statement's description or the note; case and accents are ignored.
    #[param(value_type = Option<String>)]
    q: Param,
    /// Transactions that have this tag; case is ignored. Empty: without tags.
    #[param(value_type = Option<String>, max_length = 30)]
    tag: Param,
    /// Transactions in categories of this group, or with a line in one; case is ignored. Empty: of no group.
    #[param(value_type = Option<String>, max_length = 40)]
    group: Param,
    /// Transactions of the payee with this key, as in the report by payee. Empty: those that name no payee. Needs `month`, or
    /// `from` and `to`.
    #[param(value_type = Option<String>, max_length = 255)]
    payee: Param,
    /// Transactions that this member entered or imported; `none`: of no known member.
    #[param(value_type = Option<ReferenceInput>, inline)]
    member_id: Param,
    /// Transactions that a report of this kind is about. With `category_id` or `group`, one line meets both.
    #[serde(rename = "kind")]
    #[param(value_type = Option<FlowKindView>, inline)]
    flow: Param,
    /// Which date `month`, `from` and `to` are about; `effective` if absent.
    #[param(value_type = Option<DateBasisView>, inline)]
    date: Param,
}

pub(crate) type FlowKindView = WordView<FlowKind>;
pub(crate) type DateBasisView = WordView<DateBasis>;

impl FilterQuery {
    pub(super) fn into_filter(self, errors: &mut FieldErrors) -> TransactionFilter {
        let filter = TransactionFilter {
            month: self.month.month("month", errors),
            from: self.from.read("from", errors, parse_date),
            to: self.to.read("to", errors, parse_date),
            account: self.account_id.reference("account_id", errors).map(|account| account.map(AccountId)),
            category: self.category_id.reference("category_id", errors).map(|category| category.map(CategoryId)),
            kind: self.kind.read("type", errors, str::parse),
            source: self.source.read("source", errors, str::parse),
            import_id: self.import_id.id("import_id", errors).map(ImportId),
            bill_id: self.bill_id.id("bill_id", errors).map(BillId),
            amount: self.q.clone().text().as_deref().and_then(searched_amount),
            text_part: self.q.read("q", errors, searched),
            tag_key: self.tag.read("tag", errors, tag_key),
            group_key: self
                .group
                .read("group", errors, |text| or_nothing(text, |text| group(text).map(|group| group_key(&group)))),
            payee_key: self.payee.read("payee", errors, |text| or_nothing(text, searched)),
            texts: None,
            member: self.member_id.reference("member_id", errors).map(|member| member.map(MemberId)),
            flow: self.flow.read("kind", errors, str::parse),
            dates: self.date.read("date", errors, str::parse).unwrap_or_default(),
        };
        filter.check(errors);
        filter
    }
}

/// The compared form of a tag, or nothing if the text is blank.
pub(crate) fn tag_key(text: &str) -> Result<Referring<String>, Violation> {
    or_nothing(text, |text| tag(text).map(|tag| key(&tag)))
}

/// What `read` makes of the text, or nothing if it is blank.
fn or_nothing(
    text: &str,
    read: impl FnOnce(&str) -> Result<String, Violation>,
) -> Result<Referring<String>, Violation> {
    if text.trim().is_empty() { Ok(Referring::Nothing) } else { read(text).map(Referring::To) }
}

/// A part of a description to search for.
pub(crate) fn searched(text: &str) -> Result<String, Violation> {
    if text.contains('\0') {
        return Err(Violation::NulCharacter);
    }
    if text.chars().count() > DESCRIPTION_CHARS_MAX {
        return Err(Violation::TooLong { max: DESCRIPTION_CHARS_MAX as i64 });
    }
    Ok(normalized(text))
}
