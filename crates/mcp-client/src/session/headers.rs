//! The HTTP headers of a call where there is no HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::HeaderMap;
use mcp_protocol::RequestMeta;
use serde_json::{Map, Value};

/// What becomes of the headers of a call where there is no HTTP.
#[derive(Debug, Default)]
pub(super) struct WithoutHttp {
    key: Option<Arc<str>>,
    warned: AtomicBool,
}

impl WithoutHttp {
    /// They go into `_meta` under this key, if there is one.
    pub(super) fn new(key: Option<Arc<str>>) -> Self {
        Self {
            key,
            warned: AtomicBool::new(false),
        }
    }

    /// Puts the headers of a call into its `_meta`, as an object; or says once that they go
    /// nowhere.
    pub(super) fn place(&self, headers: &HeaderMap, meta: &mut Option<RequestMeta>, server: &str) {
        if headers.is_empty() {
            return;
        }
        if let Some(key) = &self.key {
            let set = meta.get_or_insert_default().set(key, object(headers));
            if set.is_ok() {
                return;
            }
        }
        if !self.warned.swap(true, Ordering::Relaxed) {
            let names: Vec<&str> = headers.keys().map(|name| name.as_str()).collect();
            tracing::warn!(
                server,
                ?names,
                "headers of a call go nowhere: the connection is not HTTP, and there is no key of \
                 `_meta` that they could go under"
            );
        }
    }
}

/// Values of one name stand in one text, as HTTP allows.
fn object(headers: &HeaderMap) -> Map<String, Value> {
    let value = |name| {
        let values = headers.get_all(name).iter();
        let texts: Vec<_> = values
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .collect();
        Value::from(texts.join(", "))
    };
    let members = headers
        .keys()
        .map(|name| (name.as_str().to_owned(), value(name)));
    members.collect()
}
