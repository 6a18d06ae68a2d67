//! Every example of 2026-07-28, into our types and back to the same JSON.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::definitions::by_definition;

#[test]
fn proto_01_every_example_round_trips() {
    let Some(spec) = super::spec_dir("proto_01_every_example_round_trips") else {
        return;
    };
    let mut examples = 0;
    let mut faults = Vec::new();
    for folder in entries(&spec.join("2026-07-28/examples")) {
        let definition = folder.file_name().unwrap().to_str().unwrap();
        let Some(round_trip) = by_definition(definition) else {
            faults.push(format!("{definition}: no type of ours"));
            continue;
        };
        for file in entries(&folder) {
            examples += 1;
            let text = std::fs::read_to_string(&file).unwrap();
            let there: Value = serde_json::from_str(&text).unwrap();
            match round_trip(&there) {
                Ok(back) if back.json == there => {}
                Ok(back) => {
                    faults.push(format!("{}:\n  {there}\n  {}", file.display(), back.json));
                }
                Err(e) => faults.push(format!("{}: {e}", file.display())),
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(examples >= 129, "only {examples} examples");
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}
