//! A response body read as an event stream.

use bytes::Bytes;
use http_body_util::BodyExt as _;
use mcp_transport::{TransportError, TransportErrorKind};

use super::body::ResponseBody;
use crate::sse::{Decoder, Event, EventTooLong};

/// Events as they come in.
pub(super) struct Events {
    body: ResponseBody,
    decoder: Decoder,
}

impl Events {
    pub(super) fn new(body: ResponseBody, limit: usize) -> Self {
        Self {
            body,
            decoder: Decoder::new(limit),
        }
    }

    /// The data of the next `message` event; `None` at the end of the stream.
    ///
    /// Cancel-safe: what was read stays in the decoder.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, TransportError> {
        Ok(self
            .next_event(Event::is_message)
            .await?
            .map(|event| event.data))
    }

    /// The next event that is wanted.
    pub(super) async fn next_event(
        &mut self,
        wanted: impl Fn(&Event) -> bool,
    ) -> Result<Option<Event>, TransportError> {
        loop {
            match self.decoder.next_event().map_err(too_long)? {
                Some(event) if wanted(&event) => return Ok(Some(event)),
                Some(event) => tracing::debug!(name = event.name, "an event is ignored"),
                None if self.fill().await? => {}
                None => return Ok(None),
            }
        }
    }

    /// Reads on; `false` at the end of the stream.
    async fn fill(&mut self) -> Result<bool, TransportError> {
        let Some(frame) = self.body.frame().await else {
            return Ok(false);
        };
        let frame = frame.map_err(|e| {
            TransportError::new(TransportErrorKind::Ended, "the event stream broke").with_source(e)
        })?;
        if let Ok(data) = frame.into_data() {
            self.decoder.feed(&data);
        }
        Ok(true)
    }

    /// What a resumption needs: the last id, and how long the server asks to wait.
    pub(super) const fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Lets go of the stream after its last message.
    pub(super) fn finish(self) {
        self.body.finish();
    }
}

fn too_long(e: EventTooLong) -> TransportError {
    let message = format!("an event has more than {} bytes", e.limit);
    TransportError::new(TransportErrorKind::Violation, message)
}
