//! What `assets/` holds and what of it is served; the build script and debug builds that serve the folder share it.

use std::io;
use std::path::Path;

/// The one page.
pub(crate) const PAGE: &str = "index.html";
/// All of `styles/` as one file, in alphabetical order: base, parts, tokens, views.
pub(crate) const STYLES: &str = "styles.css";
/// Stands for the hash of all files in the page, the manifest and the service worker.
const HASH: &str = "{{hash}}";
/// A comment with a type.
const TYPE_BEGINS: &str = "/** @";
/// Kept beside the files and not served: which libraries they are.
const VENDOR: &str = "vendor/vendor.toml";

/// The files below a folder, in alphabetical order, with `/` between the parts of their names.
pub(crate) fn files_in(folder: &Path, prefix: &str, found: &mut Vec<String>) -> io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_str().ok_or_else(|| io::Error::other("a file's name is not UTF-8"))?;
        let name = format!("{prefix}{name}");
        if entry.file_type()?.is_dir() {
            files_in(&entry.path(), &format!("{name}/"), found)?;
        } else {
            found.push(name);
        }
    }
    Ok(())
}

/// The names under which the files of `assets/` are served, sorted.
pub(crate) fn served(files: &[String]) -> Vec<String> {
    let plain = files.iter().filter(|name| !name.starts_with("styles/") && *name != VENDOR).cloned();
    let mut served: Vec<String> = plain.chain([STYLES.to_string()]).collect();
    served.sort();
    served
}

/// A served file as it is sent.
pub(crate) fn content(assets: &Path, name: &str, hash: &str) -> io::Result<Vec<u8>> {
    if name == STYLES {
        let mut sheets = Vec::new();
        files_in(&assets.join("styles"), "styles/", &mut sheets)?;
        let texts =
            sheets.iter().map(|sheet| std::fs::read_to_string(assets.join(sheet))).collect::<io::Result<Vec<_>>>()?;
        return Ok(without_comments(&texts.concat()).into_bytes());
    }
    let content = std::fs::read(assets.join(name))?;
    match name {
        PAGE | "sw.js" | "manifest.webmanifest" => {
            let text = String::from_utf8(content).map_err(io::Error::other)?;
            Ok(render(&text, hash).into_bytes())
        }
        _ if name.starts_with("app/") => {
            let text = String::from_utf8(content).map_err(io::Error::other)?;
            Ok(without_comments(&text).into_bytes())
        }
        _ => Ok(content),
    }
}

/// A module or a sheet without indentation, comments that begin a line, and types within one: they are for who reads the source,
/// and a fifth of what would be sent. Line numbers stay. No template of the modules goes over a line's end, and no text holds the
/// beginning of a type; a test holds that.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut is_inside = false;
    for line in text.lines() {
        let begins = line.trim_start();
        if is_inside || begins.starts_with("/*") {
            let end = line.find("*/");
            is_inside = end.is_none();
            kept.push_str(end.map_or("", |end| line[end + "*/".len()..].trim()));
        } else if !begins.starts_with("//") {
            push_without_types(begins, &mut kept);
        }
        kept.push('\n');
    }
    kept
}

/// Adds a line without its `/** @type {…} */`.
fn push_without_types(line: &str, kept: &mut String) {
    let mut rest = line;
    while let Some((before, after)) = rest.split_once(TYPE_BEGINS)
        && let Some((_, behind)) = after.split_once("*/")
    {
        kept.push_str(before);
        rest = behind.trim_start();
    }
    kept.push_str(rest);
}

/// Writes the hash where it belongs.
pub(crate) fn render(text: &str, hash: &str) -> String {
    text.replace(HASH, hash)
}

/// Whether compressing it is worth it: images are compressed already.
pub(crate) fn is_compressible(name: &str) -> bool {
    !name.ends_with(".png")
}

/// The media type, by the name's ending.
pub(crate) fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("webmanifest") => "application/manifest+json",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_that_begin_a_line_are_left_out_and_lines_keep_their_numbers() {
        let module = "// A view.\nimport { a } from './a.js'; // not this one\n\n/**\n * Types.\n */\n  /** @type {A} */ (a).b();\n  const b = (/** @type {B} */ b, /** @type {C} */ c) => /** @type {D} */ (d);\n  const url = 'https://a';\n";
        let expected = "\nimport { a } from './a.js'; // not this one\n\n\n\n\n(a).b();\nconst b = (b, c) => (d);\nconst url = 'https://a';\n";
        assert_eq!(without_comments(module), expected);
    }
}
