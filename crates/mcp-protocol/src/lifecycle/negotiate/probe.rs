//! `server/discover`, and what its answer says about the server.

use std::time::Instant;

use mcp_jsonrpc::{ErrorObject, RawJson};
use serde::{Deserialize, Serialize};

use super::super::negotiated::{Negotiated, stamp};
use super::{DISCOVER, Negotiator, Outcome, Preference, Step, Wire};
use crate::discover::DiscoverResult;
use crate::error::NegotiationError;
use crate::error_code::is_stateless_only;
use crate::{Feature, ProtocolVersion, RequestMeta};

const METHOD: &str = "server/discover";
/// How often a revision is asked about: a server that refuses one and lists it among those that
/// it speaks is taken at its word once.
const MAX_PROBES: usize = 2;

impl Negotiator {
    pub(super) fn send_probe(&mut self, now: Instant, version: ProtocolVersion) {
        #[derive(Serialize)]
        struct Params {
            #[serde(rename = "_meta")]
            meta: RequestMeta,
        }
        let mut meta = RequestMeta::new();
        stamp(&mut meta, version, &self.client);
        let Ok(params) = RawJson::encode(&Params { meta }) else {
            return self.fail(NegotiationError::Malformed {
                method: METHOD,
                detail: "our own capabilities cannot be encoded".to_owned(),
            });
        };
        let patient = !self.may_shake_hands();
        self.deadline = if patient {
            None
        } else {
            now.checked_add(self.probe_timeout)
        };
        let timeout = patient.then_some(self.initialize_timeout);
        self.probed.push(version);
        self.probe = Some(self.request(DISCOVER, params, Some(version), timeout));
    }

    pub(super) fn probe_ended(&mut self, now: Instant, outcome: Outcome) {
        match outcome {
            Outcome::Result(result) => self.discovered(&result),
            Outcome::Error(error) => self.probe_refused(now, error),
            Outcome::Rejected { status, error } => match error {
                Some(error) if is_stateless_only(error.code) => self.probe_refused(now, error),
                error if is_era_signal(status) => {
                    self.fall_back(NegotiationError::Rejected {
                        method: METHOD,
                        status,
                        error,
                    });
                }
                error => self.fail(NegotiationError::Rejected {
                    method: METHOD,
                    status,
                    error,
                }),
            },
            Outcome::Malformed => self.fall_back(NegotiationError::Malformed {
                method: METHOD,
                detail: "it is no valid response".to_owned(),
            }),
            Outcome::TimedOut => self.fall_back(NegotiationError::TimedOut { method: METHOD }),
            Outcome::Ended if self.wire == Wire::Stream => self.probe_killed(),
            Outcome::Ended => self.fail(NegotiationError::Ended { method: METHOD }),
            Outcome::Unreachable => self.fail(NegotiationError::Unreachable { method: METHOD }),
        }
    }

    fn discovered(&mut self, result: &RawJson) {
        let result: DiscoverResult = match result.decode() {
            Ok(result) => result,
            // Some servers answer whatever they are asked.
            Err(e) => {
                return self.fall_back(NegotiationError::Malformed {
                    method: METHOD,
                    detail: e.to_string(),
                });
            }
        };
        let ours = self.client.versions_with(Feature::Stateless);
        let theirs = &result.supported_versions;
        let Some(version) = ProtocolVersion::newest_mutual(&ours, theirs) else {
            let theirs = result.supported_versions;
            return self.other_lifecycle(theirs);
        };
        let mut negotiated = Negotiated::new(version, result.capabilities, self.client.clone());
        negotiated.server_info = result.meta.as_ref().and_then(|meta| meta.server_info());
        negotiated.instructions = result.instructions;
        self.done(negotiated);
    }

    fn probe_refused(&mut self, now: Instant, error: ErrorObject) {
        let (modern, theirs) = (is_stateless_only(error.code), supported(&error));
        let refused = NegotiationError::Refused {
            method: METHOD,
            error,
        };
        if !modern {
            return self.fall_back(refused);
        }
        if theirs.is_empty() {
            return self.fail(refused);
        }
        let mut worth_it = self.client.versions_with(Feature::Stateless);
        worth_it.retain(|version| self.times_probed(*version) < MAX_PROBES);
        match ProtocolVersion::newest_mutual(&worth_it, &theirs) {
            Some(version) => self.send_probe(now, version),
            None => self.other_lifecycle(theirs),
        }
    }

    fn times_probed(&self, version: ProtocolVersion) -> usize {
        self.probed
            .iter()
            .filter(|probed| **probed == version)
            .count()
    }

    /// The server does without handshake, but not in a revision of ours; it may name one with
    /// handshake that is.
    fn other_lifecycle(&mut self, theirs: Vec<String>) {
        let handshake = self.client.versions_with(Feature::Handshake);
        match ProtocolVersion::newest_mutual(&handshake, &theirs) {
            Some(version) if self.preference == Preference::Auto => self.offer(version),
            _ => {
                let ours = self.client.versions.clone();
                self.fail(NegotiationError::NoCommonVersion { ours, theirs });
            }
        }
    }

    /// The server does not know the probe, so it wants the handshake. `why` is the error if that
    /// is closed to us.
    fn fall_back(&mut self, why: NegotiationError) {
        self.deadline = None;
        if let Some(refused) = self.refused.take() {
            self.fail(refused);
        } else if !self.may_shake_hands() {
            self.fail(why);
        } else if self.initialize.is_none() {
            self.offer(ProtocolVersion::LATEST_HANDSHAKE);
        }
    }

    /// Some servers from before the probe end when they are sent it.
    fn probe_killed(&mut self) {
        self.initialize = None;
        if self.may_shake_hands() && !self.reconnected {
            self.reconnect(ProtocolVersion::LATEST_HANDSHAKE);
        } else {
            self.fail(NegotiationError::Ended { method: METHOD });
        }
    }

    /// Opens a fresh connection and offers the handshake there.
    pub(super) fn reconnect(&mut self, version: ProtocolVersion) {
        self.reconnected = true;
        self.probe = None;
        self.refused = None;
        self.deadline = None;
        self.steps.clear();
        self.steps.push_back(Step::Reconnect);
        self.offer(version);
    }
}

/// The revisions that an error says the server speaks.
pub(super) fn supported(error: &ErrorObject) -> Vec<String> {
    #[derive(Deserialize)]
    struct Data {
        supported: Vec<String>,
    }
    let data = error.data.as_ref();
    let data: Option<Data> = data.and_then(|data| serde_json::from_str(data.get()).ok());
    data.map(|data| data.supported).unwrap_or_default()
}

/// Whether an HTTP status may mean that the server wants the handshake: authorization, overload
/// and failures of the server or of what stands before it do not.
const fn is_era_signal(status: u16) -> bool {
    matches!(status, 400..=499) && !matches!(status, 401 | 403 | 407 | 408 | 425 | 429)
}
