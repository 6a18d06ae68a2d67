//! Every outcome of the probe, over a stream and over HTTP.

use std::time::{Duration, Instant};

use mcp_jsonrpc::{ErrorCode, ErrorObject, RawJson};
use mcp_protocol::lifecycle::{
    ClientIdentity, NegotiationError, Negotiator, Outcome, Preference, Step, Wire,
};
use mcp_protocol::{ClientCapabilities, Implementation, ProtocolVersion};
use serde_json::{Value, json};

use super::transcript::start;

struct Talk {
    negotiator: Negotiator,
    now: Instant,
}

fn talk(wire: Wire, preference: Preference) -> Talk {
    talk_as(&ProtocolVersion::ALL, wire, preference)
}

fn talk_as(versions: &[ProtocolVersion], wire: Wire, preference: Preference) -> Talk {
    let client = ClientIdentity::new(Implementation::new("c", "1"), ClientCapabilities::new())
        .with_versions(versions);
    Talk {
        negotiator: Negotiator::new(client, wire, preference),
        now: start(),
    }
}

impl Talk {
    /// The next step, in short: `0 server/discover`, `notify`, `reconnect`, `done VERSION`.
    fn next(&mut self) -> String {
        match self.negotiator.poll_step(self.now) {
            None => String::new(),
            Some(Step::Request { key, method, .. }) => format!("{key} {method}"),
            Some(Step::Notify { version, .. }) => format!("notify {version}"),
            Some(Step::Reconnect) => "reconnect".to_owned(),
            Some(Step::Done(negotiated)) => format!("done {}", negotiated.version),
            Some(Step::Failed(error)) => format!("failed: {error}"),
            Some(other) => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn expect(&mut self, steps: &[&str]) -> &mut Self {
        for step in steps {
            assert_eq!(self.next(), *step);
        }
        assert_eq!(self.next(), "");
        self
    }

    fn ended(&mut self, key: u32, outcome: Outcome) -> &mut Self {
        self.negotiator.handle_outcome(self.now, key, outcome);
        self
    }

    fn wait(&mut self, seconds: u64) -> &mut Self {
        self.now += Duration::from_secs(seconds);
        self.negotiator.handle_timeout(self.now);
        self
    }
}

fn discovered(versions: &[&str]) -> Outcome {
    result(json!({
        "resultType": "complete", "supportedVersions": versions,
        "capabilities": {"tools": {}}, "instructions": "be kind", "ttlMs": 0,
        "cacheScope": "public",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}},
    }))
}

fn initialized(version: &str) -> Outcome {
    result(json!({
        "protocolVersion": version, "capabilities": {},
        "serverInfo": {"name": "s", "version": "1"},
    }))
}

fn result(value: Value) -> Outcome {
    Outcome::Result(RawJson::from(value))
}

fn error(code: i64) -> ErrorObject {
    ErrorObject::new(ErrorCode(code), "no")
}

fn unsupported(versions: &[&str]) -> ErrorObject {
    let data = json!({"supported": versions, "requested": "2026-07-28"});
    error(-32022).with_data(&data).unwrap()
}

const WIRES: [Wire; 2] = [Wire::Stream, Wire::Http];

#[test]
fn life_22_a_discover_result_means_stateless_requests() {
    for wire in WIRES {
        let mut talk = talk(wire, Preference::Auto);
        talk.expect(&["0 server/discover"]);
        talk.ended(0, discovered(&["2026-07-28", "2025-11-25"]));
        let Some(Step::Done(negotiated)) = talk.negotiator.poll_step(talk.now) else {
            panic!("not done");
        };
        assert_eq!(negotiated.version, ProtocolVersion::V2026_07_28);
        assert_eq!(negotiated.server_info.unwrap().name, "s");
        assert_eq!(negotiated.instructions.unwrap(), "be kind");
    }
}

#[test]
fn life_23_any_other_error_means_the_handshake() {
    for wire in WIRES {
        for code in [-32601, -32602, -32600, -32603, -32700, -32000, -32001, 7] {
            talk(wire, Preference::Auto)
                .expect(&["0 server/discover"])
                .ended(0, Outcome::Error(error(code)))
                .expect(&["1 initialize"])
                .ended(1, initialized("2025-06-18"))
                .expect(&["notify 2025-06-18", "done 2025-06-18"]);
        }
    }
}

#[test]
fn life_23_a_result_of_any_other_shape_means_the_handshake() {
    for outcome in [
        result(json!({})),
        result(json!({"ok": true})),
        Outcome::Malformed,
    ] {
        talk(Wire::Stream, Preference::Auto)
            .expect(&["0 server/discover"])
            .ended(0, outcome)
            .expect(&["1 initialize"]);
    }
}

#[test]
fn life_23_silence_means_the_handshake_on_the_same_connection() {
    for wire in WIRES {
        talk(wire, Preference::Auto)
            .expect(&["0 server/discover"])
            .wait(9)
            .expect(&[])
            .wait(1)
            .expect(&["1 initialize"])
            .ended(1, initialized("2024-11-05"))
            .expect(&["notify 2024-11-05", "done 2024-11-05"])
            .ended(0, Outcome::Error(error(-32601)))
            .expect(&[]);
    }
}

