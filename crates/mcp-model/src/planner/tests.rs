//! Whole conversations with the planner.

use mcp_protocol::ContentBlock;
use serde_json::{Value, json};

use crate::{
    ChatMessage, ChatModel, ChatRequest, PlannerModel, ToolAnswer, ToolChoice, ToolSpec, Transcript,
};

fn spec(name: &str, description: &str, schema: Value) -> ToolSpec {
    ToolSpec::new(name, schema).with_description(description)
}

fn ask(transcript: &Transcript, tools: &[ToolSpec]) -> crate::AssistantMessage {
    let request = ChatRequest::new(transcript.clone()).with_tools(tools.to_vec());
    generate(request)
}

fn generate(request: ChatRequest) -> crate::AssistantMessage {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let model = PlannerModel::new();
    runtime.block_on(model.generate(request)).unwrap().message
}

/// Runs a question to its end; `tool` answers the calls. Gives the calls made and the answer.
fn run(
    question: &str,
    tools: &[ToolSpec],
    tool: impl Fn(&str, Value) -> Result<String, String>,
) -> (Vec<String>, String) {
    let mut transcript: Transcript = [ChatMessage::user(question)].into_iter().collect();
    let mut made = Vec::new();
    loop {
        let message = ask(&transcript, tools);
        let calls = message.tool_calls.clone();
        if made.is_empty() {
            assert!(message.text().contains("not an LLM"), "{}", message.text());
        }
        if calls.is_empty() {
            return (made, message.text());
        }
        transcript.push(ChatMessage::Assistant(message));
        for call in &calls {
            let arguments = Value::Object(call.parsed_arguments().unwrap());
            made.push(format!("{} {arguments}", call.name));
            let result = tool(&call.name, arguments);
            let is_error = result.is_err();
            let text = result.unwrap_or_else(|e| e);
            let answer = ToolAnswer::new(call, vec![ContentBlock::text(text)], is_error);
            transcript.push(ChatMessage::Tool(answer));
        }
    }
}

#[test]
fn a_question_that_asks_for_several_things_is_answered_in_all_its_parts() {
    let tools = [
        spec(
            "git__changes",
            "Lists the changes of the working tree.",
            json!({"type": "object"}),
        ),
        spec(
            "wiki__search",
            "Searches the wiki.",
            json!({"properties": {"query": {"type": "string"}}, "required": ["query"]}),
        ),
        spec(
            "files__find_definition",
            "Finds the definition of a name.",
            json!({"properties": {"name": {"type": "string"}}, "required": ["name"]}),
        ),
    ];
    let tool = |name: &str, arguments: Value| {
        Ok(match name {
            "git__changes" => json!({"files": []}),
            "wiki__search" => json!({"pages": []}),
            _ if arguments["name"] == "f" => json!({"definitions": [{"path": "f.rs"}]}),
            _ => json!({"definitions": [{"path": "g.rs"}]}),
        }
        .to_string())
    };
    let question = "Which files changed, what does the wiki say about ice and snow, \
        where is f defined and where is g defined?";
    let (calls, answer) = run(question, &tools, tool);
    assert_eq!(
        calls,
        [
            "git__changes {}",
            r#"wiki__search {"query":"ice and snow"}"#,
            r#"files__find_definition {"name":"f"}"#,
            r#"files__find_definition {"name":"g"}"#,
        ]
    );
    let parts = [
        "Nothing changed in the working tree.",
        "The wiki says nothing about ice and snow: no page was found.",
        "f is defined in f.rs",
        "g is defined in g.rs",
    ];
    assert!(answer.starts_with(&parts.join("\n\n")), "{answer}");
    // Two words for the same thing are one question.
    let (calls, _) = run(
        "Which files changed, and which functions do the changes add?",
        &tools,
        tool,
    );
    assert_eq!(calls, ["git__changes {}"]);
}

fn notes() -> Vec<ToolSpec> {
    vec![
        spec(
            "kb__list_projects",
            "Lists all projects.",
            json!({"type": "object"}),
        ),
        spec(
            "kb__project_status",
            "Tells the status of one project.",
            json!({"properties": {"project_id": {"type": "integer"}}, "required": ["project_id"]}),
        ),
        spec(
            "clock__now",
            "Tells the current time in a city.",
            json!({"properties": {"city": {"type": "string"}}, "required": ["city"]}),
        ),
    ]
}

#[test]
fn a_missing_argument_comes_from_another_tool() {
    let (calls, answer) = run("What is the status of the project?", &notes(), |name, _| {
        Ok(if name == "kb__list_projects" {
            r#"{"projects":[{"name":"x","project_id":7}]}"#.to_owned()
        } else {
            "all green".to_owned()
        })
    });
    assert_eq!(
        calls,
        [
            "kb__list_projects {}",
            r#"kb__project_status {"project_id":7}"#
        ]
    );
    assert!(
        answer.contains("all green") && answer.ends_with("not an LLM.)"),
        "{answer}"
    );
}

