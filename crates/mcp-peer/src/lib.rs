#![doc = include_str!("../README.md")]

mod alarm;
mod background;
mod call;
mod driver;
mod ending;
mod inline;
mod inward;
mod notifications;
mod options;
mod outlet;
mod peer;
mod pump;
mod reply;
mod requests;
mod shared;
mod state;
mod wake;

pub use background::background;
pub use options::PeerOptions;
pub use peer::{Peer, client, server};
