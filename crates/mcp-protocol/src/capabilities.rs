//! What each side can do. Empty by default; a member that is there means support.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Extra;

mod tasks;

pub use tasks::{
    ClientTaskRequests, ClientTasksCapability, ElicitationTaskRequests, SamplingTaskRequests,
    ServerTaskRequests, ServerTasksCapability, ToolsTaskRequests,
};

/// What a client can do for a server.
///
/// Sent once in `initialize` until 2025-11-25, with each request since 2026-07-28.
/// Specification: Lifecycle, Capability Negotiation (all revisions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ClientCapabilities {
    /// Features outside of the protocol, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experimental: Option<Map<String, Value>>,
    /// The client names the directories to work in. Deprecated in 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roots: Option<RootsCapability>,
    /// The client lets servers use its model. Deprecated in 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingCapability>,
    /// The client asks its user on behalf of servers. Since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<ElicitationCapability>,
    /// The client runs requests as tasks. 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Box<ClientTasksCapability>>,
    /// Extensions of the protocol, by id, with their settings. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Map<String, Value>>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ClientCapabilities {
    /// No capability at all.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the client shows forms: `elicitation` without any mode means forms.
    #[must_use]
    pub fn has_form_elicitation(&self) -> bool {
        self.elicitation
            .as_ref()
            .is_some_and(|e| e.form.is_some() || e.url.is_none())
    }

    /// Whether the client sends its user to URLs.
    #[must_use]
    pub fn has_url_elicitation(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|e| e.url.is_some())
    }

    /// Whether the client's model may use tools in sampling.
    #[must_use]
    pub fn has_sampling_tools(&self) -> bool {
        self.sampling.as_ref().is_some_and(|s| s.tools.is_some())
    }

    /// Whether the client adds context of servers in sampling.
    #[must_use]
    pub fn has_sampling_context(&self) -> bool {
        self.sampling.as_ref().is_some_and(|s| s.context.is_some())
    }

    /// Whether the client speaks an extension.
    #[must_use]
    pub fn has_extension(&self, id: &str) -> bool {
        self.extensions.as_ref().is_some_and(|e| e.contains_key(id))
    }
}

setters!(ClientCapabilities {
    with_experimental(experimental: Map<String, Value>),
    with_roots(roots: RootsCapability),
    with_sampling(sampling: SamplingCapability),
    with_elicitation(elicitation: ElicitationCapability),
    with_tasks(tasks: Box<ClientTasksCapability>),
    with_extensions(extensions: Map<String, Value>),
});

/// What a server can do.
///
/// Specification: Lifecycle, Capability Negotiation (all revisions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ServerCapabilities {
    /// Features outside of the protocol, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experimental: Option<Map<String, Value>>,
    /// The server sends log messages. Deprecated in 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logging: Option<Map<String, Value>>,
    /// The server completes arguments. Since 2025-03-26; before, one has to try.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completions: Option<Map<String, Value>>,
    /// The server has prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<PromptsCapability>,
    /// The server has resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourcesCapability>,
    /// The server has tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolsCapability>,
    /// The server runs requests as tasks. 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Box<ServerTasksCapability>>,
    /// Extensions of the protocol, by id, with their settings. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Map<String, Value>>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ServerCapabilities {
    /// No capability at all.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether clients may subscribe to single resources.
    #[must_use]
    pub fn has_resource_subscriptions(&self) -> bool {
        self.resources
            .as_ref()
            .is_some_and(|r| r.subscribe == Some(true))
    }

    /// Whether the server speaks an extension.
    #[must_use]
    pub fn has_extension(&self, id: &str) -> bool {
        self.extensions.as_ref().is_some_and(|e| e.contains_key(id))
    }
}

setters!(ServerCapabilities {
    with_experimental(experimental: Map<String, Value>),
    with_logging(logging: Map<String, Value>),
    with_completions(completions: Map<String, Value>),
    with_prompts(prompts: PromptsCapability),
    with_resources(resources: ResourcesCapability),
    with_tools(tools: ToolsCapability),
    with_tasks(tasks: Box<ServerTasksCapability>),
    with_extensions(extensions: Map<String, Value>),
});

/// A capability: a struct of optional members.
macro_rules! capability {
    ($(#[$meta:meta])* $name:ident {
        $($(#[$field_meta:meta])* $with:ident($field:ident: $type:ty),)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[non_exhaustive]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $(
                $(#[$field_meta])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $field: Option<$type>,
            )+
            /// Members that this crate does not know.
            #[serde(flatten)]
            pub extra: Extra,
        }

        impl $name {
            /// The capability without any of its options.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }
        }

        setters!($name { $($with($field: $type),)+ });
    };
}
use capability;

capability! {
    /// The client names the directories to work in.
    RootsCapability {
        /// It tells when they change. Until 2025-11-25.
        with_list_changed(list_changed: bool),
    }
}

capability! {
    /// The client lets servers use its model.
    SamplingCapability {
        /// It adds context of servers on request. Since 2025-11-25.
        with_context(context: Map<String, Value>),
        /// The model may use tools that the server describes. Since 2025-11-25.
        with_tools(tools: Map<String, Value>),
    }
}

capability! {
    /// The client asks its user on behalf of servers. Without any mode it means forms.
    ElicitationCapability {
        /// It shows forms. Since 2025-11-25.
        with_form(form: Map<String, Value>),
        /// It sends the user to URLs. Since 2025-11-25.
        with_url(url: Map<String, Value>),
    }
}

capability! {
    /// The server has prompts.
    PromptsCapability {
        /// It tells when the list changes.
        with_list_changed(list_changed: bool),
    }
}

capability! {
    /// The server has resources.
    ResourcesCapability {
        /// Clients may subscribe to single resources.
        with_subscribe(subscribe: bool),
        /// It tells when the list changes.
        with_list_changed(list_changed: bool),
    }
}

capability! {
    /// The server has tools.
    ToolsCapability {
        /// It tells when the list changes.
        with_list_changed(list_changed: bool),
    }
}
