//! Who may send requests: a web page must not reach a local server by a name of its own.
//!
//! Source: basic/transports, Security, every revision with HTTP.

use std::sync::OnceLock;

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use crate::headers::single;

/// The hosts and origins that requests may name. Loopback hosts always may.
#[derive(Clone, Debug, Default)]
pub(super) struct Allowed {
    any_host: bool,
    hosts: Vec<String>,
    origins: Vec<String>,
    /// The first `Host` that was let through, as it was written: most requests name it again.
    known: OnceLock<HeaderValue>,
}

/// The longest `Host` that is remembered, in bytes.
const LONGEST_KNOWN: usize = 256;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Foreign {
    Host,
    Origin,
}

impl Allowed {
    pub(super) fn host(&mut self, host: &str) {
        self.hosts
            .push(host.trim_matches(['[', ']']).to_ascii_lowercase());
    }

    pub(super) const fn any_host(&mut self) {
        self.any_host = true;
    }

    pub(super) fn origin(&mut self, origin: &str) {
        self.origins
            .push(origin.trim_end_matches('/').to_ascii_lowercase());
    }

    /// Checks a request before anything else is done with it; hands out the origin of a page
    /// that is let in.
    pub(super) fn check(&self, parts: &Parts) -> Result<Option<HeaderValue>, Foreign> {
        if !self.any_host && !self.is_host_allowed(parts) {
            return Err(Foreign::Host);
        }
        let Some(origin) = single(&parts.headers, &ORIGIN).map_err(|_| Foreign::Origin)? else {
            // Not a browser, or not from another page.
            return Ok(None);
        };
        let text = origin.to_str().map_err(|_| Foreign::Origin)?;
        if self.is_origin_allowed(text) {
            Ok(Some(origin.clone()))
        } else {
            Err(Foreign::Origin)
        }
    }

    fn is_host_allowed(&self, parts: &Parts) -> bool {
        match parts.uri.authority() {
            // HTTP/2 has `:authority`; a `Host` beside it must be as good.
            Some(authority) => {
                self.is_listed(host_of(authority.as_str()))
                    && (!parts.headers.contains_key(HOST) || self.is_header_allowed(&parts.headers))
            }
            None => self.is_header_allowed(&parts.headers),
        }
    }

    fn is_header_allowed(&self, headers: &HeaderMap) -> bool {
        let Ok(Some(host)) = single(headers, &HOST) else {
            return false;
        };
        if self.known.get() == Some(host) {
            return true;
        }
        let listed = host
            .to_str()
            .is_ok_and(|host| self.is_listed(host_of(host)));
        if listed
            && host.len() <= LONGEST_KNOWN
            && self.known.get().is_none()
            // A copy, for what was read is a part of the connection's buffer.
            && let Ok(copy) = HeaderValue::from_bytes(host.as_bytes())
        {
            // Another request may have been quicker.
            let _ = self.known.set(copy);
        }
        listed
    }

    fn is_listed(&self, host: Option<&str>) -> bool {
        host.is_some_and(|host| {
            is_loopback(host) || self.hosts.iter().any(|h| h.eq_ignore_ascii_case(host))
        })
    }

    fn is_origin_allowed(&self, origin: &str) -> bool {
        if self.origins.iter().any(|o| o.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let local = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"));
        local.and_then(host_of).is_some_and(is_loopback)
    }
}

/// The host of `host`, `host:port`, `[v6]` or `[v6]:port`; nothing else may be there.
fn host_of(text: &str) -> Option<&str> {
    let (host, rest) = match text.strip_prefix('[') {
        Some(v6) => v6.split_once(']')?,
        None => text
            .find(':')
            .map_or((text, ""), |colon| text.split_at(colon)),
    };
    let port_ok = match rest.strip_prefix(':') {
        Some(port) => !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()),
        None => rest.is_empty(),
    };
    let host_ok = !host.is_empty()
        && host
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'_'));
    (port_ok && host_ok).then_some(host)
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::{Allowed, Foreign};

    fn check(allowed: &Allowed, host: &str, origin: Option<&str>) -> Result<bool, Foreign> {
        let mut request = Request::post("/mcp").header("host", host);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        allowed.check(&parts).map(|origin| origin.is_some())
    }

    #[test]
    fn h01_only_loopback_hosts_pass_by_default() {
        let allowed = Allowed::default();
        for host in [
            "localhost",
            "LOCALHOST:1",
            "127.0.0.1:9",
            "[::1]:9",
            "[::1]",
            "127.9.9.9",
        ] {
            assert_eq!(check(&allowed, host, None), Ok(false), "{host}");
        }
        for host in [
            "evil.test:9",
            "127.0.0.1:9@evil",
            "localhost.evil.test",
            "",
            "a b",
            "[::1",
            "127.0.0.1:",
            "localhost:x",
            "0.0.0.0",
            "[::ffff:8.8.8.8]",
        ] {
            assert_eq!(check(&allowed, host, None), Err(Foreign::Host), "{host}");
        }
    }

    #[test]
    fn h01_a_host_that_was_let_through_opens_the_way_to_no_other() {
        let allowed = Allowed::default();
        for _ in 0..2 {
            assert_eq!(check(&allowed, "localhost:1", None), Ok(false));
            for other in [
                "localhost:1.evil.test",
                "evil.test",
                "Localhost:",
                "a, localhost:1",
            ] {
                assert_eq!(check(&allowed, other, None), Err(Foreign::Host), "{other}");
            }
        }
        let twice = Request::post("/mcp")
            .header("host", "localhost:1")
            .header("host", "localhost:1");
        let (parts, ()) = twice.body(()).unwrap().into_parts();
        assert_eq!(allowed.check(&parts), Err(Foreign::Host));
    }

    #[test]
    fn h01_only_loopback_origins_pass_by_default_and_null_never() {
        let mut allowed = Allowed::default();
        allowed.origin("https://App.example");
        for origin in [
            "http://localhost:3",
            "http://127.0.0.1",
            "https://[::1]:8",
            "https://app.example",
        ] {
            assert_eq!(
                check(&allowed, "localhost", Some(origin)),
                Ok(true),
                "{origin}"
            );
        }
        for origin in [
            "null",
            "http://evil.test",
            "http://localhost.evil.test",
            "file://",
            "",
            "http://localhost:3/path",
            "http://localhost@evil.test",
            "https://app.example:8",
        ] {
            assert_eq!(
                check(&allowed, "localhost", Some(origin)),
                Err(Foreign::Origin),
                "{origin}"
            );
        }
    }

    #[test]
    fn h01_a_named_host_passes_and_authority_counts_as_host() {
        let mut allowed = Allowed::default();
        allowed.host("mcp.example");
        assert_eq!(check(&allowed, "MCP.example:443", None), Ok(false));
        let of = |uri: &str| Request::post(uri).body(()).unwrap().into_parts().0;
        assert!(allowed.check(&of("http://mcp.example/mcp")).is_ok());
        assert_eq!(
            allowed.check(&of("http://evil.test/mcp")),
            Err(Foreign::Host)
        );
        assert_eq!(allowed.check(&of("/mcp")), Err(Foreign::Host));
    }
}
