//! Resolves the name of a receiver to public addresses.

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
            // As if the name did not exist: the answer must not tell which names the service's own network has.
            Err(Error::HostNotFound)
        }
    }
}
