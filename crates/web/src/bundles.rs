//! The step of the build script that joins modules into a few files, so that a visit needs few requests.
//!
//! Each module becomes a function that returns its exports, so its names stay its own:
//!
//! ```js
//! export const $money=(()=>{const {day}=$dates;const amount=…;return {amount};})();
//! ```
//!
//! A module stands before those that import it, so modules must not import each other in a circle at their start. What a module imports
//! later (`import('./views/login.js')`) stays a file of its own, with what only it needs.

use std::collections::{BTreeMap, BTreeSet};

use crate::layout::without_comments;

/// The roots of the files that are made first, each with all that it imports and no earlier file has: the start, the first view, and
/// what the start loads soon after.
const FIRST: [(&str, &[&str]); 3] = [
    ("app/main.js", &["app/keys.js", "app/parts/problem.js", "app/main.js"]),
    ("app/views/dashboard.js", &["app/views/dashboard.js"]),
    ("app/parts/quick_add.js", &["app/parts/search.js", "app/parts/waiting.js", "app/parts/quick_add.js"]),
];
/// The file of what several of the other views and parts import.
const SHARED: &str = "app/shared.js";
/// The words of a language: modules that are found by a computed name. They stay files.
const LANGUAGES: [&str; 2] = ["/pt-BR.js", "/en.js"];

/// An import of names from a module or a library.
#[derive(Debug, Clone)]
struct Import {
    /// What stands between `import` and `from`.
    names: String,
    /// The file, or the name of the library.
    from: String,
}

/// A module, taken apart.
#[derive(Debug)]
struct Module {
    imports: Vec<Import>,
    /// What it imports later.
    later: Vec<String>,
    /// The names of its exports. The default one is `default: $default`.
    exports: Vec<String>,
    /// The text without imports and the word `export`.
    body: String,
    /// Whether it awaits something at its start.
    is_waiting: bool,
}

/// The files that take the place of modules, by name. `modules` are the sources of all of them.
///
/// # Errors
///
/// What cannot be joined: an import or an export in another form than the formatter writes, modules that import each other at their
/// start, words that import more than words, a module that imports words by their name, or a module that nothing imports.
pub(crate) fn bundles(modules: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, String> {
    let parsed: BTreeMap<&str, Module> = modules
        .iter()
        .map(|(name, text)| Ok((name.as_str(), Module::parse(name, text)?)))
        .collect::<Result<_, String>>()?;
    let files = files(&parsed)?;
    let homes: BTreeMap<&str, &str> =
        files.iter().flat_map(|(file, names)| names.iter().map(move |name| (*name, *file))).collect();
    let mut joined = BTreeMap::new();
    for (file, names) in &files {
        joined.insert((*file).to_string(), join(file, names, &parsed, &homes)?);
    }
    for (name, module) in parsed.iter().filter(|(name, _)| !homes.contains_key(*name)) {
        if !is_apart(name) {
            return Err(format!("nothing imports {name}"));
        }
        let mut imported = module.imports.iter().map(|import| &import.from).chain(&module.later);
        if let Some(from) = imported.find(|from| homes.contains_key(from.as_str())) {
            return Err(format!("{name} imports {from}, which is no file of its own"));
        }
        joined.insert((*name).to_string(), without_comments(&modules[*name]));
    }
    Ok(joined)
}

fn is_apart(name: &str) -> bool {
    LANGUAGES.iter().any(|language| name.ends_with(language))
}

/// Which modules each file has, in the order in which they run.
fn files<'m>(modules: &BTreeMap<&'m str, Module>) -> Result<BTreeMap<&'m str, Vec<&'m str>>, String> {
    let mut files = BTreeMap::new();
    let mut done = BTreeSet::new();
    let known = |name: &str| modules.get_key_value(name).map(|(name, _)| *name).ok_or(format!("there is no {name}"));
    for (file, roots) in FIRST {
        let roots = roots.iter().map(|root| known(root)).collect::<Result<Vec<_>, _>>()?;
        let names = closure(modules, &roots, &done)?;
        done.extend(names.iter().copied());
        files.insert(known(file)?, names);
    }
    let later: BTreeSet<&str> = modules
        .values()
        .flat_map(|module| &module.later)
        .filter_map(|name| modules.get_key_value(name.as_str()).map(|(name, _)| *name))
        .filter(|name| !done.contains(name) && !is_apart(name))
        .collect();
    let mut users: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &later {
        for name in closure(modules, &[*entry], &done)? {
            *users.entry(name).or_default() += 1;
        }
    }
    let entries: Vec<&str> = later.iter().copied().collect();
    let mut shared = closure(modules, &entries, &done)?;
    shared.retain(|name| users.get(name).is_some_and(|users| *users > 1));
    // What waits for words, or for what waits, is a file by itself: the others do not wait for it.
    let mut waiting: BTreeSet<&str> = BTreeSet::new();
    for name in &shared {
        let module = &modules[name];
        if module.is_waiting || module.imports.iter().any(|import| waiting.contains(import.from.as_str())) {
            waiting.insert(name);
        }
    }
    shared.retain(|name| !waiting.contains(name));
    done.extend(shared.iter().chain(&waiting).copied());
    files.insert(SHARED, shared);
    files.extend(waiting.iter().map(|name| (*name, vec![*name])));
    for entry in later.iter().filter(|entry| !done.contains(**entry)).copied().collect::<Vec<_>>() {
        files.insert(entry, closure(modules, &[entry], &done)?);
    }
    Ok(files)
}

