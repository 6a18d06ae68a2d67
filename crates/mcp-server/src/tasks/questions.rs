//! What a task asks its client, and who carries the question there.

use std::collections::HashMap;
use std::time::Duration;

use mcp_jsonrpc::{MethodName, RawJson};
use mcp_protocol::{InputRequest, InputRequests};
use mcp_transport::{Call, CallError, Timeouts};
use tokio::sync::oneshot;

/// What comes back for a question.
pub(crate) type Answered = Result<RawJson, CallError>;

/// The open questions of a task, in the order in which they were asked.
#[derive(Debug, Default)]
pub(super) struct Questions {
    open: Vec<Question>,
    /// How often each key was asked for. Keys on the wire are never used again in a task.
    uses: HashMap<String, usize>,
}

#[derive(Debug)]
struct Question {
    key: String,
    asked: Asked,
    answer: oneshot::Sender<Answered>,
    /// A `tasks/result` request has taken it to the client.
    taken: bool,
}

/// One question.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: MethodName,
    pub(crate) params: RawJson,
}

impl Asked {
    /// The question as a request of the server's own.
    pub(crate) fn into_call(self, timeout: Duration) -> Call {
        let mut call = Call::new(self.method, Some(self.params));
        call.timeouts = Timeouts::within(timeout);
        call
    }
}

impl Questions {
    pub(super) fn ask(&mut self, key: &str, asked: Asked) -> oneshot::Receiver<Answered> {
        let (answer, answered) = oneshot::channel();
        let key = self.unused(key);
        self.open.push(Question {
            key,
            asked,
            answer,
            taken: false,
        });
        answered
    }

    fn unused(&mut self, key: &str) -> String {
        let mut unused = key.to_owned();
        loop {
            let uses = self.uses.entry(unused.clone()).or_default();
            *uses += 1;
            if *uses == 1 {
                return unused;
            }
            // Which may be a key of its own that was used before.
            unused = format!("{unused}#{uses}");
        }
    }

    /// Hands over an answer. `false` if nobody has asked that, or nobody waits any more.
    pub(super) fn answer(&mut self, key: &str, answer: Answered) -> bool {
        let place = self.open.iter().position(|question| question.key == key);
        let Some(place) = place else {
            return false;
        };
        self.open.remove(place).answer.send(answer).is_ok()
    }

    /// A question that nobody has taken to the client yet.
    pub(super) fn take(&mut self) -> Option<(String, Asked)> {
        let question = self.open.iter_mut().find(|question| !question.taken)?;
        question.taken = true;
        Some((question.key.clone(), question.asked.clone()))
    }

    /// Who has taken the question has not brought an answer.
    pub(super) fn put_back(&mut self, key: &str) {
        let found = self.open.iter_mut().find(|question| question.key == key);
        if let Some(question) = found {
            question.taken = false;
        }
    }

    /// Forgets questions whose handler waits no longer.
    pub(super) fn forget_given_up(&mut self) {
        self.open.retain(|question| !question.answer.is_closed());
    }

    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The questions as the extension shows them.
    pub(super) fn requests(&self) -> InputRequests {
        let request = |question: &Question| {
            let request = InputRequest::Other {
                method: question.asked.method.as_str().to_owned(),
                params: Some(question.asked.params.clone()),
            };
            (question.key.clone(), request)
        };
        self.open.iter().map(request).collect()
    }
}
