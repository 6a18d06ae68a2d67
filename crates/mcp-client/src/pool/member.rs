//! One server of a pool: its connection, opened once for all who ask at the same time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mcp_interceptors::Phase;
use mcp_protocol::lifecycle::{Negotiated, Preference};
use mcp_transport::{CallError, Delivery};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::error::PoolError;
use super::opening::{Opened, Opening};
use super::options::{ServerOptions, SessionPolicy};
use super::watched::Watched;
use crate::listen::Wanted;
use crate::{ClientOptions, Connect, ConnectError, Error, Session, backoff};

#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: Arc<str>,
    pub(super) options: ServerOptions,
    connect: Arc<dyn Connect>,
    client: ClientOptions,
    state: Mutex<State>,
    /// The resources to be told of, whichever session it is.
    wanted: Arc<Wanted>,
    permits: Semaphore,
    /// Cancelled when the pool is shut down.
    closed: CancellationToken,
}

#[derive(Debug, Default)]
struct State {
    live: Option<Session>,
    /// Weak: when nobody waits any more, the attempt is given up.
    opening: Weak<Opening>,
    failed: Option<Failed>,
    /// What the server was found to be.
    known: Option<Negotiated>,
    /// How many sessions have been opened for all.
    opened: u64,
    /// Of the list of tools, when there was a session last.
    tools_version: u64,
}

/// What a session is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// For all, and for long.
    Shared,
    /// For one who keeps it.
    Held,
    /// For one call.
    Once,
}

/// The last attempt to connect. It answers for the server until the next one is due.
#[derive(Debug)]
struct Failed {
    error: Arc<ConnectError>,
    until: Instant,
    times: u32,
}

