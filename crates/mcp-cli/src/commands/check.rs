//! `mcp config check`: all mistakes of a configuration file. Nothing is started.

use std::path::{Path, PathBuf};

use mcp::{Checked, Config, ConfigError, Transport};
use serde_json::{Value, json};

use crate::exit::{Exit, Failure, chain};
use crate::fleet;
use crate::output;
use crate::shown;

pub(super) fn run(config: Option<&Path>, json: bool) -> Result<Exit, Failure> {
    let file = match config {
        Some(file) => file.to_owned(),
        None => found()?,
    };
    let checked = Config::check(&file);
    let file = file.display().to_string();
    let text = if json {
        shown::json(&as_json(&file, &checked))?
    } else {
        as_text(&file, &checked)
    };
    output::answer(&text);
    Ok(match checked.mistakes.is_empty() {
        true => Exit::Done,
        false => Exit::Usage,
    })
}

fn found() -> Result<PathBuf, Failure> {
    let here = std::env::current_dir();
    let found = here.ok().and_then(|here| fleet::find(&here));
    found.ok_or_else(|| {
        let names = fleet::names();
        Failure::usage(format!(
            "there is no configuration here ({names}); --config names one"
        ))
    })
}

fn as_text(file: &str, checked: &Checked) -> String {
    let mistakes = checked.mistakes.iter().map(|m| shown::message(&chain(m)));
    let warnings = checked.config.warnings().iter().map(|w| shown::message(w));
    let file = shown::line(file);
    let more = (checked.more > 0).then(|| format!("{file}: {} more mistakes", checked.more));
    let mut lines: Vec<String> = mistakes.chain(more).chain(warnings).collect();
    for (name, server) in checked.config.servers() {
        let how = match server.transport {
            Transport::Stdio(_) => "stdio",
            _ => "HTTP",
        };
        lines.push(format!("{file}: server {name:?} is reached over {how}"));
    }
    let sum = match checked.mistakes.len() + checked.more {
        0 => "no mistakes".to_owned(),
        1 => "1 mistake".to_owned(),
        n => format!("{n} mistakes"),
    };
    lines.push(format!("{file}: {sum}"));
    lines.join("\n")
}

fn as_json(file: &str, checked: &Checked) -> Value {
    let servers: Vec<&String> = checked.config.servers().keys().collect();
    let mistake = |mistake: &ConfigError| json!({"line": mistake.line(), "server": mistake.server(), "key": mistake.key(), "message": chain(mistake)});
    let mistakes: Vec<Value> = checked.mistakes.iter().map(mistake).collect();
    json!({
        "config": file,
        "servers": servers,
        "mistakes": mistakes,
        "more_mistakes": checked.more,
        "warnings": checked.config.warnings(),
    })
}
