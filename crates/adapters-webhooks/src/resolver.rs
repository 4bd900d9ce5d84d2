//! Resolves the name of a receiver to public addresses.

use std::io;

use finance_domain::webhooks::is_public;
use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// The system's resolver. It refuses names with an address that is not public. The request is sent to an address that it
/// returned: there is no second resolution that could give a different answer.
#[derive(Debug, Default)]
pub(crate) struct PublicResolver {
    system: DefaultResolver,
    allows_private: bool,
}

impl PublicResolver {
    pub(crate) fn new(allows_private: bool) -> Self {
        PublicResolver { system: DefaultResolver::default(), allows_private }
    }
}

/// The name has an address that is not public.
#[derive(Debug)]
pub(crate) struct NotPublic;

impl std::fmt::Display for NotPublic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the name has an address of a private network")
    }
}

impl std::error::Error for NotPublic {}

impl Resolver for PublicResolver {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let found = self.system.resolve(uri, config, timeout).map_err(|error| match error {
            // The system's resolver returns this error for names that do not exist.
            Error::Io(_) => Error::HostNotFound,
            error => error,
        })?;
        if self.allows_private || found.iter().all(|address| is_public(address.ip())) {
            Ok(found)
        } else {
            Err(Error::Io(io::Error::new(io::ErrorKind::PermissionDenied, NotPublic)))
        }
    }
}
