//! What the layer says of a value that no header can have.

/// A value that no header can have. The value itself is not told: it may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value of the header `{name}` has characters that a header cannot have")]
#[non_exhaustive]
pub struct BadHeader {
    /// The header.
    pub name: http::HeaderName,
}
