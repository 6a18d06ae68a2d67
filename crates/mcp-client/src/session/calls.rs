//! The methods of a server, in the order of the specification. Those of tools, tasks and
//! subscriptions have files of their own.

use std::convert::identity;
use std::sync::Arc;
use std::time::Duration;

use mcp_protocol::completion::Complete;
use mcp_protocol::discover::Discover;
use mcp_protocol::logging::SetLevel;
use mcp_protocol::ping::Ping;
use mcp_protocol::prompts::{GetPrompt, ListPrompts};
use mcp_protocol::resources::{ListResourceTemplates, ListResources, ReadResource};
use mcp_protocol::roots::RootsListChanged;
use mcp_protocol::{
    CompleteParams, CompleteResult, DiscoverResult, Feature, GetPromptParams, GetPromptResult,
    LoggingLevel, NotificationParams, Prompt, ReadResourceParams, ReadResourceResult,
    RequestParams, Resource, ResourceTemplate, RpcNotification, RpcRequest, SetLevelParams,
};

use super::Session;
use crate::cache::Keep;
use crate::paginate::{Listed, Paged};
use crate::{CallOptions, Error};

/// Resources.
impl Session {
    /// The server's resources, all pages. Kept as [`list_tools`](Self::list_tools) does.
    ///
    /// # Errors
    /// As [`list_tools`](Self::list_tools).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn list_resources(&self) -> Result<Arc<Listed<Resource>>, Error> {
        self.kept::<ListResources>(self.resources_announced(), identity)
            .await
    }

    /// The server's templates of resources, all pages. Kept as
    /// [`list_tools`](Self::list_tools) does.
    ///
    /// # Errors
    /// As [`list_tools`](Self::list_tools).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn list_resource_templates(&self) -> Result<Arc<Listed<ResourceTemplate>>, Error> {
        self.kept::<ListResourceTemplates>(self.resources_announced(), identity)
            .await
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// As [`call_tool`](Self::call_tool).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn read_resource(
        &self,
        uri: impl Into<String> + Send,
        options: &CallOptions,
    ) -> Result<ReadResourceResult, Error> {
        let params = ReadResourceParams::new(uri);
        self.request_in_rounds::<ReadResource>(params, options)
            .await
    }

    fn resources_announced(&self) -> bool {
        let resources = self.capabilities().resources.as_ref();
        resources.is_some_and(|resources| resources.list_changed == Some(true))
    }
}

/// Prompts.
impl Session {
    /// The server's prompts, all pages. Kept as [`list_tools`](Self::list_tools) does.
    ///
    /// # Errors
    /// As [`list_tools`](Self::list_tools).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn list_prompts(&self) -> Result<Arc<Listed<Prompt>>, Error> {
        let prompts = self.capabilities().prompts.as_ref();
        let announced = prompts.is_some_and(|prompts| prompts.list_changed == Some(true));
        self.kept::<ListPrompts>(announced, identity).await
    }

    /// Fills a prompt in.
    ///
    /// # Errors
    /// As [`call_tool`](Self::call_tool).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn get_prompt(
        &self,
        params: GetPromptParams,
        options: &CallOptions,
    ) -> Result<GetPromptResult, Error> {
        self.request_in_rounds::<GetPrompt>(params, options).await
    }
}

/// Completion, logging, and what keeps a connection in order.
impl Session {
    /// Proposes values for an argument of a prompt or a template.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn complete(&self, mut params: CompleteParams) -> Result<CompleteResult, Error> {
        if !self.version().has(Feature::CompletionContext) {
            params.context = None;
        }
        self.request::<Complete>(params).await
    }

    /// Says from which level on log messages are wanted. Until 2025-11-25; since then the level
    /// is part of each request, see [`ClientOptions::log_level`](crate::ClientOptions).
    ///
    /// # Errors
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), Error> {
        let params = SetLevelParams::new(level);
        self.request::<SetLevel>(params).await.map(drop)
    }

    /// Asks whether the server is there: by `ping`, and by `server/discover` where that is gone.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn ping(&self, options: &CallOptions) -> Result<(), Error> {
        let params = RequestParams::new();
        if self.version().has(Feature::Ping) {
            self.request_with::<Ping>(params, options).await.map(drop)
        } else {
            self.request_with::<Discover>(params, options)
                .await
                .map(drop)
        }
    }

    /// Asks the server what it speaks and can do. Since 2026-07-28.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn discover(&self) -> Result<DiscoverResult, Error> {
        self.request::<Discover>(RequestParams::new()).await
    }

    /// Tells the server that the roots are others now. Until 2025-11-25, if the handler of roots
    /// has declared it.
    ///
    /// # Errors
    /// [`Error::NotNegotiated`] without a message if it was not declared.
    ///
    /// # Cancel safety
    /// Dropping the future before it is done sends nothing.
    pub async fn roots_changed(&self) -> Result<(), Error> {
        self.notify(RootsListChanged::METHOD, &NotificationParams::new())
            .await
    }

    /// Asks for log messages once, where that is a request. A server that refuses is not worth
    /// losing the session for.
    pub(super) async fn ask_for_logs(&self) {
        let Some(level) = self.inner.log_level.clone() else {
            return;
        };
        if self.inner.negotiated.allows(&SetLevel::METHOD).is_ok()
            && let Err(error) = self.set_log_level(level).await
        {
            tracing::warn!(
                server = &**self.server(),
                error = error.chain(),
                "no log level"
            );
        }
    }
}

impl Session {
    /// A whole list, from what is kept if that is fresh.
    pub(super) async fn kept<R: Paged>(
        &self,
        announced: bool,
        usable: impl FnOnce(Listed<R::Item>) -> Listed<R::Item>,
    ) -> Result<Arc<Listed<R::Item>>, Error> {
        let cache = &self.inner.inward.cache;
        if let Some(list) = cache.get::<Listed<R::Item>>(&R::METHOD) {
            return Ok(list);
        }
        let epoch = cache.epoch();
        let list = self.list::<R>(&CallOptions::default()).await?;
        let list = Arc::new(usable(list));
        let keep = match list.hint {
            _ if !self.version().has(Feature::CacheHints) && announced => Keep::UntilChanged,
            Some(hint) if self.version().has(Feature::CacheHints) => Keep::For(hint.ttl),
            _ => Keep::For(Duration::ZERO),
        };
        cache.put(R::METHOD, &list, keep, epoch);
        Ok(list)
    }
}
