//! The tools of the files server.

use std::path::Path;
use std::sync::Arc;

use mcp::protocol::{CallToolResult, ContentBlock, Tool, ToolAnnotations};
use mcp::server::{Context, Server, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::search::Wanted;
use super::{definitions, lines, search};
use crate::root::{EntryKind, Root, RootError};
use crate::servers::rows::Rows;
use crate::servers::structured;

/// The largest file that can be read, in bytes.
const MAX_READ: u64 = 16 * 1024 * 1024;
/// The most entries of a folder in one answer.
const MAX_LISTED: usize = 1_000;
/// The most matches and definitions in one answer.
const MAX_FOUND: usize = 1_000;

/// The longest name whose definition is looked for, in bytes.
const MAX_NAME: usize = 500;

/// Where to begin if the caller does not say: at the root.
const START: &str = ".";

/// The server of a folder.
pub(crate) fn server(root: Root) -> Server {
    let root = Arc::new(root);
    Server::builder("files", env!("CARGO_PKG_VERSION"))
        .instructions(format!(
            "Reads files below {}. Nothing else can be reached.",
            root.path().display()
        ))
        .tool(list_tool(), on(&root, |root, args, _| list(root, &args)))
        .tool(read_tool(), on(&root, |root, args, _| read(root, &args)))
        .tool(
            search_tool(),
            on(&root, |root, args, cancelled| {
                find_text(root, args, cancelled)
            }),
        )
        .tool(
            definition_tool(),
            on(&root, |root, args, cancelled| {
                find_name(root, &args, cancelled)
            }),
        )
        .build()
}

/// Runs `work` where it may block. A client that gives the call up ends it at the next file.
fn on<A: Send + 'static>(
    root: &Arc<Root>,
    work: fn(&Root, A, &CancellationToken) -> Result<CallToolResult, ToolError>,
) -> impl Fn(A, Context) -> mcp::transport::BoxFuture<'static, Result<CallToolResult, ToolError>>
+ Send
+ Sync
+ 'static {
    let root = Arc::clone(root);
    move |args, cx: Context| {
        let root = Arc::clone(&root);
        let cancelled = cx.cancellation().child_token();
        Box::pin(async move {
            let running = cancelled.clone().drop_guard();
            let done = tokio::task::spawn_blocking(move || work(&root, args, &cancelled)).await;
            running.disarm();
            done.map_err(ToolError::from)?
        })
    }
}

fn tool(name: &str, description: &str, properties: &Value, required: &[&str]) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    Tool::new(name, schema)
        .with_description(description)
        .with_annotations(ToolAnnotations::new().with_read_only_hint(true))
}

