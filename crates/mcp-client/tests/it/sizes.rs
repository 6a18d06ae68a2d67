//! How large the futures of calls are: whoever spawns a call, or puts a time limit around it,
//! copies its future.

use mcp_client::{CallOptions, ServerPool};
use mcp_protocol::tools::ListTools;
use mcp_protocol::{CallToolParams, PaginatedParams, ProtocolVersion};

use crate::connects::session;
use crate::session::library;

#[tokio::test]
async fn what_is_rare_does_not_make_the_future_of_a_call_large() {
    let session = session(library(), ProtocolVersion::LATEST).await;
    let pool = ServerPool::builder().build();
    let options = CallOptions::new();
    let params = || CallToolParams::new("echo");
    let call = size_of_val(&session.call_tool(params(), &options));
    let pooled = size_of_val(&pool.call_tool("library", params(), &options));
    let task = size_of_val(&session.call_tool_task(params(), &options));
    let request = size_of_val(&session.request::<ListTools>(PaginatedParams::new()));
    for (what, size, most) in [
        ("a call", call, 1280),
        ("a call of a pool", pooled, 2432),
        ("a call that may become a task", task, 1536),
        ("a request", request, 896),
    ] {
        assert!(size <= most, "{what} takes {size} bytes");
    }
}
