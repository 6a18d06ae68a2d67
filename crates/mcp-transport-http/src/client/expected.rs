//! Calls whose answers come by a stream that they share, as in 2024-11-05.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_jsonrpc::{Id, RawJson};
use mcp_transport::CallError;
use tokio::sync::oneshot;

type Answer = Result<RawJson, CallError>;

/// The calls that wait, by id.
#[derive(Debug, Default)]
pub(super) struct Expectations(Mutex<HashMap<Id, oneshot::Sender<Answer>>>);

impl Expectations {
    fn lock(&self) -> MutexGuard<'_, HashMap<Id, oneshot::Sender<Answer>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to this call will come by a shared stream.
    pub(super) fn expect(&self, id: &Id) -> Expected<'_> {
        let (sender, answer) = oneshot::channel();
        self.lock().insert(id.clone(), sender);
        Expected {
            all: self,
            id: id.clone(),
            answer,
        }
    }

    /// Hands an answer to the call that expects it.
    pub(super) fn hand_out(&self, id: Option<&Id>, answer: Answer) {
        match id.and_then(|id| self.lock().remove(id)) {
            Some(sender) => drop(sender.send(answer)),
            None => tracing::debug!(?id, "an answer that nobody waits for"),
        }
    }
}

/// A call that waits for its answer to come by a shared stream.
pub(super) struct Expected<'a> {
    all: &'a Expectations,
    id: Id,
    answer: oneshot::Receiver<Answer>,
}

impl Expected<'_> {
    pub(super) async fn wait(mut self) -> Answer {
        match (&mut self.answer).await {
            Ok(answer) => answer,
            // The stream has ended; whoever ended it says why.
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        self.all.lock().remove(&self.id);
    }
}
