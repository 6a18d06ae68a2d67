//! Makes servers of what a file says.

use mcp_client::SessionPolicy;
use mcp_protocol::lifecycle::Preference;
use mcp_transport_http::{BuildError, HttpClient, HttpTransport, LegacySse};
use mcp_transport_stdio::ChildBuilder;

use super::error::{ConfigErrorKind, First, Mistakes, Place};
use super::fields::Fields;
use super::node::Node;
use super::server::{ServerConfig, Transport};
use super::variables::Variables;

/// Makes servers of what the file says.
pub(super) struct Setup<'a> {
    variables: &'a Variables,
    mistakes: &'a Mistakes,
    /// Shared by all servers, so that they share their connections too.
    client: Option<HttpClient>,
    pub(super) warnings: First<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stdio,
    Http,
    /// The HTTP transport of 2024-11-05.
    Sse,
}

impl<'a> Setup<'a> {
    pub(super) fn new(variables: &'a Variables, mistakes: &'a Mistakes) -> Self {
        Self {
            variables,
            mistakes,
            client: None,
            warnings: First::default(),
        }
    }

    /// `None` if it is disabled, or something is wrong with it.
    pub(super) fn server(&mut self, place: Place<'_>, node: Node) -> Option<ServerConfig> {
        let before = self.mistakes.count();
        let mut fields = Fields::new(place, node, self.variables, self.mistakes)?;
        if fields.flag("disabled") {
            return None;
        }
        let kind = kind(&mut fields);
        let transport = match kind {
            None => None,
            Some(Kind::Stdio) => self.child(&mut fields).map(Transport::Stdio),
            Some(kind) => self.endpoint(&mut fields, kind).map(Transport::Http),
        };
        let trusted = fields.flag("trusted");
        let session = session(&mut fields);
        let startup_timeout = fields.seconds("startup_timeout");
        let call_timeout = fields.seconds("call_timeout");
        let heartbeat = fields.seconds("heartbeat");
        let max_concurrent = fields.count("max_concurrent");
        if kind.is_some() {
            for key in fields.rest() {
                self.warnings.add(|| place.key(&key).ignored());
            }
        }
        let flawless = self.mistakes.count() == before;
        let transport = transport.filter(|_| flawless)?;
        Some(ServerConfig {
            transport,
            trusted,
            session,
            preference: match kind {
                Some(Kind::Sse) => Preference::Handshake,
                _ => Preference::Auto,
            },
            startup_timeout,
            call_timeout,
            max_concurrent,
            heartbeat,
        })
    }

    fn child(&self, fields: &mut Fields<'_>) -> Option<ChildBuilder> {
        let command = fields.needed("command", "a stdio server needs a command");
        let args = fields.texts("args");
        let mut child = ChildBuilder::new(command.clone().unwrap_or_default()).args(args);
        if let Some(path) = fields.text("envFile") {
            child = child.envs(self.env_file(fields.place.key("envFile"), &path));
        }
        for (name, value) in fields.pairs("env") {
            if name.is_empty() || name.contains(['=', '\0']) {
                let key = format!("env.{name}");
                let place = fields.place.key(&key);
                let kind = ConfigErrorKind::Invalid;
                self.mistakes
                    .note(place, kind, "not the name of a variable");
                continue;
            }
            child = child.env(name, value);
        }
        if let Some(cwd) = fields.text("cwd") {
            child = child.cwd(cwd);
        }
        command.map(|_| child)
    }

