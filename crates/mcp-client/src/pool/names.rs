//! The names by which models know the tools of many servers.

/// How the tools of many servers are named for models.
///
/// Every name that comes out matches `^[A-Za-z0-9_-]{1,64}$`, is unique in its list, is the same
/// after a restart, and belongs to one tool: calls go by the tool, never by taking a name apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NamePolicy {
    /// `server__tool`.
    #[default]
    Prefixed,
    /// `tool`. Where two servers have a tool of the same name, both are left out and the list
    /// has a failure that names both servers.
    Plain,
}

/// The longest name that all model providers take.
const MAX_LEN: usize = 64;

impl NamePolicy {
    /// The name of a server's tool. It depends on nothing but its arguments: names that would
    /// have to be changed or could be read in two ways get a hash at their end.
    #[must_use]
    pub fn name(self, server: &str, tool: &str) -> String {
        let (plain, exact) = match self {
            Self::Prefixed => {
                // `a__b__c` is the tool `b__c` of `a`: a name is read up to its first `__`.
                let unambiguous = !server.contains("__") && !server.ends_with('_');
                (format!("{server}__{tool}"), unambiguous)
            }
            Self::Plain => (tool.to_owned(), true),
        };
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if exact && !tool.is_empty() && plain.len() <= MAX_LEN && plain.chars().all(allowed) {
            return plain;
        }
        let clean = plain.chars().map(|c| if allowed(c) { c } else { '_' });
        hashed(clean, server, tool, 0)
    }
}

/// A name that is not in use: the given one, or one with a hash at its end.
pub(super) fn unused(
    name: &str,
    (server, tool): (&str, &str),
    used: impl Fn(&str) -> bool,
) -> String {
    let mut next = name.to_owned();
    let mut salt = 1;
    while used(&next) {
        next = hashed(name.chars(), server, tool, salt);
        salt += 1;
    }
    next
}

fn hashed(name: impl Iterator<Item = char>, server: &str, tool: &str, salt: u32) -> String {
    let suffix = format!("_{:010x}", hash(server, tool, salt) & 0xff_ffff_ffff);
    let mut name: String = name.take(MAX_LEN - suffix.len()).collect();
    name.push_str(&suffix);
    name
}

/// FNV-1a with 64 bits: the same on every machine and in every version.
fn hash(server: &str, tool: &str, salt: u32) -> u64 {
    let bytes = server.bytes().chain([0]).chain(tool.bytes());
    let bytes = bytes.chain(salt.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::{MAX_LEN, NamePolicy, unused};

    fn name(server: &str, tool: &str) -> String {
        NamePolicy::Prefixed.name(server, tool)
    }

    #[test]
    fn plain_names_stay_as_they_are() {
        assert_eq!(name("files", "read"), "files__read");
        assert_eq!(name("a-b", "c_d"), "a-b__c_d");
        assert_eq!(name("a", "b__c"), "a__b__c");
        assert_eq!(NamePolicy::Plain.name("files", "read"), "read");
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_told_apart() {
        let names = [
            name("a", "b__c"),
            name("a__b", "c"),
            name("a_", "b"),
            name("a", "_b"),
            name("a.b", "c"),
            name("a/b", "c"),
            name("a_b", "c"),
            name("a", ""),
        ];
        let mut distinct = names.to_vec();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
    }

    #[test]
    fn every_name_is_one_that_providers_take() {
        for (server, tool) in [
            ("", ""),
            ("ä", "ö"),
            (&*"s".repeat(80), &*"t".repeat(200)),
            ("a b", "日本"),
        ] {
            for policy in [NamePolicy::Prefixed, NamePolicy::Plain] {
                let name = policy.name(server, tool);
                assert!((1..=MAX_LEN).contains(&name.len()), "{name}");
                assert!(
                    name.bytes()
                        .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
                );
            }
        }
    }

    #[test]
    fn names_do_not_change_from_one_version_to_the_next() {
        assert_eq!(name("a__b", "c"), "a__b__c_4aed724a09");
    }

    #[test]
    fn a_name_in_use_gets_another_end() {
        let first = unused("x", ("s", "t"), |name| name == "x");
        assert_ne!(first, "x");
        let second = unused("x", ("s", "t"), |name| name == "x" || name == first);
        assert_ne!(second, first);
    }
}
