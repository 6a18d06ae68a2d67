//! The configuration files that MCP clients share: servers by name.

mod error;
mod fields;
mod jsonc;
mod lines;
mod node;
mod server;
mod setup;
mod variables;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use mcp_client::{PoolBuilder, ServerPool};
use mcp_transport_http::HeaderSource;

pub use error::{ConfigError, ConfigErrorKind};
pub use server::{ServerConfig, Transport};
pub use variables::Variables;

use error::{Mistakes, Place};
use lines::Lines;
use node::Node;
use setup::Setup;

/// The servers of a configuration file, checked.
///
/// It reads `mcpServers` objects, as in `claude_desktop_config.json` and `.mcp.json`, and the
/// `servers` of an `mcp.json` of VS Code. Comments and trailing commas are allowed. In the values
/// of a server, `${VAR}`, `${env:VAR}` and `${VAR:-default}` are replaced once, as are
/// `${input:id}`, `${workspaceFolder}`, `${userHome}` and `${pathSeparator}`.
///
/// | key of a server | value |
/// |---|---|
/// | `type` or `transport` | `stdio`, `http` (also `streamable-http`, `streamable_http`, `streamableHttp`), `sse`; guessed from the others where it is missing |
/// | `command`, `args`, `env`, `cwd` | a child process; what is in `env` comes on top of a few safe variables |
/// | `envFile` | a file of `NAME=value` lines, under `env` |
/// | `url` (also `serverUrl`, `httpUrl`), `headers` | a Streamable HTTP endpoint; with `sse` the event stream of a server of 2024-11-05, which otherwise is tried where a server refuses |
/// | `disabled` | `true` leaves the server out |
/// | `trusted` | `true` believes the server's hints about its tools |
/// | `session` | `pooled` (default), or `per_call` for a connection of its own for each call |
/// | `startup_timeout`, `call_timeout` | seconds for one try to connect, for a call without progress |
/// | `heartbeat` | seconds between two questions whether the server is there |
/// | `max_concurrent` | how many calls run at once |
///
/// Other keys are ignored, each with a line in [`warnings`](Self::warnings).
///
/// ```
/// use mcp::{Config, Variables};
/// let text = r#"{ "mcpServers": { "git": { "command": "git-mcp", "args": ["${REPO:-.}"] } } }"#;
/// let config = Config::parse("tools.json", text, &Variables::none())?;
/// assert_eq!(config.servers().keys().collect::<Vec<_>>(), ["git"]);
///
/// let text = r#"{ "mcpServers": { "git": { "command": 7 } } }"#;
/// let error = Config::parse("tools.json", text, &Variables::none()).unwrap_err();
/// assert_eq!(error.to_string(), r#"tools.json:1: server "git": key "command": expected a string"#);
/// # Ok::<(), mcp::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    file: String,
    servers: IndexMap<String, ServerConfig>,
    warnings: Vec<String>,
}

/// A configuration with all that is wrong with it.
///
/// ```
/// use mcp::{Config, Variables};
/// let text = r#"{ "mcpServers": {
///     "git": { "command": 7, "args": ["a", 1] },
///     "wiki": { "url": "http://localhost:8080/mcp" },
/// } }"#;
/// let checked = Config::check_text("tools.json", text, &Variables::none());
/// let lines: Vec<_> = checked.mistakes.iter().map(ToString::to_string).collect();
/// assert_eq!(lines, [
///     r#"tools.json:2: server "git": key "command": expected a string"#,
///     r#"tools.json:2: server "git": key "args[1]": expected a string"#,
/// ]);
/// assert_eq!(checked.config.servers().keys().collect::<Vec<_>>(), ["wiki"]);
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The servers without mistakes.
    pub config: Config,
    /// What is wrong, in the order of the file: the first 100 mistakes.
    pub mistakes: Vec<ConfigError>,
    /// How many more mistakes there are.
    pub more: usize,
}

impl Checked {
    fn into_result(self) -> Result<Config, ConfigError> {
        match self.mistakes.into_iter().next() {
            None => Ok(self.config),
            Some(mistake) => Err(mistake),
        }
    }
}

impl Config {
    /// The largest file that is read, in bytes: 1 MiB.
    pub const MAX_SIZE: u64 = 1 << 20;

