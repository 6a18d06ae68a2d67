//! Questions to the client, in both eras by one handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_protocol::elicitation::{
    ElicitRequestFormParams, ElicitRequestURLParams, RequestedSchema, StringSchema,
};
use mcp_protocol::sampling::{CreateMessageParams, SamplingMessage};
use mcp_protocol::{
    ElicitAction, Prompt, ProtocolVersion, Resource, Tool, URLElicitationRequiredError,
};
use mcp_server::{AskError, Context, NoArgs, Server, ServerBuilder, ToolError};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::rig::{Client, ERAS, code, text};

fn form(message: &str, field: &str) -> ElicitRequestFormParams {
    let schema = RequestedSchema::new().with_required(field, StringSchema::new());
    ElicitRequestFormParams::new(message, schema)
}

/// What the user has written into a field.
async fn field(cx: &Context, key: &str, name: &str) -> Result<String, AskError> {
    let answer = cx.elicit(key, form("?", name)).await?;
    let content = answer.content.unwrap_or_default();
    Ok(content
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or("nobody")
        .to_owned())
}

fn tool(name: &str) -> Tool {
    Tool::new(name, json!({"type": "object"}))
}

fn builder() -> ServerBuilder {
    Server::builder("asks", "1.0.0")
        .tool(tool("greet"), |_: NoArgs, cx: Context| async move {
            Ok(format!(
                "Hello, {}!",
                field(&cx, "user_name", "name").await?
            ))
        })
        .tool(tool("two_steps"), |_: NoArgs, cx: Context| async move {
            let name = field(&cx, "step1", "name").await?;
            let color = field(&cx, "step2", "color").await?;
            Ok(format!("{name} likes {color}"))
        })
        .tool(tool("side_by_side"), |_: NoArgs, cx: Context| async move {
            let message = SamplingMessage::user("greet");
            let (name, greeting, roots) = tokio::join!(
                field(&cx, "user_name", "name"),
                cx.sample("greeting", CreateMessageParams::new(vec![message], 50)),
                cx.roots(),
            );
            greeting?;
            Ok(format!("{} in {}", name?, roots?[0].uri))
        })
        .tool(tool("open"), |_: NoArgs, cx: Context| async move {
            let url = ElicitRequestURLParams::new("Sign in", "https://example.com");
            let answer = cx.elicit("open", url).await?;
            Ok((answer.action == ElicitAction::Accept).to_string())
        })
}

fn server() -> Server {
    builder().build()
}

fn all() -> Value {
    json!({"elicitation": {}, "sampling": {}, "roots": {}})
}

/// A client of the newest revision that answers questions round by round.
async fn round(client: &Client, name: &str, answers: Value, state: Option<&Value>) -> Value {
    let mut params = json!({"name": name});
    params["inputResponses"] = answers;
    if let Some(state) = state {
        params["requestState"] = state.clone();
    }
    client.request("tools/call", params).await.unwrap()
}

fn accept(content: impl Into<Value>) -> Value {
    let content: Value = content.into();
    json!({"action": "accept", "content": content})
}

#[tokio::test]
async fn one_handler_asks_by_a_request_before_2026() {
    for version in [ProtocolVersion::V2025_06_18, ProtocolVersion::V2025_11_25] {
        let client = Client::new(&server(), version)
            .offering(all())
            .answering(|_, _| accept(json!({"name": "Ada"})));
        let result = client.call_tool("greet", json!({})).await;
        assert_eq!(text(&result), "Hello, Ada!");
        let (method, params) = client.calls().remove(0);
        assert_eq!(method, "elicitation/create");
        assert_eq!(params["requestedSchema"]["required"], json!(["name"]));
    }
}

#[tokio::test]
async fn the_same_handler_asks_by_a_round_in_2026() {
    let client = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    let asked = client.call_tool("greet", json!({})).await;
    assert_eq!(asked["resultType"], "input_required");
    let question = &asked["inputRequests"]["user_name"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "?");
    assert!(question["params"].get("_meta").is_none());
    // Nothing has to be remembered yet.
    assert!(asked.get("requestState").is_none());
    assert!(asked.get("content").is_none());
    assert!(client.calls().is_empty());

    let answers = json!({"user_name": accept(json!({"name": "Ada"})), "unasked": 7});
    let result = round(&client, "greet", answers, None).await;
    assert_eq!(text(&result), "Hello, Ada!");
    assert_eq!(result["resultType"], "complete");
}

