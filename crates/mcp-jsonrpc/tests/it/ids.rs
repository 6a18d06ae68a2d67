//! Ids: kept to the letter, never guessed.

use std::time::Instant;

use mcp_jsonrpc::{Event, Exchange, Id, Limits, Message, RawJson};
use proptest::prelude::{any, proptest};

use crate::{decode, encoded, refused};

/// Sends one request with this id, as it stands in JSON, and returns the answer.
fn answer(id: &str) -> String {
    let mut exchange = Exchange::<()>::new(Limits::default());
    let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    exchange.handle_message(Instant::now(), decode(text).unwrap());
    let Some(Event::Request(request)) = exchange.poll_event() else {
        panic!("no request");
    };
    assert!(exchange.respond(&request.id, Ok(RawJson::EMPTY)));
    encoded(exchange.poll_transmit().unwrap())
}

#[test]
fn rpc_03_a_response_repeats_the_id_in_value_and_type() {
    let ids = [
        "1",
        "\"1\"",
        "\"\"",
        "0",
        "-5",
        "9223372036854775807",
        "18446744073709551615",
        "-9223372036854775808",
        r#""ünï \"q\" \\ \n""#,
    ];
    for id in ids {
        assert_eq!(
            answer(id),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        );
    }
}

#[test]
fn j01_string_and_number_ids_are_echoed_as_they_came() {
    for id in ["\"1\"", "1", "\"\"", "\"007\"", "\"14f4-ab\"", "-5", "0"] {
        assert_eq!(
            answer(id),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        );
    }
}

#[test]
fn j01_the_ids_1_and_string_1_are_in_flight_together() {
    let mut exchange = Exchange::<()>::new(Limits::default());
    let now = Instant::now();
    for id in ["1", "\"1\""] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        exchange.handle_message(now, decode(text).unwrap());
        assert!(matches!(exchange.poll_event(), Some(Event::Request(_))));
    }
    let result = |text: &str| Ok(RawJson::parse(text.to_owned()).unwrap());
    assert!(exchange.respond(&"1".into(), result("\"s\"")));
    assert!(exchange.respond(&1.into(), result("\"n\"")));
    let sent = [(); 2].map(|()| encoded(exchange.poll_transmit().unwrap()));
    assert_eq!(sent[0], r#"{"jsonrpc":"2.0","id":"1","result":"s"}"#);
    assert_eq!(sent[1], r#"{"jsonrpc":"2.0","id":1,"result":"n"}"#);
}

#[test]
fn rpc_11_j02_a_request_with_an_id_that_is_none_is_answered_and_never_run() {
    let ids = [
        "null",
        "1.5",
        "true",
        "{}",
        "[]",
        "18446744073709551616",
        "1.0",
        "1e3",
        "-0",
    ];
    for id in ids {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        assert_eq!(refused(text), Some((-32600, None)), "{id}");
    }
}

#[test]
fn j02_the_largest_integers_are_ids() {
    assert_eq!(
        answer("18446744073709551615")
            .matches("18446744073709551615")
            .count(),
        1
    );
}

#[test]
fn a_string_id_has_at_most_1024_bytes() {
    let text = |n| {
        format!(
            r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#,
            "x".repeat(n)
        )
    };
    assert!(matches!(decode(text(1024)), Ok(Message::Request(_))));
    assert_eq!(refused(text(1025)), Some((-32600, None)));
}

#[test]
fn integers_are_one_id_whatever_type_they_come_from() {
    assert_eq!(Id::from(7_i64), Id::from(7_u64));
    assert_eq!(Id::from(7_i32), Id::from(7_i64));
    assert_ne!(Id::from(7), Id::from("7"));
    assert_eq!(Id::from("7").to_string(), "\"7\"");
}

proptest! {
    #[test]
    fn rpc_02_ids_round_trip(n in any::<i64>(), u in any::<u64>(), s in any::<String>()) {
        for id in [Id::from(n), Id::from(u), Id::from(s)] {
            let json = serde_json::to_string(&id).unwrap();
            assert!(json.starts_with('"') || json.parse::<i128>().is_ok());
            if id.as_str().is_none_or(|s| s.len() <= Id::MAX_LEN) {
                assert_eq!(serde_json::from_str::<Id>(&json).unwrap(), id);
            }
        }
    }
}
