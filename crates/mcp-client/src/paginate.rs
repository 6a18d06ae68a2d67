//! Lists in pages: one page, all of them, or a stream of them, with an end in any case.

use std::collections::HashSet;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use mcp_jsonrpc::ErrorCode;
use mcp_protocol::prompts::ListPrompts;
use mcp_protocol::resources::{ListResourceTemplates, ListResources};
use mcp_protocol::tasks::ListTasks;
use mcp_protocol::tools::ListTools;
use mcp_protocol::{
    CacheHint, Cursor, ListTasksResult, PaginatedParams, Prompt, Resource, ResourceTemplate,
    RpcRequest, Task, Tool,
};
use mcp_transport::BoxFuture;

use crate::error::PagesError;
use crate::{CallOptions, Error, Session};

/// One page of a list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Page<T> {
    /// What it holds.
    pub items: Vec<T>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<Cursor>,
    /// What the server sent that does not decode, a line each.
    pub skipped: Vec<String>,
    /// How long it may be kept. Since 2026-07-28.
    pub hint: CacheHint,
}

/// A whole list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listed<T> {
    /// What it holds, in the server's order.
    pub items: Vec<T>,
    /// What the server sent that does not decode, a line each.
    pub skipped: Vec<String>,
    /// How long it may be kept: as long as the page that ends first. Since 2026-07-28.
    pub hint: Option<CacheHint>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            skipped: Vec::new(),
            hint: None,
        }
    }
}

impl<T> Listed<T> {
    fn add(&mut self, mut page: Page<T>) {
        self.items.append(&mut page.items);
        self.skipped.append(&mut page.skipped);
        match &mut self.hint {
            Some(hint) => {
                hint.ttl = hint.ttl.min(page.hint.ttl);
                hint.shared &= page.hint.shared;
            }
            None => self.hint = Some(page.hint),
        }
    }
}

/// A method that answers with a list in pages.
pub trait Paged: RpcRequest<Params = PaginatedParams> {
    /// What the list holds.
    type Item: std::fmt::Debug + Send + Sync + 'static;

    /// Takes a result apart.
    fn page(result: Self::Result) -> Page<Self::Item>;
}

macro_rules! paged {
    ($($method:ident: $list:ident of $item:ty),+ $(,)?) => {
        $(impl Paged for $method {
            type Item = $item;

            fn page(result: Self::Result) -> Page<$item> {
                Page {
                    hint: result.cache_hint(),
                    items: result.$list,
                    next: result.next_cursor,
                    skipped: result.skipped,
                }
            }
        })+
    };
}

paged! {
    ListTools: tools of Tool,
    ListResources: resources of Resource,
    ListResourceTemplates: resource_templates of ResourceTemplate,
    ListPrompts: prompts of Prompt,
}

/// Tasks are not to be kept.
impl Paged for ListTasks {
    type Item = Task;

    fn page(result: ListTasksResult) -> Page<Task> {
        Page {
            hint: CacheHint::default(),
            items: result.tasks,
            next: result.next_cursor,
            skipped: result.skipped,
        }
    }
}

/// The pages of a walk, each asked for when the one before has been taken.
struct Pages<'a, T, F> {
    ask: F,
    /// `None` after the last one, or an error.
    asking: Option<Asking<'a, T>>,
}

type Asking<'a, T> = BoxFuture<'a, Result<Option<(Page<T>, Walk)>, Error>>;

impl<'a, T, F: Fn(Walk) -> Asking<'a, T>> Pages<'a, T, F> {
    fn new(ask: F) -> Self {
        let asking = Some(ask(Walk::default()));
        Self { ask, asking }
    }
}

impl<'a, T, F: Fn(Walk) -> Asking<'a, T> + Unpin> Stream for Pages<'a, T, F> {
    type Item = Result<Page<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(asking) = &mut self.asking else {
            return Poll::Ready(None);
        };
        let asked = ready!(asking.as_mut().poll(cx));
        self.asking = None;
        let page = asked.map(|asked| {
            let (page, walk) = asked?;
            self.asking = Some((self.ask)(walk));
            Some(page)
        });
        Poll::Ready(page.transpose())
    }
}

/// How many bytes all pages of a list may have.
const MAX_BYTES: usize = 64 << 20;

/// Where a walk over pages stands.
#[derive(Default)]
struct Walk {
    next: Option<Cursor>,
    seen: HashSet<Cursor>,
    pages: usize,
    entries: usize,
    bytes: usize,
    over: bool,
}

