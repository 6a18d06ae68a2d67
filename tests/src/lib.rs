//! End-to-end tests of the workspace, and the programs that other tools test.

pub mod soak;
