//! What leaves the machine: the channels that are configured, and `finance test-mail`.

use anyhow::{Context, Result, bail};
use finance_adapters_delivery::{Channels, Mail, MailServer, Push, PushKey, Sender};
use finance_domain::notices::{Language, Message, PushHosts, check_email};
use time::{Duration, OffsetDateTime};

use crate::arguments::TestMail;
use crate::catalogs;
use crate::configuration::Configuration;
use crate::output::{printable, say};

/// The push services of `config/push.toml` and of the configuration.
pub(crate) fn push_hosts(configuration: &Configuration) -> Result<PushHosts> {
    Ok(PushHosts::new(catalogs::push_hosts()?, &configuration.push_hosts, configuration.webhooks_private))
}

/// The channels that are configured.
pub(crate) fn channels(configuration: &Configuration, push_key: Option<PushKey>) -> Result<Channels> {
    let push = push_key.map(|key| Push::new(key, subject(configuration), configuration.webhooks_private));
    Ok(Channels::new(push, mail(configuration)?))
}

/// Where the operator of a push service reaches the one of this service: the pages, or the sender of the mail. None if neither is
/// configured: made-up addresses are refused by some, and so is a missing one.
fn subject(configuration: &Configuration) -> Option<String> {
    let page = configuration.public_url.clone().filter(|url| url.starts_with("https://"));
    page.or_else(|| configuration.mail_from.as_ref().map(|from| format!("mailto:{}", from.address())))
}

/// The mail server, if there is one.
fn mail(configuration: &Configuration) -> Result<Option<Mail>> {
    let Some((server, from)) = settings(configuration) else { return Ok(None) };
    server.check().context("FINANCE_SMTP_URL")?;
    Ok(Some(Mail::new(server, from, configuration.public_url.clone())))
}

fn settings(configuration: &Configuration) -> Option<(MailServer, Sender)> {
    configuration.mail_server.clone().zip(configuration.mail_from.clone())
}

/// Sends a mail, and says what the server answers.
pub(crate) fn test_mail(configuration: &Configuration, options: &TestMail) -> Result<()> {
    let Some(mail) = mail(configuration)? else { bail!("mail needs FINANCE_SMTP_URL and FINANCE_MAIL_FROM") };
    let Ok(to) = check_email(&options.to) else { bail!("--to must be an address such as ana@example.com") };
    let now = OffsetDateTime::now_utc();
    let message = Message {
        title: "Finance can send mail".to_string(),
        body: "This is the mail that `finance test-mail` sends.".to_string(),
        tag: String::new(),
        message_id: format!("test-{}", now.unix_timestamp_nanos()),
        url: "/".to_string(),
        actions: Vec::new(),
        language: Language::English,
        expires_at: now + Duration::DAY,
    };
    mail.deliver(&to, &message, now)?;
    say!("{} has accepted the mail to {}", printable(mail.host()), printable(&to));
    Ok(())
}
