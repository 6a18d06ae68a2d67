//! `initialize`, from the client's side.

use std::time::Instant;

use mcp_jsonrpc::{ErrorObject, RawJson};

use super::super::negotiated::Negotiated;
use super::probe::supported;
use super::{INITIALIZE, INITIALIZED, Negotiator, Outcome, Preference, Step};
use crate::error::NegotiationError;
use crate::initialize::{InitializeParams, InitializeResult};
use crate::{Feature, ProtocolVersion};

const METHOD: &str = "initialize";

impl Negotiator {
    /// Offers this revision, or the newest of ours if it is not one of them.
    pub(super) fn offer(&mut self, version: ProtocolVersion) {
        let ours = self.client.versions_with(Feature::Handshake);
        let Some(version) = ours
            .iter()
            .find(|v| **v == version)
            .or_else(|| ours.last())
            .copied()
        else {
            return self.fail(NegotiationError::NoCommonVersion {
                ours,
                theirs: Vec::new(),
            });
        };
        let params = InitializeParams::new(
            version.as_str(),
            self.client.capabilities.as_ref().clone(),
            (*self.client.info).clone(),
        );
        let Ok(params) = RawJson::encode(&params) else {
            return self.fail(NegotiationError::Malformed {
                method: METHOD,
                detail: "our own capabilities cannot be encoded".to_owned(),
            });
        };
        self.offered.push(version);
        let timeout = Some(self.initialize_timeout);
        self.initialize = Some(self.request(INITIALIZE, params, None, timeout));
    }

    pub(super) fn initialize_ended(&mut self, now: Instant, outcome: Outcome) {
        match outcome {
            Outcome::Result(result) => self.initialized(&result),
            Outcome::Error(error) => self.initialize_refused(now, error),
            Outcome::Rejected { status, error } => self.give_up(
                now,
                NegotiationError::Rejected {
                    method: METHOD,
                    status,
                    error,
                },
            ),
            Outcome::Malformed => self.give_up(
                now,
                NegotiationError::Malformed {
                    method: METHOD,
                    detail: "it is no valid response".to_owned(),
                },
            ),
            Outcome::TimedOut => self.fail(NegotiationError::TimedOut { method: METHOD }),
            // On a stream both requests end together, and what the probe's end means comes next.
            Outcome::Ended => self.give_up(now, NegotiationError::Ended { method: METHOD }),
            Outcome::Unreachable => self.fail(NegotiationError::Unreachable { method: METHOD }),
        }
    }

    fn initialized(&mut self, result: &RawJson) {
        let result: InitializeResult = match result.decode() {
            Ok(result) => result,
            Err(e) => {
                return self.fail(NegotiationError::Malformed {
                    method: METHOD,
                    detail: e.to_string(),
                });
            }
        };
        let ours = self.client.versions_with(Feature::Handshake);
        let theirs = vec![result.protocol_version];
        let Some(version) = ProtocolVersion::newest_mutual(&ours, &theirs) else {
            return self.fail(NegotiationError::NoCommonVersion { ours, theirs });
        };
        let mut negotiated = Negotiated::new(version, result.capabilities, self.client.clone());
        negotiated.server_info = Some(result.server_info);
        negotiated.instructions = result.instructions;
        self.steps.push_back(Step::Notify {
            method: INITIALIZED,
            version,
        });
        self.done(negotiated);
    }

    fn initialize_refused(&mut self, now: Instant, error: ErrorObject) {
        let theirs = supported(&error);
        let mut untried = self.client.versions.clone();
        untried.retain(|v| !self.offered.contains(v) && !self.probed.contains(v));
        match ProtocolVersion::newest_mutual(&untried, &theirs) {
            Some(version) if version.has(Feature::Handshake) && !self.reconnected => {
                self.reconnect(version);
            }
            Some(version) if version.is_stateless() && self.preference == Preference::Auto => {
                self.send_probe(now, version);
            }
            _ => self.give_up(
                now,
                NegotiationError::Refused {
                    method: METHOD,
                    error,
                },
            ),
        }
    }

    /// The handshake failed. While the probe is open, the server may yet turn out to have been
    /// slow rather than old.
    fn give_up(&mut self, now: Instant, why: NegotiationError) {
        if self.probe.is_some() {
            self.deadline = now.checked_add(self.probe_timeout);
            self.refused = Some(why);
        } else {
            self.fail(why);
        }
    }
}
