//! The layer and what it can be told.

use super::ShowStructured;
use crate::layer::tower_layer;

/// Adds a result's structured content to what models read, as JSON text; whether the call went
/// well or not. The structured content itself stays.
///
/// ```
/// use mcp_interceptors::{ShowStructured, ShowStructuredLayer, ToolLayers};
/// let layers = ToolLayers::new().layer(ShowStructuredLayer::new(ShowStructured::Always));
/// # assert_eq!(layers.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use]
pub struct ShowStructuredLayer(ShowStructured);

impl ShowStructuredLayer {
    /// Adds it when this says so.
    pub const fn new(show: ShowStructured) -> Self {
        Self(show)
    }

    const fn interceptor(self) -> ShowStructured {
        self.0
    }
}

tower_layer!(ShowStructuredLayer);
