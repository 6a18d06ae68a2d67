//! What an agent remembers of a run.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::settings::{Settings, SystemPrompt};
use super::table::Table;
use crate::Runtime;
use crate::stream::{Interest, RunEvent};

/// How long a list that has changed may take before the run goes on with the old one.
const RELIST: Duration = Duration::from_secs(5);

/// What an agent remembers of a run.
#[derive(Debug)]
pub(crate) struct Memo {
    table: Mutex<Arc<Table>>,
    /// What the toolsets said of their lists before the table was made.
    version: AtomicU64,
    /// What goes behind the system prompt.
    pub(crate) loaded: String,
    /// The system prompt, where it is the same in each round.
    pub(crate) system: Option<Arc<str>>,
    /// Whether the whole history was looked at since somebody changed it.
    pub(crate) repaired: AtomicBool,
    pub(crate) active: Active,
}

impl Memo {
    /// `version` is what the toolsets said before the table was made.
    pub(crate) fn new(
        (table, version): (Arc<Table>, u64),
        system: &SystemPrompt,
        loaded: String,
    ) -> Self {
        let fixed = match system {
            SystemPrompt::None if loaded.is_empty() => None,
            SystemPrompt::None => Some(loaded.as_str().into()),
            SystemPrompt::Text(text) if loaded.is_empty() => Some(Arc::clone(text)),
            SystemPrompt::Text(text) => Some(format!("{text}\n\n{loaded}").into()),
            SystemPrompt::OfState(_) => None,
        };
        Self {
            table: Mutex::new(table),
            version: AtomicU64::new(version),
            loaded,
            system: fixed,
            repaired: AtomicBool::new(false),
            active: Active::default(),
        }
    }

    /// The tools as they were listed last.
    pub(crate) fn table(&self) -> Arc<Table> {
        Arc::clone(&self.lock())
    }

    /// The tools as they are now: listed again where a toolset says that its list may be another
    /// one. If that cannot be done now, the run goes on with those that it has.
    ///
    /// # Cancel safety
    /// Dropping the future gives the listing up; the next round tries again.
    pub(crate) async fn latest(&self, settings: &Settings, runtime: &Runtime) -> Arc<Table> {
        let version = settings.list_version();
        let table = self.table();
        if version == self.version.load(Ordering::Relaxed) {
            return table;
        }
        let own = settings.own_tools();
        let listing = settings
            .last_table
            .list(&settings.sources, &own, Some(&table));
        let problem = match tokio::time::timeout(RELIST, listing).await {
            Ok(Ok((new, _))) => {
                self.version.store(version, Ordering::Relaxed);
                *self.lock() = Arc::clone(&new);
                return new;
            }
            Ok(Err(error)) => {
                // The next change may mend it; until then there is no use in trying.
                self.version.store(version, Ordering::Relaxed);
                error.to_string()
            }
            Err(_) => format!("no list within {RELIST:?}"),
        };
        runtime.emit(Interest::AGENT, || RunEvent::Warning {
            message: format!("the tools have changed and could not be listed: {problem}"),
        });
        table
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Table>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The servers that calls are running on, each as often as there are calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Active(Arc<Mutex<Vec<Arc<str>>>>);

impl Active {
    /// Counts a call until the guard is dropped.
    pub(crate) fn enter(&self, server: &Arc<str>) -> ActiveCall {
        self.lock().push(Arc::clone(server));
        ActiveCall {
            active: self.clone(),
            server: Arc::clone(server),
        }
    }

    /// Their names, in order, each once.
    pub(crate) fn servers(&self) -> Vec<Arc<str>> {
        let mut servers = self.lock().clone();
        servers.sort_unstable();
        servers.dedup();
        servers
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that is running.
pub(crate) struct ActiveCall {
    active: Active,
    server: Arc<str>,
}

impl Drop for ActiveCall {
    fn drop(&mut self) {
        let mut active = self.active.lock();
        if let Some(at) = active.iter().position(|server| *server == self.server) {
            active.swap_remove(at);
        }
    }
}
