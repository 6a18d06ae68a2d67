//! Requests by the server, in the handshake era: out by a stream, answered by a POST.

use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

use mcp_jsonrpc::{DecodeError, Id, Message, Notification, RawJson, Request, Response};
use mcp_transport::{Call, CallError, Delivery, TransportErrorKind};
use tokio::sync::oneshot;

use super::exchange::not_sent;
use super::outbox::Outbox;
use super::session::{Answer, Session};
use crate::alarm::Alarms;
use crate::deadline::Deadline;
use crate::progress::ProgressGuard;

/// How many of our requests a client may leave unanswered.
const MAX_ASKED: usize = 256;

impl Session {
    fn asked(&self) -> MutexGuard<'_, std::collections::HashMap<u64, Answer>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request by the stream of the request that it belongs to, as long as somebody
    /// reads it, else by the one that GET opens.
    pub(super) async fn ask(&self, call: Call, via: &Outbox) -> Result<RawJson, CallError> {
        let ended = || not_sent(TransportErrorKind::Ended, "the session has ended");
        let via = if via.has_reader() && !via.is_done() {
            via
        } else {
            &self.lane
        };
        let number = self.next_id.fetch_add(1, Ordering::Relaxed);
        let id = Id::from(number);
        if let Some(place) = &call.id {
            place.set(&id);
        }
        let (sender, answer) = oneshot::channel();
        {
            let mut asked = self.asked();
            if asked.len() >= MAX_ASKED {
                return Err(CallError::Busy { limit: MAX_ASKED });
            }
            asked.insert(number, sender);
        }
        let mut question = Question {
            session: self,
            number,
            via,
            cancels: false,
        };
        let progress = call
            .progress
            .map(|(token, sink)| self.progress.begin(token, sink));
        let sign = progress.as_ref().map(ProgressGuard::sign);
        let alarms = Alarms::default();
        let deadline = Deadline::new(call.timeouts, sign);
        let request = Request::new(id, call.method, call.params);
        via.push(&Message::from(request)).map_err(|_| ended())?;
        question.cancels = call.cancellable;
        let outcome = tokio::select! {
            answer = answer => answer.unwrap_or_else(|_| Err(ended())),
            reason = self.ended() => {
                Err(CallError::Closed { reason, delivery: Delivery::Unknown })
            }
            after = deadline.reached(&alarms) => return Err(CallError::TimedOut { after }),
        };
        question.cancels = false;
        outcome
    }

    /// The client has answered. A question that is no longer open is left alone.
    pub(super) fn answered(&self, response: Response) {
        let sender = response
            .id
            .as_ref()
            .and_then(Id::as_u64)
            .and_then(|n| self.asked().remove(&n));
        match sender {
            // Who asked may have given up meanwhile.
            Some(sender) => drop(sender.send(response.outcome.map_err(CallError::Remote))),
            None => tracing::debug!(id = ?response.id, "an answer that nobody waits for"),
        }
    }

    /// The client has answered with something that is no response: the question fails.
    pub(super) fn answered_badly(&self, flaw: DecodeError) {
        if let DecodeError::Response { id: Some(id), .. } = &flaw
            && let Some(sender) = id.as_u64().and_then(|n| self.asked().remove(&n))
        {
            drop(sender.send(Err(CallError::Malformed(flaw))));
        }
    }
}

/// An open question; given up, the client is told.
struct Question<'a> {
    session: &'a Session,
    number: u64,
    via: &'a Outbox,
    cancels: bool,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.session.asked().remove(&self.number);
        if self.cancels {
            let params = serde_json::json!({
                "requestId": self.number,
                "reason": "nobody waits for the answer any more",
            });
            let message = Notification::new("notifications/cancelled", Some(params.into())).into();
            // Where the stream is done, the client has no stream to learn it from.
            let _ = self
                .via
                .push(&message)
                .or_else(|_| self.session.lane.push(&message));
        }
    }
}
