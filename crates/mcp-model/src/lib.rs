#![doc = include_str!("../README.md")]

mod error;
mod message;
mod model;
mod request;
mod response;
mod scripted;
mod tool_choice;
mod transcript;
mod usage;

pub use error::{ModelError, ModelErrorKind};
pub use message::{ArgumentsError, AssistantMessage, ChatMessage, ToolAnswer, ToolUse};
pub use model::ChatModel;
pub use request::{ChatRequest, ToolSpec};
pub use response::{ChatResponse, StopReason};
pub use scripted::ScriptedModel;
pub use tool_choice::ToolChoice;
pub use transcript::Transcript;
pub use usage::Usage;

/// A future on the heap that may move between threads.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
