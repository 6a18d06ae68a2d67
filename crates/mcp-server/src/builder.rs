//! Builds a server from what it offers.

mod register;

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use http::Extensions;
use mcp_protocol::lifecycle::{ParamHeadersOf, ServerIdentity};
use mcp_protocol::{
    Implementation, Meta, PromptsCapability, ProtocolVersion, ResourcesCapability, SchemaValidator,
    ServerCapabilities, ServerTaskRequests, ServerTasksCapability, ToolsCapability,
    ToolsTaskRequests, tasks,
};
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};

use crate::ask::Seal;
use crate::catalog::{Catalog, ListSettings};
use crate::completion::Completer;
use crate::dispatch::{ExtensionHandler, Methods};
use crate::layer::{MethodService, Stack};
use crate::notifications::Hook;
use crate::server::{Offered, PrincipalOf, Shared};
use crate::tasks::Tasks;
use crate::{Changes, Offer, RegistrationError, Server, TaskOptions};

/// Builds a [`Server`].
///
/// What is registered is what the server declares to be capable of. Lists are in the order of
/// registration; of two things with the same name (for resources: the same URI) the later
/// replaces the earlier.
#[must_use]
pub struct ServerBuilder {
    info: Implementation,
    instructions: Option<String>,
    versions: Vec<ProtocolVersion>,
    offer: Offer,
    validator: Option<Box<dyn SchemaValidator>>,
    tasks: Option<TaskOptions>,
    changes: Option<Changes>,
    completer: Option<Completer>,
    extensions: Map<String, Value>,
    methods: Vec<(String, ExtensionHandler)>,
    logging: bool,
    lists: ListSettings,
    ask_timeout: Duration,
    state_key: Option<[u8; 32]>,
    principal: Option<PrincipalOf>,
    pub(super) hook: Option<Hook>,
    pub(crate) stack: Stack,
}

impl ServerBuilder {
    /// The most entries on one page of a list, unless [set](Self::page_size).
    pub const PAGE_SIZE: usize = 1000;
    /// How long a client may take to answer a question, unless [set](Self::ask_timeout).
    pub const ASK_TIMEOUT: Duration = Duration::from_secs(600);

    pub(crate) fn new(info: Implementation) -> Self {
        Self {
            info,
            instructions: None,
            versions: ProtocolVersion::ALL.to_vec(),
            offer: Offer::default(),
            validator: None,
            tasks: None,
            changes: None,
            completer: None,
            extensions: Map::new(),
            methods: Vec::new(),
            logging: false,
            lists: ListSettings {
                page_size: Self::PAGE_SIZE,
                ttl_ms: 0,
            },
            ask_timeout: Self::ASK_TIMEOUT,
            state_key: None,
            principal: None,
            hook: None,
            stack: Stack::default(),
        }
    }

    /// Says how to use the server, for the model of the client.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Speaks these revisions only. Default: all.
    pub fn versions(mut self, versions: impl Into<Vec<ProtocolVersion>>) -> Self {
        self.versions = versions.into();
        self
    }

    /// Lets handlers send [log messages](crate::Context::log) to clients.
    pub fn logging(mut self) -> Self {
        self.logging = true;
        self
    }

    /// Tells clients of changes, whenever these happen: of the lists that the server has, and of
    /// single resources that a client subscribes to. Lists that [`Server::edit`] changes are told
    /// of by themselves.
    pub fn changes(mut self, changes: &Changes) -> Self {
        self.changes = Some(changes.clone());
        self
    }

    /// Lets calls of tools be tasks, within these bounds: by the wish of the client in 2025-11-25,
    /// by the [handler](crate::Context::become_task) in later revisions. Tasks are kept in memory.
    pub fn tasks(mut self, options: TaskOptions) -> Self {
        self.tasks = Some(options);
        self
    }

    /// Checks the arguments of tools against their input schemas before a tool is called, and
    /// structured results against their output schemas before they are sent. Arguments that do
    /// not fit are told to the model; a result that does not is replaced by a failure.
    ///
    /// Without a validator, arguments are checked by being decoded, and results not at all.
    pub fn schema_validator(mut self, validator: impl SchemaValidator) -> Self {
        self.validator = Some(Box::new(validator));
        self
    }

    /// The most entries on one page of a list; at least 1. Default:
    /// [`PAGE_SIZE`](Self::PAGE_SIZE).
    pub fn page_size(mut self, entries: usize) -> Self {
        self.lists.page_size = entries.max(1);
        self
    }

