//! HTTP with server-sent events, as in 2024-11-05: one stream for all that the server sends, and
//! an address that it names for what the client sends.
//!
//! Source: basic/transports, HTTP with SSE, 2024-11-05.

use std::sync::Arc;
use std::time::Duration;

use http::{StatusCode, Uri};
use mcp_protocol::error_code;
use mcp_transport::{CallError, Delivery, TransportError, TransportErrorKind};

use super::events::Events;
use super::link::Link;
use super::listen::Opened;
use super::session::View;
use super::url;

/// How long the server may take to name the address.
const ENDPOINT_WAIT: Duration = Duration::from_secs(10);

/// When the transport of 2024-11-05, HTTP with server-sent events, is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LegacySse {
    /// When the server refuses the POST of `initialize`.
    #[default]
    Fallback,
    /// Always: the URL is that of the stream.
    Only,
    /// Never.
    Never,
}

/// Whether a refusal of `initialize` leaves open that the server has another way in.
pub(super) fn hints_at_legacy(refusal: &CallError) -> bool {
    const OTHERWISE: [StatusCode; 4] = [
        StatusCode::UNAUTHORIZED,
        StatusCode::FORBIDDEN,
        StatusCode::REQUEST_TIMEOUT,
        StatusCode::TOO_MANY_REQUESTS,
    ];
    let CallError::Rejected(rejection) = refusal else {
        return false;
    };
    let modern = rejection.error.as_ref().is_some_and(|error| {
        [
            error_code::HEADER_MISMATCH,
            error_code::MISSING_CLIENT_CAPABILITY,
            error_code::UNSUPPORTED_PROTOCOL_VERSION,
        ]
        .contains(&error.code)
    });
    rejection.status.is_client_error() && !OTHERWISE.contains(&rejection.status) && !modern
}

impl Link {
    /// Opens the stream and waits for the address. From then on the channel lasts as long as the
    /// stream.
    pub(super) async fn open_legacy(self: &Arc<Self>, view: &View) -> Result<Arc<View>, CallError> {
        let mut events = match self.open_stream(view, None, None).await {
            Opened::Stream(events) => events,
            Opened::Later(error) | Opened::Never(error) => return Err(error),
        };
        let naming = tokio::time::timeout(ENDPOINT_WAIT, self.endpoint(&mut events));
        let endpoint = match naming.await {
            Ok(named) => named.map_err(not_sent)?,
            Err(_) => {
                let message = "the server's stream does not say where messages go";
                let error = TransportError::new(TransportErrorKind::Violation, message);
                return Err(not_sent(error));
            }
        };
        let view = self.session.moved(endpoint);
        let (reading, over) = (Arc::clone(&view), view.over.clone());
        self.spawn(|link| async move {
            if over
                .run_until_cancelled(link.read(&mut events, &reading))
                .await
                .is_some()
            {
                let message = "the server's event stream has ended";
                let error = TransportError::new(TransportErrorKind::Ended, message);
                // Only the first reason counts.
                let _ = link.fate.set(Arc::new(error));
                link.start_close();
            }
        });
        Ok(view)
    }

    async fn endpoint(&self, events: &mut Events) -> Result<Uri, TransportError> {
        let wrong = |message: String| TransportError::new(TransportErrorKind::Violation, message);
        let is_endpoint = |event: &crate::sse::Event| event.name.as_deref() == Some("endpoint");
        let Some(event) = events.next_event(is_endpoint).await? else {
            return Err(wrong("the server's stream ended at once".to_owned()));
        };
        let text = String::from_utf8_lossy(&event.data);
        // Credentials and messages must not go to whom a server likes.
        url::resolve(&self.url, &text)
            .filter(|endpoint| url::same_origin(endpoint, &self.url))
            .ok_or_else(|| {
                wrong(format!(
                    "the server names an address of another origin: {text}"
                ))
            })
    }
}

fn not_sent(error: TransportError) -> CallError {
    CallError::Closed {
        reason: Arc::new(error),
        delivery: Delivery::NotSent,
    }
}
