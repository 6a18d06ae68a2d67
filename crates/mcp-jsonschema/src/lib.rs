#![doc = include_str!("../README.md")]

mod applicators;
mod cost;
mod dialect;
mod graph;
mod limits;
mod scan;
mod validator;

pub use limits::Limits;
pub use validator::JsonSchema;
