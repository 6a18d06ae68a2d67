//! Users who were sent to a URL and are not known to be done: 2025-11-25 names them by ids.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_jsonrpc::{ErrorObject, RawJson};
use mcp_protocol::elicitation::{Elicit, ElicitRequestParams};
use mcp_protocol::{RpcRequest, URLElicitationRequiredError};

/// The ids of elicitations by URL that a server has begun in a session.
#[derive(Debug, Default)]
pub(crate) struct SentAway(Mutex<VecDeque<String>>);

impl SentAway {
    /// How many are kept. The oldest makes room for one more.
    pub(crate) const LIMIT: usize = 256;

    /// Notes what a request of the server begins.
    pub(crate) fn by_request(&self, method: &str, params: Option<&RawJson>) {
        if *method == *Elicit::METHOD
            && let Ok(ElicitRequestParams::Url(url)) = Elicit::decode_params(params)
        {
            self.begin(url.elicitation_id);
        }
    }

    /// Notes what an error of the server asks for.
    pub(crate) fn by_error(&self, error: &ErrorObject) {
        let required = URLElicitationRequiredError::read(error);
        for url in required.into_iter().flat_map(|error| error.elicitations) {
            self.begin(url.elicitation_id);
        }
    }

    fn begin(&self, id: Option<String>) {
        let mut begun = self.lock();
        let new = id.filter(|id| !begun.contains(id));
        if new.is_some() && begun.len() >= Self::LIMIT {
            begun.pop_front();
        }
        begun.extend(new);
    }

    /// Whether this was begun and not ended. It is ended from now on.
    pub(crate) fn end(&self, id: &str) -> bool {
        let mut begun = self.lock();
        let place = begun.iter().position(|known| known == id);
        place.is_some_and(|place| begun.remove(place).is_some())
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::SentAway;

    #[test]
    fn what_was_begun_ends_once_and_the_oldest_makes_room() {
        let away = SentAway::default();
        for number in 0..=SentAway::LIMIT {
            away.begin(Some(number.to_string()));
            away.begin(Some(number.to_string()));
        }
        assert!(!away.end("0"));
        assert!(away.end("1"));
        assert!(!away.end("1"));
        assert!(!away.end("unknown"));
        assert_eq!(away.lock().len(), SentAway::LIMIT - 1);
    }
}
