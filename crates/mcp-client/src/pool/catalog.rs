//! The resources and prompts of all servers.

use std::sync::Arc;

use mcp_interceptors::{Phase, ServerFailure};
use mcp_protocol::{
    GetPromptParams, GetPromptResult, Prompt, ReadResourceResult, Resource, ResourceTemplate,
    ServerCapabilities,
};
use mcp_transport::BoxFuture;

use super::ServerPool;
use super::error::PoolError;
use super::member::Member;
use crate::several::for_each;
use crate::{CallOptions, Error, Listed, Session};

/// What the servers of a pool have, and the servers that could not be asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Catalog<T> {
    /// What they have: in the order of the servers, then in each server's own.
    pub entries: Vec<Entry<T>>,
    /// The servers that could not be asked.
    pub failures: Vec<ServerFailure>,
}

/// Something that a server has.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry<T> {
    /// The server.
    pub server: Arc<str>,
    /// What it has.
    pub item: T,
}

type Lister<T> = fn(Session) -> BoxFuture<'static, Result<Arc<Listed<T>>, Error>>;

impl ServerPool {
    /// The resources of all servers. Servers without resources have none and are not asked.
    ///
    /// # Cancel safety
    /// Dropping the future gives the listing up; connections stay usable.
    pub async fn resources(&self) -> Catalog<Resource> {
        let list: Lister<Resource> = |s| Box::pin(async move { s.list_resources().await });
        self.catalog(|c| c.resources.is_some(), list).await
    }

    /// The templates of resources of all servers.
    ///
    /// # Cancel safety
    /// Dropping the future gives the listing up; connections stay usable.
    pub async fn resource_templates(&self) -> Catalog<ResourceTemplate> {
        let list: Lister<ResourceTemplate> =
            |s| Box::pin(async move { s.list_resource_templates().await });
        self.catalog(|c| c.resources.is_some(), list).await
    }

    /// The prompts of all servers. Servers without prompts have none and are not asked.
    ///
    /// # Cancel safety
    /// Dropping the future gives the listing up; connections stay usable.
    pub async fn prompts(&self) -> Catalog<Prompt> {
        let list: Lister<Prompt> = |s| Box::pin(async move { s.list_prompts().await });
        self.catalog(|c| c.prompts.is_some(), list).await
    }

    /// Reads a resource of a server.
    ///
    /// # Errors
    /// [`PoolError`].
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn read_resource(
        &self,
        server: &str,
        uri: &str,
        options: &CallOptions,
    ) -> Result<ReadResourceResult, PoolError> {
        let work = |session: Session| async move { session.read_resource(uri, options).await };
        self.member(server)?.with_session(true, work).await
    }

    /// Fills a prompt of a server in. Arguments that the server's list says are required are
    /// checked here first.
    ///
    /// # Errors
    /// [`PoolError`]; its source is [`Error::MissingArgument`], without a message, if one is
    /// missing.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn get_prompt(
        &self,
        server: &str,
        params: GetPromptParams,
        options: &CallOptions,
    ) -> Result<GetPromptResult, PoolError> {
        let work = |session: Session| {
            let params = params.clone();
            async move {
                check_arguments(&session, &params).await?;
                session.get_prompt(params, options).await
            }
        };
        self.member(server)?.with_session(true, work).await
    }

    async fn catalog<T: Clone + Send + Sync>(
        &self,
        offers: fn(&ServerCapabilities) -> bool,
        list: Lister<T>,
    ) -> Catalog<T> {
        let members = self.inner.members.values();
        let lists = for_each(usize::MAX, members, |member| ask(member, offers, list)).await;
        let (mut entries, mut failures) = (Vec::new(), Vec::new());
        for (member, list) in self.inner.members.values().zip(lists) {
            match list {
                Ok(list) => entries.extend(list.items.iter().map(|item| Entry {
                    server: Arc::clone(&member.name),
                    item: item.clone(),
                })),
                Err(error) => failures.push(error.failure(&member.name, Phase::List)),
            }
        }
        Catalog { entries, failures }
    }
}

async fn ask<T: Send + Sync>(
    member: &Arc<Member>,
    offers: fn(&ServerCapabilities) -> bool,
    list: Lister<T>,
) -> Result<Arc<Listed<T>>, PoolError> {
    let work = |session: Session| async move {
        if offers(session.capabilities()) {
            list(session).await
        } else {
            Ok(Arc::default())
        }
    };
    member.with_session(true, work).await
}

/// A list that cannot be had, or that lacks the prompt, says nothing against it.
async fn check_arguments(session: &Session, params: &GetPromptParams) -> Result<(), Error> {
    let Ok(list) = session.list_prompts().await else {
        return Ok(());
    };
    let Some(prompt) = list.items.iter().find(|prompt| prompt.name == params.name) else {
        return Ok(());
    };
    let given = |name: &str| {
        params
            .arguments
            .as_ref()
            .is_some_and(|a| a.contains_key(name))
    };
    let mut declared = prompt.arguments.iter().flatten();
    let missing =
        declared.find(|argument| argument.required == Some(true) && !given(&argument.name));
    match missing {
        None => Ok(()),
        Some(argument) => Err(Error::MissingArgument {
            prompt: prompt.name.clone(),
            argument: argument.name.clone(),
        }),
    }
}
