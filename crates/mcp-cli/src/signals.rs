//! Ctrl-C, and the request to terminate.

use crate::exit::Failure;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Watches for interrupts, as by Ctrl-C, and requests to terminate. From when it is made they end
/// nothing by themselves.
#[derive(Debug)]
pub(crate) struct Interrupts {
    #[cfg(unix)]
    signals: [Signal; 3],
}

impl Interrupts {
    /// Begins to watch.
    ///
    /// # Errors
    /// When the system does not let signals be watched.
    pub(crate) fn watch() -> Result<Self, Failure> {
        #[cfg(unix)]
        let watch = |kind| {
            signal(kind).map_err(|e| Failure::failed(format!("signals cannot be watched: {e}")))
        };
        Ok(Self {
            #[cfg(unix)]
            signals: [
                watch(SignalKind::interrupt())?,
                watch(SignalKind::terminate())?,
                watch(SignalKind::hangup())?,
            ],
        })
    }

    /// Waits for the next one.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }

    /// Waits for the next one.
    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
