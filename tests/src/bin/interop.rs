//! Drives servers that other people wrote with our client.
//!
//! The argument is a file with a list of servers: how each is started, which tools to call with
//! what, and what their results must contain. Each is tried in the newest revision that both know
//! and in every other revision. Prints one line of JSON for each try.

use std::error::Error;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use mcp::client::{CallOptions, ClientOptions, Session};
use mcp::interceptors::Phase;
use mcp::protocol::{CallToolParams, ContentBlock, GetPromptParams};
use mcp::{Config, ProtocolVersion, Variables};
use serde::Deserialize;
use serde_json::{Map, Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// One server and what to do with it.
#[derive(Deserialize)]
struct Plan {
    name: String,
    /// As in a configuration file.
    server: Map<String, Value>,
    /// What has to run for an HTTP server to be there.
    start: Option<Start>,
    calls: Vec<ToolCall>,
    /// Whether there is a resource to read.
    #[serde(default)]
    resource: bool,
    /// The value for each argument of each prompt, where there are prompts.
    prompt: Option<String>,
}

#[derive(Deserialize)]
struct Start {
    command: String,
    args: Vec<String>,
    env: Map<String, Value>,
}

#[derive(Deserialize)]
struct ToolCall {
    tool: String,
    arguments: Value,
    expect: String,
}

/// Set for every server, so that what is left of it can be found.
const MARK: &str = "MCP_INTEROP_RUN";

#[tokio::main]
async fn main() -> Result<()> {
    let file = std::env::args().nth(1).ok_or("which file?")?;
    let text = std::fs::read_to_string(file)?;
    let port = free_port().await?;
    let plans: Vec<Plan> = serde_json::from_str(&text.replace("{port}", &port.to_string()))?;
    for plan in &plans {
        let newest = report(plan, &ProtocolVersion::ALL).await?;
        let others = ProtocolVersion::ALL
            .into_iter()
            .filter(|version| newest.as_deref() != Some(version.as_str()));
        for version in others {
            report(plan, &[version]).await?;
        }
    }
    Ok(())
}

/// Tries a server with these revisions; says which one was agreed on.
async fn report(plan: &Plan, versions: &[ProtocolVersion]) -> Result<Option<String>> {
    let tried = tokio::time::timeout(Duration::from_secs(60), run(plan, versions)).await;
    let tried = tried.unwrap_or_else(|_| Err("not done within 60 s".into()));
    let server = &plan.name;
    let report = match (&tried, versions) {
        (Ok(Done { version, what }), _) => {
            json!({"server": server, "version": version, "done": what})
        }
        // A server need not know every revision.
        (Err(error), [version]) if error.is::<NotOffered>() => {
            json!({"server": server, "version": version.as_str(), "refused": error.to_string()})
        }
        (Err(error), _) => json!({"server": server, "error": error.to_string()}),
    };
    writeln!(std::io::stdout(), "{report}")?;
    Ok(tried.ok().map(|done| done.version))
}

/// What came of a try.
struct Done {
    version: String,
    what: String,
}

/// The server does not speak the revision that was asked for.
#[derive(Debug)]
struct NotOffered(String);

impl std::fmt::Display for NotOffered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for NotOffered {}

/// A port that was free a moment ago; the servers that need it cannot choose one themselves.
async fn free_port() -> Result<u16> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    Ok(listener.local_addr()?.port())
}

async fn run(plan: &Plan, versions: &[ProtocolVersion]) -> Result<Done> {
    let mark = format!("{}-{}", plan.name, std::process::id());
    let mut started = None;
    if let Some(start) = &plan.start {
        started = Some(spawn(start, &mark).await?);
    }
    let done = drive(plan, versions, &mark).await;
    if let Some(mut child) = started {
        child.kill().await?;
    }
    let left = processes_with(&mark);
    if !left.is_empty() {
        return Err(format!("processes left behind: {left:?}").into());
    }
    done
}

async fn spawn(start: &Start, mark: &str) -> Result<tokio::process::Child> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let child = tokio::process::Command::new(&start.command)
        .args(&start.args)
        .envs(start.env.iter().map(|(name, value)| (name, text(value))))
        .env(MARK, mark)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let port = start.env.get("PORT").map(text).unwrap_or_default();
    let address = format!("127.0.0.1:{port}");
    while tokio::net::TcpStream::connect(&address).await.is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(child)
}

