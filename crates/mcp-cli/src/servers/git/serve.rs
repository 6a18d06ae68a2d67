//! The tools of the git server.

use std::sync::Arc;

use mcp::protocol::CallToolResult;
use mcp::protocol::{Tool, ToolAnnotations};
use mcp::server::{Context, NoArgs, Server, ServerBuilder, ToolError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::compare::Comparison;
use super::run::Git;
use crate::servers::rows::Rows;
use crate::servers::structured;

/// The most changed files in one answer.
const MAX_FILES: usize = 5_000;
/// The most commits in one answer.
const MAX_COMMITS: usize = 10_000;

/// The server of a repository.
pub(crate) fn server(git: Git) -> Server {
    let git = Arc::new(git);
    let builder = Server::builder("git", env!("CARGO_PKG_VERSION")).instructions(format!(
        "Tells about the git repository {}. It changes nothing.",
        git.top().display()
    ));
    let builder = add(builder, &git, changes_tool(), |git, args| async move {
        changes(&git, args).await
    });
    let builder = add(builder, &git, status_tool(), |git, args| async move {
        status(&git, args).await
    });
    let builder = add(builder, &git, diff_tool(), |git, args| async move {
        diff(&git, args).await
    });
    let builder = add(builder, &git, log_tool(), |git, args| async move {
        log(&git, args).await
    });
    let builder = add(builder, &git, show_tool(), |git, args| async move {
        show(&git, args).await
    });
    builder.build()
}

fn add<A, Fut>(
    builder: ServerBuilder,
    git: &Arc<Git>,
    tool: Tool,
    run: fn(Arc<Git>, A) -> Fut,
) -> ServerBuilder
where
    A: DeserializeOwned + Send + 'static,
    Fut: Future<Output = Result<CallToolResult, ToolError>> + Send + 'static,
{
    let git = Arc::clone(git);
    builder.tool(tool, move |args: A, _: Context| {
        let git = Arc::clone(&git);
        // The configuration may have changed since the last call.
        async move { run(Arc::new(git.guarded().await?), args).await }
    })
}

fn tool(name: &str, description: &str, properties: &Value) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    Tool::new(name, schema)
        .with_description(description)
        .with_annotations(ToolAnnotations::new().with_read_only_hint(true))
}

/// The properties of what is compared, with those of the tool itself.
fn comparison_with(own: Value) -> Value {
    let mut all = json!({
        "from": {
            "type": "string",
            "description": "The older side, a revision. Default: the last commit.",
        },
        "to": {
            "type": "string",
            "description": "The newer side, a revision. Default: the working tree.",
        },
        "staged": {
            "type": "boolean",
            "description": "Compare with what is staged instead of the working tree.",
        },
    });
    if let (Some(all), Value::Object(own)) = (all.as_object_mut(), own) {
        all.extend(own);
    }
    all
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangesArgs {
    from: Option<String>,
    to: Option<String>,
    #[serde(default)]
    staged: bool,
    #[serde(default)]
    offset: usize,
}

fn changes_tool() -> Tool {
    tool(
        "changes",
        "Lists which files changed in the working tree (or between two revisions), untracked ones \
         included, with the numbers of lines added and removed, and the functions that the \
         changes add in Rust, Python, JavaScript, TypeScript and Go.",
        &comparison_with(json!({
            "offset": {
                "type": "integer",
                "minimum": 0,
                "description": "How many files to pass over. An answer has at most 5000.",
            },
        })),
    )
}

async fn changes(git: &Git, args: ChangesArgs) -> Result<CallToolResult, ToolError> {
    let comparison = Comparison {
        from: args.from,
        to: args.to,
        staged: args.staged,
    };
    let found = git.changes(&comparison, args.offset, MAX_FILES).await?;
    let next = args.offset + found.files.len();
    let mut rows = Rows::new("files", &found.files)?
        .with("comparing", found.comparing)
        .with("total", found.total);
    if next < found.total && !found.files.is_empty() {
        rows = rows.with("next_offset", next);
    }
    Ok(structured(rows))
}

fn status_tool() -> Tool {
    tool(
        "status",
        "Tells the branch, its last commit, and the state of each file that is staged, modified, \
         in conflict or untracked.",
        &json!({}),
    )
}

async fn status(git: &Git, _: NoArgs) -> Result<CallToolResult, ToolError> {
    let status = git.status().await?;
    let rows = Rows::new("files", &status.files)?
        .with("branch", status.branch)
        .with("commit", status.commit)
        .with("upstream", status.upstream);
    Ok(structured(rows))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DiffArgs {
    from: Option<String>,
    to: Option<String>,
    #[serde(default)]
    staged: bool,
    #[serde(default)]
    paths: Vec<String>,
    context: Option<u32>,
}

fn diff_tool() -> Tool {
    tool(
        "diff",
        "Gives the patch between two sides, line by line: the working tree, what is staged, or \
         revisions. Untracked files are not part of it; `changes` lists them.",
        &comparison_with(json!({
            "paths": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Only these files or folders, relative to the top of the \
                                repository. No patterns.",
            },
            "context": {
                "type": "integer",
                "minimum": 0,
                "maximum": 1000,
                "description": "Unchanged lines shown around each change. Default: 3.",
            },
        })),
    )
}

async fn diff(git: &Git, args: DiffArgs) -> Result<CallToolResult, ToolError> {
    let comparison = Comparison {
        from: args.from,
        to: args.to,
        staged: args.staged,
    };
    let context = args.context.unwrap_or(3).min(1000);
    let patch = git.diff(&comparison, &args.paths, context).await?;
    Ok(CallToolResult::text(if patch.is_empty() {
        "no differences".to_owned()
    } else {
        patch
    }))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LogArgs {
    limit: Option<usize>,
    revision: Option<String>,
    path: Option<String>,
}

fn log_tool() -> Tool {
    tool(
        "log",
        "Lists the last commits, newest first: hash, author, date and subject.",
        &json!({
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_COMMITS,
                "description": "How many commits. Default: 10.",
            },
            "revision": {
                "type": "string",
                "description": "Where to begin. Default: what is checked out.",
            },
            "path": {
                "type": "string",
                "description": "Only commits that touch this file or folder.",
            },
        }),
    )
}

async fn log(git: &Git, args: LogArgs) -> Result<CallToolResult, ToolError> {
    let limit = args.limit.unwrap_or(10).clamp(1, MAX_COMMITS);
    let commits = git
        .log(args.revision.as_deref(), args.path.as_deref(), limit)
        .await?;
    Ok(structured(Rows::new("commits", &commits)?))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShowArgs {
    revision: Option<String>,
    path: Option<String>,
}

fn show_tool() -> Tool {
    tool(
        "show",
        "Shows one commit: its message and its patch.",
        &json!({
            "revision": {"type": "string", "description": "Default: what is checked out."},
            "path": {"type": "string", "description": "Only the patch of this file or folder."},
        }),
    )
}

async fn show(git: &Git, args: ShowArgs) -> Result<CallToolResult, ToolError> {
    let revision = args.revision.as_deref().unwrap_or("HEAD");
    Ok(CallToolResult::text(
        git.show(revision, args.path.as_deref()).await?,
    ))
}
