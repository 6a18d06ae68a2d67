//! The layer and what it can be told.

use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};

use super::{BadHeader, Headers, Rule};
use crate::ToolCall;
use crate::closure::Closure;
use crate::layer::tower_layer;

/// Sets and removes HTTP headers of each call, on a connection that all calls share.
///
/// A call's header wins over the connection's of that name, in any case of letters. Headers of
/// the protocol (`Mcp-*`) and of HTTP itself (`Content-Type`, `Host` and the like) are not for a
/// layer: the transport keeps its own, and warns. Where there is no HTTP the client decides what
/// becomes of headers.
///
/// ```
/// use mcp_interceptors::{HeadersLayer, ToolCall, ToolLayers};
/// use http::HeaderName;
///
/// struct User(&'static str);
///
/// let layers = ToolLayers::new().layer(
///     HeadersLayer::new()
///         .set_with(HeaderName::from_static("x-user-id"), |call: &ToolCall| {
///             call.extensions().get::<User>().map(|user| user.0.to_owned())
///         })
///         .bearer(|call| (call.name() == "pay").then(|| "token-of-the-cashier".to_owned()))
///         .remove(http::header::COOKIE),
/// );
/// # assert_eq!(layers.len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct HeadersLayer(Vec<Rule>);

impl HeadersLayer {
    /// Changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a header to the same value for each call.
    pub fn set(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.push(Rule::Set(name, value));
        self
    }

    /// Sets a header to what the function makes of the call; `None` leaves it as it is. A value
    /// that no header can have ends the call ([`BadHeader`]).
    pub fn set_with<F>(self, name: HeaderName, f: F) -> Self
    where
        F: Fn(&ToolCall) -> Option<String> + Send + Sync + 'static,
    {
        self.make(name, false, f)
    }

    /// Sets `Authorization: Bearer` with the token that the function gives for the call. It is
    /// marked as sensitive, so that debug output does not show it.
    pub fn bearer<F>(self, f: F) -> Self
    where
        F: Fn(&ToolCall) -> Option<String> + Send + Sync + 'static,
    {
        self.make(AUTHORIZATION, true, move |call| {
            f(call).map(|token| format!("Bearer {token}"))
        })
    }

    /// Sends calls without the connection's header of that name.
    pub fn remove(mut self, name: HeaderName) -> Self {
        self.0.push(Rule::Remove(name));
        self
    }

    fn make<F>(mut self, name: HeaderName, sensitive: bool, f: F) -> Self
    where
        F: Fn(&ToolCall) -> Option<String> + Send + Sync + 'static,
    {
        let bad = BadHeader { name: name.clone() };
        let make = move |call: &ToolCall| {
            let Some(text) = f(call) else { return Ok(None) };
            let value = HeaderValue::try_from(text).map_err(|_| bad.clone());
            value.map(|mut value| {
                value.set_sensitive(sensitive);
                Some(value)
            })
        };
        self.0.push(Rule::Make(name, Closure(Arc::new(make))));
        self
    }

    fn interceptor(&self) -> Headers {
        Headers(self.0.as_slice().into())
    }
}

tower_layer!(HeadersLayer);