/// The modules that the roots need at their start, those that others need first, without those that are done or apart.
fn closure<'m>(
    modules: &BTreeMap<&'m str, Module>,
    roots: &[&'m str],
    done: &BTreeSet<&'m str>,
) -> Result<Vec<&'m str>, String> {
    fn visit<'m>(
        modules: &BTreeMap<&'m str, Module>,
        name: &'m str,
        done: &BTreeSet<&'m str>,
        way: &mut Vec<&'m str>,
        order: &mut Vec<&'m str>,
    ) -> Result<(), String> {
        if done.contains(name) || order.contains(&name) || is_apart(name) {
            return Ok(());
        }
        if way.contains(&name) {
            return Err(format!("{} import each other at their start", way.join(", ")));
        }
        way.push(name);
        let module = modules.get(name).ok_or(format!("there is no {name}"))?;
        for import in &module.imports {
            if let Some((of, _)) = modules.get_key_value(import.from.as_str()) {
                visit(modules, of, done, way, order)?;
            }
        }
        way.pop();
        order.push(name);
        Ok(())
    }
    let mut order = Vec::new();
    for root in roots {
        visit(modules, root, done, &mut Vec::new(), &mut order)?;
    }
    Ok(order)
}

/// The name of a module's exports.
fn namespace(module: &str) -> String {
    let name = module.trim_start_matches("app/").trim_end_matches(".js");
    let letters = name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' });
    std::iter::once('$').chain(letters).collect()
}

/// The path from one file to another, as an import writes it.
fn path(from: &str, to: &str) -> String {
    let (from, to): (Vec<&str>, Vec<&str>) = (from.split('/').collect(), to.split('/').collect());
    let same = from.iter().zip(&to).take_while(|(one, other)| one == other).count().min(from.len() - 1);
    let up = from.len() - 1 - same;
    let start = if up == 0 { "./".to_string() } else { "../".repeat(up) };
    format!("{start}{}", to[same..].join("/"))
}

