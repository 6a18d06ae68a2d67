//! Who the user is travels in an HTTP header of each call, over one connection that all users
//! share.
//!
//! `cargo run -p mcp-agent --example user_header`
//!
//! The server reads `x-user-id` from the request that brought the call. Two runs for two users go
//! through one pooled session at the same time, and the server sees each user's own id.

use std::error::Error;
use std::sync::Arc;

use http::HeaderName;
use mcp_agent::{ReactAgent, RunOptions, RuntimeExt};
use mcp_client::{Connect, ConnectError, Link, ServerOptions, ServerPool};
use mcp_interceptors::{HeadersLayer, ToolCall};
use mcp_model::{ScriptedModel, ToolUse};
use mcp_protocol::lifecycle::{Preference, Wire};
use mcp_protocol::{RequestContext, Tool};
use mcp_server::{Context, NoArgs, Server, ToolError};
use mcp_transport::{BoxFuture, Handler};
use mcp_transport_http::{HttpOptions, HttpServer, HttpService, HttpTransport};
use serde_json::json;
use tokio::sync::Barrier;
use tokio_util::sync::CancellationToken;

/// Who a run is for.
#[derive(Debug)]
pub struct User(pub &'static str);

const USER_ID: HeaderName = HeaderName::from_static("x-user-id");

/// A server with a tool that says who calls it. Calls of `together` users wait for each other, so
/// that all of them are under way at once.
fn server(together: usize) -> Server {
    let barrier = Arc::new(Barrier::new(together));
    let tool = Tool::new("whoami", json!({"type": "object"}));
    let whoami = move |_: NoArgs, cx: Context| {
        let barrier = Arc::clone(&barrier);
        async move {
            let header = cx
                .http_request()
                .and_then(|parts| parts.headers.get(USER_ID));
            let user = header.and_then(|value| value.to_str().ok());
            let Some(user) = user else {
                return Err(ToolError::new("there is no x-user-id header"));
            };
            barrier.wait().await;
            Ok(format!("you are {user}"))
        }
    };
    Server::builder("accounts", "1.0.0")
        .tool(tool, whoami)
        .build()
}

/// A server that answers over HTTP until it is told to stop.
#[derive(Debug)]
pub struct Serving {
    /// The endpoint.
    pub service: HttpService,
    /// Where it is.
    pub url: String,
    stop: CancellationToken,
}

impl Serving {
    /// Starts it on a free port of this machine.
    ///
    /// # Errors
    /// If there is none.
    pub async fn start(together: usize) -> Result<Self, Box<dyn Error>> {
        let server = server(together);
        let options = HttpOptions::default();
        let service = HttpService::new(server.identity(), server.handler(), options);
        let listener = HttpServer::bind("127.0.0.1:0").await?;
        let (url, stop) = (listener.local_url(), CancellationToken::new());
        tokio::spawn(listener.serve(service.clone(), stop.clone()));
        Ok(Self { service, url, stop })
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Connects over Streamable HTTP.
#[derive(Debug)]
struct Http(HttpTransport);

impl Connect for Http {
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        let channel = Arc::new(self.0.open(handler));
        Box::pin(async move { Ok(Link::new(channel, Wire::Http)) })
    }
}

/// A pool with the server in it; `header` is a header of the connection itself.
///
/// # Errors
/// If the URL or the header is none.
pub fn pool(
    url: &str,
    preference: Preference,
    header: Option<(&str, &str)>,
) -> Result<ServerPool, Box<dyn Error>> {
    let transport = HttpTransport::builder(url);
    let transport = match header {
        Some((name, value)) => transport.header(name, value),
        None => transport,
    };
    let options = ServerOptions::new().with_preference(preference);
    let connect = Arc::new(Http(transport.build()?));
    Ok(ServerPool::builder()
        .server_with("accounts", connect, options)
        .build())
}

/// Asks once on behalf of a user, and gives back what the tool answered.
///
/// # Errors
/// If the run fails.
pub async fn ask(pool: ServerPool, user: Option<User>) -> Result<String, Box<dyn Error>> {
    let model = ScriptedModel::new()
        .calls([ToolUse::new("1", "accounts__whoami", "{}")])
        .says("Now I know.");
    let user_header = HeadersLayer::new().set_with(USER_ID, |call: &ToolCall| {
        let user: &User = call.runtime()?.context()?;
        Some(user.0.to_owned())
    });
    let agent = ReactAgent::builder(Arc::new(model))
        .tools(pool)
        .layer(user_header)
        .build()?;
    let options = match user {
        Some(user) => RunOptions::new().context(user),
        None => RunOptions::new(),
    };
    let output = agent.run("Who am I?", options).await?;
    let result = output.state.tool_results.get("1");
    Ok(result.map(|result| result.text()).unwrap_or_default())
}

/// Two users at the same time over one session, and nobody. Gives back what the server told each,
/// and how many sessions it had.
///
/// # Errors
/// If a run fails.
pub async fn run(preference: Preference) -> Result<(Vec<String>, usize), Box<dyn Error>> {
    let serving = Serving::start(2).await?;
    let pool = pool(&serving.url, preference, None)?;
    let first = ask(pool.clone(), Some(User("123")));
    let second = ask(pool.clone(), Some(User("456")));
    let (first, second) = tokio::join!(first, second);
    let nobody = ask(pool.clone(), None).await?;
    let sessions = serving.service.session_count();
    pool.shutdown().await;
    Ok((vec![first?, second?, nobody], sessions))
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it did")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", run(Preference::Auto).await?.0.join("\n"));
    Ok(())
}
