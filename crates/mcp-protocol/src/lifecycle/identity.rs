//! What each side says of itself.

use std::fmt;
use std::sync::Arc;

use crate::{
    ClientCapabilities, Feature, Implementation, ParamHeader, ProtocolVersion, ServerCapabilities,
};

/// What a server says of itself, in either lifecycle.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerIdentity {
    /// Name and version.
    pub info: Implementation,
    /// What it offers. Taken from what was registered, never set by hand.
    pub capabilities: ServerCapabilities,
    /// How to use it, for the model of the client.
    pub instructions: Option<String>,
    /// The revisions that it speaks. Default: all.
    pub versions: Vec<ProtocolVersion>,
    /// Which arguments of its tools clients repeat in HTTP headers, to be checked. Default: none.
    pub param_headers: ParamHeadersOf,
}

/// The marked arguments of a server's tools at the moment, by the tool's name.
#[derive(Clone, Default)]
pub struct ParamHeadersOf(Option<Arc<dyn Fn(&str) -> Arc<[ParamHeader]> + Send + Sync>>);

impl ParamHeadersOf {
    /// Asks `of` for each tool that is called over HTTP.
    pub fn new(of: impl Fn(&str) -> Arc<[ParamHeader]> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(of)))
    }

    /// The marked arguments of the tool with this name.
    #[must_use]
    pub fn of(&self, tool: &str) -> Arc<[ParamHeader]> {
        self.0.as_ref().map(|of| of(tool)).unwrap_or_default()
    }
}

impl fmt::Debug for ParamHeadersOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ParamHeadersOf")
    }
}

impl ServerIdentity {
    /// A server that speaks every revision.
    #[must_use]
    pub fn new(info: Implementation, capabilities: ServerCapabilities) -> Self {
        Self {
            info,
            capabilities,
            instructions: None,
            versions: ProtocolVersion::ALL.to_vec(),
            param_headers: ParamHeadersOf::default(),
        }
    }

    /// The same server with instructions.
    #[must_use]
    pub fn with_instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// The same server with these revisions only.
    #[must_use]
    pub fn with_versions(mut self, versions: impl Into<Vec<ProtocolVersion>>) -> Self {
        self.versions = versions.into();
        self
    }

    /// The same server with arguments that clients repeat in HTTP headers.
    #[must_use]
    pub fn with_param_headers(mut self, param_headers: ParamHeadersOf) -> Self {
        self.param_headers = param_headers;
        self
    }

    /// The names of its revisions: those without handshake first, each kind newest first.
    #[must_use]
    pub fn version_names(&self) -> Vec<String> {
        let kind = |feature| newest_first(&self.versions, feature);
        kind(Feature::Stateless)
            .chain(kind(Feature::Handshake))
            .map(|version| version.as_str().to_owned())
            .collect()
    }

    /// The revision to answer an `initialize` with: the one asked for if it is spoken, else the
    /// newest with a handshake. `None` if there is none.
    #[must_use]
    pub fn handshake_version(&self, requested: &str) -> Option<ProtocolVersion> {
        let mut spoken = newest_first(&self.versions, Feature::Handshake);
        let newest = spoken.clone().next();
        spoken
            .find(|version| version.as_str() == requested)
            .or(newest)
    }

    /// What it offers in a revision: tasks are a capability of their own in one, and an extension
    /// beside others.
    #[must_use]
    pub fn capabilities_in(&self, version: ProtocolVersion) -> ServerCapabilities {
        let mut capabilities = self.capabilities.clone();
        capabilities.tasks.take_if(|_| !version.has(Feature::Tasks));
        capabilities
            .extensions
            .take_if(|_| !version.has(Feature::Stateless));
        capabilities
    }

    /// Whether it speaks this revision.
    #[must_use]
    pub fn speaks(&self, version: ProtocolVersion) -> bool {
        self.versions.contains(&version)
    }
}

/// What a client says of itself, in either lifecycle.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientIdentity {
    /// Name and version.
    pub info: Arc<Implementation>,
    /// What it can do for the server. Taken from what was registered, never set by hand.
    pub capabilities: Arc<ClientCapabilities>,
    /// The revisions that it speaks. Default: all.
    pub versions: Vec<ProtocolVersion>,
}

impl ClientIdentity {
    /// A client that speaks every revision.
    #[must_use]
    pub fn new(info: Implementation, capabilities: ClientCapabilities) -> Self {
        Self {
            info: Arc::new(info),
            capabilities: Arc::new(capabilities),
            versions: ProtocolVersion::ALL.to_vec(),
        }
    }

    /// The same client with these revisions only.
    #[must_use]
    pub fn with_versions(mut self, versions: impl Into<Vec<ProtocolVersion>>) -> Self {
        self.versions = versions.into();
        self
    }

    /// What it can do where requests stand alone: there, tasks are no capability.
    pub(super) fn stateless_capabilities(&self) -> Arc<ClientCapabilities> {
        if self.capabilities.tasks.is_none() {
            return Arc::clone(&self.capabilities);
        }
        let mut capabilities = ClientCapabilities::clone(&self.capabilities);
        capabilities.tasks = None;
        Arc::new(capabilities)
    }

    /// The newest of its revisions that has this feature.
    pub(super) fn newest(&self, feature: Feature) -> Option<ProtocolVersion> {
        newest_first(&self.versions, feature).next()
    }

    /// Its revisions that have this feature, oldest first.
    pub(super) fn versions_with(&self, feature: Feature) -> Vec<ProtocolVersion> {
        let mut versions: Vec<_> = newest_first(&self.versions, feature).collect();
        versions.reverse();
        versions
    }
}

fn newest_first(
    versions: &[ProtocolVersion],
    feature: Feature,
) -> impl Iterator<Item = ProtocolVersion> + Clone {
    ProtocolVersion::ALL
        .into_iter()
        .rev()
        .filter(move |version| versions.contains(version) && version.has(feature))
}
