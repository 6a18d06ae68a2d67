//! The body of a response, which gives its connection back at its end.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use mcp_transport::{TransportError, TransportErrorKind};

use super::pool::{Http1, Place};

/// The body of a response. Read to its end it gives the connection back to the pool; dropped
/// before that it ends the exchange.
pub struct ResponseBody {
    body: Incoming,
    lease: Option<Lease>,
}

/// A connection that a response still uses.
pub(super) struct Lease {
    place: Weak<Place>,
    connection: Http1,
}

impl Lease {
    pub(super) fn new(place: &Arc<Place>, connection: Http1) -> Self {
        Self {
            place: Arc::downgrade(place),
            connection,
        }
    }
}

impl ResponseBody {
    pub(super) fn leased(body: Incoming, lease: Lease) -> Self {
        let mut body = Self {
            body,
            lease: Some(lease),
        };
        body.release_at_end();
        body
    }

    pub(super) const fn shared(body: Incoming) -> Self {
        Self { body, lease: None }
    }

    fn release_at_end(&mut self) {
        if self.body.is_end_stream() {
            self.release();
        }
    }

    fn release(&mut self) {
        if let Some(Lease { place, connection }) = self.lease.take()
            && let Some(place) = place.upgrade()
        {
            place.put(connection);
        }
    }

    /// The whole body.
    ///
    /// # Errors
    /// When it is longer than `limit` bytes, or the connection fails.
    pub(super) async fn collect(mut self, limit: usize) -> Result<Bytes, TransportError> {
        let mut whole = Whole::Empty;
        while let Some(frame) = self.frame().await {
            let frame = frame.map_err(|e| {
                TransportError::new(TransportErrorKind::Ended, "the response was cut off")
                    .with_source(e)
            })?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if whole.push(data) > limit {
                return Err(TransportError::new(
                    TransportErrorKind::Violation,
                    format!("the response has more than {limit} bytes"),
                ));
            }
        }
        Ok(whole.into_bytes())
    }

    /// The beginning of the body as text, whatever comes after it.
    pub(super) async fn excerpt(mut self, limit: usize) -> Bytes {
        let mut whole = Whole::Empty;
        // A refusal whose body never comes is a refusal all the same.
        let reading = self.read_some(&mut whole, limit);
        let _ = tokio::time::timeout(Duration::from_secs(5), reading).await;
        whole.into_bytes()
    }

    async fn read_some(&mut self, whole: &mut Whole, limit: usize) {
        while let Some(Ok(frame)) = self.frame().await {
            if frame
                .into_data()
                .is_ok_and(|data| whole.push(data) >= limit)
            {
                return;
            }
        }
    }

    /// Lets go of a body whose last message has been read: where its end is there, or comes
    /// within a second, the connection is used again.
    pub(super) fn finish(mut self) {
        if self.lease.is_none() {
            return;
        }
        let mut cx = Context::from_waker(std::task::Waker::noop());
        while let Poll::Ready(frame) = Pin::new(&mut self).poll_frame(&mut cx) {
            if frame.is_none_or(|frame| frame.is_err()) {
                return;
            }
        }
        tokio::spawn(async move {
            let rest = self.collect(64 * 1024);
            let _ = tokio::time::timeout(Duration::from_secs(1), rest).await;
        });
    }
}

/// Most bodies come in one piece, which then need not be copied.
enum Whole {
    Empty,
    One(Bytes),
    Many(BytesMut),
}

impl Whole {
    /// Appends, and says how long it is now.
    fn push(&mut self, data: Bytes) -> usize {
        *self = match std::mem::replace(self, Self::Empty) {
            Self::Empty => Self::One(data),
            Self::One(first) => {
                let mut many = BytesMut::with_capacity(2 * (first.len() + data.len()));
                many.extend_from_slice(&first);
                many.extend_from_slice(&data);
                Self::Many(many)
            }
            Self::Many(mut many) => {
                many.extend_from_slice(&data);
                Self::Many(many)
            }
        };
        match self {
            Self::Empty => 0,
            Self::One(one) => one.len(),
            Self::Many(many) => many.len(),
        }
    }

    fn into_bytes(self) -> Bytes {
        match self {
            Self::Empty => Bytes::new(),
            Self::One(one) => one,
            Self::Many(many) => many.freeze(),
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(cx));
        match &frame {
            None => self.release(),
            Some(Ok(_)) => self.release_at_end(),
            Some(Err(_)) => self.lease = None,
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseBody")
            .field("leased", &self.lease.is_some())
            .finish_non_exhaustive()
    }
}
