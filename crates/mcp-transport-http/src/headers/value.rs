//! How text becomes a header value and comes back, since 2026-07-28.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;

const OPEN: &str = "=?base64?";
const CLOSE: &str = "?=";

/// A value in Base64 markers that does not decode to text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value has Base64 markers but does not decode to text")]
#[non_exhaustive]
pub struct BadValue;

/// Text as a header value: as it is where a header can carry it unchanged, else in Base64
/// between markers.
///
/// ```
/// use mcp_transport_http::headers::encode_value;
/// assert_eq!(encode_value("us west 1"), "us west 1");
/// assert_eq!(encode_value("日本語"), "=?base64?5pel5pys6Kqe?=");
/// ```
#[must_use]
pub fn encode_value(text: &str) -> HeaderValue {
    if is_plain(text)
        && let Ok(value) = HeaderValue::from_str(text)
    {
        return value;
    }
    let encoded = format!("{OPEN}{}{CLOSE}", STANDARD.encode(text));
    // Base64 and the markers are visible ASCII.
    HeaderValue::try_from(encoded).unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// The text of a header value.
///
/// # Errors
/// If the markers are there and what they enclose is not Base64, or not of UTF-8 text.
pub fn decode_value(value: &HeaderValue) -> Result<Cow<'_, str>, BadValue> {
    let text = value.to_str().map_err(|_| BadValue)?;
    // Whitespace around a value is no part of it (RFC 9110, section 5.5).
    let text = match text.as_bytes() {
        [b' ' | b'\t', ..] | [.., b' ' | b'\t'] => text.trim_matches([' ', '\t']),
        _ => text,
    };
    let Some(encoded) = text
        .strip_prefix(OPEN)
        .and_then(|rest| rest.strip_suffix(CLOSE))
    else {
        return Ok(Cow::Borrowed(text));
    };
    let bytes = STANDARD.decode(encoded).map_err(|_| BadValue)?;
    String::from_utf8(bytes)
        .map(Cow::Owned)
        .map_err(|_| BadValue)
}

fn is_plain(text: &str) -> bool {
    let looks_encoded = text.starts_with(OPEN) && text.ends_with(CLOSE);
    text.bytes().all(|b| (0x20..=0x7E).contains(&b))
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && !looks_encoded
}
