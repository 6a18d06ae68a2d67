#![doc = include_str!("../README.md")]

mod active;
mod backoff;
mod cache;
mod connect;
mod error;
mod handlers;
mod inward;
mod layers;
mod listen;
mod negotiate;
mod options;
mod paginate;
mod pool;
mod rounds;
mod sent_away;
mod session;
mod several;
mod tasks;

pub use connect::{Connect, ConnectError, Link, StderrTail};
pub use error::{Error, InputError, PagesError, TaskError};
pub use handlers::{
    AskCaller, Change, Changes, Elicitation, Handlers, Logging, Origin, ProgressReports, Reporter,
    Roots, Sampling,
};
pub use options::{CallOptions, ClientOptions};
pub use paginate::{Listed, Page, Paged};
pub use pool::{
    Body, Budget, Catalog, Entry, HeldSession, LoadFailure, Loaded, LoadedContent, NamePolicy,
    PoolBuilder, PoolError, Selection, ServerOptions, ServerPool, SessionPolicy,
};
pub use session::{Called, Session, TaskHandle};
pub use tasks::TaskOptions;
