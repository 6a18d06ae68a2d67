//! A request and its reply, typed by the method.

use std::borrow::Cow;
use std::sync::Arc;

use http::Extensions;
use mcp_protocol::RpcRequest;
use serde_json::Value;

use crate::{CallError, CallErrorKind};

/// A request of the protocol, on its way to a server or from one.
///
/// ```
/// # fn f() -> Result<(), mcp_interceptors::CallError> {
/// use mcp_interceptors::Request;
/// use mcp_protocol::{ReadResourceParams, resources::ReadResource};
/// let request = Request::of::<ReadResource>("files", &ReadResourceParams::new("file:///a"))?;
/// assert!(request.is::<ReadResource>());
/// assert_eq!(request.params::<ReadResource>()?.uri, "file:///a");
/// # Ok(()) }
/// # f().unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    server: Arc<str>,
    method: Cow<'static, str>,
    params: Value,
    from_server: bool,
    extensions: Arc<Extensions>,
}

impl Request {
    /// A request to a server.
    ///
    /// # Errors
    /// If the params cannot be written as JSON.
    pub fn of<R: RpcRequest>(
        server: impl Into<Arc<str>>,
        params: &R::Params,
    ) -> Result<Self, CallError> {
        let params = serde_json::to_value(params).map_err(not_json)?;
        let method = R::METHOD.as_str().to_owned();
        Ok(Self::new(server, method, params))
    }

    /// A request to a server whose method is known by name alone.
    pub fn new(
        server: impl Into<Arc<str>>,
        method: impl Into<Cow<'static, str>>,
        params: Value,
    ) -> Self {
        Self {
            server: server.into(),
            method: method.into(),
            params,
            from_server: false,
            extensions: Arc::default(),
        }
    }

    /// The same as a request that the server makes: for input, a model's answer, or roots.
    #[must_use]
    pub const fn from_its_server(mut self) -> Self {
        self.from_server = true;
        self
    }

    /// The same with what the caller attached.
    #[must_use]
    pub fn in_context(mut self, extensions: Arc<Extensions>) -> Self {
        self.extensions = extensions;
        self
    }

    /// The server's name here.
    #[must_use]
    pub const fn server(&self) -> &Arc<str> {
        &self.server
    }

    /// The method, as `resources/read`.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Whether the server asks, and we answer.
    #[must_use]
    pub const fn is_from_server(&self) -> bool {
        self.from_server
    }

    /// What the caller attached; for a request of a server, the caller of the tool that it
    /// belongs to, where that is known.
    #[must_use]
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// Whether it is of this method.
    #[must_use]
    pub fn is<R: RpcRequest>(&self) -> bool {
        self.method == R::METHOD.as_str()
    }

    /// The params.
    ///
    /// # Errors
    /// If it is of another method, or the params do not fit it.
    pub fn params<R: RpcRequest>(&self) -> Result<R::Params, CallError> {
        if !self.is::<R>() {
            let message = format!("{} is not {}", self.method, R::METHOD.as_str());
            return Err(CallError::new(CallErrorKind::Layer, message));
        }
        serde_json::from_value(self.params.clone()).map_err(not_json)
    }

    /// The same request with other params.
    ///
    /// # Errors
    /// If it is of another method, or the params cannot be written as JSON.
    pub fn with_params<R: RpcRequest>(mut self, params: &R::Params) -> Result<Self, CallError> {
        if !self.is::<R>() {
            let message = format!("{} is not {}", self.method, R::METHOD.as_str());
            return Err(CallError::new(CallErrorKind::Layer, message));
        }
        self.params = serde_json::to_value(params).map_err(not_json)?;
        Ok(self)
    }

    /// The params as JSON.
    #[must_use]
    pub const fn json(&self) -> &Value {
        &self.params
    }
}

/// What a request is answered with, if not with an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply(Value);

impl Reply {
    /// A result of this method.
    ///
    /// # Errors
    /// If the result cannot be written as JSON.
    pub fn of<R: RpcRequest>(result: &R::Result) -> Result<Self, CallError> {
        Ok(Self(serde_json::to_value(result).map_err(not_json)?))
    }

    /// A result as it is on the wire.
    #[must_use]
    pub const fn from_json(result: Value) -> Self {
        Self(result)
    }

    /// The result.
    ///
    /// # Errors
    /// If it does not fit the method. Since 2026-07-28 a server may answer with a question
    /// first; such a reply fits none.
    pub fn result<R: RpcRequest>(&self) -> Result<R::Result, CallError> {
        serde_json::from_value(self.0.clone()).map_err(not_json)
    }

    /// The result as it is on the wire.
    #[must_use]
    pub const fn json(&self) -> &Value {
        &self.0
    }

    /// The result as it is on the wire, without a copy.
    #[must_use]
    pub fn into_json(self) -> Value {
        self.0
    }
}

fn not_json(error: serde_json::Error) -> CallError {
    let message = "what was asked or answered does not fit the method";
    CallError::new(CallErrorKind::Protocol, message).with_source(error)
}
