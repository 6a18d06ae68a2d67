//! All sessions of a server: their ids, how many there may be, when they end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tokio::time::Instant;

use super::session::Session;

/// Where there is no room for more sessions, one that nobody has used for so long makes room.
const IDLE_WHEN_FULL: Duration = Duration::from_secs(60);
/// How often room is looked for then.
const SWEEP_WHEN_FULL: Duration = Duration::from_secs(1);
/// How many random bytes an id has.
const ID_BYTES: usize = 24;

#[derive(Debug)]
pub(super) struct Sessions {
    limit: usize,
    idle: Duration,
    table: Mutex<Table>,
}

#[derive(Debug)]
struct Table {
    sessions: HashMap<String, Arc<Session>>,
    swept: Instant,
    closed: bool,
}

/// Why there is no new session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoSession {
    Full,
    /// The operating system gives no random numbers.
    NoRandomness,
}

impl Sessions {
    pub(super) fn new(limit: usize, idle: Duration) -> Self {
        Self {
            limit,
            idle,
            table: Mutex::new(Table {
                sessions: HashMap::new(),
                swept: Instant::now(),
                closed: false,
            }),
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id that nobody can guess, of visible ASCII.
    pub(super) fn new_id() -> Result<String, NoSession> {
        let mut bytes = [0; ID_BYTES];
        getrandom::fill(&mut bytes).map_err(|_| NoSession::NoRandomness)?;
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Keeps a session, if there is room once the unused ones are gone.
    pub(super) fn insert(&self, session: &Arc<Session>) -> Result<(), NoSession> {
        self.sweep();
        let mut table = self.table();
        if table.sessions.len() >= self.limit || table.closed {
            return Err(NoSession::Full);
        }
        table
            .sessions
            .insert(session.id.clone(), Arc::clone(session));
        Ok(())
    }

    /// The session with this id, if it was opened by the same principal.
    pub(super) fn get(&self, id: &str, principal: Option<&str>) -> Option<Arc<Session>> {
        let found = self.table().sessions.get(id).cloned()?;
        if found.principal.as_deref() != principal {
            tracing::warn!("a session was named by someone who did not open it");
            return None;
        }
        if Self::is_stale(&found, Instant::now(), self.idle) {
            self.remove(&found);
            return None;
        }
        Some(found)
    }

    /// Ends a session.
    pub(super) fn remove(&self, session: &Session) {
        let removed = self.table().sessions.remove(&session.id);
        if let Some(session) = removed {
            session.end();
        }
    }

    fn is_stale(session: &Session, now: Instant, idle: Duration) -> bool {
        session.over.is_cancelled()
            || now
                .checked_sub(idle)
                .is_some_and(|limit| session.is_unused_since(limit))
    }

    /// How often unused sessions are looked for.
    pub(super) fn sweep_period(&self) -> Duration {
        (self.idle / 4)
            .max(Duration::from_millis(100))
            .min(Duration::from_secs(60))
    }

    /// Ends the sessions that nobody has used for a while, but not at every call. The while is
    /// shorter where there is no room: sessions that are opened and left, whoever does that, must
    /// not keep all others out.
    pub(super) fn sweep(&self) {
        let now = Instant::now();
        let stale: Vec<Arc<Session>> = {
            let mut table = self.table();
            let full = table.sessions.len() >= self.limit;
            let (idle, period) = if full {
                (self.idle.min(IDLE_WHEN_FULL), SWEEP_WHEN_FULL)
            } else {
                (self.idle, self.sweep_period())
            };
            if now.duration_since(table.swept) < period.min(self.sweep_period()) {
                return;
            }
            table.swept = now;
            table
                .sessions
                .values()
                .for_each(|session| session.streams.prune());
            let stale = table
                .sessions
                .extract_if(|_, session| Self::is_stale(session, now, idle));
            stale.map(|(_, session)| session).collect()
        };
        for session in stale {
            session.end();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.table().sessions.len()
    }

    /// Ends all and lets none begin.
    pub(super) fn close(&self) {
        let sessions = {
            let mut table = self.table();
            table.closed = true;
            std::mem::take(&mut table.sessions)
        };
        for session in sessions.into_values() {
            session.end();
        }
    }
}

/// Sessions and their streams know each other; somebody has to let go.
impl Drop for Sessions {
    fn drop(&mut self) {
        self.close();
    }
}
