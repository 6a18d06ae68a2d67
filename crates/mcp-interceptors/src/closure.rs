//! Closures and random numbers that a layer was given.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::ops::Deref;
use std::sync::Arc;

/// A closure behind a pointer that has a `Debug` form and is cheap to clone.
pub(crate) struct Closure<F: ?Sized>(pub(crate) Arc<F>);

impl<F: ?Sized> Clone for Closure<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F: ?Sized> fmt::Debug for Closure<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Closure")
    }
}

impl<F: ?Sized> Deref for Closure<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.0
    }
}

/// A random number, which has to differ, not to be secret.
pub(crate) fn random() -> u64 {
    RandomState::new().hash_one(0_u8)
}
