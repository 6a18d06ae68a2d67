//! Child processes as a way to connect a client.

use std::fmt;
use std::sync::Arc;

use mcp_client::{Connect, ConnectError, Link, StderrTail};
use mcp_interceptors::Phase;
use mcp_peer::PeerOptions;
use mcp_protocol::RequestContext;
use mcp_protocol::lifecycle::Wire;
use mcp_transport::{BoxFuture, Handler};
use mcp_transport_stdio::{ChildBuilder, ChildProcess, SpawnError};

/// Starts a server as a child process, a new one for each connection.
#[derive(Clone)]
pub struct StdioConnect {
    child: ChildBuilder,
    options: PeerOptions,
    started: Option<Arc<dyn Fn(&ChildProcess) + Send + Sync>>,
}

impl StdioConnect {
    /// How many of the last lines of stderr come with a failure.
    const LINES: usize = 20;

    /// Connections to processes of this builder.
    #[must_use]
    pub fn new(child: ChildBuilder) -> Self {
        Self {
            child,
            options: PeerOptions::default(),
            started: None,
        }
    }

    /// The same with other bounds of a connection.
    #[must_use]
    pub fn with_options(mut self, options: PeerOptions) -> Self {
        self.options = options;
        self
    }

    /// The same, which shows each process that it starts to `started`, from the task that
    /// connects.
    #[must_use]
    pub fn on_start(mut self, started: impl Fn(&ChildProcess) + Send + Sync + 'static) -> Self {
        self.started = Some(Arc::new(started));
        self
    }

    fn start(&self, handler: Arc<dyn Handler<RequestContext>>) -> Result<Link, ConnectError> {
        let child = self.child.spawn().map_err(|e| {
            // What the operating system refuses now, as for want of memory, it may grant later.
            let permanent = !matches!(e, SpawnError::Io { .. });
            ConnectError::new(Phase::Spawn, "the server could not be started")
                .with_permanent(permanent)
                .with_source(e)
        })?;
        let process = child.process;
        if let Some(started) = &self.started {
            started(&process);
        }
        let peer = mcp_peer::client(child.reader, child.writer, handler, self.options.clone());
        let tail = StderrTail::new(move || last_lines(&process));
        let link = Link::new(Arc::new(peer), Wire::Stream).with_stderr(tail);
        Ok(match self.child.startup_hint() {
            Some(hint) => link.with_hint(hint),
            None => link,
        })
    }
}

impl Connect for StdioConnect {
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        Box::pin(async move { self.start(handler) })
    }
}

impl fmt::Debug for StdioConnect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StdioConnect")
            .field("child", &self.child)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

fn last_lines(process: &ChildProcess) -> String {
    let tail = process.stderr_tail();
    let text = tail.trim_end();
    let mut ends = text.rmatch_indices('\n').map(|(at, _)| at + 1);
    let from = ends.nth(StdioConnect::LINES - 1).unwrap_or_default();
    text.get(from..).unwrap_or_default().to_owned()
}
