//! Every example of 2026-07-28, into our types and back to the same JSON.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::definitions::by_definition;

/// What makes an object an envelope (a request, a response, an error): what JSON-RPC does not
/// define in it is not read.
const ENVELOPE: [&str; 3] = ["jsonrpc", "method", "code"];
/// Maps: their members are named by whoever writes them, and have a type that is not an object's.
/// (The members of all other maps, `_meta` and schemas among them, may be objects.)
const MAPS: [&str; 4] = ["arguments", "content", "inputRequests", "inputResponses"];

#[test]
fn proto_01_every_example_round_trips() {
    round_trips("proto_01_every_example_round_trips", |_, _| {});
}

#[test]
fn t01_what_is_added_to_any_object_of_any_example_survives() {
    let test = "t01_what_is_added_to_any_object_of_any_example_survives";
    round_trips(test, |definition, example| {
        // Two definitions are such a map as a whole.
        let map = MAPS.iter().find(|map| map.eq_ignore_ascii_case(definition));
        add_members(example, map.unwrap_or(&definition));
    });
}

/// Adds a member that no revision has to each object of MCP in `json`, which is called `name`.
fn add_members(json: &mut Value, name: &str) {
    match json {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                add_members(member, name);
            }
            let is_envelope = ENVELOPE.iter().any(|member| members.contains_key(*member));
            if !is_envelope && !MAPS.contains(&name) {
                members.insert("unheardOf".to_owned(), json!({"kept": [1, null]}));
            }
        }
        Value::Array(elements) => {
            for element in elements {
                add_members(element, "element");
            }
        }
        _ => {}
    }
}

/// Every example, changed by `change`, is the same after it was read and written.
fn round_trips(test: &str, change: fn(&str, &mut Value)) {
    let Some(spec) = super::spec_dir(test) else {
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
            let mut there: Value = serde_json::from_str(&text).unwrap();
            change(definition, &mut there);
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
