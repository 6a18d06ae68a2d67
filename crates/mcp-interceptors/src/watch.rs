//! What a call reports while it runs.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_protocol::{CallToolResult, LoggingMessageParams, ProgressParams};

use crate::ToolCall;

/// Something that a server reported while a call was running.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Report {
    /// How far the call is.
    Progress(ProgressParams),
    /// A log message that belongs to the call.
    Log(LoggingMessageParams),
}

/// Takes reports of a running call. Who makes a call puts one into its extensions; who carries
/// the call out looks there.
///
/// It is called from the connection's reader and must not block.
///
/// ```
/// use mcp_interceptors::{Report, Reports, ToolCall};
/// # fn on_the_wire(call: &ToolCall, report: Report) {
/// if let Some(reports) = call.extensions().get::<Reports>() {
///     reports.report(report);
/// }
/// # }
/// ```
#[derive(Clone)]
pub struct Reports(Arc<dyn Fn(Report) + Send + Sync>);

impl Reports {
    /// Reports go to `f`.
    pub fn new(f: impl Fn(Report) + Send + Sync + 'static) -> Self {
        Self(Arc::new(f))
    }

    /// Hands over one report.
    pub fn report(&self, report: Report) {
        (self.0)(report);
    }
}

impl fmt::Debug for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reports")
    }
}

/// The id by which a model knows its call. Who makes a call for a model puts it into the call's
/// extensions.
///
/// ```
/// use mcp_interceptors::{CallId, ToolCall};
/// # fn f(call: &ToolCall) {
/// let id: Option<&str> = CallId::of(call);
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallId(Arc<str>);

impl CallId {
    /// The id of a call.
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self(id.into())
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of a call, if it was made for a model.
    #[must_use]
    pub fn of(call: &ToolCall) -> Option<&str> {
        call.extensions().get().map(Self::as_str)
    }
}

/// Where the result that a server gave is put aside, before any layer sees it.
///
/// Who makes a call puts one into its extensions. When a layer then answers with a
/// [`Command`](crate::Command) that has no message of its own, the result is still there to
/// answer the model with.
#[derive(Clone, Debug, Default)]
pub struct RawResult(Arc<Mutex<Option<CallToolResult>>>);

impl RawResult {
    /// An empty place.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a result there, in place of an earlier one.
    pub fn put(&self, result: CallToolResult) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }

    /// Takes the last result.
    #[must_use]
    pub fn take(&self) -> Option<CallToolResult> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
