//! Resources and resource templates: what is registered, and what may be returned for one.

use std::fmt;

use mcp_protocol::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::catalog::PerVersion;
use crate::handler::Plain;
use crate::{RequestError, TemplateVars, UriTemplate};

/// A resource with what reads it.
pub(crate) struct ResourceEntry {
    pub(crate) resource: Resource,
    pub(crate) source: Source,
}

/// Where the contents of a resource come from.
pub(crate) enum Source {
    /// They never change.
    Fixed(Box<Fixed>),
    /// From a handler that is asked each time.
    Handler(Plain<(), ReadResourceResult, RequestError>),
}

/// Contents that never change, and the answers that they have made.
pub(crate) struct Fixed {
    pub(crate) result: ReadResourceResult,
    pub(crate) answers: PerVersion,
}

/// A resource template with what reads the resources that it matches.
pub(crate) struct TemplateEntry {
    pub(crate) template: ResourceTemplate,
    pub(crate) uris: UriTemplate,
    pub(crate) handler: Plain<(String, TemplateVars), ReadResourceResult, RequestError>,
}

impl Source {
    pub(crate) fn fixed(result: ReadResourceResult) -> Self {
        let answers = PerVersion::default();
        Self::Fixed(Box::new(Fixed { result, answers }))
    }
}

impl fmt::Debug for ResourceEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ResourceEntry")
            .field(&self.resource.uri)
            .finish()
    }
}

impl fmt::Debug for TemplateEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TemplateEntry").field(&self.uris).finish()
    }
}

/// What may be returned for a resource: text, bytes, contents, or a result made by hand.
pub trait IntoResourceResult {
    /// The result for this URI; the media type is that of the description, if it has one.
    fn into_resource_result(self, uri: &str, mime_type: Option<&str>) -> ReadResourceResult;
}

impl IntoResourceResult for ReadResourceResult {
    fn into_resource_result(self, _: &str, _: Option<&str>) -> ReadResourceResult {
        self
    }
}

impl IntoResourceResult for ResourceContents {
    fn into_resource_result(self, _: &str, _: Option<&str>) -> ReadResourceResult {
        ReadResourceResult::new(vec![self])
    }
}

impl IntoResourceResult for Vec<ResourceContents> {
    fn into_resource_result(self, _: &str, _: Option<&str>) -> ReadResourceResult {
        ReadResourceResult::new(self)
    }
}

/// Text.
impl IntoResourceResult for String {
    fn into_resource_result(self, uri: &str, mime_type: Option<&str>) -> ReadResourceResult {
        typed(ResourceContents::text(uri, self), mime_type)
    }
}

/// Text.
impl IntoResourceResult for &str {
    fn into_resource_result(self, uri: &str, mime_type: Option<&str>) -> ReadResourceResult {
        self.to_owned().into_resource_result(uri, mime_type)
    }
}

/// Bytes.
impl IntoResourceResult for Vec<u8> {
    fn into_resource_result(self, uri: &str, mime_type: Option<&str>) -> ReadResourceResult {
        typed(ResourceContents::blob(uri, self), mime_type)
    }
}

fn typed(contents: ResourceContents, mime_type: Option<&str>) -> ReadResourceResult {
    let contents = match mime_type {
        Some(mime_type) => contents.with_mime_type(mime_type),
        None => contents,
    };
    ReadResourceResult::new(vec![contents])
}
