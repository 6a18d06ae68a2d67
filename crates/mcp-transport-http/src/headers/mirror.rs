//! What of the body stands in headers too, since 2026-07-28: written by clients, checked by
//! servers. The body is what counts.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, HeaderValue};
use mcp_jsonrpc::{ErrorObject, RawJson, pick};
use mcp_protocol::ParamHeader;
use mcp_protocol::error_code::HEADER_MISMATCH;
use mcp_transport::Mirror;
use serde_json::Value;

use super::{METHOD, NAME, PARAM_PREFIX, PROTOCOL_VERSION, decode_value, encode_value, single};

/// Writes what a request repeats in headers. Nothing for a request of the handshake era.
pub fn write_mirror(headers: &mut HeaderMap, method: &str, mirror: &Mirror) {
    let Some(version) = mirror.version else {
        return;
    };
    headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(version));
    headers.insert(METHOD, encode_value(method));
    write_name(headers, mirror);
    write_params(headers, mirror);
}

/// Writes the name of what a request is about, where it has one.
pub(crate) fn write_name(headers: &mut HeaderMap, mirror: &Mirror) {
    if let Some(name) = mirror.name.as_ref().filter(|_| mirror.version.is_some()) {
        headers.insert(NAME, encode_value(name));
    }
}

/// Writes the arguments of a request that are repeated in headers.
pub(crate) fn write_params(headers: &mut HeaderMap, mirror: &Mirror) {
    if mirror.version.is_none() {
        return;
    }
    for (param, value) in &mirror.params {
        match HeaderName::try_from(format!("{PARAM_PREFIX}{param}")) {
            Ok(name) => {
                headers.insert(name, encode_value(value));
            }
            Err(_) => tracing::warn!(param, "no header can have this name, it is left out"),
        }
    }
}

/// Checks that `Mcp-Method`, and `Mcp-Name` where the method has one, say what the body says.
///
/// # Errors
/// [`HEADER_MISMATCH`] where a header is missing, stands twice or differs.
pub fn check_mirror(
    headers: &HeaderMap,
    method: &str,
    params: Option<&RawJson>,
) -> Result<(), ErrorObject> {
    check_names(headers, method, name_in(method, params).as_deref())
}

/// As [`check_mirror`], where the name in the params is known.
pub(crate) fn check_names(
    headers: &HeaderMap,
    method: &str,
    name: Option<&str>,
) -> Result<(), ErrorObject> {
    expect(headers, &METHOD, method)?;
    // Params that lack the member are the handler's to refuse, with its own words.
    name.map_or(Ok(()), |name| expect(headers, &NAME, name))
}

/// What the params of this method name, where it has a name.
pub(crate) fn name_in<'a>(method: &str, params: Option<&'a RawJson>) -> Option<Cow<'a, str>> {
    let [value] = pick(params?.as_bytes(), [name_member(method)?])?;
    text(value?)
}

/// The text of a JSON string.
fn text(json: &str) -> Option<Cow<'_, str>> {
    if json.contains('\\') {
        return serde_json::from_str(json).ok().map(Cow::Owned);
    }
    let text = json.strip_prefix('"')?.strip_suffix('"')?;
    Some(Cow::Borrowed(text))
}

/// Checks the headers that repeat marked arguments of a `tools/call`.
///
/// # Errors
/// [`HEADER_MISMATCH`] where an argument has no header, a header no argument, or they differ.
pub fn check_param_headers(
    headers: &HeaderMap,
    marked: &[ParamHeader],
    arguments: &Value,
) -> Result<(), ErrorObject> {
    for param in marked {
        let Ok(name) = HeaderName::try_from(format!("{PARAM_PREFIX}{}", param.name)) else {
            continue;
        };
        match param.argument(arguments) {
            None if headers.contains_key(&name) => {
                return Err(mismatch(format!(
                    "{name} stands for an argument that is absent"
                )));
            }
            None => {}
            Some(value) => expect_argument(headers, &name, value)?,
        }
    }
    Ok(())
}

pub(crate) fn mismatch(message: String) -> ErrorObject {
    ErrorObject::new(HEADER_MISMATCH, message)
}

/// The decoded value of a header that must be there, once.
pub(crate) fn required<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Cow<'a, str>, ErrorObject> {
    let value = single(headers, name)
        .map_err(|_| mismatch(format!("header {name} stands twice")))?
        .ok_or_else(|| mismatch(format!("header {name} is missing")))?;
    decode_value(value).map_err(|_| mismatch(format!("the value of header {name} is malformed")))
}

fn expect(headers: &HeaderMap, name: &HeaderName, body: &str) -> Result<(), ErrorObject> {
    // Compare what a header can carry: it loses whitespace around a value that was sent bare.
    if required(headers, name)? == body {
        Ok(())
    } else {
        Err(mismatch(format!("header {name} differs from the body")))
    }
}

fn expect_argument(
    headers: &HeaderMap,
    name: &HeaderName,
    argument: &Value,
) -> Result<(), ErrorObject> {
    let text = required(headers, name)?;
    let same = match argument {
        Value::String(s) => text == s.as_str(),
        Value::Bool(b) => text == if *b { "true" } else { "false" },
        Value::Number(n) => same_number(&text, n),
        // Not a type that can be marked; the handler refuses the argument.
        Value::Null | Value::Array(_) | Value::Object(_) => return Ok(()),
    };
    if same {
        Ok(())
    } else {
        Err(mismatch(format!("header {name} differs from the body")))
    }
}

/// `42` and `42.0` are one number.
fn same_number(text: &str, number: &serde_json::Number) -> bool {
    if text == number.to_string() {
        return true;
    }
    let plain = |t: &str| {
        t.bytes()
            .all(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
    };
    match (text.parse::<f64>(), number.as_f64()) {
        // Up to 2^53 a float tells integers apart; marked integers go no further.
        (Ok(header), Some(body)) => {
            plain(text) && header.total_cmp(&body).is_eq() && body.abs() <= 9_007_199_254_740_992.0
        }
        _ => false,
    }
}

/// Which member of the params `Mcp-Name` repeats.
fn name_member(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}
