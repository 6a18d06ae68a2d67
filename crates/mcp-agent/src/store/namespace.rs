//! Where a value is: a path of labels.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::StoreError;

/// A path of labels, at least one; a label is not empty and has no full stop in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Namespace(Vec<String>);

impl Namespace {
    /// A path of these labels.
    ///
    /// ```
    /// use mcp_agent::Namespace;
    /// assert!(Namespace::new(["users", "ada"]).is_ok());
    /// assert!(Namespace::new(["a.b"]).is_err());
    /// assert!(Namespace::new([""; 0]).is_err());
    /// ```
    ///
    /// # Errors
    /// If there is no label, or one is empty or has a full stop in it.
    pub fn new<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> Result<Self, StoreError> {
        Self::try_from(labels.into_iter().map(Into::into).collect::<Vec<_>>())
    }

    /// The labels.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        &self.0
    }

    /// Whether the path begins with these labels.
    #[must_use]
    pub fn starts_with(&self, prefix: &[String]) -> bool {
        self.0.starts_with(prefix)
    }

    /// The first `depth` labels.
    pub(super) fn cut(&self, depth: usize) -> Self {
        Self(self.0.iter().take(depth.max(1)).cloned().collect())
    }
}

impl TryFrom<Vec<String>> for Namespace {
    type Error = StoreError;

    fn try_from(labels: Vec<String>) -> Result<Self, StoreError> {
        if labels.is_empty() {
            return Err(StoreError::new("a namespace needs at least one label"));
        }
        let wrong = |label: &&String| label.is_empty() || label.contains('.');
        match labels.iter().find(wrong) {
            Some(label) => Err(StoreError::new(format!(
                "{label:?} cannot be a label of a namespace: it is empty or has a full stop in it"
            ))),
            None => Ok(Self(labels)),
        }
    }
}

impl From<Namespace> for Vec<String> {
    fn from(namespace: Namespace) -> Self {
        namespace.0
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// Labels at the beginning or the end of a path; `*` stands for any one label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamespacePattern(Vec<String>);

impl NamespacePattern {
    /// A pattern of these labels.
    pub fn new<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> Self {
        Self(labels.into_iter().map(Into::into).collect())
    }

    fn fits(&self, labels: &[String]) -> bool {
        let pairs = self.0.iter().zip(labels);
        let mut pairs = pairs.map(|(pattern, label)| pattern == "*" || pattern == label);
        self.0.len() == labels.len() && pairs.all(|fits| fits)
    }

    /// Whether a path begins so.
    #[must_use]
    pub fn is_prefix_of(&self, namespace: &Namespace) -> bool {
        namespace
            .labels()
            .get(..self.0.len())
            .is_some_and(|labels| self.fits(labels))
    }

    /// Whether a path ends so.
    #[must_use]
    pub fn is_suffix_of(&self, namespace: &Namespace) -> bool {
        let labels = namespace.labels();
        let from = labels.len().checked_sub(self.0.len());
        from.and_then(|from| labels.get(from..))
            .is_some_and(|labels| self.fits(labels))
    }
}
