//! What the types promise, by the numbers of the protocol checklist (`proto_`) and of faults
//! that users of other implementations have reported (`t`, `j`).

mod blocks;
mod duplicates;
mod elicitation;
mod lists;
mod meta;
mod nulls;
mod param_headers;
mod results;
mod sampling;
mod server_features;
mod tasks;
mod unions;
mod unknown;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Decodes text, as on the wire.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text)
}

/// Into a type and back.
fn round_trip<T: Serialize + DeserializeOwned>(json: &Value) -> Value {
    let decoded: T = read(&json.to_string()).unwrap();
    serde_json::to_value(decoded).unwrap()
}
