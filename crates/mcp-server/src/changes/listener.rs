//! One listening request: what it wants, and what has happened since it was last told.

use std::collections::BTreeSet;
use std::sync::Mutex;

use mcp_protocol::SubscriptionFilter;
use tokio::sync::Notify;

use super::{Change, lock};

/// What a listening request is told next.
///
/// The same change twice is news once, so a client that is slow to read never has more to read
/// than its filter is long.
#[derive(Debug, Default)]
pub(crate) struct News {
    tools: bool,
    prompts: bool,
    resources: bool,
    updated: BTreeSet<String>,
    tasks: BTreeSet<String>,
    /// No more will come.
    pub(crate) over: bool,
}

impl News {
    pub(crate) fn changes(&self) -> impl Iterator<Item = Change<'_>> {
        let lists = [
            (self.tools, Change::Tools),
            (self.prompts, Change::Prompts),
            (self.resources, Change::Resources),
        ];
        lists
            .into_iter()
            .filter_map(|(changed, change)| changed.then_some(change))
            .chain(self.updated.iter().map(|uri| Change::Updated(uri)))
            .chain(self.tasks.iter().map(|id| Change::Task(id)))
    }

    fn is_empty(&self) -> bool {
        !self.over && self.changes().next().is_none()
    }
}

/// A `subscriptions/listen` request under way.
#[derive(Debug)]
pub(crate) struct Listener {
    wanted: SubscriptionFilter,
    news: Mutex<News>,
    noted: Notify,
}

impl Listener {
    pub(crate) fn new(wanted: SubscriptionFilter) -> Self {
        Self {
            wanted,
            news: Mutex::default(),
            noted: Notify::new(),
        }
    }

    pub(super) fn note(&self, change: Change<'_>) {
        let wanted = &self.wanted;
        let mut news = lock(&self.news);
        match change {
            Change::Tools => news.tools |= wanted.tools_list_changed == Some(true),
            Change::Prompts => news.prompts |= wanted.prompts_list_changed == Some(true),
            Change::Resources => news.resources |= wanted.resources_list_changed == Some(true),
            Change::Updated(uri) if contains(wanted.resource_subscriptions.as_ref(), uri) => {
                news.updated.insert(uri.to_owned());
            }
            Change::Task(id) if contains(wanted.task_ids.as_ref(), id) => {
                news.tasks.insert(id.to_owned());
            }
            Change::Updated(_) | Change::Task(_) => {}
        }
        if !news.is_empty() {
            self.noted.notify_one();
        }
    }

    pub(super) fn close(&self) {
        lock(&self.news).over = true;
        self.noted.notify_one();
    }

    /// Waits for news.
    pub(crate) async fn news(&self) -> News {
        loop {
            let news = std::mem::take(&mut *lock(&self.news));
            if !news.is_empty() {
                return news;
            }
            self.noted.notified().await;
        }
    }
}

fn contains(wanted: Option<&Vec<String>>, name: &str) -> bool {
    wanted.is_some_and(|wanted| wanted.iter().any(|wanted| wanted == name))
}
