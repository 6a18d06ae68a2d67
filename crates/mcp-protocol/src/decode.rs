//! Decoders for members that JSON peers write in more than one way.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::check_unique_members;

/// `null` is what many peers write for "nothing".
pub(crate) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Keeps `null` apart from absence: for members whose value may be any JSON.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// A value that many messages share.
pub(crate) fn shared<'de, D, T>(deserializer: D) -> Result<Option<Arc<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.map(Arc::new))
}

/// JSON that must be an object.
pub(crate) fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    serde_json::Map::deserialize(deserializer).map(Value::Object)
}

/// Undecoded JSON that must be an object where it is there, without the same member twice.
pub(crate) fn raw_object<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Box<RawValue>>, D::Error> {
    let raw = Option::<Box<RawValue>>::deserialize(deserializer)?;
    let Some(raw) = raw else {
        return Ok(None);
    };
    if !raw.get().starts_with('{') {
        return Err(de::Error::custom("expected an object"));
    }
    check_unique_members(raw.get()).map_err(de::Error::custom)?;
    Ok(Some(raw))
}

/// A whole number, however it is written (`3`, `3.0`); negative counts as 0.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let number = Option::<serde_json::Number>::deserialize(deserializer)?;
    // A float becomes the nearest count: `as` saturates, and NaN cannot be written in JSON.
    Ok(number.map(|n| {
        n.as_u64()
            .unwrap_or_else(|| n.as_f64().map_or(0, |f| f as u64))
    }))
}

/// A string, turned into an open enumeration.
pub(crate) fn text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: for<'a> From<&'a str>,
{
    struct Text<T>(PhantomData<T>);

    impl<T: for<'a> From<&'a str>> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            Ok(T::from(text))
        }
    }

    deserializer.deserialize_str(Text(PhantomData))
}

/// A list whose bad elements are left out and reported.
pub(crate) struct Lenient<T> {
    pub(crate) items: Vec<T>,
    pub(crate) skipped: Vec<String>,
}

/// The most lines that a report of skipped elements has.
const MAX_SKIPPED: usize = 64;

impl<'de, T: DeserializeOwned> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let elements = Vec::<Box<RawValue>>::deserialize(deserializer)?;
        let mut items = Vec::with_capacity(elements.len());
        let mut skipped = Vec::new();
        let mut unreported = 0_usize;
        for (index, element) in elements.iter().enumerate() {
            match serde_json::from_str(element.get()) {
                Ok(item) => items.push(item),
                Err(error) if skipped.len() + 1 < MAX_SKIPPED => {
                    skipped.push(report(index, element, &error));
                }
                Err(_) => unreported += 1,
            }
        }
        if unreported > 0 {
            skipped.push(format!("and {unreported} more"));
        }
        Ok(Self { items, skipped })
    }
}

/// One line: where the element stands, what it calls itself, what is wrong.
fn report(index: usize, element: &RawValue, error: &serde_json::Error) -> String {
    #[derive(serde::Deserialize)]
    struct Named {
        #[serde(alias = "uri", alias = "uriTemplate", alias = "taskId")]
        name: String,
    }
    match serde_json::from_str::<Named>(element.get()) {
        Ok(Named { name }) => {
            let name: String = name.chars().take(64).collect();
            format!("element {index} ({name:?}): {error}")
        }
        Err(_) => format!("element {index}: {error}"),
    }
}
