//! `finance create-user`, `add-member`, `list-users`, `set-password`, `disable-user`, `enable-user` and `disable-second-factor`.

use std::io::{self, BufRead, IsTerminal};

use anyhow::{Context, Result, anyhow, bail};
use finance_domain::members::{Member, NewLink, NewMember};
use finance_domain::profiles::{self, NewAccess, NewProfile};
use finance_domain::text::{name_key, percent_encoded};
use finance_domain::use_cases::members;
use finance_domain::{Access, Caller, Error, Refusal, Repo, Store};
use finance_http::{AUDIT, passwords};
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::arguments::{AddMember, CreateUser, DisableSecondFactor, DisableUser, EnableUser, ListUsers, SetPassword};
use crate::catalogs;
use crate::configuration::Configuration;
use crate::database::with_store;
use crate::output::{printable, say};

/// A link with which a user sets the password.
struct Link<'a> {
    origin: &'a str,
    secret: String,
    new: NewLink,
}

impl<'a> Link<'a> {
    /// Draws a link. Fails if the address of the pages is not known.
    fn draw(configuration: &'a Configuration) -> Result<Self> {
        let origin = configuration.public_url.as_deref();
        let origin = origin.context("--link needs FINANCE_PUBLIC_URL, the address of the pages")?;
        let (secret, hash) = finance_http::draw_invitation()?;
        Ok(Link { origin, secret, new: NewLink::new(hash, OffsetDateTime::now_utc()) })
    }

    /// Prints the link to standard output, and what it does to standard error.
    fn print(&self, member: &Member) -> Result<()> {
        let (id, until) = (member.profile_id, self.new.expires_at.format(&Rfc3339)?);
        log::info!(target: AUDIT, "a link for the password of member {} of profile {id} was made, on the command line", member.id);
        let name = printable(&member.name);
        eprintln!("user {name} of profile {id} sets the password with this link, once, until {until}:");
        if member.is_disabled {
            eprintln!("the user is disabled, and until it is enabled the link is refused");
        }
        // Everything is in the fragment, which browsers do not send to a server.
        say!("{}/login#invite={}&name={}", self.origin, self.secret, percent_encoded(&member.name));
        Ok(())
    }
}

/// Creates a profile with its owner, or sets a new password if a user already has the name. A disabled user stays disabled.
pub(crate) fn create(configuration: &Configuration, user: &CreateUser) -> Result<()> {
    if user.link {
        return create_by_link(configuration, user);
    }
    let password = given_or_read(user.password.as_deref())?;
    let name = profiles::check_new(&user.name, &password)?;
    let new = NewProfile {
        name,
        access: NewAccess::Password(passwords::hash(&password)?),
        standard_categories: catalogs::standard_categories()?,
    };
    let (member, was_there) = with_store(configuration, |store| {
        let was_there = find(store, &new.name)?.is_some();
        Ok((store.profile_upsert(&new)?, was_there))
    })?;
    let done = if was_there { "has a new password" } else { "was created" };
    log::info!(target: AUDIT, "profile {} {done}, on the command line", member.profile_id);
    if member.is_disabled {
        say!(
            "user {} has a new password and is still disabled, profile {}",
            printable(&member.name),
            member.profile_id
        );
    } else {
        say!("user {} is ready, profile {}", printable(&member.name), member.profile_id);
    }
    Ok(())
}

/// Creates a profile with an owner who has no password yet, unless the user is known, and prints the link that sets it.
fn create_by_link(configuration: &Configuration, user: &CreateUser) -> Result<()> {
    let link = Link::draw(configuration)?;
    let new = NewProfile {
        name: profiles::check_new_name(&user.name)?,
        access: NewAccess::Link(link.new),
        standard_categories: catalogs::standard_categories()?,
    };
    let member = with_store(configuration, |store| Ok(store.profile_upsert(&new)?))?;
    link.print(&member)
}

/// Adds a member to the profile of another user.
pub(crate) fn add_member(configuration: &Configuration, user: &AddMember) -> Result<()> {
    let link = user.link.then(|| Link::draw(configuration)).transpose()?;
    let (name, password_hash) = match &link {
        Some(_) => (profiles::check_new_name(&user.name)?, None),
        None => {
            let password = given_or_read(user.password.as_deref())?;
            (profiles::check_new(&user.name, &password)?, Some(passwords::hash(&password)?))
        }
    };
    let new = NewMember { name, password_hash, role: user.role };
    let member = with_store(configuration, |store| {
        let known = find(store, &user.profile)?.ok_or_else(|| anyhow!("there is no user {:?}", user.profile))?;
        let caller = caller(store, &known.name)?;
        let add = |repo: &mut dyn Repo| {
            let member = members::add(repo, &new)?.member;
            if let Some(link) = &link {
                members::link_by_operator(repo, member.id, &link.new)?;
            }
            Ok(member)
        };
        store.run(&caller, Access::Write, add).map_err(|error| match error {
            Error::Refused(Refusal::NameTaken) => anyhow!("there is a user {} already", new.name),
            error => error.into(),
        })
    })?;
    log::info!(target: AUDIT, "member {} was added to profile {}, on the command line", member.id, member.profile_id);
    if let Some(link) = link {
        return link.print(&member);
    }
    say!("user {} is {} of profile {}", printable(&member.name), article(&member), member.profile_id);
    Ok(())
}

