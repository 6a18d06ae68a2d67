#![doc = include_str!("../README.md")]

mod script;

pub use script::ScriptedPeer;
