//! `mcp serve wiki`: searches and reads the Markdown pages below one folder.

mod folder;
mod page;
mod search;
mod serve;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use folder::Wiki;
pub(crate) use serve::server;
