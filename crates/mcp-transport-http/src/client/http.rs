//! The HTTP below the protocol: connections, kept and used again, over TCP and TLS.

use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::Full;
use mcp_transport::{BoxFuture, Delivery, TransportError, TransportErrorKind};
use tower_service::Service;

use super::body::ResponseBody;
use super::connect::Connector;
use super::http_builder::HttpClientBuilder;
use super::origin::Origin;
use super::pool::{Place, Pool, Unsent};

/// The body of a request: whole, so that it can be sent again.
pub type RequestBody = Full<Bytes>;

/// An HTTP client with a pool of connections. Clones share the pool.
///
/// It speaks HTTP/1.1 and, where a TLS peer offers it, HTTP/2. It follows no redirects and keeps
/// no cookies. It is a tower service, so that layers can be put around it.
#[derive(Clone)]
pub struct HttpClient(Arc<Shared>);

struct Shared {
    connector: Connector,
    pool: Arc<Pool>,
}

impl HttpClient {
    /// A client with default settings.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn new() -> Result<Self, TransportError> {
        Self::builder().build()
    }

    /// Starts with default settings.
    pub fn builder() -> HttpClientBuilder {
        HttpClientBuilder::default()
    }

    pub(super) fn from_parts(connector: Connector, pool: Pool) -> Self {
        Self(Arc::new(Shared {
            connector,
            pool: Arc::new(pool),
        }))
    }

    /// Sends a request to the absolute URL in it and waits for the head of the response.
    ///
    /// # Errors
    /// When no connection can be made, or it fails before the response has begun.
    ///
    /// # Cancel safety
    /// Dropping the future, or the body before its end, ends the exchange: HTTP/1.1 closes the
    /// connection, HTTP/2 resets the stream.
    pub async fn send(
        &self,
        request: Request<RequestBody>,
    ) -> Result<Response<ResponseBody>, SendError> {
        let Some(origin) = Origin::of(request.uri()) else {
            let what = format!("{} is no http or https URL", request.uri());
            return Err(SendError::not_sent(unreachable(what)));
        };
        let place = self.0.pool.place(origin);
        self.send_to(&place, &mut { request }).await
    }

    /// The place of the connections to where this URL leads.
    fn place(&self, url: &Uri) -> Option<Arc<Place>> {
        Origin::of(url).map(|origin| self.0.pool.place(origin))
    }

    /// The request is lent, so that each step on its way need not move it.
    async fn send_to(
        &self,
        place: &Arc<Place>,
        request: &mut Request<RequestBody>,
    ) -> Result<Response<ResponseBody>, SendError> {
        // A kept connection may have gone; what it did not take goes over the next one.
        while let Some(sender) = place.take() {
            match sender.send(request, place).await {
                Ok(response) => return Ok(response),
                Err(Unsent::Returned) => {}
                Err(Unsent::Lost(error)) => return Err(SendError::unknown(error)),
            }
        }
        // Boxed, as it is large and rare.
        let connecting: BoxFuture<'_, _> = Box::pin(self.0.connector.connect(place));
        let sender = connecting.await.map_err(SendError::not_sent)?;
        let sending: BoxFuture<'_, _> = Box::pin(sender.send(request, place));
        match sending.await {
            Ok(response) => Ok(response),
            Err(Unsent::Returned) => Err(SendError::not_sent(unreachable(format!(
                "{} closed the connection at once",
                place.origin
            )))),
            Err(Unsent::Lost(error)) => Err(SendError::unknown(error)),
        }
    }

    /// Whether `https` URLs can be reached.
    pub(super) fn has_tls(&self) -> bool {
        self.0.connector.tls.is_some()
    }

    /// Closes the connections that nothing uses.
    pub fn close_idle(&self) {
        self.0.pool.clear();
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient")
            .field("pool", &self.0.pool)
            .finish_non_exhaustive()
    }
}

impl Service<Request<RequestBody>> for HttpClient {
    type Response = Response<ResponseBody>;
    type Error = SendError;
    type Future = BoxFuture<'static, Result<Response<ResponseBody>, SendError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), SendError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        let client = self.clone();
        Box::pin(async move { client.send(request).await })
    }
}

