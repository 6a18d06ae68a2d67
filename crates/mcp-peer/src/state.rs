//! What the lock guards: the protocol core, and what callers have attached to their calls.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_jsonrpc::{Failure, Id, Notification, RawJson, Request};
use mcp_protocol::RequestContext;
use mcp_protocol::lifecycle::{Connection, Event};
use mcp_transport::{CallError, Progress, ProgressSink, TransportError};
use tokio::sync::oneshot;

/// Where the outcome of a call goes.
pub(crate) type Reply = oneshot::Sender<Result<RawJson, CallError>>;

pub(crate) struct State {
    pub(crate) connection: Box<dyn Connection<Tag = Reply> + Send>,
    /// The calls in flight, each with where its progress goes.
    pub(crate) calls: HashMap<Id, Option<ProgressSink>>,
    /// Why the connection takes no more calls.
    pub(crate) ending: Option<Arc<TransportError>>,
    /// How many bytes wait to be written, as far as is known.
    pub(crate) unwritten: usize,
    /// Whether someone waits for room.
    pub(crate) crowded: bool,
}

/// What came out of the core, ready to be done outside the lock.
pub(crate) enum Work {
    Request(Request, RequestContext),
    Notification(Notification, RequestContext),
    Cancelled(Id),
    Progress(ProgressSink, Progress),
    Ended(Reply, Result<RawJson, CallError>),
}

impl State {
    pub(crate) fn new(connection: Box<dyn Connection<Tag = Reply> + Send>) -> Self {
        Self {
            connection,
            calls: HashMap::new(),
            ending: None,
            unwritten: 0,
            crowded: false,
        }
    }

    /// The next thing to do, in the order in which the messages came in.
    pub(crate) fn poll_work(&mut self) -> Option<Work> {
        loop {
            let event = self.connection.poll_event()?;
            if let Some(work) = self.work(event) {
                return Some(work);
            }
        }
    }

    /// Gives up the calls in flight, oldest first; the peer is told.
    pub(crate) fn give_up_all(&mut self, reason: &str) -> Vec<Reply> {
        let mut ids: Vec<Id> = std::mem::take(&mut self.calls).into_keys().collect();
        ids.sort_unstable();
        let give_up = |id: &Id| self.connection.cancel(id, Some(reason));
        ids.iter().filter_map(give_up).collect()
    }

    /// Closes the core and hands back the calls that still wait.
    pub(crate) fn close(&mut self) -> Vec<Reply> {
        self.calls.clear();
        self.connection
            .close()
            .into_iter()
            .map(|(_, reply)| reply)
            .collect()
    }

    fn work(&mut self, event: Event<Reply>) -> Option<Work> {
        Some(match event {
            Event::Request { request, context } => Work::Request(request, context),
            Event::Notification {
                notification,
                context,
            } => Work::Notification(notification, context),
            Event::Cancelled { id } => Work::Cancelled(id),
            Event::Progress {
                id,
                progress,
                total,
                message,
            } => {
                let sink = self.calls.get(&id)?.clone()?;
                let mut report = Progress::new(progress);
                (report.total, report.message) = (total, message);
                Work::Progress(sink, report)
            }
            Event::Ended { id, tag, outcome } => {
                self.calls.remove(&id);
                Work::Ended(tag, outcome.map_err(call_error))
            }
            Event::Note(note) => {
                tracing::debug!(%note, "no reaction");
                return None;
            }
            _ => return None,
        })
    }
}

fn call_error(failure: Failure) -> CallError {
    match failure {
        Failure::Remote(error) => CallError::Remote(error),
        Failure::TimedOut { after } => CallError::TimedOut { after },
        Failure::Malformed(flaw) => CallError::Malformed(flaw),
    }
}
