//! The categories of every new profile, from `config/standard_categories.toml`.

use anyhow::{Context, Result, bail, ensure};
use finance_domain::categories::{Allowed, Planning, group};
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
    group: Option<String>,
    icon: Option<String>,
    color: Option<String>,
    #[serde(default = "by_default")]
    nets_refunds: bool,
}

/// An income in a category gives back what was spent in it, unless the file says otherwise.
fn by_default() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamesFile {
    names: Vec<String>,
}

/// The names of the icons that a category may have.
///
/// # Errors
///
/// If `config/category_icons.toml` is invalid, or a name is listed twice.
pub(super) fn icons() -> Result<Allowed> {
    let text = include_str!("../../../../config/category_icons.toml");
    let mut names = names("config/category_icons.toml", text, "an icon")?;
    names.sort();
    Ok(Allowed::new(names))
}

/// The names of the colors that a category may have, in the order in which new categories take them.
///
/// # Errors
///
/// If `config/category_colors.toml` is invalid, or a name is listed twice.
pub(super) fn colors() -> Result<Allowed> {
    let text = include_str!("../../../../config/category_colors.toml");
    names("config/category_colors.toml", text, "a color").map(Allowed::new)
}

fn names(file: &'static str, text: &str, of: &str) -> Result<Vec<String>> {
    let NamesFile { names } = toml::from_str(text).context(file)?;
    if let Some(name) = names.iter().find(|name| !is_name(name.as_str())) {
        bail!("{file}: {name:?} is no name of {of}");
    }
    for (at, name) in names.iter().enumerate() {
        ensure!(!names[..at].contains(name), "{file}: {name:?} is listed twice");
    }
    Ok(names)
}

/// The most characters of the name of an icon or a color.
const NAME_CHARS_MAX: usize = 40;

fn is_name(name: &str) -> bool {
    (1..=NAME_CHARS_MAX).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// The categories of every new profile.
///
/// # Errors
///
/// If `config/standard_categories.toml` is invalid. The message names the key.
pub fn standard_categories() -> Result<Vec<StandardCategory>> {
    let file: StandardCategories = toml::from_str(include_str!("../../../../config/standard_categories.toml"))
        .context("config/standard_categories.toml")?;
    let (icons, colors) = (icons()?, colors()?);
    file.category
        .into_iter()
        .map(|entry| {
            let name = finance_domain::text::name(&entry.name).map_err(|message| {
                anyhow::anyhow!("config/standard_categories.toml: name {:?} {message}", entry.name)
            })?;
            let of = || format!("config/standard_categories.toml: {:?}", entry.name);
            let group = entry.group.as_deref().map(group).transpose().map_err(anyhow::Error::from).with_context(of)?;
            let icon = entry.icon.as_deref().map(|icon| icons.check(icon)).transpose();
            let icon = icon.map_err(anyhow::Error::from).with_context(of)?;
            let color = entry.color.as_deref().map(|color| colors.check(color)).transpose();
            let color = color.map_err(anyhow::Error::from).with_context(of)?;
            let planning = Planning { group, icon, color, nets_refunds: entry.nets_refunds, ..Planning::default() };
            Ok(StandardCategory { name, is_tax: entry.is_tax, planning })
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

    #[test]
    fn salaries_and_investments_are_no_refunds() {
        let categories = super::standard_categories().unwrap();
        let income: Vec<&str> = categories
            .iter()
            .filter(|category| !category.planning.nets_refunds)
            .map(|category| category.name.as_str())
            .collect();
        assert_eq!(income, ["Salário", "Investimentos"]);
        assert!(
            categories.iter().all(|category| category.planning.group.is_some() && category.planning.icon.is_some())
        );
        let colors: std::collections::HashSet<_> =
            categories.iter().filter_map(|category| category.planning.color.as_deref()).collect();
        assert_eq!(colors.len(), categories.len(), "each has its own");
        assert_eq!(super::colors().unwrap().names().count(), 24);
    }
}
