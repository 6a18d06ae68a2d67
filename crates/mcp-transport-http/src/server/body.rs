//! The body of a response: nothing, one JSON text, or a stream of events.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use mcp_jsonrpc::Message;
use tokio::time::{Instant, Sleep, sleep};

use super::exchange::Exchange;
use super::outbox::Outbox;
use super::running::Running;
use super::session::InUse;
use crate::sse::KEEP_ALIVE;

/// The body of a response of the server.
#[derive(Debug)]
pub struct AnswerBody(Kind);

#[derive(Debug)]
enum Kind {
    Full(Bytes),
    Events(Box<EventBody>),
}

impl AnswerBody {
    pub(super) const fn empty() -> Self {
        Self::full(Bytes::new())
    }

    pub(super) const fn full(text: Bytes) -> Self {
        Self(Kind::Full(text))
    }

    pub(super) fn events(body: EventBody) -> Self {
        Self(Kind::Events(Box::new(body)))
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let data = match &mut self.0 {
            Kind::Full(text) if text.is_empty() => None,
            Kind::Full(text) => Some(std::mem::take(text)),
            Kind::Events(events) => ready!(events.poll_next(cx)),
        };
        Poll::Ready(data.map(|data| Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Kind::Full(text) if text.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Full(text) => SizeHint::with_exact(text.len() as u64),
            Kind::Events(_) => SizeHint::default(),
        }
    }
}

/// Where the events come from.
enum Source {
    /// The handlers of a POST.
    Exchange(Arc<Exchange>),
    /// The session itself.
    Session(InUse),
}

/// A stream of events. As long as it is polled, it runs the handlers that fill it.
pub(super) struct EventBody {
    source: Source,
    reader: u64,
    running: Option<Running>,
    period: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl EventBody {
    /// The rest of an exchange whose handlers have begun to send.
    pub(super) fn exchange(
        exchange: Arc<Exchange>,
        reader: u64,
        running: Option<Running>,
        period: Duration,
    ) -> Self {
        Self {
            source: Source::Exchange(exchange),
            reader,
            running,
            period,
            timer: None,
        }
    }

    /// The stream that GET opens. One that was open before ends.
    pub(super) fn session(in_use: InUse, period: Duration) -> Self {
        Self {
            reader: in_use.session().lane.attach(),
            source: Source::Session(in_use),
            running: None,
            period,
            timer: None,
        }
    }

    fn outbox(&self) -> &Outbox {
        match &self.source {
            Source::Exchange(exchange) => &exchange.outbox,
            Source::Session(in_use) => &in_use.session().lane,
        }
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if let Poll::Ready(event) = self.outbox().poll_next(self.reader, cx) {
                self.timer = None;
                return Poll::Ready(event);
            }
            if !self.run(cx) {
                ready!(self.poll_timer(cx));
                return Poll::Ready(Some(Bytes::from_static(KEEP_ALIVE)));
            }
        }
    }

    /// Runs the handlers; `true` where that has left something to read.
    fn run(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(mut running) = self.running.take() else {
            return false;
        };
        let outbox = self.outbox();
        let finished = running.poll(cx, |answer| {
            // Done only when the session has ended; then nobody waits for the answer.
            let _ = outbox.push(&Message::from(answer));
        });
        if finished {
            // Its end finishes the stream.
            drop(running);
            return true;
        }
        self.running = Some(running);
        self.outbox().poll_any(cx).is_ready()
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let period = self.period;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(period)));
        ready!(timer.as_mut().poll(cx));
        timer.as_mut().reset(Instant::now() + period);
        Poll::Ready(())
    }
}

impl Drop for EventBody {
    fn drop(&mut self) {
        self.outbox().detach(self.reader);
    }
}

impl fmt::Debug for EventBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventBody")
            .field("outbox", self.outbox())
            .finish_non_exhaustive()
    }
}