/// The file that a module imports by a path. Libraries keep their name.
fn resolved(module: &str, path: &str) -> String {
    if !path.starts_with('.') {
        return path.to_string();
    }
    let mut parts: Vec<&str> = module.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

impl Module {
    fn parse(name: &str, source: &str) -> Result<Self, String> {
        // What is indented waits later, in a function.
        let waits = |line: &str| line.starts_with("const ") && line.contains("= await ");
        let is_waiting = source.lines().any(|line| waits(line.strip_prefix("export ").unwrap_or(line)));
        let mut module =
            Module { imports: Vec::new(), later: Vec::new(), exports: Vec::new(), body: String::new(), is_waiting };
        let mut statement: Option<String> = None;
        for line in without_comments(source).lines() {
            if statement.is_some() || line.starts_with("import ") {
                let begun = statement.get_or_insert_default();
                begun.push_str(line);
                if line.ends_with(';') {
                    module.import(name, &statement.take().unwrap_or_default())?;
                }
                continue;
            }
            let line = match line.strip_prefix("export ") {
                None => line.to_string(),
                Some(rest) => module.export(name, rest)?,
            };
            for path in line.split("import('").skip(1).filter_map(|rest| rest.split_once('\'')).map(|(path, _)| path) {
                module.later.push(resolved(name, path));
            }
            module.body.push_str(&line);
            module.body.push('\n');
        }
        Ok(module)
    }

    fn import(&mut self, name: &str, statement: &str) -> Result<(), String> {
        let parts = statement.trim_start_matches("import ").trim_end_matches(';').rsplit_once(" from ");
        let (names, from) = parts.ok_or(format!("{name} imports in an unknown way: {statement}"))?;
        let from = resolved(name, from.trim_matches('\''));
        self.imports.push(Import { names: names.trim().to_string(), from });
        Ok(())
    }

    /// Notes an export, and returns its line without the word.
    fn export(&mut self, name: &str, rest: &str) -> Result<String, String> {
        if let Some(value) = rest.strip_prefix("default ") {
            self.exports.push("default:$default".to_string());
            return Ok(format!("const $default = {value}"));
        }
        if let Some(names) = rest.strip_prefix("{ ").and_then(|names| names.strip_suffix(" };")) {
            self.exports.extend(names.split(", ").map(str::to_string));
            return Ok(String::new());
        }
        let declared =
            ["const ", "function ", "async function ", "class "].iter().find_map(|word| rest.strip_prefix(word));
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$');
        let exported: String = declared.unwrap_or_default().chars().take_while(|letter| is_letter(*letter)).collect();
        // Several names in one statement would not be found.
        if exported.is_empty() || rest.ends_with(',') {
            return Err(format!("{name} exports in an unknown way: {rest}"));
        }
        self.exports.push(exported);
        Ok(rest.to_string())
    }
}

/// What stands above a file: imports of libraries and of other files, each name once.
#[derive(Debug, Default)]
struct Head {
    named: BTreeMap<String, BTreeSet<String>>,
    others: BTreeSet<String>,
}

impl Head {
    fn add(&mut self, names: &str, from: &str) {
        match names.strip_prefix('{').and_then(|names| names.strip_suffix('}')) {
            Some(names) => self
                .named
                .entry(from.to_string())
                .or_default()
                .extend(names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_string)),
            None => drop(self.others.insert(format!("import {names} from '{from}';\n"))),
        }
    }

    fn text(&self) -> String {
        let named = self.named.iter().map(|(from, names)| {
            format!("import {{{}}} from '{from}';\n", names.iter().cloned().collect::<Vec<_>>().join(","))
        });
        named.chain(self.others.iter().cloned()).collect()
    }
}

/// The body of a module in a file: what it imports from other modules as constants, and its later imports by the paths from the file.
fn body(
    file: &str,
    module: &Module,
    name: &str,
    homes: &BTreeMap<&str, &str>,
    head: &mut Head,
) -> Result<String, String> {
    let mut text = String::new();
    for Import { names, from } in &module.imports {
        match homes.get(from.as_str()) {
            Some(home) => {
                if *home != file {
                    head.add(&format!("{{{}}}", namespace(from)), &path(file, home));
                }
                let names = match names.strip_prefix('{') {
                    Some(_) => names.replace(" as ", ": "),
                    None => format!("{{ default: {names} }}"),
                };
                text.push_str(&format!("const {names} = {};\n", namespace(from)));
            }
            None if from.starts_with("app/") => return Err(format!("{name} imports {from}, which stays a file")),
            None => head.add(names, from),
        }
    }
    let mut rest = module.body.as_str();
    while let Some((before, after)) = rest.split_once("import('") {
        let (written, behind) = after.split_once("')").ok_or(format!("{name}: an import has no end"))?;
        let to = resolved(name, written);
        text.push_str(before);
        match homes.get(to.as_str()) {
            Some(home) if *home != to => {
                text.push_str(&format!("import('{}').then(file => file.{})", path(file, home), namespace(&to)));
            }
            _ => text.push_str(&format!("import('{}')", path(file, &to))),
        }
        rest = behind;
    }
    text.push_str(rest);
    Ok(text)
}

