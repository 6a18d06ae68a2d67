#![doc = include_str!("../README.md")]

mod checkpointer_contract;
mod script;
mod store_contract;

pub use checkpointer_contract::checkpointer_contract;
pub use script::ScriptedPeer;
pub use store_contract::store_contract;
