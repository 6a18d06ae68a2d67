//! HTTP headers for single calls.

mod error;
mod layer;

use std::sync::Arc;

use http::{HeaderName, HeaderValue};

pub use error::BadHeader;
pub use layer::HeadersLayer;

use crate::closure::Closure;
use crate::{CallError, CallErrorKind, Delivery, Interceptor, Next, ToolCall, ToolOutcome};

type Make = dyn Fn(&ToolCall) -> Result<Option<HeaderValue>, BadHeader> + Send + Sync;

#[derive(Clone, Debug)]
enum Rule {
    Set(HeaderName, HeaderValue),
    Make(HeaderName, Closure<Make>),
    Remove(HeaderName),
}

#[derive(Debug)]
struct Headers(Arc<[Rule]>);

impl Interceptor for Headers {
    async fn intercept(&self, mut call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        for rule in &*self.0 {
            call = apply(rule, call)?;
        }
        next.run(call).await
    }
}

fn apply(rule: &Rule, call: ToolCall) -> Result<ToolCall, CallError> {
    Ok(match rule {
        Rule::Set(name, value) => call.with_header(name.clone(), value.clone()),
        Rule::Remove(name) => call.without_header(name.clone()),
        Rule::Make(name, make) => match make(&call) {
            Ok(Some(value)) => call.with_header(name.clone(), value),
            Ok(None) => call,
            Err(bad) => {
                let error = CallError::new(CallErrorKind::Layer, "a header cannot be sent");
                return Err(error.with_source(bad).with_delivery(Delivery::NotSent));
            }
        },
    })
}
