//! The headers of the latest call, for those that come after it: most differ from it in little.

use std::sync::{Arc, Mutex, PoisonError};

use http::HeaderMap;
use mcp_jsonrpc::MethodName;
use mcp_transport::Mirror;

use super::session::View;
use crate::headers::{write_mirror, write_name, write_params};

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
