//! JSON as text that is the same whatever the order of members.

use std::fmt::Write;

use serde_json::Value;

use crate::JsonMap;

/// A text with a mark around it, so that two texts never run into one.
pub(crate) fn text(to: &mut String, text: &str) {
    let _ = write!(to, "{text:?},");
}

/// An object without some of its members.
pub(crate) fn object(to: &mut String, map: &JsonMap, without: &[&str]) {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    to.push('{');
    for (name, member) in members {
        if !without.contains(&name.as_str()) {
            text(to, name);
            value(to, member);
        }
    }
    to.push('}');
}

/// Any JSON.
pub(crate) fn value(to: &mut String, of: &Value) {
    match of {
        Value::Object(map) => object(to, map, &[]),
        Value::Array(items) => {
            to.push('[');
            for item in items {
                value(to, item);
            }
            to.push(']');
        }
        plain => {
            let _ = write!(to, "{plain},");
        }
    }
}