#[test]
fn life_24_errors_that_only_a_stateless_server_knows_never_lead_to_the_handshake() {
    for code in [-32020, -32021, -32022] {
        let rejected = Outcome::Rejected {
            status: 400,
            error: Some(error(code)),
        };
        for outcome in [Outcome::Error(error(code)), rejected] {
            talk(Wire::Http, Preference::Auto)
                .expect(&["0 server/discover"])
                .ended(0, outcome)
                .expect(&["failed: the server refused server/discover"]);
        }
    }
    talk(Wire::Stream, Preference::Auto)
        .expect(&["0 server/discover"])
        .ended(0, Outcome::Error(unsupported(&["2027-01-01"])))
        .expect(&["failed: no common protocol version: we speak [2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28], the server [2027-01-01]"]);
}

#[test]
fn life_20_a_handshake_version_that_the_server_names_is_used() {
    for outcome in [
        Outcome::Error(unsupported(&["2027-01-01", "2025-03-26"])),
        discovered(&["2027-01-01", "2025-03-26"]),
    ] {
        talk(Wire::Stream, Preference::Auto)
            .expect(&["0 server/discover"])
            .ended(0, outcome)
            .expect(&["1 initialize"])
            .ended(1, initialized("2025-03-26"))
            .expect(&["notify 2025-03-26", "done 2025-03-26"]);
    }
}

#[test]
fn life_20_a_version_that_is_refused_and_listed_is_asked_for_once_more() {
    talk(Wire::Http, Preference::Auto)
        .expect(&["0 server/discover"])
        .ended(0, Outcome::Error(unsupported(&["2026-07-28"])))
        .expect(&["1 server/discover"])
        .ended(1, discovered(&["2026-07-28"]))
        .expect(&["done 2026-07-28"]);
    talk(Wire::Http, Preference::Auto)
        .expect(&["0 server/discover"])
        .ended(0, Outcome::Error(unsupported(&["2026-07-28"])))
        .expect(&["1 server/discover"])
        .ended(1, Outcome::Error(unsupported(&["2026-07-28"])))
        .expect(&["failed: no common protocol version: we speak [2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28], the server [2026-07-28]"]);
}

#[test]
fn life_25_a_late_discover_result_wins_over_the_handshake() {
    talk(Wire::Stream, Preference::Auto)
        .expect(&["0 server/discover"])
        .wait(10)
        .expect(&["1 initialize"])
        .ended(0, discovered(&["2026-07-28"]))
        .expect(&["done 2026-07-28"])
        .ended(1, Outcome::Error(error(-32022)))
        .expect(&[]);
    // The other way round: the refusal of `initialize` is read first.
    talk(Wire::Stream, Preference::Auto)
        .expect(&["0 server/discover"])
        .wait(10)
        .expect(&["1 initialize"])
        .ended(1, Outcome::Error(unsupported(&["2026-07-28"])))
        .expect(&[])
        .ended(0, discovered(&["2026-07-28"]))
        .expect(&["done 2026-07-28"]);
}

#[test]
fn a_refused_handshake_is_reported_when_the_probe_stays_silent_or_fails_too() {
    let mut silent = talk(Wire::Stream, Preference::Auto);
    silent
        .expect(&["0 server/discover"])
        .wait(10)
        .expect(&["1 initialize"])
        .ended(1, Outcome::Error(error(-32603)))
        .wait(10)
        .expect(&["failed: the server refused initialize"]);
    talk(Wire::Stream, Preference::Auto)
        .expect(&["0 server/discover"])
        .wait(10)
        .expect(&["1 initialize"])
        .ended(1, Outcome::Error(error(-32603)))
        .ended(0, Outcome::Error(error(-32601)))
        .expect(&["failed: the server refused initialize"]);
}

#[test]
fn life_22_a_process_that_the_probe_ends_is_started_once_more() {
    talk(Wire::Stream, Preference::Auto)
        .expect(&["0 server/discover"])
        .ended(0, Outcome::Ended)
        .expect(&["reconnect", "1 initialize"])
        .ended(1, initialized("2024-11-05"))
        .expect(&["notify 2024-11-05", "done 2024-11-05"]);
    talk(Wire::Stream, Preference::Auto)
        .expect(&["0 server/discover"])
        .ended(0, Outcome::Ended)
        .expect(&["reconnect", "1 initialize"])
        .ended(1, Outcome::Ended)
        .expect(&["failed: the connection ended before the server answered initialize"]);
}

#[test]
fn a_process_that_ends_with_both_requests_open_is_started_once_more() {
    for order in [[0, 1], [1, 0]] {
        talk(Wire::Stream, Preference::Auto)
            .expect(&["0 server/discover"])
            .wait(10)
            .expect(&["1 initialize"])
            .ended(order[0], Outcome::Ended)
            .ended(order[1], Outcome::Ended)
            .expect(&["reconnect", "2 initialize"]);
    }
}

