//! What leaves the machine: the channels that are configured, and `finance test-mail`.

use anyhow::{Context, Result, bail};
use finance_adapters_delivery::{Channels, Mail, MailServer, Push, PushKey};
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

/// Fails where the mail server has a public address and no TLS. Nothing was started by then.
pub(crate) fn check(configuration: &Configuration) -> Result<()> {
    configuration.mail_server.as_ref().map_or(Ok(()), MailServer::check).context("FINANCE_SMTP_URL")
}

/// The channels that are configured.
pub(crate) fn channels(configuration: &Configuration, push_key: Option<PushKey>) -> Channels {
    let push = push_key.map(|key| Push::new(key, subject(configuration), configuration.webhooks_private));
    Channels::new(push, mail(configuration))
}

/// Where the operator of a push service reaches the one of this service: the pages, or the sender of the mail. None if neither is
/// configured: made-up addresses are refused by some, and so is a missing one.
fn subject(configuration: &Configuration) -> Option<String> {
    let page = configuration.public_url.clone().filter(|url| url.starts_with("https://"));
    page.or_else(|| configuration.mail_from.as_ref().map(|from| format!("mailto:{}", from.address())))
}

/// The mail server, if there is one.
fn mail(configuration: &Configuration) -> Option<Mail> {
    let (server, from) = (configuration.mail_server.clone()?, configuration.mail_from.clone()?);
    Some(Mail::new(server, from, configuration.public_url.clone()))
}

/// Sends a mail, and says what the server answers.
pub(crate) fn test_mail(configuration: &Configuration, options: &TestMail) -> Result<()> {
    let Some(mail) = mail(configuration) else { bail!("mail needs FINANCE_SMTP_URL and FINANCE_MAIL_FROM") };
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
