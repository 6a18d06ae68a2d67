//! The tools, resources and the prompt of the wiki server.

use std::fmt::Write as _;
use std::sync::Arc;

use mcp::protocol::{
    CallToolResult, Prompt, PromptArgument, Resource, ResourceTemplate, Tool, ToolAnnotations,
};
use mcp::server::{Context, RequestError, Server, TemplateError, ToolError};
use serde::Deserialize;
use serde_json::json;

use tokio::sync::Semaphore;

use super::folder::Wiki;
use crate::servers::rows::Rows;
use crate::servers::structured;

/// The most pages in one answer.
const MAX_HITS: usize = 50;
/// Searches that run at once: each holds all pages that it reads.
pub(super) const MAX_SEARCHES: usize = 2;
const MARKDOWN: &str = "text/markdown";

/// The server of a wiki. The list of its resources is that of the pages there are now; pages
/// that come later can be read by their address all the same.
///
/// # Errors
/// Never in fact: the one URI template is a constant.
pub(crate) fn server(wiki: Wiki) -> Result<Server, TemplateError> {
    let wiki = Arc::new(wiki);
    let mut builder = Server::builder("wiki", env!("CARGO_PKG_VERSION"))
        .instructions(format!(
            "The Markdown pages below {}. Search first, then read.",
            wiki.root().path().display()
        ))
        .tool(search_tool(), {
            let wiki = Arc::clone(&wiki);
            let turns = Arc::new(Semaphore::new(MAX_SEARCHES));
            move |args: SearchArgs, cx: Context| {
                search(Arc::clone(&wiki), Arc::clone(&turns), args, cx)
            }
        })
        .tool(read_tool(), {
            let wiki = Arc::clone(&wiki);
            move |args: PageArgs, _: Context| read(Arc::clone(&wiki), args)
        })
        .prompt(prompt(), {
            let wiki = Arc::clone(&wiki);
            move |args: PageArgs, _: Context| summarise(Arc::clone(&wiki), args)
        });
    for path in wiki.paths() {
        let resource = Resource::new(uri(&path), path.as_str())
            .with_title(wiki.title(&path))
            .with_mime_type(MARKDOWN);
        let wiki = Arc::clone(&wiki);
        builder = builder.resource(resource, move |_: Context| {
            page(Arc::clone(&wiki), path.clone())
        });
    }
    let template = ResourceTemplate::new("wiki:///{+path}", "page")
        .with_description("A page by its path below the wiki's folder.")
        .with_mime_type(MARKDOWN);
    let builder = builder.resource_template(template, move |vars, _: Context| {
        let path = vars.get("path").unwrap_or_default().to_owned();
        page(Arc::clone(&wiki), path)
    })?;
    Ok(builder.build())
}

/// Runs `work` where it may block, once it has its turn; the turn ends with the work, not with the
/// wait for it.
pub(super) async fn in_turn<R: Send + 'static>(
    turns: Arc<Semaphore>,
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R, ToolError> {
    let turn = turns.acquire_owned().await?;
    let worked = blocking(move || {
        let _turn = turn;
        work()
    });
    Ok(worked.await?)
}

/// Runs `work` where it may block.
async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R, tokio::task::JoinError> {
    tokio::task::spawn_blocking(work).await
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArgs {
    query: String,
    limit: Option<usize>,
}

fn search_tool() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for, in words."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_HITS,
                "description": "The most pages in the answer. Default: 5.",
            },
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    Tool::new("search_pages", schema)
        .with_description(
            "Searches the wiki for what it says about something. Gives the best pages, each with \
             the passage that fits best, and the words that the best page lacks.",
        )
        .with_annotations(ToolAnnotations::new().with_read_only_hint(true))
}

async fn search(
    wiki: Arc<Wiki>,
    turns: Arc<Semaphore>,
    args: SearchArgs,
    cx: Context,
) -> Result<CallToolResult, ToolError> {
    let limit = args.limit.unwrap_or(5).clamp(1, MAX_HITS);
    let cancelled = cx.cancellation().child_token();
    let running = cancelled.clone().drop_guard();
    let hits = in_turn(turns, move || wiki.search(&args.query, limit, &cancelled)).await?;
    running.disarm();
    Ok(structured(
        Rows::new("pages", &hits.pages)?.with("missing", hits.missing),
    ))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PageArgs {
    page: String,
}

fn read_tool() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "page": {"type": "string", "description": "The page's path, file name or title."},
        },
        "required": ["page"],
        "additionalProperties": false,
    });
    Tool::new("read_page", schema)
        .with_description("Reads a page of the wiki as Markdown.")
        .with_annotations(ToolAnnotations::new().with_read_only_hint(true))
}

async fn read(wiki: Arc<Wiki>, args: PageArgs) -> Result<String, ToolError> {
    let text = blocking(move || match wiki.find(&args.page) {
        Some(path) => wiki.text(&path).map_err(ToolError::from),
        None => Err(ToolError::new(format!(
            "the wiki has no page {:?}",
            args.page
        ))),
    });
    text.await?
}

fn prompt() -> Prompt {
    Prompt::new("summarise_page")
        .with_title("Summarise a page")
        .with_description("Asks for a summary of one page of the wiki.")
        .with_arguments(vec![
            PromptArgument::new("page")
                .with_description("The page's path, file name or title.")
                .with_required(true),
        ])
}

async fn summarise(wiki: Arc<Wiki>, args: PageArgs) -> Result<String, RequestError> {
    let found = blocking(move || {
        let path = wiki.find(&args.page)?;
        let text = wiki.text(&path).ok()?;
        Some((path, text))
    });
    let Some((path, text)) = found.await? else {
        return Err(RequestError::invalid_params("the wiki has no such page"));
    };
    Ok(format!(
        "Summarise this page of the wiki ({path}) in at most five sentences. Say only what the \
         page says.\n\n{text}"
    ))
}

/// The contents of the page at a path, for the resource of that name.
async fn page(wiki: Arc<Wiki>, path: String) -> Result<String, RequestError> {
    let text = blocking(move || {
        let is_page = wiki.paths().any(|known| known == path);
        is_page.then(|| wiki.text(&path))
    });
    let text = text.await?.ok_or_else(RequestError::not_found)?;
    text.map_err(|e| RequestError::invalid_params(e.to_string()))
}

/// The address of a page.
fn uri(path: &str) -> String {
    let mut uri = "wiki:///".to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
