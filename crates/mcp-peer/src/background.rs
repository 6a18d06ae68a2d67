//! Work that outlives the request it began in.

/// Runs work that belongs to no connection in a task of its own. Needs a Tokio runtime.
///
/// The layers above do not spawn by themselves. Whoever calls this bounds how much of it there
/// is, and how long it takes.
pub fn background(work: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(work);
}
