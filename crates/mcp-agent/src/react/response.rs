//! An answer in a form of one's own: by a tool that the model calls to give it, or in its words.

use std::fmt;
use std::sync::Arc;

use mcp_interceptors::JsonMap;
use mcp_model::{
    AnswerSchema, AssistantMessage, ChatMessage, ChatModel, ChatRequest, ToolAnswer, ToolChoice,
    ToolSpec, ToolUse,
};
use mcp_protocol::ContentBlock;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

type Check = Arc<dyn Fn(JsonMap) -> Result<Value, String> + Send + Sync>;

/// How a model gives an answer in a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResponseBy {
    /// In its words where the model [can](ChatModel::takes_answer_schema), else by a tool.
    #[default]
    Auto,
    /// In its words, whose form the provider enforces.
    Words,
    /// By a tool whose arguments are the answer.
    Tool,
}

/// The form of an agent's answer.
///
/// By a tool: the model is offered one whose arguments are the answer, and must call a tool in
/// each round. In its words: the provider is told the form. What does not fit is told to the
/// model, which may try again; in words three times.
#[derive(Clone)]
pub struct ResponseFormat {
    pub(crate) spec: ToolSpec,
    schema: Arc<AnswerSchema>,
    by: ResponseBy,
    check: Check,
}

impl ResponseFormat {
    /// The name of the tool.
    pub const TOOL: &'static str = "give_answer";

    /// How often an answer in words is asked for.
    pub(crate) const TRIES: u64 = 3;

    /// The answer is a `T`, which this JSON Schema describes.
    #[must_use]
    pub fn of<T: DeserializeOwned + Serialize>(schema: Value) -> Self {
        Self::checked(schema, |args| {
            let typed: T =
                serde_json::from_value(Value::Object(args)).map_err(|e| e.to_string())?;
            serde_json::to_value(typed).map_err(|e| e.to_string())
        })
    }

    /// The answer is an object that this JSON Schema describes and that `check` lets pass, as it
    /// is or changed.
    pub fn checked(
        schema: Value,
        check: impl Fn(JsonMap) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Self {
        let spec = ToolSpec::new(Self::TOOL, schema.clone())
            .with_description("Gives the final answer. Call it once, when you know the answer.");
        Self {
            spec,
            schema: Arc::new(AnswerSchema::new("answer", schema)),
            by: ResponseBy::Auto,
            check: Arc::new(check),
        }
    }

    /// How the model gives it.
    #[must_use]
    pub const fn by(mut self, by: ResponseBy) -> Self {
        self.by = by;
        self
    }

    /// Whether this model gives it by the tool.
    pub(crate) fn is_by_tool(&self, model: &dyn ChatModel) -> bool {
        match self.by {
            ResponseBy::Auto => !model.takes_answer_schema(),
            ResponseBy::Words => false,
            ResponseBy::Tool => true,
        }
    }

    /// Has a request ask for it.
    pub(crate) fn ask(&self, request: &mut ChatRequest, model: &dyn ChatModel) {
        if !self.is_by_tool(model) {
            request.answer_schema = Some(Arc::clone(&self.schema));
            return without_tool(request);
        }
        request.answer_schema = None;
        let offered = request.tools.contains(&self.spec);
        if !offered {
            without_tool(request);
            let tools = request.tools.iter().cloned();
            request.tools = tools.chain([self.spec.clone()]).collect();
        }
        if request.tool_choice == ToolChoice::Auto {
            request.tool_choice = ToolChoice::Required;
        }
    }

    /// What a model has said comes to.
    pub(crate) fn take(&self, by_tool: bool, said: &AssistantMessage) -> Taken {
        if by_tool {
            self.called(said)
        } else {
            self.read(said)
        }
    }

    /// Answers the calls of the tool, of which there must be one.
    fn called(&self, said: &AssistantMessage) -> Taken {
        let calls = said.tool_calls.iter();
        let calls: Vec<&ToolUse> = calls.filter(|call| call.name == Self::TOOL).collect();
        let mut taken = Taken::default();
        let read = match calls.as_slice() {
            [] => return taken,
            [call] => call.parsed_arguments().map_err(|e| e.to_string()),
            _ => Err("give one answer, in one call; none was taken".to_owned()),
        };
        let fits = |args| {
            let wrong = |error| format!("the answer does not fit its form: {error}");
            (self.check)(args).map_err(wrong)
        };
        let (text, is_error) = match read.and_then(fits) {
            Ok(value) => {
                taken.response = Some(value);
                ("The answer was taken.".to_owned(), false)
            }
            Err(error) => (
                format!("{}. Please call the tool again.", short(&error)),
                true,
            ),
        };
        let answer = |call: &&ToolUse| {
            let content = vec![ContentBlock::text(text.as_str())];
            Arc::new(ChatMessage::Tool(ToolAnswer::new(call, content, is_error)))
        };
        taken.answers = calls.iter().map(answer).collect();
        taken
    }

    /// Reads an answer in words. One that asks for tools is not there yet.
    fn read(&self, said: &AssistantMessage) -> Taken {
        if !said.tool_calls.is_empty() {
            return Taken::default();
        }
        let args = ToolUse::new("", "", said.text().trim()).parsed_arguments();
        let read = args.map_err(|error| error.to_string());
        let (response, wrong) = match read.and_then(|args| (self.check)(args)) {
            Ok(value) => (Some(value), None),
            Err(error) => (None, Some(short(&error))),
        };
        let note =
            |error| format!("The answer does not fit its form: {error}. Please give it again.");
        Taken {
            answers: Vec::new(),
            response,
            wrong: wrong.map(note),
        }
    }
}

/// What a model has said comes to.
#[derive(Default)]
pub(crate) struct Taken {
    /// The answers to the calls of the tool.
    pub(crate) answers: Vec<Arc<ChatMessage>>,
    /// The answer in its form.
    pub(crate) response: Option<Value>,
    /// What the model is told that has to give its answer in words again.
    pub(crate) wrong: Option<String>,
}

fn without_tool(request: &mut ChatRequest) {
    let is_ours = |tool: &ToolSpec| tool.name == ResponseFormat::TOOL;
    if request.tools.iter().any(is_ours) {
        let others = request.tools.iter().filter(|tool| !is_ours(tool));
        request.tools = others.cloned().collect();
    }
}

/// What is wrong, at most 500 characters of it: it may repeat what the model wrote.
fn short(error: &str) -> String {
    error.chars().take(500).collect()
}

impl fmt::Debug for ResponseFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "ResponseFormat({:?}, {})",
            self.by, self.spec.input_schema
        )
    }
}
