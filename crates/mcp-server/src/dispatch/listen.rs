//! `subscriptions/listen`, since 2026-07-28.

use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, Id, Notification, RawJson};
use mcp_protocol::subscriptions::SubscriptionsAcknowledged;
use mcp_protocol::{
    ClientCapabilities, Meta, MissingRequiredClientCapabilityError, NotificationParams,
    ResourceUpdatedParams, RpcNotification, SubscriptionFilter, SubscriptionsAcknowledgedParams,
    SubscriptionsListenParams, SubscriptionsListenResult, tasks::EXTENSION,
};
use serde::Serialize;

use super::{Answer, Answering, Call, decode, now, params_of, reply, tasks};
use crate::changes::{Change, Changes, Listener};
use crate::server::Shared;
use crate::tasks::Owner;

pub(super) fn answer(server: &Arc<Shared>, call: Call) -> Answering {
    begin(server, call).unwrap_or_else(|error| now(Err(error)))
}

fn begin(server: &Arc<Shared>, call: Call) -> Result<Answering, ErrorObject> {
    let raw = params_of(&call);
    let params: SubscriptionsListenParams = decode(&raw, &call.message.method)?;
    let wanted = check(&params.notifications, &call.context.client_capabilities)?;
    let Some(changes) = &server.changes else {
        return Err(ErrorObject::method_not_found(&call.message.method));
    };
    let mut honoured = wanted.honoured_by(&server.identity.capabilities);
    let owner = tasks::owner(server, &call.extensions, call.session.as_ref());
    if let Some(ids) = &mut honoured.task_ids {
        let own = |id: &String| server.tasks.as_ref()?.get(id, &owner);
        ids.retain(|id| own(id).is_some());
    }
    let listener = changes.listen(Listener::new(honoured.clone()));
    let listening = listen(Arc::clone(server), call, listener, (honoured, owner));
    Ok(Box::pin(listening))
}

fn check<'a>(
    wanted: &'a SubscriptionFilter,
    client: &ClientCapabilities,
) -> Result<&'a SubscriptionFilter, ErrorObject> {
    if wanted.task_ids.is_some() && !client.has_extension(EXTENSION) {
        let extensions = [(EXTENSION.to_owned(), serde_json::json!({}))];
        let required =
            ClientCapabilities::new().with_extensions(serde_json::Map::from_iter(extensions));
        return Err(MissingRequiredClientCapabilityError::new(required).into());
    }
    let resources = wanted.resource_subscriptions.as_ref().map_or(0, Vec::len);
    if resources > Changes::MAX_SUBSCRIPTIONS {
        return Err(ErrorObject::invalid_params(format!(
            "{resources} resources are more than the {} that a request may subscribe to",
            Changes::MAX_SUBSCRIPTIONS
        )));
    }
    Ok(wanted)
}

/// Tells of changes until the client gives the request up, which drops this, or the server or the
/// connection ends.
async fn listen(
    server: Arc<Shared>,
    call: Call,
    listener: Arc<Listener>,
    (honoured, owner): (SubscriptionFilter, Owner),
) -> Answer {
    let id = &call.message.id;
    let ack = SubscriptionsAcknowledgedParams::new(id, honoured);
    tokio::select! {
        // Nothing can be told any more then.
        biased;
        () = call.channel.ending() => {}
        told = tell(&server, &call, &listener, (&ack, &owner)) => told?,
    }
    reply(SubscriptionsListenResult::new(id), &server, &call.context)
}

async fn tell(
    server: &Shared,
    call: &Call,
    listener: &Listener,
    (ack, owner): (&SubscriptionsAcknowledgedParams, &Owner),
) -> Result<(), ErrorObject> {
    let ack = Notification::new(SubscriptionsAcknowledged::METHOD, Some(encode(ack)?));
    // Who cannot be told any more may still take the result.
    let mut listens = call.channel.notify(ack).await.is_ok();
    while listens {
        let news = listener.news().await;
        for change in news.changes() {
            if let Some(params) = params(server, change, &call.message.id, owner)? {
                let notification = Notification::new(change.method(), Some(params));
                listens &= call.channel.notify(notification).await.is_ok();
            }
        }
        listens &= !news.over;
    }
    Ok(())
}

/// What is told of a change; nothing of a task that is no longer there.
fn params(
    server: &Shared,
    change: Change<'_>,
    subscription: &Id,
    owner: &Owner,
) -> Result<Option<RawJson>, ErrorObject> {
    let mut meta = Meta::new();
    meta.set_subscription_id(subscription);
    match change {
        Change::Updated(uri) => encode(&ResourceUpdatedParams::new(uri).with_meta(meta)),
        Change::Task(id) => {
            let work = server.tasks.as_ref().and_then(|tasks| tasks.get(id, owner));
            return work
                .map(|work| encode(&work.details().with_meta(meta)))
                .transpose();
        }
        _ => encode(&NotificationParams::new().with_meta(meta)),
    }
    .map(Some)
}

fn encode(params: &impl Serialize) -> Result<RawJson, ErrorObject> {
    RawJson::encode(params).map_err(|error| ErrorObject::internal(error.to_string()))
}
