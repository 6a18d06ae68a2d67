//! Subscriptions: one long request through which a server tells of changes.

use mcp_jsonrpc::Id;
use serde::{Deserialize, Serialize};

use crate::{Extra, Meta, RequestMeta, ResultType, ServerCapabilities};

request! {
    /// `subscriptions/listen`: asks to be told of changes until the request ends.
    ///
    /// Specification: Subscriptions. Since 2026-07-28.
    SubscriptionsListen = "subscriptions/listen":
        SubscriptionsListenParams => SubscriptionsListenResult
}

notification! {
    /// `notifications/subscriptions/acknowledged`: the first message of a subscription, with
    /// what the server will tell of.
    ///
    /// Specification: Subscriptions. Since 2026-07-28.
    SubscriptionsAcknowledged = "notifications/subscriptions/acknowledged":
        SubscriptionsAcknowledgedParams
}

/// Which changes a client wants to be told of. What is absent is not wanted.
///
/// Specification: Subscriptions. Since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionFilter {
    /// Another list of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools_list_changed: Option<bool>,
    /// Another list of prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts_list_changed: Option<bool>,
    /// Another list of resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources_list_changed: Option<bool>,
    /// Other contents of these resources, by URI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_subscriptions: Option<Vec<String>>,
    /// Another state of these tasks. Extension `io.modelcontextprotocol/tasks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_ids: Option<Vec<String>>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl SubscriptionFilter {
    /// Nothing is wanted.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The part of the filter that a server with these capabilities can honour.
    #[must_use]
    pub fn honoured_by(&self, server: &ServerCapabilities) -> Self {
        let wanted = |asked: Option<bool>, has: Option<bool>| {
            (asked == Some(true) && has == Some(true)).then_some(true)
        };
        let tools = server.tools.as_ref().and_then(|c| c.list_changed);
        let prompts = server.prompts.as_ref().and_then(|c| c.list_changed);
        let resources = server.resources.as_ref().and_then(|c| c.list_changed);
        let single = server.has_resource_subscriptions();
        let tasks = server.has_extension(crate::tasks::EXTENSION);
        Self {
            tools_list_changed: wanted(self.tools_list_changed, tools),
            prompts_list_changed: wanted(self.prompts_list_changed, prompts),
            resources_list_changed: wanted(self.resources_list_changed, resources),
            resource_subscriptions: self.resource_subscriptions.clone().filter(|_| single),
            task_ids: self.task_ids.clone().filter(|_| tasks),
            extra: Extra::new(),
        }
    }
}

setters!(SubscriptionFilter {
    with_tools_list_changed(tools_list_changed: bool),
    with_prompts_list_changed(prompts_list_changed: bool),
    with_resources_list_changed(resources_list_changed: bool),
    with_resource_subscriptions(resource_subscriptions: Vec<String>),
    with_task_ids(task_ids: Vec<String>),
});

/// Params of [`SubscriptionsListen`] (`SubscriptionsListenRequestParams`).
///
/// Specification: Subscriptions. Since 2026-07-28.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionsListenParams {
    /// What is wanted.
    pub notifications: SubscriptionFilter,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl SubscriptionsListenParams {
    /// Asks for what the filter lets through.
    #[must_use]
    pub fn new(notifications: SubscriptionFilter) -> Self {
        Self {
            notifications,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(SubscriptionsListenParams { with_meta(meta: RequestMeta) });
has_meta!(SubscriptionsListenParams);

/// Result of [`SubscriptionsListen`]: the subscription has ended in good order. Its `_meta`
/// names the subscription.
///
/// Specification: Subscriptions. Since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionsListenResult {
    /// The kind of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// Holds the id of the subscription.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl SubscriptionsListenResult {
    /// Ends the subscription that the request with this id opened.
    #[must_use]
    pub fn new(subscription: &Id) -> Self {
        let mut meta = Meta::new();
        meta.set_subscription_id(subscription);
        Self {
            meta: Some(meta),
            ..Self::default()
        }
    }
}

server_result!(SubscriptionsListenResult);

/// Params of [`SubscriptionsAcknowledged`] (`SubscriptionsAcknowledgedNotificationParams`).
///
/// Specification: Subscriptions. Since 2026-07-28.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionsAcknowledgedParams {
    /// The part of what was wanted that the server tells of.
    pub notifications: SubscriptionFilter,
    /// Holds the id of the subscription.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl SubscriptionsAcknowledgedParams {
    /// Opens the subscription that the request with this id asked for.
    #[must_use]
    pub fn new(subscription: &Id, notifications: SubscriptionFilter) -> Self {
        let mut meta = Meta::new();
        meta.set_subscription_id(subscription);
        Self {
            notifications,
            meta: Some(meta),
            extra: Extra::new(),
        }
    }
}
