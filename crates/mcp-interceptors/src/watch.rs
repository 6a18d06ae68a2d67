//! What a call reports while it runs.

use std::fmt;
use std::sync::Arc;

use mcp_protocol::{LoggingMessageParams, ProgressParams};

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
