//! From a method's name to what answers it: one table, built once.

mod call_tool;
mod complete;
mod extension;
mod get_prompt;
mod listen;
mod read_resource;
mod rounds;
mod set_level;
mod subscribe;
mod tasks;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::ready;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, IdHasher, MethodName, RawJson, Request};
use mcp_protocol::{
    Feature, ProtocolVersion, RequestContext, ServerCapabilities, Stamp, check_unique_members,
};
use mcp_transport::{BoxFuture, Incoming};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::server::Shared;

/// A request with all that is known about it.
pub(crate) type Call = Incoming<Request, RequestContext>;
/// What a request is answered with.
pub(crate) type Answer = Result<RawJson, ErrorObject>;
/// An answer to come.
pub(crate) type Answering = BoxFuture<'static, Answer>;

type Run = fn(&Arc<Shared>, Call) -> Answering;

pub(crate) use extension::Handler as ExtensionHandler;

/// What answers a method, and what a revision must have for the method to exist.
struct Method {
    run: Runs,
    feature: Option<Feature>,
}

enum Runs {
    BuiltIn(Run),
    Extension(ExtensionHandler),
}

/// The methods of a server.
pub(crate) struct Methods(HashMap<MethodName, Method, BuildHasherDefault<IdHasher>>);

impl Methods {
    /// The methods that a server with these capabilities has.
    pub(crate) fn of(capabilities: &ServerCapabilities, tells_of_changes: bool) -> Self {
        let mut methods = Self(HashMap::default());
        if capabilities.tools.is_some() {
            methods.add("tools/list", |s, call| {
                now(s.catalog().tools.page(s, &call))
            });
            methods.add("tools/call", call_tool::answer);
        }
        if capabilities.resources.is_some() {
            methods.add("resources/list", |s, call| {
                now(s.catalog().resources.page(s, &call))
            });
            methods.add("resources/templates/list", |s, call| {
                now(s.catalog().templates.page(s, &call))
            });
            methods.add("resources/read", read_resource::answer);
        }
        if capabilities.prompts.is_some() {
            methods.add("prompts/list", |s, call| {
                now(s.catalog().prompts.page(s, &call))
            });
            methods.add("prompts/get", get_prompt::answer);
        }
        if capabilities.completions.is_some() {
            methods.add("completion/complete", complete::answer);
        }
        if capabilities.logging.is_some() {
            methods.add_where(Feature::SetLogLevel, "logging/setLevel", |s, call| {
                now(set_level::answer(s, &call))
            });
        }
        if capabilities.has_resource_subscriptions() {
            let feature = Feature::ResourceSubscribe;
            methods.add_where(feature, "resources/subscribe", |s, call| {
                now(subscribe::subscribe(s, &call))
            });
            methods.add_where(feature, "resources/unsubscribe", |s, call| {
                now(subscribe::unsubscribe(s, &call))
            });
        }
        if tells_of_changes {
            let feature = Feature::SubscriptionsListen;
            methods.add_where(feature, "subscriptions/listen", listen::answer);
        }
        if capabilities.tasks.is_some() {
            methods.add_where(Feature::Tasks, "tasks/list", |s, call| {
                now(tasks::list(s, &call))
            });
            methods.add_where(Feature::Tasks, "tasks/result", tasks::result);
            methods.add_where(Feature::Stateless, "tasks/update", tasks::update);
            // Two specifications share these, and neither is that of the earlier revisions.
            methods.add("tasks/get", |s, call| either(s, call, tasks::get));
            methods.add("tasks/cancel", |s, call| either(s, call, tasks::cancel));
        }
        methods
    }

    /// Adds the method of an extension. The methods of the protocol stay what they are.
    pub(crate) fn add_extension(&mut self, name: String, handler: ExtensionHandler) {
        match self.0.entry(name.into()) {
            Entry::Occupied(known) => {
                tracing::error!(method = %known.key(), "the server has this method already");
            }
            Entry::Vacant(free) => {
                let run = Runs::Extension(handler);
                free.insert(Method { run, feature: None });
            }
        }
    }

