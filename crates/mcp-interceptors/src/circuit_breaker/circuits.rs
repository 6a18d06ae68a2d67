//! The servers that fail.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The servers that fail. A server that does not is not in here.
#[derive(Debug)]
pub(super) struct Circuits {
    failures: u32,
    pause: Duration,
    servers: Mutex<HashMap<Arc<str>, Circuit>>,
}

#[derive(Clone, Copy, Debug)]
enum Circuit {
    /// It has failed so many times in a row, and is still asked.
    Closed(u32),
    /// It is not asked before this.
    Open(Instant),
    /// One call finds out whether it is back.
    Trying,
}

impl Circuits {
    pub(super) fn new(failures: u32, pause: Duration) -> Self {
        Self {
            failures: failures.max(1),
            pause,
            servers: Mutex::default(),
        }
    }

    /// Begins a call. `Err` says after how long the server will be asked again.
    pub(super) fn enter(this: &Arc<Self>, server: &Arc<str>) -> Result<Attempt, Duration> {
        let mut servers = this.lock();
        let is_trial = match servers.get_mut(server) {
            None | Some(Circuit::Closed(_)) => false,
            Some(Circuit::Trying) => return Err(Duration::ZERO),
            Some(Circuit::Open(until)) => {
                let left = until.saturating_duration_since(Instant::now());
                if !left.is_zero() {
                    return Err(left);
                }
                servers.insert(Arc::clone(server), Circuit::Trying);
                true
            }
        };
        drop(servers);
        Ok(Attempt {
            circuits: Arc::clone(this),
            server: Arc::clone(server),
            is_trial,
            open: true,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Circuit>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, server: &Arc<str>, failed: bool, is_trial: bool) {
        let mut servers = self.lock();
        let known = servers.get(server).copied();
        // A call that began before the circuit opened does not decide over it.
        if matches!(known, Some(Circuit::Open(_) | Circuit::Trying)) && !is_trial {
            return;
        }
        if !failed {
            servers.remove(server);
            return;
        }
        let times = match known {
            Some(Circuit::Closed(times)) => times.saturating_add(1),
            Some(Circuit::Open(_) | Circuit::Trying) => self.failures,
            None => 1,
        };
        let circuit = if times >= self.failures {
            tracing::warn!(server = &**server, "the server keeps failing");
            Circuit::Open(Instant::now() + self.pause)
        } else {
            Circuit::Closed(times)
        };
        servers.insert(Arc::clone(server), circuit);
    }
}

/// A call that is under way.
#[derive(Debug)]
pub(super) struct Attempt {
    circuits: Arc<Circuits>,
    server: Arc<str>,
    is_trial: bool,
    open: bool,
}

impl Attempt {
    pub(super) fn ended(mut self, failed: bool) {
        self.open = false;
        self.circuits.note(&self.server, failed, self.is_trial);
    }
}

impl Drop for Attempt {
    /// A trial that found out nothing: the next call is one.
    fn drop(&mut self) {
        if self.open && self.is_trial {
            let now = Circuit::Open(Instant::now());
            self.circuits.lock().insert(Arc::clone(&self.server), now);
        }
    }
}
