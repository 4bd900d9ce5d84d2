//! Embeds `assets/`: computes one hash over all files and the hash of the page's import map, joins modules, and compresses each file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

#[path = "src/layout.rs"]
#[allow(dead_code, reason = "shared with the crate, which uses all of it")]
mod layout;

#[path = "src/joined.rs"]
mod joined;

#[path = "src/bundles.rs"]
mod bundles;

/// The number of hexadecimal digits of the hash in an address. 64 bits are enough to distinguish releases.
const HASH_DIGITS: usize = 16;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=assets");
    println!("cargo::rerun-if-changed=src/layout.rs");
    println!("cargo::rerun-if-changed=src/joined.rs");
    println!("cargo::rerun-if-changed=src/bundles.rs");
    println!("cargo::rerun-if-env-changed={LINTS}");
    let variable = |name: &str| std::env::var(name).map_err(io::Error::other);
    let assets = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("assets");
    let out = PathBuf::from(variable("OUT_DIR")?);
    let mut files = Vec::new();
    layout::files_in(&assets, "", &mut files)?;
    let hash = hash(&assets, &files)?;
    println!("cargo::rustc-env=FINANCE_WEB_HASH={hash}");
    let page = layout::render(&fs::read_to_string(assets.join(layout::PAGE))?, &hash);
    let import_map = import_map(&page).ok_or_else(|| io::Error::other("the page has no import map"))?;
    let import_map = BASE64_STANDARD.encode(Sha256::digest(import_map));
    println!("cargo::rustc-env=FINANCE_WEB_IMPORT_MAP_SHA256={import_map}");

    let (modules, others): (Vec<String>, Vec<String>) =
        layout::served(&files).into_iter().partition(|name| name.starts_with("app/") && name != EARLY);
    let mut contents = joined_modules(&assets, modules)?;
    for name in others {
        let content = layout::content(&assets, &name, &hash)?;
        contents.insert(name, content);
    }
    let mut table = String::from("&[\n");
    for (index, (name, mut content)) in contents.into_iter().enumerate() {
        if name.starts_with("app/") || name == layout::STYLES {
            content = joined::joined(&String::from_utf8(content).map_err(io::Error::other)?).into_bytes();
        }
        fs::write(out.join(format!("{index}.plain")), &content)?;
        let bytes = |ending: &str| format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{index}.{ending}\"))");
        let compressed = if layout::is_compressible(&name) {
            let (brotli, gzip) = match std::env::var_os(LINTS) {
                Some(_) => (content.clone(), content),
                None => (brotli(&content)?, gzip(&content)?),
            };
            fs::write(out.join(format!("{index}.br")), brotli)?;
            fs::write(out.join(format!("{index}.gz")), gzip)?;
            format!("Some(Compressed {{ brotli: {}, gzip: {} }})", bytes("br"), bytes("gz"))
        } else {
            "None".to_string()
        };
        let plain = bytes("plain");
        writeln!(table, "    File {{ name: {name:?}, plain: {plain}, compressed: {compressed} }},")
            .map_err(io::Error::other)?;
    }
    table.push(']');
    fs::write(out.join("files.rs"), table)
}

/// The variable that `cargo clippy` sets. What lints compile is never sent, and Cargo keeps it apart from builds, so nothing is compressed.
const LINTS: &str = "CLIPPY_ARGS";

/// The script that asks for the first files. It is no module.
const EARLY: &str = "app/early.js";

/// The files that take the place of modules, by name.
fn joined_modules(assets: &Path, names: Vec<String>) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut modules = BTreeMap::new();
    for name in names {
        let source = fs::read_to_string(assets.join(&name))?;
        modules.insert(name, source);
    }
    let files = bundles::bundles(&modules).map_err(io::Error::other)?;
    Ok(files.into_iter().map(|(name, text)| (name, text.into_bytes())).collect())
}

/// The text of the page's import map: exactly the bytes that the browser hashes.
fn import_map(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("<script type=\"importmap\">")?;
    rest.split_once("</script>").map(|(map, _)| map)
}

/// The hash of the names and contents of all files, including those that are not served, and of how they are joined.
fn hash(assets: &Path, names: &[String]) -> io::Result<String> {
    let mut hasher = Sha256::new();
    // The same sources are other files where they are joined in another way.
    hasher.update(include_bytes!("build.rs"));
    hasher.update(include_bytes!("src/layout.rs"));
    hasher.update(include_bytes!("src/joined.rs"));
    hasher.update(include_bytes!("src/bundles.rs"));
    for name in names {
        let content = fs::read(assets.join(name))?;
        hasher.update(format!("{}:{name}:{}:", name.len(), content.len()));
        hasher.update(content);
    }
    let mut digits = String::new();
    for byte in hasher.finalize() {
        write!(digits, "{byte:02x}").map_err(io::Error::other)?;
    }
    digits.truncate(HASH_DIGITS);
    Ok(digits)
}

/// How often Zopfli tries to make a file smaller. Fifteen times, its default, take 80 bytes more away from all files together, and
/// twice the time.
const ZOPFLI_TRIES: NonZeroU64 = NonZeroU64::MIN.saturating_add(4);

/// Compresses to the gzip format with Zopfli. The result is a twentieth smaller than with the best level of gzip. The time is
/// acceptable, because a file is compressed once and sent for years.
fn gzip(content: &[u8]) -> io::Result<Vec<u8>> {
    let options = zopfli::Options { iteration_count: ZOPFLI_TRIES, ..Default::default() };
    let mut gzip = Vec::new();
    zopfli::compress(options, zopfli::Format::Gzip, content, &mut gzip)?;
    Ok(gzip)
}

/// Compresses with Brotli at its highest quality and with its largest window that all browsers have.
fn brotli(content: &[u8]) -> io::Result<Vec<u8>> {
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &*content, &mut compressed, &parameters)?;
    Ok(compressed)
}
