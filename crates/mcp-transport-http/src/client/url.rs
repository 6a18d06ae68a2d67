//! URLs: which are usable, which belong together.

use http::Uri;
use http::uri::{PathAndQuery, Scheme};

use crate::BuildError;

/// The URL of an endpoint: absolute, http or https, with a host, without credentials.
pub(super) fn endpoint(url: &str) -> Result<Uri, BuildError> {
    let bad = |reason| BuildError::Url {
        // Credentials must not end up in a message.
        url: url
            .rsplit_once('@')
            .map_or(url, |(_, rest)| rest)
            .to_owned(),
        reason,
    };
    let uri: Uri = url.trim().parse().map_err(|_| bad("it is not a URL"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(bad("it must begin with http:// or https://"));
    }
    match uri.authority() {
        None => return Err(bad("it has no host")),
        Some(authority) if authority.host().is_empty() => return Err(bad("it has no host")),
        Some(authority) if authority.as_str().contains('@') => {
            return Err(bad("credentials belong into a header"));
        }
        Some(_) => {}
    }
    Ok(uri)
}

/// Whether two absolute URLs have scheme, host and port in common.
pub(super) fn same_origin(a: &Uri, b: &Uri) -> bool {
    let port = |uri: &Uri| {
        uri.port_u16().or_else(|| match uri.scheme() {
            Some(s) if *s == Scheme::HTTPS => Some(443),
            Some(s) if *s == Scheme::HTTP => Some(80),
            _ => None,
        })
    };
    let host = |uri: &Uri| uri.host().map(str::to_ascii_lowercase);
    a.scheme() == b.scheme() && host(a) == host(b) && port(a) == port(b)
}

/// What `reference` means when it stands in a response of `base`.
pub(super) fn resolve(base: &Uri, reference: &str) -> Option<Uri> {
    let reference = reference.split('#').next().unwrap_or_default().trim();
    if let Some(rest) = reference.strip_prefix("//") {
        return format!("{}://{rest}", base.scheme_str()?).parse().ok();
    }
    let path = if reference.starts_with('/') {
        reference.to_owned()
    } else if let Some(query) = reference.strip_prefix('?') {
        format!("{}?{query}", base.path())
    } else if has_scheme(reference) {
        let uri: Uri = reference.parse().ok()?;
        return uri.authority().is_some().then_some(uri);
    } else {
        let folder = base
            .path()
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        format!("{folder}/{reference}")
    };
    let mut parts = base.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path).ok()?);
    Uri::from_parts(parts).ok()
}

fn has_scheme(reference: &str) -> bool {
    reference.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    })
}

#[cfg(test)]
mod tests {
    use super::{endpoint, resolve, same_origin};

    #[test]
    fn only_http_urls_with_a_host_and_without_credentials_are_endpoints() {
        for good in [
            "http://localhost",
            "https://example.com/mcp?x=1",
            "http://[::1]:8080/",
        ] {
            assert!(endpoint(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "/mcp",
            "localhost:80",
            "ftp://a/",
            "http://",
            "http://u:p@a/",
            "http:///x",
        ] {
            assert!(endpoint(bad).is_err(), "{bad}");
        }
        assert!(
            !endpoint("http://u:secret@a/")
                .unwrap_err()
                .to_string()
                .contains("secret")
        );
    }

    #[test]
    fn references_resolve_against_the_base() {
        let base = "http://a:1/x/sse?q=1".parse().unwrap();
        for (reference, resolved) in [
            ("/m?s=1", "http://a:1/m?s=1"),
            ("m?s=1", "http://a:1/x/m?s=1"),
            ("?s=1", "http://a:1/x/sse?s=1"),
            ("https://b/m", "https://b/m"),
            ("//b/m", "http://b/m"),
        ] {
            assert_eq!(resolve(&base, reference).unwrap(), *resolved, "{reference}");
        }
    }

    #[test]
    fn h23_another_port_host_or_scheme_is_another_origin() {
        let a = "http://Host/x".parse().unwrap();
        assert!(same_origin(&a, &"http://host:80/y".parse().unwrap()));
        for other in ["http://host:81/x", "https://host/x", "http://host.evil/x"] {
            assert!(!same_origin(&a, &other.parse().unwrap()), "{other}");
        }
    }
}
