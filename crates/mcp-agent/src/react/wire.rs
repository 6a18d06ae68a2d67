//! The agent's graph: its nodes, its hooks, and the ways between them.

use std::sync::Arc;

use mcp_interceptors::Goto;

use super::hook::{Hook, HookNode, When};
use super::model_node::ModelNode;
use super::route::{DISPATCH, MODEL, STOP, TOOLS, after_model, after_tools};
use super::settings::Settings;
use super::state::{ReactState, ReactUpdate};
use super::stop_node::stop;
use super::tool_node::ToolNode;
use crate::graph::{CompiledGraph, END, Graph, NodeError, NodeOptions, Retry, START};
use crate::{Error, Runtime};

/// Puts the graph together.
pub(crate) fn wire(
    initial: ReactState,
    settings: &Arc<Settings>,
    retry: Option<Retry>,
    hooks: &[Hook],
) -> Result<CompiledGraph<ReactState>, Error> {
    let names = |when: When| hooks.iter().filter(move |hook| hook.when == when);
    let in_order = |when| -> Vec<String> { names(when).map(|hook| hook.name.clone()).collect() };
    let reversed = |when| in_order(when).into_iter().rev().collect::<Vec<_>>();
    let (first, before) = (in_order(When::BeforeAgent), in_order(When::BeforeModel));
    let (after, last) = (reversed(When::AfterModel), reversed(When::AfterAgent));

    let entry = before.first().map_or(MODEL, String::as_str).to_owned();
    let exit = last.first().cloned().map_or(Goto::End, Goto::Node);
    // Deferred: what a command asks for besides the end comes before the end.
    let exit_name = last.first().map_or(END, String::as_str).to_owned();

    let mut asking = NodeOptions::new();
    asking.retry = retry;
    let calling = NodeOptions::new().goto_replaces_edges();
    let tool_node = ToolNode {
        settings: Arc::clone(settings),
        exit: Arc::new(exit.clone()),
    };
    let stopping = Arc::clone(settings);
    let stop_node =
        move |state: Arc<ReactState>, _: Runtime| std::future::ready(Ok(stop(&stopping, &state)));
    let mut graph = Graph::with_state(initial)
        .node_with(MODEL, asking, ModelNode(Arc::clone(settings)))
        .node_with(TOOLS, calling.clone(), tool_node)
        .node(STOP, stop_node)
        .edge(STOP, exit_name.clone());
    for hook in hooks {
        let node = HookNode::new(hook, &exit, &entry);
        let mut options = calling.clone();
        options.defer = hook.name == exit_name;
        graph = graph.node_with(hook.name.clone(), options, node);
    }
    let start = [START.to_owned()].into_iter();
    let inward = start.chain(first).chain(before).chain([MODEL.to_owned()]);
    graph = linked(graph, inward);
    graph = linked(graph, [MODEL.to_owned()].into_iter().chain(after.clone()));
    graph = linked(graph, last.into_iter().chain([END.to_owned()]));

    let asked = after.last().map_or(MODEL, String::as_str).to_owned();
    let mut dispatching = vec![asked];
    if !hooks.is_empty() {
        graph = graph.node(DISPATCH, |_: Arc<ReactState>, _: Runtime| async {
            Ok::<_, NodeError>(ReactUpdate::default())
        });
        dispatching.push(DISPATCH.to_owned());
    }
    for from in dispatching {
        let exit = exit.clone();
        let entry = entry.clone();
        let among = [TOOLS.to_owned(), entry.clone(), exit_name.clone()];
        graph = graph.route_among(from, among, move |state| {
            after_model(state, (&entry, &exit))
        });
    }
    let deciding = Arc::clone(settings);
    let among = [entry.clone(), STOP.to_owned(), exit_name];
    graph
        .route_among(TOOLS, among, move |state| {
            after_tools(state, &deciding, (&entry, &exit))
        })
        .compile()
}

/// An edge from each to the next.
fn linked(mut graph: Graph<ReactState>, names: impl Iterator<Item = String>) -> Graph<ReactState> {
    let names: Vec<String> = names.collect();
    for (from, to) in names.iter().zip(names.iter().skip(1)) {
        graph = graph.edge(from, to);
    }
    graph
}
