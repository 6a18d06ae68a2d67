//! Arguments straight into the type of the closure; what does not fit is said by member.

use std::fmt;

use serde::de::DeserializeOwned;

/// What is wrong with the arguments of a call, for the model that has made them.
#[derive(Debug)]
pub(crate) struct ArgumentError {
    /// Where: `a.b[2]`, or empty for the object as a whole.
    path: String,
    message: String,
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "" | "." => write!(f, "invalid arguments: {}", self.message),
            path => write!(f, "invalid argument `{path}`: {}", self.message),
        }
    }
}

pub(crate) fn decode<A: DeserializeOwned>(arguments: &str) -> Result<A, ArgumentError> {
    serde_json::from_str(arguments).or_else(|_| decode_again(arguments))
}

/// Only what failed is worth the price of keeping track of the path.
#[cold]
fn decode_again<A: DeserializeOwned>(arguments: &str) -> Result<A, ArgumentError> {
    let mut deserializer = serde_json::Deserializer::from_str(arguments);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let message = error.inner().to_string();
        // Where it stands in a text that the model does not see helps nobody.
        let message = message.split(" at line ").next().unwrap_or_default();
        ArgumentError {
            path: error.path().to_string(),
            message: message.to_owned(),
        }
    })
}
