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
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::exchange::Exchange;
use super::outbox::{Outbox, Read};
use super::replay::event_id;
use super::running::Running;
use super::session::InUse;
use crate::sse::{KEEP_ALIVE, encode_priming};

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
    Exchange(
        Arc<Exchange>,
        #[expect(dead_code, reason = "held")] Option<InUse>,
    ),
    /// The session itself.
    Session(InUse),
}

/// A stream of events. As long as it is polled, it runs the handlers that fill it.
pub(super) struct EventBody {
    source: Source,
    reader: u64,
    /// What the ids of its events begin with, where they have any.
    label: Option<u64>,
    /// What is to be written before the next event.
    next: Option<Bytes>,
    ended: bool,
    running: Option<Running>,
    /// Ends it, come what may, and what is said then.
    until: Option<(Pin<Box<WaitForCancellationFutureOwned>>, Message)>,
    period: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl EventBody {
    fn new(source: Source, reader: u64, label: Option<u64>, period: Duration) -> Self {
        Self {
            source,
            reader,
            label,
            next: None,
            ended: false,
            running: None,
            until: None,
            period,
            timer: None,
        }
    }

    /// The rest of an exchange whose handlers have begun to send.
    pub(super) fn exchange(
        exchange: Arc<Exchange>,
        reader: u64,
        label: Option<u64>,
        period: Duration,
    ) -> Self {
        Self::new(Source::Exchange(exchange, None), reader, label, period)
    }

    /// An exchange whose stream was broken off.
    pub(super) fn resumed(
        exchange: Arc<Exchange>,
        reader: u64,
        label: u64,
        in_use: InUse,
        period: Duration,
    ) -> Self {
        let source = Source::Exchange(exchange, Some(in_use));
        Self::new(source, reader, Some(label), period)
    }

    /// The stream that belongs to the session itself.
    pub(super) fn session(
        in_use: InUse,
        reader: u64,
        label: Option<u64>,
        period: Duration,
    ) -> Self {
        Self::new(Source::Session(in_use), reader, label, period)
    }

    /// Runs these handlers.
    pub(super) fn running(mut self, running: Option<Running>) -> Self {
        self.running = running;
        self
    }

    /// Ends with this message when `end` is cancelled, even if its handlers do not.
    pub(super) fn until(mut self, end: CancellationToken, last: Message) -> Self {
        self.until = Some((Box::pin(end.cancelled_owned()), last));
        self
    }

    /// Begins with an event that has no data: from here the client can come back.
    pub(super) fn primed(mut self) -> Self {
        if let Some(label) = self.label {
            let mut event = Vec::new();
            let id = event_id(label, self.outbox().position());
            encode_priming(&id, None, &mut event);
            self.next = Some(event.into());
        }
        self
    }

    fn outbox(&self) -> &Outbox {
        match &self.source {
            Source::Exchange(exchange, _) => &exchange.outbox,
            Source::Session(in_use) => &in_use.session().lane,
        }
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(next) = self.next.take() {
            return Poll::Ready(Some(next));
        }
        if self.ended {
            return Poll::Ready(None);
        }
        loop {
            if let Poll::Ready(read) = self.outbox().poll_next(self.reader, cx) {
                self.timer = None;
                return Poll::Ready(self.write(read));
            }
            if self.run(cx) {
                continue;
            }
            if self.end(cx) {
                continue;
            }
            ready!(self.poll_timer(cx));
            return Poll::Ready(Some(Bytes::from_static(KEEP_ALIVE)));
        }
    }

    /// Ends it where it is time to; `true` where that has left something to read.
    fn end(&mut self, cx: &mut Context<'_>) -> bool {
        let is_time = |(end, _): &mut (Pin<Box<WaitForCancellationFutureOwned>>, Message)| {
            end.as_mut().poll(cx).is_ready()
        };
        let Some((_, last)) = self.until.take_if(is_time) else {
            return false;
        };
        // Done only when its handlers have just answered.
        let _ = self.outbox().push(&last);
        // Their end finishes the stream.
        self.running = None;
        true
    }

    fn write(&mut self, read: Read) -> Option<Bytes> {
        match (read, self.label) {
            (Read::Event(_, event), None) => Some(event),
            (Read::Event(number, event), Some(label)) => {
                self.next = Some(event);
                Some(format!("id: {}\n", event_id(label, number)).into())
            }
            (Read::Later(retry), _) => {
                self.ended = true;
                Some(format!("retry: {}\n\n", retry.as_millis()).into())
            }
            (Read::End, _) => {
                self.ended = true;
                None
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
