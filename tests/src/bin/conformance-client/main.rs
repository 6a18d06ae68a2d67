//! The client that the official conformance suite tests.
//!
//! The suite starts it once for each scenario, with the server's URL as last argument. The
//! scenario is in `MCP_CONFORMANCE_SCENARIO`, what it wants to be known in
//! `MCP_CONFORMANCE_CONTEXT`, and the revision in `MCP_CONFORMANCE_PROTOCOL_VERSION`.

mod answers;
mod scenarios;

use std::error::Error;
use std::time::Duration;

use mcp::client::{ClientOptions, Handlers, Session};
use mcp::{Config, ProtocolVersion, Variables};
use serde_json::{Value, json};

/// Anything that goes wrong ends the program; the suite shows what it says.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What the suite says about this run.
struct Task {
    url: String,
    scenario: String,
    versions: Vec<ProtocolVersion>,
    context: Value,
}

#[tokio::main]
async fn main() -> Result<()> {
    let task = Task::from_env()?;
    // The suite waits for 30 s; an error is worth more than a killed process.
    tokio::time::timeout(Duration::from_secs(25), run(&task)).await?
}

async fn run(task: &Task) -> Result<()> {
    let session = connect(task).await?;
    let done = scenarios::run(&session, &task.scenario, &task.context).await;
    session.close().await;
    done
}

async fn connect(task: &Task) -> Result<Session> {
    let config = json!({"mcpServers": {"suite": {"type": "http", "url": task.url}}});
    let config = Config::parse("suite", &config.to_string(), &Variables::none())?;
    let server = config.servers().get("suite").ok_or("no server")?;
    let handlers = Handlers::new().with_elicitation(answers::Defaults);
    let options = ClientOptions::new("conformance-client", env!("CARGO_PKG_VERSION"))
        .with_versions(task.versions.clone())
        .with_handlers(handlers);
    let session = Session::connect(&*server.connector(), options).await;
    session.map_err(|error| error.chain().into())
}

impl Task {
    fn from_env() -> Result<Self> {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let revision = variable("MCP_CONFORMANCE_PROTOCOL_VERSION");
        let stateless = ProtocolVersion::parse(&revision).is_some_and(|v| v.is_stateless());
        let context = variable("MCP_CONFORMANCE_CONTEXT");
        Ok(Self {
            url: std::env::args().next_back().ok_or("which server?")?,
            scenario: variable("MCP_CONFORMANCE_SCENARIO"),
            versions: ProtocolVersion::ALL
                .into_iter()
                .filter(|version| version.is_stateless() == stateless)
                .collect(),
            context: match context.as_str() {
                "" => Value::Null,
                context => serde_json::from_str(context)?,
            },
        })
    }
}
