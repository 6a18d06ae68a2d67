//! Why a tool is not called.

/// Why a tool is not listed, and not called. It is the source of the
/// [`CallError`](crate::CallError).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PinError {
    /// Its definition is another one than the one that was accepted.
    #[error("the definition of the tool `{tool}` of `{server}` has changed, accept it to use it")]
    Changed {
        /// The server.
        server: String,
        /// The tool, by the server's name for it.
        tool: String,
    },
    /// There are too many tools to remember.
    #[error("the tool `{tool}` of `{server}` is one too many, {limit} tools are pinned")]
    TooMany {
        /// The server.
        server: String,
        /// The tool, by the server's name for it.
        tool: String,
        /// How many are remembered.
        limit: usize,
    },
}
