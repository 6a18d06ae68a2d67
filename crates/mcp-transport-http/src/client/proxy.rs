//! Which connections go through a proxy, and through what kind of one.

use std::fmt;
use std::sync::Arc;

use http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::Matcher;
use mcp_transport::{TransportError, TransportErrorKind};

/// Where a connection goes instead.
#[derive(Clone)]
pub(super) struct Proxy {
    /// With a port that a connection can be made to.
    pub(super) uri: Uri,
    pub(super) kind: Kind,
}

/// What it speaks, and how one shows who one is there.
#[derive(Clone)]
pub(super) enum Kind {
    Http {
        auth: Option<HeaderValue>,
    },
    Socks {
        auth: Option<(String, String)>,
        /// Whether it looks up names itself.
        names: bool,
    },
}

impl Proxy {
    fn parse(url: &str) -> Option<Self> {
        let any = Uri::from_static("http://any.invalid/");
        let found = Matcher::builder().all(url).build().intercept(&any)?;
        let scheme = found.uri().scheme_str()?;
        let raw = found.raw_auth();
        let socks = |names| Kind::Socks {
            auth: raw.map(|(user, password)| (user.to_owned(), password.to_owned())),
            names,
        };
        let (kind, port) = match scheme {
            "http" => (http(found.basic_auth()), 80),
            "https" => (http(found.basic_auth()), 443),
            "socks5" => (socks(false), 1080),
            "socks5h" => (socks(true), 1080),
            _ => return None,
        };
        let host = found.uri().host().filter(|host| !host.is_empty())?;
        let port = found.uri().port_u16().unwrap_or(port);
        let uri = format!("{scheme}://{host}:{port}/").parse().ok()?;
        Some(Self { uri, kind })
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.uri.scheme_str() == Some("https")
    }

    /// Whether it takes requests for others, and does not just connect.
    pub(super) const fn passes_requests_on(&self) -> bool {
        matches!(self.kind, Kind::Http { .. })
    }

    /// What shows it who one is, in a request that it passes on.
    pub(super) fn authorization(&self) -> Option<HeaderValue> {
        match &self.kind {
            Kind::Http { auth } => auth.clone(),
            Kind::Socks { .. } => None,
        }
    }
}

fn http(auth: Option<&HeaderValue>) -> Kind {
    Kind::Http {
        auth: auth.cloned(),
    }
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.uri, f)
    }
}

/// What somebody has named as a proxy; where that is none that can be used, without the password
/// that may stand in it.
type Named = Result<Arc<Proxy>, String>;

fn named(url: &str) -> Named {
    Proxy::parse(url).map(Arc::new).ok_or_else(|| {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        format!("{scheme}://{host}")
            .trim_start_matches("://")
            .to_owned()
    })
}

fn unusable(named: &str) -> TransportError {
    let message = format!(
        "the proxy {named:?} cannot be used: http, https, socks5 and socks5h ones are supported"
    );
    TransportError::new(TransportErrorKind::Unreachable, message)
}

/// The rules: none, those of the environment, or one proxy for everything.
#[derive(Clone, Default)]
pub(super) struct Proxies {
    http: Option<Named>,
    https: Option<Named>,
    /// Lets through what is not excepted.
    others: Option<Arc<Matcher>>,
}

