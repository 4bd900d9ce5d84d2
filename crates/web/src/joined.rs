//! The last step of the build script for modules and style sheets: fewer lines, so fewer bytes.

/// Joins the lines of a module or a style sheet that break where a break has no meaning: after a comma or an opening bracket. Empty
/// lines are left out. What is embedded has as few bytes as if it had been written in long lines; a folder is served with the line
/// numbers of its source.
pub(crate) fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !line.is_empty()) {
        joined.push_str(line);
        // What follows on the line of a comment would be part of it.
        if !line.ends_with([',', '(', '[', '{']) || line.contains("//") {
            joined.push('\n');
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_after_commas_and_brackets_but_not_behind_a_comment() {
        let module =
            "\nimport {\na,\nb,\n} from './a.js';\n\na(b, // first,\nc);\nconst url = 'https://a',\nd = [\n1,\n];\n";
        let expected = "import {a,b,} from './a.js';\na(b, // first,\nc);\nconst url = 'https://a',\nd = [1,];\n";
        assert_eq!(joined(module), expected);
    }
}
