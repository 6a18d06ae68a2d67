//! Ctrl-C, and the request to terminate.

use std::io;

/// Waits for an interrupt, as by Ctrl-C, or a request to terminate.
///
/// # Errors
/// When the system does not let signals be watched.
pub(crate) async fn interrupt() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hangup = signal(SignalKind::hangup())?;
        tokio::select! {
            result = tokio::signal::ctrl_c() => result,
            _ = terminate.recv() => Ok(()),
            _ = hangup.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    {
        tokio::signal::ctrl_c().await
    }
}