impl Session {
    /// One page of a list, from the beginning or from a cursor.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn page<R: Paged>(
        &self,
        cursor: Option<Cursor>,
        options: &CallOptions,
    ) -> Result<Page<R::Item>, Error> {
        let (page, _) = self.sized_page::<R>(cursor, options).await?;
        Ok(page)
    }

    async fn sized_page<R: Paged>(
        &self,
        cursor: Option<Cursor>,
        options: &CallOptions,
    ) -> Result<(Page<R::Item>, usize), Error> {
        let mut params = PaginatedParams::new();
        params.cursor = cursor;
        let (result, bytes) = self.request_sized::<R>(params, options).await?;
        Ok((R::page(result), bytes))
    }

    /// All pages of a list, one after another. The stream ends with the list, or with the first
    /// error: also when a cursor comes twice, and where the list is longer than
    /// [`max_pages`](crate::ClientOptions::max_pages) and
    /// [`max_entries`](crate::ClientOptions::max_entries) let it be.
    pub fn pages<R: Paged>(
        &self,
        options: CallOptions,
    ) -> impl Stream<Item = Result<Page<R::Item>, Error>> + Send + '_ {
        Pages::new(move |mut walk: Walk| {
            let options = options.clone();
            Box::pin(async move {
                let page = self.next_page::<R>(&mut walk, &options).await?;
                Ok(page.map(|page| (page, walk)))
            })
        })
    }

    /// The next page of a walk; `None` at its end.
    async fn next_page<R: Paged>(
        &self,
        walk: &mut Walk,
        options: &CallOptions,
    ) -> Result<Option<Page<R::Item>>, Error> {
        if walk.over {
            return Ok(None);
        }
        let (page, bytes) = self.sized_page::<R>(walk.next.take(), options).await?;
        walk.weigh(&R::METHOD, (page.items.len(), bytes), self.max_entries())?;
        walk.step(&R::METHOD, page.next.clone(), self.max_pages())?;
        Ok(Some(page))
    }

    /// A whole list. A cursor that the server no longer takes makes the walk begin anew, once.
    ///
    /// # Errors
    /// As [`request`](Self::request); [`Error::Pages`] if the list has no end.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn list<R: Paged>(&self, options: &CallOptions) -> Result<Listed<R::Item>, Error> {
        match self.walk::<R>(options).await {
            Err((e, pages)) if pages > 0 && has_expired(&e) => {
                self.walk::<R>(options).await.map_err(|(e, _)| e)
            }
            outcome => outcome.map_err(|(e, _)| e),
        }
    }

    /// Walks over all pages; an error comes with the number of pages before it.
    async fn walk<R: Paged>(
        &self,
        options: &CallOptions,
    ) -> Result<Listed<R::Item>, (Error, usize)> {
        let (mut list, mut walk) = (Listed::default(), Walk::default());
        loop {
            match self.next_page::<R>(&mut walk, options).await {
                Ok(Some(page)) => list.add(page),
                Ok(None) => return Ok(list),
                Err(error) => return Err((error, walk.pages)),
            }
        }
    }
}

/// Whether the server no longer takes a cursor of its own.
fn has_expired(error: &Error) -> bool {
    let error = error.remote();
    error.is_some_and(|error| error.code == ErrorCode::INVALID_PARAMS)
}

impl Walk {
    fn weigh(
        &mut self,
        method: &str,
        (entries, bytes): (usize, usize),
        limit: usize,
    ) -> Result<(), PagesError> {
        self.entries += entries;
        self.bytes += bytes;
        if self.entries > limit || self.bytes > MAX_BYTES {
            return Err(PagesError::TooLong {
                method: method.to_owned(),
                entries: self.entries,
                bytes: self.bytes,
            });
        }
        Ok(())
    }

    fn step(&mut self, method: &str, next: Option<Cursor>, limit: usize) -> Result<(), PagesError> {
        self.pages += 1;
        let method = || method.to_owned();
        let Some(cursor) = next else {
            self.over = true;
            return Ok(());
        };
        if !self.seen.insert(cursor.clone()) {
            return Err(PagesError::Repeated {
                method: method(),
                page: self.pages,
            });
        }
        if self.pages >= limit {
            return Err(PagesError::TooMany {
                method: method(),
                limit,
            });
        }
        self.next = Some(cursor);
        Ok(())
    }
}
