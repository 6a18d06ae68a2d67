//! `mcp serve files`: lists, reads and searches what is below one folder.

mod definitions;
mod lines;
mod search;
mod serve;
#[cfg(test)]
mod tests;

pub(crate) use serve::server;
