//! The three messages as text: what is read, what is written, what is refused.

use std::collections::HashSet;

use mcp_jsonrpc::{
    DecodeError, ErrorCode, ErrorObject, Frame, Message, MethodName, Notification, Packet, RawJson,
    Request, Response,
};

use crate::{decode, encoded, frame, refused, reply};

fn raw(text: &str) -> RawJson {
    RawJson::parse(text.to_owned()).unwrap()
}

#[test]
fn rpc_01_every_message_written_says_jsonrpc_2_0() {
    let messages: [Message; 4] = [
        Request::new(1, "m", Some(raw("{}"))).into(),
        Notification::new("m", None).into(),
        Response::new(crate::Id::from("a"), Ok(raw("{}"))).into(),
        Response::new(None, Err(ErrorObject::internal("x"))).into(),
    ];
    for message in messages {
        let text = encoded(message.clone());
        assert!(text.starts_with(r#"{"jsonrpc":"2.0""#), "{text}");
        assert_eq!(decode(text).unwrap(), message);
    }
}

#[test]
fn rpc_06_a_notification_is_written_without_id_and_read_without_reply() {
    assert_eq!(
        encoded(Notification::new(
            "notifications/x",
            Some(raw(r#"{"a":1}"#))
        )),
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}"#
    );
    let bad = decode(r#"{"jsonrpc":"2.0","method":"notifications/x","params":[1]}"#);
    assert_eq!(reply(&bad.unwrap_err()), None);
}

#[test]
fn rpc_07_a_response_has_either_result_or_error_and_is_never_answered() {
    let texts = [
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#,
    ];
    for text in texts {
        let flaw = decode(text).unwrap_err();
        assert_eq!(reply(&flaw), None, "{text}");
        assert_eq!(flaw.answers(), Some(&1.into()), "{text}");
    }
}

#[test]
fn the_member_of_a_response_that_does_not_apply_may_be_null() {
    let failed =
        decode(r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":""}}"#);
    assert!(matches!(failed, Ok(Message::Response(r)) if r.outcome.is_err()));
    let done = decode(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#);
    assert!(matches!(done, Ok(Message::Response(r)) if r.outcome == Ok(RawJson::EMPTY)));
}

#[test]
fn rpc_08_an_error_needs_code_and_message_and_keeps_any_data() {
    for data in [
        "null",
        "1",
        "\"s\"",
        "[1,{}]",
        r#"{"requiredCapabilities":{}}"#,
    ] {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32021,"message":"m","data":{data},"x":0}}}}"#
        );
        let Ok(Message::Response(response)) = decode(text) else {
            panic!("{data}");
        };
        let error = response.outcome.unwrap_err();
        assert_eq!(error.code, ErrorCode(-32021));
        assert_eq!(error.data.as_ref().map_or("null", |d| d.get()), data);
    }
    for error in [
        r#"{"code":"-1","message":"m"}"#,
        r#"{"code":1}"#,
        r#"{"code":1.5,"message":""}"#,
        "7",
    ] {
        let flaw = decode(format!(r#"{{"jsonrpc":"2.0","id":4,"error":{error}}}"#)).unwrap_err();
        assert_eq!(
            (flaw.answers(), reply(&flaw)),
            (Some(&4.into()), None),
            "{error}"
        );
    }
}

#[test]
fn rpc_09_text_that_is_no_json_is_a_parse_error_without_id() {
    for text in [
        "{",
        "Server listening",
        "{\"jsonrpc\":\"2.0\",\"id\":1,",
        "{'a':1}",
        "{}x",
        "\u{1b}[2K",
    ] {
        assert_eq!(refused(text), Some((-32700, None)), "{text}");
    }
    let (id, error) = decode("{").unwrap_err().reply().unwrap();
    assert!(!encoded(Response::new(id, Err(error))).contains("\"id\""));
}

#[test]
fn rpc_10_a_wrong_jsonrpc_member_is_refused_under_the_id() {
    for member in [
        "",
        r#""jsonrpc":"1.0","#,
        r#""jsonrpc":2.0,"#,
        r#""jsonrpc":null,"#,
    ] {
        let text = format!(r#"{{{member}"id":"k","method":"ping"}}"#);
        assert_eq!(refused(text), Some((-32600, Some("k".into()))), "{member}");
    }
}

#[test]
fn rpc_13_params_that_are_no_object_are_invalid_params() {
    for params in ["[]", "[1]", "1", "\"s\"", "true"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{params}}}"#);
        assert_eq!(refused(text), Some((-32602, Some(1.into()))), "{params}");
    }
    let none = decode(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#);
    assert!(matches!(none, Ok(Message::Request(r)) if r.params.is_none()));
}

#[test]
fn rpc_14_a_batch_keeps_its_elements_in_order() {
    let text = r#" [{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"}]"#;
    let Ok(Frame::Batch(elements)) = frame(text) else {
        panic!("no batch");
    };
    assert!(matches!(&elements[0], Ok(Message::Request(r)) if &*r.method == "a"));
    assert!(matches!(&elements[1], Ok(Message::Notification(n)) if &*n.method == "b"));
    let answers = Packet::Batch(vec![
        Response::new(crate::Id::from(1), Ok(raw("{}"))).into();
        2
    ]);
    let mut out = Vec::new();
    answers.encode_into(&mut out);
    assert!(matches!(frame(out), Ok(Frame::Batch(answers)) if answers.len() == 2));
}

#[test]
fn rpc_16_a_message_that_is_no_object_is_an_invalid_request() {
    for text in ["[]", "[{}]", "1", "\"s\"", "null", "true"] {
        assert_eq!(refused(text), Some((-32600, None)), "{text}");
    }
}

#[test]
fn rpc_18_an_empty_batch_is_one_error_and_a_bad_element_its_own() {
    assert_eq!(reply(&frame("[]").unwrap_err()), Some((-32600, None)));
    let Ok(Frame::Batch(elements)) = frame(r#"[1,{"jsonrpc":"2.0","id":2},[]]"#) else {
        panic!("no batch");
    };
    let replies: Vec<_> = elements
        .iter()
        .map(|e| reply(e.as_ref().unwrap_err()))
        .collect();
    assert_eq!(
        replies,
        [
            Some((-32600, None)),
            Some((-32600, Some(2.into()))),
            Some((-32600, None))
        ]
    );
}

#[test]
fn a_batch_has_at_most_100_elements() {
    let batch = |n: usize| format!("[{}]", vec!["1"; n].join(","));
    assert!(matches!(frame(batch(100)), Ok(Frame::Batch(_))));
    let flaw = frame(batch(101)).unwrap_err();
    assert_eq!(reply(&flaw), Some((-32600, None)));
}

#[test]
fn rpc_25_text_that_is_not_utf_8_is_a_parse_error() {
    let text =
        &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"u\":\"\xff\xfe\"}}"[..];
    assert_eq!(refused(text), Some((-32700, None)));
}

#[test]
fn rpc_27_s08_deep_nesting_is_an_error_and_no_stack_overflow() {
    let deep = "[".repeat(100_000);
    assert_eq!(refused(deep.clone()), Some((-32700, None)));
    let closed = format!("{deep}{}", "]".repeat(100_000));
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":{closed}}}}}"#);
    let Ok(Message::Request(request)) = decode(text) else {
        panic!("params are not looked into");
    };
    assert!(
        request
            .params
            .unwrap()
            .decode::<serde_json::Value>()
            .is_err()
    );
}

#[test]
fn rpc_28_unknown_members_are_ignored() {
    let text = r#"{"x":[1,{}],"jsonrpc":"2.0","id":1,"method":"m","\u0061":0,"params":{}}"#;
    assert_eq!(
        decode(text).unwrap(),
        Request::new(1, "m", Some(raw("{}"))).into()
    );
}

#[test]
fn j13_names_are_exact_and_a_member_stands_once() {
    let ignored = [
        r#""METHOD":"evil""#,
        r#""method\u0000":"evil""#,
        r#""paramſ":{"a":1}"#,
    ];
    for member in ignored {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"safe",{member}}}"#);
        assert_eq!(decode(text).unwrap(), Request::new(1, "safe", None).into());
    }
    let twice = [
        r#""method":"evil""#,
        r#""params":{},"params":{}"#,
        r#""jsonrpc":"2.0""#,
    ];
    for member in twice {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"safe",{member}}}"#);
        assert_eq!(refused(text), Some((-32600, Some(1.into()))), "{member}");
    }
    let ids = r#"{"jsonrpc":"2.0","id":1,"method":"safe","id":2}"#;
    assert_eq!(refused(ids), Some((-32600, None)));
    let escaped = r#"{"jsonrpc":"2.0","id":1,"method":"safe","m\u0065thod":"evil"}"#;
    assert_eq!(refused(escaped), Some((-32600, Some(1.into()))));
}

