//! The layer and what it can be told.

use std::sync::Arc;

use super::{Cutting, KeptResults, Truncate};
use crate::ToolCall;
use crate::closure::Closure;
use crate::layer::tower_layer;

/// Cuts long texts of results: by default those of more than 5,000 characters, to the first
/// 2,000, a marker, and the last 1,000. The whole goes to a sink, and the marker says how to read
/// it.
///
/// An agent that cuts results by itself does so outside of all layers, and keeps the whole under
/// the call's id; there this layer is for tools that need other lengths.
///
/// ```
/// use mcp_interceptors::{KeptResults, ToolLayers, Truncate, TruncateLayer};
/// let kept = KeptResults::new();
/// let layer = TruncateLayer::keeping(&kept).lengths(Truncate::new(10_000, 4_000, 2_000));
/// let layers = ToolLayers::new().layer(layer);
/// # assert_eq!(layers.len(), 1);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct TruncateLayer(Cutting);

impl TruncateLayer {
    /// Gives whole texts to `sink`, which answers with the id under which
    /// `read_tool_result` will find it.
    pub fn new(sink: impl Fn(&ToolCall, String) -> String + Send + Sync + 'static) -> Self {
        Self(Cutting {
            truncate: Truncate::default(),
            keep: Closure(Arc::new(sink)),
        })
    }

    /// Keeps whole texts in memory.
    pub fn keeping(kept: &KeptResults) -> Self {
        let kept = kept.clone();
        Self::new(move |call, text| kept.keep(call, text))
    }

    /// Sets what is too long and how much stays.
    pub fn lengths(mut self, truncate: Truncate) -> Self {
        self.0.truncate = truncate;
        self
    }

    fn interceptor(&self) -> Cutting {
        self.0.clone()
    }
}

tower_layer!(TruncateLayer);
