//! What a store is asked, and what it replies.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Filter, Namespace, NamespacePattern};

/// A value with where it is and since when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Item {
    /// Its namespace.
    pub namespace: Namespace,
    /// Its key there.
    pub key: String,
    /// The value.
    pub value: Value,
    /// When it was first put there, in milliseconds since 1970.
    pub created_ms: u64,
    /// When it was last put there, in milliseconds since 1970.
    pub updated_ms: u64,
}

impl Item {
    /// A value with where it is and since when; for implementations of stores.
    #[must_use]
    pub const fn new(
        namespace: Namespace,
        key: String,
        value: Value,
        (created_ms, updated_ms): (u64, u64),
    ) -> Self {
        Self {
            namespace,
            key,
            value,
            created_ms,
            updated_ms,
        }
    }
}

/// One operation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StoreOp {
    /// Reads a value.
    Get {
        /// Where.
        namespace: Namespace,
        /// Under which key.
        key: String,
        /// Whether reading lets its time begin anew.
        refresh: bool,
    },
    /// Puts a value there, or takes it away.
    Put(Put),
    /// Finds values.
    Search(Search),
    /// Lists namespaces that hold values.
    ListNamespaces(ListNamespaces),
}

/// The reply to an operation, of the same kind.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StoreReply {
    /// The value, if there is one.
    Item(Option<Item>),
    /// It is done.
    Done,
    /// The values that were found.
    Items(Vec<Item>),
    /// The namespaces, in order.
    Namespaces(Vec<Namespace>),
}

/// Puts a value somewhere, or takes it away.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Put {
    /// Where.
    pub namespace: Namespace,
    /// Under which key.
    pub key: String,
    /// The value; `None` takes away what is there.
    pub value: Option<Value>,
    /// How long it stays.
    pub ttl: Option<Duration>,
}

impl Put {
    /// Puts a value there that stays.
    pub fn new(namespace: Namespace, key: impl Into<String>, value: impl Into<Value>) -> Self {
        Self {
            namespace,
            key: key.into(),
            value: Some(value.into()),
            ttl: None,
        }
    }

    /// The same value for a time.
    #[must_use]
    pub const fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }
}

/// Finds values, those that were put last first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Search {
    /// In the namespaces that begin with these labels; whole labels count.
    pub prefix: Vec<String>,
    /// Only values like this.
    pub filter: Filter,
    /// What they should be about. A store without an index for that ignores it.
    pub query: Option<String>,
    /// At most so many.
    pub limit: usize,
    /// Without the first so many.
    pub offset: usize,
    /// Whether finding lets their time begin anew.
    pub refresh: bool,
}

impl Search {
    /// The first 10 values under a prefix.
    pub fn under<L: Into<String>>(prefix: impl IntoIterator<Item = L>) -> Self {
        Self {
            prefix: prefix.into_iter().map(Into::into).collect(),
            filter: Filter::default(),
            query: None,
            limit: 10,
            offset: 0,
            refresh: true,
        }
    }

    /// Only values like this.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Another page.
    #[must_use]
    pub const fn page(mut self, offset: usize, limit: usize) -> Self {
        self.offset = offset;
        self.limit = limit;
        self
    }
}

/// Lists namespaces that hold values.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListNamespaces {
    /// Only those that begin so.
    pub prefix: NamespacePattern,
    /// Only those that end so.
    pub suffix: NamespacePattern,
    /// Cut to so many labels; what is the same then counts once.
    pub max_depth: Option<usize>,
    /// At most so many.
    pub limit: usize,
    /// Without the first so many.
    pub offset: usize,
}

/// The first 100 of all.
impl Default for ListNamespaces {
    fn default() -> Self {
        Self {
            prefix: NamespacePattern::default(),
            suffix: NamespacePattern::default(),
            max_depth: None,
            limit: 100,
            offset: 0,
        }
    }
}
