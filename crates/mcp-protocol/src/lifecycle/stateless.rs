//! Requests that stand alone: each carries its revision, capabilities and identity, and nothing
//! is kept from one to the next.
//!
//! Specification: basic/index and basic/versioning, revision 2026-07-28.

use std::cell::RefCell;

use mcp_jsonrpc::{ErrorObject, MethodName, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::gate;
use super::identity::ServerIdentity;
use super::latest::LatestClient;
use super::peek::{self, Meta};
use crate::discover::DiscoverResult;
use crate::error_code::UNSUPPORTED_PROTOCOL_VERSION;
use crate::{LoggingLevel, ProgressToken, ProtocolVersion, RequestContext, Stamp};

/// How a server has to treat a request.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "there are two lifecycles")]
pub enum Admission {
    /// By itself, with the context that it carries.
    Stateless(RequestContext),
    /// Under what a handshake has agreed on: it carries no revision of its own, or the server
    /// speaks none that is carried. With its token for progress.
    Handshake(Option<ProgressToken>),
}

thread_local! {
    /// For requests without a connection. It only saves work: the same text comes to the same.
    static LATEST: RefCell<LatestClient> = RefCell::default();
}

/// Judges a request by what it carries.
///
/// # Errors
/// The error to send: `_meta` is incomplete or malformed (`-32602`), the revision that it names
/// is not spoken without a handshake (`-32022`), or that revision has no such method (`-32601`).
pub fn admit(request: &Request, identity: &ServerIdentity) -> Result<Admission, ErrorObject> {
    LATEST.with_borrow_mut(|client| admit_of(request, identity, client))
}

/// As [`admit`], for the requests of one connection.
pub(super) fn admit_of(
    request: &Request,
    identity: &ServerIdentity,
    client: &mut LatestClient,
) -> Result<Admission, ErrorObject> {
    let Some(text) = peek::text(request.params.as_ref()) else {
        return Ok(Admission::Handshake(None));
    };
    if let Some(admission) = client.recall(text, identity) {
        return for_method(admission, &request.method);
    }
    let meta = Meta::read(text).unwrap_or_default();
    let admission = read(&meta, identity, client)?;
    client.remember(text, &meta, identity, &admission);
    for_method(admission, &request.method)
}

fn read(
    meta: &Meta<'_>,
    identity: &ServerIdentity,
    client: &mut LatestClient,
) -> Result<Admission, ErrorObject> {
    let progress_token = meta.progress_token();
    // To a server of handshakes alone, what a newer client carries means nothing. Above all it must
    // not answer as only a server without handshake does, or the client would not offer it one.
    let stands_alone = identity.versions.iter().any(|v| v.is_stateless());
    let Some(version) = meta.version.filter(|_| stands_alone) else {
        return Ok(Admission::Handshake(progress_token));
    };
    let version = spoken(version, identity)?;
    let Some(capabilities) = meta.capabilities else {
        return Err(missing("clientCapabilities"));
    };
    let capabilities = client
        .capabilities
        .read(capabilities, "clientCapabilities")?;
    let mut context = RequestContext::new(version).with_client_capabilities(capabilities);
    if let Some(info) = meta.info {
        context = context.with_client_info(client.info.read(info, "clientInfo")?);
    }
    if let Some(level) = meta.log_level {
        context.log_level = Some(log_level(level)?);
    }
    context.progress_token = progress_token;
    Ok(Admission::Stateless(context))
}

fn for_method(admission: Admission, method: &MethodName) -> Result<Admission, ErrorObject> {
    match &admission {
        Admission::Stateless(context) if !gate::exists(method, context.version) => {
            Err(ErrorObject::method_not_found(method))
        }
        _ => Ok(admission),
    }
}

/// The revision that a request names, if it is one that the server speaks without a handshake.
fn spoken(text: &str, identity: &ServerIdentity) -> Result<ProtocolVersion, ErrorObject> {
    let stands_alone = |name: &str| {
        ProtocolVersion::parse(name).filter(|v| v.is_stateless() && identity.speaks(*v))
    };
    // Without the quotation marks it is the name, unless it was written in an unusual way.
    if let Some(version) = stands_alone(text.trim_matches('"')) {
        return Ok(version);
    }
    let name: String = decode(text, "protocolVersion")?;
    stands_alone(&name).ok_or_else(|| unsupported_version(&name, identity))
}

/// The answer to `server/discover`.
#[must_use]
pub fn discover(identity: &ServerIdentity) -> DiscoverResult {
    let capabilities = identity.capabilities_in(ProtocolVersion::LATEST);
    let mut result = DiscoverResult::new(identity.version_names(), capabilities);
    result.instructions.clone_from(&identity.instructions);
    // An implementation is strings, lists and maps: it always encodes.
    let info = serde_json::to_value(&identity.info).ok();
    result.stamp(ProtocolVersion::LATEST, info.as_ref());
    result
}

/// The answer to a request that names a revision which the server does not speak that way: it
/// lists those that [`discover`] lists.
#[must_use]
pub fn unsupported_version(requested: &str, identity: &ServerIdentity) -> ErrorObject {
    #[derive(Serialize)]
    struct Data<'a> {
        supported: Vec<String>,
        requested: &'a str,
    }
    let error = ErrorObject::new(
        UNSUPPORTED_PROTOCOL_VERSION,
        format!("unsupported protocol version: {requested}"),
    );
    let data = Data {
        supported: identity.version_names(),
        requested,
    };
    // Strings always encode.
    error.clone().with_data(&data).unwrap_or(error)
}

/// The answer to a request that lacks a required member of `_meta`: without a handshake every
/// request needs them.
#[must_use]
pub fn missing(member: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!(
        "params._meta lacks io.modelcontextprotocol/{member}"
    ))
}

fn log_level(value: &str) -> Result<LoggingLevel, ErrorObject> {
    let level: LoggingLevel = decode(value, "logLevel")?;
    match level.severity() {
        Some(_) => Ok(level),
        None => Err(ErrorObject::invalid_params(format!(
            "unknown log level: {level}"
        ))),
    }
}

pub(super) fn decode<T: DeserializeOwned>(value: &str, member: &str) -> Result<T, ErrorObject> {
    serde_json::from_str(value).map_err(|e| {
        ErrorObject::invalid_params(format!(
            "params._meta[\"io.modelcontextprotocol/{member}\"] is invalid: {e}"
        ))
    })
}
