//! What the agent crate promises, by the names of the rules.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod durable;
mod goto;
mod resume;
mod steps;
mod wiring;
