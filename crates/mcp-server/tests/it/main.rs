//! The server seen from the transport: requests made by hand, and a channel that records.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may panic"
)]

mod ask;
mod changes;
mod completion;
mod context;
mod layer;
mod lists;
mod notifications;
mod prompts;
mod resources;
mod revisions;
mod rig;
mod serve;
mod tasks;
mod tools;
