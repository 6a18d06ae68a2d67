//! Wikis in folders.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::Wiki;
use super::serve::{MAX_SEARCHES, in_turn};

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

#[tokio::test]
async fn two_searches_run_at_once_and_the_others_wait_for_their_turn() {
    let turns = Arc::new(Semaphore::new(MAX_SEARCHES));
    let running = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    // Each waits for one beside it, so that there are never fewer than two.
    let pair = Arc::new(Barrier::new(2));
    let mut searches = JoinSet::new();
    for _ in 0..40 {
        let (running, pair) = (Arc::clone(&running), Arc::clone(&pair));
        searches.spawn(in_turn(Arc::clone(&turns), move || {
            let (now, most) = &*running;
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            pair.wait();
            now.fetch_sub(1, Ordering::SeqCst);
        }));
    }
    while let Some(searched) = searches.join_next().await {
        searched.unwrap().unwrap();
    }
    assert_eq!(running.1.load(Ordering::SeqCst), 2);
}
