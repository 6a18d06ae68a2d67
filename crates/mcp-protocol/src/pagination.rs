//! Lists in pages.

use serde::{Deserialize, Serialize};

use crate::{Extra, RequestMeta};

/// Where the next page begins: opaque, also when it is empty.
///
/// The end of a list is the absence of a cursor; `""` is a cursor like any other.
/// Specification: Pagination (all revisions).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(String);

impl Cursor {
    /// A cursor. Only servers make them.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text of the cursor.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Cursor {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Cursor {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.0
    }
}

/// Params of a request for one page of a list (`PaginatedRequestParams`).
///
/// Specification: Pagination (all revisions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct PaginatedParams {
    /// Where the page begins, from `nextCursor` of the page before. Absent: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl PaginatedParams {
    /// Asks for the first page.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(PaginatedParams {
    with_cursor(cursor: Cursor),
    with_meta(meta: RequestMeta),
});
has_meta!(PaginatedParams);
