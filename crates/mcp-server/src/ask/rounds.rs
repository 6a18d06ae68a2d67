//! The rounds of questions and answers that a request takes since 2026-07-28.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_jsonrpc::{ErrorObject, MethodName, RawJson};
use mcp_protocol::{InputRequest, InputRequests, InputRequiredResult};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::Notify;

use super::state::{Seal, Subject};

/// Values by key, undecoded.
type Values = BTreeMap<String, Box<RawValue>>;

/// What outlives a round, as the client carries it to the next.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Carried {
    /// Answers that the handler has used.
    #[serde(rename = "a", default, skip_serializing_if = "BTreeMap::is_empty")]
    answers: Values,
    /// What was to be done only once.
    #[serde(rename = "k", default, skip_serializing_if = "BTreeMap::is_empty")]
    kept: Values,
}

/// One round of a request.
#[derive(Debug)]
pub(crate) struct Rounds {
    subject: Subject,
    state: Mutex<State>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    given: Values,
    carried: Carried,
    uses: HashMap<(Kind, String), usize>,
    asked: InputRequests,
    ended: bool,
}

/// What a key names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Question,
    Once,
}

/// What the client brings to a round.
#[derive(Debug, Default)]
pub(crate) struct Brought<'a> {
    pub(crate) input_responses: Option<&'a str>,
    pub(crate) request_state: Option<&'a str>,
}

impl Rounds {
    pub(crate) fn begin(
        subject: Subject,
        brought: &Brought<'_>,
        seal: &Seal,
    ) -> Result<Self, ErrorObject> {
        let given = brought.input_responses.map(|answers| {
            serde_json::from_str(answers).map_err(|error| {
                ErrorObject::invalid_params(format!("inputResponses is not an object: {error}"))
            })
        });
        let carried = brought
            .request_state
            .map(|state| seal.open(state, &subject));
        let state = State {
            given: given.transpose()?.unwrap_or_default(),
            carried: carried.transpose()?.unwrap_or_default(),
            ..State::default()
        };
        Ok(Self {
            subject,
            state: Mutex::new(state),
            ended: Notify::new(),
        })
    }

    /// The key of this use: the n-th use of a key in a run is another question, or another thing
    /// to be done once, than the first.
    pub(super) fn key_of_this_use(&self, kind: Kind, key: &str) -> String {
        let mut state = self.lock();
        let uses = state.uses.entry((kind, key.to_owned())).or_default();
        *uses += 1;
        match *uses {
            1 => key.to_owned(),
            n => format!("{key}#{n}"),
        }
    }

    /// The answer to a question, if there is one and it is one.
    pub(super) fn answer<T: DeserializeOwned>(
        &self,
        key: &str,
        fits: impl Fn(&T) -> bool,
    ) -> Option<T> {
        let mut state = self.lock();
        let brought = state.given.remove(key);
        let raw = brought.or_else(|| state.carried.answers.remove(key))?;
        // What is no answer is not carried on, so that the question is asked again.
        let answer = serde_json::from_str(raw.get()).ok().filter(fits)?;
        state.carried.answers.insert(key.to_owned(), raw);
        Some(answer)
    }

    /// Adds a question to those that end the round.
    pub(super) fn ask(&self, key: String, method: &MethodName, params: RawJson) {
        let question = InputRequest::Other {
            method: method.as_str().to_owned(),
            params: Some(params),
        };
        self.lock().asked.insert(key, question);
    }

    /// Waits until the round has ended.
    pub(super) async fn ended(&self) {
        loop {
            let ended = self.ended.notified();
            if self.lock().ended {
                return;
            }
            ended.await;
        }
    }

    pub(super) fn kept<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let state = self.lock();
        serde_json::from_str(state.carried.kept.get(key)?.get()).ok()
    }

    pub(super) fn keep(&self, key: String, value: &impl Serialize) {
        match serde_json::value::to_raw_value(value) {
            Ok(raw) => drop(self.lock().carried.kept.insert(key, raw)),
            Err(error) => tracing::error!(%error, key, "a value that JSON cannot express"),
        }
    }

    /// Whether the handler waits for the client.
    pub(crate) fn has_questions(&self) -> bool {
        !self.lock().asked.is_empty()
    }

    /// The questions that end the round, and what the next one has to know.
    pub(crate) fn finish(&self, seal: &Seal) -> Result<InputRequiredResult, ErrorObject> {
        let mut state = self.lock();
        let mut result = InputRequiredResult::new(std::mem::take(&mut state.asked));
        if !(state.carried.answers.is_empty() && state.carried.kept.is_empty()) {
            result.request_state = Some(seal.seal(&state.carried, &self.subject)?);
        }
        Ok(result)
    }

    /// Lets go of whoever still waits for an answer.
    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.ended.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
