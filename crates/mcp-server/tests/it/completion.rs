//! Completion.

use mcp_protocol::{CompleteParams, Completion, Prompt, ResourceTemplate};
use mcp_server::{Context, NoArgs, Server, TemplateVars};
use serde_json::{Value, json};

use crate::rig::{Client, ERAS, code};

fn server() -> Server {
    Server::builder("completion", "1.0.0")
        .prompt(Prompt::new("p"), |_: NoArgs, _: Context| async { Ok("p") })
        .resource_template(
            ResourceTemplate::new("x:{n}", "any"),
            |_: TemplateVars, _: Context| async { Ok("n") },
        )
        .unwrap()
        .completion(|params: CompleteParams, _: Context| async move {
            let known = params.context.and_then(|c| c.arguments).unwrap_or_default();
            let known = known.get("known").cloned().unwrap_or_default();
            let value = &params.argument.value;
            let values = match &*params.argument.name {
                "many" => (0..250).map(|n| format!("{value}{n}")).collect(),
                _ => vec![format!("{value}{known}")],
            };
            let mut completion = Completion::new(Vec::new());
            completion.values = values;
            Ok(completion)
        })
        .build()
}

fn ask(reference: &Value, argument: &str) -> Value {
    json!({
        "ref": reference,
        "argument": {"name": argument, "value": "v"},
        "context": {"arguments": {"known": "k"}},
    })
}

#[tokio::test]
async fn proto_29_arguments_that_are_known_arrive() {
    for version in ERAS {
        let client = Client::new(&server(), version);
        for reference in [
            json!({"type": "ref/prompt", "name": "p"}),
            json!({"type": "ref/resource", "uri": "x:{n}"}),
        ] {
            let params = ask(&reference, "a");
            let result = client.request("completion/complete", params).await.unwrap();
            assert_eq!(result["completion"]["values"], json!(["vk"]));
        }
    }
}

#[tokio::test]
async fn proto_28_at_most_a_hundred_values_are_sent() {
    let client = Client::new(&server(), ERAS[0]);
    let params = ask(&json!({"type": "ref/prompt", "name": "p"}), "many");
    let result = client.request("completion/complete", params).await.unwrap();
    let completion = &result["completion"];
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!(completion["total"], 250);
    assert_eq!(completion["hasMore"], true);
}

#[tokio::test]
async fn what_does_not_exist_is_not_completed() {
    let client = Client::new(&server(), ERAS[0]);
    for reference in [
        json!({"type": "ref/prompt", "name": "q"}),
        json!({"type": "ref/resource", "uri": "y:{n}"}),
        json!({"name": "p"}),
        json!("p"),
    ] {
        let answer = client
            .request("completion/complete", ask(&reference, "a"))
            .await;
        assert_eq!(code(&answer), -32602, "{reference}");
    }
}
