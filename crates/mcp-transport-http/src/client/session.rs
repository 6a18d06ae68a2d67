//! What the client remembers between requests in the handshake era: session and revision.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{HeaderMap, HeaderValue, Uri};
use mcp_protocol::{Feature, ProtocolVersion};
use tokio_util::sync::CancellationToken;

use crate::headers;

/// The session as it is now. A new handshake begins a new one.
#[derive(Debug)]
pub(super) struct SessionCell {
    closing: CancellationToken,
    now: Mutex<Arc<View>>,
}

/// A session as a request sees it when it begins. What changes it later makes another one.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// The id that the server has given, if it has.
    pub(super) id: Option<HeaderValue>,
    /// The revision that was negotiated, once it is.
    pub(super) version: Option<ProtocolVersion>,
    /// Where messages are POSTed to, where that is not the URL itself: HTTP with server-sent
    /// events of 2024-11-05.
    pub(super) endpoint: Option<Uri>,
    /// Cancelled when the session is lost, replaced or closed.
    pub(super) over: CancellationToken,
}

impl View {
    fn fresh(closing: &CancellationToken) -> Self {
        Self {
            id: None,
            version: None,
            endpoint: None,
            over: closing.child_token(),
        }
    }

    pub(super) fn has(&self, feature: Feature) -> bool {
        self.version.is_some_and(|version| version.has(feature))
    }

    /// Whether server requests, cancellation by message and resumption are part of it: so before
    /// the negotiation, too.
    pub(super) fn is_handshake_era(&self) -> bool {
        self.version
            .is_none_or(|version| version.has(Feature::Handshake))
    }

    /// The headers of every request after the handshake.
    pub(super) fn write_headers(&self, to: &mut HeaderMap) {
        if let Some(version) = self.version {
            let value = HeaderValue::from_static(version.as_str());
            to.insert(headers::PROTOCOL_VERSION, value);
        }
        if let Some(id) = self.id.clone() {
            to.insert(headers::SESSION_ID, id);
        }
    }
}

impl SessionCell {
    pub(super) fn new(closing: &CancellationToken) -> Self {
        Self {
            closing: closing.clone(),
            now: Mutex::new(Arc::new(View::fresh(closing))),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Arc<View>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn view(&self) -> Arc<View> {
        Arc::clone(&self.lock())
    }

    /// A new handshake begins: the session before it, if any, is over.
    pub(super) fn begin(&self) -> Arc<View> {
        let fresh = Arc::new(View::fresh(&self.closing));
        let old = std::mem::replace(&mut *self.lock(), Arc::clone(&fresh));
        old.over.cancel();
        fresh
    }

    /// The server has named the session in its answer to `initialize`.
    pub(super) fn named(&self, view: &View, mut id: HeaderValue) {
        if headers::session_id(&id).is_none() {
            tracing::warn!("the server's session id is not visible ASCII and is ignored");
            return;
        }
        id.set_sensitive(true);
        let mut now = self.lock();
        // A handshake that began meanwhile has a session of its own.
        if !view.over.is_cancelled() {
            Arc::make_mut(&mut now).id = Some(id);
        }
    }

    /// The server takes messages elsewhere.
    pub(super) fn moved(&self, endpoint: Uri) -> Arc<View> {
        let mut now = self.lock();
        Arc::make_mut(&mut now).endpoint = Some(endpoint);
        Arc::clone(&now)
    }

    pub(super) fn negotiated(&self, version: ProtocolVersion) {
        Arc::make_mut(&mut self.lock()).version = Some(version);
    }
}
