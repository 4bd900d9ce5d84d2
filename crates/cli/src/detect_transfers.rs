//! `finance detect-transfers`.

use std::collections::HashSet;

use anyhow::{Context as _, Result, bail};
use finance_domain::changes::{ChangeKind, Recording};
use finance_domain::use_cases::transfer_detection::{self, DetectInput, Detected};
use finance_domain::{Access, Clock, Context, Store, TimeLimit, TransactionOptions};
use finance_http::AUDIT;

use crate::arguments::DetectTransfers;
use crate::catalogs;
use crate::clock::SystemClock;
use crate::configuration::Configuration;
use crate::database::with_store;
use crate::output::{printable, say};
use crate::users;

/// Links the transfers among the stored transactions of one user or of all users, with one transaction for each user.
pub(crate) fn detect(configuration: &Configuration, arguments: &DetectTransfers) -> Result<()> {
    let name = match (&arguments.name, arguments.all) {
        (Some(name), false) => Some(name),
        (None, true) => None,
        _ => bail!("either --name or --all is needed"),
    };
    let clock = SystemClock::new(configuration);
    let context = catalogs::context(configuration, &clock)?;
    with_store(configuration, |store| match name {
        Some(name) => detect_of(store, &context, &clock, name, arguments.dry_run),
        None => {
            let mut done = HashSet::new();
            for member in store.member_list()? {
                if member.is_disabled {
                    say!("{}: disabled, skipped", printable(&member.name));
                } else if done.insert(member.profile_id) {
                    detect_of(store, &context, &clock, &member.name, arguments.dry_run)?;
                }
            }
            Ok(())
        }
    })
}

fn detect_of(store: &dyn Store, context: &Context, clock: &dyn Clock, name: &str, is_dry_run: bool) -> Result<()> {
    let caller = users::caller(store, name)?;
    let recording = (!is_dry_run).then(|| Recording::of(ChangeKind::TransfersDetect, clock));
    let options = TransactionOptions { time_limit: TimeLimit::Long, recording, ..Access::Write.into() };
    let detected = store.run(&caller, options, |repo| match is_dry_run {
        true => transfer_detection::rehearse_detect(repo, context, DetectInput::default()),
        false => transfer_detection::detect(repo, context, DetectInput::default()),
    });
    let Detected { linked, suggested, .. } = detected.with_context(|| name.to_string())?;
    let shown = printable(name);
    if is_dry_run {
        say!("{shown}: {linked} would be linked, {suggested} suggested; nothing was saved");
    } else {
        say!("{shown}: {linked} linked, {suggested} suggested");
        log::info!(target: AUDIT, "profile {} had {linked} transfers linked on the command line", caller.profile_id);
    }
    Ok(())
}
