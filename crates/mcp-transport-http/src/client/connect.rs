//! How a connection comes about: TCP, proxies, TLS, and which HTTP is spoken on it.

use std::future::{Ready, ready};
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper::client::conn::{http1, http2};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use mcp_transport::{TransportError, TransportErrorKind};
use tower_service::Service;

use super::origin::Origin;
use super::pool::{Http1, Place, Sender};
use super::proxy::{Kind, Proxies, Proxy};
use super::tls::Tls;

/// How long the headers of a response may be together in HTTP/2. In HTTP/1 they may have 400 KiB.
const MAX_HEADER_LIST: u32 = 32 << 10;
/// How many streams of HTTP/2 that were given up may still be answered at once, unheard.
const MAX_RESETS: usize = 256;

/// Makes connections and drives each in a task of its own, which ends with the connection.
pub(super) struct Connector {
    pub(super) tcp: HttpConnector,
    /// Where there is a TLS provider.
    pub(super) tls: Option<Tls>,
    pub(super) timeout: Duration,
    pub(super) http2_only: bool,
    pub(super) proxies: Proxies,
}

/// Bytes to and from a peer, encrypted or not.
pub(super) trait Io: hyper::rt::Read + hyper::rt::Write + Send + Unpin + 'static {}

impl<T: hyper::rt::Read + hyper::rt::Write + Send + Unpin + 'static> Io for T {}

pub(super) type Carrier = Box<dyn Io>;
pub(super) type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl Connector {
    pub(super) async fn connect(&self, place: &Place) -> Result<Sender, TransportError> {
        match tokio::time::timeout(self.timeout, self.open(place)).await {
            Ok(done) => done,
            Err(_) => Err(unreachable(format!(
                "no connection to {} within {:?}",
                place.origin, self.timeout
            ))),
        }
    }

    async fn open(&self, place: &Place) -> Result<Sender, TransportError> {
        let origin = &place.origin;
        let failed = |e: BoxError| unreachable(format!("no connection to {origin}")).with_source(e);
        let target = origin.uri();
        let proxy = self.proxies.of(&target).map_err(|e| failed(e.into()))?;
        let (io, is_http2) = self
            .carrier(origin, &target, proxy.map(Arc::as_ref))
            .await
            .map_err(failed)?;
        if self.http2_only || is_http2 {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            builder
                .timer(TokioTimer::new())
                .adaptive_window(true)
                .keep_alive_interval(Duration::from_secs(30))
                .max_header_list_size(MAX_HEADER_LIST)
                .max_concurrent_reset_streams(MAX_RESETS);
            let (sender, connection) = builder.handshake(io).await.map_err(|e| failed(e.into()))?;
            tokio::spawn(drive(connection));
            place.share(sender.clone());
            return Ok(Sender::Http2(sender));
        }
        let (sender, connection) = http1::handshake(io).await.map_err(|e| failed(e.into()))?;
        tokio::spawn(drive(connection));
        // Only what is not encrypted shows an HTTP proxy where it goes.
        let proxy = proxy
            .filter(|proxy| proxy.passes_requests_on() && !origin.is_tls())
            .cloned();
        Ok(Sender::Http1(Http1 { sender, proxy }))
    }

    /// The way to the target, encrypted where its scheme wants that, and whether HTTP/2 is agreed
    /// on.
    async fn carrier(
        &self,
        origin: &Origin,
        target: &Uri,
        proxy: Option<&Proxy>,
    ) -> Result<(Carrier, bool), BoxError> {
        // What cannot end well does not begin.
        let tls = origin.is_tls().then(|| self.tls()).transpose()?;
        let io = match proxy {
            None => self.tcp(target.clone()).await?,
            Some(proxy) => {
                let io = self.through(proxy, origin, target).await;
                io.map_err(|e| proxy_failed(proxy, e))?
            }
        };
        match tls {
            None => Ok((io, false)),
            Some(tls) => tls.to_server(target.host().unwrap_or_default(), io).await,
        }
    }

    async fn tcp(&self, target: Uri) -> Result<Carrier, BoxError> {
        Ok(Box::new(self.tcp.clone().call(target).await?))
    }

    fn tls(&self) -> Result<&Tls, BoxError> {
        self.tls.as_ref().ok_or_else(|| NO_TLS.into())
    }

    /// A connection to the proxy, on through it where it is one that knows of connections only.
    async fn through(
        &self,
        proxy: &Proxy,
        origin: &Origin,
        target: &Uri,
    ) -> Result<Carrier, BoxError> {
        let mut io = self.tcp(proxy.uri.clone()).await?;
        if proxy.is_encrypted() {
            let host = proxy.uri.host().unwrap_or_default();
            io = self.tls()?.to_proxy(host, io).await?;
        }
        match &proxy.kind {
            Kind::Http { auth } if origin.is_tls() => {
                let mut tunnel = Tunnel::new(proxy.uri.clone(), Connected(Some(io)));
                if let Some(auth) = auth.clone() {
                    tunnel = tunnel.with_auth(auth);
                }
                Ok(tunnel.call(target.clone()).await?)
            }
            Kind::Http { .. } => Ok(io),
            Kind::Socks { auth, names } => {
                let to = if *names {
                    origin.with_port()
                } else {
                    origin.resolved().await?
                };
                let mut socks = SocksV5::new(proxy.uri.clone(), Connected(Some(io)));
                if let Some((user, password)) = auth.clone() {
                    socks = socks.with_auth(user, password);
                }
                socks.call(to).await.map_err(|e| e.to_string().into())
            }
        }
    }
}

/// What to do about an `https` URL where there is no TLS.
pub(crate) const NO_TLS: &str = "no TLS provider is built in: turn on the feature `tls-ring` or \
    `tls-aws-lc-rs`, or give settings with a provider by `HttpClientBuilder::tls_config`";

fn proxy_failed(proxy: &Proxy, error: BoxError) -> BoxError {
    unreachable(format!("the proxy {proxy} gave no way"))
        .with_source(error)
        .into()
}

/// A connector that has done its work before.
struct Connected(Option<Carrier>);

impl Service<Uri> for Connected {
    type Response = Carrier;
    type Error = io::Error;
    type Future = Ready<io::Result<Carrier>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        ready(
            self.0
                .take()
                .ok_or_else(|| io::ErrorKind::NotConnected.into()),
        )
    }
}

/// A connection lives in a task of its own, until its last sender has gone.
async fn drive(connection: impl Future<Output = hyper::Result<()>>) {
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection failed");
    }
}

fn unreachable(message: String) -> TransportError {
    TransportError::new(TransportErrorKind::Unreachable, message)
}
