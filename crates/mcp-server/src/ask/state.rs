//! `requestState`: what a round hands to the next by way of the client, who may read it and
//! must not be able to change it.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use hmac_sha256::HMAC;
use mcp_jsonrpc::{ErrorObject, MethodName, RawJson};
use serde_json::{Map, Value};

use super::rounds::Carried;

/// The longest `requestState`, in bytes.
const MAX_STATE: usize = 64 * 1024;
/// How long after a round the next may come.
const TTL: Duration = Duration::from_secs(3600);

/// Signs the state of rounds.
///
/// The signature covers the request (its method and its params, without what changes from round
/// to round), who has made it, and when the state expires. It does not keep a client from
/// sending the same state twice.
pub(crate) struct Seal {
    key: OnceLock<[u8; 32]>,
    /// The time of day.
    now: fn() -> SystemTime,
}

/// What a state belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) method: MethodName,
    pub(crate) params: RawJson,
    /// Who asks, where the transport knows.
    pub(crate) principal: Option<String>,
}

impl Seal {
    /// Signs with this key, or with one of its own: a state is good for this process only then.
    pub(crate) fn new(key: Option<[u8; 32]>, now: fn() -> SystemTime) -> Self {
        let key = key.map_or_else(OnceLock::new, OnceLock::from);
        Self { key, now }
    }

    fn key(&self) -> Result<&[u8; 32], ErrorObject> {
        if let Some(key) = self.key.get() {
            return Ok(key);
        }
        let mut key = [0; 32];
        match getrandom::fill(&mut key) {
            Ok(()) => Ok(self.key.get_or_init(|| key)),
            Err(error) => {
                tracing::error!(%error, "no random key for the state of requests");
                Err(ErrorObject::internal("the server failed to answer"))
            }
        }
    }

    pub(super) fn seal(&self, carried: &Carried, subject: &Subject) -> Result<String, ErrorObject> {
        let expires = (self.time() + TTL).as_secs();
        let mut payload = expires.to_be_bytes().to_vec();
        let written = serde_json::to_writer(&mut payload, carried);
        let tag = self.mac(&payload, subject)?.finalize();
        let state = format!("{}.{}", BASE64.encode(&payload), BASE64.encode(tag));
        if written.is_err() || state.len() > MAX_STATE {
            tracing::error!(
                bytes = state.len(),
                "what a request keeps between its rounds is too long"
            );
            return Err(ErrorObject::internal("the server failed to answer"));
        }
        Ok(state)
    }

    pub(super) fn open(&self, state: &str, subject: &Subject) -> Result<Carried, ErrorObject> {
        // Why it is not valid is nothing that helps an honest client.
        self.read(state, subject)
            .ok_or_else(|| ErrorObject::invalid_params("requestState is not valid, or has expired"))
    }

    fn read(&self, state: &str, subject: &Subject) -> Option<Carried> {
        let (payload, tag) = state.split_once('.').filter(|_| state.len() <= MAX_STATE)?;
        let payload = BASE64.decode(payload).ok()?;
        let tag = BASE64.decode(tag).ok()?.try_into().ok()?;
        // Compares in constant time.
        if !self.mac(&payload, subject).ok()?.finalize_verify(&tag) {
            return None;
        }
        let (expires, carried) = payload.split_first_chunk()?;
        if u64::from_be_bytes(*expires) < self.time().as_secs() {
            return None;
        }
        serde_json::from_slice(carried).ok()
    }

    /// The time since 1970.
    fn time(&self) -> Duration {
        (self.now)().duration_since(UNIX_EPOCH).unwrap_or_default()
    }

    fn mac(&self, payload: &[u8], subject: &Subject) -> Result<HMAC, ErrorObject> {
        let mut mac = HMAC::new(self.key()?);
        let params = subject.lasting_params();
        let principal = subject.principal.as_deref();
        // Lengths keep one part from being read as the beginning of the next.
        for part in [
            b"mcp request state 1".as_slice(),
            subject.method.as_bytes(),
            params.as_bytes(),
            if principal.is_some() { b"by" } else { b"" },
            principal.unwrap_or_default().as_bytes(),
            payload,
        ] {
            mac.update((part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        Ok(mac)
    }
}

impl Subject {
    /// The params that are the same in each round, in a form that does not depend on how the
    /// client writes them.
    fn lasting_params(&self) -> String {
        let mut params: Map<String, Value> = self.params.decode().unwrap_or_default();
        for name in ["_meta", "inputResponses", "requestState"] {
            params.remove(name);
        }
        // A call without arguments may be written in three ways, and members in any order.
        params.retain(|_, value| !value.is_null() && *value != Value::Object(Map::new()));
        let mut params = Value::Object(params);
        params.sort_all_objects();
        params.to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use mcp_jsonrpc::{MethodName, RawJson};
    use serde_json::json;

    use super::{Carried, Seal, Subject};

    fn subject(params: RawJson) -> Subject {
        Subject {
            method: MethodName::from("tools/call"),
            params,
            principal: None,
        }
    }

    /// A day, so many seconds in.
    fn after(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(20_000 * 86_400 + seconds)
    }

    #[test]
    fn proto_61_a_state_is_good_for_an_hour() {
        let subject = subject(RawJson::from(json!({})));
        let seal = |now| Seal::new(Some([7; 32]), now);
        let first = seal(|| after(0));
        let state = first.seal(&Carried::default(), &subject).unwrap();
        let (last, late) = (seal(|| after(3600)), seal(|| after(3601)));
        assert!(last.open(&state, &subject).is_ok());
        assert!(late.open(&state, &subject).is_err());
    }

    #[test]
    fn a_state_does_not_depend_on_how_the_params_are_written() {
        let params = |text: &str| RawJson::parse(text.to_owned()).unwrap();
        let first = subject(params(
            r#"{"name":"t","arguments":{"a":{"x":1,"y":2},"b":2}}"#,
        ));
        let again = subject(params(
            r#"{"requestState":"s", "arguments":{"b":2,"a":{"y":2,"x":1}}, "name":"t"}"#,
        ));
        let other = subject(params(
            r#"{"name":"t","arguments":{"a":{"x":2,"y":1},"b":2}}"#,
        ));
        let seal = Seal::new(None, SystemTime::now);
        let state = seal.seal(&Carried::default(), &first).unwrap();
        assert!(seal.open(&state, &again).is_ok());
        assert!(seal.open(&state, &other).is_err());
    }
}
