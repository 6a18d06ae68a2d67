//! A session that one caller holds: for servers whose state belongs to one conversation.

use std::sync::Arc;

use mcp_interceptors::{
    BoxFuture, CallError, Intercepted, Phase, ToolCall, ToolList, ToolOutcome, Toolset,
};

use super::ServerPool;
use super::error::PoolError;
use super::member::Member;
use super::{NamePolicy, toolset};
use crate::{Error, Session};

/// A session of its own with a server of a pool: nobody else's calls are on its connection, and
/// it is never replaced by another one. It ends when it is closed or dropped, not with the pool.
///
/// It is a toolset, with the pool's layers around its calls.
#[derive(Clone, Debug)]
pub struct HeldSession {
    session: Session,
    member: Arc<Member>,
    names: NamePolicy,
    /// Its tools with the pool's layers around them, if the pool has any.
    layered: Option<Arc<Intercepted>>,
}

impl ServerPool {
    /// Opens a session of its own with a server.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    ///
    /// # Cancel safety
    /// Dropping the future ends the connection.
    pub async fn hold(&self, server: &str) -> Result<HeldSession, PoolError> {
        let member = Arc::clone(self.member(server)?);
        let session = member.open().await?;
        let bare = HeldSession {
            session,
            member,
            names: self.inner.names,
            layered: None,
        };
        let layers = &self.inner.layers;
        let layered = (!layers.is_empty()).then(|| Arc::new(layers.around(Arc::new(bare.clone()))));
        Ok(HeldSession { layered, ..bare })
    }
}

impl HeldSession {
    /// The session.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// Ends the connection in good order.
    ///
    /// # Cancel safety
    /// Dropping the future ends the connection without waiting for it.
    pub async fn close(&self) {
        self.session.close().await;
    }

    async fn list(&self) -> ToolList {
        match toolset::list(&self.session).await {
            Ok(list) => {
                let tools = toolset::bind(&self.member.name, &list, self.names);
                ToolList::new(tools)
            }
            Err(error) => {
                let failed = self.member.failed(&self.session, error);
                let failure = failed.failure(&self.member.name, Phase::List);
                ToolList::new(Vec::new()).with_failures(vec![failure])
            }
        }
    }

    async fn run(&self, call: ToolCall) -> Result<ToolOutcome, CallError> {
        let server = call.server();
        if server != &*self.member.name {
            return Err(PoolError::UnknownServer {
                server: server.to_owned(),
                known: vec![self.member.name.as_ref().to_owned()],
            }
            .into());
        }
        let options = toolset::call_options(&call, &self.member.options.timeouts);
        let params = toolset::params(call)?;
        let result = self.session.call_tool(params, &options).await;
        let failed = |error: Error| self.member.failed(&self.session, error);
        Ok(result.map_err(failed)?.into())
    }
}

impl Toolset for HeldSession {
    fn tools(&self) -> BoxFuture<'_, ToolList> {
        match &self.layered {
            Some(layered) => layered.tools(),
            None => Box::pin(self.list()),
        }
    }

    fn list_version(&self) -> u64 {
        self.session.tools_version()
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome, CallError>> {
        if let Some(layered) = &self.layered {
            return layered.call(call);
        }
        let held = self.clone();
        Box::pin(async move { held.run(call).await })
    }
}
