//! The headers of requests. Those of a call are made from those of the latest one, from which
//! most differ in little.

use std::sync::{Arc, Mutex, PoisonError};

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};
use mcp_jsonrpc::MethodName;
use mcp_transport::Mirror;

use super::link::Link;
use super::session::View;
use crate::headers::{ACCEPT_BOTH, JSON, merge, write_mirror, write_name, write_params};

/// Headers to be copied, which is cheaper than to write them one by one.
#[derive(Debug, Default)]
pub(super) struct Prepared(Mutex<Option<Latest>>);

#[derive(Debug)]
struct Latest {
    view: Arc<View>,
    method: MethodName,
    /// Without params, which differ from call to call.
    mirror: Mirror,
    headers: HeaderMap,
}

impl Latest {
    /// Whether a call has the same headers, save for the name and the params in them.
    fn fits(&self, view: &Arc<View>, method: &MethodName, mirror: &Mirror) -> bool {
        Arc::ptr_eq(&self.view, view)
            && self.mirror.version == mirror.version
            && self.mirror.name.is_some() == mirror.name.is_some()
            && self.method == *method
    }
}

impl Prepared {
    /// The headers of a call: what `base` gives, then those of its session or those that repeat
    /// a part of its body.
    pub(super) fn headers(
        &self,
        view: &Arc<View>,
        method: &MethodName,
        mirror: &Mirror,
        base: impl FnOnce() -> HeaderMap,
    ) -> HeaderMap {
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut headers = match latest.as_ref().filter(|l| l.fits(view, method, mirror)) {
            Some(latest) => {
                let mut headers = latest.headers.clone();
                if latest.mirror.name != mirror.name {
                    write_name(&mut headers, mirror);
                }
                headers
            }
            None => {
                let new = Latest::new(view, method, mirror, base());
                latest.insert(new).headers.clone()
            }
        };
        drop(latest);
        write_params(&mut headers, mirror);
        headers
    }
}

impl Latest {
    fn new(view: &Arc<View>, method: &MethodName, of: &Mirror, mut headers: HeaderMap) -> Self {
        let mut mirror = Mirror::default();
        mirror.version = of.version;
        mirror.name.clone_from(&of.name);
        if mirror.version.is_some() {
            write_mirror(&mut headers, method, &mirror);
        } else {
            view.write_headers(&mut headers);
        }
        Self {
            view: Arc::clone(view),
            method: method.clone(),
            mirror,
            headers,
        }
    }
}

impl Link {
    /// What every request is sent with, and what the source has given.
    pub(super) fn base_headers(&self, given: Option<&HeaderMap>) -> HeaderMap {
        let mut map = self.headers.clone();
        merge(&mut map, given);
        map
    }

    /// The headers of a POST, but for those of the session.
    fn post_headers(&self) -> HeaderMap {
        let mut map = HeaderMap::with_capacity(self.headers.len() + 8);
        map.insert(CONTENT_TYPE, JSON);
        map.insert(ACCEPT, ACCEPT_BOTH);
        for (name, value) in &self.headers {
            map.append(name, value.clone());
        }
        map
    }

    /// The headers of a call, and what the source has given.
    pub(super) fn call_headers(
        &self,
        view: &Arc<View>,
        method: &MethodName,
        mirror: &Mirror,
        given: Option<&HeaderMap>,
    ) -> HeaderMap {
        let base = || self.post_headers();
        let mut map = self.prepared.headers(view, method, mirror, base);
        merge(&mut map, given);
        map
    }

    /// The headers of a POST that belongs to a session.
    pub(super) fn session_headers(&self, view: &View, given: Option<&HeaderMap>) -> HeaderMap {
        let mut map = self.post_headers();
        view.write_headers(&mut map);
        merge(&mut map, given);
        map
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use mcp_protocol::ProtocolVersion;
    use tokio_util::sync::CancellationToken;

    use super::*;

    type Asked = (Arc<View>, MethodName, Mirror);

    fn view(id: Option<&'static str>) -> Arc<View> {
        Arc::new(View {
            id: id.map(HeaderValue::from_static),
            version: Some(ProtocolVersion::V2025_11_25),
            endpoint: None,
            over: CancellationToken::new(),
        })
    }

    fn mirror(version: Option<&'static str>, name: Option<&str>, params: &[&str]) -> Mirror {
        let mut mirror = Mirror::default();
        mirror.version = version;
        mirror.name = name.map(str::to_owned);
        let params = params
            .iter()
            .map(|name| ((*name).to_owned(), "1".to_owned()));
        mirror.params = params.collect();
        mirror
    }

    fn calls() -> Vec<Asked> {
        let mut mirrors = Vec::new();
        for version in [None, Some("2026-07-28")] {
            for name in [None, Some("a"), Some("b")] {
                mirrors.extend([&[][..], &["X"], &["X", "Y"]].map(|p| mirror(version, name, p)));
            }
        }
        let views = [view(None), view(Some("1")), view(Some("2"))];
        let methods = ["tools/call", "prompts/get"].map(MethodName::from);
        let of = |view: &Arc<View>, method: &MethodName| -> Vec<Asked> {
            let with = |mirror: &Mirror| (Arc::clone(view), method.clone(), mirror.clone());
            mirrors.iter().map(with).collect()
        };
        let both = |view| methods.iter().flat_map(move |method| of(view, method));
        views.iter().flat_map(both).collect()
    }

    #[test]
    fn a_call_has_the_headers_that_it_would_have_whatever_was_called_before() {
        let base = || HeaderMap::from_iter([(CONTENT_TYPE, JSON)]);
        let headers = |prepared: &Prepared, (view, method, mirror): &Asked| {
            prepared.headers(view, method, mirror, base)
        };
        let calls = calls();
        for (first, second) in calls.iter().flat_map(|a| calls.iter().map(move |b| (a, b))) {
            let prepared = Prepared::default();
            headers(&prepared, first);
            let alone = headers(&Prepared::default(), second);
            assert_eq!(
                headers(&prepared, second),
                alone,
                "{second:?} after {first:?}"
            );
        }
    }
}
