//! `mcp config check`: all mistakes of a configuration file. Nothing is started.

use std::path::{Path, PathBuf};

use mcp::{Config, Transport};
use serde_json::{Value, json};

use crate::exit::{Exit, Failure, chain};
use crate::fleet;
use crate::output;

pub(super) fn run(config: Option<&Path>, json: bool) -> Result<Exit, Failure> {
    let file = match config {
        Some(file) => file.to_owned(),
        None => found()?,
    };
    let shown = file.display().to_string();
    let (config, mistakes) = match Config::load(&file) {
        Ok(config) => (Some(config), Vec::new()),
        Err(mistake) => (None, vec![chain(&mistake)]),
    };
    let text = if json {
        let report = as_json(&shown, config.as_ref(), &mistakes);
        serde_json::to_string_pretty(&report).map_err(Failure::failed)?
    } else {
        output::visible(&as_text(&shown, config.as_ref(), &mistakes))
    };
    output::answer(&text);
    Ok(match mistakes.is_empty() {
        true => Exit::Done,
        false => Exit::Usage,
    })
}

fn found() -> Result<PathBuf, Failure> {
    let here = std::env::current_dir();
    let found = here.ok().and_then(|here| fleet::find(&here));
    found.map(|found| found.file).ok_or_else(|| {
        let names = fleet::names();
        Failure::usage(format!(
            "there is no configuration here ({names}); --config names one"
        ))
    })
}

fn as_text(file: &str, config: Option<&Config>, mistakes: &[String]) -> String {
    let mut lines = mistakes.to_vec();
    if let Some(config) = config {
        lines.extend_from_slice(config.warnings());
        for (name, server) in config.servers() {
            let how = match server.transport {
                Transport::Stdio(_) => "stdio",
                _ => "HTTP",
            };
            lines.push(format!("{file}: server {name:?} is reached over {how}"));
        }
    }
    let sum = match mistakes.len() {
        0 => "no mistakes".to_owned(),
        1 => "1 mistake".to_owned(),
        n => format!("{n} mistakes"),
    };
    lines.push(format!("{file}: {sum}"));
    lines.join("\n")
}

fn as_json(file: &str, config: Option<&Config>, mistakes: &[String]) -> Value {
    let servers: Vec<&String> = config
        .into_iter()
        .flat_map(|c| c.servers().keys())
        .collect();
    let warnings = config.map(Config::warnings).unwrap_or_default();
    json!({"config": file, "servers": servers, "mistakes": mistakes, "warnings": warnings})
}
