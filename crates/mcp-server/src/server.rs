//! The server: what was registered, behind the one trait that a transport asks.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use http::Extensions;
use mcp_jsonrpc::{ErrorObject, Notification, RawJson, Request};
use mcp_peer::{Peer, PeerOptions};
use mcp_protocol::lifecycle::ServerIdentity;
use mcp_protocol::{Implementation, RequestContext, SchemaValidator, Tool};
use mcp_transport::{BoxFuture, Handler, Incoming, Reader, Session, Writer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::ask::Seal;
use crate::catalog::Catalog;
use crate::changes::Change;
use crate::completion::Completer;
use crate::dispatch::{self, Methods};
use crate::layer::MethodService;
use crate::notifications::{self, Hook};
use crate::tasks::Tasks;
use crate::{Changes, Offer, ServerBuilder};

/// A server: a registry of tools, prompts and resources that answers the requests of any number
/// of connections, in every revision.
///
/// Clones are the same server. It does no I/O: hand [`handler`](Self::handler) and
/// [`identity`](Self::identity) to a transport.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
    service: Option<MethodService>,
    _in_use: Arc<InUse>,
}

/// Gives up the tasks of a server that nobody can reach any more.
struct InUse(Arc<Shared>);

impl Drop for InUse {
    fn drop(&mut self) {
        if let Some(tasks) = &self.0.tasks {
            tasks.cancel_all();
        }
    }
}

/// Who makes a request, as the transport knows it.
pub(crate) type PrincipalOf = Box<dyn Fn(&Extensions) -> Option<String> + Send + Sync>;

/// What is offered at the moment.
pub(crate) struct Offered(RwLock<Arc<Catalog>>);

impl Offered {
    pub(crate) fn new(catalog: Catalog) -> Self {
        Self(RwLock::new(Arc::new(catalog)))
    }

    pub(crate) fn now(&self) -> Arc<Catalog> {
        let catalog = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&catalog)
    }

    fn replace(&self, catalog: Arc<Catalog>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = catalog;
    }
}

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) identity: Arc<ServerIdentity>,
    /// The identity as each result since 2026-07-28 carries it.
    pub(crate) info: Value,
    /// The `_meta` of a result that has none of its own, with the identity in it.
    pub(crate) signature: Option<Box<RawValue>>,
    pub(crate) catalog: Arc<Offered>,
    /// Held while the catalog is edited.
    pub(crate) editing: Mutex<()>,
    pub(crate) validator: Option<Box<dyn SchemaValidator>>,
    pub(crate) tasks: Option<Tasks>,
    pub(crate) changes: Option<Changes>,
    pub(crate) completer: Option<Completer>,
    pub(crate) methods: Methods,
    /// Signs what a request keeps between its rounds.
    pub(crate) seal: Seal,
    pub(crate) principal: Option<PrincipalOf>,
    /// What wants to know of the notifications of clients.
    pub(crate) hook: Option<Hook>,
    /// How long the client may take to answer a question.
    pub(crate) ask_timeout: Duration,
}

impl Shared {
    /// What is offered at the moment.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.catalog.now()
    }

    /// Puts an edited catalog in the place of the old one. Requests read the old one meanwhile.
    fn edit(&self, edit: impl FnOnce(&mut Offer)) -> Vec<Change<'static>> {
        let _alone = self.editing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.catalog();
        let edited = Arc::new(before.edited(edit));
        let changes = edited.changes_since(&before).collect();
        self.catalog.replace(edited);
        changes
    }

    /// Has a session told of changes from now on.
    pub(crate) fn meet(&self, session: Option<&Session>) {
        if let (Some(changes), Some(session)) = (&self.changes, session) {
            changes.tell_session(session);
        }
    }

    pub(crate) fn logs(&self) -> bool {
        self.identity.capabilities.logging.is_some()
    }
}

impl Server {
    /// Begins a server with this name and version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(Implementation::new(name, version))
    }

    pub(crate) fn new(shared: Arc<Shared>, service: Option<MethodService>) -> Self {
        Self {
            _in_use: Arc::new(InUse(Arc::clone(&shared))),
            shared,
            service,
        }
    }

    /// What the server says of itself. Its capabilities are what was registered.
    #[must_use]
    pub fn identity(&self) -> Arc<ServerIdentity> {
        Arc::clone(&self.shared.identity)
    }

    /// Changes what the server offers while it is at work, and tells clients of the lists that
    /// are other ones now, if the server [tells of changes](ServerBuilder::changes).
    ///
    /// Requests that are being answered go on with what they began with. A kind of which there
    /// was nothing when the server was built stays undeclared, and is not served.
    ///
    /// # Cancel safety
    /// The change is made at once; dropping the future may leave some sessions without the news.
    pub async fn edit(&self, edit: impl FnOnce(&mut Offer)) {
        let changes = self.shared.edit(edit);
        if let Some(tell) = &self.shared.changes {
            for change in changes {
                tell.tell(change).await;
            }
        }
    }

    /// The description of a tool.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<Tool> {
        let catalog = self.shared.catalog();
        catalog.tools.get(name).map(|entry| entry.tool.clone())
    }

    /// What answers the requests of a connection.
    #[must_use]
    pub fn handler(&self) -> Arc<dyn Handler<RequestContext>> {
        Arc::new(self.clone())
    }
}

/// Over byte streams.
impl Server {
    /// Serves one connection; it is over when the client ends it.
    ///
    /// Needs a Tokio runtime, and goes on whether or not the handle is kept: wait for its end by
    /// [`closed`](mcp_transport::Channel::closed), end it by
    /// [`close`](mcp_transport::Channel::close).
    pub fn serve<R: Reader, W: Writer>(&self, reader: R, writer: W) -> Peer {
        self.serve_with(reader, writer, PeerOptions::default())
    }

    /// Like [`serve`](Self::serve), with other bounds.
    pub fn serve_with<R: Reader, W: Writer>(
        &self,
        reader: R,
        writer: W,
        options: PeerOptions,
    ) -> Peer {
        mcp_peer::server(reader, writer, self.identity(), self.handler(), options)
    }
}

impl Handler<RequestContext> for Server {
    fn request(
        self: Arc<Self>,
        request: Incoming<Request, RequestContext>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        match &self.service {
            None => dispatch::answer(&self.shared, request),
            Some(service) => service.answer(request),
        }
    }

    fn notification(
        self: Arc<Self>,
        notification: Incoming<Notification, RequestContext>,
    ) -> BoxFuture<'static, ()> {
        // What a server has to know of (initialized, cancelled) is handled below it.
        self.shared.meet(notification.session.as_ref());
        notifications::take(&self.shared, notification)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("info", &self.shared.identity.info)
            .field("catalog", &self.shared.catalog())
            .finish_non_exhaustive()
    }
}
