//! Layers of a pool and of a session: around tool calls, and around all requests.

use std::sync::{Arc, Mutex};

use mcp_client::{
    CallOptions, ClientOptions, Error, Handlers, ServerOptions, ServerPool, Session, SessionPolicy,
};
use mcp_interceptors::{
    CallError, CallErrorKind, InjectArgsLayer, JsonMap, Next, Reply, Request, RequestLayers,
    RequestNext, ToolCall, ToolLayers, Toolset, from_fn,
};
use mcp_protocol::elicitation::{Elicit, ElicitResult};
use mcp_protocol::resources::{ListResources, ReadResource};
use mcp_protocol::tools::CallTool;
use mcp_protocol::{
    CallToolParams, GetPromptParams, ProtocolVersion, ReadResourceResult, ResourceContents, Tool,
};
use mcp_server::{Server, ToolError};
use serde_json::{Map, Value, json};

use crate::connects::{Local, options, scripted, stateless};
use crate::handlers::Ada;
use crate::session::library;

/// A server with a tool that must know the user.
fn shop() -> Server {
    let schema = json!({
        "type": "object",
        "properties": {"user": {"type": "string"}},
        "required": ["user"],
    });
    let orders = |args: Map<String, Value>, _| async move {
        Ok::<_, ToolError>(Value::Object(args).to_string())
    };
    Server::builder("shop", "1")
        .tool(Tool::new("orders", schema), orders)
        .build()
}

async fn first_call(tools: &dyn Toolset) -> (bool, String) {
    let tool = tools.tools().await.tools.remove(0);
    let hidden = !tool.shown().input_schema.to_string().contains("user");
    let call = ToolCall::new(tool, JsonMap::new()).with_arg("user", "eve");
    (hidden, tools.call(call).await.unwrap().text())
}

#[tokio::test]
async fn a_pools_layers_stand_around_its_tools_whatever_the_session() {
    let layers = ToolLayers::new()
        .intercept(from_fn(|call: ToolCall, next: Next| async move {
            let outcome = next.run(call).await?;
            Ok(format!("[{}]", outcome.text()).into())
        }))
        .layer(InjectArgsLayer::new().arg("user", |_| Some("ada".into())));
    for policy in [SessionPolicy::Pooled, SessionPolicy::PerCall] {
        let options = ServerOptions::new().with_policy(policy);
        let pool = ServerPool::builder()
            .server_with("s", Local::new(shop()), options)
            .layers(layers.clone())
            .build();
        let expected = (true, r#"[{"user":"ada"}]"#.to_owned());
        assert_eq!(first_call(&pool).await, expected);
        assert_eq!(first_call(&pool.only(["s"]).unwrap()).await, expected);
        assert_eq!(first_call(&pool.hold("s").await.unwrap()).await, expected);
    }
}

/// Notes what passes.
fn noting(notes: &Arc<Mutex<Vec<String>>>) -> RequestLayers {
    let notes = Arc::clone(notes);
    RequestLayers::new().intercept(move |request: Request, next: RequestNext| {
        let who = if request.is_from_server() { "<" } else { ">" };
        let note = format!("{who}{} {}", request.server(), request.method());
        notes.lock().unwrap().push(note);
        async move { next.run(request).await }
    })
}

async fn connect(layers: RequestLayers, version: ProtocolVersion) -> Session {
    let options = options().with_versions([version]).with_layers(layers);
    let library = Local::new(library());
    Session::connect(&*library, options).await.unwrap()
}

#[tokio::test]
async fn all_that_is_asked_passes_the_layers() {
    for version in ProtocolVersion::ALL {
        let notes = Arc::new(Mutex::new(Vec::new()));
        let session = connect(noting(&notes), version).await;
        let none = CallOptions::new();
        session.list_tools().await.unwrap();
        session.list_resources().await.unwrap();
        session.read_resource("shelf://1", &none).await.unwrap();
        session.list_prompts().await.unwrap();
        let greet = GetPromptParams::new("greet");
        session.get_prompt(greet, &none).await.unwrap();
        let echo = CallToolParams::new("echo").with_arguments(&json!({"text": "hi"}));
        let result = session.call_tool(echo.unwrap(), &none).await.unwrap();
        assert_eq!(result.first_text(), Some("hi"));
        let passed = notes.lock().unwrap();
        assert_eq!(
            *passed,
            [
                ">server tools/list",
                ">server resources/list",
                ">server resources/read",
                ">server prompts/list",
                ">server prompts/get",
                ">server tools/call",
            ],
            "{version}"
        );
    }
}

#[tokio::test]
async fn a_request_can_be_changed_answered_and_changed_on_its_way_back() {
    let layers = RequestLayers::new()
        .on::<ReadResource, _, _>(|request: Request, next: RequestNext| async move {
            let mut params = request.params::<ReadResource>()?;
            if params.uri == "own://a" {
                let text = ResourceContents::text("own://a", "ours");
                return Reply::of::<ReadResource>(&ReadResourceResult::new(vec![text]));
            }
            params.uri = params.uri.replace("alias://", "shelf://");
            next.run(request.with_params::<ReadResource>(&params)?)
                .await
        })
        .on::<ListResources, _, _>(|request: Request, next: RequestNext| async move {
            let mut list = next.run(request).await?.result::<ListResources>()?;
            list.resources.retain(|resource| resource.name != "first");
            Reply::of::<ListResources>(&list)
        })
        .on::<CallTool, _, _>(|request: Request, next: RequestNext| async move {
            assert!(request.params::<ReadResource>().is_err(), "another method");
            next.run(request.clone()).await?;
            next.run(request).await
        });
    let session = connect(layers, ProtocolVersion::LATEST_HANDSHAKE).await;
    let text = async |uri: &str| {
        let read = session.read_resource(uri, &CallOptions::new()).await;
        let contents = read.unwrap().contents.remove(0);
        serde_json::to_value(contents).unwrap()["text"].clone()
    };
    assert_eq!(text("alias://1").await, "a book");
    assert_eq!(text("own://a").await, "ours");
    assert!(session.list_resources().await.unwrap().items.is_empty());
    let echo = CallToolParams::new("echo");
    session.call_tool(echo, &CallOptions::new()).await.unwrap();
}

#[tokio::test]
async fn errors_pass_as_they_are_and_a_layers_own_is_told_apart() {
    let notes = Arc::default();
    let version = ProtocolVersion::LATEST_HANDSHAKE;
    let session = connect(noting(&notes), version).await;
    let lost = session
        .read_resource("shelf://9", &CallOptions::new())
        .await;
    let error = lost.unwrap_err();
    assert!(matches!(error, Error::Call(_)), "{error:?}");
    assert!(error.remote().is_some());

    let refuses = RequestLayers::new().intercept(|_: Request, _: RequestNext| async {
        Err(CallError::new(CallErrorKind::Rejected, "not today"))
    });
    let session = connect(refuses, version).await;
    let error = session.list_tools().await.unwrap_err();
    assert!(matches!(error, Error::Layer(_)), "{error:?}");
    assert_eq!(error.delivery(), mcp_transport::Delivery::NotSent);
    assert_eq!(error.chain(), "not today");
}

fn asking(layers: RequestLayers) -> ClientOptions {
    let handlers = Handlers::new().with_elicitation(Ada);
    options().with_handlers(handlers).with_layers(layers)
}

fn form() -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    json!({"message": "name?", "requestedSchema": schema})
}

