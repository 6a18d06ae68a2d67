//! The server seen from the transport: requests made by hand, and a channel that records.

mod ask;
mod completion;
mod context;
mod layer;
mod lists;
mod prompts;
mod resources;
mod revisions;
mod rig;
mod serve;
mod tools;
