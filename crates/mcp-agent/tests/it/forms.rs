//! Answers in a form: by a tool, in words, and changed on the way to the model.

use std::sync::Arc;

use mcp_agent::{
    ErrorKind, ModelCall, ModelNext, ReactAgent, ReactBuilder, ReactUpdate, ResponseBy,
    ResponseFormat, RunOptions,
};
use mcp_interceptors::{Command, LocalTools, ToolCall};
use mcp_model::{
    BoxFuture, ChatModel, ChatRequest, ChatResponse, ModelError, ScriptedModel, ToolChoice, ToolUse,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::agent::{agent, call, shown, tool};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Weather {
    city: String,
    degrees: i32,
}

fn weather(by: ResponseBy) -> ResponseFormat {
    ResponseFormat::of::<Weather>(json!({"type": "object", "required": ["city"]})).by(by)
}

fn good() -> Value {
    json!({"city": "Oslo", "degrees": -3})
}

/// A model whose provider keeps to a form.
#[derive(Debug)]
struct Strict(ScriptedModel);

impl ChatModel for Strict {
    fn name(&self) -> &'static str {
        "strict"
    }

    fn takes_answer_schema(&self) -> bool {
        true
    }

    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatResponse, ModelError>> {
        self.0.generate(request)
    }
}

fn strict(model: &ScriptedModel) -> ReactBuilder {
    ReactAgent::builder(Arc::new(Strict(model.clone())))
}

fn tools() -> LocalTools {
    LocalTools::new("s").tool(tool("t"), |_| async { Ok("result".into()) })
}

#[tokio::test]
async fn an_answer_in_words_has_its_form_from_the_provider() {
    let model = ScriptedModel::new()
        .calls([call("1", "t", &json!({}))])
        .says(good().to_string());
    for by in [ResponseBy::Auto, ResponseBy::Words] {
        let model = if by == ResponseBy::Auto {
            model.clone()
        } else {
            ScriptedModel::new().says(good().to_string())
        };
        let agent = strict(&model)
            .tools(tools())
            .response(weather(by))
            .build()
            .unwrap();
        let output = agent.run("go", RunOptions::new()).await.unwrap();
        assert_eq!(output.state.structured_response.as_ref(), Some(&good()));
        for request in model.requests() {
            let schema = &request.answer_schema.as_ref().unwrap().schema;
            assert_eq!(schema["required"], json!(["city"]));
            assert_eq!(request.tool_choice, ToolChoice::Auto);
            assert!(
                request
                    .tools
                    .iter()
                    .all(|tool| tool.name != ResponseFormat::TOOL)
            );
        }
    }
}

#[tokio::test]
async fn an_answer_in_words_that_does_not_fit_is_asked_for_again_three_times_at_most() {
    let model = ScriptedModel::new()
        .says("cold")
        .says("{\"city\":\"Oslo\"}")
        .says(good().to_string());
    let agent = strict(&model)
        .response(weather(ResponseBy::Words))
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.state.structured_response.as_ref(), Some(&good()));
    let lines = shown(&output.state.messages);
    assert!(
        lines[2].starts_with("The answer does not fit its form: "),
        "{}",
        lines[2]
    );
    assert!(lines[4].contains("missing field `degrees`"), "{}", lines[4]);
    assert_eq!(output.state.tally.run.model_calls, 3);

    let long = format!("{{\"{}\": 1}}", "x".repeat(100_000));
    let model = (0..9).fold(ScriptedModel::new(), |model, _| model.says(long.clone()));
    let agent = strict(&model)
        .response(weather(ResponseBy::Words))
        .build()
        .unwrap();
    let error = agent.run("go", RunOptions::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Model);
    let asked = model.requests();
    assert_eq!(asked.len(), 3);
    assert!(
        asked[2].messages.last().unwrap().text().len() < 1_000,
        "what it wrote is cut"
    );
}

#[tokio::test]
async fn a_model_that_keeps_to_no_form_is_given_the_tool() {
    let model = ScriptedModel::new().calls([ToolUse::new("1", "give_answer", good().to_string())]);
    let agent = agent(&model)
        .response(weather(ResponseBy::Auto))
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.state.structured_response.as_ref(), Some(&good()));
    let request = &model.requests()[0];
    assert_eq!(request.tool_choice, ToolChoice::Required);
    assert!(request.answer_schema.is_none());
}