fn adas() -> Value {
    json!({"action": "accept", "content": {"name": "Ada"}})
}

#[tokio::test]
async fn what_a_server_asks_passes_the_layers_in_both_eras() {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let (_session, peer) = scripted(json!({}), asking(noting(&notes)), |mut peer| async move {
        peer.request("q", "elicitation/create", form()).await;
        assert_eq!(peer.expect_answer("q").await["result"], adas());
    })
    .await;
    peer.finish().await;

    let capabilities = json!({"tools": {}});
    let (session, peer) = stateless(
        capabilities,
        asking(noting(&notes)),
        |mut peer| async move {
            let first = peer.expect("tools/call").await;
            let question = json!({"method": "elicitation/create", "params": form()});
            let asks = json!({"resultType": "input_required", "inputRequests": {"q": question}});
            peer.answer(&first, asks).await;
            let second = peer.expect("tools/call").await;
            assert_eq!(second["params"]["inputResponses"]["q"], adas());
            let done = json!({"resultType": "complete", "content": []});
            peer.answer(&second, done).await;
        },
    )
    .await;
    let call = CallToolParams::new("t");
    session.call_tool(call, &CallOptions::new()).await.unwrap();
    peer.finish().await;
    assert_eq!(
        *notes.lock().unwrap(),
        [
            "<server elicitation/create",
            ">server tools/call",
            "<server elicitation/create",
            ">server tools/call",
        ]
    );
}

#[tokio::test]
async fn a_layer_may_answer_a_server_or_refuse_it() {
    let layers = RequestLayers::new().on::<Elicit, _, _>(|request: Request, _| async move {
        match request.params::<Elicit>()?.message() {
            "name?" => Reply::of::<Elicit>(&ElicitResult::decline()),
            _ => Err(CallError::new(CallErrorKind::Rejected, "we do not tell")),
        }
    });
    let (_session, peer) = scripted(json!({}), asking(layers), |mut peer| async move {
        peer.request("a", "elicitation/create", form()).await;
        let answer = peer.expect_answer("a").await;
        assert_eq!(answer["result"], json!({"action": "decline"}));
        let mut other = form();
        other["message"] = "password?".into();
        peer.request("b", "elicitation/create", other).await;
        let error = &peer.expect_answer("b").await["error"];
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!(-32603), &json!("we do not tell"))
        );
    })
    .await;
    peer.finish().await;
}
