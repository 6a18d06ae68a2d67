//! Which connections go through a proxy.

use std::fmt;
use std::sync::Arc;

use http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::Matcher;

/// Where a connection goes instead, and how one shows who one is there.
#[derive(Clone)]
pub(super) struct Proxy {
    pub(super) uri: Uri,
    pub(super) auth: Option<HeaderValue>,
}

/// The rules: none, those of the environment, or one proxy for everything.
#[derive(Clone, Default)]
pub(super) struct Proxies {
    matcher: Option<Arc<Matcher>>,
    /// Whether connections to this machine go through it, too.
    loopback: bool,
}

impl Proxies {
    /// `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either case; never for this
    /// machine.
    pub(super) fn from_env() -> Self {
        Self {
            matcher: Some(Arc::new(Matcher::from_env())),
            loopback: false,
        }
    }

    /// This one for everything.
    pub(super) fn all(url: &str) -> Self {
        Self {
            matcher: Some(Arc::new(Matcher::builder().all(url).build())),
            loopback: true,
        }
    }

    pub(super) fn of(&self, target: &Uri) -> Option<Proxy> {
        let matcher = self.matcher.as_ref()?;
        let host = target.host()?.trim_matches(['[', ']']);
        let local = host.eq_ignore_ascii_case("localhost")
            || host
                .parse::<std::net::IpAddr>()
                .is_ok_and(|ip| ip.is_loopback());
        if local && !self.loopback {
            return None;
        }
        let intercept = matcher.intercept(target)?;
        Some(Proxy {
            uri: intercept.uri().clone(),
            auth: intercept.basic_auth().cloned(),
        })
    }
}

/// A proxy's address may hold a password.
impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxies")
            .field("any", &self.matcher.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Proxies;

    #[test]
    fn a_proxy_for_everything_takes_everything_and_shows_who_one_is() {
        let proxy = Proxies::all("http://user:pass@proxy.test:3128")
            .of(&"https://example.com/mcp".parse().unwrap())
            .unwrap();
        assert_eq!(
            (proxy.uri.host(), proxy.uri.port_u16()),
            (Some("proxy.test"), Some(3128))
        );
        assert_eq!(proxy.auth.unwrap(), "Basic dXNlcjpwYXNz");
        assert!(
            Proxies::default()
                .of(&"http://example.com/".parse().unwrap())
                .is_none()
        );
    }

    #[test]
    fn the_environment_never_sends_this_machine_away() {
        for local in [
            "http://localhost:1/",
            "http://127.0.0.1/",
            "https://[::1]:5/",
        ] {
            assert!(
                Proxies::from_env().of(&local.parse().unwrap()).is_none(),
                "{local}"
            );
        }
    }
}