    /// `NAME=value` lines; `#` begins a comment line, quotes around a value are dropped.
    fn env_file(&self, place: Place<'_>, path: &str) -> Vec<(String, String)> {
        let text = match super::read(path.as_ref()) {
            Ok(Some(text)) => text,
            Ok(None) => {
                self.mistakes.add(|| place.too_large());
                return Vec::new();
            }
            Err(e) => {
                self.mistakes.add(|| place.unreadable(e));
                return Vec::new();
            }
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
        text.lines().filter_map(pair).collect()
    }

    fn endpoint(&mut self, fields: &mut Fields<'_>, kind: Kind) -> Option<HttpTransport> {
        let key = url_key(fields).unwrap_or("url");
        let url = fields.needed(key, "an HTTP server needs a URL");
        let headers = fields.pairs("headers");
        let place = fields.place;
        let client = match self.client() {
            Ok(client) => client,
            Err(e) => return self.unbuildable(place.key(key), e),
        };
        let build = |url: &str, headers: &[(String, String)]| {
            let mut builder = HttpTransport::builder(url).client(client.clone());
            if kind == Kind::Sse {
                builder = builder.legacy_sse(LegacySse::Only);
            }
            for (name, value) in headers {
                builder = builder.header(name, value);
            }
            builder.build()
        };
        // Each for itself, so that each that is wrong is named.
        for header in &headers {
            if let Err(e) = build("http://localhost/", std::slice::from_ref(header)) {
                let key = format!("headers.{}", header.0);
                self.unbuildable(place.key(&key), e);
            }
        }
        match build(&url?, &headers) {
            Ok(transport) => Some(transport),
            Err(BuildError::Header { .. } | BuildError::ProtectedHeader { .. }) => None,
            Err(e) => self.unbuildable(place.key(key), e),
        }
    }

    /// The URL itself is not told: it may hold a token.
    fn unbuildable(&self, place: Place<'_>, error: BuildError) -> Option<HttpTransport> {
        let kind = ConfigErrorKind::Invalid;
        self.mistakes.add(|| match error {
            BuildError::Url { reason, .. } => place.error(kind, format!("no usable URL: {reason}")),
            BuildError::NoTls { .. } => place.error(kind, "there is no TLS provider for https"),
            BuildError::Client(source) => {
                let reason = "the HTTP client could not be built";
                place.error(kind, reason).with_source(source)
            }
            other => place.error(kind, other.to_string()),
        });
        None
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
fn kind(fields: &mut Fields<'_>) -> Option<Kind> {
    // Some tools write both.
    let (kind, transport) = (fields.has("type"), fields.has("transport"));
    let (named_type, named_transport) = (fields.text("type"), fields.text("transport"));
    if kind || transport {
        let key = if kind { "type" } else { "transport" };
        let name = if kind { named_type } else { named_transport };
        return named_kind(fields, key, &name?);
    }
    let (mistakes, place) = (fields.mistakes, fields.place);
    match (fields.has("command"), url_key(fields)) {
        (true, None) => Some(Kind::Stdio),
        (false, Some(_)) => Some(Kind::Http),
        (false, None) => {
            let reason = "missing; a server needs a \"command\" or a \"url\"";
            mistakes.note(place.key("command"), ConfigErrorKind::Missing, reason);
            None
        }
        (true, Some(url)) => {
            let reason = "the server has a \"command\" too; say which with \"type\"";
            mistakes.note(place.key(url), ConfigErrorKind::Invalid, reason);
            None
        }
    }
}

fn named_kind(fields: &Fields<'_>, key: &str, name: &str) -> Option<Kind> {
    match name {
        "stdio" => Some(Kind::Stdio),
        "http" | "streamable-http" | "streamable_http" | "streamableHttp" => Some(Kind::Http),
        "sse" => Some(Kind::Sse),
        _ => {
            let reason =
                format!("{name:?} is not known; there are \"stdio\", \"http\" and \"sse\"");
            let place = fields.place.key(key);
            fields
                .mistakes
                .note(place, ConfigErrorKind::Unsupported, reason);
            None
        }
    }
}

fn session(fields: &mut Fields<'_>) -> SessionPolicy {
    match fields.text("session").as_deref() {
        None | Some("pooled") => SessionPolicy::Pooled,
        Some("per_call") => SessionPolicy::PerCall,
        Some(name) => {
            let reason = format!("{name:?} is not known; there are \"pooled\" and \"per_call\"");
            let place = fields.place.key("session");
            fields
                .mistakes
                .note(place, ConfigErrorKind::Unsupported, reason);
            SessionPolicy::Pooled
        }
    }
}

fn url_key(fields: &Fields<'_>) -> Option<&'static str> {
    ["url", "serverUrl", "httpUrl"]
        .into_iter()
        .find(|key| fields.has(key))
}
