//! Builds a server from what it offers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::Extensions;
use mcp_protocol::lifecycle::ServerIdentity;
use mcp_protocol::{
    CompleteParams, Implementation, Prompt, PromptsCapability, ProtocolVersion, Resource,
    ResourceTemplate, ResourcesCapability, ServerCapabilities, Tool, ToolsCapability,
};
use serde::de::DeserializeOwned;
use serde_json::Map;

use crate::ask::Seal;
use crate::catalog::{Catalog, ListSettings, Listed};
use crate::completion::{Completer, IntoCompletion};
use crate::dispatch::Methods;
use crate::handler::{function, plain};
use crate::layer::{MethodService, Stack};
use crate::prompt::{IntoPromptResult, PromptEntry};
use crate::resource::{IntoResourceResult, ResourceEntry, Source, TemplateEntry};
use crate::server::{PrincipalOf, Shared};
use crate::tool::{IntoToolResult, ToolEntry};
use crate::{Context, RequestError, Server, TemplateError, TemplateVars, ToolError, UriTemplate};

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
    tools: Vec<ToolEntry>,
    resources: Vec<ResourceEntry>,
    templates: Vec<TemplateEntry>,
    prompts: Vec<PromptEntry>,
    completer: Option<Completer>,
    logging: bool,
    lists: ListSettings,
    ask_timeout: Duration,
    state_key: Option<[u8; 32]>,
    principal: Option<PrincipalOf>,
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
            tools: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            prompts: Vec::new(),
            completer: None,
            logging: false,
            lists: ListSettings {
                page_size: Self::PAGE_SIZE,
                ttl_ms: 0,
            },
            ask_timeout: Self::ASK_TIMEOUT,
            state_key: None,
            principal: None,
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

    /// Adds a tool.
    ///
    /// The arguments of a call are decoded straight into the type of the closure's first
    /// parameter, which can be any that serde decodes: a struct, a [`serde_json::Map`], or
    /// `Box<RawValue>` for arguments that the tool wants as they came. Arguments that do not
    /// decode are told to the model as a failed call, with the member that is wrong; the closure
    /// is not called then.
    pub fn tool<A, F, Fut, R>(mut self, tool: impl Into<Tool>, handler: F) -> Self
    where
        A: DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
        R: IntoToolResult,
    {
        let tool = tool.into();
        if !tool.has_recommended_name() {
            tracing::warn!(tool = tool.name, "clients may refuse this name of a tool");
        }
        let handler = function(move |arguments: A, cx| {
            let running = handler(arguments, cx);
            async move { running.await?.into_tool_result() }
        });
        self.tools.push(ToolEntry { tool, handler });
        self
    }

    /// Adds a prompt.
    ///
    /// Its arguments are strings, decoded like those of a tool. A request that lacks one which
    /// the prompt requires is refused before the closure is called.
    pub fn prompt<A, F, Fut, R>(mut self, prompt: impl Into<Prompt>, handler: F) -> Self
    where
        A: DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RequestError>> + Send + 'static,
        R: IntoPromptResult,
    {
        let handler = function(move |arguments: A, cx| {
            let running = handler(arguments, cx);
            async move { running.await.map(R::into_prompt_result) }
        });
        let prompt = prompt.into();
        self.prompts.push(PromptEntry { prompt, handler });
        self
    }

    /// Adds a resource that a closure reads.
    pub fn resource<F, Fut, R>(mut self, resource: impl Into<Resource>, handler: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RequestError>> + Send + 'static,
        R: IntoResourceResult,
    {
        let resource = resource.into();
        let about: Arc<(String, Option<String>)> =
            Arc::new((resource.uri.clone(), resource.mime_type.clone()));
        let source = Source::Handler(plain(move |(), cx| {
            let running = handler(cx);
            let about = Arc::clone(&about);
            async move {
                let (uri, mime_type) = &*about;
                Ok(running
                    .await?
                    .into_resource_result(uri, mime_type.as_deref()))
            }
        }));
        self.resources.push(ResourceEntry { resource, source });
        self
    }

    /// Adds a resource whose contents never change: text, or bytes.
    pub fn fixed_resource(
        mut self,
        resource: impl Into<Resource>,
        contents: impl IntoResourceResult,
    ) -> Self {
        let resource = resource.into();
        let mime_type = resource.mime_type.as_deref();
        let source = Source::fixed(contents.into_resource_result(&resource.uri, mime_type));
        self.resources.push(ResourceEntry { resource, source });
        self
    }

    /// Adds a family of resources. The closure is given the variables of the URI that is read.
    ///
    /// Resources of their own come first; of several templates that match, the first.
    ///
    /// # Errors
    /// If the URI template of the description is none.
    pub fn resource_template<F, Fut, R>(
        mut self,
        template: impl Into<ResourceTemplate>,
        handler: F,
    ) -> Result<Self, TemplateError>
    where
        F: Fn(TemplateVars, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RequestError>> + Send + 'static,
        R: IntoResourceResult,
    {
        let template = template.into();
        let uris = UriTemplate::parse(&template.uri_template)?;
        let mime_type: Option<Arc<str>> = template.mime_type.as_deref().map(Arc::from);
        let handler = plain(move |(uri, vars): (String, TemplateVars), cx| {
            let running = handler(vars, cx);
            let mime_type = mime_type.clone();
            async move {
                Ok(running
                    .await?
                    .into_resource_result(&uri, mime_type.as_deref()))
            }
        });
        self.templates.push(TemplateEntry {
            template,
            uris,
            handler,
        });
        Ok(self)
    }

    /// Completes arguments of prompts and variables of resource templates.
    pub fn completion<F, Fut, R>(mut self, handler: F) -> Self
    where
        F: Fn(CompleteParams, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RequestError>> + Send + 'static,
        R: IntoCompletion,
    {
        self.completer = Some(plain(move |params, cx| {
            let running = handler(params, cx);
            async move { running.await.map(R::into_completion) }
        }));
        self
    }

    /// Lets handlers send [log messages](Context::log) to clients.
    pub fn logging(mut self) -> Self {
        self.logging = true;
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

    /// Builds the server.
    #[must_use]
    pub fn build(self) -> Server {
        let capabilities = self.capabilities();
        let methods = Methods::of(&capabilities);
        let mut identity =
            ServerIdentity::new(self.info, capabilities).with_versions(self.versions);
        identity.instructions = self.instructions;
        let shared = Arc::new(Shared {
            // An implementation is strings, which always encode.
            info: serde_json::to_value(&identity.info).unwrap_or_default(),
            identity: Arc::new(identity),
            catalog: Catalog {
                tools: Listed::new(self.tools, self.lists),
                resources: Listed::new(self.resources, self.lists),
                templates: Listed::new(self.templates, self.lists),
                prompts: Listed::new(self.prompts, self.lists),
            },
            completer: self.completer,
            seal: Seal::new(self.state_key),
            principal: self.principal,
            methods,
            ask_timeout: self.ask_timeout,
        });
        let service = self.stack.around(MethodService::new(Arc::clone(&shared)));
        Server::new(shared, service)
    }

    fn capabilities(&self) -> ServerCapabilities {
        let mut capabilities = ServerCapabilities::new();
        if !self.tools.is_empty() {
            capabilities.tools = Some(ToolsCapability::new());
        }
        if !self.resources.is_empty() || !self.templates.is_empty() {
            capabilities.resources = Some(ResourcesCapability::new());
        }
        if !self.prompts.is_empty() {
            capabilities.prompts = Some(PromptsCapability::new());
        }
        capabilities.completions = self.completer.as_ref().map(|_| Map::new());
        capabilities.logging = self.logging.then(Map::new);
        capabilities
    }
}

impl fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerBuilder")
            .field("info", &self.info)
            .field("tools", &self.tools)
            .field("resources", &self.resources)
            .field("templates", &self.templates)
            .field("prompts", &self.prompts)
            .finish_non_exhaustive()
    }
}
