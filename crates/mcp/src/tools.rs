//! The tools of an assistant, in one list.

mod accounts;
mod anchors;
mod bills;
mod budgets;
mod categories;
mod entries;
mod forecast;
mod installments;
mod month;
mod net_worth;
mod notices;
mod recurring;
mod reports;
mod tool;
mod transactions;

use std::sync::LazyLock;

use rmcp::model::{JsonObject, Tool as Description, ToolAnnotations};
use serde_json::Value;
use tool::{Effect, Tool};

use crate::api::{Api, Failure};

/// The most bytes of a result as JSON. It is limited because text that a model reads is costly.
const RESULT_BYTES_MAX: usize = 256 * 1024;

/// Generates the list of tools and the dispatch by name from one list of types.
macro_rules! tools {
    ($($tool:ty),* $(,)?) => {
        static DESCRIPTIONS: LazyLock<Vec<Description>> = LazyLock::new(|| vec![$(describe::<$tool>()),*]);

        /// Calls a tool by its name. None if there is no such tool.
        pub(crate) async fn call(api: &impl Api, name: &str, arguments: JsonObject) -> Option<Result<Value, Failure>> {
            match name {
                $(<$tool>::NAME => Some(run::<$tool>(api, arguments).await),)*
                _ => None,
            }
        }
    };
}

tools![
    accounts::ListAccounts,
    anchors::AccountAnchors,
    categories::ListCategories,
    month::MonthSummary,
    month::SpendingByCategory,
    transactions::SearchTransactions,
    bills::CreditBills,
    installments::Installments,
    recurring::RecurringItems,
    forecast::Forecast,
    net_worth::NetWorth,
    notices::Notices,
    budgets::MonthBudget,
    reports::Report,
    entries::ParseEntry,
    transactions::CreateTransaction,
    entries::AddEntry,
    transactions::SetCategories,
    budgets::SetBudgets,
];

/// The descriptions of all tools, as they are sent to assistants.
pub(crate) fn list() -> &'static [Description] {
    &DESCRIPTIONS
}

fn describe<T: Tool>() -> Description {
    let annotations = ToolAnnotations::with_title(T::TITLE)
        .read_only(T::EFFECT == Effect::Reads)
        .destructive(T::EFFECT == Effect::Changes)
        .idempotent(T::EFFECT != Effect::Adds)
        .open_world(false);
    Description::new(T::NAME, T::DESCRIPTION, JsonObject::new())
        .with_title(T::TITLE)
        .with_input_schema::<T::Arguments>()
        .with_output_schema::<T::Output>()
        .with_annotations(annotations)
}

async fn run<T: Tool>(api: &impl Api, arguments: JsonObject) -> Result<Value, Failure> {
    let arguments = serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Failure::new(format!("The arguments of {} are not valid: {error}.", T::NAME)))?;
    let output = T::run(api, arguments).await?;
    let value = serde_json::to_value(output)
        .map_err(|error| Failure::new(format!("The result of {} cannot be written: {error}.", T::NAME)))?;
    if value.to_string().len() > RESULT_BYTES_MAX {
        return Err(Failure::new(format!("The result is over {RESULT_BYTES_MAX} bytes; ask for less.")));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{ApiAnswer, ApiRequest, Unreachable};

    /// An API that cannot be reached.
    #[derive(Clone)]
    struct Nobody;

    impl Api for Nobody {
        async fn send(&self, request: ApiRequest) -> Result<ApiAnswer, Unreachable> {
            Err(Unreachable(format!("asked for {}", request.path)))
        }
    }

    #[test]
    fn every_tool_has_a_typed_result_and_says_whether_it_reads() {
        let tools = list();
        let reading = |tool: &&Description| tool.annotations.as_ref().unwrap().read_only_hint == Some(true);
        assert_eq!((tools.len(), tools.iter().filter(reading).count()), (19, 15));
        for tool in tools {
            let output = tool.output_schema.as_ref().unwrap();
            assert_eq!(output["type"], "object", "{}", tool.name);
            assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
            assert!(tool.description.as_ref().unwrap().ends_with('.'), "{}", tool.name);
            assert!(tool.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'));
        }
    }

    #[test]
    fn an_unknown_tool_is_none_and_wrong_arguments_are_told() {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let mut called = |name: &str, arguments: &str| {
            let arguments = serde_json::from_str(arguments).unwrap();
            match std::pin::pin!(call(&Nobody, name, arguments)).poll(&mut context) {
                std::task::Poll::Ready(result) => result.map(|result| result.unwrap_err().to_string()),
                std::task::Poll::Pending => panic!("nothing is waited for"),
            }
        };
        assert_eq!(called("drop_tables", "{}"), None);
        assert_eq!(
            called("month_summary", r#"{"month": "2026-03"}"#).unwrap(),
            "asked for /api/dashboard?month=2026-03"
        );
        for (name, arguments, part) in [
            ("list_accounts", r#"{"x": 1}"#, "unknown field `x`"),
            ("search_transactions", r#"{"limit": 100000}"#, "limit must be 1 to 100"),
            ("search_transactions", r#"{"limit": -1}"#, "invalid value"),
            ("set_categories", r#"{"ids": [1]}"#, "missing field `category_id`"),
            ("set_categories", r#"{"ids": [], "category_id": 1}"#, "1 to 100 ids"),
            ("create_transaction", r#"{"type": "gift"}"#, "unknown variant `gift`"),
            ("set_budgets", r#"{"month": "2026-03", "budgets": []}"#, "1 to 100 budgets"),
            ("month_budget", r#"{"month": "2026-03/fill"}"#, "YYYY-MM"),
            ("report", r#"{"by": "shop"}"#, "unknown variant `shop`"),
        ] {
            let text = called(name, arguments).unwrap();
            assert!(text.contains(part), "{name} {arguments}: {text}");
        }
    }
}
