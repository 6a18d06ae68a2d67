//! JSON that is known to be well-formed and is decoded once, by whom it concerns.

use std::cell::Cell;
use std::fmt;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::pick;
use crate::scan::Index;

/// One JSON value as text: well-formed, undecoded, cheap to clone.
///
/// The parts of a message share the buffer that the message arrived in; nothing is copied until
/// [`decode`](Self::decode) builds the type that the method asks for.
///
/// ```
/// use mcp_jsonrpc::RawJson;
/// let raw = RawJson::encode(&[1, 2]).unwrap();
/// assert_eq!(raw.as_str(), "[1,2]");
/// assert_eq!(raw.decode::<Vec<u8>>().unwrap(), [1, 2]);
/// ```
#[derive(Clone)]
pub struct RawJson {
    text: Bytes,
    /// What reading the message has shown of the members. It says nothing that is not in the text.
    index: Index,
}

thread_local! {
    /// Where values are encoded, so that a small one costs a single allocation of its exact size.
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Values up to this size, in bytes, are copied out of the scratch buffer; the buffer itself
/// becomes a larger one.
const MAX_SCRATCH: usize = 16 * 1024;

impl RawJson {
    /// The empty object, `{}`.
    pub const EMPTY: Self = Self::new(Bytes::from_static(b"{}"));

    /// Encodes a value.
    ///
    /// # Errors
    /// If the value's `Serialize` fails, or it has a map with keys that are not strings.
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        let mut text = SCRATCH.take();
        text.clear();
        serde_json::to_writer(&mut text, value)?;
        if text.len() > MAX_SCRATCH {
            return Ok(Self::new(text.into()));
        }
        let value = Self::new(Bytes::copy_from_slice(&text));
        SCRATCH.set(text);
        Ok(value)
    }

    /// Takes text that comes from outside, after checking that it is one JSON value.
    ///
    /// # Errors
    /// If the text is not UTF-8 or not exactly one well-formed JSON value.
    pub fn parse(text: impl Into<Bytes>) -> Result<Self, serde_json::Error> {
        let text = text.into();
        let value: &RawValue = serde_json::from_slice(&text)?;
        Ok(Self::new(text.slice_ref(value.get().as_bytes())))
    }

    /// A part of `whole` that a decoder has already found to be well-formed, and the index of
    /// that part.
    pub(crate) fn part(whole: &Bytes, part: &str, index: Index) -> Self {
        let text = whole.slice_ref(part.as_bytes());
        Self { text, index }
    }

    const fn new(text: Bytes) -> Self {
        let index = Index::UNKNOWN;
        Self { text, index }
    }

    /// The values of these members, as [`pick`] finds them. Of a message that was read, most are
    /// known without looking for them.
    #[must_use]
    pub fn pick<'a, const N: usize>(&'a self, names: [&str; N]) -> Option<[Option<&'a str>; N]> {
        let known = self.index.pick(&self.text, names);
        known.unwrap_or_else(|| pick(&self.text, names))
    }

    /// Decodes the value into `T`.
    ///
    /// # Errors
    /// If the JSON does not fit `T`, or nests deeper than 128 levels.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        // Looked at as text once, and not string by string.
        serde_json::from_str(self.as_str())
    }

    /// Decodes the value into a `T` that borrows from it.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_borrowed<'a, T: serde::Deserialize<'a>>(
        &'a self,
    ) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }

    /// The JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Only constructors that have seen the text as `str` make this type.
        std::str::from_utf8(&self.text).unwrap_or_default()
    }

    /// The JSON text as bytes, which is cheaper than [`as_str`](Self::as_str).
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// The JSON text as bytes that share this value's buffer.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.text
    }

    /// Whether the value is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.text.first() == Some(&b'{')
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for RawJson {}

impl From<Box<RawValue>> for RawJson {
    fn from(value: Box<RawValue>) -> Self {
        Self::new(Box::<str>::from(value).into_boxed_bytes().into())
    }
}

impl From<serde_json::Value> for RawJson {
    fn from(value: serde_json::Value) -> Self {
        Self::new(value.to_string().into())
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value: &RawValue = serde_json::from_str(self.as_str()).map_err(S::Error::custom)?;
        value.serialize(serializer)
    }
}

/// Shows the length only: messages carry what must not end up in logs.
impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson({} bytes)", self.text.len())
    }
}