#[tokio::test]
async fn an_answer_beside_other_calls_ends_the_agent_after_they_are_done() {
    let model = ScriptedModel::new().calls([
        call("1", "t", &json!({})),
        ToolUse::new("2", "give_answer", good().to_string()),
    ]);
    let agent = agent(&model)
        .tools(tools())
        .response(weather(ResponseBy::Tool))
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert_eq!(output.state.structured_response.as_ref(), Some(&good()));
    let mut lines = shown(&output.state.messages)[2..].to_vec();
    lines.sort();
    assert_eq!(lines, ["1: result", "2: The answer was taken."]);
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn a_form_is_for_one_input_and_the_next_one_needs_its_own_answer() {
    let answer = |id: &str| ToolUse::new(id, "give_answer", good().to_string());
    let model = ScriptedModel::new()
        .calls([answer("1")])
        .calls([answer("2")]);
    let agent = agent(&model)
        .response(weather(ResponseBy::Tool))
        .checkpointer(Arc::new(mcp_agent::MemoryCheckpointer::new()))
        .build()
        .unwrap();
    let thread = || RunOptions::new().thread("t");
    agent.run("one", thread()).await.unwrap();
    let output = agent.run("two", thread()).await.unwrap();
    assert_eq!(model.requests().len(), 2, "the old answer is no answer");
    assert_eq!(output.state.structured_response.as_ref(), Some(&good()));
}

/// Changes everything that can be changed in a question.
async fn changes(
    call: ModelCall,
    next: ModelNext,
    other: Arc<dyn ChatModel>,
) -> Result<ChatResponse, ModelError> {
    call.write(
        ReactUpdate::default().values(json!({"mood": "bright"}).as_object().cloned().unwrap()),
    );
    let format = ResponseFormat::checked(json!({"type": "object"}), |args| Ok(args.into()));
    let call = call
        .with_model(other)
        .with_response(Some(format.by(ResponseBy::Tool)))
        .map_request(|mut request| {
            request.messages = std::iter::once(mcp_model::ChatMessage::user("instead")).collect();
            request.tools = vec![mcp_model::ToolSpec::new(
                "made_up",
                json!({"type": "object"}),
            )]
            .into();
            request.tool_choice = ToolChoice::Tool("made_up".to_owned());
            request.temperature = Some(0.5);
            request.max_tokens = Some(9);
            request.with_system("other instructions")
        });
    next.run(call).await
}

#[tokio::test]
async fn code_around_the_model_may_change_all_of_the_question_and_write_into_the_state() {
    let own = ScriptedModel::new();
    let other = ScriptedModel::new()
        .calls([call("1", "made_up", &json!({"a": 1}))])
        .calls([ToolUse::new("2", "give_answer", "{\"any\": true}")]);
    let asked: Arc<dyn ChatModel> = Arc::new(other.clone());
    let agent = agent(&own)
        .tools(tools())
        .wrap_model(move |call, next| changes(call, next, Arc::clone(&asked)))
        .unknown_tools(|call: ToolCall| async move {
            Ok(Command::new()
                .with_message(format!("{} of {:?}", call.name(), call.server()))
                .into())
        })
        .build()
        .unwrap();
    let output = agent.run("go", RunOptions::new()).await.unwrap();
    assert!(own.requests().is_empty());
    let request = &other.requests()[0];
    assert_eq!(request.messages[0].text(), "instead");
    assert_eq!(request.system.as_deref(), Some("other instructions"));
    let names: Vec<_> = request
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(names, ["made_up", "give_answer"]);
    assert_eq!(request.tool_choice, ToolChoice::Tool("made_up".to_owned()));
    assert_eq!(
        (request.temperature, request.max_tokens),
        (Some(0.5), Some(9))
    );
    assert_eq!(
        output.state.structured_response.as_ref(),
        Some(&json!({"any": true}))
    );
    assert_eq!(output.state.value("mood"), Some(json!("bright")));
    assert_eq!(shown(&output.state.messages)[2], "1: made_up of \"\"");
}
