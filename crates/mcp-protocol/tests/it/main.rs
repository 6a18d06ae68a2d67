//! The tests of this crate that need no access to its inside.

mod lifecycle;
#[cfg(test)]
mod spec;
#[cfg(test)]
mod wire;
