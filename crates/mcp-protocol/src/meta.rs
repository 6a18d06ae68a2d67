//! `_meta`: what travels beside the payload, and the keys that the protocol reserves in it.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_jsonrpc::Id;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ClientCapabilities, Extra, Implementation, LoggingLevel, decode, encode};

mod key;
mod members;
mod trace;

use members::Members;

pub use key::InvalidMetaKey;
pub use trace::TraceContext;

/// Names the progress of one request: chosen by who asks, unique among its active requests.
///
/// Specification: Progress (all revisions). A string or an integer, like a request id.
pub type ProgressToken = Id;

/// The prefix of the keys that the protocol has defined since 2025-11-25.
const RESERVED: &str = "io.modelcontextprotocol/";

/// `_meta` of a result, a notification or a part of either.
///
/// Specification: basic protocol, `_meta` (all revisions; `MetaObject`,
/// `NotificationMetaObject` and `ResultMetaObject` of 2026-07-28).
///
/// ```
/// use mcp_protocol::Meta;
/// let mut meta = Meta::new();
/// meta.set("example.com/shelf", 3).unwrap();
/// assert_eq!(meta.get("example.com/shelf").unwrap(), 3);
/// assert!(meta.set("io.modelcontextprotocol/serverInfo", 3).is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Meta(Members);

impl Meta {
    /// The key of [`server_info`](Self::server_info).
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    /// The key of [`subscription_id`](Self::subscription_id).
    pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
    /// The key of [`related_task`](Self::related_task).
    pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
    /// The key of what a model may read at once while a task goes on.
    /// 2025-11-25 only; provisional.
    pub const MODEL_IMMEDIATE_RESPONSE: &str = "io.modelcontextprotocol/model-immediate-response";

    /// An empty `_meta`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.get().is_empty()
    }

    /// The value under a key, whoever put it there.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get().get(key)
    }

    /// Puts a value of one's own under a key.
    ///
    /// # Errors
    /// If the key breaks the grammar of `_meta` keys, or the protocol reserves it.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) -> Result<(), InvalidMetaKey> {
        key::check(key)?;
        self.insert(key, value.into());
        Ok(())
    }

    /// Takes a value out.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.0.change(|members| members.remove(key))
    }

    /// All keys with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0
            .get()
            .iter()
            .map(|(key, value)| (key.as_str(), value))
    }

    /// Which server made the result. Self-reported: for logs, never for decisions.
    ///
    /// Since 2026-07-28. `None` also where the value is not an implementation.
    #[must_use]
    pub fn server_info(&self) -> Option<Implementation> {
        Implementation::deserialize(self.get(Self::SERVER_INFO)?).ok()
    }

    /// Says which server made the result. The value is an [`Implementation`] as JSON, so that a
    /// server encodes it once and clones it into each result.
    pub fn set_server_info(&mut self, info: Value) {
        self.insert(Self::SERVER_INFO, info);
    }

    /// The subscription that a notification belongs to: the id of its `subscriptions/listen`.
    ///
    /// Since 2026-07-28.
    #[must_use]
    pub fn subscription_id(&self) -> Option<Id> {
        Id::deserialize(self.get(Self::SUBSCRIPTION_ID)?).ok()
    }

    /// Marks a notification or the last result as part of a subscription.
    pub fn set_subscription_id(&mut self, id: &Id) {
        self.insert(Self::SUBSCRIPTION_ID, id_value(id));
    }

    /// The id of the task that a message belongs to.
    ///
    /// 2025-11-25 only.
    #[must_use]
    pub fn related_task(&self) -> Option<&str> {
        self.get(Self::RELATED_TASK)?.get("taskId")?.as_str()
    }

    /// Marks a message as part of a task.
    pub fn set_related_task(&mut self, task_id: &str) {
        let mut task = Map::new();
        task.insert("taskId".to_owned(), task_id.into());
        self.insert(Self::RELATED_TASK, task.into());
    }

    /// The trace that the message belongs to, where the peer names one.
    #[must_use]
    pub fn trace_context(&self) -> Option<TraceContext> {
        TraceContext::read(self.0.get())
    }

    /// Says which trace the message belongs to.
    pub fn set_trace_context(&mut self, trace: TraceContext) {
        self.0.change(|members| trace.write(members));
    }

    fn insert(&mut self, key: &str, value: Value) {
        self.0
            .change(|members| members.insert(key.to_owned(), value));
    }
}

