//! The tools of all servers of a pool, as one toolset.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use mcp_interceptors::{
    BoundTool, BoxFuture, CallError, Phase, Report, Reports, ServerFailure, ToolCall, ToolList,
    ToolOutcome, Toolset,
};
use mcp_protocol::{CallToolParams, ProgressParams, Tool};
use mcp_transport::{ProgressSink, Timeouts};

use super::ServerPool;
use super::member::Member;
use super::names::{NamePolicy, unused};
use crate::several::for_each;
use crate::{CallOptions, Error, Listed, Session};

/// The tools as they were bound last, so that a list which has not changed is not built again.
#[derive(Debug, Default)]
pub(super) struct Table(Mutex<Vec<Bound>>);

#[derive(Debug)]
struct Bound {
    server: Arc<str>,
    list: Arc<Listed<Tool>>,
    tools: Vec<Arc<BoundTool>>,
}

impl ServerPool {
    /// The tools of all servers, in the order of the servers. A server without tools has none; a
    /// server that cannot be asked is named among the failures and hides nobody else's tools.
    ///
    /// # Cancel safety
    /// Dropping the future gives the listing up; connections stay usable.
    pub async fn tools(&self) -> ToolList {
        match &self.layered {
            Some(layered) => layered.tools().await,
            None => self.bare_tools().await,
        }
    }

    async fn bare_tools(&self) -> ToolList {
        let members = self.inner.members.values();
        let ask = |member| async move {
            let member: &Arc<Member> = member;
            let work = |session: Session| async move { list(&session).await };
            member.with_session(true, work).await
        };
        let lists = for_each(usize::MAX, members, ask).await;
        let mut failures = Vec::new();
        let mut bound = Vec::new();
        for (member, list) in self.inner.members.values().zip(lists) {
            match list {
                Ok(list) => bound.push((Arc::clone(&member.name), list)),
                Err(error) => failures.push(error.failure(&member.name, Phase::List)),
            }
        }
        let tools = self
            .inner
            .table
            .bind(&bound, self.inner.names, &mut failures);
        ToolList::new(tools).with_failures(failures)
    }
}

impl Toolset for ServerPool {
    fn tools(&self) -> BoxFuture<'_, ToolList> {
        Box::pin(Self::tools(self))
    }

    /// Is another number when a server has announced a change, the time of a list is over, or a
    /// connection was replaced.
    fn list_version(&self) -> u64 {
        let members = self.inner.members.values();
        let mix = |sum: u64, version: u64| sum.wrapping_mul(0x100_0000_01b3).wrapping_add(version);
        members.map(|member| member.tools_version()).fold(0, mix)
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        if let Some(layered) = &self.layered {
            return layered.call(call);
        }
        let pool = self.clone();
        Box::pin(async move { pool.bare_call(call).await })
    }
}

impl ServerPool {
    async fn bare_call(&self, call: ToolCall) -> Result<ToolOutcome, CallError> {
        let member = self.member(call.server())?;
        let repeatable = member.options.trusted && is_repeatable(call.tool().tool());
        let options = Arc::new(call_options(&call, &member.options.timeouts));
        let params = params(call)?;
        let work = |session: Session| {
            let (params, options) = (params.clone(), Arc::clone(&options));
            async move { session.call_tool(params, &options).await }
        };
        Ok(member.with_session(repeatable, work).await?.into())
    }
}

/// The tools of one server; none where it does not offer tools.
pub(super) async fn list(session: &Session) -> Result<Arc<Listed<Tool>>, Error> {
    if session.capabilities().tools.is_none() {
        return Ok(Arc::default());
    }
    session.list_tools().await
}

/// A server that is believed says that running it twice is as good as once.
fn is_repeatable(tool: &Tool) -> bool {
    tool.annotations
        .as_ref()
        .is_some_and(|hints| hints.is_read_only() || hints.is_idempotent())
}

pub(super) fn params(call: ToolCall) -> Result<CallToolParams, CallError> {
    let params = CallToolParams::new(call.name());
    params.with_arguments(&call.into_args()).map_err(|e| {
        CallError::new(
            mcp_interceptors::CallErrorKind::InvalidArguments,
            "the arguments cannot be written as JSON",
        )
        .with_source(e)
    })
}

pub(super) fn call_options(call: &ToolCall, usual: &Timeouts) -> CallOptions {
    let mut options = CallOptions::new();
    options.headers.clone_from(call.headers());
    options.removed_headers = call.removed_headers().to_vec();
    options.meta.clone_from(call.meta());
    // A call that was redirected is of another tool.
    let tool = call.tool().tool();
    options.tool = (tool.name == call.name()).then(|| Arc::clone(tool));
    options.timeouts = call.timeout().map(|limit| {
        let mut timeouts = *usual;
        timeouts.idle = Some(timeouts.idle.map_or(limit, |idle| idle.min(limit)));
        timeouts.total = Some(limit);
        timeouts
    });
    if !call.extensions().is_empty() {
        options.extensions = Arc::new(call.extensions().clone());
    }
    options.progress = call.extensions().get::<Reports>().cloned().map(|reports| {
        ProgressSink::new(move |progress| {
            // The token is an affair of the connection; reports are told apart by their taker.
            let mut params = ProgressParams::new("", progress.progress);
            params.total = progress.total;
            params.message = progress.message;
            reports.report(Report::Progress(params));
        })
    });
    options
}

