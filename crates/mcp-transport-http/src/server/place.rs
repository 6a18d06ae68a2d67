//! Which session a request of the handshake era belongs to.

use std::sync::Arc;

use http::StatusCode;
use http::request::Parts;
use mcp_jsonrpc::{ErrorObject, Id};
use mcp_protocol::lifecycle::stateless::{missing, unsupported_version};
use mcp_protocol::{Feature, ProtocolVersion, RequestContext};

use super::Shared;
use super::post::Post;
use super::reply::{self, Reply};
use super::session::{InUse, Session};
use crate::headers::{PROTOCOL_VERSION, SESSION_ID, decode_value, single};

/// The revision to assume where nothing names one.
const ASSUMED: ProtocolVersion = ProtocolVersion::V2025_03_26;

/// A session that is in use, or the rules for a request where the server keeps none.
pub(super) struct Place {
    pub(super) context: RequestContext,
    pub(super) in_use: Option<InUse>,
}

impl Place {
    pub(super) fn session(&self) -> Option<&Arc<Session>> {
        self.in_use.as_ref().map(InUse::session)
    }

    /// The place of a POST, or why it has none.
    pub(super) fn find(post: &Post<'_>, id: Option<&Id>) -> Result<Self, Box<Reply>> {
        let shared = post.shared;
        let refuse = |status, error| Err(Box::new(reply::error(status, id.cloned(), error)));
        let named = match named_version(shared, &post.parts) {
            Ok(named) => named,
            Err(error) => return refuse(StatusCode::BAD_REQUEST, error),
        };
        if !shared.has_sessions() {
            return match Self::without_session(shared, named) {
                Some(place) => Ok(place),
                None => refuse(StatusCode::BAD_REQUEST, missing("protocolVersion")),
            };
        }
        match session(shared, &post.parts) {
            Ok(in_use) => Ok(Self {
                context: in_use.session().context.clone(),
                in_use: Some(in_use),
            }),
            // Without session and version it may as well be a request that should stand alone.
            Err(Lost::Unnamed) if named.is_none() && shared.speaks(Feature::Stateless) => {
                refuse(StatusCode::BAD_REQUEST, missing("protocolVersion"))
            }
            Err(lost) => refuse(lost.status(), lost.error()),
        }
    }

    fn without_session(shared: &Shared, named: Option<ProtocolVersion>) -> Option<Self> {
        let version = match named {
            Some(version) => version,
            None => shared.identity.handshake_version(ASSUMED.as_str())?,
        };
        version.has(Feature::Handshake).then(|| Self {
            context: RequestContext::new(version),
            in_use: None,
        })
    }
}

/// The revision that the header names, if it names one that has a handshake and is spoken here.
pub(super) fn named_version(
    shared: &Shared,
    parts: &Parts,
) -> Result<Option<ProtocolVersion>, ErrorObject> {
    let twice = |_| ErrorObject::invalid_request("header mcp-protocol-version stands twice");
    let Some(value) = single(&parts.headers, &PROTOCOL_VERSION).map_err(twice)? else {
        return Ok(None);
    };
    let text = decode_value(value).unwrap_or_default();
    ProtocolVersion::parse(&text)
        .filter(|version| version.has(Feature::Handshake) && shared.identity.speaks(*version))
        .map(Some)
        .ok_or_else(|| unsupported_version(&text, &shared.identity))
}

/// Why a request belongs to no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    Unnamed,
    Malformed,
    Unknown,
}

impl Lost {
    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::Unnamed | Self::Malformed => StatusCode::BAD_REQUEST,
            Self::Unknown => StatusCode::NOT_FOUND,
        }
    }

    pub(super) fn error(self) -> ErrorObject {
        ErrorObject::invalid_request(match self {
            Self::Unnamed => "header mcp-session-id is missing",
            Self::Malformed => "header mcp-session-id is malformed",
            Self::Unknown => "the session does not exist",
        })
    }

    pub(super) fn reply(self) -> Reply {
        reply::error(self.status(), None, self.error())
    }
}

/// The session that a request names.
pub(super) fn session(shared: &Shared, parts: &Parts) -> Result<InUse, Lost> {
    let value = single(&parts.headers, &SESSION_ID).map_err(|_| Lost::Malformed)?;
    let id = value
        .ok_or(Lost::Unnamed)?
        .to_str()
        .map_err(|_| Lost::Malformed)?;
    let principal = shared.principal(parts);
    let session = shared.sessions.get(id, principal.as_deref());
    session.map(|session| session.enter()).ok_or(Lost::Unknown)
}
