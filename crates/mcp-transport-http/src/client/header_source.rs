//! Headers that change: a hook that is asked for each HTTP request.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use http::{Extensions, HeaderMap, Method, Uri};
use mcp_transport::{BoxFuture, TransportError, TransportErrorKind};
use tokio::sync::Mutex;

use super::http::SendError;
use crate::headers::is_protected;

/// Why a [`HeaderSource`] has no headers to give.
pub type HeaderError = Box<dyn StdError + Send + Sync>;

/// Gives headers to every HTTP request of a channel: for credentials that change.
///
/// They win over the headers that the transport was built with, and a call's own headers win over
/// them. Values never show in logs. Headers of the protocol itself cannot be set.
///
/// ```
/// use http::HeaderMap;
/// use mcp_transport::BoxFuture;
/// use mcp_transport_http::{HeaderError, HeaderRequest, HeaderSource};
///
/// #[derive(Debug)]
/// struct TokenFile(std::path::PathBuf);
///
/// impl HeaderSource for TokenFile {
///     fn headers(&self, _for: HeaderRequest) -> BoxFuture<'_, Result<HeaderMap, HeaderError>> {
///         Box::pin(async move {
///             let token = std::fs::read_to_string(&self.0)?;
///             let value = format!("Bearer {}", token.trim()).try_into()?;
///             Ok(HeaderMap::from_iter([(http::header::AUTHORIZATION, value)]))
///         })
///     }
/// }
/// ```
pub trait HeaderSource: fmt::Debug + Send + Sync + 'static {
    /// The headers of a request that is about to be sent.
    ///
    /// # Errors
    /// The request is not sent, and its call fails as one that did not reach the server.
    ///
    /// # Cancel safety
    /// The future is dropped when the request is given up.
    fn headers(&self, request: HeaderRequest) -> BoxFuture<'_, Result<HeaderMap, HeaderError>>;

    /// The server has answered 401 to a request with these headers: get others, for what
    /// [`headers`](Self::headers) gives from now on. If that is something else then, the request
    /// is sent once more.
    ///
    /// It is called once for all requests that were refused with the same headers. By default
    /// nothing is done.
    ///
    /// # Errors
    /// The call ends with the server's refusal; the error is logged.
    ///
    /// # Cancel safety
    /// The future is dropped when the request is given up.
    fn refresh(&self, rejected: HeaderMap) -> BoxFuture<'_, Result<(), HeaderError>> {
        drop(rejected);
        Box::pin(std::future::ready(Ok(())))
    }
}

/// The request that headers are asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HeaderRequest {
    /// Its method.
    pub method: Method,
    /// Where it goes.
    pub url: Uri,
    /// What the caller has attached to the call that it carries, where it carries one.
    pub attached: Arc<Extensions>,
}

/// A source, and who refreshes it at the moment.
#[derive(Clone, Debug)]
pub(super) struct Sourced(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: Arc<dyn HeaderSource>,
    refreshing: Mutex<()>,
}

impl Sourced {
    pub(super) fn new(source: Arc<dyn HeaderSource>) -> Self {
        Self(Arc::new(Inner {
            source,
            refreshing: Mutex::new(()),
        }))
    }

    /// The headers for a request.
    pub(super) async fn headers(&self, request: HeaderRequest) -> Result<HeaderMap, SendError> {
        let headers = self.0.source.headers(request).await.map_err(|e| {
            let message = "there are no headers for the request";
            let error = TransportError::new(TransportErrorKind::Unreachable, message);
            SendError::not_sent(error.with_source(e))
        })?;
        Ok(cleared(headers))
    }

    /// Other headers than those that the server has refused; `None` if there are none. Who comes
    /// while another one gets them waits for those.
    pub(super) async fn others(
        &self,
        request: &HeaderRequest,
        rejected: &HeaderMap,
    ) -> Option<HeaderMap> {
        let _alone = self.0.refreshing.lock().await;
        let now = self.headers(request.clone()).await.ok()?;
        if now != *rejected {
            return Some(now);
        }
        if let Err(error) = self.0.source.refresh(now).await {
            tracing::warn!(error, "the headers could not be refreshed");
            return None;
        }
        let now = self.headers(request.clone()).await.ok()?;
        (now != *rejected).then_some(now)
    }
}

/// The headers that a source may set, each marked as a secret.
fn cleared(given: HeaderMap) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(given.len());
    let mut last = None;
    for (name, mut value) in given {
        last = name.or(last);
        let Some(name) = &last else { continue };
        if is_protected(name) {
            tracing::warn!(%name, "the transport sets this header itself");
            continue;
        }
        value.set_sensitive(true);
        headers.append(name.clone(), value);
    }
    headers
}
