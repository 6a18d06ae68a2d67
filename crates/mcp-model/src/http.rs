//! The one way out: a JSON body is posted, the answer's body is read up to a limit.

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Request, StatusCode, Uri};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::{ModelError, ModelErrorKind};

/// The largest body of an answer that is read, in bytes.
pub(crate) const MAX_BODY: usize = 16 * 1024 * 1024;

/// How long the end of a body is waited for when all that counts has been read.
const LINGER: Duration = Duration::from_millis(100);

/// An answer, whatever its status.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// An answer whose body is still on its way.
#[derive(Debug)]
pub(crate) struct Arriving {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: UnsyncBoxBody<Bytes, Box<dyn Error + Send + Sync>>,
    host: String,
}

impl Arriving {
    /// The next piece of the body; `None` at its end.
    pub(crate) async fn piece(&mut self) -> Result<Option<Bytes>, ModelError> {
        loop {
            let Some(frame) = self.body.frame().await else {
                return Ok(None);
            };
            let frame = frame.map_err(|error| {
                let message = format!("the answer of {} could not be read", self.host);
                ModelError::new(ModelErrorKind::Transport, message).with_source(error)
            })?;
            if let Ok(piece) = frame.into_data() {
                return Ok(Some(piece));
            }
        }
    }

    /// All of it.
    pub(crate) async fn whole(mut self) -> Result<Reply, ModelError> {
        let mut body = Vec::new();
        while let Some(piece) = self.piece().await? {
            body.extend_from_slice(&piece);
        }
        Ok(Reply {
            status: self.status,
            headers: self.headers,
            body: body.into(),
        })
    }

    /// Nothing more of it is wanted. Its end is waited for a little, as only then the connection
    /// can be used again.
    pub(crate) async fn leave(mut self) {
        drop(tokio::time::timeout(LINGER, self.piece()).await);
    }
}

/// A client with a pool of connections; clones share it. Redirects are not followed, so that a
/// key never goes where nobody sent it.
#[derive(Clone, Debug)]
pub(crate) struct HttpClient {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

impl HttpClient {
    /// A client that trusts the root certificates built into the program.
    pub(crate) fn new() -> Result<Self, ModelError> {
        let provider = rustls::crypto::ring::default_provider();
        let roots =
            rustls::RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        let tls = rustls::ClientConfig::builder_with_provider(provider.into())
            .with_safe_default_protocol_versions()
            .map_err(|e| ModelError::new(ModelErrorKind::Transport, "no TLS").with_source(e))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { client })
    }

    /// Posts JSON and waits for the head of the answer.
    pub(crate) async fn post_json(
        &self,
        uri: Uri,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<Arriving, ModelError> {
        let host = uri.host().unwrap_or_default().to_owned();
        let broken = |message: String| ModelError::new(ModelErrorKind::Transport, message);
        let mut request = Request::post(uri)
            .body(Full::new(Bytes::from(body)))
            .map_err(|e| broken("the request cannot be written".to_owned()).with_source(e))?;
        *request.headers_mut() = headers;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(CONTENT_TYPE, json);
        let response = self
            .client
            .request(request)
            .await
            .map_err(|e| broken(format!("{host} was not reached")).with_source(e))?;
        let (parts, body) = response.into_parts();
        Ok(Arriving {
            status: parts.status,
            headers: parts.headers,
            body: Limited::new(body, MAX_BODY).boxed_unsync(),
            host,
        })
    }
}

/// Gives an answer up that takes longer than `limit` in all.
pub(crate) async fn within<T>(
    limit: Duration,
    answer: impl Future<Output = Result<T, ModelError>>,
) -> Result<T, ModelError> {
    match tokio::time::timeout(limit, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(ModelError::new(
            ModelErrorKind::Transport,
            format!("the model did not answer within {limit:?}"),
        )),
    }
}