/// The file with these modules.
fn join(
    file: &str,
    names: &[&str],
    modules: &BTreeMap<&str, Module>,
    homes: &BTreeMap<&str, &str>,
) -> Result<String, String> {
    let (mut head, mut text) = (Head::default(), String::new());
    for name in names {
        let module = modules.get(name).ok_or(format!("there is no {name}"))?;
        let body = body(file, module, name, homes, &mut head)?;
        let own = namespace(name);
        let exports = module.exports.join(",");
        let (wait, kind) = if module.is_waiting { ("await ", "async ") } else { ("", "") };
        text.push_str(&format!("export const {own} = {wait}({kind}() => {{\n{body}return {{{exports}}};\n}})();\n"));
        if *name == file {
            let (default, others): (Vec<&String>, Vec<&String>) =
                module.exports.iter().partition(|name| name.starts_with("default:"));
            if !others.is_empty() {
                let others: Vec<&str> = others.iter().map(|name| name.as_str()).collect();
                text.push_str(&format!("export const {{{}}} = {own};\n", others.join(",")));
            }
            if !default.is_empty() {
                text.push_str(&format!("export default {own}.default;\n"));
            }
        }
    }
    Ok(head.text() + &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joins these modules and the roots of the first files.
    fn joined(given: &[(&str, &str)]) -> Result<BTreeMap<String, String>, String> {
        let roots = FIRST.iter().flat_map(|(_, roots)| roots.iter()).map(|root| ((*root).to_string(), String::new()));
        let given = given.iter().map(|(name, text)| ((*name).to_string(), (*text).to_string()));
        bundles(&roots.chain(given).collect())
    }

    #[test]
    fn a_module_is_a_function_in_the_file_of_who_imports_it() {
        let main = "import { signal } from '@preact/signals';\nimport { cents as whole } from './money.js';\n\
                    const later = () => import('./views/login.js');\n";
        let money = "export const cents = text => text;\nexport default cents;\n";
        let login = "import { cents } from '../money.js';\nexport default () => {\nreturn cents;\n};\nexport const other = 1;\n";
        let found = joined(&[("app/main.js", main), ("app/money.js", money), ("app/views/login.js", login)]);
        let files = found.unwrap();
        assert!(!files.contains_key("app/money.js"));
        assert!(files["app/main.js"].ends_with(
            "export const $money = (() => {\nconst cents = text => text;\nconst $default = cents;\nreturn {cents,default:$default};\n})();\n\
             export const $main = (() => {\nconst { cents: whole } = $money;\nconst later = () => import('./views/login.js');\nreturn {};\n})();\n"
        ));
        assert!(files["app/main.js"].starts_with("import {signal} from '@preact/signals';\n"));
        assert_eq!(
            files["app/views/login.js"],
            "import {$money} from '../main.js';\nexport const $views_login = (() => {\nconst { cents } = $money;\n\
             const $default = () => {\nreturn cents;\n};\nconst other = 1;\nreturn {default:$default,other};\n})();\n\
             export const {other} = $views_login;\nexport default $views_login.default;\n"
        );
    }

    #[test]
    fn what_several_import_later_is_shared_and_what_waits_for_words_is_not() {
        let main = "const later = [import('./a.js'), import('./b.js'), import('./wait.js')];\n";
        let view =
            "import { one } from './one.js';\nimport { said } from './wait.js';\nexport const all = [one, said];\n";
        let wait = "import { wordsOf } from './words.js';\nexport const said = await wordsOf('x');\n";
        let found = joined(&[
            ("app/main.js", main),
            ("app/a.js", view),
            ("app/b.js", view),
            ("app/one.js", "export const one = 1;\n"),
            ("app/wait.js", wait),
            ("app/words.js", "export const wordsOf = name => name;\n"),
        ]);
        let files = found.unwrap();
        assert!(!files.contains_key("app/one.js") && files[SHARED].contains("export const $one = "));
        assert!(files["app/wait.js"].contains("export const $wait = await (async () => {"));
        assert!(files["app/a.js"].contains("import {$one} from './shared.js';\nimport {$wait} from './wait.js';\n"));
    }

    #[test]
    fn a_module_whose_functions_wait_does_not_wait_itself() {
        let main = "export const read = async () => {\n  const answer = await fetch('/');\n  return answer;\n};\n";
        assert!(joined(&[("app/main.js", main)]).unwrap()["app/main.js"].contains("export const $main = (() => {"));
    }

    #[test]
    fn a_later_import_of_a_joined_module_gets_its_exports() {
        let found = joined(&[
            ("app/main.js", "import { a } from './a.js';\nconst later = () => import('./a.js');\n"),
            ("app/a.js", "export const a = 1;\n"),
        ]);
        assert!(found.unwrap()["app/main.js"].contains("import('./main.js').then(file => file.$a)"));
    }

    #[test]
    fn what_cannot_be_joined_is_an_error() {
        let circle = [
            ("app/main.js", "import { a } from './a.js';\n"),
            ("app/a.js", "import { b } from './b.js';\nexport const a = b;\n"),
            ("app/b.js", "import { a } from './a.js';\nexport const b = a;\n"),
        ];
        assert_eq!(joined(&circle).unwrap_err(), "app/main.js, app/a.js, app/b.js import each other at their start");
        for export in ["export const { a } = b;", "export * from './a.js';", "export const a = 1,", "export let = 1;"] {
            let error = joined(&[("app/main.js", export)]).unwrap_err();
            assert!(error.starts_with("app/main.js exports in an unknown way"), "{error}");
        }
    }
}
