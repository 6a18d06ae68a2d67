//! The layer and what it is told.

use mcp_protocol::SchemaValidator;

use super::{Fits, Kept};
use crate::layer::tower_layer;

/// Checks arguments and results against the schemas of their tool.
///
/// A call whose arguments do not fit is not made, and fails with where and why
/// ([`CallErrorKind::InvalidArguments`]). A result whose structured content does not fit the
/// tool's output schema, or that lacks it, becomes an error that says so before its content;
/// nothing of it is lost. A schema that the validator cannot read checks nothing, and neither is a
/// call checked that was redirected to another tool. The schemas of 1,000 tools are kept read.
///
/// [`CallErrorKind::InvalidArguments`]: crate::CallErrorKind::InvalidArguments
#[derive(Clone, Debug)]
#[must_use]
pub struct SchemaLayer(Fits);

impl SchemaLayer {
    /// Checks with this validator.
    pub fn new(validator: impl SchemaValidator) -> Self {
        Self(Fits(Kept::new(validator)))
    }

    fn interceptor(&self) -> Fits {
        self.0.clone()
    }
}

tower_layer!(SchemaLayer);
