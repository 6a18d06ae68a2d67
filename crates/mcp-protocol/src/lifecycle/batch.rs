//! Answers to the batches of 2025-03-26, collected until each batch has all of its own.

use mcp_jsonrpc::{Id, Message, Response};

/// The batches that still miss answers. Bounded by the requests in flight.
#[derive(Debug, Default)]
pub(super) struct Batches(Vec<Group>);

#[derive(Debug, Default)]
struct Group {
    waiting: Vec<Id>,
    ready: Vec<Message>,
}

impl Batches {
    /// Opens a batch that waits for these requests and already has these answers. Gives the
    /// answers back at once if that is all of them and there are any.
    pub(super) fn open(&mut self, waiting: Vec<Id>, ready: Vec<Message>) -> Option<Vec<Message>> {
        if waiting.is_empty() {
            return Some(ready).filter(|ready| !ready.is_empty());
        }
        self.0.push(Group { waiting, ready });
        None
    }

    /// Whether a batch waits for the answer to this request.
    pub(super) fn hold(&self, id: &Id) -> bool {
        self.position(Some(id)).is_some()
    }

    /// Takes an answer.
    pub(super) fn collect(&mut self, response: Response) -> Collected {
        let Some(at) = self.position(response.id.as_ref()) else {
            return Collected::Foreign(response);
        };
        self.settle(at, Some(response))
    }

    /// A request that will not be answered after all.
    pub(super) fn withdraw(&mut self, id: &Id) -> Option<Vec<Message>> {
        let at = self.position(Some(id))?;
        let group = self.0.get_mut(at)?;
        group.waiting.retain(|waiting| waiting != id);
        match self.settle(at, None) {
            Collected::Complete(answers) => Some(answers),
            Collected::Foreign(_) | Collected::Kept => None,
        }
    }

    fn position(&self, id: Option<&Id>) -> Option<usize> {
        let id = id?;
        self.0.iter().position(|group| group.waiting.contains(id))
    }

    fn settle(&mut self, at: usize, response: Option<Response>) -> Collected {
        let Some(group) = self.0.get_mut(at) else {
            return Collected::Kept;
        };
        if let Some(response) = response {
            group.waiting.retain(|id| Some(id) != response.id.as_ref());
            group.ready.push(response.into());
        }
        if !group.waiting.is_empty() {
            return Collected::Kept;
        }
        let group = self.0.swap_remove(at);
        if group.ready.is_empty() {
            Collected::Kept
        } else {
            Collected::Complete(group.ready)
        }
    }
}

/// What became of an answer.
#[derive(Debug)]
pub(super) enum Collected {
    /// It belongs to no batch.
    Foreign(Response),
    /// Its batch waits for more.
    Kept,
    /// It was the last one: these go out as one array.
    Complete(Vec<Message>),
}
