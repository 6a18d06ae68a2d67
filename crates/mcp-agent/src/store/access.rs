//! A method for each operation of a store.

use mcp_interceptors::BoxFuture;
use serde_json::Value;

use super::{Item, ListNamespaces, Namespace, Put, Search, Store, StoreError, StoreOp, StoreReply};

/// A method for each operation of a [`Store`].
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use mcp_agent::{MemoryStore, Namespace, Search, StoreExt};
/// let store = MemoryStore::new();
/// let ada = Namespace::new(["users", "ada"]).unwrap();
/// store.put(ada.clone(), "style", "brief").await.unwrap();
/// assert_eq!(store.get(ada, "style").await.unwrap().unwrap().value, "brief");
/// assert_eq!(store.search(Search::under(["users"])).await.unwrap().len(), 1);
/// # });
/// ```
///
/// # Cancel safety
/// As [`Store::batch`]: dropping a future leaves open whether its operation was carried out.
pub trait StoreExt: Store {
    /// Reads a value; its time begins anew.
    fn get(
        &self,
        namespace: Namespace,
        key: impl Into<String>,
    ) -> BoxFuture<'_, Result<Option<Item>, StoreError>> {
        let key = key.into();
        let refresh = true;
        let reply = self.batch(vec![StoreOp::Get {
            namespace,
            key,
            refresh,
        }]);
        Box::pin(async move {
            match reply.await?.pop() {
                Some(StoreReply::Item(item)) => Ok(item),
                _ => Err(wrong_reply()),
            }
        })
    }

    /// Puts a value there.
    fn put(
        &self,
        namespace: Namespace,
        key: impl Into<String>,
        value: impl Into<Value>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.put_with(Put::new(namespace, key, value))
    }

    /// Puts a value there, with a time or to take it away.
    fn put_with(&self, put: Put) -> BoxFuture<'_, Result<(), StoreError>> {
        let reply = self.batch(vec![StoreOp::Put(put)]);
        Box::pin(async move { reply.await.map(drop) })
    }

    /// Takes a value away. That there is none is no error.
    fn delete(
        &self,
        namespace: Namespace,
        key: impl Into<String>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let mut put = Put::new(namespace, key, Value::Null);
        put.value = None;
        self.put_with(put)
    }

    /// Finds values.
    fn search(&self, search: Search) -> BoxFuture<'_, Result<Vec<Item>, StoreError>> {
        let reply = self.batch(vec![StoreOp::Search(search)]);
        Box::pin(async move {
            match reply.await?.pop() {
                Some(StoreReply::Items(items)) => Ok(items),
                _ => Err(wrong_reply()),
            }
        })
    }

    /// Lists namespaces that hold values.
    fn list_namespaces(
        &self,
        list: ListNamespaces,
    ) -> BoxFuture<'_, Result<Vec<Namespace>, StoreError>> {
        let reply = self.batch(vec![StoreOp::ListNamespaces(list)]);
        Box::pin(async move {
            match reply.await?.pop() {
                Some(StoreReply::Namespaces(namespaces)) => Ok(namespaces),
                _ => Err(wrong_reply()),
            }
        })
    }
}

impl<S: Store + ?Sized> StoreExt for S {}

fn wrong_reply() -> StoreError {
    StoreError::new("the store gave another reply than was asked for")
}
