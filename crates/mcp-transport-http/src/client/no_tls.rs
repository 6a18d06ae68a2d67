//! In the place of [`tls`](super::tls) where that is not compiled in.

use mcp_transport::TransportError;

use super::connect::{BoxError, Carrier};

#[derive(Clone, Debug, Default)]
pub(super) struct Settings(());

impl Settings {
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as with TLS")]
    pub(super) const fn build(self, _http2_only: bool) -> Result<Option<Tls>, TransportError> {
        Ok(None)
    }
}

/// There is none.
pub(super) enum Tls {}

impl Tls {
    #[expect(clippy::unused_async, reason = "as with TLS")]
    pub(super) async fn to_server(
        &self,
        _host: &str,
        _io: Carrier,
    ) -> Result<(Carrier, bool), BoxError> {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "as with TLS")]
    pub(super) async fn to_proxy(&self, _host: &str, _io: Carrier) -> Result<Carrier, BoxError> {
        match *self {}
    }
}
