//! The error codes that the protocol adds to those of JSON-RPC, and the data of such errors.
//!
//! Specification: basic protocol, Error Codes (2026-07-28); earlier revisions name theirs where
//! they are used.

use mcp_jsonrpc::{ErrorCode, ErrorObject};
use serde::{Deserialize, Serialize};

use crate::{ClientCapabilities, ElicitRequestURLParams, Extra, Feature, ProtocolVersion};

/// The user refused a sampling request. Until 2025-11-25.
pub const USER_REJECTED: ErrorCode = ErrorCode(-1);

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

/// Whether an error says that a resource does not exist, in a revision: by the code of that
/// revision, or by the earlier one, which old servers keep to.
#[must_use]
pub fn is_resource_not_found(version: ProtocolVersion, error: &ErrorObject) -> bool {
    error.code == RESOURCE_NOT_FOUND
        || error.code == ErrorCode::INVALID_PARAMS && !version.has(Feature::ResourceNotFoundCode)
}

/// The error of `resources/read` for a resource that does not exist, as the revision wants it.
///
/// Specification: Resources, Error Handling (all revisions).
#[must_use]
pub fn resource_not_found(version: ProtocolVersion, uri: &str) -> ErrorObject {
    #[derive(Serialize)]
    struct Data<'a> {
        uri: &'a str,
    }
    let code = if version.has(Feature::ResourceNotFoundCode) {
        RESOURCE_NOT_FOUND
    } else {
        ErrorCode::INVALID_PARAMS
    };
    object(code, "resource not found".to_owned(), &Data { uri })
}

/// An error of the protocol that has data of its own.
macro_rules! protocol_error {
    ($(#[$meta:meta])* $name:ident = $code:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[non_exhaustive]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
            /// Members that this crate does not know.
            #[serde(flatten)]
            pub extra: Extra,
        }

        impl $name {
            /// The code of the error.
            pub const CODE: ErrorCode = $code;

            /// The error with its data.
            #[must_use]
            pub fn new($($field: $type),*) -> Self {
                Self { $($field,)* extra: Extra::new() }
            }

            /// Reads the data of an error; `None` if it is another error, or its data do not fit.
            #[must_use]
            pub fn read(error: &ErrorObject) -> Option<Self> {
                let data = error.data.as_ref().filter(|_| error.code == Self::CODE)?;
                serde_json::from_str(data.get()).ok()
            }
        }

        impl From<$name> for ErrorObject {
            fn from(error: $name) -> Self {
                object($name::CODE, error.message(), &error)
            }
        }
    };
}

protocol_error! {
    /// The server does not speak the revision of a request, and says which ones it does.
    ///
    /// Specification: Versioning. Since 2026-07-28.
    ///
    /// ```
    /// use mcp_jsonrpc::ErrorObject;
    /// use mcp_protocol::UnsupportedProtocolVersionError;
    /// let error = UnsupportedProtocolVersionError::new(vec!["2026-07-28".into()], "1900-01-01".into());
    /// let object = ErrorObject::from(error.clone());
    /// assert_eq!(object.code.0, -32022);
    /// assert_eq!(UnsupportedProtocolVersionError::read(&object), Some(error));
    /// ```
    UnsupportedProtocolVersionError = UNSUPPORTED_PROTOCOL_VERSION {
        /// The revisions that the server speaks.
        supported: Vec<String>,
        /// The revision of the request.
        requested: String,
    }
}

impl UnsupportedProtocolVersionError {
    fn message(&self) -> String {
        format!("unsupported protocol version: {}", self.requested)
    }
}

protocol_error! {
    /// A request needs something of the client that it did not declare.
    ///
    /// Specification: Capability Negotiation. Since 2026-07-28.
    MissingRequiredClientCapabilityError = MISSING_CLIENT_CAPABILITY {
        /// What the client must declare.
        required_capabilities: ClientCapabilities,
    }
}

impl MissingRequiredClientCapabilityError {
    fn message(&self) -> String {
        let required = serde_json::to_value(&self.required_capabilities).unwrap_or_default();
        let names = required.as_object().into_iter().flat_map(|c| c.keys());
        let names: Vec<&str> = names.map(String::as_str).collect();
        format!("missing client capability: {}", names.join(", "))
    }
}

protocol_error! {
    /// The user must be sent to some URLs before a request is made again.
    ///
    /// Specification: Elicitation, URL Elicitation Required Error (2025-11-25 only).
    URLElicitationRequiredError = URL_ELICITATION_REQUIRED {
        /// Where to send the user, each with an `elicitationId`.
        elicitations: Vec<ElicitRequestURLParams>,
    }
}

impl URLElicitationRequiredError {
    fn message(&self) -> String {
        "the user must open a URL first".to_owned()
    }
}

/// A header of an HTTP request is missing, malformed or says something else than the body.
///
/// Specification: Streamable HTTP, Header Validation. Since 2026-07-28.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderMismatchError {
    /// Which header, and what is wrong with it.
    pub message: String,
}

impl HeaderMismatchError {
    /// The code of the error.
    pub const CODE: ErrorCode = HEADER_MISMATCH;

    /// An error that says what is wrong with which header.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl From<HeaderMismatchError> for ErrorObject {
    fn from(error: HeaderMismatchError) -> Self {
        Self::new(HeaderMismatchError::CODE, error.message)
    }
}

fn object<T: Serialize>(code: ErrorCode, message: String, data: &T) -> ErrorObject {
    let error = ErrorObject::new(code, message);
    // Strings and objects with string keys always encode.
    error.clone().with_data(data).unwrap_or(error)
}