impl Member {
    pub(super) fn new(
        name: Arc<str>,
        connect: Arc<dyn Connect>,
        options: ServerOptions,
        client: ClientOptions,
    ) -> Self {
        let mut client = client
            .with_server(Arc::clone(&name))
            .with_timeouts(options.timeouts);
        client.preference = options.preference;
        client.headers_in_meta.clone_from(&options.headers_in_meta);
        // A server that ignores the probe must still have time for the handshake.
        client.probe_timeout = client.probe_timeout.min(options.startup_timeout / 3);
        let permits = options.max_concurrent.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            name,
            options,
            connect,
            client,
            state: Mutex::default(),
            wanted: Arc::default(),
            permits: Semaphore::new(permits),
            closed: CancellationToken::new(),
        }
    }

    /// The session, opened now if there is none. All who wait share one attempt.
    ///
    /// # Cancel safety
    /// Dropping the future gives the attempt up if nobody else waits for it.
    pub(super) async fn session(self: &Arc<Self>) -> Result<Session, PoolError> {
        let opening = {
            let mut state = self.lock();
            if self.closed.is_cancelled() {
                return Err(PoolError::ShutDown);
            }
            if let Some(live) = &state.live {
                return Ok(live.clone());
            }
            match state.opening.upgrade() {
                Some(opening) => opening,
                None => self.start(&mut state)?,
            }
        };
        opening
            .wait()
            .await
            .map_err(|source| self.unavailable(source))
    }

    fn start(self: &Arc<Self>, state: &mut State) -> Result<Arc<Opening>, PoolError> {
        if let Some(failed) = state.failed.as_ref().filter(|f| Instant::now() < f.until) {
            return Err(self.unavailable(Arc::clone(&failed.error)));
        }
        let member = Arc::clone(self);
        let opening = Opening::start(async move { member.open_and_keep().await });
        let opening = Arc::new(opening);
        state.opening = Arc::downgrade(&opening);
        Ok(opening)
    }

    async fn open_and_keep(&self) -> Opened {
        let opened = self.opened(Use::Shared).await;
        self.keep(&opened);
        if self.closed.is_cancelled() {
            self.close().await;
        }
        opened
    }

    fn keep(&self, opened: &Opened) {
        let mut state = self.lock();
        state.opening = Weak::new();
        match opened {
            Ok(session) => {
                state.live = Some(session.clone());
                state.failed = None;
                state.opened += 1;
            }
            Err(error) => state.note_failure(error),
        }
    }

    /// Opens a session of its own, with all tries.
    ///
    /// # Cancel safety
    /// Dropping the future ends the connection.
    async fn opened(&self, usage: Use) -> Opened {
        tokio::select! {
            biased;
            () = self.closed.cancelled() => Err(Arc::new(shut_down())),
            opened = self.try_to_open(usage) => opened,
        }
    }

    /// Opens a session that its caller keeps.
    ///
    /// # Cancel safety
    /// Dropping the future ends the connection.
    pub(super) async fn open(&self) -> Result<Session, PoolError> {
        self.open_for(Use::Held).await
    }

    async fn open_for(&self, usage: Use) -> Result<Session, PoolError> {
        if self.closed.is_cancelled() {
            return Err(PoolError::ShutDown);
        }
        let opened = self.opened(usage).await;
        opened.map_err(|source| self.unavailable(source))
    }

    async fn try_to_open(&self, usage: Use) -> Opened {
        let attempts = self.options.attempts.max(1);
        let mut attempt = 1;
        loop {
            let error = match self.attempt(usage).await {
                Ok(session) => return Ok(session),
                Err(error) => error,
            };
            if error.is_permanent() || attempt >= attempts {
                return Err(Arc::new(error));
            }
            tracing::info!(
                server = &*self.name,
                attempt,
                error = error.chain(),
                "could not connect, trying again"
            );
            tokio::time::sleep(backoff::pause(attempt - 1)).await;
            attempt += 1;
        }
    }

    async fn attempt(&self, usage: Use) -> Result<Session, ConnectError> {
        let watched = Watched::new(Arc::clone(&self.connect), usage == Use::Once);
        let mut client = self.client.clone();
        client.listen &= usage != Use::Once;
        let wanted = match usage {
            Use::Shared => Arc::clone(&self.wanted),
            Use::Held | Use::Once => Arc::default(),
        };
        let known = self.lock().known.clone();
        let (handshake, stateless) = known
            .map(|known| match known.version.is_stateless() {
                true => (None, Some(known)),
                false => (Some(Preference::Handshake), None),
            })
            .unwrap_or_default();
        if let (Preference::Auto, Some(known)) = (client.preference, handshake) {
            client.preference = known;
        }
        let opening = async {
            match stateless.filter(|_| usage == Use::Once) {
                // What is one request is not worth another one.
                Some(known) => Session::resume(&watched, client, known).await,
                None => Session::connect_wanting(&watched, client, wanted).await,
            }
        };
        let limit = self.options.startup_timeout;
        let opened = match tokio::time::timeout(limit, opening).await {
            Ok(opened) => opened,
            Err(_) => Err(watched.timed_out(limit)),
        };
        self.lock().known = opened.as_ref().ok().map(|s| s.negotiated().clone());
        opened
    }

    /// Does something with the session, on a fresh one where the connection turns out to be
    /// over: if what was to be done provably was not, or if it may be done twice.
    ///
    /// # Cancel safety
    /// Dropping the future drops what `work` has begun.
    pub(super) async fn with_session<T, F>(
        self: &Arc<Self>,
        repeatable: bool,
        work: impl Fn(Session) -> F + Send,
    ) -> Result<T, PoolError>
    where
        F: Future<Output = Result<T, Error>> + Send,
    {
        let _permit = self.permits.acquire().await;
        let mut tried = false;
        loop {
            let session = self.begin().await?;
            let outcome = work(session.clone()).await;
            if self.options.policy == SessionPolicy::PerCall {
                session.close().await;
            }
            let error = match outcome {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let (lost, outdated) = (session.is_lost(&error), session.is_outdated(&error));
            if lost || outdated {
                self.discard(&session);
            }
            if outdated {
                self.lock().known = None;
            }
            let not_sent = outdated || error.delivery() == Delivery::NotSent;
            let again = (lost || outdated) && (repeatable || not_sent);
            if tried || !again {
                return Err(self.failed(&session, error));
            }
            tried = true;
        }
    }

    async fn begin(self: &Arc<Self>) -> Result<Session, PoolError> {
        match self.options.policy {
            SessionPolicy::Pooled => self.session().await,
            // Boxed, so that calls of a kept session are not as large.
            SessionPolicy::PerCall => Box::pin(self.open_for(Use::Once)).await,
        }
    }

    /// Forgets a session that is over, unless it has been replaced already.
    pub(super) fn discard(&self, session: &Session) {
        let mut state = self.lock();
        if state
            .live
            .as_ref()
            .is_some_and(|live| live.is_same(session))
        {
            state.live = None;
        }
    }

    pub(super) fn failed(&self, session: &Session, error: Error) -> PoolError {
        let ended = matches!(error.on_the_way(), Some(CallError::Closed { .. }));
        let unknown = error.delivery() == Delivery::Unknown;
        let (server, source) = (Arc::clone(&self.name), Box::new(error));
        let stderr = if ended { session.stderr() } else { None };
        if ended && unknown {
            PoolError::OutcomeUnknown {
                server,
                source,
                stderr,
            }
        } else {
            PoolError::Call {
                server,
                source,
                stderr,
            }
        }
    }

    fn unavailable(&self, source: Arc<ConnectError>) -> PoolError {
        PoolError::Connect {
            server: Arc::clone(&self.name),
            source,
        }
    }

    /// The session, if one is open.
    pub(super) fn live(&self) -> Option<Session> {
        self.lock().live.clone()
    }

    /// Is another number when the list of tools may have become another one. A session that is
    /// over says nothing; the next one does.
    pub(super) fn tools_version(&self) -> u64 {
        let mut state = self.lock();
        if let Some(version) = state.live.as_ref().map(Session::tools_version) {
            state.tools_version = version.wrapping_add(state.opened << 32);
        }
        state.tools_version
    }

    /// The session, if one is open and none of its calls is in flight.
    pub(super) fn idle_session(&self) -> Option<Session> {
        let idle = self.permits.available_permits() >= self.options.max_concurrent.max(1);
        self.live().filter(|_| idle)
    }

    /// Opens no more, and ends what is open.
    ///
    /// # Cancel safety
    /// Dropping the future ends the connection without waiting for it.
    pub(super) async fn close(&self) {
        self.closed.cancel();
        let live = self.lock().live.take();
        if let Some(session) = live {
            session.close().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn note_failure(&mut self, error: &Arc<ConnectError>) {
        let times = self.failed.as_ref().map_or(0, |failed| failed.times);
        self.failed = Some(Failed {
            error: Arc::clone(error),
            until: Instant::now() + backoff::pause(times),
            times: times.saturating_add(1),
        });
    }
}

fn shut_down() -> ConnectError {
    ConnectError::new(Phase::Connect, "the servers have been shut down").with_permanent(true)
}
