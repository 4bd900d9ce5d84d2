//! Reports: where money came from and went ([`flow`]), and a year of a household ([`year`]).

pub mod flow;
pub mod year;

use time::Date;

use crate::error::Result;
use crate::refunds::Sums;
use crate::reports::flow::Interval;
use crate::transactions::TransactionFilter;

/// What the rows of a report are grouped by in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartBy {
    /// The category, of each line of a split transaction.
    Category,
    /// The text: the statement's, or else the description.
    Text,
    /// The tags.
    Tags,
    /// The account.
    Account,
    /// The member who entered or imported the row.
    Member,
}

/// What the rows of a [`Part`] have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKey {
    /// The id of a category, an account or a member.
    Id(Option<i64>),
    /// A text.
    Text {
        /// The text.
        text: String,
        /// The description.
        description: String,
        /// Increases with the date and the id of the newest row.
        newest: i64,
    },
    /// The tags of the rows. Empty without tags.
    Tags {
        /// The tags, each with the [form](crate::tags::key) used for comparison.
        tags: Vec<(String, String)>,
        /// Increases with the date and the id of the newest row.
        newest: i64,
    },
}

/// The sums of the rows with one key in one interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What the rows have in common.
    pub key: PartKey,
    /// A day of the interval. None if the rows are not told apart by intervals.
    pub day: Option<Date>,
    /// Their sums.
    pub sums: Sums,
}

/// The port of reports. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait ReportRepo {
    /// Visits the sums of the transactions that pass the filter, by key and interval, one after another: memory does not grow
    /// with their number. Of a split transaction, the lines that pass.
    fn report_parts(
        &mut self,
        filter: &TransactionFilter,
        by: PartBy,
        interval: Interval,
        visit: &mut dyn FnMut(Part),
    ) -> Result<()>;
    /// The days of the transactions that pass the filter, each once, in order.
    fn report_days(&mut self, filter: &TransactionFilter) -> Result<Vec<Date>>;
}
