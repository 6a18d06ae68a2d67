#![doc = include_str!("../README.md")]

mod child;
mod error;
mod lines;
mod own;

pub use child::{Child, ChildBuilder, ChildProcess, ChildReader, ChildWriter, LineSink, Stderr};
pub use error::{ChildExit, SpawnError};
pub use lines::{LineReader, LineWriter};
pub use own::{Stdio, StdioReader, StdioWriter};
