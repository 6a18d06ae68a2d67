//! The choices among all messages of one direction: each message has a variant of its own.

use mcp_jsonrpc::{ErrorObject, MethodName, RawJson};
use mcp_protocol::{ClientNotification, ClientRequest, ServerNotification, ServerRequest};
use serde_json::Value;

use super::coverage::{REVISIONS, Sampler, definitions};

/// The params as they come back; `None` for a method without a variant.
type Decoded = Result<Option<Option<RawJson>>, ErrorObject>;
type Decode = fn(&MethodName, Option<&RawJson>) -> Decoded;

macro_rules! union {
    ($name:ident) => {
        (stringify!($name), |method, params| {
            let message = $name::decode(method, params)?;
            assert_eq!(message.method(), *method);
            let custom = matches!(message, $name::Custom(_));
            Ok((!custom).then(|| message.params().unwrap()))
        })
    };
}

const UNIONS: [(&str, Decode); 4] = [
    union!(ClientRequest),
    union!(ServerRequest),
    union!(ClientNotification),
    union!(ServerNotification),
];

#[test]
fn every_message_of_every_direction_has_a_variant_of_its_own() {
    let Some(spec) = super::spec_dir("every_message_of_every_direction_has_a_variant_of_its_own")
    else {
        return;
    };
    let mut seen = 0;
    for revision in REVISIONS {
        let definitions = definitions(&spec.join(revision));
        let sampler = Sampler {
            definitions: &definitions,
            turn: 0,
        };
        for (name, decode) in UNIONS {
            let Some(union) = definitions.get(name) else {
                continue;
            };
            let alone = std::slice::from_ref(union);
            let members = union["anyOf"].as_array().map_or(alone, Vec::as_slice);
            for member in members {
                let message = sampler.sample(member, 0);
                let method = MethodName::from(message["method"].as_str().unwrap().to_owned());
                let params = message.get("params").map(|p| RawJson::from(p.clone()));
                let back = decode(&method, params.as_ref()).unwrap();
                let back = back.unwrap_or_else(|| panic!("{revision} {name} lacks {method}"));
                let back: Option<Value> = back.map(|raw| raw.decode().unwrap());
                let empty = Value::Object(serde_json::Map::default());
                let sent = message.get("params").unwrap_or(&empty);
                assert_eq!(back.as_ref(), Some(sent), "{revision} {method}");
                seen += 1;
            }
        }
    }
    assert!(seen > 80, "only {seen} messages were looked at");
}
