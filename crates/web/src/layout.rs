//! The layout of `assets/` and the files of it that are served. The build script shares this code with debug builds that serve
//! the folder.

use std::io;
use std::path::Path;

/// The only page.
pub(crate) const PAGE: &str = "index.html";
/// All files of `styles/` as one file, in alphabetical order: base, parts, tokens, views.
pub(crate) const STYLES: &str = "styles.css";
/// The placeholder for the hash of all files, in the page, the manifest and the service worker.
const HASH: &str = "{{hash}}";
/// The beginning of a comment with a type.
const TYPE_BEGINS: &str = "/** @";
/// The list of the libraries among the files. It is not served.
const VENDOR: &str = "vendor/vendor.toml";

/// Finds the files below a folder, in alphabetical order, with `/` between the parts of their names.
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

/// The content of a file as it is sent.
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

/// Removes indentation, comments that begin a line, and types within a line from a module or a style sheet. They are for readers
/// of the source, and are a fifth of the bytes that would be sent. Line numbers do not change. No template of the modules goes
/// over the end of a line, and no text contains the beginning of a type; a test checks this.
pub(crate) fn without_comments(text: &str) -> String {
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

/// Adds a line without its `/** @type {…} */` comments.
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

/// Replaces the placeholder with the hash.
pub(crate) fn render(text: &str, hash: &str) -> String {
    text.replace(HASH, hash)
}

/// Whether compression is worth it. PNG images are compressed already.
pub(crate) fn is_compressible(name: &str) -> bool {
    !name.ends_with(".png")
}

/// The media type, from the extension of the name.
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
