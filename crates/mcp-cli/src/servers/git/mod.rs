//! `mcp serve git`: status, changes, diff, log and show of a repository, by the installed git.

mod blobs;
mod bytes;
mod changes;
mod compare;
mod error;
mod functions;
mod log;
mod patch;
mod raw;
mod revision;
mod run;
mod serve;
mod status;
mod submodules;
#[cfg(test)]
mod tests;
mod untracked;

pub(crate) use run::Git;
pub(crate) use serve::server;
