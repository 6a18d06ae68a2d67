//! Names for the messages of a conversation.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::hash::write_hex;

/// The name of one message in a thread.
///
/// A message without a name gets one that follows from the place where it was written (thread
/// namespace, step, task), so a run that is repeated gives the same names.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(from = "String")]
pub struct MessageId(Name);

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Name {
    Made(u64),
    Given(Arc<str>),
}

impl MessageId {
    /// The name of the `index`-th message of a write.
    #[must_use]
    pub fn made(seed: u64, index: u64) -> Self {
        Self(Name::Made(mix(
            seed ^ mix(index.wrapping_add(0x9e37_79b9_7f4a_7c15))
        )))
    }

    fn with_text<T>(&self, f: impl FnOnce(&str) -> T) -> T {
        match &self.0 {
            Name::Made(number) => {
                let mut text = *b"m0000000000000000";
                let [_, digits @ ..] = &mut text;
                write_hex(*number, digits);
                f(std::str::from_utf8(&text).unwrap_or_default())
            }
            Name::Given(name) => f(name),
        }
    }
}

/// The finalizer of splitmix64: spreads every bit of the input over the output.
pub(crate) const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for MessageId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl From<&str> for MessageId {
    fn from(name: &str) -> Self {
        let made = name
            .strip_prefix('m')
            .filter(|digits| digits.len() == 16)
            .filter(|digits| !digits.bytes().any(|b| b.is_ascii_uppercase() || b == b'+'))
            .and_then(|digits| u64::from_str_radix(digits, 16).ok());
        Self(made.map_or_else(|| Name::Given(name.into()), Name::Made))
    }
}

impl From<String> for MessageId {
    fn from(name: String) -> Self {
        name.as_str().into()
    }
}

impl From<MessageId> for String {
    fn from(id: MessageId) -> Self {
        id.to_string()
    }
}

impl FromStr for MessageId {
    type Err = Infallible;

    fn from_str(name: &str) -> Result<Self, Infallible> {
        Ok(name.into())
    }
}
