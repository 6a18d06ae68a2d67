//! TLS by rustls: whose arithmetic it is, whom to trust, and the handshake.

use std::sync::Arc;

use hyper_util::rt::TokioIo;
use mcp_transport::{TransportError, TransportErrorKind};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

use super::connect::{BoxError, Carrier};

const HTTP_1: &[u8] = b"http/1.1";
const HTTP_2: &[u8] = b"h2";

/// What a user has said about TLS.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    config: Option<ClientConfig>,
    roots: Vec<CertificateDer<'static>>,
}

impl Settings {
    pub(super) fn config(&mut self, config: ClientConfig) {
        self.config = Some(config);
    }

    pub(super) fn trust(&mut self, pem: &[u8]) -> Result<(), TransportError> {
        let broken = || unusable("a root certificate could not be read");
        let before = self.roots.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            self.roots
                .push(certificate.map_err(|e| broken().with_source(e))?);
        }
        if self.roots.len() == before {
            return Err(broken());
        }
        Ok(())
    }

    /// `None` where there is neither a provider nor a configuration that brings one.
    pub(super) fn build(self, http2_only: bool) -> Result<Option<Tls>, TransportError> {
        let Some(mut config) = self.complete()? else {
            return Ok(None);
        };
        config.alpn_protocols = vec![HTTP_1.to_vec()];
        let to_proxy = TlsConnector::from(Arc::new(config.clone()));
        config.alpn_protocols = if http2_only {
            vec![HTTP_2.to_vec()]
        } else {
            vec![HTTP_2.to_vec(), HTTP_1.to_vec()]
        };
        let to_server = TlsConnector::from(Arc::new(config));
        Ok(Some(Tls {
            to_server,
            to_proxy,
        }))
    }

    fn complete(self) -> Result<Option<ClientConfig>, TransportError> {
        match (self.config, provider()) {
            (Some(_), _) if !self.roots.is_empty() => Err(unusable(
                "root certificates belong into the TLS settings where those are given",
            )),
            (Some(config), _) => Ok(Some(config)),
            (None, None) => Ok(None),
            (None, Some(provider)) => standard(provider, self.roots)
                .map(Some)
                .map_err(|e| unusable("TLS could not be set up").with_source(e)),
        }
    }
}

/// The one that the program has chosen for all of rustls, or the one that is built in.
fn provider() -> Option<Arc<CryptoProvider>> {
    CryptoProvider::get_default()
        .cloned()
        .or_else(|| built_in().map(Arc::new))
}

#[cfg(feature = "tls-aws-lc-rs")]
#[expect(clippy::unnecessary_wraps, reason = "there may be none")]
fn built_in() -> Option<CryptoProvider> {
    Some(rustls::crypto::aws_lc_rs::default_provider())
}

#[cfg(all(feature = "tls-ring", not(feature = "tls-aws-lc-rs")))]
#[expect(clippy::unnecessary_wraps, reason = "there may be none")]
fn built_in() -> Option<CryptoProvider> {
    Some(rustls::crypto::ring::default_provider())
}

#[cfg(not(any(feature = "tls-ring", feature = "tls-aws-lc-rs")))]
const fn built_in() -> Option<CryptoProvider> {
    None
}

fn standard(
    provider: Arc<CryptoProvider>,
    own: Vec<CertificateDer<'static>>,
) -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for certificate in own {
        roots.add(certificate)?;
    }
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

fn unusable(message: &str) -> TransportError {
    TransportError::new(TransportErrorKind::Unreachable, message)
}

/// Encrypts connections.
pub(super) struct Tls {
    to_server: TlsConnector,
    /// Proxies are asked in HTTP/1.
    to_proxy: TlsConnector,
}

impl Tls {
    /// The connection to a server, and whether HTTP/2 is agreed on.
    pub(super) async fn to_server(
        &self,
        host: &str,
        io: Carrier,
    ) -> Result<(Carrier, bool), BoxError> {
        let stream = shake_hands(&self.to_server, host, io).await?;
        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(HTTP_2);
        Ok((Box::new(TokioIo::new(stream)), is_http2))
    }

    pub(super) async fn to_proxy(&self, host: &str, io: Carrier) -> Result<Carrier, BoxError> {
        let stream = shake_hands(&self.to_proxy, host, io).await?;
        Ok(Box::new(TokioIo::new(stream)))
    }
}

type Encrypted = tokio_rustls::client::TlsStream<TokioIo<Carrier>>;

async fn shake_hands(
    connector: &TlsConnector,
    host: &str,
    io: Carrier,
) -> Result<Encrypted, BoxError> {
    let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
    Ok(connector.connect(name, TokioIo::new(io)).await?)
}
