//! Requests through the layers of a session.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_interceptors::{CallError, Reply, Request};
use mcp_jsonrpc::{Id, RawJson};
use mcp_protocol::RpcRequest;
use mcp_transport::CallId;

use super::Session;
use super::send::Way;
use crate::active::InFlight;
use crate::{CallOptions, Error};

/// A [`Way`] of its own.
#[derive(Clone, Debug)]
struct OwnWay {
    options: CallOptions,
    call: Option<InFlight>,
    id: Option<CallId>,
    cancellable: bool,
}

impl OwnWay {
    fn new(way: Way<'_>) -> Self {
        Self {
            options: way.options.clone(),
            call: way.call.cloned(),
            id: way.id.cloned(),
            cancellable: way.cancellable,
        }
    }

    const fn lent(&self) -> Way<'_> {
        Way {
            options: &self.options,
            call: self.call.as_ref(),
            id: self.id.as_ref(),
            cancellable: self.cancellable,
        }
    }
}

/// What carries a request out behind the layers.
#[derive(Clone)]
struct Last {
    session: Session,
    way: Arc<OwnWay>,
    /// The token for the progress of the request that was made last.
    token: Arc<Mutex<Option<Id>>>,
}

impl Last {
    async fn post<R: RpcRequest>(self, request: Request) -> Result<Reply, CallError> {
        let mut params = request.params::<R>()?;
        let sent = self.session.post::<R>(&mut params, self.way.lent()).await;
        let (raw, token) = sent.map_err(Error::for_layers)?;
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) = token;
        Ok(Reply::from_json(raw.decode().map_err(CallError::layer)?))
    }
}

impl Session {
    /// Sends a request through the layers. The token for its progress is that of the last time
    /// that it was really made.
    pub(super) async fn send_layered<R: RpcRequest>(
        &self,
        params: &R::Params,
        way: Way<'_>,
    ) -> Result<(RawJson, Option<Id>), Error> {
        let server = Arc::clone(self.server());
        let request = Request::of::<R>(server, params)?;
        let request = request.in_context(Arc::clone(&way.options.extensions));
        let last = Last {
            session: self.inside(),
            way: Arc::new(OwnWay::new(way)),
            token: Arc::default(),
        };
        let token = Arc::clone(&last.token);
        let layers = &self.inner.inward.handlers.layers;
        let last = move |request| Box::pin(last.clone().post::<R>(request)) as _;
        let reply = layers.run(request, last).await?;
        let raw = RawJson::encode(reply.json()).map_err(CallError::layer)?;
        let token = token.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok((raw, token))
    }
}
