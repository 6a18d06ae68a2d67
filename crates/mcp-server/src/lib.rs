#![doc = include_str!("../README.md")]

mod arguments;
mod ask;
mod builder;
mod catalog;
mod changes;
mod completion;
mod context;
mod dispatch;
mod error;
mod handler;
mod layer;
mod notifications;
mod offer;
mod prompt;
mod resource;
mod server;
mod tasks;
mod template;
mod tool;

pub use ask::AskError;
pub use builder::ServerBuilder;
pub use changes::Changes;
pub use completion::IntoCompletion;
pub use context::Context;
pub use error::{RegistrationError, RequestError, ToolError};
pub use layer::MethodService;
pub use offer::Offer;
pub use prompt::IntoPromptResult;
pub use resource::IntoResourceResult;
pub use server::Server;
pub use tasks::TaskOptions;
pub use template::{TemplateError, TemplateVars, UriTemplate};
pub use tool::{IntoToolResult, Json, NoArgs};