impl Proxies {
    /// `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either case; never for this
    /// machine.
    pub(super) fn from_env() -> Self {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    fn from_variables(get: impl Fn(&str) -> Option<String>) -> Self {
        // In a CGI program a client can set `HTTP_PROXY`, by a header `Proxy`.
        if get("REQUEST_METHOD").is_some() {
            return Self::default();
        }
        let either = |name: &str| get(name).or_else(|| get(&name.to_ascii_lowercase()));
        let proxy = |name| either(name).filter(|url| !url.trim().is_empty());
        let all = proxy("ALL_PROXY");
        let of = |name| proxy(name).or_else(|| all.clone());
        let no = format!(
            "localhost,127.0.0.0/8,::1,{}",
            either("NO_PROXY").unwrap_or_default()
        );
        let matcher = Matcher::builder().all("http://any.invalid").no(no).build();
        Self {
            http: of("HTTP_PROXY").map(|url| named(url.trim())),
            https: of("HTTPS_PROXY").map(|url| named(url.trim())),
            others: Some(Arc::new(matcher)),
        }
    }

    /// This one for everything.
    pub(super) fn all(url: &str) -> Result<Self, TransportError> {
        let proxy = named(url.trim()).map_err(|named| unusable(&named))?;
        Ok(Self {
            http: Some(Ok(proxy.clone())),
            https: Some(Ok(proxy)),
            others: None,
        })
    }

    /// The proxy of a target. An error where one is named that cannot be used: going without it
    /// is not what was asked for.
    pub(super) fn of(&self, target: &Uri) -> Result<Option<&Arc<Proxy>>, TransportError> {
        let named = match target.scheme_str() {
            Some("https") => &self.https,
            _ => &self.http,
        };
        let excepted = |others: &Arc<Matcher>| others.intercept(target).is_none();
        match named {
            Some(_) if self.others.as_ref().is_some_and(excepted) => Ok(None),
            Some(Ok(proxy)) => Ok(Some(proxy)),
            Some(Err(named)) => Err(unusable(named)),
            None => Ok(None),
        }
    }
}

/// A proxy's address may hold a password.
impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let any = self.http.is_some() || self.https.is_some();
        f.debug_struct("Proxies")
            .field("any", &any)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Proxies};

    fn host(proxies: &Proxies, target: &str) -> Option<String> {
        let proxy = proxies.of(&target.parse().unwrap()).unwrap();
        proxy.map(|proxy| proxy.uri.authority().unwrap().to_string())
    }

    fn environment(variables: &'static [(&str, &str)]) -> Proxies {
        Proxies::from_variables(|name| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_proxy_for_everything_takes_everything_and_shows_who_one_is() {
        let proxies = Proxies::all("http://user:pass@proxy.test:3128").unwrap();
        for target in ["https://example.com/mcp", "http://localhost/"] {
            let proxy = proxies.of(&target.parse().unwrap()).unwrap().unwrap();
            assert_eq!(proxy.to_string(), "http://proxy.test:3128/");
            assert_eq!(proxy.authorization().unwrap(), "Basic dXNlcjpwYXNz");
        }
        assert_eq!(host(&Proxies::default(), "http://example.com/"), None);
    }

    #[test]
    fn each_variable_of_the_environment_counts_and_the_closest_wins() {
        let all = environment(&[("ALL_PROXY", "http://all"), ("https_proxy", "https://tls")]);
        assert_eq!(host(&all, "http://a.test/").unwrap(), "all:80");
        assert_eq!(host(&all, "https://a.test/").unwrap(), "tls:443");
        let one = environment(&[("HTTP_PROXY", "one:8"), ("NO_PROXY", "b.test, 10.0.0.0/8")]);
        assert_eq!(host(&one, "http://a.test/").unwrap(), "one:8");
        for direct in ["https://a.test/", "http://x.b.test/", "http://10.1.2.3/"] {
            assert_eq!(host(&one, direct), None, "{direct}");
        }
        let nothing = environment(&[("HTTP_PROXY", " "), ("NO_PROXY", "*")]);
        assert_eq!(host(&nothing, "http://a.test/"), None);
        let cgi = environment(&[("REQUEST_METHOD", "GET"), ("HTTP_PROXY", "http://evil")]);
        assert_eq!(host(&cgi, "http://a.test/"), None);
    }

    #[test]
    fn the_environment_never_sends_this_machine_away() {
        let all = environment(&[("ALL_PROXY", "http://all")]);
        for local in [
            "http://localhost:1/",
            "http://127.0.0.1/",
            "http://127.9.9.9/",
            "https://[::1]:5/",
        ] {
            assert_eq!(host(&all, local), None, "{local}");
        }
    }

    #[test]
    fn names_are_looked_up_by_the_socks_proxy_where_its_url_says_so() {
        for (url, by_proxy) in [
            ("socks5://u:p@s.test", false),
            ("socks5h://u:p@s.test", true),
        ] {
            let proxies = Proxies::all(url).unwrap();
            let proxy = proxies
                .of(&"http://a.test/".parse().unwrap())
                .unwrap()
                .unwrap();
            assert_eq!(proxy.uri.port_u16(), Some(1080));
            let Kind::Socks { auth, names } = &proxy.kind else {
                panic!()
            };
            assert_eq!(*names, by_proxy);
            assert_eq!(auth.clone().unwrap(), ("u".to_owned(), "p".to_owned()));
        }
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_an_error_and_never_left_out() {
        for url in ["socks4://u:secret@p.test", "ftp://p.test", "http://", "a b"] {
            let error = Proxies::all(url).unwrap_err().to_string();
            assert!(error.contains("socks5h"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
        let proxies = environment(&[("HTTP_PROXY", "socks4://u:secret@p.test:9")]);
        let error = proxies
            .of(&"http://a.test/".parse().unwrap())
            .err()
            .unwrap();
        assert!(
            error.to_string().contains("\"socks4://p.test:9\""),
            "{error}"
        );
        assert_eq!(host(&proxies, "https://a.test/"), None);
        assert_eq!(host(&proxies, "http://localhost/"), None);
    }
}
