//! Memory across runs: values under namespaces and keys.

mod access;
mod error;
mod filter;
mod memory;
mod namespace;
mod op;

use std::fmt;

use mcp_interceptors::BoxFuture;

pub use access::StoreExt;
pub use error::StoreError;
pub use filter::Filter;
pub use memory::MemoryStore;
pub use namespace::{Namespace, NamespacePattern};
pub use op::{Item, ListNamespaces, Put, Search, StoreOp, StoreReply};

/// Memory across runs. [`StoreExt`] has a method for each operation.
///
/// `mcp_testkit::store_contract` tries whether an implementation keeps the promises of this trait.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Carries out operations in their order and gives one reply for each.
    ///
    /// # Errors
    /// If one of them cannot be carried out; those before it may have been.
    ///
    /// # Cancel safety
    /// Dropping the future leaves open which of them were carried out; none is half done.
    fn batch(&self, ops: Vec<StoreOp>) -> BoxFuture<'_, Result<Vec<StoreReply>, StoreError>>;
}
