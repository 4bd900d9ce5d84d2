//! The protocol over standard input and output: one message per line.

use std::error::Error;

use rmcp::ServiceExt;
use rmcp::transport::io::stdio_pipes;

use crate::api::Api;
use crate::server::Assistant;

/// Why serving standard input and output ended.
pub type StdioError = Box<dyn Error + Send + Sync>;

/// Serves until standard input ends. Nothing else may write to standard output meanwhile.
///
/// # Errors
///
/// If the client does not begin as the protocol requires, or disconnects before the initialization is complete.
pub async fn serve_stdio(api: impl Api) -> Result<(), StdioError> {
    let running = Assistant::new(api).serve(stdio_pipes()).await?;
    running.waiting().await?;
    Ok(())
}