fn unreachable(message: String) -> TransportError {
    TransportError::new(TransportErrorKind::Unreachable, message)
}

/// A request that has no response.
#[derive(Debug, thiserror::Error)]
#[error("{}", match .delivery {
    Delivery::NotSent => "the request could not be sent",
    Delivery::Unknown => "the request was sent but no response came",
})]
#[non_exhaustive]
pub struct SendError {
    /// What happened.
    #[source]
    pub error: TransportError,
    /// Whether the request may have been received.
    pub delivery: Delivery,
}

impl SendError {
    /// A request of which no byte was sent.
    #[must_use]
    pub const fn not_sent(error: TransportError) -> Self {
        Self {
            error,
            delivery: Delivery::NotSent,
        }
    }

    /// A request that may have arrived.
    #[must_use]
    pub const fn unknown(error: TransportError) -> Self {
        Self {
            error,
            delivery: Delivery::Unknown,
        }
    }
}

type Sending = BoxFuture<'static, Result<Response<ResponseBody>, SendError>>;

type Wrapped = Arc<dyn Fn(Request<RequestBody>) -> Sending + Send + Sync>;

/// What requests are given to: the pool itself, or a service that somebody put around it.
#[derive(Clone)]
pub(super) struct Exchanger {
    client: HttpClient,
    /// The place of the connections that nearly all requests take.
    place: Option<Arc<Place>>,
    /// Whether nobody else uses the pool.
    own: bool,
    wrapped: Option<Wrapped>,
}

impl Exchanger {
    pub(super) fn direct(client: HttpClient, url: &Uri) -> Self {
        Self {
            place: client.place(url),
            client,
            own: false,
            wrapped: None,
        }
    }

    /// Whether a URL that is known to need TLS is out of reach.
    pub(super) fn lacks_tls(&self) -> bool {
        // What is around the client may have a way of its own.
        self.wrapped.is_none() && !self.client.has_tls()
    }

    pub(super) fn wrap<S>(client: HttpClient, service: S) -> Self
    where
        S: Service<Request<RequestBody>, Response = Response<ResponseBody>>,
        S: Clone + Send + 'static,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        S::Future: Send,
    {
        let service = Mutex::new(service);
        let send = move |request| -> Sending {
            let mut service = service
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            Box::pin(async move {
                poll_fn(|cx| service.poll_ready(cx))
                    .await
                    .map_err(of_layer)?;
                service.call(request).await.map_err(of_layer)
            })
        };
        Self {
            client,
            place: None,
            own: false,
            wrapped: Some(Arc::new(send)),
        }
    }

    #[must_use]
    pub(super) fn owning(mut self, own: bool) -> Self {
        self.own = own;
        self
    }

    pub(super) async fn send(
        &self,
        request: &mut Request<RequestBody>,
    ) -> Result<Response<ResponseBody>, SendError> {
        let is_there = |place: &&Arc<Place>| place.origin.is_of(request.uri());
        if let Some(place) = self.place.as_ref().filter(is_there) {
            return self.client.send_to(place, request).await;
        }
        let request = std::mem::take(request);
        let sending: BoxFuture<'_, _> = match &self.wrapped {
            Some(send) => send(request),
            None => Box::pin(self.client.send(request)),
        };
        sending.await
    }

    /// The channel has ended: unused connections are closed, unless others may want them.
    pub(super) fn release(&self) {
        if self.own {
            self.client.close_idle();
        }
    }
}

/// A layer passes our error on, or has one of its own.
fn of_layer(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> SendError {
    match error.into().downcast::<SendError>() {
        Ok(ours) => *ours,
        Err(other) => SendError::unknown(
            TransportError::new(TransportErrorKind::Io, "an HTTP layer failed").with_source(other),
        ),
    }
}

impl fmt::Debug for Exchanger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchanger")
            .field("client", &self.client)
            .field("wrapped", &self.wrapped.is_some())
            .finish()
    }
}
