//! The calls of tools that are in flight, so that what the server says meanwhile can be told
//! whose it is.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::Extensions;
use mcp_jsonrpc::Id;
use mcp_transport::CallId;
use tokio::sync::Notify;

/// How many calls that have ended can still be found by their request: what came before the
/// answer may be handed over after it.
const ENDED: usize = 16;

/// The calls of tools that are in flight on a session, those that have become tasks included.
#[derive(Clone, Debug, Default)]
pub(crate) struct Active(Arc<Mutex<Calls>>);

#[derive(Debug, Default)]
struct Calls {
    now: Vec<InFlight>,
    ended: VecDeque<InFlight>,
    /// The name of the tool that was called last.
    latest: Option<Arc<str>>,
}

impl Calls {
    fn add(&mut self, call: &InFlight) {
        call.moves_to(self.now.len());
        self.now.push(call.clone());
    }

    /// Takes a call out that is in flight; the last one takes its place.
    fn remove(&mut self, call: &InFlight) -> InFlight {
        let at = call.0.place.load(Ordering::Relaxed);
        let removed = self.now.swap_remove(at);
        if let Some(moved) = self.now.get(at) {
            moved.moves_to(at);
        }
        removed
    }

    /// The name of a tool. Calls of the same tool one after another share it.
    fn name(&mut self, tool: &str) -> Arc<str> {
        self.latest.take_if(|latest| **latest != *tool);
        Arc::clone(self.latest.get_or_insert_with(|| tool.into()))
    }
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub(crate) struct InFlight(Arc<Entry>);

#[derive(Debug)]
struct Entry {
    /// `None` for a task that was found again by its id.
    tool: Option<Arc<str>>,
    extensions: Arc<Extensions>,
    /// Where it stands among the calls in flight. Written and read under their lock.
    place: AtomicUsize,
    state: Mutex<State>,
    /// The server has said that its task has changed.
    changed: Notify,
}

/// What the call is at the moment.
#[derive(Debug, Default)]
struct State {
    /// Where a transport notes it. A call that asks for input is made of several requests, one
    /// after another.
    request: Option<CallId>,
    task: Option<String>,
}

impl State {
    fn id(&self) -> Option<&Id> {
        self.request.as_ref()?.get()
    }
}

impl InFlight {
    pub(crate) fn tool(&self) -> Option<Arc<str>> {
        self.0.tool.clone()
    }

    pub(crate) fn extensions(&self) -> Arc<Extensions> {
        Arc::clone(&self.0.extensions)
    }

    /// The call is another request from now on: the one that gets this id.
    pub(crate) fn becomes_request(&self) -> CallId {
        let id = CallId::new();
        self.state().request = Some(id.clone());
        id
    }

    /// The call is this task from now on.
    pub(crate) fn becomes_task(&self, id: &str) {
        self.state().task = Some(id.to_owned());
    }

    /// Waits until the server says that the task has changed.
    ///
    /// # Cancel safety
    /// Dropping the future loses nothing.
    pub(crate) async fn changed(&self) {
        self.0.changed.notified().await;
    }

    fn moves_to(&self, place: usize) {
        self.0.place.store(place, Ordering::Relaxed);
    }

    fn is_request(&self, id: &Id) -> bool {
        self.state().id() == Some(id)
    }

    fn is_task(&self, id: &str) -> bool {
        self.state().task.as_deref() == Some(id)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Active {
    /// Notes a call until the guard is dropped.
    pub(crate) fn enter(&self, tool: Option<&str>, extensions: &Arc<Extensions>) -> ActiveCall {
        let mut calls = self.lock();
        let call = InFlight(Arc::new(Entry {
            tool: tool.map(|tool| calls.name(tool)),
            extensions: Arc::clone(extensions),
            place: AtomicUsize::default(),
            state: Mutex::default(),
            changed: Notify::new(),
        }));
        calls.add(&call);
        drop(calls);
        ActiveCall {
            active: self.clone(),
            call,
        }
    }

    /// The one call in flight; `None` where there are more, or none.
    pub(crate) fn only(&self) -> Option<InFlight> {
        match self.lock().now.as_slice() {
            [call] => Some(call.clone()),
            _ => None,
        }
    }

    /// The call that this request belongs to, which may just have ended.
    pub(crate) fn of_request(&self, id: &Id) -> Option<InFlight> {
        let calls = self.lock();
        let mut all = calls.now.iter().chain(&calls.ended);
        all.find(|call| call.is_request(id)).cloned()
    }

    /// The call that has become this task.
    pub(crate) fn of_task(&self, id: &str) -> Option<InFlight> {
        let calls = self.lock();
        calls.now.iter().find(|call| call.is_task(id)).cloned()
    }

    /// Wakes whoever waits for this task.
    pub(crate) fn task_changed(&self, id: &str) {
        if let Some(call) = self.of_task(id) {
            call.0.changed.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call in flight, until this is dropped.
#[derive(Debug)]
pub(crate) struct ActiveCall {
    active: Active,
    pub(crate) call: InFlight,
}

impl Drop for ActiveCall {
    fn drop(&mut self) {
        let mut calls = self.active.lock();
        let call = calls.remove(&self.call);
        // Without an id no transport can have told what belongs to it.
        if call.state().id().is_some() {
            calls.ended.truncate(ENDED - 1);
            calls.ended.push_front(call);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::Extensions;

    use super::Active;

    #[test]
    fn calls_end_in_any_order_and_the_others_are_still_found() {
        let (active, extensions) = (Active::default(), Arc::new(Extensions::new()));
        let enter = |task: &str| {
            let entered = active.enter(Some("echo"), &extensions);
            entered.call.becomes_task(task);
            entered
        };
        let [first, second, third] = ["1", "2", "3"].map(enter);
        drop(first);
        assert!(active.of_task("1").is_none());
        assert!(active.of_task("2").is_some() && active.of_task("3").is_some());
        let fourth = enter("4");
        drop(third);
        drop(second);
        assert!(active.only().is_some() && active.of_task("4").is_some());
        drop(fourth);
        assert!(active.only().is_none());
    }
}
