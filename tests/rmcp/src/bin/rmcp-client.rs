//! A client of the official Rust SDK.
//!
//! Usage: rmcp-client REVISION JSON, where JSON is {"command", "args"} or {"url"}, with
//! {"calls": [{"tool", "arguments", "expect"}]}. Prints one line of JSON.

use rmcp::model::{CallToolRequestParams, ClientConfig, ProtocolVersion};
use rmcp::service::RunningService;
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceExt};
use serde_json::{Value, json};

type Error = Box<dyn std::error::Error>;

/// A client that asks for one revision.
#[derive(Clone)]
struct Client(ProtocolVersion);

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::default();
        info.protocol_version = self.0.clone();
        info
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let revision = args.next().ok_or("which revision?")?;
    let plan: Value = serde_json::from_str(&args.next().ok_or("which server?")?)?;
    let client = match plan["url"].as_str() {
        Some(url) => connect(&revision, StreamableHttpClientTransport::from_uri(url)).await?,
        None => {
            let mut command = tokio::process::Command::new(plan["command"].as_str().unwrap_or(""));
            for arg in plan["args"].as_array().into_iter().flatten() {
                command.arg(arg.as_str().unwrap_or(""));
            }
            connect(&revision, TokioChildProcess::new(command)?).await?
        }
    };
    let tools = client.list_all_tools().await?;
    let mut calls = Vec::new();
    for call in plan["calls"].as_array().into_iter().flatten() {
        let tool = call["tool"].as_str().unwrap_or("").to_owned();
        let arguments = call["arguments"].as_object().cloned().unwrap_or_default();
        let params = CallToolRequestParams::new(tool.clone()).with_arguments(arguments);
        let result = client.peer().call_tool(params).await?;
        let text = serde_json::to_string(&result.content)?;
        if !text.contains(call["expect"].as_str().unwrap_or("")) {
            return Err(format!("{tool}: {text}").into());
        }
        calls.push(tool);
    }
    client.cancel().await?;
    println!("{}", json!({"version": revision, "tools": tools.len(), "calls": calls}));
    Ok(())
}

async fn connect<T, E, A>(
    revision: &str,
    transport: T,
) -> Result<RunningService<RoleClient, Client>, Error>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let version: ProtocolVersion = serde_json::from_value(json!(revision))?;
    let client = Client(version.clone());
    if version == ProtocolVersion::V_2026_07_28 {
        let mode = ClientLifecycleMode::Discover { preferred_versions: vec![version] };
        return Ok(client.serve_with_lifecycle(transport, mode).await?);
    }
    let running = client.serve(transport).await?;
    let agreed = running.peer_info().map(|info| info.protocol_version.clone());
    match agreed {
        Some(agreed) if agreed == version => Ok(running),
        agreed => Err(format!("asked for {revision}, got {agreed:?}").into()),
    }
}
