//! Answers to a run that is still running.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;

/// Answers questions of a run while it waits, without stopping it. What asks is held open: a
/// tool call of a server that cannot be asked again later stays alive meanwhile.
///
/// A question that nobody answers within the limit stops the run like any other; see
/// [`Input::Answers`](crate::Input::Answers). Listen to
/// [`RunEvent::Asked`](crate::RunEvent::Asked) to hear of questions.
#[derive(Clone)]
pub struct LiveAnswers(Arc<Inner>);

struct Inner {
    limit: Duration,
    open: Mutex<HashMap<String, oneshot::Sender<Value>>>,
}

impl LiveAnswers {
    /// Holds each question open for at most so long.
    #[must_use]
    pub fn new(limit: Duration) -> Self {
        Self(Arc::new(Inner {
            limit,
            open: Mutex::default(),
        }))
    }

    /// Answers a question. `false` if no such question is open.
    pub fn answer(&self, id: &str, answer: impl Into<Value>) -> bool {
        let waiting = self.open().remove(id);
        waiting.is_some_and(|waiting| waiting.send(answer.into()).is_ok())
    }

    fn open(&self) -> std::sync::MutexGuard<'_, HashMap<String, oneshot::Sender<Value>>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a question; `ask` is called once it can be answered.
    ///
    /// # Cancel safety
    /// Dropping the future closes the question.
    pub(crate) async fn wait(&self, id: &str, ask: impl FnOnce()) -> Option<Value> {
        let (sender, answer) = oneshot::channel();
        self.open().insert(id.to_owned(), sender);
        let _open = Open { answers: self, id };
        ask();
        tokio::time::timeout(self.0.limit, answer).await.ok()?.ok()
    }
}

/// Closes a question that nobody waits for any more.
struct Open<'a> {
    answers: &'a LiveAnswers,
    id: &'a str,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.answers.open().remove(self.id);
    }
}

impl fmt::Debug for LiveAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveAnswers")
            .field("limit", &self.0.limit)
            .field("open", &self.open().len())
            .finish()
    }
}
