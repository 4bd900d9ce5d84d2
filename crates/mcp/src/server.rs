//! The protocol's server: lists the tools and calls them.

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};

use crate::api::Api;
use crate::tools;

/// Sent to the assistant when it connects.
const INSTRUCTIONS: &str = "Personal finance of one household in Brazil, in reais (BRL). Amounts are decimal strings with \
    two places, such as \"1234.50\"; never compute with them as binary floats. Dates are YYYY-MM-DD, months YYYY-MM. Ids of \
    accounts and categories come from list_accounts and list_categories. Confirm with the user before calling \
    create_transaction or set_categories, which change what is stored.";

/// A server of the protocol over an API.
pub(crate) struct Assistant<A> {
    api: A,
}

impl<A: Api> Assistant<A> {
    pub(crate) fn new(api: A) -> Self {
        Assistant { api }
    }
}

impl<A: Api> ServerHandler for Assistant<A> {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("finance", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list().iter().find(|tool| tool.name == name).cloned()
    }

    /// A failure that the user can correct or should read is a result with `isError`. Only an unknown tool is an error of the
    /// protocol.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(called) = tools::call(&self.api, &request.name, request.arguments.unwrap_or_default()).await else {
            return Err(ErrorData::invalid_params(format!("unknown tool: {}", request.name), None));
        };
        let result = match called {
            Ok(value) => CallToolResult::structured(value),
            Err(failure) => CallToolResult::error(vec![ContentBlock::text(failure.to_string())]),
        };
        Ok(result.into())
    }
}
