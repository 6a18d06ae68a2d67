//! Every definition of every revision has a type of ours, and every property a field.
//!
//! From each definition an object is made that has all properties. If our type does not know
//! one, it lands among its unknown members, where the test finds it.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::definitions::by_definition;

pub(super) const REVISIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

/// Definitions that are not types of ours.
const NOT_TYPES: [(&str, &[&str]); 5] = [
    (
        "mcp-jsonrpc has the envelope",
        &[
            "JSONRPCBatchRequest",
            "JSONRPCBatchResponse",
            "JSONRPCError",
            "JSONRPCErrorResponse",
            "JSONRPCMessage",
            "JSONRPCNotification",
            "JSONRPCRequest",
            "JSONRPCResponse",
            "JSONRPCResultResponse",
            "RequestId",
        ],
    ),
    (
        "any JSON",
        &["JSONValue", "JSONObject", "JSONArray", "MetaObject"],
    ),
    (
        "what many types have, without a use of its own",
        &[
            "Annotated",
            "BaseMetadata",
            "CacheableResult",
            "Icons",
            "InputResponseRequestParams",
            "Notification",
            "NotificationMetaObject",
            "PaginatedRequest",
            "PaginatedResult",
            "Request",
            "ResultMetaObject",
            "SubscriptionsListenResultMetaObject",
            "TaskAugmentedRequestParams",
        ],
    ),
    (
        "a choice among all messages of one direction",
        &[
            "ClientNotification",
            "ClientRequest",
            "ClientResult",
            "ServerNotification",
            "ServerRequest",
            "ServerResult",
        ],
    ),
    ("a string that is read by its key", &["InputResponse"]),
];

#[test]
fn proto_01_every_definition_has_a_type_and_every_property_a_field() {
    every_type_keeps(
        "proto_01_every_definition_has_a_type_and_every_property_a_field",
        |_| {},
    );
}

#[test]
fn t01_an_unheard_of_string_in_the_place_of_any_enumeration_survives() {
    every_type_keeps(
        "t01_an_unheard_of_string_in_the_place_of_any_enumeration_survives",
        |definitions| definitions.values_mut().for_each(know_none),
    );
}

/// Leaves one value of each enumeration in a schema, which no revision has.
fn know_none(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("enum").is_some_and(Value::is_array) {
                members.insert("enum".to_owned(), json!(["unheardOf"]));
            }
            members.values_mut().for_each(know_none);
        }
        Value::Array(elements) => elements.iter_mut().for_each(know_none),
        _ => {}
    }
}

