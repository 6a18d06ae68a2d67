//! An HTTPS server, and clients that trust it.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use mcp_transport_http::rustls::crypto::{self, CryptoProvider};
use mcp_transport_http::rustls::pki_types::pem::PemObject as _;
use mcp_transport_http::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use mcp_transport_http::rustls::server::WebPkiClientVerifier;
use mcp_transport_http::rustls::{RootCertStore, ServerConfig};
use mcp_transport_http::{HttpClient, HttpClientBuilder};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

pub(crate) const AUTHORITY: &[u8] = include_bytes!("tls/ca.pem");

/// An HTTPS server that answers each request with the version of HTTP that it came by.
pub(crate) struct Secure {
    pub(crate) port: u16,
    pub(crate) connections: mpsc::UnboundedReceiver<()>,
    _tasks: JoinSet<()>,
}

/// The provider that is compiled in.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    #[cfg(feature = "tls-aws-lc-rs")]
    let provider = crypto::aws_lc_rs::default_provider();
    #[cfg(not(feature = "tls-aws-lc-rs"))]
    let provider = crypto::ring::default_provider();
    Arc::new(provider)
}

pub(crate) fn certificate(pem: &[u8]) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(pem).unwrap()
}

pub(crate) fn key(pem: &[u8]) -> PrivateKeyDer<'static> {
    PrivateKeyDer::from_pem_slice(pem).unwrap()
}

/// Roots that know this certificate alone.
pub(crate) fn only(pem: &[u8]) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(certificate(pem)).unwrap();
    roots
}

pub(crate) async fn secure(protocols: &[&[u8]]) -> Secure {
    Secure::start(protocols, config(None)).await
}

/// The settings of a server, which wants a certificate of its clients where it is given one to
/// know them by.
pub(crate) fn config(client: Option<&[u8]>) -> ServerConfig {
    let builder = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = match client {
        None => builder.with_no_client_auth(),
        Some(pem) => {
            let known = Arc::new(only(pem));
            let verifier = WebPkiClientVerifier::builder_with_provider(known, provider());
            builder.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    builder
        .with_single_cert(
            vec![certificate(include_bytes!("tls/cert.pem"))],
            key(include_bytes!("tls/key.pem")),
        )
        .unwrap()
}

impl Secure {
    pub(crate) async fn start(protocols: &[&[u8]], mut config: ServerConfig) -> Self {
        config.alpn_protocols = protocols.iter().map(|p| p.to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, connections) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut running = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                running.spawn(serve(acceptor.clone(), stream, sender.clone()));
            }
        });
        Self {
            port,
            connections,
            _tasks: tasks,
        }
    }
}

async fn serve(acceptor: TlsAcceptor, stream: TcpStream, sender: mpsc::UnboundedSender<()>) {
    let Ok(stream) = acceptor.accept(stream).await else {
        return;
    };
    let _ = sender.send(());
    let service = hyper::service::service_fn(answer);
    let io = TokioIo::new(stream);
    let _ = auto::Builder::new(TokioExecutor::new())
        .serve_connection(io, service)
        .await;
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let version = format!("{:?}", request.version());
    let host = request
        .headers()
        .get("host")
        .map(|v| v.to_str().unwrap().to_owned());
    let body = request.into_body().collect().await?.to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let result = json!({"version": version, "host": host});
    let answer = json!({"jsonrpc": "2.0", "id": body["id"], "result": result});
    let mut response = Response::new(Full::new(answer.to_string().into()));
    response
        .headers_mut()
        .insert("content-type", "application/json".parse().unwrap());
    Ok(response)
}

/// A client that knows the authority of the tests.
pub(crate) fn trusting() -> HttpClientBuilder {
    HttpClient::builder().root_certificates(AUTHORITY).unwrap()
}
