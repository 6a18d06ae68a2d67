//! Memory across runs.

use std::fmt;

/// Memory across runs.
pub trait Store: fmt::Debug + Send + Sync + 'static {}
