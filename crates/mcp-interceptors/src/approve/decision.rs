//! What somebody says about a call.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::JsonMap;

/// What somebody says about a call.
///
/// As JSON it is an object with a `type`. Short forms are read too: `true`, `false`, and the
/// type alone.
///
/// ```
/// use mcp_interceptors::Decision;
/// let read = |json| serde_json::from_str::<Decision>(json).unwrap();
/// assert_eq!(read("true"), Decision::Approve);
/// assert_eq!(read(r#""reject""#), Decision::Reject { message: None });
/// assert_eq!(read(r#"{"type": "respond", "message": "ask Ada"}"#), Decision::Respond { message: "ask Ada".into() });
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Decision {
    /// The call is made.
    Approve,
    /// The call is made with other arguments.
    Edit {
        /// All arguments.
        args: JsonMap,
    },
    /// The call is not made.
    Reject {
        /// Why, for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// The call is not made; this is its answer.
    Respond {
        /// What the model reads.
        message: String,
    },
}

impl Decision {
    /// What there is to decide, by `type`.
    pub const TYPES: [&'static str; 4] = ["approve", "edit", "reject", "respond"];

    /// Reads a decision, for [`Ask::ask_for`](crate::Ask::ask_for).
    ///
    /// # Errors
    /// What is wrong with it, for who made it.
    pub fn read(answer: Value) -> Result<Self, String> {
        serde_json::from_value(answer).map_err(|error| format!("this is no decision: {error}"))
    }
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Long {
    Approve,
    Edit { args: JsonMap },
    Reject { message: Option<String> },
    Respond { message: String },
}

impl<'de> Deserialize<'de> for Decision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Ok(match value {
            Value::Bool(true) => Self::Approve,
            Value::Bool(false) => Self::Reject { message: None },
            Value::String(word) if word == "approve" => Self::Approve,
            Value::String(word) if word == "reject" => Self::Reject { message: None },
            other => match Long::deserialize(other).map_err(Error::custom)? {
                Long::Approve => Self::Approve,
                Long::Edit { args } => Self::Edit { args },
                Long::Reject { message } => Self::Reject { message },
                Long::Respond { message } => Self::Respond { message },
            },
        })
    }
}