#[tokio::test]
async fn proto_60_what_is_no_answer_is_asked_again() {
    let client = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    for answers in [
        Value::Null,
        json!({}),
        json!({"other": accept(json!({"name": "Ada"}))}),
        json!({"user_name": 7}),
        json!({"user_name": null}),
        json!({"user_name": {"content": {"name": "Ada"}}}),
        json!({"user_name": accept(json!({}))}),
        json!({"user_name": accept(json!({"name": 7}))}),
        json!({"user_name": {"action": "accept"}}),
    ] {
        let again = round(&client, "greet", answers.clone(), None).await;
        assert_eq!(again["resultType"], "input_required", "{answers}");
        assert!(again["inputRequests"]["user_name"].is_object(), "{answers}");
    }
    let declined = json!({"user_name": {"action": "decline"}});
    assert_eq!(
        text(&round(&client, "greet", declined, None).await),
        "Hello, nobody!"
    );

    let malformed = json!({"name": "greet", "inputResponses": [1]});
    assert_eq!(code(&client.request("tools/call", malformed).await), -32602);
}

#[tokio::test]
async fn answers_of_earlier_rounds_are_remembered_by_the_state() {
    let client = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    let first = client.call_tool("two_steps", json!({})).await;
    assert!(first["inputRequests"]["step1"].is_object());

    let answers = json!({"step1": accept(json!({"name": "Ada"}))});
    let second = round(&client, "two_steps", answers, None).await;
    let asked: Vec<_> = second["inputRequests"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(asked, ["step2"]);
    let state = second["requestState"].as_str().expect("a state");
    assert!(!state.is_empty());

    let answers = json!({"step2": accept(json!({"color": "green"}))});
    let third = round(&client, "two_steps", answers, second.get("requestState")).await;
    assert_eq!(text(&third), "Ada likes green");
}

#[tokio::test]
async fn questions_side_by_side_are_asked_in_one_round() {
    let client = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    let asked = client.call_tool("side_by_side", json!({})).await;
    let questions = &asked["inputRequests"];
    assert_eq!(questions.as_object().unwrap().len(), 3);
    assert_eq!(questions["greeting"]["method"], "sampling/createMessage");
    assert_eq!(questions["roots"]["method"], "roots/list");

    let spoken = json!({
        "role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi"},
    });
    let answers = json!({
        "user_name": accept(json!({"name": "Ada"})),
        "greeting": spoken,
        "roots": {"roots": [{"uri": "file:///work"}]},
    });
    let result = round(&client, "side_by_side", answers, None).await;
    assert_eq!(text(&result), "Ada in file:///work");
}

#[tokio::test]
async fn proto_61_a_state_that_was_changed_or_belongs_elsewhere_is_refused() {
    let client = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    let answers = json!({"step1": accept(json!({"name": "Ada"}))});
    let second = round(&client, "two_steps", answers, None).await;
    let state = second["requestState"].as_str().unwrap();

    for changed in [
        format!("{state}-TAMPERED"),
        format!("A{state}"),
        state[1..].to_owned(),
        state.split_once('.').unwrap().0.to_owned(),
        String::new(),
        ".".to_owned(),
        "x".repeat(100_000),
    ] {
        let params = json!({"name": "two_steps", "requestState": changed});
        assert_eq!(
            code(&client.request("tools/call", params).await),
            -32602,
            "{changed}"
        );
    }
    for params in [
        json!({"name": "greet", "requestState": state}),
        json!({"name": "two_steps", "arguments": {"a": 1}, "requestState": state}),
    ] {
        assert_eq!(code(&client.request("tools/call", params).await), -32602);
    }
    let elsewhere = Client::new(&server(), ProtocolVersion::LATEST).offering(all());
    let params = json!({"name": "two_steps", "requestState": state});
    assert_eq!(code(&elsewhere.request("tools/call", params).await), -32602);
}

#[tokio::test]
async fn proto_61_a_state_is_good_for_its_principal_only_and_for_servers_with_the_same_key() {
    #[derive(Clone)]
    struct User(&'static str);
    let build = || {
        builder()
            .state_key([7; 32])
            .principal(|extensions| extensions.get::<User>().map(|user| user.0.to_owned()))
            .build()
    };
    let send = async |server: &Server, user: Option<&'static str>, params: Value| {
        let client = Client::new(server, ProtocolVersion::LATEST).offering(all());
        let mut incoming = client.incoming("tools/call", Some(&params.to_string()));
        if let Some(user) = user {
            incoming.extensions.insert(User(user));
        }
        let answer = mcp_transport::Handler::request(Arc::new(server.clone()), incoming).await;
        answer.map(|raw| raw.decode::<Value>().unwrap())
    };
    let (one, other) = (build(), build());
    let answers = json!({"step1": accept(json!({"name": "Ada"}))});
    let params = json!({"name": "two_steps", "inputResponses": answers});
    let second = send(&one, Some("ada"), params).await.unwrap();
    let params = json!({"name": "two_steps", "requestState": second["requestState"]});

    assert!(send(&other, Some("ada"), params.clone()).await.is_ok());
    for user in [Some("eve"), None] {
        assert_eq!(
            code(&send(&one, user, params.clone()).await),
            -32602,
            "{user:?}"
        );
    }
}