    /// How long clients may keep the lists, in whole milliseconds. Default: not at all.
    ///
    /// Since 2026-07-28.
    pub fn list_ttl(mut self, ttl: Duration) -> Self {
        self.lists.ttl_ms = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// How long a client, and the person in front of it, may take to answer a question, until
    /// 2025-11-25. Later no question waits. Default: [`ASK_TIMEOUT`](Self::ASK_TIMEOUT).
    pub fn ask_timeout(mut self, timeout: Duration) -> Self {
        self.ask_timeout = timeout;
        self
    }

    /// Signs with this key what a request carries from one round of questions to the next, since
    /// 2026-07-28. Servers that stand in for one another need the same key. Default: a random
    /// key of this server's own.
    pub fn state_key(mut self, key: [u8; 32]) -> Self {
        self.state_key = Some(key);
        self
    }

    /// Says who makes a request, from what the transport knows of it: what a request carries
    /// from round to round is good for the same principal only. Default: nobody is told apart.
    pub fn principal(
        mut self,
        principal: impl Fn(&Extensions) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.principal = Some(Box::new(principal));
        self
    }

    /// Builds the server, if nothing that was registered had to be refused.
    ///
    /// # Errors
    /// The first [refusal](Offer::refusals).
    pub fn try_build(self) -> Result<Server, RegistrationError> {
        match self.offer.refusals.first() {
            None => Ok(self.build()),
            Some(refusal) => Err(refusal.clone()),
        }
    }

    /// Builds the server, without what had to be [refused](Offer::refusals).
    #[must_use]
    pub fn build(self) -> Server {
        let capabilities = self.capabilities();
        let mut methods = Methods::of(&capabilities, self.changes.is_some());
        for (name, handler) in self.methods {
            methods.add_extension(name, handler);
        }
        let mut identity =
            ServerIdentity::new(self.info, capabilities).with_versions(self.versions);
        identity.instructions = self.instructions;
        let catalog = Arc::new(Offered::new(Catalog::new(self.offer, self.lists)));
        identity.param_headers = param_headers_of(&catalog);
        // An implementation is strings, which always encode.
        let info = serde_json::to_value(&identity.info).unwrap_or_default();
        let mut signature = Meta::new();
        signature.set_server_info(info.clone());
        let shared = Arc::new(Shared {
            info,
            signature: to_raw_value(&signature).ok(),
            identity: Arc::new(identity),
            catalog,
            editing: Mutex::new(()),
            validator: self.validator,
            tasks: self
                .tasks
                .map(|options| Tasks::new(options, self.changes.clone())),
            changes: self.changes,
            completer: self.completer,
            seal: Seal::new(self.state_key, SystemTime::now),
            principal: self.principal,
            hook: self.hook,
            methods,
            ask_timeout: self.ask_timeout,
        });
        let service = self.stack.around(MethodService::new(Arc::clone(&shared)));
        Server::new(shared, service)
    }

    fn capabilities(&self) -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::new();
        let tells = self.changes.as_ref().map(|_| true);
        if !self.offer.tools.is_empty() {
            let mut tools = ToolsCapability::new();
            tools.list_changed = tells;
            capabilities.tools = Some(tools);
        }
        if !self.offer.resources.is_empty() || !self.offer.templates.is_empty() {
            let mut resources = ResourcesCapability::new();
            resources.list_changed = tells;
            resources.subscribe = tells;
            capabilities.resources = Some(resources);
        }
        if !self.offer.prompts.is_empty() {
            let mut prompts = PromptsCapability::new();
            prompts.list_changed = tells;
            capabilities.prompts = Some(prompts);
        }
        capabilities.completions = self.completer.as_ref().map(|_| Map::new());
        capabilities.logging = self.logging.then(Map::new);
        let mut extensions = self.extensions.clone();
        if self.tasks.is_some() && capabilities.tools.is_some() {
            let calls = ToolsTaskRequests::new().with_call(Map::new());
            let tasks = ServerTasksCapability::new()
                .with_list(Map::new())
                .with_cancel(Map::new())
                .with_requests(ServerTaskRequests::new().with_tools(calls));
            capabilities.tasks = Some(tasks.into());
            extensions.insert(tasks::EXTENSION.to_owned(), Value::Object(Map::new()));
        }
        if !extensions.is_empty() {
            capabilities.extensions = Some(extensions);
        }
        capabilities
    }
}

/// The marked arguments of whatever tools are offered when they are called.
fn param_headers_of(catalog: &Arc<Offered>) -> ParamHeadersOf {
    let catalog = Arc::clone(catalog);
    ParamHeadersOf::new(move |tool| {
        let catalog = catalog.now();
        let entry = catalog.tools.get(tool);
        entry
            .map(|tool| Arc::clone(&tool.param_headers))
            .unwrap_or_default()
    })
}

impl fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerBuilder")
            .field("info", &self.info)
            .field("offer", &self.offer)
            .finish_non_exhaustive()
    }
}
