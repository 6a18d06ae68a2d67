//! Tools whose definition must stay what it was.

mod error;
mod hash;
mod layer;
mod pins;

pub use error::PinError;
pub use layer::PinLayer;
pub use pins::{ChangedTool, Pins};

use crate::{
    CallError, CallErrorKind, Interceptor, Next, Phase, ServerFailure, ToolCall, ToolList,
    ToolOutcome,
};

#[derive(Debug)]
struct Pin(Pins);

impl Interceptor for Pin {
    async fn intercept(&self, call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
        let tool = call.tool();
        let checked = if call.name() == tool.tool().name {
            self.0.check(tool)
        } else {
            self.0.check_name(call.server(), call.name())
        };
        match checked {
            Ok(()) => next.run(call).await,
            Err(error) => {
                let message = "the call was not made";
                Err(CallError::new(CallErrorKind::Rejected, message).with_source(error))
            }
        }
    }

    fn list(&self, mut tools: ToolList) -> ToolList {
        let failures = &mut tools.failures;
        tools.tools.retain(|tool| match self.0.check(tool) {
            Ok(()) => true,
            Err(error) => {
                let server = tool.server().as_ref();
                failures.push(ServerFailure::new(server, Phase::List, error.to_string()));
                false
            }
        });
        tools
    }
}
