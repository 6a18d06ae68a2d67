//! Why a cassette cannot be used.

/// Why a cassette cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// A line is not what a cassette writes.
    #[error("line {line} is no recording")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// There is no recording of this call, or all have been played.
    #[error("there is no recording left of `{tool}` of `{server}` with these arguments")]
    NotRecorded {
        /// The server.
        server: String,
        /// The tool, by the server's name for it.
        tool: String,
    },
}
