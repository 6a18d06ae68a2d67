//! What is found in files.

use std::fs;

use tokio_util::sync::CancellationToken;

use super::definitions;
use super::search::{Wanted, search};
use crate::root::Root;

fn root(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
    let dir = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let root = Root::open(dir.path()).unwrap();
    (dir, root)
}

fn wanted(text: &str) -> Wanted {
    Wanted {
        text: text.to_owned(),
        ignore_case: false,
        whole_words: false,
        limit: 10,
    }
}

#[test]
fn text_is_found_by_line_and_binary_files_are_passed_over() {
    let (_dir, root) = root(&[
        ("a.txt", "one\nTwo needle\nneedles\n"),
        ("b/c.txt", "  needle"),
        ("x.bin", "\0needle"),
        (".git/x", "needle"),
    ]);
    let found = |wanted: &Wanted, start| {
        let found = search(&root, start, wanted, &CancellationToken::new());
        let places = found
            .matches
            .iter()
            .map(|m| format!("{}:{} {}", m.path, m.line, m.text));
        (places.collect::<Vec<_>>(), found.is_cut)
    };
    let all = ["a.txt:2 Two needle", "a.txt:3 needles", "b/c.txt:1 needle"].map(str::to_owned);
    assert_eq!(found(&wanted("needle"), ""), (all.to_vec(), false));
    assert_eq!(found(&wanted("needle"), "b").0, all[2..]);
    let words = Wanted {
        whole_words: true,
        ignore_case: true,
        ..wanted("NEEDLE")
    };
    let lower = Wanted {
        text: "Needle".to_owned(),
        ..words
    };
    assert_eq!(found(&lower, "").0, [&all[0..1], &all[2..]].concat());
    let one = Wanted {
        limit: 1,
        ..wanted("needle")
    };
    assert_eq!(found(&one, ""), (all[..1].to_vec(), true));
}

#[test]
fn texts_that_are_too_long_to_be_searched_are_counted() {
    let source = "fn needle() {}\n";
    let long = |length: usize| source.repeat(length / source.len() + 1);
    let binary = format!("\0{}", long(5 << 20));
    let (_dir, root) = root(&[
        ("a.rs", source),
        ("longer.rs", &long(5 << 20)),
        ("long.rs", &long(3 << 20)),
        ("long.bin", &binary),
        ("other.txt", &"x".repeat(3 << 20)),
    ]);
    let never = CancellationToken::new();
    let one = |start| {
        let found = search(&root, start, &wanted("fn needle"), &never);
        (found.matches.len(), found.too_large)
    };
    assert_eq!(one("a.rs"), (1, 0));
    assert_eq!(one("longer.rs"), (0, 1));
    assert_eq!(one("long.bin"), (0, 0));
    let absent = search(&root, "", &wanted("absent"), &never);
    assert_eq!((absent.is_cut, absent.too_large), (false, 1));
    // Of a text that is searched and not lexed it counts only where the name is in it.
    let found = definitions::find(&root, "needle", "", 50, &never);
    assert_eq!((found.definitions.len(), found.too_large), (1, 2));
    assert_eq!(
        definitions::find(&root, "absent", "", 50, &never).too_large,
        1
    );
}

#[test]
fn definitions_are_told_from_mentions() {
    let (_dir, root) = root(&[
        (
            "src/a.rs",
            "// fn alpha() {}\nimpl Foo { fn alpha() {} }\nfn beta() { alpha(); }\n",
        ),
        ("src/b.py", "def alpha():\n    s = 'def beta()'\n"),
        ("notes.md", "alpha and gamma\n"),
        ("target/x.rs", "fn alpha() {}"),
        (".gitignore", "target"),
        ("cfg.sh", "alpha=1\n"),
    ]);
    let found = |name: &str| {
        let found = definitions::find(&root, name, "", 50, &CancellationToken::new());
        let places = found
            .definitions
            .iter()
            .map(|p| format!("{}:{} {} {}", p.path, p.line, p.kind, p.name));
        (places.collect::<Vec<_>>(), found.mentions.len())
    };
    let method = "src/a.rs:2 method Foo::alpha".to_owned();
    let all = [
        &method,
        "src/b.py:1 function alpha",
        "cfg.sh:1 variable alpha",
    ]
    .map(str::to_owned);
    assert_eq!(found("alpha"), (all.to_vec(), 0));
    assert_eq!(found("Foo::alpha"), (vec![method], 0));
    assert_eq!(found("Bar::alpha").0, all);
    assert_eq!(found("BETA").0, ["src/a.rs:3 function beta"]);
    assert_eq!(found("gamma"), (vec![], 1));
    assert_eq!(found("nothing"), (vec![], 0));
}
