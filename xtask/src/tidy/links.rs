//! What the pages point to is there.

/// Links to files, and files of crates that are named, as `mcp-jsonrpc/src/message.rs`.
pub(super) fn check(path: &str, page: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let links = links(page).map(|link| join(folder, link));
    let named = named(page).map(|file| format!("crates/{file}"));
    links
        .chain(named)
        .filter(|target| !exists(target))
        .map(|target| format!("{path}: there is no {target}"))
        .collect()
}

/// Relative links; links into the documentation of Rust items have `::` or no `/` and no `.`.
fn links(page: &str) -> impl Iterator<Item = &str> {
    page.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next())
        .filter(|link| !link.contains("://") && !link.contains("::"))
        .filter(|link| link.contains(['.', '/']))
}

fn named(page: &str) -> impl Iterator<Item = &str> {
    page.split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| word.starts_with("mcp-") && word.contains("/src"))
}

/// `link` as seen from `folder`.
fn join(folder: &str, link: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}
