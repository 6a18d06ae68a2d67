//! The layer and what it can be told.

use super::Replay;
use crate::Cassette;
use crate::layer::tower_layer;

/// Answers calls from a cassette; then nothing is sent.
///
/// A call that is not on it, or no more, ends with [`CassetteError::NotRecorded`]. Where there
/// are no servers at all, use the [`Cassette`] itself: it is a toolset.
///
/// [`CassetteError::NotRecorded`]: crate::CassetteError::NotRecorded
///
/// ```
/// use mcp_interceptors::{Cassette, RecordLayer, ReplayLayer, ToolLayers};
/// # let text = "";
/// let cassette = Cassette::from_json_lines(text).unwrap();
/// // Plays what is known, makes the other calls, and adds them.
/// let layers = ToolLayers::new()
///     .layer(ReplayLayer::new(&cassette).call_others())
///     .layer(RecordLayer::new(&cassette));
/// # assert_eq!(layers.len(), 2);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ReplayLayer(Replay);

impl ReplayLayer {
    /// Plays this cassette.
    pub fn new(cassette: &Cassette) -> Self {
        Self(Replay {
            cassette: cassette.clone(),
            call_others: false,
        })
    }

    /// Makes calls that are not on the cassette.
    pub fn call_others(mut self) -> Self {
        self.0.call_others = true;
        self
    }

    fn interceptor(&self) -> Replay {
        self.0.clone()
    }
}

tower_layer!(ReplayLayer);
