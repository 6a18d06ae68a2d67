//! Headers of single calls over a shared session, end to end over Streamable HTTP.

#[expect(
    dead_code,
    unreachable_pub,
    reason = "an example has a main and runs by itself"
)]
#[path = "../../examples/user_header.rs"]
mod user_header;

use std::sync::Arc;

use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use mcp_interceptors::{HeadersLayer, JsonMap, ToolCall, ToolLayers, Toolset};
use mcp_protocol::lifecycle::Preference;

use user_header::{Serving, User, ask, pool, run};

#[tokio::test]
async fn a05_each_run_has_its_own_users_header_on_one_shared_session() {
    for (preference, sessions) in [(Preference::Handshake, 1), (Preference::Stateless, 0)] {
        let (told, had) = run(preference).await.unwrap();
        assert_eq!(
            told,
            ["you are 123", "you are 456", "there is no x-user-id header"]
        );
        assert_eq!(had, sessions, "{preference:?}");
    }
}

#[tokio::test]
async fn a_calls_header_wins_over_the_connections_in_any_case_of_letters() {
    let serving = Serving::start(1).await.unwrap();
    let header = Some(("X-USER-ID", "nobody"));
    let pool = pool(&serving.url, Preference::Handshake, header).unwrap();
    let told = ask(pool.clone(), None).await.unwrap();
    assert_eq!(told, "you are nobody");
    let told = ask(pool.clone(), Some(User("123"))).await.unwrap();
    assert_eq!(told, "you are 123");
    let told = ask(pool.clone(), None).await.unwrap();
    assert_eq!(told, "you are nobody", "for that call alone");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_header_of_the_connection_is_removed_and_those_of_the_protocol_stay() {
    let serving = Serving::start(1).await.unwrap();
    let user = HeaderName::from_static("x-user-id");
    let wrong = HeaderValue::from_static("wrong");
    let name = HeaderName::from_static;
    let layers = [
        (
            HeadersLayer::new().remove(user.clone()),
            "there is no x-user-id header",
        ),
        (
            HeadersLayer::new()
                .set(name("mcp-session-id"), wrong.clone())
                .set(name("mcp-protocol-version"), wrong.clone())
                .set(name("mcp-method"), wrong.clone())
                .set(CONTENT_TYPE, wrong)
                .remove(name("mcp-session-id"))
                .remove(CONTENT_TYPE),
            "you are nobody",
        ),
    ];
    for preference in [Preference::Handshake, Preference::Stateless] {
        let header = Some(("x-user-id", "nobody"));
        let pool = pool(&serving.url, preference, header).unwrap();
        for (layer, expected) in &layers {
            let tools = ToolLayers::new()
                .layer(layer.clone())
                .around(Arc::new(pool.clone()));
            let whoami = tools.tools().await.tools.remove(0);
            let call = ToolCall::new(whoami, JsonMap::new());
            let outcome = tools.call(call).await.unwrap();
            assert_eq!(outcome.text(), *expected);
        }
        pool.shutdown().await;
    }
}
