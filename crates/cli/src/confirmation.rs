//! Confirmation of commands that cannot be undone.

use std::io::{self, IsTerminal, Write};

use anyhow::{Context, Result, bail};

/// Fails if confirmation is needed and there is no terminal.
pub(crate) fn possible(is_confirmed: bool) -> Result<()> {
    if !is_confirmed && !io::stdin().is_terminal() {
        bail!("this cannot be undone, and there is no terminal to ask on; --yes confirms it");
    }
    Ok(())
}

/// Asks the user to type a word on the terminal, unless `--yes` was given.
pub(crate) fn ask(warning: &str, word: &str, is_confirmed: bool) -> Result<()> {
    if is_confirmed {
        return Ok(());
    }
    possible(is_confirmed)?;
    let mut terminal = io::stderr();
    write!(terminal, "{warning}. Type {word} to go on: ").and_then(|()| terminal.flush())?;
    let mut typed = String::new();
    io::stdin().read_line(&mut typed).context("the confirmation cannot be read")?;
    if typed.trim() != word {
        bail!("not confirmed, nothing was done");
    }
    Ok(())
}
