//! Connections that wait for their next request.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::header::{HOST, PROXY_AUTHORIZATION};
use http::uri::PathAndQuery;
use http::{Request, Response, Version};
use hyper::client::conn::{TrySendError, http1, http2};
use mcp_transport::{TransportError, TransportErrorKind};
use tokio::time::Instant;

use super::body::{Lease, ResponseBody};
use super::http::RequestBody;
use super::origin::Origin;
use super::proxy::Proxy;

/// The connections of a client, by origin.
pub(super) struct Pool {
    max_idle: usize,
    idle_timeout: Duration,
    places: Mutex<HashMap<Origin, Arc<Place>>>,
}

/// The connections to one origin. Who calls it often keeps this, and need not look for it.
pub(super) struct Place {
    pub(super) origin: Origin,
    max_idle: usize,
    idle_timeout: Duration,
    kept: Mutex<Kept>,
}

/// Unused HTTP/1 connections, and a shared HTTP/2 connection.
#[derive(Default)]
struct Kept {
    idle: Vec<Idle>,
    shared: Option<http2::SendRequest<RequestBody>>,
}

struct Idle {
    connection: Http1,
    until: Instant,
}

impl Idle {
    fn is_usable(&self, now: Instant) -> bool {
        now < self.until && !self.connection.is_closed()
    }
}

/// An HTTP/1 connection.
pub(super) struct Http1 {
    pub(super) sender: http1::SendRequest<RequestBody>,
    /// The proxy that it leads to, where that passes requests on.
    pub(super) proxy: Option<Arc<Proxy>>,
}

impl Http1 {
    /// Says where a request goes, as HTTP/1 wants it.
    fn address(&self, request: &mut Request<RequestBody>, origin: &Origin) {
        if !request.headers().contains_key(HOST)
            && let Some(host) = origin.host()
        {
            request.headers_mut().insert(HOST, host);
        }
        *request.version_mut() = Version::HTTP_11;
        let path = path(request);
        *request.uri_mut() = match &self.proxy {
            None => path.into(),
            Some(_) => origin.with_path(path),
        };
        if let Some(auth) = self.proxy.as_ref().and_then(|proxy| proxy.authorization()) {
            request.headers_mut().insert(PROXY_AUTHORIZATION, auth);
        }
    }

    fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }
}

impl Pool {
    pub(super) fn new(max_idle: usize, idle_timeout: Duration) -> Self {
        Self {
            max_idle,
            idle_timeout,
            places: Mutex::default(),
        }
    }

    fn places(&self) -> MutexGuard<'_, HashMap<Origin, Arc<Place>>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of an origin's connections.
    pub(super) fn place(&self, origin: Origin) -> Arc<Place> {
        let mut places = self.places();
        if let Some(place) = places.get(&origin) {
            return Arc::clone(place);
        }
        // Those that nobody holds and that have nothing to hold are of no use.
        places.retain(|_, place| Arc::strong_count(place) > 1 || !place.is_empty());
        let place = Arc::new(Place {
            origin: origin.clone(),
            max_idle: self.max_idle,
            idle_timeout: self.idle_timeout,
            kept: Mutex::default(),
        });
        places.insert(origin, Arc::clone(&place));
        place
    }

    pub(super) fn clear(&self) {
        for place in self.places().values() {
            place.clear();
        }
    }
}

impl Place {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it has no connection that could be used.
    fn is_empty(&self) -> bool {
        let mut kept = self.kept();
        kept.shared.take_if(|shared| shared.is_closed());
        let now = Instant::now();
        kept.idle.retain(|idle| idle.is_usable(now));
        kept.idle.is_empty() && kept.shared.is_none()
    }

    /// The connection used last, so that those not needed age and are closed.
    pub(super) fn take(&self) -> Option<Sender> {
        let mut kept = self.kept();
        kept.shared.take_if(|shared| shared.is_closed());
        if let Some(shared) = &kept.shared {
            return Some(Sender::Http2(shared.clone()));
        }
        let now = Instant::now();
        while let Some(last) = kept.idle.pop() {
            if last.is_usable(now) {
                return Some(Sender::Http1(last.connection));
            }
        }
        None
    }

    pub(super) fn put(&self, connection: Http1) {
        let now = Instant::now();
        let until = now + self.idle_timeout;
        let mut kept = self.kept();
        // The oldest stand first.
        let stale = kept.idle.iter().take_while(|idle| !idle.is_usable(now));
        let stale = stale.count();
        kept.idle.drain(..stale);
        if kept.idle.len() < self.max_idle {
            kept.idle.push(Idle { connection, until });
        }
    }

    pub(super) fn share(&self, sender: http2::SendRequest<RequestBody>) {
        self.kept().shared = Some(sender);
    }

    fn clear(&self) {
        let kept = std::mem::take(&mut *self.kept());
        drop(kept);
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = self.places();
        let (mut idle, mut shared) = (0, 0);
        for place in places.values() {
            let kept = place.kept();
            idle += kept.idle.len();
            shared += usize::from(kept.shared.is_some());
        }
        f.debug_struct("Pool")
            .field("idle", &idle)
            .field("shared", &shared)
            .finish_non_exhaustive()
    }
}

/// A connection that can take a request.
pub(super) enum Sender {
    Http1(Http1),
    Http2(http2::SendRequest<RequestBody>),
}

/// A request that got no response over a connection.
pub(super) enum Unsent {
    /// The connection had gone before it took the request, which is in its place again.
    Returned,
    /// The connection failed after that.
    Lost(TransportError),
}

impl Sender {
    /// Sends a request, and leaves another one in its place.
    pub(super) async fn send(
        self,
        request: &mut Request<RequestBody>,
        place: &Arc<Place>,
    ) -> Result<Response<ResponseBody>, Unsent> {
        let sent = match self {
            Self::Http1(mut connection) => {
                if connection.sender.ready().await.is_err() {
                    return Err(Unsent::Returned);
                }
                connection.address(request, &place.origin);
                let taken = std::mem::take(request);
                let response = connection.sender.try_send_request(taken).await;
                response.map(|r| {
                    let lease = Lease::new(place, connection);
                    r.map(|body| ResponseBody::leased(body, lease))
                })
            }
            Self::Http2(mut sender) => {
                request.headers_mut().remove(HOST);
                *request.uri_mut() = place.origin.with_path(path(request));
                *request.version_mut() = Version::HTTP_2;
                let response = sender.try_send_request(std::mem::take(request));
                // Boxed, so that it makes room for the other one.
                let response = Box::pin(response).await;
                response.map(|r| r.map(ResponseBody::shared))
            }
        };
        sent.map_err(|e| unsent(e, request, &place.origin))
    }
}

/// The path that a request asks for.
fn path(request: &Request<RequestBody>) -> PathAndQuery {
    let path = request.uri().path_and_query().cloned();
    path.unwrap_or_else(|| PathAndQuery::from_static("/"))
}

/// What has become of a request that got no response; one that came back is in its place again.
fn unsent(
    mut error: TrySendError<Request<RequestBody>>,
    place: &mut Request<RequestBody>,
    origin: &Origin,
) -> Unsent {
    if let Some(mut request) = error.take_message() {
        *request.uri_mut() = origin.with_path(path(&request));
        *place = request;
        return Unsent::Returned;
    }
    let message = format!("the connection to {origin} ended before the response");
    let lost = TransportError::new(TransportErrorKind::Ended, message);
    Unsent::Lost(lost.with_source(error.into_error()))
}
