//! What a server can offer, on the way to be built.

use mcp_protocol::{ClientNotification, CompleteParams, Prompt, Resource, ResourceTemplate, Tool};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ServerBuilder;
use crate::completion::IntoCompletion;
use crate::handler::{function, plain};
use crate::prompt::IntoPromptResult;
use crate::resource::IntoResourceResult;
use crate::tool::IntoToolResult;
use crate::{Context, RequestError, TemplateError, TemplateVars, ToolError};

impl ServerBuilder {
    /// Adds a tool, as [`Offer::tool`](crate::Offer::tool).
    pub fn tool<A, F, Fut, R>(mut self, tool: impl Into<Tool>, handler: F) -> Self
    where
        A: DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
        R: IntoToolResult,
    {
        self.offer.tool(tool, handler);
        self
    }

    /// Adds a prompt, as [`Offer::prompt`](crate::Offer::prompt).
    pub fn prompt<A, F, Fut, R>(mut self, prompt: impl Into<Prompt>, handler: F) -> Self
    where
        A: DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RequestError>> + Send + 'static,
        R: IntoPromptResult,
    {
        self.offer.prompt(prompt, handler);
        self
    }

    /// Adds a resource that a closure reads, as [`Offer::resource`](crate::Offer::resource).
    pub fn resource<F, Fut, R>(mut self, resource: impl Into<Resource>, handler: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RequestError>> + Send + 'static,
        R: IntoResourceResult,
    {
        self.offer.resource(resource, handler);
        self
    }

    /// Adds a resource whose contents never change, as
    /// [`Offer::fixed_resource`](crate::Offer::fixed_resource).
    pub fn fixed_resource(
        mut self,
        resource: impl Into<Resource>,
        contents: impl IntoResourceResult,
    ) -> Self {
        self.offer.fixed_resource(resource, contents);
        self
    }

    /// Adds a family of resources, as [`Offer::resource_template`](crate::Offer::resource_template).
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
        self.offer.resource_template(template, handler)?;
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

    /// Hands the notifications of clients to a closure: that the handshake is complete, that the
    /// roots are others now, that a request was given up, that a task of the client has another
    /// status, and those that the protocol does not know.
    ///
    /// Where there is such a closure, what the client is asked until 2025-11-25 asks for progress,
    /// which is handed over as well, with the context of the request that asks. Otherwise the
    /// context has what is known of the connection, by which the closure may ask in its turn, as
    /// for the new roots. Notifications of a connection come one after another, in order; those
    /// that have no effect (a request that is over is given up) or do not decode are left out.
    ///
    /// ```
    /// use mcp_protocol::ClientNotification;
    /// use mcp_server::Server;
    /// let server = Server::builder("roots", "1.0.0").on_notification(|notification, cx| async move {
    ///     if let ClientNotification::RootsListChanged(_) = notification {
    ///         let roots = cx.roots().await;
    ///         println!("{roots:?}");
    ///     }
    /// });
    /// ```
    pub fn on_notification<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(ClientNotification, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.hook = Some(Box::new(move |notification, cx| {
            Box::pin(handler(notification, cx))
        }));
        self
    }

    /// Declares an extension of the protocol, with its settings. Since 2026-07-28.
    pub fn extension(mut self, id: impl Into<String>, settings: Map<String, Value>) -> Self {
        self.extensions.insert(id.into(), settings.into());
        self
    }

    /// Answers a method of an extension.
    ///
    /// The params are decoded into the closure's first parameter, `_meta` included; params that
    /// do not decode are refused. The result is any value that serialises to an object; what a
    /// revision wants in every result is added. Whether the client has declared the extension is
    /// for the closure to look at. A method of the protocol is not replaced.
    pub fn method<P, F, Fut, R>(mut self, name: impl Into<String>, handler: F) -> Self
    where
        P: DeserializeOwned + Send + 'static,
        F: Fn(P, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RequestError>> + Send + 'static,
        R: Serialize,
    {
        let handler = function(move |params: P, cx| {
            let running = handler(params, cx);
            async move { Ok(serde_json::to_value(running.await?)?) }
        });
        self.methods.push((name.into(), handler));
        self
    }
}
