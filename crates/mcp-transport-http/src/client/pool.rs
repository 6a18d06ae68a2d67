//! Connections that wait for their next request.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::header::{HOST, PROXY_AUTHORIZATION};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderValue, Request, Response, Uri, Version};
use hyper::client::conn::{TrySendError, http1, http2};
use mcp_transport::{TransportError, TransportErrorKind};
use tokio::time::Instant;

use super::body::{Lease, ResponseBody};
use super::http::RequestBody;
use super::proxy::Proxy;

/// Whom a connection leads to: scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    scheme: Scheme,
    authority: Authority,
}

impl Origin {
    pub(super) fn of(uri: &Uri) -> Option<Self> {
        let scheme = uri.scheme()?;
        (*scheme == Scheme::HTTP || *scheme == Scheme::HTTPS).then_some(())?;
        let authority = uri.authority()?;
        Some(Self {
            scheme: scheme.clone(),
            authority: authority.clone(),
        })
    }

    pub(super) fn is_tls(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }

    pub(super) fn uri(&self) -> Uri {
        self.with_path(PathAndQuery::from_static("/"))
    }

    fn with_path(&self, path: PathAndQuery) -> Uri {
        let mut parts = http::uri::Parts::default();
        parts.scheme = Some(self.scheme.clone());
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = Some(path);
        Uri::from_parts(parts).unwrap_or_default()
    }

    fn default_port(&self) -> u16 {
        if self.is_tls() { 443 } else { 80 }
    }

    fn port(&self) -> u16 {
        let named = self.authority.port_u16();
        named.unwrap_or_else(|| self.default_port())
    }

    /// What the `Host` header says: without user and default port.
    pub(super) fn host(&self) -> Option<HeaderValue> {
        let host = self.authority.host();
        match self.port() {
            port if port == self.default_port() => HeaderValue::from_str(host).ok(),
            port => HeaderValue::try_from(format!("{host}:{port}")).ok(),
        }
    }

    /// The URL with its port, whatever that is.
    pub(super) fn with_port(&self) -> Uri {
        self.at(format!("{}:{}", self.authority.host(), self.port()))
    }

    /// The URL with the address of its host.
    pub(super) async fn resolved(&self) -> io::Result<Uri> {
        let host = self.authority.host().trim_matches(['[', ']']);
        let mut found = tokio::net::lookup_host((host, self.port())).await?;
        let address = found.next().ok_or(io::ErrorKind::NotFound)?;
        Ok(self.at(address.to_string()))
    }

    fn at(&self, authority: String) -> Uri {
        let authority = Authority::try_from(authority);
        let elsewhere = authority.map(|authority| Self {
            scheme: self.scheme.clone(),
            authority,
        });
        elsewhere.unwrap_or_else(|_| self.clone()).uri()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.authority.host())?;
        match self.authority.port() {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// Unused HTTP/1 connections and shared HTTP/2 connections, by origin.
pub(super) struct Pool {
    max_idle: usize,
    idle_timeout: Duration,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    idle: HashMap<Origin, Vec<Idle>>,
    shared: HashMap<Origin, http2::SendRequest<RequestBody>>,
}

struct Idle {
    connection: Http1,
    until: Instant,
}

/// An HTTP/1 connection.
pub(super) struct Http1 {
    pub(super) sender: http1::SendRequest<RequestBody>,
    /// The proxy that it leads to, where that passes requests on.
    pub(super) proxy: Option<Arc<Proxy>>,
}

impl Http1 {
    /// Says where a request goes, as HTTP/1 wants it.
    fn address(&self, request: &mut Request<RequestBody>, origin: &Origin, path: &PathAndQuery) {
        if !request.headers().contains_key(HOST)
            && let Some(host) = origin.host()
        {
            request.headers_mut().insert(HOST, host);
        }
        *request.version_mut() = Version::HTTP_11;
        *request.uri_mut() = match &self.proxy {
            None => path.clone().into(),
            Some(_) => origin.with_path(path.clone()),
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
            kept: Mutex::default(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection used last, so that those not needed age and are closed.
    pub(super) fn take(&self, origin: &Origin) -> Option<Sender> {
        let mut kept = self.kept();
        if let Some(shared) = kept.shared.get(origin) {
            if !shared.is_closed() {
                return Some(Sender::Http2(shared.clone()));
            }
            kept.shared.remove(origin);
        }
        let idle = kept.idle.get_mut(origin)?;
        let now = Instant::now();
        while let Some(last) = idle.pop() {
            if now < last.until && !last.connection.is_closed() {
                return Some(Sender::Http1(last.connection));
            }
        }
        kept.idle.remove(origin);
        None
    }

    pub(super) fn put(&self, origin: &Origin, connection: Http1) {
        let now = Instant::now();
        let until = now + self.idle_timeout;
        let mut kept = self.kept();
        let idle = match kept.idle.get_mut(origin) {
            Some(idle) => idle,
            None => kept.idle.entry(origin.clone()).or_default(),
        };
        // The oldest stand first.
        let stale = idle
            .iter()
            .take_while(|i| i.until <= now || i.connection.is_closed())
            .count();
        idle.drain(..stale);
        if idle.len() < self.max_idle {
            idle.push(Idle { connection, until });
        }
    }

    pub(super) fn share(&self, origin: &Origin, sender: http2::SendRequest<RequestBody>) {
        self.kept().shared.insert(origin.clone(), sender);
    }

    pub(super) fn clear(&self) {
        let kept = std::mem::take(&mut *self.kept());
        drop(kept);
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept();
        f.debug_struct("Pool")
            .field("idle", &kept.idle.values().map(Vec::len).sum::<usize>())
            .field("shared", &kept.shared.len())
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
    /// The connection had gone before it took the request.
    Returned(Box<Request<RequestBody>>),
    /// The connection failed after that.
    Lost(TransportError),
}

impl Sender {
    pub(super) async fn send(
        self,
        mut request: Request<RequestBody>,
        origin: &Origin,
        pool: &Arc<Pool>,
    ) -> Result<Response<ResponseBody>, Unsent> {
        let path = request.uri().path_and_query().cloned();
        let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
        let sent = match self {
            Self::Http1(mut connection) => {
                if connection.sender.ready().await.is_err() {
                    return Err(Unsent::Returned(Box::new(request)));
                }
                connection.address(&mut request, origin, &path);
                let response = connection.sender.try_send_request(request).await;
                response.map(|r| {
                    let lease = Lease::new(pool, origin.clone(), connection);
                    r.map(|body| ResponseBody::leased(body, lease))
                })
            }
            Self::Http2(mut sender) => {
                request.headers_mut().remove(HOST);
                *request.uri_mut() = origin.with_path(path.clone());
                *request.version_mut() = Version::HTTP_2;
                let response = sender.try_send_request(request).await;
                response.map(|r| r.map(ResponseBody::shared))
            }
        };
        sent.map_err(|e| unsent(e, origin, path))
    }
}

fn unsent(
    mut error: TrySendError<Request<RequestBody>>,
    origin: &Origin,
    path: PathAndQuery,
) -> Unsent {
    match error.take_message() {
        Some(mut request) => {
            *request.uri_mut() = origin.with_path(path);
            Unsent::Returned(Box::new(request))
        }
        None => Unsent::Lost(
            TransportError::new(
                TransportErrorKind::Ended,
                format!("the connection to {origin} ended before the response"),
            )
            .with_source(error.into_error()),
        ),
    }
}