async fn drive(plan: &Plan, versions: &[ProtocolVersion], mark: &str) -> Result<Done> {
    let session = connect(plan, versions, mark).await?;
    let done = exercise(&session, plan).await;
    session.close().await;
    Ok(Done {
        version: session.version().as_str().to_owned(),
        what: done?,
    })
}

async fn connect(plan: &Plan, versions: &[ProtocolVersion], mark: &str) -> Result<Session> {
    let mut server = plan.server.clone();
    if server.contains_key("command") {
        server.insert("env".to_owned(), json!({ MARK: mark }));
    }
    let config = json!({"mcpServers": {&plan.name: server}}).to_string();
    let config = Config::parse("plan", &config, &Variables::none())?;
    let server = config.servers().get(&plan.name).ok_or("no server")?;
    let options = ClientOptions::new("interop", "1.0.0")
        .with_server(&*plan.name)
        .with_versions(versions);
    let connected = Session::connect(&*server.connector(), options).await;
    connected.map_err(|error| {
        let chain = error.chain();
        match error.phase() {
            Phase::Handshake if error.is_permanent() => NotOffered(chain).into(),
            _ => chain.into(),
        }
    })
}

async fn exercise(session: &Session, plan: &Plan) -> Result<String> {
    let options = CallOptions::new();
    let capabilities = session.capabilities();
    let tools = session.list_tools().await?;
    for call in &plan.calls {
        if !tools.items.iter().any(|tool| tool.name == call.tool) {
            return Err(format!("it has no tool {}", call.tool).into());
        }
        let params = CallToolParams::new(&call.tool).with_arguments(&call.arguments)?;
        let result = session.call_tool(params, &options).await?;
        let text = result.text_content() + &kinds(&result.content);
        if result.is_error() || !text.contains(&call.expect) {
            return Err(format!("{}: {text}", call.tool).into());
        }
    }
    let (mut resources, mut templates, mut prompts) = (0, 0, 0);
    if capabilities.resources.is_some() {
        let listed = session.list_resources().await?;
        resources = listed.items.len();
        templates = session.list_resource_templates().await?.items.len();
        if let Some(first) = listed.items.first() {
            let read = session.read_resource(&first.uri, &options).await?;
            if read.contents.is_empty() {
                return Err(format!("{} has no contents", first.uri).into());
            }
        }
    }
    if capabilities.prompts.is_some() {
        prompts = fill_prompts(session, plan, &options).await?;
    }
    if (plan.resource && resources == 0) || (plan.prompt.is_some() && prompts == 0) {
        return Err("it lists no resource or no prompt".into());
    }
    Ok(format!(
        "{} tools, {} called, {resources} resources, {templates} templates, {prompts} prompts",
        tools.items.len(),
        plan.calls.len(),
    ))
}

/// What a result consists of besides text, as words to look for.
fn kinds(content: &[ContentBlock]) -> String {
    let kinds = content.iter().map(|block| match block {
        ContentBlock::Image(_) => "image ",
        ContentBlock::Audio(_) => "audio ",
        ContentBlock::ResourceLink(_) | ContentBlock::Resource(_) => "resource ",
        _ => "",
    });
    kinds.collect()
}

/// Lists the prompts and gets the first that all arguments can be given for.
async fn fill_prompts(session: &Session, plan: &Plan, options: &CallOptions) -> Result<usize> {
    let listed = session.list_prompts().await?;
    if let (Some(value), Some(first)) = (&plan.prompt, listed.items.first()) {
        let mut params = GetPromptParams::new(&first.name);
        for argument in first.arguments.iter().flatten() {
            params = params.with_argument(&argument.name, value);
        }
        let got = session.get_prompt(params, options).await?;
        if got.messages.is_empty() {
            return Err(format!("{} is empty", first.name).into());
        }
    }
    Ok(listed.items.len())
}

/// The processes whose environment carries the mark.
fn processes_with(mark: &str) -> Vec<String> {
    let mark = format!("{MARK}={mark}");
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| {
            std::fs::read(path.join("environ"))
                .is_ok_and(|environ| environ.split(|b| *b == 0).any(|var| var == mark.as_bytes()))
        })
        .map(|path| path.display().to_string())
        .collect()
}
