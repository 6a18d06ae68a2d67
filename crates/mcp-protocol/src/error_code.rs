//! The error codes that the protocol adds to those of JSON-RPC.
//!
//! Specification: basic protocol, Error Codes (2026-07-28); earlier revisions name theirs where
//! they are used.

use mcp_jsonrpc::ErrorCode;

/// The resource does not exist. Until 2025-11-25; later that is
/// [`ErrorCode::INVALID_PARAMS`], and clients still accept this one.
pub const RESOURCE_NOT_FOUND: ErrorCode = ErrorCode(-32002);

/// The user has to open a URL before the call is made again. 2025-11-25 only.
pub const URL_ELICITATION_REQUIRED: ErrorCode = ErrorCode(-32042);

/// A header of the HTTP request is missing or says something else than the body.
/// Since 2026-07-28.
pub const HEADER_MISMATCH: ErrorCode = ErrorCode(-32020);

/// The request needs a capability that the client has not declared in it. `data` holds
/// `requiredCapabilities`. Since 2026-07-28.
pub const MISSING_CLIENT_CAPABILITY: ErrorCode = ErrorCode(-32021);

/// The server does not speak the revision that the request names. `data` holds `supported` and
/// `requested`. Since 2026-07-28.
pub const UNSUPPORTED_PROTOCOL_VERSION: ErrorCode = ErrorCode(-32022);

/// Whether only a server without handshake sends this error: whoever does has read `_meta`.
#[must_use]
pub fn is_stateless_only(code: ErrorCode) -> bool {
    matches!(
        code,
        HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY | UNSUPPORTED_PROTOCOL_VERSION
    )
}
