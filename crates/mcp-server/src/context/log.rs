//! Log messages to the client, from the level on that it asked for.

use std::sync::{Mutex, PoisonError};

use mcp_protocol::{LoggingLevel, LoggingMessageParams, logging};
use serde_json::Value;

use super::Context;

/// What a client of a revision with a handshake is sent before it has named a level.
const UNASKED: LoggingLevel = LoggingLevel::Info;

/// The level that a session has set by `logging/setLevel`.
#[derive(Default)]
pub(crate) struct SessionLevel(Mutex<Option<LoggingLevel>>);

impl SessionLevel {
    pub(crate) fn set(&self, level: LoggingLevel) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    fn admits(&self, level: &LoggingLevel) -> bool {
        let least = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        level.is_at_least(least.as_ref().unwrap_or(&UNASKED))
    }
}

impl Context {
    /// Sends a log message to the client: text, or any JSON.
    ///
    /// Nothing is sent if the server was built without
    /// [`logging`](crate::ServerBuilder::logging), or the level is below the one that the client
    /// wants. Until 2025-11-25 that is the level of the session, `info` if it has set none;
    /// since 2026-07-28 it is part of each request, and without it nothing is sent. Log messages
    /// must not hold secrets or personal data.
    ///
    /// # Cancel safety
    /// Dropping the future may lose the message.
    pub async fn log(&self, level: LoggingLevel, data: impl Into<Value> + Send) {
        if self.wants(&level) {
            self.send_log(LoggingMessageParams::new(level, data)).await;
        }
    }

    /// Like [`log`](Self::log), in the name of a part of the server.
    ///
    /// # Cancel safety
    /// Dropping the future may lose the message.
    pub async fn log_as(&self, logger: &str, level: LoggingLevel, data: impl Into<Value> + Send) {
        if self.wants(&level) {
            self.send_log(LoggingMessageParams::new(level, data).with_logger(logger))
                .await;
        }
    }

    async fn send_log(&self, mut params: LoggingMessageParams) {
        params.meta = self.related();
        self.notify::<logging::LoggingMessage>(&params).await;
    }

    fn wants(&self, level: &LoggingLevel) -> bool {
        if !self.server().logs() || self.is_answered() {
            return false;
        }
        let request = self.request();
        match (&request.log_level, self.session()) {
            (Some(least), _) => level.is_at_least(least),
            (None, _) if request.version.is_stateless() => false,
            (None, Some(session)) => session.state::<SessionLevel>().admits(level),
            (None, None) => level.is_at_least(&UNASKED),
        }
    }
}
