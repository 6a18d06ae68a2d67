//! The layer and what it can be told.

use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::{Hidden, InjectArgs};
use crate::closure::Closure;
use crate::layer::tower_layer;
use crate::{BoundTool, ToolCall};

/// Gives tools arguments that only the program knows: who the user is, which tenant, which key.
///
/// Each such argument is hidden: models do not see it in the tool's schema, and what a model
/// sends for it all the same is thrown away, whatever tool it is for. A tool gets the value if
/// the top level of its schema names the argument. One that it requires and for which there is
/// no value ends the call ([`MissingArg`](crate::MissingArg)).
///
/// The list changes for whoever lists through the same layers ([`ToolLayers::around`], or an
/// agent that has the layer); within a `tower::ServiceBuilder` stack it is not seen.
///
/// [`ToolLayers::around`]: crate::ToolLayers::around
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mcp_interceptors::{InjectArgsLayer, LocalTools, ToolCall, ToolLayers, Toolset};
/// # use mcp_protocol::Tool;
///
/// let orders = Tool::new("orders", serde_json::json!({
///     "type": "object",
///     "properties": {"user_id": {"type": "string"}, "year": {"type": "integer"}},
///     "required": ["user_id"],
/// }));
/// let tools = LocalTools::new("shop").tool(orders, |call: ToolCall| async move {
///     Ok(format!("orders of {}", call.args()["user_id"]).into())
/// });
/// let layers = ToolLayers::new().layer(InjectArgsLayer::new().arg("user_id", |_| Some("ada".into())));
/// let tools = layers.around(std::sync::Arc::new(tools));
///
/// let orders = tools.tools().await.tools.remove(0);
/// assert!(!orders.shown().input_schema.to_string().contains("user_id"));
/// let forged = ToolCall::new(orders, Default::default()).with_arg("user_id", "eve");
/// assert_eq!(tools.call(forged).await.unwrap().text(), "orders of \"ada\"");
/// # });
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct InjectArgsLayer {
    args: Vec<Hidden>,
    which: Closure<dyn Fn(&BoundTool) -> bool + Send + Sync>,
}

impl Default for InjectArgsLayer {
    fn default() -> Self {
        Self::new()
    }
}

impl InjectArgsLayer {
    /// Gives nothing.
    pub fn new() -> Self {
        Self {
            args: Vec::new(),
            which: Closure(Arc::new(|_| true)),
        }
    }

    /// Hides an argument and gives it the value that the function makes of the call. The
    /// function sees the call without any of the hidden arguments that come later.
    pub fn arg<F>(mut self, name: impl Into<String>, f: F) -> Self
    where
        F: Fn(&ToolCall) -> Option<Value> + Send + Sync + 'static,
    {
        self.args.push(Hidden {
            name: name.into(),
            make: Closure(Arc::new(f)),
        });
        self
    }

    /// Leaves other tools alone.
    pub fn only_for(mut self, f: impl Fn(&BoundTool) -> bool + Send + Sync + 'static) -> Self {
        self.which = Closure(Arc::new(f));
        self
    }

    fn interceptor(&self) -> InjectArgs {
        InjectArgs {
            args: self.args.as_slice().into(),
            which: self.which.clone(),
            shown: Mutex::default(),
        }
    }
}

tower_layer!(InjectArgsLayer);
