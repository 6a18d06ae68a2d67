//! How a connection comes about: TCP, TLS, and which HTTP is spoken on it.

use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;
use hyper::client::conn::{http1, http2};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connection as _, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use mcp_transport::{TransportError, TransportErrorKind};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tower_service::Service as _;

use super::http::HttpClient;
use super::pool::{Http1, Origin, Pool, Sender};
use super::proxy::{Proxies, Proxy};

/// Settings of an [`HttpClient`].
#[derive(Clone, Debug)]
#[must_use]
pub struct HttpClientBuilder {
    connect_timeout: Duration,
    idle_timeout: Duration,
    max_idle: usize,
    http2_only: bool,
    proxies: Proxies,
    roots: Vec<CertificateDer<'static>>,
}

impl Default for HttpClientBuilder {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(60),
            max_idle: 64,
            http2_only: false,
            proxies: Proxies::from_env(),
            roots: Vec::new(),
        }
    }
}

impl HttpClientBuilder {
    /// How long name look-up, TCP and TLS may take together. Default 10 s.
    pub const fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// How long an unused connection is kept. Default 60 s.
    pub const fn idle_timeout(mut self, limit: Duration) -> Self {
        self.idle_timeout = limit;
        self
    }

    /// How many unused connections are kept for each origin. Default 64.
    pub const fn max_idle(mut self, limit: usize) -> Self {
        self.max_idle = limit;
        self
    }

    /// Speaks HTTP/2 at once, without asking, also over plain TCP.
    pub const fn http2_only(mut self) -> Self {
        self.http2_only = true;
        self
    }

    /// Goes through this proxy, whatever the environment says: `http://host:port`, with
    /// `user:password@` where it wants that.
    ///
    /// # Errors
    /// If the text is not such a URL.
    pub fn proxy(mut self, url: &str) -> Result<Self, TransportError> {
        let proxies = Proxies::all(url);
        // Otherwise everything would go without a proxy, silently.
        if proxies
            .of(&Uri::from_static("http://example.com/"))
            .is_none()
        {
            return Err(unreachable("the URL of the proxy is not usable".to_owned()));
        }
        self.proxies = proxies;
        Ok(self)
    }

    /// Goes through no proxy. Default: the one that `HTTP_PROXY`, `HTTPS_PROXY` or `ALL_PROXY`
    /// names, save for hosts that `NO_PROXY` lists and for this machine.
    pub fn no_proxy(mut self) -> Self {
        self.proxies = Proxies::default();
        self
    }

    /// Trusts the certificates in this PEM text besides the public ones: those of a private
    /// authority.
    ///
    /// # Errors
    /// If the text holds no certificate, or a broken one.
    pub fn root_certificates(mut self, pem: &[u8]) -> Result<Self, TransportError> {
        let broken = || unreachable("a root certificate could not be read".to_owned());
        let before = self.roots.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            self.roots
                .push(certificate.map_err(|e| broken().with_source(e))?);
        }
        if self.roots.len() == before {
            return Err(broken());
        }
        Ok(self)
    }

    /// The client.
    ///
    /// # Errors
    /// If TLS cannot be set up, or a root certificate is not usable.
    pub fn build(self) -> Result<HttpClient, TransportError> {
        let pool = Pool::new(self.max_idle, self.idle_timeout);
        let mut tls = tls(self.roots)
            .map_err(|e| unreachable("TLS could not be set up".to_owned()).with_source(e))?;
        tls.alpn_protocols.push(b"h2".to_vec());
        if !self.http2_only {
            tls.alpn_protocols.push(b"http/1.1".to_vec());
        }
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(Duration::from_secs(60)));
        tcp.set_connect_timeout(Some(self.connect_timeout));
        let connector = Connector {
            tcp,
            tls: Arc::new(tls),
            timeout: self.connect_timeout,
            http2_only: self.http2_only,
            proxies: self.proxies,
        };
        Ok(HttpClient::from_parts(connector, pool))
    }
}

fn tls(own: Vec<CertificateDer<'static>>) -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for certificate in own {
        roots.add(certificate)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

/// Makes connections and drives each in a task of its own, which ends with the connection.
pub(super) struct Connector {
    tcp: HttpConnector,
    tls: Arc<ClientConfig>,
    timeout: Duration,
    http2_only: bool,
    proxies: Proxies,
}

type Stream = MaybeHttpsStream<TokioIo<TcpStream>>;
type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl Connector {
    pub(super) async fn connect(
        &self,
        origin: &Origin,
        pool: &Pool,
    ) -> Result<Sender, TransportError> {
        match tokio::time::timeout(self.timeout, self.open(origin, pool)).await {
            Ok(done) => done,
            Err(_) => Err(unreachable(format!(
                "no connection to {origin} within {:?}",
                self.timeout
            ))),
        }
    }

    async fn open(&self, origin: &Origin, pool: &Pool) -> Result<Sender, TransportError> {
        let failed = || unreachable(format!("no connection to {origin}"));
        let target = origin.uri();
        let proxy = self.proxies.of(&target);
        let io = self.stream(target, proxy.as_ref()).await;
        let io = io.map_err(|e| failed().with_source(e))?;
        if self.http2_only || io.connected().is_negotiated_h2() {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            builder
                .timer(TokioTimer::new())
                .adaptive_window(true)
                .keep_alive_interval(Duration::from_secs(30));
            let (sender, connection) = builder
                .handshake(io)
                .await
                .map_err(|e| failed().with_source(e))?;
            tokio::spawn(drive(connection));
            pool.share(origin, sender.clone());
            return Ok(Sender::Http2(sender));
        }
        let (sender, connection) = http1::handshake(io)
            .await
            .map_err(|e| failed().with_source(e))?;
        tokio::spawn(drive(connection));
        // Only what is not encrypted shows the proxy where it goes.
        let proxy = proxy.filter(|_| !origin.is_tls());
        Ok(Sender::Http1(Http1 { sender, proxy }))
    }

    /// TCP to the target or to the proxy, then what is encrypted.
    async fn stream(&self, target: Uri, proxy: Option<&Proxy>) -> Result<Stream, BoxError> {
        let tls = target.scheme() == Some(&Scheme::HTTPS);
        let config = Arc::clone(&self.tls);
        match proxy {
            None => {
                HttpsConnector::from((self.tcp.clone(), config))
                    .call(target)
                    .await
            }
            Some(proxy) if proxy.uri.scheme() != Some(&Scheme::HTTP) => {
                Err("only http:// proxies are supported".into())
            }
            Some(proxy) if tls => {
                let mut tunnel = Tunnel::new(proxy.uri.clone(), self.tcp.clone());
                if let Some(auth) = proxy.auth.clone() {
                    tunnel = tunnel.with_auth(auth);
                }
                HttpsConnector::from((tunnel, config)).call(target).await
            }
            Some(proxy) => {
                let tcp = self.tcp.clone().call(proxy.uri.clone()).await?;
                Ok(MaybeHttpsStream::Http(tcp))
            }
        }
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
