//! The members of a `_meta`, as text until somebody looks at them: few do.

use std::fmt;
use std::sync::OnceLock;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::Extra;

/// An object that is parsed when it is first looked at. One that nests too deep for that looks
/// empty; written again, it is what it was.
#[derive(Clone, Default)]
pub(super) struct Members {
    /// As it came, as long as nobody has changed it.
    text: Option<Box<RawValue>>,
    parsed: OnceLock<Extra>,
}

impl Members {
    pub(super) fn get(&self) -> &Extra {
        self.parsed.get_or_init(|| self.parse())
    }

    pub(super) fn change<T>(&mut self, change: impl FnOnce(&mut Extra) -> T) -> T {
        let mut members = std::mem::take(self).into_map();
        let done = change(&mut members);
        *self = members.into();
        done
    }

    pub(super) fn into_map(mut self) -> Extra {
        self.parsed.take().unwrap_or_else(|| self.parse())
    }

    fn parse(&self) -> Extra {
        let text = self.text.as_ref();
        let parsed = text.and_then(|text| serde_json::from_str(text.get()).ok());
        parsed.unwrap_or_default()
    }
}

impl From<Extra> for Members {
    fn from(members: Extra) -> Self {
        Self {
            text: None,
            parsed: members.into(),
        }
    }
}

impl PartialEq for Members {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.text {
            Some(text) => text.serialize(serializer),
            None => self.get().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        if serde_json::from_str::<FewAndDistinct>(text.get()).is_ok() {
            return Ok(Self {
                text: Some(text),
                parsed: OnceLock::new(),
            });
        }
        let members: Extra = serde_json::from_str(text.get()).map_err(D::Error::custom)?;
        Ok(members.into())
    }
}

/// An object of a few members with different names, written without escapes.
struct FewAndDistinct;

const FEW: usize = 8;

impl<'de> Deserialize<'de> for FewAndDistinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self)
    }
}

impl<'de> Visitor<'de> for FewAndDistinct {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut names = [""; FEW];
        let mut count = 0;
        while let Some(name) = map.next_key::<&str>()? {
            map.next_value::<IgnoredAny>()?;
            match names.get_mut(..=count) {
                Some([before @ .., slot]) if !before.contains(&name) => *slot = name,
                _ => return Err(A::Error::custom("too many, or one twice")),
            }
            count += 1;
        }
        Ok(self)
    }
}
