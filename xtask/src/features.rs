//! Each feature switch compiles alone, and so does a crate without any.

use anyhow::Result;
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::workspace::{members, metadata, say};

pub(crate) fn run(sh: &Shell) -> Result<()> {
    let metadata = metadata(sh, false)?;
    for (name, package) in members(&metadata) {
        let Some(switches) = package.get("features").and_then(Value::as_object) else {
            continue;
        };
        // The default is what everything else here is built with.
        let switches = switches.keys().filter(|switch| *switch != "default");
        let switches: Vec<&str> = switches.map(String::as_str).collect();
        let none = (!switches.is_empty()).then_some("");
        for switch in none.into_iter().chain(switches) {
            say(&format!("{name}, features: {switch:?}"));
            cmd!(
                sh,
                "cargo clippy --quiet --locked --package {name} --no-default-features --features {switch} -- -D warnings"
            )
            .run()?;
        }
    }
    Ok(())
}
