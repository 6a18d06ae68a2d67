//! The servers inside the command.

pub(crate) mod git;
