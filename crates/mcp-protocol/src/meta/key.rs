//! The grammar of `_meta` keys, and which of them are not for users.

use super::RESERVED;

/// A key that may not be used for `_meta` members of one's own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidMetaKey {
    /// The key is not `[prefix/]name` with letters, digits, `-`, `_` and `.` in their places.
    #[error("`{key}` is not a valid `_meta` key: write `example.com/name`")]
    Grammar {
        /// The key.
        key: String,
    },
    /// The protocol gives the key a meaning, or may do so later.
    #[error("the `_meta` key `{key}` is reserved by the protocol: use a prefix of your own")]
    Reserved {
        /// The key.
        key: String,
    },
}

/// Checks a key that a user of this crate chose.
///
/// Reserved is what any revision reserves: 2025-06-18 looks at the label before the last one,
/// later revisions at the second.
pub(super) fn check(key: &str) -> Result<(), InvalidMetaKey> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    // Behind a prefix the name may be empty.
    let named = is_name(name) || name.is_empty() && prefix.is_some();
    if !named || prefix.is_some_and(|p| !p.split('.').all(is_label)) {
        return Err(InvalidMetaKey::Grammar {
            key: key.to_owned(),
        });
    }
    if name == "progressToken" && prefix.is_none() || prefix.is_some_and(is_reserved) {
        return Err(InvalidMetaKey::Reserved {
            key: key.to_owned(),
        });
    }
    Ok(())
}

fn is_reserved(prefix: &str) -> bool {
    let ours = |label: Option<&str>| matches!(label, Some("modelcontextprotocol" | "mcp"));
    RESERVED.strip_suffix('/') == Some(prefix)
        || ours(prefix.split('.').nth(1))
        || ours(prefix.rsplit('.').nth(1))
}

/// Starts with a letter, ends with a letter or digit, between them also `-`.
fn is_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Starts and ends with a letter or digit, between them also `-`, `_` and `.`.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}
