//! Encoders for members that JSON peers expect in one particular way.

use std::sync::Arc;

use serde::ser::{Error as _, Serialize, Serializer};

/// The largest whole number up to which every `f64` is exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number the way JavaScript writes it: `50`, not `50.0`.
pub(crate) fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if !value.is_finite() {
        return Err(S::Error::custom("JSON has no infinite numbers"));
    }
    if value.fract() == 0.0 && value.abs() < EXACT {
        serializer.serialize_i64(*value as i64)
    } else {
        serializer.serialize_f64(*value)
    }
}

/// As [`number`], where there is one; absent ones must be skipped.
#[expect(clippy::ref_option, reason = "the signature that serde calls")]
pub(crate) fn optional_number<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => number(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// A value that many messages share.
#[expect(clippy::ref_option, reason = "the signature that serde calls")]
pub(crate) fn shared<S: Serializer, T: Serialize>(
    value: &Option<Arc<T>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.as_deref().serialize(serializer)
}
