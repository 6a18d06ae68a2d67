//! Changes that clients are told of: of the lists, and of single resources.

mod listener;
mod session;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::future::join_all;
use mcp_jsonrpc::{MethodName, Notification, RawJson};
use mcp_protocol::prompts::PromptListChanged;
use mcp_protocol::resources::{ResourceListChanged, ResourceUpdated};
use mcp_protocol::tasks::TaskNotification;
use mcp_protocol::tools::ToolListChanged;
use mcp_protocol::{ResourceUpdatedParams, RpcNotification};
use mcp_transport::Session;
use tokio::time::timeout;

pub(crate) use listener::Listener;
pub(crate) use session::Subscriptions;

/// Tells clients of changes: until 2025-11-25 each session, later each `subscriptions/listen`
/// request that asks for the kind of change.
///
/// A server that is [given](crate::ServerBuilder::changes) one declares that it tells of changes
/// of whatever it offers, and that clients may subscribe to its resources. Clones are the same.
///
/// ```
/// use mcp_protocol::Resource;
/// use mcp_server::{Changes, Server};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let changes = Changes::new();
/// let server = Server::builder("news", "1.0.0")
///     .fixed_resource(Resource::new("news://today", "today"), "nothing new")
///     .changes(&changes)
///     .build();
/// assert!(server.identity().capabilities.has_resource_subscriptions());
/// // Whenever it happens, from anywhere:
/// changes.resource_updated("news://today").await;
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Changes(Arc<Hub>);

#[derive(Default)]
struct Hub {
    listeners: Mutex<Vec<Weak<Listener>>>,
    sessions: Mutex<Vec<Session>>,
}

/// One change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change<'a> {
    Tools,
    Prompts,
    Resources,
    Updated(&'a str),
    /// Told to listening requests only.
    Task(&'a str),
}

impl Changes {
    /// The most resources that one session or one listening request may subscribe to.
    pub const MAX_SUBSCRIPTIONS: usize = 1024;
    /// How long a notification may wait for a session that does not take it; then it is dropped.
    pub const PATIENCE: Duration = Duration::from_secs(5);

    /// Nothing listens yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The list of tools is another one now.
    ///
    /// # Cancel safety
    /// Dropping the future may leave some sessions without the news.
    pub async fn tools_changed(&self) {
        self.tell(Change::Tools).await;
    }

    /// The list of prompts is another one now.
    ///
    /// # Cancel safety
    /// Dropping the future may leave some sessions without the news.
    pub async fn prompts_changed(&self) {
        self.tell(Change::Prompts).await;
    }

    /// The list of resources is another one now.
    ///
    /// # Cancel safety
    /// Dropping the future may leave some sessions without the news.
    pub async fn resources_changed(&self) {
        self.tell(Change::Resources).await;
    }

    /// A resource has other contents now.
    ///
    /// # Cancel safety
    /// Dropping the future may leave some sessions without the news.
    pub async fn resource_updated(&self, uri: &str) {
        self.tell(Change::Updated(uri)).await;
    }

    /// Ends all listening requests in good order: each is answered.
    pub fn close(&self) {
        for listener in self.live_listeners() {
            listener.close();
        }
    }

    pub(crate) async fn tell(&self, change: Change<'_>) {
        self.note(change);
        let sessions = self.live_sessions().into_iter();
        let concerned = |session: &Session| match change {
            Change::Updated(uri) => session.state::<Subscriptions>().has(uri),
            _ => true,
        };
        join_all(sessions.filter(concerned).map(|s| tell(s, change))).await;
    }

    /// Keeps the change for the requests that listen for it.
    pub(crate) fn note(&self, change: Change<'_>) {
        for listener in self.live_listeners() {
            listener.note(change);
        }
    }

    /// Listens from now on; what happens before it is asked is kept.
    pub(crate) fn listen(&self, listener: Listener) -> Arc<Listener> {
        let listener = Arc::new(listener);
        let mut listeners = lock(&self.0.listeners);
        listeners.retain(|listener| listener.strong_count() > 0);
        listeners.push(Arc::downgrade(&listener));
        listener
    }

    /// Tells this session of changes, from now on until it ends.
    pub(crate) fn tell_session(&self, session: &Session) {
        if session.state::<Subscriptions>().is_new() {
            let mut sessions = lock(&self.0.sessions);
            sessions.retain(|session| !session.ended().is_cancelled());
            sessions.push(session.clone());
        }
    }

    fn live_listeners(&self) -> Vec<Arc<Listener>> {
        lock(&self.0.listeners)
            .iter()
            .filter_map(Weak::upgrade)
            .collect()
    }

    fn live_sessions(&self) -> Vec<Session> {
        let mut sessions = lock(&self.0.sessions);
        sessions.retain(|session| !session.ended().is_cancelled());
        sessions.clone()
    }
}

async fn tell(session: Session, change: Change<'_>) {
    let notification = Notification::new(change.method(), change.params());
    let sending = session.channel().notify(notification);
    if !matches!(timeout(Changes::PATIENCE, sending).await, Ok(Ok(()))) {
        tracing::debug!(?session, "a session did not take the news of a change");
    }
}

impl Change<'_> {
    pub(crate) fn method(self) -> MethodName {
        match self {
            Self::Tools => ToolListChanged::METHOD,
            Self::Prompts => PromptListChanged::METHOD,
            Self::Resources => ResourceListChanged::METHOD,
            Self::Updated(_) => ResourceUpdated::METHOD,
            Self::Task(_) => TaskNotification::METHOD,
        }
    }

    fn params(self) -> Option<RawJson> {
        match self {
            Self::Updated(uri) => RawJson::encode(&ResourceUpdatedParams::new(uri)).ok(),
            _ => None,
        }
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes")
            .field("listeners", &lock(&self.0.listeners).len())
            .field("sessions", &lock(&self.0.sessions).len())
            .finish()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
