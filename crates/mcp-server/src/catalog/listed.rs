//! Entries by name in the order of their registration, and the pages that list them.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use mcp_jsonrpc::{ErrorObject, IdHasher};
use mcp_protocol::{CacheScope, Cursor, ProtocolVersion, RequestContext, Stamp};
use serde::{Deserialize, Serialize};

use crate::catalog::PerVersion;
use crate::dispatch::{self, Answer, Call};
use crate::server::Shared;

/// Something that has a name and is listed.
pub(crate) trait Entry {
    type Result: Stamp + Serialize;

    fn key(&self) -> &str;
    fn list<'a>(
        entries: impl Iterator<Item = &'a Self>,
        next_cursor: Option<Cursor>,
        version: ProtocolVersion,
    ) -> Self::Result
    where
        Self: 'a;
}

/// How lists are cut and how long they may be kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListSettings {
    /// The most entries on a page; at least 1.
    pub(crate) page_size: usize,
    pub(crate) ttl_ms: u64,
}

/// The entries of one kind.
pub(crate) struct Listed<E> {
    entries: Vec<Arc<E>>,
    places: HashMap<Box<str>, usize, BuildHasherDefault<IdHasher>>,
    pages: Vec<PerVersion>,
    settings: ListSettings,
    /// Tells apart cursors of lists with other entries.
    fingerprint: u64,
}

impl<E: Entry> Listed<E> {
    /// The entries have different names.
    pub(crate) fn new(entries: Vec<Arc<E>>, settings: ListSettings) -> Self {
        let places = entries
            .iter()
            .enumerate()
            .map(|(place, entry)| (entry.key().into(), place))
            .collect();
        let mut hasher = DefaultHasher::new();
        settings.page_size.hash(&mut hasher);
        entries
            .iter()
            .for_each(|entry| entry.key().hash(&mut hasher));
        let pages = entries.len().div_ceil(settings.page_size).max(1);
        Self {
            pages: std::iter::repeat_with(PerVersion::default)
                .take(pages)
                .collect(),
            fingerprint: hasher.finish(),
            entries,
            places,
            settings,
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<E>> {
        self.entries.get(*self.places.get(name)?)
    }

    pub(crate) fn entries(&self) -> &[Arc<E>] {
        &self.entries
    }

    /// Whether it has other entries, or the same in another order.
    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        let same = |(a, b): (&Arc<E>, &Arc<E>)| Arc::ptr_eq(a, b);
        self.entries.len() != other.entries.len()
            || !self.entries.iter().zip(&other.entries).all(same)
    }

    /// Answers a request for a page of the list.
    pub(crate) fn page(&self, server: &Shared, call: &Call) -> Answer {
        #[derive(Deserialize)]
        struct Params {
            #[serde(default)]
            cursor: Option<Cursor>,
        }
        let raw = dispatch::params_of(call);
        let Params { cursor } = dispatch::decode(&raw, &call.message.method)?;
        let number = cursor.map_or(Some(0), |cursor| self.read_cursor(cursor.as_str()));
        let page = number.and_then(|number| Some((number, self.pages.get(number)?)));
        let Some((number, page)) = page else {
            return Err(ErrorObject::invalid_params(
                "the cursor is not one of this list, or the list has changed: start again without",
            ));
        };
        page.get(call.context.version, || {
            self.write(number, server, &call.context)
        })
    }

    fn write(&self, number: usize, server: &Shared, context: &RequestContext) -> Answer {
        let size = self.settings.page_size;
        let entries = self.entries.iter().skip(number * size).take(size);
        let more = number + 1 < self.pages.len();
        let next_cursor = more.then(|| self.write_cursor(number + 1));
        let mut result = E::list(entries.map(Arc::as_ref), next_cursor, context.version);
        if let Some((ttl_ms, scope)) = result.cache_mut() {
            *ttl_ms = Some(self.settings.ttl_ms);
            // Every client is shown the same list.
            *scope = Some(CacheScope::Public);
        }
        dispatch::reply(result, server, context)
    }

    fn write_cursor(&self, page: usize) -> Cursor {
        format!("{page}.{:016x}", self.fingerprint).into()
    }

    fn read_cursor(&self, cursor: &str) -> Option<usize> {
        let (page, fingerprint) = cursor.split_once('.')?;
        let same = u64::from_str_radix(fingerprint, 16) == Ok(self.fingerprint);
        page.parse().ok().filter(|_| same)
    }
}

impl<E: Entry> fmt::Debug for Listed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.entries.iter().map(|entry| entry.key());
        f.debug_list().entries(names).finish()
    }
}
