//! Streams opened by GET, in the handshake era: for what the server sends of its own accord, and
//! to resume one that broke.

use std::sync::Arc;
use std::time::Duration;

use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use mcp_transport::{CallError, TransportErrorKind};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::events::Events;
use super::link::{Link, Parcel, broken, closed, plain, read_rejection};
use super::session::View;
use crate::headers::{EVENT_STREAM, LAST_EVENT_ID, has_media_type, merge};

/// How long before a stream is opened again where the server does not say.
const DELAY: Duration = Duration::from_secs(1);
/// The shortest and the longest such wait, also where the server asks for less or more.
const MIN_DELAY: Duration = Duration::from_millis(10);
const MAX_DELAY: Duration = Duration::from_secs(60);
/// The longest id of an event that a resumption names.
const MAX_ID: usize = 1024;
/// How often in a row the server's own stream is opened in vain.
const MAX_FRUITLESS: u32 = 8;
/// How long a stream has to last to be of use even if it is quiet.
const LASTED: Duration = Duration::from_secs(10);

/// How long to wait before the next attempt, and whether there is one.
#[derive(Debug)]
pub(super) struct Backoff {
    base: Duration,
    fruitless: u32,
    limit: u32,
}

impl Backoff {
    pub(super) const fn new(limit: u32) -> Self {
        Self {
            base: DELAY,
            fruitless: 0,
            limit,
        }
    }

    /// Learns from a stream that has ended: an id not seen before means that it was of use.
    pub(super) fn after(&mut self, events: &Events, last_id: &mut Option<HeaderValue>) {
        let decoder = events.decoder();
        if let Some(retry) = decoder.retry() {
            self.base = retry.clamp(MIN_DELAY, MAX_DELAY);
        }
        let Some(id) = decoder.last_event_id() else {
            return;
        };
        // Behind an event that cannot be named there is no way back; an older one is no way either.
        let id = Some(id)
            .filter(|id| id.len() <= MAX_ID)
            .and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok());
        if *last_id != id {
            *last_id = id;
            self.fruitless = 0;
        }
    }

    /// A stream that was open for a while was of use even if nothing came.
    fn lasted(&mut self, time: Duration) {
        if time >= LASTED {
            self.fruitless = 0;
        }
    }

    /// Waits; `false` where it is time to give up.
    pub(super) async fn wait(&mut self) -> bool {
        if self.fruitless >= self.limit {
            return false;
        }
        let delay = self
            .base
            .saturating_mul(1 << self.fruitless.min(8))
            .min(MAX_DELAY);
        self.fruitless += 1;
        tokio::time::sleep(delay).await;
        true
    }
}

/// What came of a GET.
pub(super) enum Opened {
    Stream(Box<Events>),
    /// A failure that may pass.
    Later(CallError),
    /// The server has no such stream.
    Never(CallError),
}

impl Link {
    /// GETs a stream of a session, from the beginning or behind an event.
    pub(super) async fn open_stream(
        &self,
        view: &View,
        last_id: Option<&HeaderValue>,
        extra: Option<&HeaderMap>,
    ) -> Opened {
        let headers = |given: Option<&HeaderMap>| {
            let mut headers = self.base_headers(given);
            headers.insert(ACCEPT, EVENT_STREAM);
            view.write_headers(&mut headers);
            if let Some(id) = last_id {
                headers.insert(LAST_EVENT_ID, id.clone());
            }
            merge(&mut headers, extra);
            headers
        };
        let parcel = Parcel::empty(&self.url, Method::GET);
        let response = match self.send(&parcel, headers).await {
            Ok(response) => response,
            Err(e) => return Opened::Later(closed(e)),
        };
        let status = response.status();
        if status == StatusCode::OK && has_media_type(response.headers(), "text/event-stream") {
            if let Err(error) = plain(response.headers()) {
                return Opened::Never(broken(error));
            }
            let events = Events::new(response.into_body(), self.limits.message);
            return Opened::Stream(Box::new(events));
        }
        // Also 404 only means that there is no such stream; a POST tells whether the session is lost.
        let error = CallError::Rejected(Box::new(read_rejection(response).await));
        let passing = matches!(status.as_u16(), 408 | 425 | 429 | 500 | 502..=504);
        if passing {
            Opened::Later(error)
        } else {
            Opened::Never(error)
        }
    }

    /// Reads what the server sends of its own accord until the session is over. What is returned
    /// resolves when the server has answered the first time.
    pub(super) fn start_listening(self: &Arc<Self>, view: Arc<View>) -> oneshot::Receiver<()> {
        let (answered, first) = oneshot::channel();
        self.spawn(|link| async move {
            let over = view.over.clone();
            over.run_until_cancelled(link.listen(&view, answered)).await;
        });
        first
    }

    async fn listen(self: &Arc<Self>, view: &View, answered: oneshot::Sender<()>) {
        let mut backoff = Backoff::new(MAX_FRUITLESS);
        let mut last_id = None;
        let mut answered = Some(answered);
        loop {
            let opened = self.open_stream(view, last_id.as_ref(), None).await;
            drop(answered.take());
            if !self.follow(opened, view, &mut backoff, &mut last_id).await {
                return;
            }
            if !backoff.wait().await {
                tracing::warn!("the server's stream brings nothing, it is not opened again");
                return;
            }
        }
    }

    /// Reads a stream to its end. `false` where it must not be opened again.
    async fn follow(
        self: &Arc<Self>,
        opened: Opened,
        view: &View,
        backoff: &mut Backoff,
        last_id: &mut Option<HeaderValue>,
    ) -> bool {
        match opened {
            Opened::Stream(mut events) => {
                let begin = Instant::now();
                let again = self.read(&mut events, view).await;
                backoff.after(&events, last_id);
                backoff.lasted(begin.elapsed());
                again
            }
            Opened::Later(error) => {
                tracing::debug!(%error, "no stream yet");
                true
            }
            Opened::Never(error) => {
                tracing::debug!(%error, "the server has no stream of its own");
                false
            }
        }
    }

    /// Reads a stream to its end. `false` where the server broke the rules.
    pub(super) async fn read(self: &Arc<Self>, events: &mut Events, view: &View) -> bool {
        loop {
            match events.next().await {
                Ok(Some(data)) => {
                    self.take(data, view, None).await;
                }
                Ok(None) => return true,
                Err(error) => {
                    tracing::debug!(%error, "the server's stream broke");
                    return error.kind() != TransportErrorKind::Violation;
                }
            }
        }
    }
}
