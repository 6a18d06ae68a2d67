//! The layer and what it can be told.

use super::{Cassette, Record};
use crate::layer::tower_layer;

/// Writes each call and what came of it on a cassette, and the tools that are listed.
///
/// What is written is the call as it is here: inside of a layer that redacts, a cassette holds
/// secrets, outside of it it does not. Calls that wait for an answer from outside, or that were
/// given up, are not written.
///
/// ```
/// use mcp_interceptors::{Cassette, RecordLayer, ToolLayers};
/// let cassette = Cassette::new();
/// let layers = ToolLayers::new().layer(RecordLayer::new(&cassette));
/// # assert_eq!(layers.len(), 1);
/// // At the end of the program: write `cassette.to_json_lines()` to a file.
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct RecordLayer(Cassette);

impl RecordLayer {
    /// Writes on this cassette.
    pub fn new(cassette: &Cassette) -> Self {
        Self(cassette.clone())
    }

    fn interceptor(&self) -> Record {
        Record(self.0.clone())
    }
}

tower_layer!(RecordLayer);
