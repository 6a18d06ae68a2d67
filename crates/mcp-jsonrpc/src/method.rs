//! Method names.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use bytes::Bytes;

/// The name of a method: UTF-8 text that is a constant, or a part of the message it came in.
///
/// ```
/// use mcp_jsonrpc::MethodName;
/// const PING: MethodName = MethodName::from_static("ping");
/// assert_eq!(&*PING, "ping");
/// ```
#[derive(Clone)]
pub struct MethodName(Repr);

#[derive(Clone)]
enum Repr {
    Static(&'static str),
    /// UTF-8: made from what was seen as `str`.
    Part(Bytes),
}

impl MethodName {
    /// A name known at compile time; costs no allocation.
    #[must_use]
    pub const fn from_static(name: &'static str) -> Self {
        Self(Repr::Static(name))
    }

    /// A part of `whole`, or the text itself where it was written with escapes.
    pub(crate) fn part(whole: &Bytes, name: Cow<'_, str>) -> Self {
        match name {
            Cow::Borrowed(s) => Self(Repr::Part(whole.slice_ref(s.as_bytes()))),
            Cow::Owned(s) => s.into(),
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Static(name) => name.as_bytes(),
            Repr::Part(name) => name,
        }
    }

    /// Whether it stands in JSON as it is.
    pub(crate) fn is_plain(&self) -> bool {
        let plain = |byte: &u8| !matches!(byte, 0..=0x1f | b'"' | b'\\');
        self.as_bytes().iter().all(plain)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Static(name) => name,
            Repr::Part(name) => std::str::from_utf8(name).unwrap_or_default(),
        }
    }
}

impl PartialEq for MethodName {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for MethodName {}

impl Hash for MethodName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl PartialOrd for MethodName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for MethodName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Deref for MethodName {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<String> for MethodName {
    fn from(name: String) -> Self {
        Self(Repr::Part(name.into()))
    }
}

impl From<&'static str> for MethodName {
    fn from(name: &'static str) -> Self {
        Self::from_static(name)
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
