//! `finance mcp`: the tools of assistants over standard input and output, called by the SDK's client.

use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};

use finance_tests::{Client, Program, ScratchDir, TestApp};
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};
use tokio::net::unix::pipe;

use crate::outcome::refused;

/// A client of a child process.
struct Assistant {
    client: RunningService<RoleClient, ()>,
    child: Child,
}

impl Assistant {
    async fn start(scratch: &ScratchDir, url: &str, token: &str) -> Self {
        let mut command = Program::command(scratch.path());
        command.arg("mcp").env("FINANCE_URL", url).env("FINANCE_TOKEN", token).env("RUST_LOG", "debug");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdout = pipe::Receiver::from_owned_fd(OwnedFd::from(child.stdout.take().unwrap())).unwrap();
        let stdin = pipe::Sender::from_owned_fd(OwnedFd::from(child.stdin.take().unwrap())).unwrap();
        let client = ().serve((stdout, stdin)).await.expect("the protocol begins");
        Assistant { client, child }
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let request = CallToolRequestParams::new(tool).with_arguments(arguments);
        self.client.call_tool(request).await.expect("an answer")
    }

    async fn called(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(false), "{tool}: {result:?}");
        result.structured_content.expect("a typed result")
    }

    async fn failed(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{tool}: {result:?}");
        result.content[0].as_text().expect("a text").text.clone()
    }

    /// Ends the program like a client, by closing its standard input.
    async fn end(self) {
        let Assistant { client, mut child } = self;
        client.cancel().await.expect("the client ends");
        assert!(child.wait().expect("the program ends").success());
    }
}

fn run(work: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work);
}

fn token(of: &Client, scope: &str) -> String {
    let made = of.post("/api/tokens", json!({ "name": scope, "scopes": [scope] })).created();
    made["token"].as_str().expect("a token").to_string()
}

#[test]
fn the_sdks_client_lists_and_calls_the_tools() {
    let (app, scratch) = (TestApp::start(), ScratchDir::new());
    let ana = app.user("ana");
    ana.open_account("Banco", "current");
    let url = format!("http://{}", app.address());
    run(async {
        let assistant = Assistant::start(&scratch, &url, &token(&ana, "write")).await;
        let server = assistant.client.peer_info().expect("the server's own description");
        assert!(format!("{server:?}").contains("\"finance\""), "{server:?}");
        let tools = assistant.client.list_all_tools().await.expect("the tools");
        assert_eq!(tools.len(), 19);
        let accounts = assistant.called("list_accounts", json!({})).await;
        let account_id = accounts["accounts"][0]["id"].clone();
        assert_eq!(accounts["accounts"][0]["name"], "Banco");
        let coffee = json!({ "type": "expense", "date": "2026-03-14", "description": "Café & pão", "amount": "6.50",
            "account_id": account_id });
        let created = assistant.called("create_transaction", coffee).await;
        let found = assistant.called("search_transactions", json!({ "q": "cafe & p", "month": "2026-03" })).await;
        assert_eq!(found["transactions"], json!([created["transaction"]]));
        let category_id = assistant.called("list_categories", json!({})).await["categories"][0]["id"].clone();
        let filing = json!({ "ids": [created["transaction"]["id"]], "category_id": category_id });
        assert_eq!(assistant.called("set_categories", filing).await, json!({ "updated": 1 }));
        let spending = assistant.called("spending_by_category", json!({ "month": "2026-03" })).await;
        assert_eq!(spending["spending_by_category"][0]["total"], "6.50");
        for tool in ["month_summary", "credit_bills", "installments", "recurring_items", "forecast", "net_worth"] {
            assistant.called(tool, json!({})).await;
        }
        let text = assistant.failed("search_transactions", json!({ "limit": 100_000 })).await;
        assert!(text.contains("limit must be 1 to 100"), "{text}");
        let unknown = assistant.client.call_tool(CallToolRequestParams::new("drop_tables")).await;
        assert!(unknown.unwrap_err().to_string().contains("unknown tool: drop_tables"));
        assistant.end().await;
    });
}

#[test]
fn a_token_that_reads_changes_nothing_and_a_revoked_one_is_told() {
    let (app, scratch) = (TestApp::start(), ScratchDir::new());
    let ana = app.user("ana");
    let url = format!("http://{}", app.address());
    run(async {
        let assistant = Assistant::start(&scratch, &url, &token(&ana, "read")).await;
        let coffee = json!({ "type": "expense", "date": "2026-03-14", "description": "Café", "amount": "6.50" });
        let text = assistant.failed("create_transaction", coffee).await;
        assert!(text.starts_with("403 ErrInsufficientScope: The token needs the scope write"), "{text}");
        assert_eq!(ana.all("/api/transactions").len(), 0);
        let made = ana.get("/api/tokens").ok();
        ana.delete(&format!("/api/tokens/{}", made[0]["id"])).gone();
        let text = assistant.failed("list_accounts", json!({})).await;
        assert!(text.starts_with("401 ErrUnauthenticated"), "{text}");
        assistant.end().await;
    });
}

#[test]
fn a_service_that_is_away_is_told_and_a_token_is_required() {
    let scratch = ScratchDir::new();
    run(async {
        let assistant = Assistant::start(&scratch, "http://127.0.0.1:1", "fin_x").await;
        let text = assistant.failed("list_accounts", json!({})).await;
        assert!(text.starts_with("The service cannot be reached: GET http://127.0.0.1:1/api/accounts"), "{text}");
        assistant.end().await;
    });
    let mut command = Program::command(scratch.path());
    let line = refused(&command.arg("mcp").stdin(Stdio::null()).output().expect("the program runs"));
    assert!(line.contains("FINANCE_TOKEN or FINANCE_TOKEN_FILE is required"), "{line}");
}
