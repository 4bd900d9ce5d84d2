//! The tags of answers (`ETag`): a client that sends one back as `If-None-Match` gets 304 if nothing has changed.
//!
//! A tag is made of what the answer is made of, not of its bytes: the profile's last write, the day, the request, the credential,
//! the program and its settings. So one round trip to the database tells that an answer is unchanged, and the tag is weak: a proxy
//! may compress the answer and keep the tag. A request without `If-None-Match` needs no such round trip: its first transaction also
//! reads the last write.
//!
//! Every GET that requires a credential is tagged, except [`UNTAGGED`]. What a tagged GET shows may be written only by transactions
//! that give the profile another `write_id`.

use std::cell::RefCell;

use actix_web::http::header::{ETAG, EntityTag, HeaderMap, HeaderValue, IF_NONE_MATCH};
use finance_domain::store::LastWrite;
use finance_domain::{Caller, Proof};
use sha2::{Digest, Sha256};
use time::Date;
use uuid::Uuid;

/// The GETs with a credential that have no tag of this kind, with the reason.
pub(crate) const UNTAGGED: [(&str, &str); 9] = [
    ("/api/auth/me", "the login and the second factor are written without a write of the profile"),
    ("/api/auth/sessions", "a login is stored, and a session's last use noted, without a write of the profile"),
    ("/api/tokens", "the last use of a token is noted without a write of the profile"),
    ("/api/members", "the command line changes members without a write of the profile"),
    ("/api/members/invitations", "an invitation expires at an instant, not with a day"),
    ("/api/webhooks", "a delivery is recorded without a write of the profile"),
    ("/api/webhooks/{id}/deliveries", "a delivery is recorded without a write of the profile"),
    ("/api/notices/devices", "a device goes with its login, which ends without a write of the profile"),
    ("/api/export", "the document contains the instant at which it was made"),
];

/// The GETs that show changes. These expire at an instant, and name members, which the command line changes: the tag is also made
/// of the [mark](finance_domain::changes::ChangeRepo::change_mark) of the history.
const OF_CHANGES: [&str; 3] = ["/api/changes", "/api/changes/{id}", "/api/transactions/{id}/changes"];

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The bytes of a digest that are used.
const DIGEST_BYTES: usize = 16;

/// What a request in progress tells of its answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Not told yet.
    #[default]
    Unknown,
    /// It shows what was there after this write, or something newer.
    After(LastWrite),
    /// The same request may have another answer although nothing is written.
    Passing,
}

tokio::task_local! {
    static ANSWER: RefCell<Answer>;
}

/// Whether a GET of that route is tagged.
pub(crate) fn is_tagged(route: &str) -> bool {
    route.starts_with("/api/") && !UNTAGGED.iter().any(|(path, _)| *path == route)
}

/// Whether a GET of that route shows changes.
pub(crate) fn shows_changes(route: &str) -> bool {
    OF_CHANGES.contains(&route)
}

/// Whether the first transaction of the current request has to read the last write.
pub(crate) fn is_sought() -> bool {
    ANSWER.try_with(|answer| *answer.borrow() == Answer::Unknown).unwrap_or(false)
}

/// Tells what the answer of the current request is made of. A passing answer stays one. Without effect if no tag is wanted.
pub(crate) fn tell(known: Answer) {
    let _ = ANSWER.try_with(|answer| {
        let mut answer = answer.borrow_mut();
        if *answer != Answer::Passing {
            *answer = known;
        }
    });
}

/// Runs the handler of a tagged request, with what is known of its answer. Returns also what it told of it.
pub(crate) async fn scope<F: Future>(known: Answer, task: F) -> (F::Output, Answer) {
    let handled = async move {
        let response = task.await;
        (response, ANSWER.with(RefCell::take))
    };
    ANSWER.scope(RefCell::new(known), handled).await
}

/// The tag of an answer that is never answered with 304.
pub(crate) fn passing() -> EntityTag {
    EntityTag::new_weak(Uuid::new_v4().simple().to_string())
}

/// The tag of a request for `target`, a path with its query.
pub(crate) fn of(caller: &Caller, last: &LastWrite, today: Date, target: &str, configured: &str) -> EntityTag {
    let Caller { profile_id, proof, .. } = caller;
    let credential = match proof {
        Proof::Login { credential_id, .. } => format!("login {credential_id}"),
        Proof::Token { hash, .. } => format!("token {hash}"),
        Proof::Invitation { hash, .. } => format!("invitation {hash}"),
    };
    let LastWrite { id, member_id } = last;
    let of_caller = format!("{profile_id} {member_id:?} {credential}");
    EntityTag::new_weak(digest(&[id, &of_caller, &today.to_string(), target, VERSION, configured]))
}

/// A digest of texts, in hexadecimal digits.
pub(crate) fn digest(texts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update(text.len().to_be_bytes());
        hasher.update(text);
    }
    hasher.finalize().iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

/// Whether the client has an answer.
pub(crate) fn is_asked(headers: &HeaderMap) -> bool {
    headers.contains_key(IF_NONE_MATCH)
}

/// Whether the client wants no answer whatever its tag is: `*`. Only reading tells whether there is an answer.
pub(crate) fn is_any_known(headers: &HeaderMap) -> bool {
    headers.get_all(IF_NONE_MATCH).any(|value| value.as_bytes().trim_ascii() == b"*")
}

/// Whether the client has the answer with this tag.
pub(crate) fn is_known(headers: &HeaderMap, tag: &EntityTag) -> bool {
    let listed = headers.get_all(IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    let mut known =
        listed.flat_map(|value| value.split(',')).filter_map(|known| known.trim().parse::<EntityTag>().ok());
    known.any(|known| known.weak_eq(tag))
}

/// Adds the tag to the headers of an answer.
pub(crate) fn add(headers: &mut HeaderMap, tag: &EntityTag) {
    if let Ok(value) = HeaderValue::from_str(&tag.to_string()) {
        headers.insert(ETAG, value);
    }
}
