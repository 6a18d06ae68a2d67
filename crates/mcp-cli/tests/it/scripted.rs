//! Servers of a few lines of shell, for configurations.

use serde_json::{Value, json};

use crate::scratch::Scratch;

/// A server that says what it is told to say.
#[derive(Clone, Copy)]
pub(crate) struct Scripted<'a> {
    /// What it does before it reads anything.
    pub(crate) begins: &'a str,
    /// Its capabilities, as JSON.
    pub(crate) offers: &'a str,
    /// What it does on lines that hold a text, instead of what is usual: shell patterns and
    /// commands, in which `say` sends the rest of a response.
    pub(crate) cases: &'a str,
}

impl Scripted<'_> {
    /// Offers nothing.
    pub(crate) const PLAIN: Self = Self {
        begins: "",
        offers: "{}",
        cases: "",
    };

    /// Writes the script, and gives back what a configuration says of it.
    pub(crate) fn write(self, scratch: &Scratch, name: &str) -> Value {
        let file = format!("{name}.sh");
        let Self {
            begins,
            offers,
            cases,
        } = self;
        let script = format!(
            r#"{begins}
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  say() {{ printf '{{"jsonrpc":"2.0","id":%s,%s}}\n' "$id" "$1"; }}
  case "$line" in
    {cases}
    *'"server/discover"'*) say '"error":{{"code":-32601,"message":"no"}}' ;;
    *'"initialize"'*) say '"result":{{"protocolVersion":"2025-06-18","capabilities":{offers},"serverInfo":{{"name":"{name}","version":"1"}}}}' ;;
    *'"ping"'*) say '"result":{{}}' ;;
    *'"tools/list"'*) say '"result":{{"tools":[]}}' ;;
    *'"tools/call"'*) say '"error":{{"code":-32602,"message":"no such tool"}}' ;;
  esac
done
"#
        );
        scratch.write(&file, &script);
        json!({"command": "sh", "args": [scratch.path().join(file)]})
    }
}

/// Writes a configuration.
pub(crate) fn configure(scratch: &Scratch, file: &str, servers: &[(&str, Value)]) {
    let servers: serde_json::Map<String, Value> = servers
        .iter()
        .map(|(name, server)| ((*name).to_owned(), server.clone()))
        .collect();
    scratch.write(file, &json!({"mcpServers": servers}).to_string());
}

/// The files server of this command.
pub(crate) fn files() -> Value {
    json!({"command": env!("CARGO_BIN_EXE_mcp"), "args": ["serve", "files", "--root", "."]})
}

/// A server that is not there.
pub(crate) fn missing() -> Value {
    json!({"command": "no-such-command-anywhere"})
}
