//! What is to be seen of a server from outside: how often it was started, and by which process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcp::StdioConnect;
use mcp::client::{Connect, ConnectError, Link};
use mcp::protocol::RequestContext;
use mcp::stdio::ChildProcess;
use mcp::transport::{BoxFuture, Handler};

/// What was seen of a server's connections so far.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Whether it is a child process.
    is_child: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How many connections there were.
    connections: usize,
    /// How long the last one took to be opened.
    opening: Option<Duration>,
    /// Its processes, the last one last.
    processes: Vec<ChildProcess>,
}

impl Seen {
    /// Nothing yet of a server over HTTP.
    pub(crate) fn http() -> Self {
        Self {
            is_child: false,
            state: Mutex::default(),
        }
    }

    /// Whether the server is a child process.
    pub(crate) const fn is_child(&self) -> bool {
        self.is_child
    }

    /// How many connections there were.
    pub(crate) fn connections(&self) -> usize {
        self.state().connections
    }

    /// How long the last connection took to be opened.
    pub(crate) fn opening(&self) -> Option<Duration> {
        self.state().opening
    }

    /// The process of the last connection.
    pub(crate) fn process(&self) -> Option<ChildProcess> {
        self.state().processes.last().cloned()
    }

    /// All its processes so far.
    pub(super) fn processes(&self) -> Vec<ChildProcess> {
        self.state().processes.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server's name, and a way to connect to it that notes what is to be seen.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pub(super) name: Arc<str>,
    pub(super) seen: Arc<Seen>,
    connect: Arc<dyn Connect>,
}

impl Watched {
    /// A server that is no process of ours.
    pub(super) fn new(name: &str, connect: Arc<dyn Connect>, seen: Arc<Seen>) -> Self {
        Self {
            name: name.into(),
            seen,
            connect,
        }
    }

    /// A server that is a child process.
    pub(super) fn child(name: &str, connect: StdioConnect) -> Self {
        let seen = Arc::new(Seen {
            is_child: true,
            state: Mutex::default(),
        });
        let connect = connect.on_start({
            let seen = Arc::clone(&seen);
            move |process| seen.state().processes.push(process.clone())
        });
        Self::new(name, Arc::new(connect), seen)
    }
}

impl Watched {
    /// Notes how long a connection took to be opened.
    async fn note(
        &self,
        opening: BoxFuture<'_, Result<Link, ConnectError>>,
    ) -> Result<Link, ConnectError> {
        let begun = Instant::now();
        let link = opening.await?;
        let mut state = self.seen.state();
        state.opening = Some(begun.elapsed());
        state.connections += 1;
        Ok(link)
    }
}

impl Connect for Watched {
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        Box::pin(self.note(self.connect.connect(handler)))
    }

    fn connect_once(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        Box::pin(self.note(self.connect.connect_once(handler)))
    }
}