    fn add(&mut self, name: &'static str, run: Run) {
        let method = Method {
            run: Runs::BuiltIn(run),
            feature: None,
        };
        self.0.insert(MethodName::from_static(name), method);
    }

    /// Adds a method that only some revisions have.
    fn add_where(&mut self, feature: Feature, name: &'static str, run: Run) {
        let method = Method {
            run: Runs::BuiltIn(run),
            feature: Some(feature),
        };
        self.0.insert(MethodName::from_static(name), method);
    }

    fn get(&self, name: &MethodName, version: ProtocolVersion) -> Option<&Runs> {
        let method = self.0.get(name)?;
        let exists = method.feature.is_none_or(|feature| version.has(feature));
        exists.then_some(&method.run)
    }
}

/// Answers where the revision has tasks, or stands beside the extension that has them.
fn either(server: &Arc<Shared>, call: Call, run: Run) -> Answering {
    let version = call.context.version;
    if version.has(Feature::Tasks) || version.is_stateless() {
        return run(server, call);
    }
    now(Err(ErrorObject::method_not_found(&call.message.method)))
}

/// Answers one request.
pub(crate) fn answer(server: &Arc<Shared>, call: Call) -> Answering {
    server.meet(call.session.as_ref());
    match server
        .methods
        .get(&call.message.method, call.context.version)
    {
        Some(Runs::BuiltIn(run)) => run(server, call),
        Some(Runs::Extension(handler)) => extension::answer(server, call, handler),
        None => now(Err(ErrorObject::method_not_found(&call.message.method))),
    }
}

/// An answer that needs no waiting.
fn now(answer: Answer) -> Answering {
    Box::pin(ready(answer))
}

/// The params of a request; none are the same as `{}`.
pub(crate) fn params_of(call: &Call) -> RawJson {
    call.message.params.clone().unwrap_or(RawJson::EMPTY)
}

/// Decodes params into a type that may borrow from them.
pub(crate) fn decode<'a, T: Deserialize<'a>>(
    params: &'a RawJson,
    method: &str,
) -> Result<T, ErrorObject> {
    params.decode_borrowed().map_err(|error| {
        ErrorObject::invalid_params(format!("invalid params of {method}: {error}"))
    })
}

/// A member as its text, to be decoded by whom it concerns.
fn text<'de, D: Deserializer<'de>>(member: D) -> Result<Option<&'de str>, D::Error> {
    Ok(Option::<&RawValue>::deserialize(member)?.map(RawValue::get))
}

/// A member that must be an object where it is there, without the same member twice at any depth;
/// absent is the same as `{}`.
fn object<'a>(value: Option<&'a str>, name: &str) -> Result<&'a str, ErrorObject> {
    match value {
        None => Ok("{}"),
        Some(value) if value.starts_with('{') => {
            check_unique_members(value)
                .map_err(|error| ErrorObject::invalid_params(format!("{name}: {error}")))?;
            Ok(value)
        }
        Some(_) => Err(ErrorObject::invalid_params(format!(
            "{name} must be an object"
        ))),
    }
}

/// The answer to a request whose handler panicked.
fn panicked(subject: &str) -> ErrorObject {
    tracing::error!(subject, "a handler panicked");
    ErrorObject::internal("the server failed to answer")
}

/// Writes a result for the revision of the request.
pub(crate) fn reply<R: Stamp + Serialize>(
    mut result: R,
    server: &Shared,
    context: &RequestContext,
) -> Answer {
    /// A result with a `_meta` that is written already.
    #[derive(Serialize)]
    struct Signed<'a, R> {
        #[serde(flatten)]
        result: R,
        #[serde(rename = "_meta")]
        meta: &'a RawValue,
    }
    let version = context.version;
    let signed = version.has(Feature::ServerInfoInMeta) && result.meta_mut().is_none();
    let written = match &server.signature {
        Some(meta) if signed => {
            result.stamp(version, None);
            RawJson::encode(&Signed { result, meta })
        }
        _ => {
            result.stamp(version, Some(&server.info));
            RawJson::encode(&result)
        }
    };
    written.map_err(|error| {
        tracing::error!(%error, "a result that JSON cannot express");
        ErrorObject::internal("the result could not be written")
    })
}
