//! What a server offers: tools, prompts, resources. Filled by the builder, and edited later.

use std::sync::Arc;

use mcp_protocol::{Prompt, Resource, ResourceTemplate, Tool, chain};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::catalog::Entry;
use crate::handler::{function, plain};
use crate::prompt::{IntoPromptResult, PromptEntry};
use crate::resource::{IntoResourceResult, ResourceEntry, Source, TemplateEntry};
use crate::tool::{IntoToolResult, ToolEntry};
use crate::{
    Context, RegistrationError, RequestError, TemplateError, TemplateVars, ToolError, UriTemplate,
};

/// What a server offers, in the order in which it is listed.
///
/// Of two things with the same name (for resources: the same URI) the later takes the place of
/// the earlier. Handed to whoever [edits](crate::Server::edit) a server that is at work.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    pub(crate) tools: Vec<Arc<ToolEntry>>,
    pub(crate) resources: Vec<Arc<ResourceEntry>>,
    pub(crate) templates: Vec<Arc<TemplateEntry>>,
    pub(crate) prompts: Vec<Arc<PromptEntry>>,
    pub(crate) refusals: Vec<RegistrationError>,
}

impl Offer {
    /// Adds a tool.
    ///
    /// The arguments of a call are decoded straight into the type of the closure's first
    /// parameter, which can be any that serde decodes: a struct, a [`serde_json::Map`], or
    /// `Box<RawValue>` for arguments that the tool wants as they came. Arguments that do not
    /// decode are told to the model as a failed call, with the member that is wrong; the closure
    /// is not called then.
    ///
    /// Arguments are always an object, so an input schema that does not say so is made to.
    ///
    /// A tool that the protocol does not allow is [refused](Self::refusals): it is not offered,
    /// and one of the same name stays.
    pub fn tool<A, F, Fut, R>(&mut self, tool: impl Into<Tool>, handler: F) -> &mut Self
    where
        A: DeserializeOwned + Send + 'static,
        F: Fn(A, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
        R: IntoToolResult,
    {
        let mut tool = tool.into();
        tool.input_schema = of_an_object(tool.input_schema);
        if !tool.has_recommended_name() {
            tracing::warn!(tool = tool.name, "clients may refuse this name of a tool");
        }
        let handler = function(move |arguments: A, cx| {
            let running = handler(arguments, cx);
            async move { running.await?.into_tool_result() }
        });
        match ToolEntry::new(tool, handler) {
            Ok(entry) => put(&mut self.tools, entry),
            Err(refusal) => {
                tracing::error!(error = chain(&refusal), "a tool is not offered");
                self.refusals.push(refusal);
            }
        }
        self
    }

    /// Adds a prompt.
    ///
    /// Its arguments are strings, decoded like those of a tool. A request that lacks one which
    /// the prompt requires is refused before the closure is called.
    pub fn prompt<A, F, Fut, R>(&mut self, prompt: impl Into<Prompt>, handler: F) -> &mut Self
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
        put(&mut self.prompts, PromptEntry { prompt, handler });
        self
    }

    /// Adds a resource that a closure reads.
    pub fn resource<F, Fut, R>(&mut self, resource: impl Into<Resource>, handler: F) -> &mut Self
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
        put(&mut self.resources, ResourceEntry { resource, source });
        self
    }

    /// Adds a resource whose contents never change: text, or bytes.
    pub fn fixed_resource(
        &mut self,
        resource: impl Into<Resource>,
        contents: impl IntoResourceResult,
    ) -> &mut Self {
        let resource = resource.into();
        let mime_type = resource.mime_type.as_deref();
        let source = Source::fixed(contents.into_resource_result(&resource.uri, mime_type));
        put(&mut self.resources, ResourceEntry { resource, source });
        self
    }

    /// Adds a family of resources. The closure is given the variables of the URI that is read.
    ///
    /// Resources of their own come first; of several templates that match, the first.
    ///
    /// # Errors
    /// If the URI template of the description is none.
    pub fn resource_template<F, Fut, R>(
        &mut self,
        template: impl Into<ResourceTemplate>,
        handler: F,
    ) -> Result<&mut Self, TemplateError>
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
        let entry = TemplateEntry {
            template,
            uris,
            handler,
        };
        put(&mut self.templates, entry);
        Ok(self)
    }

    /// What was refused so far, and why. A server that is built
    /// [strictly](crate::ServerBuilder::try_build) has none.
    #[must_use]
    pub fn refusals(&self) -> &[RegistrationError] {
        &self.refusals
    }

    /// Takes a tool away. `false` if there is none with this name.
    pub fn remove_tool(&mut self, name: &str) -> bool {
        remove(&mut self.tools, name)
    }

    /// Takes a prompt away. `false` if there is none with this name.
    pub fn remove_prompt(&mut self, name: &str) -> bool {
        remove(&mut self.prompts, name)
    }

    /// Takes a resource away. `false` if there is none with this URI.
    pub fn remove_resource(&mut self, uri: &str) -> bool {
        remove(&mut self.resources, uri)
    }

    /// Takes a resource template away. `false` if there is none with this URI template.
    pub fn remove_resource_template(&mut self, uri_template: &str) -> bool {
        remove(&mut self.templates, uri_template)
    }
}

/// The schema, with `type` as `object`.
fn of_an_object(schema: Value) -> Value {
    let mut members = match schema {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    members.insert("type".to_owned(), "object".into());
    Value::Object(members)
}

fn put<E: Entry>(entries: &mut Vec<Arc<E>>, entry: E) {
    let same = entries.iter_mut().find(|known| known.key() == entry.key());
    match same {
        Some(earlier) => *earlier = Arc::new(entry),
        None => entries.push(Arc::new(entry)),
    }
}

fn remove<E: Entry>(entries: &mut Vec<Arc<E>>, key: &str) -> bool {
    let before = entries.len();
    entries.retain(|entry| entry.key() != key);
    entries.len() < before
}