impl From<Extra> for Meta {
    fn from(members: Extra) -> Self {
        Self(members.into())
    }
}

impl From<Meta> for Extra {
    fn from(meta: Meta) -> Self {
        meta.0.into_map()
    }
}

/// `_meta` of a request.
///
/// Until 2025-11-25 only the progress token is defined. In 2026-07-28 it is the whole context of
/// a request: revision and capabilities must be there, the identity should.
///
/// Specification: basic protocol, `_meta` (all revisions; `RequestMetaObject` of 2026-07-28).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RequestMeta {
    /// Asks for progress notifications that carry this token.
    #[serde(rename = "progressToken", skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<ProgressToken>,
    /// The revision that the request is written in. Since 2026-07-28, required there.
    #[serde(
        rename = "io.modelcontextprotocol/protocolVersion",
        skip_serializing_if = "Option::is_none"
    )]
    pub protocol_version: Option<Cow<'static, str>>,
    /// Who asks. Self-reported: for logs, never for decisions. Since 2026-07-28.
    #[serde(
        rename = "io.modelcontextprotocol/clientInfo",
        default,
        deserialize_with = "decode::shared",
        serialize_with = "encode::shared",
        skip_serializing_if = "Option::is_none"
    )]
    pub client_info: Option<Arc<Implementation>>,
    /// What the client can do while this request runs. Since 2026-07-28, required there.
    #[serde(
        rename = "io.modelcontextprotocol/clientCapabilities",
        default,
        deserialize_with = "decode::shared",
        serialize_with = "encode::shared",
        skip_serializing_if = "Option::is_none"
    )]
    pub client_capabilities: Option<Arc<ClientCapabilities>>,
    /// Asks for log messages of this level and above while this request runs. Since 2026-07-28.
    #[serde(
        rename = "io.modelcontextprotocol/logLevel",
        skip_serializing_if = "Option::is_none"
    )]
    pub log_level: Option<LoggingLevel>,
    /// All other keys.
    #[serde(flatten)]
    pub extra: Extra,
}

impl RequestMeta {
    /// The key of the revision.
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// The key of the client's identity.
    pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    /// The key of the client's capabilities.
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// The key of the log level.
    pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

    /// An empty `_meta`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a value of one's own under a key.
    ///
    /// # Errors
    /// If the key breaks the grammar of `_meta` keys, or the protocol reserves it.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) -> Result<(), InvalidMetaKey> {
        key::check(key)?;
        self.extra.insert(key.to_owned(), value.into());
        Ok(())
    }

    /// The id of the task that the request belongs to. 2025-11-25 only.
    #[must_use]
    pub fn related_task(&self) -> Option<&str> {
        self.extra.get(Meta::RELATED_TASK)?.get("taskId")?.as_str()
    }

    /// The trace that the request belongs to, where the peer names one.
    #[must_use]
    pub fn trace_context(&self) -> Option<TraceContext> {
        TraceContext::read(&self.extra)
    }

    /// Says which trace the request belongs to.
    pub fn set_trace_context(&mut self, trace: TraceContext) {
        trace.write(&mut self.extra);
    }
}

setters!(RequestMeta {
    with_progress_token(progress_token: ProgressToken),
    with_protocol_version(protocol_version: Cow<'static, str>),
    with_client_info(client_info: Arc<Implementation>),
    with_client_capabilities(client_capabilities: Arc<ClientCapabilities>),
    with_log_level(log_level: LoggingLevel),
});

fn id_value(id: &Id) -> Value {
    match (id.as_str(), id.as_u64()) {
        (Some(text), _) => text.into(),
        (None, Some(n)) => n.into(),
        // Ids are strings and integers; what is no u64 is negative and fits.
        (None, None) => serde_json::to_value(id).unwrap_or_default(),
    }
}
