//! An answer while it is being written.

use std::fmt;
use std::sync::Arc;

/// Takes the text of an answer piece by piece, as the model writes it.
///
/// It is called where the pieces come in and must not block.
#[derive(Clone)]
pub struct Deltas(Arc<dyn Fn(&str) + Send + Sync>);

impl Deltas {
    /// Pieces go to `f`.
    pub fn new(f: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(f))
    }

    /// Hands over one piece.
    pub fn write(&self, text: &str) {
        (self.0)(text);
    }
}

impl fmt::Debug for Deltas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Deltas")
    }
}
