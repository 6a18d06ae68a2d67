//! Log messages from the server, and the level from which the client wants them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{EmptyResult, Extra, Meta, RequestMeta};

request! {
    /// `logging/setLevel`: from which level on the client wants log messages.
    ///
    /// Specification: Logging (2024-11-05 to 2025-11-25).
    SetLevel = "logging/setLevel": SetLevelParams => EmptyResult
}

notification! {
    /// `notifications/message`: a log message of the server.
    ///
    /// Specification: Logging (all revisions). Since 2026-07-28 only for requests whose `_meta`
    /// names a level, and deprecated.
    LoggingMessage = "notifications/message": LoggingMessageParams
}

open_enum! {
    /// How bad it is: the levels of syslog.
    ///
    /// Specification: Logging, Log Levels (all revisions).
    LoggingLevel {
        /// Details for finding faults.
        Debug = "debug",
        /// What goes on.
        Info = "info",
        /// Normal, but worth noting.
        Notice = "notice",
        /// It may become an error.
        Warning = "warning",
        /// Something failed.
        Error = "error",
        /// A part of the system failed.
        Critical = "critical",
        /// Someone must act at once.
        Alert = "alert",
        /// The system is unusable.
        Emergency = "emergency",
    }
}

impl LoggingLevel {
    /// The levels from `debug` to `emergency`.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// From 0 (`debug`) to 7 (`emergency`); `None` for a level that this crate does not know.
    ///
    /// A server answers a request with such a level by `-32602`; a client shows a message with
    /// such a level like any other.
    #[must_use]
    pub fn severity(&self) -> Option<u8> {
        (0..)
            .zip(&Self::ALL)
            .find(|(_, l)| *l == self)
            .map(|(n, _)| n)
    }

    /// Whether a message of this level is wanted by who asked for `least` and above. A level
    /// that this crate does not know passes as `info`.
    #[must_use]
    pub fn is_at_least(&self, least: &Self) -> bool {
        let severity = |level: &Self| level.severity().unwrap_or(1);
        severity(self) >= severity(least)
    }
}

/// Params of [`SetLevel`] (`SetLevelRequestParams`).
///
/// Specification: Logging (2024-11-05 to 2025-11-25).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct SetLevelParams {
    /// This level and those above it.
    pub level: LoggingLevel,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl SetLevelParams {
    /// Asks for this level and those above it.
    #[must_use]
    pub fn new(level: LoggingLevel) -> Self {
        Self {
            level,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(SetLevelParams { with_meta(meta: RequestMeta) });
has_meta!(SetLevelParams);

/// Params of [`LoggingMessage`] (`LoggingMessageNotificationParams`).
///
/// Specification: Logging (all revisions). Must not hold secrets or personal data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct LoggingMessageParams {
    /// How bad it is.
    pub level: LoggingLevel,
    /// Which part of the server speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// The message: any JSON.
    pub data: Value,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl LoggingMessageParams {
    /// A message from no particular part.
    pub fn new(level: LoggingLevel, data: impl Into<Value>) -> Self {
        Self {
            level,
            logger: None,
            data: data.into(),
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(LoggingMessageParams {
    with_logger(logger: String),
    with_meta(meta: Meta),
});
