//! Rules for every text file.

/// Words that name one machine, or a place from where packages come.
const FOREIGN: [&str; 6] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("npm", "js.org"),
    concat!("npm", "js.com"),
    concat!("pypi", ".org"),
    concat!("crates", ".io"),
];

pub(crate) fn check(path: &str, content: &str) -> Vec<String> {
    if path.ends_with("Cargo.lock") || path.starts_with("LICENSE-") {
        return Vec::new();
    }
    let mut problems = Vec::new();
    for (n, line) in content.lines().enumerate() {
        let at = |what: &str| format!("{path}:{}: {what}", n + 1);
        // Two spaces end a line in Markdown.
        if line.ends_with([' ', '\t']) && !path.ends_with(".md") {
            problems.push(at("trailing white space"));
        }
        if line.contains('\t') && path.ends_with(".rs") {
            problems.push(at("a tab"));
        }
        for word in FOREIGN.iter().filter(|word| line.contains(*word)) {
            problems.push(at(&format!("{word} names a machine or a registry")));
        }
    }
    if !content.is_empty() && !content.ends_with('\n') {
        problems.push(format!("{path}: no line end at the end of the file"));
    }
    problems
}
