//! The requests of one POST being answered, in the response itself: no task, unless the client
//! goes away and they have to go on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use mcp_jsonrpc::{ErrorObject, Id, Message, RawJson, Response};
use mcp_transport::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::exchange::Exchange;
use super::session::{InFlight, InUse};

type Work = BoxFuture<'static, Result<RawJson, ErrorObject>>;

/// One request being answered.
pub(super) struct Task {
    id: Id,
    token: CancellationToken,
    work: Option<Work>,
    /// Its place among the requests of the session.
    place: Option<InFlight>,
}

impl Task {
    /// Starts a handler. A panic of it is an answer, too.
    pub(super) fn start(
        id: Id,
        token: CancellationToken,
        place: Option<InFlight>,
        start: impl FnOnce() -> Work,
    ) -> Self {
        let work = catch_unwind(AssertUnwindSafe(start))
            .unwrap_or_else(|_| Box::pin(std::future::ready(panicked())));
        Self {
            id,
            token,
            work: Some(work),
            place,
        }
    }

    const fn is_finished(&self) -> bool {
        self.work.is_none()
    }

    /// Polls it once; its answer where that finished it. Given up by the client, it has none.
    fn poll(&mut self, cx: &mut Context<'_>) -> Option<Response> {
        let work = self.work.as_mut()?;
        if self.token.is_cancelled() {
            self.end();
            return None;
        }
        let outcome = match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
            Ok(Poll::Pending) => return None,
            Ok(Poll::Ready(outcome)) => outcome,
            Err(_) => panicked(),
        };
        self.end();
        Some(Response::new(self.id.clone(), outcome))
    }

    fn end(&mut self) {
        self.work = None;
        self.place = None;
    }
}

fn panicked() -> Result<RawJson, ErrorObject> {
    tracing::error!("a request handler panicked");
    Err(ErrorObject::internal("the handler failed"))
}

/// A place among the requests that a server answers at once.
pub(super) struct Slot(Arc<Shared>);

impl Slot {
    /// `None` where all are taken.
    pub(super) fn take(shared: &Arc<Shared>) -> Option<Self> {
        // Before the look, so that two cannot both take the last.
        let before = shared.in_flight.fetch_add(1, Ordering::AcqRel);
        let slot = Self(Arc::clone(shared));
        (before < shared.options.max_in_flight).then_some(slot)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What runs, and what it holds.
pub(super) struct Running(Option<Inner>);

struct Inner {
    exchange: Arc<Exchange>,
    first: Option<Task>,
    /// The others of a batch.
    rest: Vec<Task>,
    disconnect_cancels: bool,
    slot: Slot,
    _in_use: Option<InUse>,
}

impl Running {
    /// `disconnect_cancels` says whether the end of the response ends the handlers.
    pub(super) const fn new(
        exchange: Arc<Exchange>,
        first: Option<Task>,
        disconnect_cancels: bool,
        slot: Slot,
        in_use: Option<InUse>,
    ) -> Self {
        Self(Some(Inner {
            exchange,
            first,
            rest: Vec::new(),
            disconnect_cancels,
            slot,
            _in_use: in_use,
        }))
    }

    pub(super) fn add(&mut self, task: Task) {
        if let Some(inner) = &mut self.0 {
            inner.rest.push(task);
        }
    }

    /// Polls what still runs and hands out the answers; `true` when nothing runs any more.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, answers: impl FnMut(Response)) -> bool {
        self.0.as_mut().is_none_or(|inner| inner.poll(cx, answers))
    }
}

impl Inner {
    fn poll(&mut self, cx: &mut Context<'_>, mut answers: impl FnMut(Response)) -> bool {
        // Before the tokens are looked at, so that no cancellation is missed.
        self.exchange.drive(cx);
        let mut finished = true;
        for task in self.first.iter_mut().chain(&mut self.rest) {
            task.poll(cx).into_iter().for_each(&mut answers);
            finished &= task.is_finished();
        }
        finished
    }

    fn is_finished(&self) -> bool {
        self.first.iter().chain(&self.rest).all(Task::is_finished)
    }

    /// Goes on without a client; who resumes the stream finds what it says.
    async fn go_on(mut self) {
        std::future::poll_fn(|cx| {
            let exchange = Arc::clone(&self.exchange);
            let push = |answer: Response| {
                // Done only when the session has ended.
                let _ = exchange.outbox.push(&Message::from(answer));
            };
            if self.poll(cx, push) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
        self.exchange.outbox.finish();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(inner) = self.0.take() else { return };
        let runtime = tokio::runtime::Handle::try_current();
        match runtime {
            Ok(runtime) if !inner.disconnect_cancels && !inner.is_finished() => {
                let tasks = inner.slot.0.tasks.clone();
                tasks.spawn_on(inner.go_on(), &runtime);
            }
            _ => {
                for task in inner
                    .first
                    .iter()
                    .chain(&inner.rest)
                    .filter(|t| !t.is_finished())
                {
                    task.token.cancel();
                }
                inner.exchange.outbox.finish();
            }
        }
    }
}
