//! Messages of ours that want no answer.

use std::sync::Arc;

use mcp_jsonrpc::Notification;
use mcp_protocol::{Feature, ProtocolVersion};
use mcp_transport::{CallError, Delivery, Mirror};

use super::link::Link;
use crate::headers::write_mirror;

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
        let headers = || {
            let mut headers = self.session_headers(&view);
            write_mirror(&mut headers, &method, &mirror);
            headers
        };
        let message = notification.into();
        tokio::select! {
            done = self.deliver(&message, headers, &view) => done?,
            () = self.closing.cancelled() => return Err(self.over(Delivery::Unknown)),
            () = tokio::time::sleep(self.limits.notify) => {
                return Err(CallError::TimedOut { after: self.limits.notify });
            }
        }
        let initialized = &*method == "notifications/initialized";
        if initialized && self.listen && view.has(Feature::HttpGetStream) {
            self.start_listening(view);
        }
        Ok(())
    }
}