#[tokio::test]
async fn proto_57_what_the_client_does_not_offer_is_not_asked() {
    let newest = Client::new(&server(), ProtocolVersion::LATEST);
    for (offered, name, required) in [
        (json!({}), "greet", json!({"elicitation": {}})),
        (json!({"sampling": {}}), "greet", json!({"elicitation": {}})),
        (
            json!({"elicitation": {}}),
            "open",
            json!({"elicitation": {"url": {}}}),
        ),
        (
            json!({"elicitation": {"url": {}}}),
            "greet",
            json!({"elicitation": {"form": {}}}),
        ),
    ] {
        let client = newest.clone().offering(offered);
        let error = client
            .request("tools/call", json!({ "name": name }))
            .await
            .unwrap_err();
        assert_eq!(error.code.0, -32021);
        let data: Value = serde_json::from_str(error.data.unwrap().get()).unwrap();
        assert_eq!(data, json!({ "requiredCapabilities": required }));
    }
}

#[tokio::test]
async fn proto_13_before_2026_what_is_not_offered_fails_the_tool_and_nothing_is_sent() {
    for (version, offered, says) in [
        (
            ProtocolVersion::V2025_11_25,
            json!({}),
            "the client does not offer elicitation",
        ),
        (
            ProtocolVersion::V2025_03_26,
            all(),
            "revision 2025-03-26 has no elicitation/create",
        ),
    ] {
        let client = Client::new(&server(), version).offering(offered);
        let result = client.call_tool("greet", json!({})).await;
        assert_eq!(result["isError"], true);
        assert!(text(&result).contains(says), "{result}");
        assert!(client.calls().is_empty());
    }
}

#[tokio::test]
async fn a_handler_may_do_without_what_is_not_offered() {
    let server = Server::builder("modest", "1.0.0")
        .tool(tool("modest"), |_: NoArgs, cx: Context| async move {
            match field(&cx, "name", "name").await {
                Err(AskError::NotOffered { .. }) => Ok("Hello, stranger!".to_owned()),
                name => Ok(format!("Hello, {}!", name?)),
            }
        })
        .build();
    for version in ERAS {
        let result = Client::new(&server, version)
            .call_tool("modest", json!({}))
            .await;
        assert_eq!(text(&result), "Hello, stranger!");
    }
}

#[tokio::test]
async fn proto_21_sampling_with_tools_needs_its_capability() {
    let server = Server::builder("samples", "1.0.0")
        .tool(tool("sample"), |_: NoArgs, cx: Context| async move {
            let message = SamplingMessage::user("hi");
            let params = CreateMessageParams::new(vec![message], 10).with_tools(vec![tool("x")]);
            cx.sample("s", params).await?;
            Ok(())
        })
        .build();
    let client = Client::new(&server, ProtocolVersion::LATEST).offering(json!({"sampling": {}}));
    let answer = client
        .request("tools/call", json!({"name": "sample"}))
        .await;
    assert_eq!(code(&answer), -32021);
    let client = client.offering(json!({"sampling": {"tools": {}}}));
    let asked = client.call_tool("sample", json!({})).await;
    assert_eq!(
        asked["inputRequests"]["s"]["params"]["tools"][0]["name"],
        "x"
    );
}

#[tokio::test]
async fn a_url_has_an_id_only_in_the_revision_that_wants_one() {
    let offered = json!({"elicitation": {"url": {}}});
    let older = Client::new(&server(), ProtocolVersion::V2025_11_25)
        .offering(offered.clone())
        .answering(|_, _| json!({"action": "accept"}));
    let result = older.call_tool("open", json!({})).await;
    assert_eq!(text(&result), "true");
    assert_eq!(
        older.calls()[0].1["elicitationId"].as_str().unwrap().len(),
        32
    );

    let newest = Client::new(&server(), ProtocolVersion::LATEST).offering(offered);
    let asked = newest.call_tool("open", json!({})).await;
    let params = &asked["inputRequests"]["open"]["params"];
    assert_eq!(params["mode"], "url");
    assert!(params.get("elicitationId").is_none());
}

