//! The names by which models know tools.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_client::{NamePolicy, ServerOptions, ServerPool};
use mcp_interceptors::{JsonMap, ToolCall, Toolset};
use mcp_protocol::lifecycle::Preference;
use serde_json::{Value, json};

use crate::connects::{Scripted, welcome};

/// A server that lists tools of these names on two pages and, when one is called, says its name.
fn lists(names: &[String]) -> Arc<Scripted> {
    let names = names.to_vec();
    Scripted::new(move |_, mut peer| {
        let names = names.clone();
        async move {
            welcome(&mut peer, &json!({"tools": {}})).await;
            while let Some(message) = peer.receive().await {
                let result = match message["method"].as_str() {
                    Some("tools/list") => page(&names, message["params"]["cursor"].as_str()),
                    Some("tools/call") => {
                        let text = &message["params"]["name"];
                        json!({"content": [{"type": "text", "text": text}]})
                    }
                    _ => continue,
                };
                peer.answer(&message, result).await;
            }
        }
    })
}

fn page(names: &[String], cursor: Option<&str>) -> Value {
    let (first, second) = names.split_at(names.len() / 2);
    let (names, next) = match cursor {
        None => (first, Some("2")),
        Some(_) => (second, None),
    };
    let tool = |name: &String| json!({"name": name, "inputSchema": {"type": "object"}});
    let mut page = json!({"tools": names.iter().map(tool).collect::<Vec<_>>()});
    if let Some(next) = next {
        page["nextCursor"] = next.into();
    }
    page
}

/// Names that providers refuse, that become alike, or that are too long.
fn awkward() -> Vec<String> {
    let long = "n".repeat(127);
    let mut names: Vec<String> = [
        "admin.tools.list",
        "admin_tools_list",
        "数据库",
        "a/b",
        "",
        "search",
    ]
    .map(ToOwned::to_owned)
    .to_vec();
    names.extend([
        format!("{long}x"),
        format!("{long}y"),
        "t".repeat(61),
        "a/b".to_owned(),
    ]);
    names
}

fn pool(names: &[String], policy: NamePolicy) -> ServerPool {
    let options = || ServerOptions::new().with_preference(Preference::Handshake);
    ServerPool::builder()
        .names(policy)
        .server_with("one", lists(names), options())
        .server_with("two", lists(&["search".to_owned()]), options())
        .build()
}

/// The names that models see, with the server and the tool that each stands for.
async fn shown(pool: &ServerPool) -> BTreeMap<String, (String, String)> {
    let list = pool.tools().await;
    let count = list.tools.len();
    let of = |tool: Arc<mcp_interceptors::BoundTool>| {
        let target = (tool.server().to_string(), tool.tool().name.clone());
        (tool.name().to_owned(), target)
    };
    let names: BTreeMap<_, _> = list.tools.into_iter().map(of).collect();
    assert_eq!(names.len(), count, "no name stands for two tools");
    names
}

#[tokio::test]
async fn i05_every_name_is_one_for_providers_its_own_and_leads_back_exactly() {
    let names = awkward();
    let pool = pool(&names, NamePolicy::Prefixed);
    let shown = shown(&pool).await;
    let distinct: BTreeSet<_> = names.iter().collect();
    assert_eq!(
        shown.len(),
        distinct.len() + 1,
        "each tool once, and the other server's"
    );
    for name in shown.keys() {
        assert!((1..=64).contains(&name.len()), "{name}");
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
        assert!(name.bytes().all(plain), "{name}");
    }
    for tool in pool.tools().await.tools {
        let expected = tool.tool().name.clone();
        let call = ToolCall::new(tool, JsonMap::new());
        let outcome = Toolset::call(&pool, call).await.unwrap();
        assert_eq!(outcome.text(), expected);
    }
}

#[tokio::test]
async fn i05_names_are_the_same_in_every_order() {
    let mut names = awkward();
    let forward = shown(&pool(&names, NamePolicy::Prefixed)).await;
    names.reverse();
    let backward = shown(&pool(&names, NamePolicy::Prefixed)).await;
    assert_eq!(forward, backward);
}

#[tokio::test]
async fn a21_without_prefix_a_clash_names_both_servers_and_hurts_nobody_else() {
    let pool = pool(&awkward(), NamePolicy::Plain);
    let list = pool.tools().await;
    assert!(list.tools.iter().all(|tool| tool.tool().name != "search"));
    assert!(
        list.tools
            .iter()
            .any(|tool| tool.name() == "admin_tools_list")
    );
    let clash = &list.failures[0].message;
    assert!(
        clash.contains("`search`") && clash.contains("one and two"),
        "{clash}"
    );
}