/// `an editor`.
fn article(member: &Member) -> String {
    let role = member.role.as_str();
    let article = if role.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {role}")
}

/// Lists every user.
pub(crate) fn list(configuration: &Configuration, list: &ListUsers) -> Result<()> {
    let members = with_store(configuration, |store| Ok(store.member_list()?))?;
    log::info!(target: AUDIT, "{} users listed on the command line", members.len());
    if list.json {
        let users = members.iter().map(|member| {
            let created_at = member.created_at.format(&Rfc3339)?;
            Ok(json!({
                "id": member.profile_id.0, "name": member.name, "created_at": created_at, "disabled": member.is_disabled,
                "role": member.role.as_str(),
            }))
        });
        let users = users.collect::<Result<Vec<_>>>()?;
        say!("{}", serde_json::to_string_pretty(&users)?);
        return Ok(());
    }
    say!("{:>6}  {:<10}  {:<8}  {:<6}  name", "id", "created", "disabled", "role");
    for member in members {
        let (disabled, role) = (if member.is_disabled { "yes" } else { "no" }, member.role.as_str());
        let (id, created) = (member.profile_id, member.created_at.date());
        say!("{id:>6}  {created:<10}  {disabled:<8}  {role:<6}  {}", printable(&member.name));
    }
    Ok(())
}

/// Sets a new password, or prints the link that sets it.
pub(crate) fn set_password(configuration: &Configuration, user: &SetPassword) -> Result<()> {
    if user.link {
        let link = Link::draw(configuration)?;
        let member = with_store(configuration, |store| {
            store.member_link(&user.name, &link.new).map_err(|error| named(error, &user.name))
        })?;
        return link.print(&member);
    }
    let password = given_or_read(user.password.as_deref())?;
    profiles::password(&password).map_err(|message| anyhow!("password: {message}"))?;
    let hash = passwords::hash(&password)?;
    let member = with_store(configuration, |store| {
        store.member_set_password(&user.name, &hash).map_err(|error| named(error, &user.name))
    })?;
    let Member { profile_id, name, .. } = member;
    log::info!(target: AUDIT, "profile {profile_id} has a new password, on the command line");
    say!("user {} has a new password, profile {profile_id}", printable(&name));
    Ok(())
}

/// Disables a user.
pub(crate) fn disable(configuration: &Configuration, user: &DisableUser) -> Result<()> {
    set_disabled(configuration, &user.name, true)
}

/// Enables a disabled user.
pub(crate) fn enable(configuration: &Configuration, user: &EnableUser) -> Result<()> {
    set_disabled(configuration, &user.name, false)
}

/// Turns the second factor of a user off. Existing logins are revoked.
pub(crate) fn disable_second_factor(configuration: &Configuration, user: &DisableSecondFactor) -> Result<()> {
    let (member, was_there) = with_store(configuration, |store| {
        store.second_factor_remove(&user.name).map_err(|error| named(error, &user.name))
    })?;
    let Member { profile_id, name, .. } = member;
    if !was_there {
        say!("user {} has no second factor, profile {profile_id}", printable(&name));
        return Ok(());
    }
    log::info!(target: AUDIT, "a member of profile {profile_id} lost its second factor, on the command line");
    say!("user {} logs in with the password alone, profile {profile_id}", printable(&name));
    Ok(())
}

fn set_disabled(configuration: &Configuration, name: &str, is_disabled: bool) -> Result<()> {
    let member = with_store(configuration, |store| {
        store.member_set_disabled(name, is_disabled).map_err(|error| named(error, name))
    })?;
    let done = if is_disabled { "disabled" } else { "enabled" };
    let Member { profile_id, name, .. } = member;
    log::info!(target: AUDIT, "profile {profile_id} was {done}, on the command line");
    say!("user {} is {done}, profile {profile_id}", printable(&name));
    Ok(())
}

/// The user with that name, disabled or not.
pub(crate) fn find(store: &dyn Store, name: &str) -> Result<Option<Member>> {
    let key = name_key(name);
    Ok(store.member_list()?.into_iter().find(|known| name_key(&known.name) == key))
}

/// The user with that name, as the caller of a transaction. An operator may do things for the user that the user's role does not
/// allow.
pub(crate) fn caller(store: &dyn Store, name: &str) -> Result<Caller> {
    match store.credential_by_name(name)? {
        Some(known) => Ok(Caller::of_login(known.member.profile_id, known.id)),
        None => bail!("there is no user {name} who may log in; `finance create-user` makes one"),
    }
}

/// An error about a user, with the name.
fn named(error: Error, name: &str) -> anyhow::Error {
    match error {
        Error::NotFound(what) => anyhow!("there is no {what} {name:?}"),
        error => error.into(),
    }
}

fn given_or_read(password: Option<&str>) -> Result<String> {
    password.map_or_else(read_password, |password| Ok(password.to_string()))
}

/// Reads a password from the terminal without an echo, or the first line of standard input.
fn read_password() -> Result<String> {
    if io::stdin().is_terminal() {
        return rpassword::prompt_password("Password: ").context("the password cannot be read from the terminal");
    }
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).context("the password cannot be read from standard input")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_string())
}
