//! Settings of the HTTP below the protocol.

use std::time::Duration;

use hyper_util::client::legacy::connect::HttpConnector;
use mcp_transport::TransportError;

use super::connect::Connector;
use super::http::HttpClient;
use super::pool::Pool;
use super::proxy::Proxies;
use super::tls;

/// Settings of an [`HttpClient`].
#[derive(Clone, Debug)]
#[must_use]
pub struct HttpClientBuilder {
    connect_timeout: Duration,
    idle_timeout: Duration,
    max_idle: usize,
    http2_only: bool,
    proxies: Proxies,
    tls: tls::Settings,
}

impl Default for HttpClientBuilder {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(60),
            max_idle: 64,
            http2_only: false,
            proxies: Proxies::from_env(),
            tls: tls::Settings::default(),
        }
    }
}

impl HttpClientBuilder {
    /// How long name look-up, TCP, a proxy and TLS may take together. Default 10 s.
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

    /// Goes through this proxy, whatever the environment says: `http://`, `https://`, `socks5://`
    /// (names are looked up here) or `socks5h://` (by the proxy), then `host:port`, with
    /// `user:password@` before it where the proxy wants that.
    ///
    /// # Errors
    /// If the text is no URL of such a proxy.
    pub fn proxy(mut self, url: &str) -> Result<Self, TransportError> {
        self.proxies = Proxies::all(url)?;
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
    #[cfg(feature = "tls")]
    pub fn root_certificates(mut self, pem: &[u8]) -> Result<Self, TransportError> {
        self.tls.trust(pem)?;
        Ok(self)
    }

    /// Takes these TLS settings instead of the usual ones: another provider, other roots, client
    /// certificates. Which HTTP is spoken (ALPN) is set by the client itself.
    #[cfg(feature = "tls")]
    pub fn tls_config(mut self, config: rustls::ClientConfig) -> Self {
        self.tls.config(config);
        self
    }

    /// The client.
    ///
    /// # Errors
    /// If TLS cannot be set up, a root certificate is not usable, or there are root certificates
    /// besides TLS settings.
    pub fn build(self) -> Result<HttpClient, TransportError> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(Duration::from_secs(60)));
        tcp.set_connect_timeout(Some(self.connect_timeout));
        let connector = Connector {
            tcp,
            tls: self.tls.build(self.http2_only)?,
            timeout: self.connect_timeout,
            http2_only: self.http2_only,
            proxies: self.proxies,
        };
        let pool = Pool::new(self.max_idle, self.idle_timeout);
        Ok(HttpClient::from_parts(connector, pool))
    }
}
