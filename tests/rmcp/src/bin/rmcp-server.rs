//! A server of the official Rust SDK: over stdio, or with `http` as argument over Streamable HTTP
//! on a free port, which it prints.

use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{ServiceExt, schemars, tool, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    message: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Clone, Debug)]
struct Tools;

#[tool_router(server_handler)]
impl Tools {
    #[tool(description = "Says what it is told")]
    fn echo(&self, Parameters(Echo { message }): Parameters<Echo>) -> String {
        message
    }

    #[tool(description = "Adds two numbers")]
    fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
        (a + b).to_string()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().nth(1).as_deref() != Some("http") {
        Tools.serve(rmcp::transport::stdio()).await?.waiting().await?;
        return Ok(());
    }
    let sessions = LocalSessionManager::default().into();
    let service = StreamableHttpService::new(|| Ok(Tools), sessions, Default::default());
    let service = TowerToHyperService::new(service);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        let service = service.clone();
        tokio::spawn(async move {
            let http = hyper::server::conn::http1::Builder::new();
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