fn start_property() -> Value {
    json!({
        "type": "string",
        "description": "The folder to begin in, or one file, relative to the root. Default: the root.",
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArgs {
    path: Option<String>,
    #[serde(default)]
    offset: usize,
}

fn list_tool() -> Tool {
    tool(
        "list_directory",
        "Lists the files and folders in a directory, with their sizes in bytes.",
        &json!({
            "path": {
                "type": "string",
                "description": "The directory, relative to the root. Default: the root.",
            },
            "offset": {
                "type": "integer",
                "minimum": 0,
                "description": "How many entries to pass over. An answer has at most 1000.",
            },
        }),
        &[],
    )
}

fn list(root: &Root, args: &ListArgs) -> Result<CallToolResult, ToolError> {
    let path = args.path.as_deref().unwrap_or(START);
    let entries = root.entries(Path::new(path))?;
    let page: Vec<Value> = entries
        .iter()
        .skip(args.offset)
        .take(MAX_LISTED)
        .map(|entry| match entry.kind {
            EntryKind::File => json!({"name": entry.name, "kind": "file", "size": entry.size}),
            EntryKind::Folder => json!({"name": entry.name, "kind": "folder"}),
            EntryKind::Link => json!({"name": entry.name, "kind": "link"}),
            EntryKind::Other => json!({"name": entry.name, "kind": "other"}),
        })
        .collect();
    let next = args.offset + page.len();
    let mut rows = Rows::new("entries", &page)?.with("total", entries.len());
    if next < entries.len() && !page.is_empty() {
        rows = rows.with("next_offset", next);
    }
    Ok(structured(rows))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadArgs {
    path: String,
    first_line: Option<usize>,
    last_line: Option<usize>,
}

fn read_tool() -> Tool {
    let line = |which| json!({"type": "integer", "minimum": 1, "description": which});
    tool(
        "read_file",
        "Reads a text file, or a range of its lines.",
        &json!({
            "path": {"type": "string", "description": "The file, relative to the root."},
            "first_line": line("The first line to read, from 1."),
            "last_line": line("The last line to read. An answer has at most 2000 lines."),
        }),
        &["path"],
    )
}

fn read(root: &Root, args: &ReadArgs) -> Result<CallToolResult, ToolError> {
    let text = root.text(Path::new(&args.path), MAX_READ)?;
    let part = lines::part(&text, args.first_line, args.last_line).map_err(ToolError::new)?;
    let mut content = vec![ContentBlock::text(part.text)];
    content.extend(part.note.map(ContentBlock::text));
    Ok(CallToolResult::new(content))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArgs {
    text: String,
    path: Option<String>,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    whole_words: bool,
    limit: Option<usize>,
}

fn limit_property(default: usize) -> Value {
    json!({
        "type": "integer",
        "minimum": 1,
        "maximum": MAX_FOUND,
        "description": format!("The most results in the answer. Default: {default}."),
    })
}

fn search_tool() -> Tool {
    tool(
        "search_text",
        "Searches all text files for lines that hold a text. Files that .gitignore hides are left \
         out, and files over 4 MiB, which files_too_large counts.",
        &json!({
            "text": {"type": "string", "description": "The text, as it stands. No pattern."},
            "path": start_property(),
            "ignore_case": {"type": "boolean", "description": "Default: false."},
            "whole_words": {"type": "boolean", "description": "Default: false."},
            "limit": limit_property(100),
        }),
        &["text"],
    )
}

fn find_text(
    root: &Root,
    args: SearchArgs,
    cancelled: &CancellationToken,
) -> Result<CallToolResult, ToolError> {
    if args.text.is_empty() || args.text.contains('\n') {
        return Err(ToolError::new(
            "the text must be within one line, and not empty",
        ));
    }
    let path = below(root, args.path.as_deref())?;
    let wanted = Wanted {
        text: args.text,
        ignore_case: args.ignore_case,
        whole_words: args.whole_words,
        limit: args.limit.unwrap_or(100).clamp(1, MAX_FOUND),
    };
    let found = search::search(root, &path, &wanted, cancelled);
    let rows = Rows::new("matches", &found.matches)?.with("complete", !found.is_cut);
    Ok(structured(counted(rows, found.too_large)))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DefinitionArgs {
    name: String,
    path: Option<String>,
    limit: Option<usize>,
}

fn definition_tool() -> Tool {
    tool(
        "find_definition",
        "Finds where a name is defined in the source: functions, methods, types, constants and \
         others, in many languages. Without a definition, some places where it is mentioned.",
        &json!({
            "name": {"type": "string", "description": "The name, also `Type::name` or `Type.name`."},
            "path": start_property(),
            "limit": limit_property(50),
        }),
        &["name"],
    )
}

fn find_name(
    root: &Root,
    args: &DefinitionArgs,
    cancelled: &CancellationToken,
) -> Result<CallToolResult, ToolError> {
    let name = args.name.trim();
    if name.is_empty() || name.len() > MAX_NAME || name.contains('\n') {
        return Err(ToolError::new(
            "the name must be within one line, not empty, and not longer than names are",
        ));
    }
    let path = below(root, args.path.as_deref())?;
    let limit = args.limit.unwrap_or(50).clamp(1, MAX_FOUND);
    let found = definitions::find(root, name, &path, limit, cancelled);
    let mut rows = Rows::new("definitions", &found.definitions)?.with("complete", !found.is_cut);
    if !found.mentions.is_empty() {
        rows = rows.with("mentions", serde_json::to_value(&found.mentions)?);
    }
    Ok(structured(counted(rows, found.too_large)))
}

/// The same result, which says how many files were not looked at for their size.
fn counted(rows: Rows, too_large: usize) -> Rows {
    match too_large {
        0 => rows,
        n => rows.with("files_too_large", n),
    }
}

/// The folder to begin in, or the one file to look at, relative to the root.
fn below(root: &Root, path: Option<&str>) -> Result<String, RootError> {
    let path = Path::new(path.unwrap_or(START));
    if root.file(path).is_err() {
        root.entries(path)?;
    }
    root.relative(path)
}
