//! Prompts.

use mcp_protocol::{ContentBlock, Prompt, PromptArgument, PromptMessage, ResourceContents};
use mcp_server::{Context, NoArgs, RequestError, Server};
use serde::Deserialize;
use serde_json::json;

use crate::rig::{Client, ERAS, code};

#[derive(Deserialize)]
struct Words {
    first: String,
    second: Option<String>,
}

fn server() -> Server {
    Server::builder("prompts", "1.0.0")
        .prompt(Prompt::new("simple"), |_: NoArgs, _: Context| async {
            Ok("Say something.")
        })
        .prompt(
            Prompt::new("words").with_arguments(vec![
                PromptArgument::new("first").with_required(true),
                PromptArgument::new("second"),
            ]),
            |words: Words, _: Context| async move {
                Ok(format!(
                    "{} {}",
                    words.first,
                    words.second.unwrap_or_default()
                ))
            },
        )
        .prompt(Prompt::new("messages"), |_: NoArgs, _: Context| async {
            let page = ResourceContents::text("x:1", "one");
            Ok(vec![
                PromptMessage::user(ContentBlock::resource(page)),
                PromptMessage::assistant("Read."),
            ])
        })
        .prompt(Prompt::new("refuses"), |_: NoArgs, _: Context| async {
            Err::<String, _>(RequestError::invalid_params("not today"))
        })
        .build()
}

#[tokio::test]
async fn text_is_a_message_of_the_user() {
    let client = Client::new(&server(), ERAS[0]);
    let result = client
        .request("prompts/get", json!({"name": "simple"}))
        .await
        .unwrap();
    let expected = json!([{"role": "user", "content": {"type": "text", "text": "Say something."}}]);
    assert_eq!(result["messages"], expected);
}

#[tokio::test]
async fn arguments_are_filled_in() {
    let client = Client::new(&server(), ERAS[1]);
    let params = json!({"name": "words", "arguments": {"first": "a", "second": "b"}});
    let result = client.request("prompts/get", params).await.unwrap();
    assert_eq!(result["messages"][0]["content"]["text"], "a b");
}

#[tokio::test]
async fn messages_are_sent_in_order() {
    let client = Client::new(&server(), ERAS[1]);
    let result = client
        .request("prompts/get", json!({"name": "messages"}))
        .await
        .unwrap();
    assert_eq!(result["messages"][0]["content"]["resource"]["text"], "one");
    assert_eq!(result["messages"][1]["role"], "assistant");
}

#[tokio::test]
async fn proto_44_an_unknown_prompt_or_a_missing_argument_is_refused() {
    for version in ERAS {
        let client = Client::new(&server(), version);
        for (params, says) in [
            (json!({"name": "nothing"}), "unknown prompt: nothing"),
            (
                json!({"name": "words"}),
                "the prompt words needs the argument `first`",
            ),
            (
                json!({"name": "words", "arguments": {"second": "b"}}),
                "`first`",
            ),
            (
                json!({"name": "words", "arguments": {"first": 1}}),
                "invalid arguments",
            ),
            (
                json!({"name": "words", "arguments": []}),
                "must be an object",
            ),
            (json!({"name": "refuses"}), "not today"),
            (json!({}), "missing field `name`"),
        ] {
            let answer = client.request("prompts/get", params).await;
            assert_eq!(code(&answer), -32602);
            let message = answer.unwrap_err().message;
            assert!(message.contains(says), "{message}");
        }
    }
}
