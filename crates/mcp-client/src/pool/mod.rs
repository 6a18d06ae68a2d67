//! Many servers by name, each with its own connection and its own failures.

mod catalog;
mod error;
mod heartbeat;
mod held;
mod load;
mod member;
mod names;
mod opening;
mod options;
mod preload;
mod toolset;
mod watched;

use std::sync::Arc;

use indexmap::IndexMap;
use mcp_interceptors::{Intercepted, RequestLayers, ToolLayers};
use mcp_protocol::{CallToolParams, CallToolResult, Implementation, LoggingLevel};

pub use catalog::{Catalog, Entry};
pub use error::PoolError;
pub use held::HeldSession;
pub use load::{Body, LoadFailure, Loaded, LoadedContent, Selection};
pub use names::NamePolicy;
pub use options::{ServerOptions, SessionPolicy};
pub use preload::Budget;

use crate::several::for_each;
use crate::{CallOptions, ClientOptions, Connect, Handlers, Session};
use member::Member;

/// Many servers by name.
///
/// Nothing is started before it is needed. One server that is missing, slow or broken does not
/// hurt the others: its failure is kept with it, and named. It is cheap to clone; all clones
/// share the servers.
#[derive(Clone, Debug)]
pub struct ServerPool {
    inner: Arc<Inner>,
    /// The pool's tools with its layers around them, if it has any.
    layered: Option<Arc<Intercepted>>,
}

#[derive(Debug)]
struct Inner {
    members: IndexMap<Arc<str>, Arc<Member>>,
    names: NamePolicy,
    table: toolset::Table,
    layers: ToolLayers,
}

/// Puts a [`ServerPool`] together.
#[derive(Debug)]
pub struct PoolBuilder {
    client: ClientOptions,
    names: NamePolicy,
    layers: ToolLayers,
    servers: IndexMap<Arc<str>, (Arc<dyn Connect>, ServerOptions)>,
}

impl ServerPool {
    /// A pool without servers.
    #[must_use]
    pub fn builder() -> PoolBuilder {
        PoolBuilder {
            client: ClientOptions::new("mcp-client", env!("CARGO_PKG_VERSION")),
            names: NamePolicy::default(),
            layers: ToolLayers::new(),
            servers: IndexMap::new(),
        }
    }

    /// The names of the servers, in the order in which they were added.
    pub fn servers(&self) -> impl ExactSizeIterator<Item = &Arc<str>> {
        self.inner.members.keys()
    }

    /// A pool of some of these servers, in this order. Both pools share them: what is open here
    /// is open there.
    ///
    /// # Errors
    /// [`PoolError::UnknownServer`].
    pub fn only<'a>(&self, servers: impl IntoIterator<Item = &'a str>) -> Result<Self, PoolError> {
        let mut members = IndexMap::new();
        for server in servers {
            let member = self.member(server)?;
            members.insert(Arc::clone(&member.name), Arc::clone(member));
        }
        Ok(Self::layered(Inner {
            members,
            names: self.inner.names,
            table: toolset::Table::default(),
            layers: self.inner.layers.clone(),
        }))
    }

    /// A pool with its layers around its tools.
    fn layered(inner: Inner) -> Self {
        let bare = Self {
            inner: Arc::new(inner),
            layered: None,
        };
        let layers = &bare.inner.layers;
        let layered = (!layers.is_empty()).then(|| Arc::new(layers.around(Arc::new(bare.clone()))));
        Self { layered, ..bare }
    }

    /// The session with a server; it is opened now if it is not open. All callers share it,
    /// whatever the server's policy.
    ///
    /// # Errors
    /// [`PoolError`]: there is no such server, or it is not available.
    ///
    /// # Cancel safety
    /// Dropping the future gives the attempt up if nobody else waits for it.
    pub async fn session(&self, server: &str) -> Result<Session, PoolError> {
        self.member(server)?.session().await
    }

    /// Calls a tool of a server by the server's own name for it. The layers around the pool's
    /// tools are not passed: they are for calls that know their tool ([`Toolset::call`]).
    ///
    /// [`Toolset::call`]: mcp_interceptors::Toolset::call
    ///
    /// A call that provably was not sent because the connection was over is sent again on a new
    /// one; one that may have run is not.
    ///
    /// # Errors
    /// [`PoolError`]. A tool that fails has a result.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn call_tool(
        &self,
        server: &str,
        params: CallToolParams,
        options: &CallOptions,
    ) -> Result<CallToolResult, PoolError> {
        let work = |session: Session| {
            let params = params.clone();
            async move { session.call_tool(params, options).await }
        };
        let member = self.member(server)?;
        member.with_session(options.repeatable, work).await
    }

    /// Asks a server to tell when a resource changes. The handler of changes is told. When the
    /// connection is replaced by another one, it is asked for again there.
    ///
    /// # Errors
    /// [`PoolError`]; its source is as of [`Session::subscribe`].
    ///
    /// # Cancel safety
    /// Dropping the future may leave the resource subscribed.
    pub async fn subscribe(&self, server: &str, uri: &str) -> Result<(), PoolError> {
        let member = self.member(server)?;
        let session = member.session().await?;
        let subscribed = session.subscribe(uri).await;
        subscribed.map_err(|error| member.failed(&session, error))
    }

    /// Asks a server not to tell of a resource any more.
    ///
    /// # Errors
    /// As [`subscribe`](Self::subscribe).
    ///
    /// # Cancel safety
    /// Dropping the future may leave the resource subscribed.
    pub async fn unsubscribe(&self, server: &str, uri: &str) -> Result<(), PoolError> {
        let member = self.member(server)?;
        let session = member.session().await?;
        let done = session.unsubscribe(uri).await;
        done.map_err(|error| member.failed(&session, error))
    }

    /// How to use the servers, in their own words: text from outside. Only of those that are
    /// connected now and have any.
    #[must_use]
    pub fn instructions(&self) -> Vec<(Arc<str>, String)> {
        let of = |member: &Arc<Member>| {
            let instructions = member.live()?.instructions()?.to_owned();
            Some((Arc::clone(&member.name), instructions))
        };
        self.inner.members.values().filter_map(of).collect()
    }

    /// Ends all connections in good order, side by side, and opens no more.
    ///
    /// # Cancel safety
    /// Dropping the future ends the connections without waiting for them.
    pub async fn shutdown(&self) {
        let members = self.inner.members.values();
        for_each(usize::MAX, members, |member| member.close()).await;
    }

    fn member(&self, server: &str) -> Result<&Arc<Member>, PoolError> {
        let members = &self.inner.members;
        members.get(server).ok_or_else(|| PoolError::UnknownServer {
            server: server.to_owned(),
            known: members
                .keys()
                .map(|name| name.as_ref().to_owned())
                .collect(),
        })
    }
}

