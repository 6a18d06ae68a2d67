//! What the models promise, against servers on the loopback interface.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod answers;
mod failures;
mod requests;
mod server;
mod streams;
