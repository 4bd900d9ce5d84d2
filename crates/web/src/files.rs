//! The embedded files. A debug build serves the files of a folder instead, if one is configured.

use std::borrow::Cow;

use actix_web::http::header::ContentEncoding;

use crate::layout;

/// An embedded file.
pub(crate) struct File {
    pub(crate) name: &'static str,
    pub(crate) plain: &'static [u8],
    /// None if compression is not worth it.
    pub(crate) compressed: Option<Compressed>,
}

/// The compressed content of a file.
pub(crate) struct Compressed {
    pub(crate) brotli: &'static [u8],
    pub(crate) gzip: &'static [u8],
}

/// The hash of all files.
pub(crate) const HASH: &str = env!("FINANCE_WEB_HASH");
/// Every file, sorted by name.
static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// A file as it is sent.
pub(crate) struct Content {
    pub(crate) media_type: &'static str,
    pub(crate) bytes: Cow<'static, [u8]>,
    /// How `bytes` are compressed.
    pub(crate) coding: ContentEncoding,
    /// Whether the file is an embedded one, so that the hash of the build identifies its content.
    pub(crate) is_built: bool,
}

/// Finds a file by its name, compressed in this way if it is compressed at all.
pub(crate) fn find(name: &str, coding: ContentEncoding) -> Option<Content> {
    let media_type = layout::media_type(name);
    if let Some(folder) = folder() {
        let bytes = in_folder(&folder, name)?;
        return Some(Content { media_type, bytes: bytes.into(), coding: ContentEncoding::Identity, is_built: false });
    }
    let index = FILES.binary_search_by(|file| file.name.cmp(name)).ok()?;
    let file = &FILES[index];
    let (bytes, coding) = match (&file.compressed, coding) {
        (Some(compressed), ContentEncoding::Brotli) => (compressed.brotli, coding),
        (Some(compressed), ContentEncoding::Gzip) => (compressed.gzip, coding),
        _ => (file.plain, ContentEncoding::Identity),
    };
    Some(Content { media_type, bytes: bytes.into(), coding, is_built: true })
}

/// The folder that a debug build serves instead of the embedded files. The policy still names the embedded import map by its
/// hash, so a changed import map needs a build.
#[cfg(debug_assertions)]
fn folder() -> Option<std::path::PathBuf> {
    std::env::var_os("FINANCE_WEB_ASSETS").filter(|folder| !folder.is_empty()).map(Into::into)
}

#[cfg(not(debug_assertions))]
fn folder() -> Option<std::path::PathBuf> {
    None
}

fn in_folder(folder: &std::path::Path, name: &str) -> Option<Vec<u8>> {
    let mut files = Vec::new();
    layout::files_in(folder, "", &mut files).ok()?;
    // Only names of listed files are served, so that no name can lead out of the folder.
    let is_served = layout::served(&files).iter().any(|served| served == name);
    is_served.then(|| layout::content(folder, name, HASH).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_sorted_and_found() {
        assert!(FILES.is_sorted_by_key(|file| file.name));
        let coding_of = |name: &str, coding| find(name, coding).map(|found| found.coding);
        for coding in [ContentEncoding::Identity, ContentEncoding::Gzip, ContentEncoding::Brotli] {
            assert!(FILES.iter().all(|file| find(file.name, coding).is_some()));
            assert_eq!(coding_of("app/main.js", coding), Some(coding));
            assert_eq!(coding_of("icon-192.png", coding), Some(ContentEncoding::Identity));
        }
        for absent in ["", "vendor/vendor.toml", "styles/base.css", "../Cargo.toml"] {
            assert!(coding_of(absent, ContentEncoding::Identity).is_none(), "{absent}");
        }
    }
}
