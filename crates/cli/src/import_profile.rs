//! `finance import-profile`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use finance_domain::{Access, Error, TimeLimit, TransactionOptions};
use finance_export::SoundDocument;
use finance_http::AUDIT;
use finance_http::export::read_document;

use crate::arguments::ImportProfile;
use crate::catalogs;
use crate::clock::SystemClock;
use crate::configuration::Configuration;
use crate::database::with_store;
use crate::output::say;
use crate::users;

/// The maximum size of a document in bytes: about a million transactions.
const DOCUMENT_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// Restores a document into a profile.
pub(crate) fn import(configuration: &Configuration, arguments: &ImportProfile) -> Result<()> {
    // Fails before anything is started.
    let document = read(&arguments.file).with_context(|| arguments.file.display().to_string())?;
    let context = catalogs::context(configuration, &SystemClock::new(configuration))?;
    let rows = with_store(configuration, |store| {
        let caller = users::caller(store, &arguments.name)?;
        let options = TransactionOptions { time_limit: TimeLimit::Long, ..Access::Write.into() };
        let restored = store.run(&caller, options, |repo| finance_export::restore(repo, &context, document));
        let rows = restored.map_err(|error| match error {
            Error::Unauthenticated => anyhow!("the profile of {} is closed or has just changed", arguments.name),
            error => error.into(),
        })?;
        log::info!(target: AUDIT, "profile {} imported on the command line: {rows} rows", caller.profile_id);
        Ok(rows)
    })?;
    say!("{rows} rows restored into the profile of {}", arguments.name);
    Ok(())
}

fn read(file: &Path) -> Result<SoundDocument> {
    let mut text = Vec::new();
    let mut limited = |from: &mut dyn Read| from.take(DOCUMENT_BYTES_MAX + 1).read_to_end(&mut text);
    if file == Path::new("-") { limited(&mut io::stdin().lock()) } else { limited(&mut File::open(file)?) }?;
    if text.len() as u64 > DOCUMENT_BYTES_MAX {
        bail!("is larger than {DOCUMENT_BYTES_MAX} bytes");
    }
    Ok(read_document(&text)?.check()?)
}