impl PoolBuilder {
    /// What we say that we are.
    #[must_use]
    pub fn client(mut self, info: Implementation) -> Self {
        self.client.info = info;
        self
    }

    /// From which level on the servers' log messages are wanted. Default: each server decides
    /// until 2025-11-25; since then none are sent.
    #[must_use]
    pub fn log_level(mut self, level: LoggingLevel) -> Self {
        self.client.log_level = Some(level);
        self
    }

    /// Lets servers answer calls of tools with tasks, which are then followed to their end.
    #[must_use]
    pub const fn tasks(mut self) -> Self {
        self.client.tasks = true;
        self
    }

    /// What answers the servers.
    #[must_use]
    pub fn handlers(mut self, handlers: Handlers) -> Self {
        self.client.handlers = handlers;
        self
    }

    /// How tools are named for models.
    #[must_use]
    pub const fn names(mut self, names: NamePolicy) -> Self {
        self.names = names;
        self
    }

    /// What stands around the calls of tools, and around their list: of all sessions of the
    /// pool, also of those that are [held](ServerPool::hold).
    #[must_use]
    pub fn layers(mut self, layers: ToolLayers) -> Self {
        self.layers = layers;
        self
    }

    /// What stands around each request to a server and from it, of all methods. The request of a
    /// tool call is one, too: it passes the layers around the call first, and then these.
    #[must_use]
    pub fn request_layers(mut self, layers: RequestLayers) -> Self {
        self.client.layers = layers;
        self
    }

    /// Adds a server. One of the same name is replaced.
    #[must_use]
    pub fn server(self, name: impl Into<Arc<str>>, connect: Arc<dyn Connect>) -> Self {
        self.server_with(name, connect, ServerOptions::default())
    }

    /// Adds a server with options. One of the same name is replaced.
    #[must_use]
    pub fn server_with(
        mut self,
        name: impl Into<Arc<str>>,
        connect: Arc<dyn Connect>,
        options: ServerOptions,
    ) -> Self {
        self.servers.insert(name.into(), (connect, options));
        self
    }

    /// The pool. Nothing is started yet.
    #[must_use]
    pub fn build(self) -> ServerPool {
        let client = self.client;
        let member = |(name, (connect, options)): (Arc<str>, _)| {
            let member = Member::new(Arc::clone(&name), connect, options, client.clone());
            (name, Arc::new(member))
        };
        ServerPool::layered(Inner {
            members: self.servers.into_iter().map(member).collect(),
            names: self.names,
            table: toolset::Table::default(),
            layers: self.layers,
        })
    }
}
