//! What each revision can do: the only file that compares revisions.

use crate::ProtocolVersion;

/// Something that some revisions have and others have not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feature {
    // lifecycle
    /// A connection begins with `initialize`.
    Handshake,
    /// Every request carries version, identity and capabilities in `_meta`.
    Stateless,
    /// `server/discover`.
    Discover,
    /// `ping`, in both directions.
    Ping,
    /// The server sends requests of its own: sampling, roots, elicitation.
    ServerRequests,
    /// A server asks by an input-required result and the client calls again with the answers.
    InputRequired,
    /// The server may cancel requests that it has sent.
    ServerCancels,

    // envelope
    /// JSON-RPC batches.
    Batches,
    /// The schema wants an id in every error, so an unknown one is `null`.
    ErrorNeedsId,
    /// Every result names its kind in `resultType`.
    ResultType,
    /// Results carry the server's identity in `_meta`.
    ServerInfoInMeta,
    /// Complete results of list and read calls carry `ttlMs` and `cacheScope`.
    CacheHints,
    /// -32002 means that a resource does not exist; later it is -32602.
    ResourceNotFoundCode,
    /// -32042 asks the client to open a URL before it calls again.
    UrlElicitationRequiredCode,

    // features of the server
    /// `logging/setLevel`; later the level is part of each request.
    SetLogLevel,
    /// `resources/subscribe` and `resources/unsubscribe`.
    ResourceSubscribe,
    /// `subscriptions/listen`.
    SubscriptionsListen,
    /// Completion is a capability; before, one just tried.
    CompletionsCapability,
    /// The arguments already known travel with `completion/complete`.
    CompletionContext,
    /// `message` in progress notifications.
    ProgressMessage,
    /// Hints on tools: read-only, destructive, idempotent, open world.
    ToolAnnotations,
    /// `outputSchema` and `structuredContent`.
    StructuredContent,
    /// Structured content may be any JSON value, not only an object.
    AnyStructuredContent,
    /// `title` beside `name`.
    Titles,
    /// Icons on tools, prompts, resources and implementations.
    Icons,
    /// Audio content.
    AudioContent,
    /// Resource links as content.
    ResourceLinks,
    /// Tasks as an experimental part of the core.
    Tasks,

    // features of the client
    /// `elicitation/create`, by form.
    Elicitation,
    /// Elicitation by URL, and its two modes as capabilities.
    UrlElicitation,
    /// Tools in sampling.
    SamplingTools,

    // Streamable HTTP
    /// Sessions by `Mcp-Session-Id`, ended by DELETE.
    HttpSessions,
    /// A stream opened by GET, and resuming it.
    HttpGetStream,
    /// A server closes a stream whose first event had an id, and the client comes back for more.
    HttpPolling,
    /// `MCP-Protocol-Version` on every request after the handshake.
    VersionHeader,
    /// `Mcp-Method`, `Mcp-Name` and marked arguments repeated in headers.
    MirrorHeaders,
    /// Dropping the response cancels the request.
    DisconnectCancels,
}

impl Feature {
    /// The first and the last revision that have it.
    const fn span(self) -> (ProtocolVersion, ProtocolVersion) {
        use ProtocolVersion as V;
        match self {
            Self::Handshake
            | Self::Ping
            | Self::ServerRequests
            | Self::ServerCancels
            | Self::SetLogLevel
            | Self::ResourceSubscribe
            | Self::ResourceNotFoundCode => (V::V2024_11_05, V::V2025_11_25),
            Self::ErrorNeedsId => (V::V2024_11_05, V::V2025_06_18),
            Self::Batches => (V::V2025_03_26, V::V2025_03_26),
            Self::HttpSessions | Self::HttpGetStream => (V::V2025_03_26, V::V2025_11_25),
            Self::CompletionsCapability
            | Self::ProgressMessage
            | Self::ToolAnnotations
            | Self::AudioContent => (V::V2025_03_26, V::LATEST),
            Self::CompletionContext
            | Self::StructuredContent
            | Self::Titles
            | Self::ResourceLinks
            | Self::Elicitation
            | Self::VersionHeader => (V::V2025_06_18, V::LATEST),
            Self::Tasks | Self::UrlElicitationRequiredCode | Self::HttpPolling => {
                (V::V2025_11_25, V::V2025_11_25)
            }
            Self::Icons | Self::UrlElicitation | Self::SamplingTools => (V::V2025_11_25, V::LATEST),
            Self::Stateless
            | Self::Discover
            | Self::InputRequired
            | Self::ResultType
            | Self::ServerInfoInMeta
            | Self::CacheHints
            | Self::SubscriptionsListen
            | Self::AnyStructuredContent
            | Self::MirrorHeaders
            | Self::DisconnectCancels => (V::V2026_07_28, V::LATEST),
        }
    }
}

impl ProtocolVersion {
    /// Whether this revision has the feature.
    ///
    /// ```
    /// use mcp_protocol::{Feature, ProtocolVersion};
    /// assert!(ProtocolVersion::LATEST.has(Feature::Discover));
    /// assert!(!ProtocolVersion::LATEST.has(Feature::Ping));
    /// ```
    #[must_use]
    pub const fn has(self, feature: Feature) -> bool {
        let (first, last) = feature.span();
        first.index() <= self.index() && self.index() <= last.index()
    }

    /// Whether requests stand alone, without a handshake.
    #[must_use]
    pub const fn is_stateless(self) -> bool {
        self.has(Feature::Stateless)
    }
}

#[cfg(test)]
mod tests {
    use super::{Feature, ProtocolVersion};

    #[test]
    fn j16_only_one_revision_has_batches() {
        let having: Vec<_> = ProtocolVersion::ALL
            .into_iter()
            .filter(|v| v.has(Feature::Batches))
            .collect();
        assert_eq!(having, [ProtocolVersion::V2025_03_26]);
    }

    #[test]
    fn each_revision_has_either_the_handshake_or_stateless_requests() {
        for version in ProtocolVersion::ALL {
            assert_ne!(version.has(Feature::Handshake), version.is_stateless());
        }
        assert!(!ProtocolVersion::LATEST_HANDSHAKE.is_stateless());
    }
}