async fn order(cx: Context, orders: Arc<AtomicUsize>) -> Result<String, ToolError> {
    let create = || async { orders.fetch_add(1, Ordering::SeqCst) + 1 };
    let order = cx.once("order", create).await;
    let name = field(&cx, "name", "name").await?;
    let color = field(&cx, "color", "color").await?;
    Ok(format!("{order} {name} {color}"))
}

#[tokio::test]
async fn what_is_to_happen_once_happens_once_whatever_the_rounds() {
    let orders = Arc::new(AtomicUsize::new(0));
    let counter = orders.clone();
    let server = Server::builder("shop", "1.0.0")
        .tool(tool("order"), move |_: NoArgs, cx: Context| {
            order(cx, counter.clone())
        })
        .build();
    let client = Client::new(&server, ProtocolVersion::LATEST).offering(all());
    let one = client.call_tool("order", json!({})).await;
    let answers = json!({"name": accept(json!({"name": "Ada"}))});
    let two = round(&client, "order", answers, one.get("requestState")).await;
    let answers = json!({"color": accept(json!({"color": "red"}))});
    let three = round(&client, "order", answers, two.get("requestState")).await;
    assert_eq!(text(&three), "1 Ada red");
    assert_eq!(orders.load(Ordering::SeqCst), 1);

    let older = Client::new(&server, ProtocolVersion::LATEST_HANDSHAKE)
        .offering(all())
        .answering(|_, _| accept(json!({"name": "Bob", "color": "blue"})));
    assert_eq!(
        text(&older.call_tool("order", json!({})).await),
        "2 Bob blue"
    );
}

async fn insist(cx: Context) -> Result<String, ToolError> {
    loop {
        let name = field(&cx, "name", "name").await?;
        if name != "nobody" {
            return Ok(name);
        }
    }
}

#[tokio::test]
async fn a_key_that_is_used_again_is_another_question() {
    let server = Server::builder("insists", "1.0.0")
        .tool(tool("insist"), |_: NoArgs, cx: Context| insist(cx))
        .build();
    let client = Client::new(&server, ProtocolVersion::LATEST).offering(all());
    let declined = json!({"name": {"action": "decline"}});
    let again = round(&client, "insist", declined, None).await;
    let asked: Vec<_> = again["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(asked, ["name#2"]);
    let answers = json!({"name#2": accept(json!({"name": "Ada"}))});
    let result = round(&client, "insist", answers, again.get("requestState")).await;
    assert_eq!(text(&result), "Ada");
}

async fn ask_elsewhere(cx: Context, ended: mpsc::Sender<bool>) -> Result<String, ToolError> {
    let asking = tokio::spawn(async move {
        let name = field(&cx, "name", "name").await;
        let over = matches!(name, Err(AskError::Ended));
        ended.send(over).await.unwrap();
        name
    });
    Ok(asking.await??)
}

#[tokio::test]
async fn a_question_from_another_task_ends_the_round_too_and_the_task_is_let_go() {
    let (ended, mut over) = mpsc::channel(1);
    let server = Server::builder("spawns", "1.0.0")
        .tool(tool("spawn"), move |_: NoArgs, cx: Context| {
            ask_elsewhere(cx, ended.clone())
        })
        .build();
    let client = Client::new(&server, ProtocolVersion::LATEST).offering(all());
    let asked = client.call_tool("spawn", json!({})).await;
    assert!(asked["inputRequests"]["name"].is_object());
    assert_eq!(over.recv().await, Some(true));
}

#[tokio::test]
async fn proto_55_prompts_and_resources_may_ask_and_completions_may_not() {
    let server = Server::builder("all", "1.0.0")
        .prompt(Prompt::new("ask"), |_: NoArgs, cx: Context| async move {
            Ok(field(&cx, "user_context", "context").await?)
        })
        .resource(Resource::new("x:ask", "ask"), |cx: Context| async move {
            Ok(field(&cx, "name", "name").await?)
        })
        .completion(|_, cx: Context| async move { Ok(vec![field(&cx, "name", "name").await?]) })
        .build();
    let client = Client::new(&server, ProtocolVersion::LATEST).offering(all());
    for (method, mut params, key, field) in [
        (
            "prompts/get",
            json!({"name": "ask"}),
            "user_context",
            "context",
        ),
        ("resources/read", json!({"uri": "x:ask"}), "name", "name"),
    ] {
        let asked = client.request(method, params.clone()).await.unwrap();
        assert_eq!(asked["resultType"], "input_required");
        assert!(asked.get("ttlMs").is_none(), "questions are not kept");
        params["inputResponses"] = json!({key: accept(json!({field: "Ada"}))});
        let result = client.request(method, params).await.unwrap();
        assert_eq!(result["resultType"], "complete");
        assert!(result.to_string().contains("Ada"));
    }
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "ask"},
        "argument": {"name": "a", "value": ""},
    });
    assert_eq!(
        code(&client.request("completion/complete", params).await),
        -32603
    );
}