/// What has all properties of its definition, changed by `change`, loses none in our type.
fn every_type_keeps(test: &str, change: fn(&mut Map<String, Value>)) {
    let Some(spec) = super::spec_dir(test) else {
        return;
    };
    let mut faults = Vec::new();
    for revision in REVISIONS {
        let mut definitions = definitions(&spec.join(revision));
        change(&mut definitions);
        for name in definitions.keys().filter(|name| is_type(name)) {
            // Several, so that each of the alternatives has its turn.
            let fault = (0..8).find_map(|turn| fault(&definitions, name, turn));
            faults.extend(fault.map(|fault| format!("{revision} {name}: {fault}")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_wrong_value_in_any_place_of_any_type_is_never_a_panic() {
    let Some(spec) = super::spec_dir("a_wrong_value_in_any_place_of_any_type_is_never_a_panic")
    else {
        return;
    };
    for revision in ["2025-11-25", "2026-07-28"] {
        let definitions = definitions(&spec.join(revision));
        for name in definitions.keys().filter(|name| is_type(name)) {
            let round_trip = by_definition(name).unwrap();
            let sampler = Sampler {
                definitions: &definitions,
                turn: 0,
            };
            let sample = sampler.sample(&definitions[name], 0);
            for wrong in [
                json!(null),
                json!(-1.5),
                json!("x"),
                json!([{}]),
                json!({"a": []}),
            ] {
                each_place(&sample, &wrong, &mut |broken| drop(round_trip(broken)));
            }
        }
    }
}

/// Calls `f` with the tree once for each place in it, `wrong` put there.
fn each_place(tree: &Value, wrong: &Value, f: &mut dyn FnMut(&Value)) {
    let children: Vec<String> = match tree {
        Value::Object(members) => members
            .keys()
            .map(|key| format!("/{}", escaped(key)))
            .collect(),
        Value::Array(elements) => (0..elements.len()).map(|i| format!("/{i}")).collect(),
        _ => return,
    };
    for path in children {
        let child = tree.pointer(&path).unwrap();
        let mut put = |value: &Value| {
            let mut broken = tree.clone();
            *broken.pointer_mut(&path).unwrap() = value.clone();
            f(&broken);
        };
        put(wrong);
        each_place(child, wrong, &mut put);
    }
}

/// As RFC 6901 writes a name.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

pub(super) fn definitions(revision: &Path) -> Map<String, Value> {
    let text = std::fs::read_to_string(revision.join("schema.json")).unwrap();
    let mut schema: Map<String, Value> = serde_json::from_str(&text).unwrap();
    let definitions = schema
        .remove("$defs")
        .or_else(|| schema.remove("definitions"));
    match definitions {
        Some(Value::Object(definitions)) => definitions,
        other => panic!("no definitions: {other:?}"),
    }
}

fn is_type(name: &str) -> bool {
    !NOT_TYPES.iter().any(|(_, names)| names.contains(&name))
}

fn fault(definitions: &Map<String, Value>, name: &str, turn: usize) -> Option<String> {
    let Some(round_trip) = by_definition(name) else {
        return Some("no type of ours".to_owned());
    };
    let sample = Sampler { definitions, turn }.sample(&definitions[name], 0);
    match round_trip(&sample) {
        Err(e) => Some(format!("{e}\n  {sample}")),
        Ok(back) if back.json != sample => Some(format!("\n  {sample}\n  {}", back.json)),
        Ok(back) => {
            let (_, unknown) = back.fields.split_once("extra: {\"")?;
            let (unknown, _) = unknown.split_once('"')?;
            Some(format!("no field for `{unknown}`\n  {sample}"))
        }
    }
}

/// Makes objects that have all properties of their schema.
pub(super) struct Sampler<'a> {
    pub(super) definitions: &'a Map<String, Value>,
    /// Which of several alternatives to take.
    pub(super) turn: usize,
}

impl Sampler<'_> {
    pub(super) fn sample(&self, schema: &Value, depth: usize) -> Value {
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let name = target.rsplit('/').next().unwrap();
            return self.sample(&self.definitions[name], depth + 1);
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
            let parts = parts.iter().map(|part| self.sample(part, depth + 1));
            return parts.fold(json!({}), merged);
        }
        if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
            return choices[self.turn % choices.len()].clone();
        }
        match schema.get("anyOf").and_then(Value::as_array) {
            // The last alternative of what contains itself is the plain one.
            Some(choices) if depth > 12 => self.sample(&choices[choices.len() - 1], depth + 1),
            Some(choices) => self.sample(&choices[self.turn % choices.len()], depth + 1),
            None => self.by_type(schema, depth),
        }
    }

    fn by_type(&self, schema: &Value, depth: usize) -> Value {
        let kind = match schema.get("type") {
            Some(Value::Array(kinds)) => &kinds[self.turn % kinds.len()],
            Some(kind) => kind,
            None => return json!("anything"),
        };
        match kind.as_str().unwrap() {
            "string" => json!("text"),
            "integer" | "number" => json!(7),
            "boolean" => json!(true),
            "null" => Value::Null,
            "array" if depth > 12 => json!([]),
            "array" => json!([self.sample(&schema["items"], depth + 1)]),
            _ => self.object(schema, depth),
        }
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties").filter(|o| o.is_object());
        let mut members = Map::new();
        for (name, property) in properties.into_iter().flatten() {
            members.insert(name.clone(), self.sample(property, depth + 1));
        }
        if let (None, Some(others), ..=12) = (properties, others, depth) {
            members.insert("any".to_owned(), self.sample(others, depth + 1));
        }
        Value::Object(members)
    }
}

fn merged(mut whole: Value, part: Value) -> Value {
    match (&mut whole, part) {
        (Value::Object(whole), Value::Object(part)) => whole.extend(part),
        (whole, part) => *whole = part,
    }
    whole
}
