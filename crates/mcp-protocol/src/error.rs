//! Why client and server do not come together, and what was not sent because nothing allows it.

use mcp_jsonrpc::ErrorObject;

use crate::ProtocolVersion;

/// Something that was not sent because nothing allows it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotNegotiated {
    /// The revision in use has no such method.
    #[error("revision {version} has no {method}")]
    Revision {
        /// The method.
        method: String,
        /// The revision in use.
        version: ProtocolVersion,
    },
    /// The other side has not declared the capability.
    #[error("the {peer} does not offer {capability}, which {method} needs")]
    Capability {
        /// The method.
        method: String,
        /// `server` or `client`.
        peer: &'static str,
        /// The capability, as it is written in JSON.
        capability: &'static str,
    },
}

/// Why client and server could not agree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NegotiationError {
    /// No revision is spoken by both.
    #[error(
        "no common protocol version: we speak [{}], the server [{}]",
        list(.ours.iter().map(|version| version.as_str())),
        list(.theirs.iter().map(String::as_str))
    )]
    NoCommonVersion {
        /// Ours, of the lifecycle that was tried last.
        ours: Vec<ProtocolVersion>,
        /// The server's, as far as it named them.
        theirs: Vec<String>,
    },
    /// The server answered with an error.
    #[error("the server refused {method}")]
    Refused {
        /// The request.
        method: &'static str,
        /// What it answered.
        #[source]
        error: ErrorObject,
    },
    /// The server answered with an HTTP status that is no success.
    #[error("the server answered {method} with HTTP {status}")]
    Rejected {
        /// The request.
        method: &'static str,
        /// The status.
        status: u16,
        /// The error in the body, if it held one.
        #[source]
        error: Option<ErrorObject>,
    },
    /// The answer cannot be read.
    #[error("the server's answer to {method} cannot be read: {detail}")]
    Malformed {
        /// The request.
        method: &'static str,
        /// What is wrong with it.
        detail: String,
    },
    /// No answer came in time.
    #[error("the server did not answer {method} in time")]
    TimedOut {
        /// The request.
        method: &'static str,
    },
    /// The connection ended.
    #[error("the connection ended before the server answered {method}")]
    Ended {
        /// The request.
        method: &'static str,
    },
    /// The server cannot be reached.
    #[error("the server cannot be reached to send {method}")]
    Unreachable {
        /// The request.
        method: &'static str,
    },
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