#[tokio::test]
async fn an_answer_that_does_not_fit_fails_the_tool_before_2026() {
    let client = Client::new(&server(), ProtocolVersion::V2025_11_25)
        .offering(all())
        .answering(|_, _| accept(json!({"name": 7})));
    let result = client.call_tool("greet", json!({})).await;
    assert_eq!(result["isError"], true);
    assert_eq!(
        text(&result),
        "the answer of the client does not fit the question"
    );

    // No answer at all.
    let client = Client::new(&server(), ProtocolVersion::V2025_11_25).offering(all());
    let result = client.call_tool("greet", json!({})).await;
    assert!(
        text(&result).starts_with("the client did not answer: "),
        "{result}"
    );
}

#[tokio::test]
async fn proto_15_who_shows_forms_only_is_sent_to_no_url() {
    for offered in [
        json!({"elicitation": {}}),
        json!({"elicitation": {"form": {}}}),
    ] {
        let newest = Client::new(&server(), ProtocolVersion::LATEST).offering(offered.clone());
        let answer = newest.request("tools/call", json!({"name": "open"})).await;
        assert_eq!(code(&answer), -32021);

        let older = Client::new(&server(), ProtocolVersion::V2025_11_25).offering(offered);
        let result = older.call_tool("open", json!({})).await;
        assert_eq!(result["isError"], true);
        assert!(older.calls().is_empty());
    }
}

#[tokio::test]
async fn proto_19_a_tool_may_send_its_user_to_a_url_first_and_say_when_that_is_done() {
    let server = Server::builder("urls", "1.0.0")
        .tool(tool("first"), |_: NoArgs, _: Context| async {
            let url = ElicitRequestURLParams::new("Sign in", "https://example.com")
                .with_elicitation_id("e1");
            let error = URLElicitationRequiredError::new(vec![url]);
            Err::<(), _>(ToolError::protocol(error.into()))
        })
        .tool(tool("done"), |_: NoArgs, cx: Context| async move {
            cx.elicitation_complete("e1").await;
            Ok(())
        })
        .build();
    let offered = json!({"elicitation": {"url": {}}});
    let client = Client::new(&server, ProtocolVersion::V2025_11_25).offering(offered.clone());
    let error = client
        .request("tools/call", json!({"name": "first"}))
        .await
        .unwrap_err();
    assert_eq!(error.code.0, -32042);
    let data: Value = serde_json::from_str(error.data.unwrap().get()).unwrap();
    assert_eq!(data["elicitations"][0]["mode"], "url");
    assert_eq!(data["elicitations"][0]["elicitationId"], "e1");
    client.call_tool("done", json!({})).await;
    let told = client.notifications("notifications/elicitation/complete");
    assert_eq!(told, [json!({"elicitationId": "e1"})]);

    let newest = Client::new(&server, ProtocolVersion::LATEST).offering(offered);
    newest.call_tool("done", json!({})).await;
    assert!(
        newest
            .notifications("notifications/elicitation/complete")
            .is_empty()
    );
}

#[tokio::test]
async fn who_outlives_the_request_cannot_ask_any_more() {
    let (late, mut asked) = mpsc::channel(1);
    let server = Server::builder("late", "1.0.0")
        .tool(tool("late"), move |_: NoArgs, cx: Context| {
            let late = late.clone();
            async move {
                tokio::spawn(ask_late(cx, late));
                Ok(())
            }
        })
        .build();
    for version in ERAS {
        let client = Client::new(&server, version)
            .offering(all())
            .answering(|_, _| accept(json!({"name": "Ada"})));
        client.call_tool("late", json!({})).await;
        assert_eq!(asked.recv().await, Some(true));
        assert!(client.calls().is_empty());
    }
}

async fn ask_late(cx: Context, late: mpsc::Sender<bool>) {
    tokio::task::yield_now().await;
    let name = field(&cx, "name", "name").await;
    let over = matches!(name, Err(AskError::Ended));
    late.send(over).await.unwrap();
}
