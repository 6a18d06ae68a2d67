//! One server of a configuration.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{Connect, ServerOptions};
use mcp_transport_http::{BuildError, HttpClient, HttpTransport};
use mcp_transport_stdio::ChildBuilder;

use super::error::{ConfigError, ConfigErrorKind, Place};
use super::fields::Fields;
use super::node::Node;
use super::variables::Variables;
use crate::connect::{HttpConnect, StdioConnect};

/// One server of a [`Config`](crate::Config).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerConfig {
    /// How it is reached.
    pub transport: Transport,
    /// Whether its hints about its tools are believed.
    pub trusted: bool,
    /// How long one try to connect may take, where the file says so.
    pub startup_timeout: Option<Duration>,
}

/// How a server is reached.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Transport {
    /// As a child process.
    Stdio(ChildBuilder),
    /// Over Streamable HTTP.
    Http(HttpTransport),
}

impl ServerConfig {
    /// What connects to it.
    #[must_use]
    pub fn connector(&self) -> Arc<dyn Connect> {
        match &self.transport {
            Transport::Stdio(child) => Arc::new(StdioConnect::new(child.clone())),
            Transport::Http(transport) => Arc::new(HttpConnect::new(transport.clone())),
        }
    }

    /// How a pool treats it: the defaults, save what the file says.
    #[must_use]
    pub fn options(&self) -> ServerOptions {
        let options = ServerOptions::new().with_trusted(self.trusted);
        match self.startup_timeout {
            Some(limit) => options.with_startup_timeout(limit),
            None => options,
        }
    }
}

/// Makes servers of what the file says.
pub(super) struct Setup<'a> {
    variables: &'a Variables,
    /// Shared by all servers, so that they share their connections too.
    client: Option<HttpClient>,
    pub(super) warnings: Vec<String>,
}

#[derive(Clone, Copy)]
enum Kind {
    Stdio,
    Http,
}

impl<'a> Setup<'a> {
    pub(super) const fn new(variables: &'a Variables) -> Self {
        Self {
            variables,
            client: None,
            warnings: Vec::new(),
        }
    }

    /// `None` if it is disabled.
    pub(super) fn server(
        &mut self,
        place: Place<'_>,
        node: Node,
    ) -> Result<Option<ServerConfig>, ConfigError> {
        let mut fields = Fields::new(place, node, self.variables)?;
        if fields.flag("disabled")? {
            return Ok(None);
        }
        let transport = match kind(&mut fields)? {
            Kind::Stdio => Transport::Stdio(self.child(&mut fields)?),
            Kind::Http => Transport::Http(self.endpoint(&mut fields)?),
        };
        let server = ServerConfig {
            transport,
            trusted: fields.flag("trusted")?,
            startup_timeout: fields.seconds("startup_timeout")?,
        };
        let ignored = fields.rest().map(|key| place.key(&key).ignored());
        self.warnings.extend(ignored);
        Ok(Some(server))
    }

    fn child(&self, fields: &mut Fields<'_>) -> Result<ChildBuilder, ConfigError> {
        let command = fields.needed("command", "a stdio server needs a command")?;
        let mut child = ChildBuilder::new(command).args(fields.texts("args")?);
        if let Some(path) = fields.text("envFile")? {
            child = child.envs(self.env_file(fields.place.key("envFile"), &path)?);
        }
        for (name, value) in fields.pairs("env")? {
            let key = format!("env.{name}");
            let place = fields.place.key(&key);
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(place.error(ConfigErrorKind::Invalid, "not the name of a variable"));
            }
            child = child.env(name, value);
        }
        match fields.text("cwd")? {
            Some(cwd) => Ok(child.cwd(cwd)),
            None => Ok(child),
        }
    }

    /// `NAME=value` lines; `#` begins a comment line, quotes around a value are dropped.
    fn env_file(&self, place: Place<'_>, path: &str) -> Result<Vec<(String, String)>, ConfigError> {
        let text = super::read(path.as_ref()).map_err(|e| place.unreadable(e))?;
        let Some(text) = text else {
            let reason = "the file is larger than 1 MiB";
            return Err(place.error(ConfigErrorKind::Unreadable, reason));
        };
        let pair = |line: &str| {
            let line = line.trim();
            let line = line.strip_prefix("export ").unwrap_or(line);
            let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
            let value = value.trim();
            let unquoted = ['"', '\'']
                .iter()
                .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
            let value = unquoted.unwrap_or(value);
            Some((name.trim().to_owned(), value.to_owned()))
        };
        Ok(text.lines().filter_map(pair).collect())
    }

    fn endpoint(&mut self, fields: &mut Fields<'_>) -> Result<HttpTransport, ConfigError> {
        let key = url_key(fields).unwrap_or("url");
        let url = fields.needed(key, "an HTTP server needs a URL")?;
        let mut builder = HttpTransport::builder(url);
        for (name, value) in fields.pairs("headers")? {
            builder = builder.header(name, value);
        }
        let built = self
            .client()
            .and_then(|client| builder.client(client).build());
        built.map_err(|e| {
            let at = match &e {
                BuildError::Header { name } | BuildError::ProtectedHeader { name } => {
                    format!("headers.{name}")
                }
                _ => key.to_owned(),
            };
            let error = fields
                .place
                .key(&at)
                .error(ConfigErrorKind::Invalid, e.to_string());
            match e {
                BuildError::Client(source) => error.with_source(source),
                _ => error,
            }
        })
    }

    fn client(&mut self) -> Result<HttpClient, BuildError> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let client = HttpClient::new().map_err(BuildError::Client)?;
        Ok(self.client.insert(client).clone())
    }
}

/// Which transport it is: what the file says, or what the other keys suggest.
fn kind(fields: &mut Fields<'_>) -> Result<Kind, ConfigError> {
    let named = match fields.text("type")? {
        Some(name) => {
            // Some tools write both.
            fields.text("transport")?;
            Some(("type", name))
        }
        None => fields.text("transport")?.map(|name| ("transport", name)),
    };
    if let Some((key, name)) = named {
        return named_kind(fields.place.key(key), &name);
    }
    match (fields.has("command"), url_key(fields)) {
        (true, None) => Ok(Kind::Stdio),
        (false, Some(_)) => Ok(Kind::Http),
        (false, None) => {
            let reason = "missing; a server needs a \"command\" or a \"url\"";
            let place = fields.place.key("command");
            Err(place.error(ConfigErrorKind::Missing, reason))
        }
        (true, Some(url)) => {
            let reason = "the server has a \"command\" too; say which with \"type\"";
            Err(fields
                .place
                .key(url)
                .error(ConfigErrorKind::Invalid, reason))
        }
    }
}

fn named_kind(place: Place<'_>, name: &str) -> Result<Kind, ConfigError> {
    match name {
        "stdio" => Ok(Kind::Stdio),
        "http" | "streamable-http" | "streamable_http" | "streamableHttp" => Ok(Kind::Http),
        "sse" => Err(place.error(
            ConfigErrorKind::Unsupported,
            "\"sse\", the HTTP transport of 2024-11-05, is not supported; use \"http\" with the \
             server's Streamable HTTP endpoint",
        )),
        _ => {
            let reason = format!("{name:?} is not known; there are \"stdio\" and \"http\"");
            Err(place.error(ConfigErrorKind::Unsupported, reason))
        }
    }
}

fn url_key(fields: &Fields<'_>) -> Option<&'static str> {
    ["url", "serverUrl", "httpUrl"]
        .into_iter()
        .find(|key| fields.has(key))
}
