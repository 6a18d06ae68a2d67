//! The storages in memory keep their contracts.

use mcp_agent::{MemoryCheckpointer, MemoryStore};

#[tokio::test]
async fn the_memory_checkpointer_keeps_its_contract() {
    mcp_testkit::checkpointer_contract(&MemoryCheckpointer::new()).await;
}

#[tokio::test]
async fn the_memory_store_keeps_its_contract() {
    mcp_testkit::store_contract(&MemoryStore::new()).await;
}
