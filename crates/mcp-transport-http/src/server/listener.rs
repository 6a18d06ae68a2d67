//! A listening socket in front of a service.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::rt::Executor;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::HttpService;
use super::greeted::Greeted;
use super::until::until_cancelled;
use crate::alarm::Alarms;

/// How many connections there may be unless set. One more waits to be accepted.
const MAX_CONNECTIONS: usize = 4096;
/// How many requests one HTTP/2 connection may carry at once.
const MAX_STREAMS: u32 = 256;
/// How long the headers of a request may be together in HTTP/2.
const MAX_HEADER_LIST: u32 = 32 << 10;
/// How many requests of an HTTP/2 connection may be begun and taken back before they are looked
/// at. One more ends the connection.
const MAX_RESETS: usize = 32;
/// How many requests of an HTTP/2 connection may be reset because they break its rules. One more
/// ends the connection.
const MAX_ERRORS: usize = 128;
/// How long a client may take to say which HTTP it speaks, and to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How long requests may still take when the server is to end.
const GRACE: Duration = Duration::from_secs(10);

/// A server that listens on an address. Nothing is accepted before [`serve`](Self::serve).
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    max_connections: usize,
}

impl HttpServer {
    /// Listens. Port 0 picks a free port. Only a loopback address keeps other machines out.
    ///
    /// # Errors
    /// If the address cannot be listened on.
    ///
    /// # Cancel safety
    /// Dropping the future listens on nothing.
    pub async fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self {
            listener,
            address,
            max_connections: MAX_CONNECTIONS,
        })
    }

    /// How many connections there may be at once. Default 4,096; one more waits to be accepted.
    #[must_use]
    pub const fn max_connections(mut self, limit: usize) -> Self {
        self.max_connections = limit;
        self
    }

    /// The address that is listened on.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The URL of the endpoint at its default path, `/mcp`.
    #[must_use]
    pub fn local_url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Accepts connections until `shutdown` is cancelled. Then sessions end with their streams,
    /// requests that are being answered have 10 s to finish, and all connections are closed.
    ///
    /// # Cancel safety
    /// Dropping the future closes the socket and all connections.
    pub async fn serve(self, service: HttpService, shutdown: CancellationToken) {
        let connections = Connections::default();
        // Whatever way this future ends, no connection outlives it.
        let end = connections.end.clone().drop_guard();
        tokio::select! {
            () = self.accept(&service, &connections, &shutdown) => {}
            () = shutdown.cancelled() => {}
        }
        drop(self.listener);
        service.close();
        connections.tasks.close();
        let quiet = async {
            connections.tasks.wait().await;
            service.shared.tasks.wait().await;
        };
        if tokio::time::timeout(GRACE, quiet).await.is_err() {
            tracing::warn!("requests did not finish in time and are cut off");
        }
        drop(end);
        connections.tasks.wait().await;
    }

    /// Accepts connections for as long as it is polled.
    async fn accept(
        &self,
        service: &HttpService,
        connections: &Connections,
        shutdown: &CancellationToken,
    ) {
        let permits = Arc::new(Semaphore::new(self.max_connections));
        let mut sweep = tokio::time::interval(service.shared.sessions.sweep_period());
        sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let next = async {
                // The semaphore is never closed.
                let permit = Arc::clone(&permits).acquire_owned().await.ok();
                (permit, self.listener.accept().await)
            };
            let (permit, accepted) = tokio::select! {
                next = next => next,
                _ = sweep.tick() => {
                    service.shared.sessions.sweep();
                    continue;
                }
            };
            match accepted {
                Ok((stream, _)) => connections.start(stream, service.clone(), shutdown, permit),
                Err(e) if is_of_one_connection(&e) => {}
                Err(error) => {
                    // No file descriptors, as a rule: some have to be closed first.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

fn is_of_one_connection(e: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        e.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

/// The connections of a server: one task each, and for HTTP/2 one for each request.
#[derive(Clone, Default)]
struct Connections {
    tasks: TaskTracker,
    /// Cancelled when they are to end at once.
    end: CancellationToken,
}

impl Connections {
    fn start(
        &self,
        stream: TcpStream,
        service: HttpService,
        shutdown: &CancellationToken,
        permit: Option<OwnedSemaphorePermit>,
    ) {
        let (executor, shutdown) = (self.clone(), shutdown.clone());
        let serving = async move {
            let _permit = permit;
            if let Err(error) = serve_connection(stream, service, executor, shutdown).await {
                tracing::debug!(%error, "a connection failed");
            }
        };
        self.execute(serving);
    }
}

impl<F> Executor<F> for Connections
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, task: F) {
        let end = self.end.clone();
        self.tasks.spawn(async move {
            until_cancelled(&end, pin!(task)).await;
        });
    }
}

async fn serve_connection(
    stream: TcpStream,
    service: HttpService,
    executor: Connections,
    shutdown: CancellationToken,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    // Answers are written whole; waiting for more only costs time.
    stream.set_nodelay(true)?;
    let mut builder = auto::Builder::new(executor);
    // Unless set, a head may have 100 headers and 400 KiB; to set it costs an allocation each.
    builder
        .http1()
        .timer(Alarms::default())
        .header_read_timeout(HEAD_TIMEOUT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(30))
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEADER_LIST)
        .max_pending_accept_reset_streams(MAX_RESETS)
        .max_local_error_reset_streams(MAX_ERRORS);
    let stream = TokioIo::new(Greeted::new(stream, HEAD_TIMEOUT));
    let connection = builder.serve_connection(stream, service);
    let mut connection = pin!(connection);
    if let Some(done) = until_cancelled(&shutdown, connection.as_mut()).await {
        return done;
    }
    connection.as_mut().graceful_shutdown();
    connection.await
}
