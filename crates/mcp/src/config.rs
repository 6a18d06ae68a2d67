//! The configuration files that MCP clients share: servers by name.

mod error;
mod fields;
mod jsonc;
mod node;
mod server;
mod variables;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use indexmap::IndexMap;
use mcp_client::{PoolBuilder, ServerPool};

pub use error::{ConfigError, ConfigErrorKind};
pub use server::{ServerConfig, Transport};
pub use variables::Variables;

use error::Place;
use node::Node;
use server::Setup;

/// The servers of a configuration file, checked.
///
/// It reads `mcpServers` objects, as in `claude_desktop_config.json` and `.mcp.json`, and the
/// `servers` of an `mcp.json` of VS Code. Comments and trailing commas are allowed. In the values
/// of a server, `${VAR}`, `${env:VAR}` and `${VAR:-default}` are replaced once, as are
/// `${input:id}`, `${workspaceFolder}`, `${userHome}` and `${pathSeparator}`.
///
/// | key of a server | value |
/// |---|---|
/// | `type` or `transport` | `stdio`, `http` (also `streamable-http`, `streamable_http`, `streamableHttp`); guessed from the others where it is missing |
/// | `command`, `args`, `env`, `cwd` | a child process; what is in `env` comes on top of a few safe variables |
/// | `envFile` | a file of `NAME=value` lines, under `env` |
/// | `url` (also `serverUrl`, `httpUrl`), `headers` | a Streamable HTTP endpoint |
/// | `disabled` | `true` leaves the server out |
/// | `trusted` | `true` believes the server's hints about its tools |
/// | `startup_timeout` | seconds for one try to connect |
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
/// assert_eq!(error.to_string(), r#"tools.json: server "git": key "command": expected a string"#);
/// # Ok::<(), mcp::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    servers: IndexMap<String, ServerConfig>,
    warnings: Vec<String>,
}

impl Config {
    /// The largest file that is read, in bytes: 1 MiB.
    pub const MAX_SIZE: u64 = 1 << 20;

    /// Reads a file, with the variables of our environment.
    ///
    /// # Errors
    /// [`ConfigError`], one line with file, server and key.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        Self::load_with(path, &Variables::from_env())
    }

    /// Reads a file, with these variables.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_with(path: impl AsRef<Path>, variables: &Variables) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let place = Place::file(&file);
        let text = read(path).map_err(|e| place.unreadable(e))?;
        let text = text.ok_or_else(|| {
            place.error(ConfigErrorKind::Unreadable, "the file is larger than 1 MiB")
        })?;
        Self::parse(&file, &text, &variables.for_file(path))
    }

    /// Reads a text; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn parse(file: &str, text: &str, variables: &Variables) -> Result<Self, ConfigError> {
        let place = Place::file(file);
        let mut members = document(place, text)?;
        let variables = variables.for_inputs(place, members.shift_remove("inputs"))?;
        let mut setup = Setup::new(&variables);
        let mut servers = IndexMap::new();
        for (name, node) in entries(place, &mut members)? {
            let place = place.server(&name);
            if name.trim().is_empty() {
                return Err(place.error(ConfigErrorKind::Invalid, "a server needs a name"));
            }
            if let Some(server) = setup.server(place, node)? {
                servers.insert(name, server);
            }
        }
        let mut warnings = setup.warnings;
        warnings.extend(members.keys().map(|key| place.key(key).ignored()));
        Ok(Self { servers, warnings })
    }

    /// The servers in the order of the file, without those that are disabled.
    #[must_use]
    pub const fn servers(&self) -> &IndexMap<String, ServerConfig> {
        &self.servers
    }

    /// What was ignored: one line for each key.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
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
    let text = jsonc::to_json(text);
    let node = serde_json::from_slice(&text).map_err(|e| {
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
