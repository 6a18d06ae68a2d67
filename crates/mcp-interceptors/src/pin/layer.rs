//! The layer and what it can be told.

use super::{Pin, Pins};
use crate::layer::tower_layer;

/// Holds servers to the definitions of their tools: what a tool says of itself when it is first
/// listed or called is remembered, and a tool that later says something else is not used until
/// somebody accepts that.
///
/// Such a tool is left out of the list, where it is named among the failures, and a call of it
/// ends with [`CallErrorKind::Rejected`] with a [`PinError`] as its source. What counts is name,
/// title, description, schemas and hints.
///
/// The list changes for whoever lists through the same layers ([`ToolLayers::around`], or an
/// agent that has the layer); within a `tower::ServiceBuilder` stack it is not seen.
///
/// [`CallErrorKind::Rejected`]: crate::CallErrorKind::Rejected
/// [`PinError`]: crate::PinError
/// [`ToolLayers::around`]: crate::ToolLayers::around
///
/// ```
/// use mcp_interceptors::{PinLayer, Pins, ToolLayers};
/// let pins = Pins::new();
/// let layers = ToolLayers::new().layer(PinLayer::new(&pins));
/// for changed in pins.changed() {
///     // Show the person `changed.tool`, and then:
///     pins.accept(&changed.server, &changed.tool.name);
/// }
/// # assert_eq!(layers.len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct PinLayer(Pins);

impl PinLayer {
    /// Remembers definitions there.
    pub fn new(pins: &Pins) -> Self {
        Self(pins.clone())
    }

    fn interceptor(&self) -> Pin {
        Pin(self.0.clone())
    }
}

tower_layer!(PinLayer);
