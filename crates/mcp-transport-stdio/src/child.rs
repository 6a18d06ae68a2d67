//! Servers as child processes of a client.

mod builder;
mod environment;
mod group;
mod pipe;
mod process;
mod program;
mod reader;
mod stderr;
mod writer;

pub use builder::ChildBuilder;
pub use process::ChildProcess;
pub use reader::ChildReader;
pub use stderr::{LineSink, Stderr};
pub use writer::ChildWriter;

use crate::lines::{LineReader, LineWriter};

/// A process that runs, seen as a transport.
///
/// Dropping `writer` without [`close`](mcp_transport::Writer::close) kills the process and all
/// that it has started.
#[derive(Debug)]
#[non_exhaustive]
pub struct Child {
    /// Its stdout.
    pub reader: ChildReader,
    /// Its stdin.
    pub writer: ChildWriter,
    /// What one may know about it.
    pub process: ChildProcess,
}