#[test]
fn an_argument_comes_from_the_question() {
    let (calls, answer) = run("What is the current time in Tokyo?", &notes(), |_, _| {
        Ok("12:00".to_owned())
    });
    assert_eq!(calls, [r#"clock__now {"city":"Tokyo"}"#]);
    assert!(answer.contains("12:00"));
}

#[test]
fn a_failure_and_a_lack_of_tools_are_told() {
    let (_, answer) = run("Current time in Rome?", &notes(), |_, _| {
        Err("no clock".to_owned())
    });
    assert!(answer.contains("clock__now failed: no clock"), "{answer}");
    let (calls, answer) = run("Sing a song", &notes(), |_, _| unreachable!());
    assert!(
        calls.is_empty() && answer.contains("None of the 3 tools"),
        "{answer}"
    );
    let (_, answer) = run("Sing a song", &[], |_, _| unreachable!());
    assert!(answer.contains("no tools"), "{answer}");
}

#[test]
fn what_is_asked_about_does_not_choose_the_tool() {
    let query = json!({"properties": {"query": {"type": "string"}}, "required": ["query"]});
    let name = json!({"properties": {"name": {"type": "string"}}, "required": ["name"]});
    let limit = json!({"properties": {"limit": {"type": "integer"}}});
    let tools = [
        spec("git__changes", "Lists changed files.", json!({})),
        spec("git__log", "Lists commits, newest first.", limit),
        spec("wiki__search_pages", "Searches the wiki.", query.clone()),
        spec("files__search_text", "Searches files for a text.", query),
        spec(
            "files__find_definition",
            "Finds where a name is defined.",
            name,
        ),
    ];
    for (question, call) in [
        (
            "Which files changed in the working tree, and which functions do the changes add?",
            "git__changes {}",
        ),
        (
            "What does the wiki say about the last 3 commits?",
            r#"wiki__search_pages {"query":"the last 3 commits"}"#,
        ),
        (
            "What does the wiki say about where git_log is defined?",
            r#"wiki__search_pages {"query":"where git_log is defined"}"#,
        ),
        ("Show the last 3 commits", r#"git__log {"limit":3}"#),
        (
            "Where is wiki defined?",
            r#"files__find_definition {"name":"wiki"}"#,
        ),
        (
            "Where is `changed_files` defined?",
            r#"files__find_definition {"name":"changed_files"}"#,
        ),
    ] {
        let (calls, answer) = run(question, &tools, |_, _| Ok("as told".to_owned()));
        assert_eq!(calls, [call], "{question}");
        assert!(answer.contains("as told"));
    }
}

#[test]
fn what_no_tool_knows_is_said_and_no_other_tool_is_called() {
    let tools = [spec(
        "files__list_directory",
        "Lists the files in a directory.",
        json!({}),
    )];
    for question in [
        "Which files changed in the working tree?",
        "Show the last 2 commits",
    ] {
        let (calls, answer) = run(question, &tools, |_, _| unreachable!());
        assert!(
            calls.is_empty() && answer.contains("None of the tools"),
            "{answer}"
        );
    }
}

#[test]
fn a_second_question_starts_anew_and_ids_go_on() {
    let mut transcript: Transcript = [ChatMessage::user("Current time in Rome?")]
        .into_iter()
        .collect();
    let first = ask(&transcript, &notes());
    assert_eq!(first.tool_calls[0].id, "call_1");
    let answer = ToolAnswer::new(&first.tool_calls[0], vec![ContentBlock::text("1")], false);
    transcript.extend([ChatMessage::Assistant(first), ChatMessage::Tool(answer)]);
    transcript.push(ChatMessage::assistant("1"));
    transcript.push(ChatMessage::user("Current time in Oslo?"));
    let second = ask(&transcript, &notes());
    assert_eq!(second.tool_calls[0].id, "call_2");
    assert_eq!(second.tool_calls[0].arguments, r#"{"city":"Oslo"}"#);
}

#[test]
fn no_tool_is_called_where_tools_are_ruled_out() {
    let request = ChatRequest::question("Current time in Rome?")
        .with_tools(notes())
        .with_tool_choice(ToolChoice::None);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let answer = runtime
        .block_on(PlannerModel::new().generate(request))
        .unwrap();
    assert!(answer.message.tool_calls.is_empty());
}

#[test]
fn after_twelve_rounds_the_planner_answers_with_what_it_has() {
    for (rounds, goes_on) in [(11, true), (12, false)] {
        let question = ChatMessage::user("Current time in Rome?");
        let mut transcript: Transcript = [question].into_iter().collect();
        // Calls that nobody answers: what is known stays the same.
        transcript.extend((0..rounds).map(|n| {
            let other = crate::ToolUse::new(format!("other_{n}"), "other", "{}");
            ChatMessage::Assistant(crate::AssistantMessage::new(vec![], vec![other]))
        }));
        let message = ask(&transcript, &notes());
        assert_eq!(message.tool_calls.len(), usize::from(goes_on), "{rounds}");
        assert_eq!(message.text().contains("limit of rounds"), !goes_on);
    }
}
