//! Arguments that the program gives and the model never sees.

mod error;
mod layer;
mod schema;

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

pub use error::MissingArg;
pub use layer::InjectArgsLayer;

use crate::closure::Closure;
use crate::{
    BoundTool, CallError, CallErrorKind, Delivery, Interceptor, Next, ToolCall, ToolList,
    ToolOutcome,
};

/// An argument that the program gives.
#[derive(Clone, Debug)]
struct Hidden {
    name: String,
    make: Closure<dyn Fn(&ToolCall) -> Option<Value> + Send + Sync>,
}

#[derive(Debug)]
struct InjectArgs {
    args: Arc<[Hidden]>,
    which: Closure<dyn Fn(&BoundTool) -> bool + Send + Sync>,
    /// The tools that were listed last, as they came and as they are shown.
    shown: Mutex<Vec<(Arc<BoundTool>, Arc<BoundTool>)>>,
}

impl InjectArgs {
    /// The hidden arguments that a tool takes.
    fn taken<'a>(&'a self, tool: &'a BoundTool) -> impl Iterator<Item = &'a Hidden> {
        let schema = &tool.tool().input_schema;
        let takes = |hidden: &&Hidden| schema::declares(schema, &hidden.name);
        self.args.iter().filter(takes)
    }

    fn inject(&self, mut call: ToolCall) -> Result<ToolCall, CallError> {
        let tool = Arc::clone(call.tool());
        for hidden in &*self.args {
            call = call.without_arg(&hidden.name);
        }
        for hidden in self.taken(&tool) {
            if let Some(value) = (hidden.make)(&call) {
                call = call.with_arg(hidden.name.as_str(), value);
            } else if schema::requires(&tool.tool().input_schema, &hidden.name) {
                let missing = MissingArg {
                    tool: tool.name().to_owned(),
                    arg: hidden.name.clone(),
                };
                let error = CallError::new(CallErrorKind::Layer, "the call cannot be made");
                let error = error.with_delivery(Delivery::NotSent);
                return Err(error.with_source(missing));
            }
        }
        Ok(call)
    }

    /// The tool without the arguments that models must not see.
    fn show(&self, tool: &Arc<BoundTool>) -> Arc<BoundTool> {
        let names: Vec<&str> = self.taken(tool).map(|hidden| &*hidden.name).collect();
        if names.is_empty() || !(self.which)(tool) {
            return Arc::clone(tool);
        }
        let mut shown = (**tool.shown()).clone();
        schema::hide(&mut shown.input_schema, &names);
        Arc::new((**tool).clone().with_shown(shown))
    }
}

impl Interceptor for InjectArgs {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        if !(self.which)(call.tool()) {
            return next.run(call).await;
        }
        let call = self.inject(call)?;
        next.run(call).await
    }

    fn list(&self, mut tools: ToolList) -> ToolList {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut *shown);
        for tool in &mut tools.tools {
            let known = before.iter().find(|(was, _)| Arc::ptr_eq(was, tool));
            let now = known.map_or_else(|| self.show(tool), |(_, now)| Arc::clone(now));
            shown.push((Arc::clone(tool), Arc::clone(&now)));
            *tool = now;
        }
        tools
    }
}
