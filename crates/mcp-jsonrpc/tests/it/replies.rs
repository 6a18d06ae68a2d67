//! Who gets a reply to what is wrong, with which code and id.

use std::time::Instant;

use mcp_jsonrpc::{CallOptions, Event, Exchange, Failure, Limits};

use crate::{decode, encoded};

/// All that a receiver sends in answer to this text.
fn sent(text: &str) -> Vec<String> {
    let mut exchange = Exchange::<()>::new(Limits::default());
    match decode(text.to_owned()) {
        Ok(message) => exchange.handle_message(Instant::now(), message),
        Err(flaw) => exchange.handle_flaw(flaw),
    }
    std::iter::from_fn(|| exchange.poll_transmit().map(encoded)).collect()
}

#[test]
fn j15_a_bad_envelope_is_answered_under_its_id() {
    for text in [
        r#"{"id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
    ] {
        let sent = sent(text);
        assert_eq!(sent.len(), 1, "{text}");
        assert!(
            sent[0].starts_with(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"#),
            "{}",
            sent[0]
        );
    }
}

#[test]
fn j15_notifications_and_responses_get_no_byte_of_reply() {
    for text in [
        r#"{"jsonrpc":"2.0","method":"notifications/zzz"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/zzz","params":7}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}"#,
    ] {
        assert_eq!(sent(text), [""; 0], "{text}");
    }
}

#[test]
fn j15_a_message_of_no_kind_is_a_malformed_response_to_who_takes_only_those() {
    let flaw = decode(r#"{"jsonrpc":"2.0","id":7}"#).unwrap_err();
    assert!(flaw.reply().is_some());
    assert_eq!(flaw.as_response().answers(), Some(&7.into()));
    for other in [
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"1.0","id":7,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":1}"#,
    ] {
        let flaw = decode(other).unwrap_err();
        assert_eq!(flaw.clone().as_response(), flaw, "{other}");
    }
}

#[test]
fn j15_a_malformed_response_fails_its_call() {
    let mut exchange = Exchange::new(Limits::default());
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"E_FAIL","message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"1.0","id":3,"result":{}}"#,
    ] {
        let options = CallOptions::default();
        let id = exchange
            .call(Instant::now(), "m".into(), None, options, text)
            .unwrap();
        exchange.handle_flaw(decode(text).unwrap_err());
        let Some(Event::Ended {
            id: ended,
            tag,
            outcome: Err(Failure::Malformed(_)),
        }) = exchange.poll_event()
        else {
            panic!("{text}");
        };
        assert_eq!((ended, tag), (id, text));
    }
}
