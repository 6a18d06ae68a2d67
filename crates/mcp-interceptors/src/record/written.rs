//! The form in which calls and tools are written down: one JSON object a line.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_protocol::{CallToolResult, Tool};
use serde::{Deserialize, Serialize};

use crate::{
    BoundTool, CallError, CallErrorKind, Command, Delivery, JsonMap, ToolCall, ToolMessage,
    ToolOutcome, canonical,
};

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Line<'a> {
    /// A tool that was listed.
    Tool {
        name: Cow<'a, str>,
        server: Cow<'a, str>,
        tool: Cow<'a, Tool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<Box<Cow<'a, Tool>>>,
    },
    /// A call that was made.
    Call {
        server: Cow<'a, str>,
        tool: Cow<'a, str>,
        args: Cow<'a, JsonMap>,
        #[serde(flatten)]
        outcome: Outcome<'a>,
    },
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome<'a> {
    Result(Cow<'a, CallToolResult>),
    Message(Cow<'a, ToolMessage>),
    Command(Cow<'a, Command>),
    Error {
        kind: CallErrorKind,
        message: Cow<'a, str>,
        delivery: Delivery,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<i64>,
    },
}

impl<'a> Line<'a> {
    pub(crate) fn of_tool(tool: &'a BoundTool) -> Self {
        let (own, shown) = (tool.tool(), tool.shown());
        Self::Tool {
            name: tool.name().into(),
            server: tool.server().as_ref().into(),
            tool: Cow::Borrowed(own),
            shown: (!Arc::ptr_eq(own, shown)).then(|| Box::new(Cow::Borrowed(&**shown))),
        }
    }

    pub(crate) fn of_call(call: &'a ToolCall, result: &'a Result<ToolOutcome, CallError>) -> Self {
        Self::Call {
            server: call.server().into(),
            tool: call.name().into(),
            args: Cow::Borrowed(call.args()),
            outcome: match result {
                Ok(ToolOutcome::Result(result)) => Outcome::Result(Cow::Borrowed(result)),
                Ok(ToolOutcome::Message(message)) => Outcome::Message(Cow::Borrowed(message)),
                Ok(ToolOutcome::Command(command)) => Outcome::Command(Cow::Borrowed(command)),
                Err(error) => Outcome::Error {
                    kind: error.kind(),
                    message: error.chain().into(),
                    delivery: error.delivery(),
                    code: error.code(),
                },
            },
        }
    }
}

impl Outcome<'_> {
    pub(crate) fn play(self) -> Result<ToolOutcome, CallError> {
        match self {
            Self::Result(result) => Ok(result.into_owned().into()),
            Self::Message(message) => Ok(message.into_owned().into()),
            Self::Command(command) => Ok(command.into_owned().into()),
            Self::Error {
                kind,
                message,
                delivery,
                code,
            } => {
                let error = CallError::new(kind, message).with_delivery(delivery);
                Err(match code {
                    Some(code) => error.with_code(code),
                    None => error,
                })
            }
        }
    }
}

/// What makes two calls the same.
pub(crate) fn key(server: &str, tool: &str, args: &JsonMap) -> String {
    let mut key = String::new();
    canonical::text(&mut key, server);
    canonical::text(&mut key, tool);
    canonical::object(&mut key, args, &[]);
    key
}