    /// Reads a file, with the variables of our environment.
    ///
    /// # Errors
    /// [`ConfigError`], one line with file, server and key: the first mistake of the file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        Self::load_with(path, &Variables::from_env())
    }

    /// Reads a file, with these variables.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_with(path: impl AsRef<Path>, variables: &Variables) -> Result<Self, ConfigError> {
        Self::check_with(path, variables).into_result()
    }

    /// Reads a text; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn parse(file: &str, text: &str, variables: &Variables) -> Result<Self, ConfigError> {
        Self::check_text(file, text, variables).into_result()
    }

    /// Reads a file, with the variables of our environment, and finds all its mistakes. Nothing
    /// is started.
    pub fn check(path: impl AsRef<Path>) -> Checked {
        Self::check_with(path, &Variables::from_env())
    }

    /// As [`check`](Self::check), with these variables.
    pub fn check_with(path: impl AsRef<Path>, variables: &Variables) -> Checked {
        let path = path.as_ref();
        let file = path.display().to_string();
        let place = Place::file(&file);
        let mistake = match read(path) {
            Ok(Some(text)) => return Self::check_text(&file, &text, &variables.for_file(path)),
            Ok(None) => place.too_large(),
            Err(e) => place.unreadable(e),
        };
        Checked {
            mistakes: vec![mistake],
            more: 0,
            config: Self::empty(&file),
        }
    }

    /// As [`check`](Self::check), of a text; `file` is what messages call it.
    #[must_use]
    pub fn check_text(file: &str, text: &str, variables: &Variables) -> Checked {
        let mistakes = Mistakes::default();
        let mut config = Self::empty(file);
        if let Err(mistake) = config.read(text, variables, &mistakes) {
            mistakes.add(|| mistake);
        }
        let (mistakes, more) = mistakes.into_parts();
        Checked {
            config,
            mistakes,
            more,
        }
    }

    fn empty(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            servers: IndexMap::new(),
            warnings: Vec::new(),
        }
    }

    /// Takes the servers of a text. An error is one that hides all of them.
    fn read(
        &mut self,
        text: &str,
        variables: &Variables,
        mistakes: &Mistakes,
    ) -> Result<(), ConfigError> {
        let file = self.file.clone();
        let text = jsonc::to_json(text);
        let lines = Lines::of(&text);
        let place = Place::file(&file);
        let mut members = document(place, &text)?;
        let place = place.lines(&lines);
        let inputs = members.shift_remove("inputs");
        let variables = variables.for_inputs(place, inputs, mistakes);
        let mut setup = Setup::new(&variables, mistakes);
        for (name, node) in entries(place, &mut members)? {
            let place = place.server(&name);
            if name.trim().is_empty() {
                mistakes.note(place, ConfigErrorKind::Invalid, "a server needs a name");
            } else if let Some(server) = setup.server(place, node) {
                self.servers.insert(name, server);
            }
        }
        for key in members.keys() {
            setup.warnings.add(|| place.key(key).ignored());
        }
        let (warnings, more) = setup.warnings.into_parts();
        self.warnings = warnings;
        if more > 0 {
            let line = format!("{file}: {more} more keys are ignored");
            self.warnings.push(line);
        }
        Ok(())
    }

    /// The servers in the order of the file, without those that are disabled.
    #[must_use]
    pub const fn servers(&self) -> &IndexMap<String, ServerConfig> {
        &self.servers
    }

    /// What was ignored: one line for each of the first 100 keys, and one for the rest.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Has a hook asked for the headers of each HTTP request to a server.
    ///
    /// # Errors
    /// If there is no such server, or it is not reached over HTTP.
    pub fn set_header_source(
        &mut self,
        server: &str,
        source: Arc<dyn HeaderSource>,
    ) -> Result<(), ConfigError> {
        let place = Place::file(&self.file).server(server);
        match self.servers.get_mut(server).map(|s| &mut s.transport) {
            Some(Transport::Http(transport)) => {
                *transport = transport.clone().with_header_source(source);
                Ok(())
            }
            Some(Transport::Stdio(_)) => {
                Err(place.error(ConfigErrorKind::Invalid, "it is not reached over HTTP"))
            }
            None => Err(place.error(ConfigErrorKind::Missing, "there is no such server")),
        }
    }

    /// A pool of the servers. Nothing is started yet.
    #[must_use]
    pub fn pool(&self) -> ServerPool {
        self.pool_builder().build()
    }

    /// A pool of the servers, to be completed with what this client is and answers.
    #[must_use]
    pub fn pool_builder(&self) -> PoolBuilder {
        let servers = self.servers.iter();
        servers.fold(ServerPool::builder(), |pool, (name, server)| {
            pool.server_with(name.as_str(), server.connector(), server.options())
        })
    }
}

/// `None` if the file is too large.
fn read(path: &Path) -> std::io::Result<Option<String>> {
    let mut text = String::new();
    let file = File::open(path)?;
    file.take(Config::MAX_SIZE + 1).read_to_string(&mut text)?;
    Ok((text.len() as u64 <= Config::MAX_SIZE).then_some(text))
}

fn document(place: Place<'_>, text: &str) -> Result<IndexMap<String, Node>, ConfigError> {
    let node = serde_json::from_str(text).map_err(|e| {
        let reason = format!("the file is not valid JSON: {e}");
        place.error(ConfigErrorKind::Syntax, reason)
    })?;
    match node {
        Node::Object(members) => Ok(members),
        _ => Err(place.error(ConfigErrorKind::Type, "expected an object")),
    }
}

/// The servers, by either of the keys that are in use.
fn entries(
    place: Place<'_>,
    members: &mut IndexMap<String, Node>,
) -> Result<IndexMap<String, Node>, ConfigError> {
    let (key, node) = match (
        members.shift_remove("mcpServers"),
        members.shift_remove("servers"),
    ) {
        (Some(node), None) => ("mcpServers", node),
        (None, Some(node)) => ("servers", node),
        (None, None) => {
            let place = place.key("mcpServers");
            return Err(place.error(ConfigErrorKind::Missing, "the file has no servers"));
        }
        (Some(_), Some(_)) => {
            let place = place.key("servers");
            let reason = "the file has \"mcpServers\" too; keep one of them";
            return Err(place.error(ConfigErrorKind::Invalid, reason));
        }
    };
    match node {
        Node::Object(servers) => Ok(servers),
        _ => Err(place
            .key(key)
            .error(ConfigErrorKind::Type, "expected an object")),
    }
}