#[test]
fn an_initialize_that_breaks_off_over_http_does_not_wait_for_the_probe_for_ever() {
    talk(Wire::Http, Preference::Auto)
        .expect(&["0 server/discover"])
        .wait(10)
        .expect(&["1 initialize"])
        .ended(1, Outcome::Ended)
        .expect(&[])
        .wait(10)
        .expect(&["failed: the connection ended before the server answered initialize"]);
}

#[test]
fn life_26_http_statuses_that_mean_the_handshake() {
    for status in [400, 404, 405, 406, 415, 422] {
        for error in [None, Some(error(-32601)), Some(error(-32000))] {
            talk(Wire::Http, Preference::Auto)
                .expect(&["0 server/discover"])
                .ended(0, Outcome::Rejected { status, error })
                .expect(&["1 initialize"]);
        }
    }
}

#[test]
fn http_statuses_that_say_nothing_about_the_lifecycle_fail() {
    for status in [401, 403, 429, 500, 502, 503] {
        talk(Wire::Http, Preference::Auto)
            .expect(&["0 server/discover"])
            .ended(
                0,
                Outcome::Rejected {
                    status,
                    error: None,
                },
            )
            .expect(&[&format!(
                "failed: the server answered server/discover with HTTP {status}"
            )]);
    }
    for (outcome, message) in [
        (
            Outcome::Ended,
            "failed: the connection ended before the server answered server/discover",
        ),
        (
            Outcome::Unreachable,
            "failed: the server cannot be reached to send server/discover",
        ),
    ] {
        talk(Wire::Http, Preference::Auto)
            .expect(&["0 server/discover"])
            .ended(0, outcome)
            .expect(&[message]);
    }
}

#[test]
fn life_05_a_version_that_we_do_not_speak_ends_the_handshake() {
    for version in ["2023-01-01", "2026-07-28"] {
        talk(Wire::Stream, Preference::Handshake)
            .expect(&["0 initialize"])
            .ended(0, initialized(version))
            .expect(&[&format!("failed: no common protocol version: we speak [2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25], the server [{version}]")]);
    }
}

#[test]
fn an_initialize_error_that_names_versions_is_followed_once() {
    let named = |version| {
        let data = json!({"supported": [version], "requested": "2025-11-25"});
        Outcome::Error(error(-32602).with_data(&data).unwrap())
    };
    talk(Wire::Stream, Preference::Handshake)
        .expect(&["0 initialize"])
        .ended(0, named("2024-11-05"))
        .expect(&["reconnect", "1 initialize"])
        .ended(1, named("2025-03-26"))
        .expect(&["failed: the server refused initialize"]);
    talk(Wire::Stream, Preference::Auto)
        .expect(&["0 server/discover"])
        .ended(0, Outcome::Error(error(-32000)))
        .expect(&["1 initialize"])
        .ended(1, named("2026-07-28"))
        .expect(&["failed: the server refused initialize"]);
}

#[test]
fn a_preference_is_followed_without_a_way_out() {
    talk(Wire::Stream, Preference::Stateless)
        .expect(&["0 server/discover"])
        .wait(30)
        .expect(&[])
        .ended(0, Outcome::Error(error(-32601)))
        .expect(&["failed: the server refused server/discover"]);
    talk(Wire::Stream, Preference::Stateless)
        .expect(&["0 server/discover"])
        .ended(0, Outcome::Ended)
        .expect(&["failed: the connection ended before the server answered server/discover"]);
    talk_as(
        &[ProtocolVersion::V2025_06_18],
        Wire::Http,
        Preference::Auto,
    )
    .expect(&["0 initialize"])
    .ended(0, Outcome::TimedOut)
    .expect(&["failed: the server did not answer initialize in time"]);
    talk_as(&[], Wire::Http, Preference::Auto)
        .expect(&["failed: no common protocol version: we speak [], the server []"]);
}

#[test]
fn the_requests_carry_what_the_revisions_want() {
    let mut talk = talk(Wire::Http, Preference::Auto);
    let Some(Step::Request {
        params,
        mirror_version,
        timeout,
        ..
    }) = talk.negotiator.poll_step(talk.now)
    else {
        panic!("no probe");
    };
    let params: Value = params.decode().unwrap();
    assert_eq!(
        params["_meta"],
        json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        })
    );
    assert_eq!(
        (mirror_version, timeout),
        (Some(ProtocolVersion::LATEST), None)
    );
    talk.ended(0, Outcome::Error(error(-32601)));
    let Some(Step::Request {
        params,
        mirror_version,
        timeout,
        ..
    }) = talk.negotiator.poll_step(talk.now)
    else {
        panic!("no initialize");
    };
    let params: Value = params.decode().unwrap();
    assert_eq!(
        params,
        json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"},
        })
    );
    assert_eq!(
        (mirror_version, timeout),
        (None, Some(Duration::from_secs(60)))
    );
}

#[test]
fn errors_say_what_the_server_answered() {
    let error = NegotiationError::Refused {
        method: "initialize",
        error: error(-32603),
    };
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), "no (-32603)");
}
