//! Configuration files that lie in a working tree, by the names that clients share.

use std::path::{Path, PathBuf};

/// The names, the most common first.
const NAMES: [&str; 3] = [".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"];

/// The configuration that is for this folder: one in it or in a folder above it, up to the top of
/// the git working tree. Outside of a working tree it is only looked for here. A file that lies
/// here has a short path.
pub(crate) fn find(here: &Path) -> Option<PathBuf> {
    let top = here.ancestors().find(|dir| dir.join(".git").exists());
    let top = top.unwrap_or(here);
    let inside = here.ancestors().take_while(|dir| dir.starts_with(top));
    inside
        .flat_map(|folder| NAMES.map(|name| (folder, name)))
        .find(|(folder, name)| folder.join(name).is_file())
        .map(|(folder, name)| match folder == here {
            true => PathBuf::from(name),
            false => folder.join(name),
        })
}

/// The names as they are told.
pub(crate) fn names() -> String {
    NAMES.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_nearest_one_within_the_working_tree_counts() {
        let dir = tempfile::tempdir().unwrap();
        let (tree, deep) = (dir.path().join("tree"), dir.path().join("tree/a/b"));
        fs::create_dir_all(&deep).unwrap();
        fs::write(dir.path().join(".mcp.json"), "{}").unwrap();
        assert_eq!(find(&deep), None, "no working tree");
        fs::create_dir(tree.join(".git")).unwrap();
        assert_eq!(find(&deep), None, "outside of the working tree");
        let found = |file: &str| Some(tree.join(file));
        fs::create_dir(tree.join(".vscode")).unwrap();
        fs::write(tree.join(".vscode/mcp.json"), "{}").unwrap();
        assert_eq!(find(&deep), found(".vscode/mcp.json"));
        fs::write(tree.join(".mcp.json"), "{}").unwrap();
        assert_eq!(find(&deep), found(".mcp.json"));
        fs::write(tree.join("a/.mcp.json"), "{}").unwrap();
        assert_eq!(find(&deep), found("a/.mcp.json"));
        assert_eq!(find(&tree), Some(PathBuf::from(".mcp.json")));
    }
}
