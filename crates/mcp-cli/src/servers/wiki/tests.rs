//! Wikis in folders.

use std::fs;

use tokio_util::sync::CancellationToken;

use super::Wiki;

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    dir
}

fn paths(wiki: &Wiki) -> Vec<String> {
    wiki.paths().collect()
}

#[test]
fn a_tree_has_a_wiki_in_one_of_three_places() {
    let dir = tree(&[
        ("README.md", "# R"),
        ("src/n.md", ""),
        ("node_modules/x/README.md", ""),
    ]);
    let wiki = || paths(&Wiki::of_tree(dir.path()).unwrap());
    assert_eq!(wiki(), ["README.md", "src/n.md"]);
    fs::create_dir(dir.path().join("docs")).unwrap();
    assert_eq!(wiki(), ["README.md", "src/n.md"]);
    fs::write(dir.path().join("docs/a.MD"), "").unwrap();
    assert_eq!(wiki(), ["a.MD"]);
    fs::create_dir(dir.path().join("wiki")).unwrap();
    fs::write(dir.path().join("wiki/b.markdown"), "").unwrap();
    assert_eq!(wiki(), ["b.markdown"]);
}

#[test]
fn pages_are_found_by_path_name_and_title() {
    let dir = tree(&[
        ("ops/Deploy-It.md", "# Going live\n\nx"),
        ("deploy.md", "# D"),
    ]);
    let wiki = Wiki::open(dir.path()).unwrap();
    for (name, path) in [
        ("ops/Deploy-It.md", Some("ops/Deploy-It.md")),
        ("./deploy.md", Some("deploy.md")),
        ("deploy-it", Some("ops/Deploy-It.md")),
        ("going LIVE", Some("ops/Deploy-It.md")),
        ("../deploy.md", None),
        ("nothing", None),
    ] {
        assert_eq!(wiki.find(name).as_deref(), path, "{name}");
    }
    let hits = wiki.search("live", 3, &CancellationToken::new());
    assert_eq!(hits.pages[0].page, "ops/Deploy-It.md");
}
