//! The parts of the service's schema that a restore needs.

use std::error::Error;

use finance_adapters_postgres::restored;
use finance_private_postgres::Schema;

/// The schema of this release.
pub(crate) struct ServiceSchema;

impl Schema for ServiceSchema {
    fn version_table(&self) -> &str {
        restored::VERSION_TABLE
    }

    fn version_column(&self) -> &str {
        restored::VERSION_COLUMN
    }

    fn build(&self, url: &str, versions: &[String]) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(restored::build(url, versions)?)
    }

    fn complete(&self, url: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(restored::complete(url)?)
    }
}