#[test]
fn line_ends_between_tokens_are_not_written() {
    let params = raw("{\r\n  \"a\": \"b\\n\",\n  \"c\": 1\n}");
    let text = encoded(Request::new(1, "m", Some(params)));
    assert_eq!(
        text,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{  "a": "b\n",  "c": 1}}"#
    );
}

#[test]
fn the_parts_of_a_message_share_its_buffer() {
    let text = bytes::Bytes::from(format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":"{}"}}}}"#,
        "x".repeat(100)
    ));
    let Ok(Message::Request(request)) = Message::decode(text.clone()) else {
        panic!("no request");
    };
    let params = request.params.unwrap();
    assert!(text.as_ptr_range().contains(&params.as_bytes().as_ptr()));
}

#[test]
fn debug_output_shows_no_payload() {
    let message = decode(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"key":"secret"}}"#);
    assert!(!format!("{message:?}").contains("secret"));
    assert!(matches!(
        decode("nonsense"),
        Err(DecodeError::Syntax { .. })
    ));
}

#[test]
fn a_name_of_a_method_is_the_same_however_it_was_made() {
    let text = r#"{"jsonrpc":"2.0","method":"a/\u0062"}"#;
    let Ok(Message::Notification(escaped)) = decode(text) else {
        panic!("{text}");
    };
    let text = r#"{"jsonrpc":"2.0","method":"a/b"}"#;
    let Ok(Message::Notification(read)) = decode(text) else {
        panic!("{text}");
    };
    let known = MethodName::from_static("a/b");
    let names = HashSet::from([escaped.method.clone(), read.method.clone(), known.clone()]);
    assert_eq!(names.len(), 1);
    assert_eq!((&*escaped.method, &*read.method), ("a/b", "a/b"));
    assert!(read.method < MethodName::from("a/c".to_owned()) && known >= read.method);
}
