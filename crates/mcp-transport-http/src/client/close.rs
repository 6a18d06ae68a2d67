//! The end of a channel: calls and streams, then the session, within a bound.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::{HeaderMap, Method};

use super::link::{Link, Parcel};
use super::session::View;

impl Link {
    /// Ends everything in the background. Only the first time, and only inside a runtime.
    pub(super) fn start_close(self: &Arc<Self>) {
        if self.close_started.swap(true, Ordering::AcqRel) {
            return;
        }
        let view = self.session.view();
        let lost = view.over.is_cancelled();
        self.closing.cancel();
        self.tasks.close();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            self.ended.cancel();
            return;
        };
        let link = Arc::clone(self);
        runtime.spawn(async move {
            if !lost && view.id.is_some() {
                link.end_session(&view).await;
            }
            let _ = tokio::time::timeout(link.limits.close, link.tasks.wait()).await;
            link.exchanger.release();
            link.ended.cancel();
        });
    }

    pub(super) async fn close(self: &Arc<Self>) {
        self.start_close();
        self.ended.cancelled().await;
    }

    async fn end_session(&self, view: &View) {
        let headers = |given: Option<&HeaderMap>| {
            let mut headers = self.base_headers(given);
            view.write_headers(&mut headers);
            headers
        };
        let parcel = Parcel::empty(&self.url, Method::DELETE);
        let deleting = self.send(&parcel, headers);
        match tokio::time::timeout(self.limits.close, deleting).await {
            // 405: the server ends sessions by itself. 404: it has done so.
            Ok(Ok(response)) => tracing::debug!(status = %response.status(), "session ended"),
            Ok(Err(error)) => tracing::debug!(%error, "the session could not be ended"),
            Err(_) => tracing::debug!("the server does not answer the end of the session"),
        }
    }
}
