//! Our types against the specification's own files, where they are at hand.
//!
//! `MCP_SPEC_DIR` names the folder that holds one folder for each revision.

mod coverage;
mod definitions;
mod examples;
mod unions;

use std::io::Write as _;
use std::path::PathBuf;

/// The folder of the specification; `None`, and a line that says so, where it is not at hand.
fn spec_dir(test: &str) -> Option<PathBuf> {
    let Some(dir) = std::env::var_os("MCP_SPEC_DIR").filter(|dir| !dir.is_empty()) else {
        let _ = writeln!(std::io::stderr(), "skipped {test}: MCP_SPEC_DIR is not set");
        return None;
    };
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let dir = PathBuf::from(root).join(dir);
    assert!(
        dir.is_dir(),
        "MCP_SPEC_DIR is {}, which is no folder",
        dir.display()
    );
    Some(dir)
}
