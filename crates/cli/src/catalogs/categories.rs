//! The categories of every new profile, from `config/standard_categories.toml`.

use anyhow::{Context, Result};
use finance_domain::profiles::StandardCategory;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StandardCategories {
    category: Vec<StandardCategoryEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StandardCategoryEntry {
    name: String,
    #[serde(default)]
    is_tax: bool,
}

/// The categories of every new profile.
///
/// # Errors
///
/// If `config/standard_categories.toml` is invalid. The message names the key.
pub fn standard_categories() -> Result<Vec<StandardCategory>> {
    let file: StandardCategories = toml::from_str(include_str!("../../../../config/standard_categories.toml"))
        .context("config/standard_categories.toml")?;
    file.category
        .into_iter()
        .map(|entry| {
            let name = finance_domain::text::name(&entry.name).map_err(|message| {
                anyhow::anyhow!("config/standard_categories.toml: name {:?} {message}", entry.name)
            })?;
            Ok(StandardCategory { name, is_tax: entry.is_tax })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_standard_categories_have_one_for_taxes() {
        let categories = super::standard_categories().unwrap();
        assert!(categories.iter().any(|category| category.is_tax));
    }
}
