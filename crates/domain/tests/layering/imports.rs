//! Which files of a crate import which others of it, read from their text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The code of each file by its module, such as `use_cases::accounts`.
pub(crate) type Modules = BTreeMap<String, String>;
/// The modules that each module imports.
pub(crate) type Imports = BTreeMap<String, BTreeSet<String>>;

/// The files of a crate without comments and tests. Its root is left out: it names every module.
pub(crate) fn modules(src: &Path) -> Modules {
    let mut modules = Modules::new();
    let mut folders = vec![src.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let file = path.strip_prefix(src).expect("below the root").with_extension("");
            let module = file.to_str().expect("UTF-8").replace('/', "::");
            if !["lib", "main"].contains(&module.as_str()) && !module.ends_with("::tests") {
                modules.insert(module, code(&fs::read_to_string(&path).expect("a source")));
            }
        }
    }
    modules
}

fn code(source: &str) -> String {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    source.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

/// What the code of a module names by paths from the crate's root or from a parent, as paths from the root.
pub(crate) fn named(module: &str, code: &str) -> BTreeSet<String> {
    let starts = |prefix: &'static str| {
        // Not `$crate::` in a macro, nor the second of `super::super::`.
        code.match_indices(prefix).filter(|(at, _)| !code[..*at].ends_with(['$', ':'])).map(|(at, _)| &code[at..])
    };
    let from_root = starts("crate::").flat_map(|tree| expanded(&tree["crate::".len()..]));
    let from_parent = starts("super::").flat_map(expanded).map(|mut path| {
        let mut base = module;
        while let Some(rest) = path.strip_prefix("super::") {
            base = base.rsplit_once("::").map_or("", |(parent, _)| parent);
            path = rest.to_string();
        }
        if base.is_empty() { path } else { format!("{base}::{path}") }
    });
    from_root.chain(from_parent).collect()
}

/// The paths of a tree of imports: `a::{b, c::{d, self}}` is `a::b`, `a::c::d` and `a::c`.
fn expanded(tree: &str) -> Vec<String> {
    let path: String = tree.chars().take_while(|letter| letter.is_alphanumeric() || "_:".contains(*letter)).collect();
    let Some(group) = tree[path.len()..].strip_prefix('{') else {
        return vec![path.strip_suffix("self").unwrap_or(&path).to_string()];
    };
    let (mut depth, mut items) = (0_u32, vec![String::new()]);
    for letter in group.chars() {
        match letter {
            '}' if depth == 0 => break,
            ',' if depth == 0 => items.push(String::new()),
            _ => {
                depth = depth + u32::from(letter == '{') - u32::from(letter == '}');
                items.last_mut().expect("an item").push(letter);
            }
        }
    }
    let paths = items.iter().map(|item| item.trim()).filter(|item| !item.is_empty()).flat_map(expanded);
    paths.map(|rest| format!("{path}{rest}")).collect()
}

/// A folder's root also imports the files of the folder whose items it uses or exports again.
fn used_children<'a>(module: &str, code: &str, modules: &'a Modules) -> impl Iterator<Item = &'a String> {
    let prefix = format!("{module}::");
    modules.keys().filter(move |child| {
        child.strip_prefix(&prefix).filter(|name| !name.contains("::")).is_some_and(|name| {
            let starts = code.match_indices(&format!("{name}::")).map(|(at, _)| at).collect::<Vec<_>>();
            let within = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
            starts.into_iter().any(|at| !code[..at].ends_with(within))
        })
    })
}

/// Which modules each module imports. What the crate's root exports again belongs to no module.
pub(crate) fn import_graph(modules: &Modules) -> Imports {
    let file_of = |path: &String| {
        let parts: Vec<&str> = path.split("::").filter(|part| !part.is_empty()).collect();
        (1..=parts.len()).rev().map(|count| parts[..count].join("::")).find(|path| modules.contains_key(path))
    };
    let imported = |module: &String, code: &String| {
        let named = named(module, code);
        let files = named.iter().filter_map(file_of).chain(used_children(module, code, modules).cloned());
        files.filter(|file| file != module).collect()
    };
    modules.iter().map(|(module, code)| (module.clone(), imported(module, code))).collect()
}

/// Modules that import each other, directly or by way of others.
pub(crate) fn circle(imports: &Imports) -> Option<Vec<String>> {
    fn visit(
        module: &str,
        imports: &Imports,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(at) = path.iter().position(|known| known == module) {
            return Some(path[at..].to_vec());
        }
        if done.contains(module) {
            return None;
        }
        path.push(module.to_string());
        let circle = imports[module].iter().find_map(|next| visit(next, imports, path, done));
        path.pop();
        done.insert(module.to_string());
        circle
    }
    let mut done = BTreeSet::new();
    imports.keys().find_map(|module| visit(module, imports, &mut Vec::new(), &mut done))
}
