//! Method names.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use bytes::Bytes;

/// The name of a method: UTF-8 text that is a constant, or a part of the message it came in.
///
/// ```
/// use mcp_jsonrpc::MethodName;
/// const PING: MethodName = MethodName::from_static("ping");
/// assert_eq!(&*PING, "ping");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodName(Bytes);

impl MethodName {
    /// A name known at compile time; costs no allocation.
    #[must_use]
    pub const fn from_static(name: &'static str) -> Self {
        Self(Bytes::from_static(name.as_bytes()))
    }

    /// A part of `whole`, or the text itself where it was written with escapes.
    pub(crate) fn part(whole: &Bytes, name: Cow<'_, str>) -> Self {
        match name {
            Cow::Borrowed(s) => Self(whole.slice_ref(s.as_bytes())),
            Cow::Owned(s) => Self(s.into()),
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether it stands in JSON as it is.
    pub(crate) fn is_plain(&self) -> bool {
        let plain = |byte: &u8| !matches!(byte, 0..=0x1f | b'"' | b'\\');
        self.0.iter().all(plain)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Only constructors that have seen the text as `str` make this type.
        std::str::from_utf8(&self.0).unwrap_or_default()
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
        Self(name.into())
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
