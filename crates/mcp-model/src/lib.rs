#![doc = include_str!("../README.md")]

mod delta;
mod error;
mod http;
mod message;
mod model;
mod planner;
mod provider;
mod request;
mod response;
mod scripted;
mod spec;
mod sse;
mod tool_choice;
mod transcript;
mod usage;

pub use delta::Deltas;
pub use error::{ModelError, ModelErrorKind};
pub use message::{ArgumentsError, AssistantMessage, ChatMessage, ToolAnswer, ToolUse};
pub use model::ChatModel;
pub use planner::PlannerModel;
pub use provider::openai::{OpenAiBuilder, OpenAiModel};
pub use request::{AnswerSchema, ChatRequest, ToolSpec};
pub use response::{ChatResponse, StopReason};
pub use scripted::ScriptedModel;
pub use spec::model_from_spec;
pub use tool_choice::ToolChoice;
pub use transcript::Transcript;
pub use usage::Usage;

/// A future on the heap that may move between threads.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
