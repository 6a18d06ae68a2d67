//! The revisions of the specification, as data.

use std::fmt;

/// A revision of the specification that this crate speaks.
///
/// On the wire a version is an opaque string; two versions are equal or they are not. What a
/// revision can do is asked by [`has`](Self::has), so that no caller compares dates.
///
/// ```
/// use mcp_protocol::{Feature, ProtocolVersion};
/// let version = ProtocolVersion::parse("2025-03-26").unwrap();
/// assert!(version.has(Feature::Batches));
/// assert!(ProtocolVersion::parse("2025-03-27").is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProtocolVersion(u8);

/// In the order of [`ProtocolVersion::ALL`].
const NAMES: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

impl ProtocolVersion {
    /// The first revision.
    pub const V2024_11_05: Self = Self(0);
    /// Brought Streamable HTTP, batches, audio and tool annotations.
    pub const V2025_03_26: Self = Self(1);
    /// Brought structured results, elicitation and resource links; dropped batches.
    pub const V2025_06_18: Self = Self(2);
    /// Brought tasks, icons, elicitation by URL and tools in sampling.
    pub const V2025_11_25: Self = Self(3);
    /// Brought stateless requests; dropped the handshake, sessions and requests by the server.
    pub const V2026_07_28: Self = Self(4);

    /// Every revision, oldest first.
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];
    /// The newest revision.
    pub const LATEST: Self = Self::V2026_07_28;
    /// The newest revision that begins with `initialize`.
    pub const LATEST_HANDSHAKE: Self = Self::V2025_11_25;

    /// The version as it stands on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self.0 {
            0 => NAMES[0],
            1 => NAMES[1],
            2 => NAMES[2],
            3 => NAMES[3],
            _ => NAMES[4],
        }
    }

    /// The revision with this name, if it is one that we speak.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|v| v.as_str() == name)
    }

    /// The newest revision that both lists hold; the second holds names from the wire.
    #[must_use]
    pub fn newest_mutual<S: AsRef<str>>(ours: &[Self], theirs: &[S]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .rev()
            .filter(|v| ours.contains(v))
            .find(|v| theirs.iter().any(|name| name.as_ref() == v.as_str()))
    }

    /// Its place in [`ALL`](Self::ALL), for the table in `revision.rs`.
    pub(crate) const fn index(self) -> u8 {
        self.0
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for ProtocolVersion {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::ProtocolVersion;

    #[test]
    fn every_name_parses_to_its_revision() {
        for version in ProtocolVersion::ALL {
            assert_eq!(ProtocolVersion::parse(version.as_str()), Some(version));
        }
    }

    #[test]
    fn the_newest_mutual_revision_is_picked_whatever_the_order() {
        use ProtocolVersion as V;
        let theirs = ["2024-11-05", "2025-06-18", "1900-01-01", "2025-03-26"];
        assert_eq!(V::newest_mutual(&V::ALL, &theirs), Some(V::V2025_06_18));
        assert_eq!(V::newest_mutual(&[V::LATEST], &theirs), None);
    }
}
