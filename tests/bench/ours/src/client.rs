//! The client: a session, and one call.

use harness::Era;
use mcp_client::{CallOptions, ClientOptions, Connect, Session};
use mcp_protocol::CallToolParams;
use mcp_protocol::lifecycle::Preference;
use serde::Serialize;

#[derive(Serialize)]
struct Message {
    message: String,
}

/// A session in this era.
pub async fn session(connect: &dyn Connect, era: Era) -> Session {
    let preference = match era {
        Era::Handshake => Preference::Handshake,
        Era::Stateless => Preference::Stateless,
    };
    let options = ClientOptions::new("bench", "1").with_preference(preference);
    let session = Session::connect(connect, options).await.expect("a session");
    assert_eq!(session.version().as_str(), era.name());
    session
}

/// Calls the tool with an argument that the caller owns; checks the length of the answer.
pub async fn call(session: &Session, text: &str) {
    let arguments = Message {
        message: text.to_owned(),
    };
    let params = CallToolParams::new("echo")
        .with_arguments(&arguments)
        .expect("arguments");
    let result = session
        .call_tool(params, &CallOptions::new())
        .await
        .expect("a result");
    assert_eq!(result.first_text().map(str::len), Some(text.len()));
}
