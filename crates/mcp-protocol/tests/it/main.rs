//! The tests of this crate that need no access to its inside.

mod lifecycle;
mod spec;