impl Table {
    fn bind(
        &self,
        lists: &[(Arc<str>, Arc<Listed<Tool>>)],
        names: NamePolicy,
        failures: &mut Vec<ServerFailure>,
    ) -> Vec<Arc<BoundTool>> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (server, list) in lists {
            let known = table.iter().position(|bound| bound.server == *server);
            match known.and_then(|at| table.get_mut(at)) {
                Some(bound) if Arc::ptr_eq(&bound.list, list) => {}
                Some(bound) => bound.renew(list, names),
                None => table.push(Bound::new(server, list, names)),
            }
        }
        let of = |server: &Arc<str>| table.iter().find(|bound| bound.server == *server);
        let bound = lists.iter().filter_map(|(server, _)| of(server));
        let tools: Vec<_> = bound
            .flat_map(|bound| bound.tools.iter().cloned())
            .collect();
        match names {
            NamePolicy::Plain => without_clashes(&tools, failures),
            NamePolicy::Prefixed => renamed(tools),
        }
    }
}

impl Bound {
    fn new(server: &Arc<str>, list: &Arc<Listed<Tool>>, names: NamePolicy) -> Self {
        Self {
            server: Arc::clone(server),
            list: Arc::clone(list),
            tools: bind(server, list, names),
        }
    }

    /// Takes a newer list, and says what is different.
    fn renew(&mut self, list: &Arc<Listed<Tool>>, names: NamePolicy) {
        let next = Self::new(&self.server, list, names);
        let missing = |of: &Self, from: &Self| -> Vec<String> {
            let known: HashSet<&str> = from.tools.iter().map(|tool| tool.name()).collect();
            let tools = of.tools.iter().map(|tool| tool.name());
            tools
                .filter(|name| !known.contains(name))
                .map(str::to_owned)
                .collect()
        };
        let (gone, new) = (missing(self, &next), missing(&next, self));
        if !gone.is_empty() || !new.is_empty() {
            tracing::info!(
                server = &*self.server,
                ?gone,
                ?new,
                "the tools have changed"
            );
        }
        *self = next;
    }
}

/// Names the tools of a server.
pub(super) fn bind(
    server: &Arc<str>,
    list: &Listed<Tool>,
    names: NamePolicy,
) -> Vec<Arc<BoundTool>> {
    for skipped in &list.skipped {
        tracing::warn!(
            server = &**server,
            skipped,
            "a tool that cannot be read is left out"
        );
    }
    let mut tools = Vec::with_capacity(list.items.len());
    let mut seen = HashSet::new();
    for tool in &list.items {
        if !seen.insert(&tool.name) {
            tracing::warn!(
                server = &**server,
                tool = tool.name,
                "a tool is listed twice"
            );
            continue;
        }
        let name = names.name(server, &tool.name);
        let tool = BoundTool::new(name, Arc::clone(server), tool.clone());
        tools.push(Arc::new(tool));
    }
    tools
}

/// Gives a tool whose name is in use another one. Hashes make that all but impossible.
fn renamed(tools: Vec<Arc<BoundTool>>) -> Vec<Arc<BoundTool>> {
    let mut used = HashSet::with_capacity(tools.len());
    let rename = |tool: Arc<BoundTool>| {
        if used.insert(tool.name().to_owned()) {
            return tool;
        }
        let (server, inner) = (tool.server(), tool.tool());
        let name = unused(tool.name(), (server, &inner.name), |n| used.contains(n));
        used.insert(name.clone());
        Arc::new(BoundTool::new(name, Arc::clone(server), Arc::clone(inner)))
    };
    tools.into_iter().map(rename).collect()
}

/// Leaves out the tools whose name another server uses too, and says so.
fn without_clashes(
    tools: &[Arc<BoundTool>],
    failures: &mut Vec<ServerFailure>,
) -> Vec<Arc<BoundTool>> {
    let mut owners: HashMap<&str, Vec<&Arc<str>>> = HashMap::new();
    for tool in tools {
        owners.entry(tool.name()).or_default().push(tool.server());
    }
    let clashes: Vec<String> = owners
        .iter()
        .filter(|(_, servers)| servers.len() > 1)
        .map(|(name, _)| (*name).to_owned())
        .collect();
    for name in &clashes {
        let servers = owners.get(&**name).map(Vec::as_slice).unwrap_or_default();
        let servers: Vec<&str> = servers.iter().map(|server| &***server).collect();
        let message = format!(
            "the tool name `{name}` is used by {}",
            servers.join(" and ")
        );
        let last = servers.last().copied().unwrap_or_default();
        failures.push(ServerFailure::new(last, Phase::List, message));
    }
    let clashing = |tool: &Arc<BoundTool>| clashes.iter().any(|name| name == tool.name());
    let kept: Vec<_> = tools
        .iter()
        .filter(|tool| !clashing(tool))
        .cloned()
        .collect();
    kept
}
