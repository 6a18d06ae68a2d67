//! The server of a soak: tools that say what they were told, each in its own way.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use mcp::http::{HttpOptions, HttpServer, HttpService};
use mcp::protocol::{ElicitRequestFormParams, RequestedSchema, StringSchema};
use mcp::server::{Context, ToolError};
use mcp::stdio::Stdio;
use mcp::transport::Channel as _;
use mcp::{Server, Tool};
use serde::Deserialize;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// What a tool is told.
#[derive(Debug, Deserialize)]
struct Told {
    /// What it is to say.
    token: String,
    /// How long it takes, in milliseconds; or how much it adds, in bytes.
    #[serde(default)]
    amount: usize,
}

/// Counts the handlers that are at work.
#[derive(Clone, Debug, Default)]
struct AtWork(Arc<AtomicUsize>);

struct Worker(Arc<AtomicUsize>);

impl AtWork {
    fn begin(&self) -> Worker {
        self.0.fetch_add(1, Ordering::AcqRel);
        Worker(Arc::clone(&self.0))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn server(at_work: &AtWork) -> Server {
    let tool = |name: &str| Tool::new(name, json!({"type": "object"}));
    let [slow, never, asks] = [(); 3].map(|()| at_work.clone());
    Server::builder("soak", "1.0.0")
        .tool(tool("echo"), |told: Told, _: Context| async move {
            Ok::<_, ToolError>(told.token)
        })
        .tool(tool("big"), |told: Told, _: Context| async move {
            Ok::<_, ToolError>(told.token + &"x".repeat(told.amount))
        })
        .tool(tool("fail"), |told: Told, _: Context| async move {
            Err::<(), _>(ToolError::new(told.token))
        })
        .tool(tool("slow"), move |told: Told, _: Context| {
            let worker = slow.begin();
            async move {
                tokio::time::sleep(Duration::from_millis(told.amount as u64)).await;
                drop(worker);
                Ok::<_, ToolError>(told.token)
            }
        })
        .tool(tool("never"), move |_: Told, _: Context| {
            let worker = never.begin();
            async move {
                let _worker = worker;
                pending::<Result<&str, ToolError>>().await
            }
        })
        .tool(tool("progress"), |told: Told, cx: Context| async move {
            for step in 1..=3 {
                cx.progress(f64::from(step)).await;
                tokio::task::yield_now().await;
            }
            Ok::<_, ToolError>(told.token)
        })
        .tool(tool("ask"), move |told: Told, cx: Context| {
            let worker = asks.begin();
            async move {
                let _worker = worker;
                let schema = RequestedSchema::new().with_required("token", StringSchema::new());
                let form = ElicitRequestFormParams::new(told.token, schema);
                let answer = cx.elicit("token", form).await?;
                let content = answer.content.unwrap_or_default();
                let said = content.get("token").and_then(|token| token.as_str());
                Ok(said.unwrap_or("nothing").to_owned())
            }
        })
        .build()
}

/// A server over HTTP, in this process.
#[derive(Debug)]
pub(super) struct WebServer {
    pub(super) url: String,
    at_work: AtWork,
    shutdown: CancellationToken,
    serving: JoinHandle<()>,
}

impl WebServer {
    pub(super) async fn start() -> Result<Self> {
        let at_work = AtWork::default();
        let server = server(&at_work);
        let options = HttpOptions::default();
        let service = HttpService::new(server.identity(), server.handler(), options);
        let listener = HttpServer::bind("127.0.0.1:0").await?;
        let url = listener.local_url();
        let shutdown = CancellationToken::new();
        let serving = tokio::spawn(listener.serve(service, shutdown.clone()));
        Ok(Self {
            url,
            at_work,
            shutdown,
            serving,
        })
    }

    /// Ends it; the number of handlers that are still at work after a while.
    pub(super) async fn stop(self, patience: Duration) -> usize {
        let quiet = async {
            while self.at_work.0.load(Ordering::Acquire) > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        // Without an end by the server: the clients are gone, so what they asked for has to be.
        let _late = tokio::time::timeout(patience, quiet).await;
        let left = self.at_work.0.load(Ordering::Acquire);
        self.shutdown.cancel();
        let _ended = self.serving.await;
        left
    }
}

/// Serves over stdin and stdout until its client is gone.
///
/// # Cancel safety
/// Dropping the future leaves the server to itself.
pub async fn serve_stdio() {
    let (reader, writer) = Stdio::own();
    let peer = server(&AtWork::default()).serve(reader, writer);
    peer.closed().await;
}
