//! Both lifecycles, without I/O: one connection over a byte stream per role, and the parts of
//! which they are made.
//!
//! * [`ClientConnection`] and [`ServerConnection`] are machines with the same five verbs, the
//!   trait [`Connection`]. Time is an argument; what they want to send and to report is polled.
//! * [`ServerHandshake`] is `initialize` → `notifications/initialized` → open, for revisions
//!   2024-11-05 to 2025-11-25; [`stateless`] judges each request by itself, as 2026-07-28 does.
//!   A server serves both on one stream and routes each request by what it carries.
//! * [`Negotiator`] finds out which of the two a server speaks; [`Negotiated`] is what came of
//!   it, and knows what may be sent.

mod batch;
mod cancel;
mod client;
mod connection;
mod gate;
mod handshake;
mod identity;
mod latest;
mod negotiate;
mod negotiated;
mod peek;
mod progress;
mod server;
pub mod stateless;
mod traffic;

pub use client::ClientConnection;
pub use connection::{Connection, Event, Note, OutgoingCall};
pub use gate::{client_allows, client_allows_task, exists as method_exists};
pub use handshake::ServerHandshake;
pub use identity::{ClientIdentity, ParamHeadersOf, ServerIdentity};
pub use negotiate::{Negotiator, Outcome, Preference, Step, Wire};
pub use negotiated::Negotiated;
pub use server::ServerConnection;

pub use crate::error::{NegotiationError, NotNegotiated};
