//! What a task asks its client.

use mcp_server::Context;
use serde_json::{Value, json};

use super::{as_task, core, newest, server, tasks, until};
use crate::rig::text;

#[tokio::test]
async fn what_a_task_asks_is_answered_by_update() {
    let (server, _) = server();
    let client = newest(&server);
    let id = client.call_tool("ask", json!({})).await["taskId"].clone();
    let asking = until(&client, &id, "input_required").await;
    let question = &asking["inputRequests"]["name"];
    assert_eq!(question["method"], "elicitation/create");

    let update = async |answers: Value| {
        let params = json!({"taskId": id, "inputResponses": answers});
        client.request("tasks/update", params).await.unwrap()
    };
    let ack = update(json!({"unknown": {}, "name": {"action": "accept", "content": {}}})).await;
    assert_eq!(ack["resultType"], "complete");
    assert!(ack.get("status").is_none());
    // That was no answer: it is asked again, under a key that was not used before.
    tokio::task::yield_now().await;
    let asking = until(&client, &id, "input_required").await;
    let keys: Vec<_> = asking["inputRequests"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(keys, ["name#2"]);
    update(json!({"name#2": {"action": "accept", "content": {"name": "Ada"}}})).await;
    let done = until(&client, &id, "completed").await;
    assert_eq!(text(&done["result"]), "Ada");
    assert!(done.get("inputRequests").is_none());
}

#[tokio::test]
async fn rounds_come_before_the_task() {
    let (server, _) = server();
    let client = newest(&server);
    let asked = client.call_tool("ask_first", json!({})).await;
    assert_eq!(asked["resultType"], "input_required");
    let answers = json!({"name": {"action": "accept", "content": {"name": "Ada"}}});
    let params = json!({"name": "ask_first", "inputResponses": answers});
    let created = client.request("tools/call", params).await.unwrap();
    assert_eq!(created["resultType"], "task");
    let done = until(&client, &created["taskId"], "completed").await;
    assert_eq!(text(&done["result"]), "Ada");
}

#[tokio::test]
async fn what_a_task_of_the_core_asks_goes_out_with_its_result() {
    let (server, _) = server();
    let client = core(&server).answering(|_, params| {
        assert!(params["_meta"]["io.modelcontextprotocol/related-task"]["taskId"].is_string());
        json!({"action": "accept", "content": {"name": "Ada"}})
    });
    let id = as_task(&client, "ask").await["task"]["taskId"].clone();
    until(&client, &id, "input_required").await;
    assert!(client.calls().is_empty());
    let result = tasks(&client, "tasks/result", &id).await;
    assert_eq!(text(&result), "Ada");
    assert_eq!(client.calls()[0].0, "elicitation/create");
}

#[tokio::test]
async fn who_answers_badly_again_and_again_is_not_asked_for_ever() {
    let (server, _) = server();
    let client = newest(&server);
    let id = client.call_tool("ask", json!({})).await["taskId"].clone();
    for n in 0..Context::MAX_TRIES {
        let asking = until(&client, &id, "input_required").await;
        let questions = asking["inputRequests"].as_object().unwrap();
        let key = questions.keys().next().unwrap();
        assert_eq!(
            *key,
            if n == 0 {
                "name".to_owned()
            } else {
                format!("name#{}", n + 1)
            }
        );
        let params = json!({"taskId": id, "inputResponses": { key: {"action": "accept"} }});
        client.request("tasks/update", params).await.unwrap();
        tokio::task::yield_now().await;
    }
    let done = until(&client, &id, "completed").await;
    assert_eq!(done["result"]["isError"], true);
}
