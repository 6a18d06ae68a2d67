//! `initialize`: opens a session, and names it in the response.

use std::sync::Arc;

use http::{HeaderValue, StatusCode};
use mcp_jsonrpc::{ErrorObject, Message, RawJson, Request, Response};
use mcp_protocol::initialize::{Initialize, InitializeResult};
use mcp_protocol::lifecycle::ServerHandshake;
use mcp_protocol::{RequestContext, RpcRequest};

use super::place::{Lost, named_version, session};
use super::post::Post;
use super::reply::{self, Reply};
use super::session::Session;
use super::sessions::{NoSession, Sessions};
use crate::headers::SESSION_ID;

pub(super) fn initialize(post: &Post<'_>, request: &Request) -> Reply {
    let id = Some(request.id.clone());
    let refuse = |status, error| reply::error(status, id.clone(), error);
    if let Err(error) = named_version(post.shared, &post.parts) {
        return refuse(StatusCode::BAD_REQUEST, error);
    }
    match session(post.shared, &post.parts) {
        Err(Lost::Unnamed) => {}
        Err(lost) => return refuse(lost.status(), lost.error()),
        Ok(_) => {
            let error = ErrorObject::invalid_request("the handshake is already done");
            return refuse(StatusCode::BAD_REQUEST, error);
        }
    }
    let mut handshake = ServerHandshake::new(Arc::clone(&post.shared.identity));
    let agreed = match agree(&mut handshake, request) {
        Ok(agreed) => agreed,
        Err(error) => {
            let answer = Response::new(id.clone(), Err(error));
            let status = reply::stateless_status(&answer);
            return reply::json(status, &Message::from(answer).into());
        }
    };
    let session = match open(post, handshake, agreed.context) {
        Ok(session) => session,
        Err(NoSession::Full) => return reply::busy(id),
        Err(NoSession::NoRandomness) => {
            let error = ErrorObject::internal("no session id can be made");
            return refuse(StatusCode::INTERNAL_SERVER_ERROR, error);
        }
    };
    let answer = Response::new(id, Ok(agreed.result));
    let mut reply = reply::json(StatusCode::OK, &Message::from(answer).into());
    if let Some(name) = session.and_then(|session| HeaderValue::from_str(&session.id).ok()) {
        reply.headers_mut().insert(SESSION_ID, name);
    }
    reply
}

struct Agreed {
    result: RawJson,
    context: RequestContext,
}

fn agree(handshake: &mut ServerHandshake, request: &Request) -> Result<Agreed, ErrorObject> {
    let params = Initialize::decode_params(request.params.as_ref())?;
    let result: InitializeResult = handshake.initialize(params)?;
    Ok(Agreed {
        result: RawJson::encode(&result).map_err(|e| ErrorObject::internal(e.to_string()))?,
        context: handshake.context().cloned().unwrap_or_default(),
    })
}

/// The new session; none where the server keeps none.
fn open(
    post: &Post<'_>,
    handshake: ServerHandshake,
    context: RequestContext,
) -> Result<Option<Arc<Session>>, NoSession> {
    if !post.shared.has_sessions() {
        return Ok(None);
    }
    let principal = post.shared.principal(&post.parts);
    let session = Session::new(Sessions::new_id()?, context, handshake, principal);
    if let Some(keep) = post.shared.keep() {
        session.lane.keep(keep);
    }
    post.shared.sessions.insert(&session)?;
    Ok(Some(session))
}
