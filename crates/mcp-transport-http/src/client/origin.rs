//! Whom a connection leads to.

use std::fmt;
use std::io;

use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderValue, Uri};

/// Scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    scheme: Scheme,
    authority: Authority,
}

impl Origin {
    pub(super) fn of(uri: &Uri) -> Option<Self> {
        let scheme = uri.scheme()?;
        (*scheme == Scheme::HTTP || *scheme == Scheme::HTTPS).then_some(())?;
        let authority = uri.authority()?;
        Some(Self {
            scheme: scheme.clone(),
            authority: authority.clone(),
        })
    }

    /// Whether this URL is of the origin, written in the same way.
    pub(super) fn is_of(&self, uri: &Uri) -> bool {
        let same_authority = |a: &Authority| a.as_str() == self.authority.as_str();
        uri.scheme() == Some(&self.scheme) && uri.authority().is_some_and(same_authority)
    }

    pub(super) fn is_tls(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }

    pub(super) fn uri(&self) -> Uri {
        self.with_path(PathAndQuery::from_static("/"))
    }

    pub(super) fn with_path(&self, path: PathAndQuery) -> Uri {
        let mut parts = http::uri::Parts::default();
        parts.scheme = Some(self.scheme.clone());
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = Some(path);
        Uri::from_parts(parts).unwrap_or_default()
    }

    fn default_port(&self) -> u16 {
        if self.is_tls() { 443 } else { 80 }
    }

    fn port(&self) -> u16 {
        let named = self.authority.port_u16();
        named.unwrap_or_else(|| self.default_port())
    }

    /// What the `Host` header says: without user and default port.
    pub(super) fn host(&self) -> Option<HeaderValue> {
        let host = self.authority.host();
        match self.port() {
            port if port == self.default_port() => HeaderValue::from_str(host).ok(),
            port => HeaderValue::try_from(format!("{host}:{port}")).ok(),
        }
    }

    /// The URL with its port, whatever that is.
    pub(super) fn with_port(&self) -> Uri {
        self.at(format!("{}:{}", self.authority.host(), self.port()))
    }

    /// The URL with the address of its host.
    pub(super) async fn resolved(&self) -> io::Result<Uri> {
        let host = self.authority.host().trim_matches(['[', ']']);
        let mut found = tokio::net::lookup_host((host, self.port())).await?;
        let address = found.next().ok_or(io::ErrorKind::NotFound)?;
        Ok(self.at(address.to_string()))
    }

    fn at(&self, authority: String) -> Uri {
        let authority = Authority::try_from(authority);
        let elsewhere = authority.map(|authority| Self {
            scheme: self.scheme.clone(),
            authority,
        });
        elsewhere.unwrap_or_else(|_| self.clone()).uri()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.authority.host())?;
        match self.authority.port() {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}
