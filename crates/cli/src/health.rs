//! `finance health`: the health check of a container, whose image has no curl.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::client::{agent, reachable};
use crate::configuration::Configuration;
use crate::output::say;

/// The time limit of the answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Checks whether the service on `FINANCE_BIND` is ready.
pub(crate) fn check(configuration: &Configuration) -> Result<()> {
    let address = reachable(configuration.bind);
    let answer = agent(ANSWER_TIMEOUT).get(format!("http://{address}/readyz")).call();
    let status = answer.with_context(|| format!("no answer from {address}"))?.status();
    if status != 200 {
        bail!("{address} is not ready: status {}", status.as_u16());
    }
    say!("{address} is ready");
    Ok(())
}
