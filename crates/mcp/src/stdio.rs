//! The protocol over standard input and output: a message a line.

use std::error::Error;

use rmcp::ServiceExt;
use rmcp::transport::io::stdio_pipes;

use crate::api::Api;
use crate::server::Assistant;

/// Why standard input and output are served no more.
pub type StdioError = Box<dyn Error + Send + Sync>;

/// Serves until standard input ends. Nothing else may write to standard output meanwhile.
///
/// # Errors
///
/// Where the client does not begin as the protocol says, or goes away meanwhile.
pub async fn serve_stdio(api: impl Api) -> Result<(), StdioError> {
    let running = Assistant::new(api).serve(stdio_pipes()).await?;
    running.waiting().await?;
    Ok(())
}
