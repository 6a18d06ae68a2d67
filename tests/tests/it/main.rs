//! The workspace from end to end: whole clients and servers, and peers that are played by hand,
//! over byte streams and over HTTP on the loopback interface.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may panic"
)]
#![expect(
    clippy::excessive_nesting,
    clippy::needless_pass_by_value,
    reason = "a scenario stands in one piece, and messages are made where they are used"
)]

// What the tests are made with.
mod asked;
mod lines;
mod web;
mod web_script;
mod wire;

// Tests, by topic.
mod asking;
mod batches;
mod caching;
mod cancelling;
mod errors;
mod framing;
mod ids;
mod limits;
mod mirroring;
mod opening;
mod racing;
mod schemas;
mod soak;
mod stdio;
mod subscriptions;
mod values;
mod web_sessions;
