//! One call, from its permit to its answer, or to the moment when its caller walks away.

use std::time::Duration;

use mcp_jsonrpc::{Id, Notification, RawJson};
use mcp_transport::{Call, CallError, Delivery, Timeouts};
use tokio::sync::SemaphorePermit;

use crate::reply::reply;
use crate::shared::{Shared, closed};

/// # Cancel safety
/// Dropping the future cancels the call.
pub(crate) async fn call(shared: &Shared, call: Call) -> Result<RawJson, CallError> {
    let _permit = permit(shared, call.timeouts).await?;
    let (reply, answer) = reply();
    let mut waiting = Waiting {
        shared,
        id: Some(shared.begin(call, reply)?),
    };
    let outcome = answer.await;
    waiting.id = None;
    outcome.unwrap_or_else(|| Err(closed(&shared.reason(), Delivery::Unknown)))
}

/// Waits for room among the unwritten bytes, then queues the notification.
///
/// # Cancel safety
/// Dropping the future before it is done sends nothing.
pub(crate) async fn notify(shared: &Shared, notification: Notification) -> Result<(), CallError> {
    let mut left = notification;
    loop {
        let room = shared.room.notified();
        tokio::pin!(room);
        room.as_mut().enable();
        match shared.try_notify(left)? {
            None => return Ok(()),
            Some(notification) => left = notification,
        }
        room.await;
    }
}

/// Waits for one of the calls in flight to end, where there are too many.
async fn permit(shared: &Shared, timeouts: Timeouts) -> Result<SemaphorePermit<'_>, CallError> {
    if let Ok(permit) = shared.permits.try_acquire() {
        return Ok(permit);
    }
    let limit = [timeouts.idle, timeouts.total].into_iter().flatten().min();
    let limit = limit.unwrap_or(Duration::MAX);
    match tokio::time::timeout(limit, shared.permits.acquire()).await {
        Ok(Ok(permit)) => Ok(permit),
        Ok(Err(_)) => Err(closed(&shared.reason(), Delivery::NotSent)),
        Err(_) => Err(CallError::Busy {
            limit: shared.max_calls,
        }),
    }
}

/// A call in flight. Dropping it while there is an id gives the call up.
struct Waiting<'a> {
    shared: &'a Shared,
    id: Option<Id>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.shared.give_up(id);
        }
    }
}
