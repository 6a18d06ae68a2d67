//! Every header of the transport and its rules: names, value encoding, what mirrors what.
//!
//! Source: basic/transports/streamable-http, 2026-07-28; basic/transports, 2025-03-26 and later.

mod mirror;
mod value;

use http::{HeaderMap, HeaderName, HeaderValue};
use mcp_transport::WithoutHeaders;

pub use mirror::{check_mirror, check_param_headers, write_mirror};
pub(crate) use mirror::{check_names, mismatch, name_in, required, write_name, write_params};
pub use value::{BadValue, decode_value, encode_value};

/// The revision that the sender speaks. Since 2025-06-18.
pub const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The session of the handshake revisions since 2025-03-26.
pub const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// The method of the message in the body. Since 2026-07-28.
pub const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// What the method is about: a tool, a prompt, a resource, a task. Since 2026-07-28.
pub const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// What names of headers that repeat an argument begin with. Since 2026-07-28.
pub const PARAM_PREFIX: &str = "mcp-param-";
/// Where to resume an event stream, up to 2025-11-25.
pub const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The type of a JSON body.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// The type of an event stream.
pub const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
/// What a POST accepts.
pub const ACCEPT_BOTH: HeaderValue =
    HeaderValue::from_static("application/json, text/event-stream");

/// Whether the protocol or HTTP itself owns this header, so that a caller's own headers cannot
/// replace it.
#[must_use]
pub fn is_protected(name: &HeaderName) -> bool {
    const OWNED: [HeaderName; 17] = [
        PROTOCOL_VERSION,
        SESSION_ID,
        METHOD,
        NAME,
        LAST_EVENT_ID,
        http::header::ACCEPT,
        http::header::CONTENT_TYPE,
        http::header::CONTENT_LENGTH,
        http::header::CONTENT_ENCODING,
        http::header::TRANSFER_ENCODING,
        http::header::TE,
        http::header::TRAILER,
        http::header::CONNECTION,
        http::header::UPGRADE,
        http::header::EXPECT,
        http::header::HOST,
        http::header::ORIGIN,
    ];
    OWNED.contains(name) || name.as_str().starts_with(PARAM_PREFIX)
}

/// Takes out the headers of the connection that a call is sent without, save for the protected
/// ones.
pub(crate) fn leave_out(from: &mut HeaderMap, without: Option<&WithoutHeaders>) {
    let names = without.into_iter().flat_map(|without| &without.0);
    for name in names.filter(|name| !is_protected(name)) {
        from.remove(name);
    }
}

/// Puts a caller's own headers over those of the connection, save for the protected ones.
pub(crate) fn merge(into: &mut HeaderMap, extra: Option<&HeaderMap>) {
    let Some(extra) = extra else { return };
    let (protected, free): (Vec<_>, Vec<_>) = extra.keys().partition(|name| is_protected(name));
    for name in protected {
        tracing::warn!(%name, "the transport sets this header itself");
    }
    for name in free {
        into.remove(name);
        for value in extra.get_all(name) {
            into.append(name.clone(), value.clone());
        }
    }
}

/// A session id that may stand in a header: not empty, only visible ASCII, at most 1 KiB.
#[must_use]
pub fn session_id(value: &HeaderValue) -> Option<&str> {
    let ok = |text: &&str| {
        !text.is_empty() && text.len() <= 1024 && text.bytes().all(|b| b.is_ascii_graphic())
    };
    value.to_str().ok().filter(ok)
}

/// The one value of a header; `Err` where it stands more than once.
pub(crate) fn single<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, Twice> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (first, None) => Ok(first),
        _ => Err(Twice),
    }
}

/// A header that may stand once stands twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Twice;

/// The type before the parameters, if it is the given one in any case.
pub(crate) fn has_media_type(headers: &HeaderMap, media_type: &str) -> bool {
    let Some(value) = headers.get(http::header::CONTENT_TYPE) else {
        return false;
    };
    // As nearly all write it.
    value == media_type
        || value
            .to_str()
            .ok()
            .and_then(|value| value.split(';').next())
            .is_some_and(|essence| essence.trim().eq_ignore_ascii_case(media_type))
}

/// Which of the two answer types the sender of these headers takes: JSON, event stream.
pub(crate) fn accepted(headers: &HeaderMap) -> (bool, bool) {
    let values = headers.get_all(http::header::ACCEPT);
    match values.iter().next() {
        None => return (true, true),
        // As nearly all write it; another value would take nothing away from it.
        Some(first) if *first == ACCEPT_BOTH => return (true, true),
        Some(_) => {}
    }
    let (mut json, mut events) = (false, false);
    for range in values
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(','))
    {
        let mut parts = range.split(';').map(str::trim);
        let essence = parts.next().unwrap_or_default();
        if parts.any(|p| matches!(p, "q=0" | "q=0.0" | "q=0.00" | "q=0.000")) {
            continue;
        }
        let is = |name: &str| essence.eq_ignore_ascii_case(name);
        json |= is("*/*") || is("application/*") || is("application/json");
        events |= is("*/*") || is("text/*") || is("text/event-stream");
    }
    (json, events)
}
