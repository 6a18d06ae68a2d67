//! What clients tell of their own accord, for whoever wants to know.

use std::future::ready;
use std::sync::Arc;

use mcp_jsonrpc::Notification;
use mcp_protocol::{ClientNotification, RequestContext};
use mcp_transport::{BoxFuture, Incoming};

use crate::Context;
use crate::server::Shared;
use crate::tasks::Followed;

/// Takes one notification at a time.
pub(crate) type Hook =
    Box<dyn Fn(ClientNotification, Context) -> BoxFuture<'static, ()> + Send + Sync>;

/// Takes a notification of a client.
pub(crate) fn take(
    server: &Arc<Shared>,
    incoming: Incoming<Notification, RequestContext>,
) -> BoxFuture<'static, ()> {
    let message = &incoming.message;
    match ClientNotification::decode(&message.method, message.params.as_ref()) {
        // Progress of what is asked comes to who asks; this is of nothing that is still asked.
        Ok(ClientNotification::Progress(_)) => {}
        Ok(notification) => {
            if let (ClientNotification::TaskStatus(task), Some(session)) =
                (&notification, &incoming.session)
            {
                session.state::<Followed>().changed(&task.task.task_id);
            }
            if let Some(hook) = &server.hook {
                return hand_over(hook, notification, Context::new(server, incoming, None));
            }
        }
        Err(error) => {
            tracing::debug!(method = %incoming.message.method, %error, "ignored");
        }
    }
    Box::pin(ready(()))
}

fn hand_over(hook: &Hook, notification: ClientNotification, cx: Context) -> BoxFuture<'static, ()> {
    let running = hook(notification, cx.clone());
    Box::pin(async move {
        let _answered = cx.until_answered();
        running.await;
    })
}
