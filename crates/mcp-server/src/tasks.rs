//! Tasks: calls of tools whose answer comes later.

mod clock;
mod followed;
mod options;
mod questions;
mod table;
mod work;

pub(crate) use followed::Followed;
pub use options::TaskOptions;
pub(crate) use questions::Asked;
pub(crate) use table::{Owner, Tasks};
pub(crate) use work::{Next, Work};
