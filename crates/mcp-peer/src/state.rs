//! What the lock guards: the protocol core, and what callers have attached to their calls.

use std::sync::Arc;

use mcp_jsonrpc::{Failure, Id, IdMap, Notification, Packet, RawJson, Request};
use mcp_protocol::RequestContext;
use mcp_protocol::lifecycle::{Connection, Event};
use mcp_transport::{CallError, Progress, ProgressSink, TransportError};
use tokio::time::Instant;

use crate::outlet::Outlet;
use crate::reply::Reply;

pub(crate) struct State {
    pub(crate) connection: Box<dyn Connection<Tag = Reply> + Send>,
    /// The calls in flight, each with where its progress goes.
    pub(crate) calls: IdMap<Option<ProgressSink>>,
    /// How many of them there were when the driver last looked.
    pub(crate) in_flight: usize,
    /// The way out, while nobody writes.
    pub(crate) outlet: Option<Box<dyn Outlet>>,
    /// Whether the driver has looked for it in vain.
    pub(crate) missed: bool,
    /// When the driver looks at the time next.
    pub(crate) alarm: Option<Instant>,
    /// Why the connection takes no more calls.
    pub(crate) ending: Option<Arc<TransportError>>,
    /// Whether there is no driver any more.
    pub(crate) over: bool,
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
            calls: IdMap::default(),
            in_flight: 0,
            outlet: None,
            missed: false,
            alarm: None,
            ending: None,
            over: false,
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

    /// Takes what is to be sent, unless somebody writes: what they have taken goes first. Gives
    /// the way out back, unless it may rest and there is nothing to write.
    pub(crate) fn take_packets(
        &mut self,
        outlet: Option<Box<dyn Outlet>>,
        may_rest: bool,
        packets: &mut Vec<Packet>,
    ) -> Option<Box<dyn Outlet>> {
        let outlet = outlet.or_else(|| self.outlet.take());
        self.missed = outlet.is_none();
        let outlet = outlet?;
        packets.extend(std::iter::from_fn(|| self.connection.poll_transmit()));
        if may_rest && packets.is_empty() && outlet.pending() == 0 {
            self.outlet = Some(outlet);
            return None;
        }
        Some(outlet)
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
