//! The directories that a server may work in.

use std::fmt;

use mcp_protocol::RootsCapability;
use mcp_protocol::roots::Root;
use mcp_transport::BoxFuture;

use super::Origin;

/// Names the directories that a server may work in. A list that never changes is one.
pub trait Roots: fmt::Debug + Send + Sync + 'static {
    /// The directories now; each URI begins with `file://`.
    ///
    /// # Cancel safety
    /// The future is dropped when the server gives its request up.
    fn roots(&self, origin: Origin) -> BoxFuture<'_, Vec<Root>>;

    /// Whether changes are announced, by [`Session::roots_changed`](crate::Session).
    fn list_changed(&self) -> bool {
        false
    }
}

impl Roots for Vec<Root> {
    fn roots(&self, _origin: Origin) -> BoxFuture<'_, Vec<Root>> {
        Box::pin(std::future::ready(self.clone()))
    }
}

pub(super) fn capability(roots: &dyn Roots) -> RootsCapability {
    let capability = RootsCapability::new();
    if roots.list_changed() {
        capability.with_list_changed(true)
    } else {
        capability
    }
}
