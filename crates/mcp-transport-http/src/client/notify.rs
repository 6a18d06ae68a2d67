//! Messages of ours that want no answer.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use mcp_jsonrpc::{Message, Notification};
use mcp_protocol::{Feature, ProtocolVersion};
use mcp_transport::{CallError, Delivery, Mirror};

use super::link::Link;
use crate::headers::write_mirror;

/// How long a connection is held up for the server's own stream. Some servers answer the request
/// for it only with the first event.
const STREAM_WAIT: Duration = Duration::from_millis(250);

impl Link {
    pub(super) async fn notify(
        self: &Arc<Self>,
        notification: Notification,
    ) -> Result<(), CallError> {
        if self.closing.is_cancelled() {
            return Err(self.over(Delivery::NotSent));
        }
        let view = self.session.view();
        let method = notification.method.clone();
        let mut mirror = Mirror::default();
        mirror.version = view
            .version
            .filter(|v| v.is_stateless())
            .map(ProtocolVersion::as_str);
        let headers = |given: Option<&HeaderMap>| {
            let mut headers = self.session_headers(&view, given);
            write_mirror(&mut headers, &method, &mirror);
            headers
        };
        let message = Bytes::from(Message::from(notification).encode());
        tokio::select! {
            done = self.deliver(message, headers, &view, None) => done?,
            () = self.closing.cancelled() => return Err(self.over(Delivery::Unknown)),
            () = tokio::time::sleep(self.limits.notify) => {
                return Err(CallError::TimedOut { after: self.limits.notify });
            }
        }
        let initialized = &*method == "notifications/initialized";
        if initialized && self.listen && view.has(Feature::HttpGetStream) && view.endpoint.is_none()
        {
            // A server may ask as soon as it is called, on a stream that has to be there by then.
            let answered = self.start_listening(view);
            let _late = tokio::time::timeout(STREAM_WAIT, answered).await;
        }
        Ok(())
    }
}
