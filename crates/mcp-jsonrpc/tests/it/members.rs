//! The members of raw JSON, found without decoding it.

use mcp_jsonrpc::{Message, RawJson};
use proptest::prelude::*;

use crate::decode;

fn raw(text: &str) -> RawJson {
    RawJson::parse(text.to_owned()).unwrap()
}

#[test]
fn members_are_picked_out_of_what_was_read_as_out_of_any_text() {
    let params = [
        r#"{"_meta":{"a":{"_meta":1}},"name":"x","arguments":{"name":"y"}}"#,
        "{ \"name\" :\t\"x\" , \"_meta\": { } }",
        r#"{"name":"x","\u006eame":"y"}"#,
        r#"{"name":"x","name":"y"}"#,
        r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"name":"x"}"#,
        "{}",
    ];
    for text in params {
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{text}}}"#);
        let Ok(Message::Request(request)) = decode(message) else {
            panic!("{text}");
        };
        let names = ["_meta", "name", "a"];
        let read = request.params.unwrap();
        assert_eq!(read.as_str(), text);
        assert_eq!(read.pick(names), raw(text).pick(names), "{text}");
    }
}

#[test]
fn where_a_message_has_params_and_a_result_neither_is_taken_for_the_other() {
    let texts = [
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1},"result":{"b":{"a":2}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","result":{"b":{"a":2}},"params":{"a":1}}"#,
    ];
    for text in texts {
        let Ok(Message::Request(request)) = decode(text) else {
            panic!("{text}");
        };
        let params = request.params.unwrap();
        assert_eq!(params.pick(["a", "b"]), Some([Some("1"), None]), "{text}");
    }
    let texts = [
        r#"{"jsonrpc":"2.0","id":1,"params":{"a":1},"result":["a",1]}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":["a",1],"params":{"a":1}}"#,
    ];
    for text in texts {
        let Ok(Message::Response(response)) = decode(text) else {
            panic!("{text}");
        };
        assert_eq!(response.outcome.unwrap().pick(["a"]), None, "{text}");
    }
}

/// Members as they are written, and what each is called and has as its value.
#[derive(Clone, Debug)]
struct Written {
    text: String,
    members: Vec<(&'static str, String)>,
}

impl Written {
    /// What is to be picked: nothing where a member that is asked for stands twice.
    fn expected<'a, const N: usize>(&'a self, names: [&str; N]) -> Option<[Option<&'a str>; N]> {
        let mut picked = [None; N];
        for (name, slot) in names.iter().zip(&mut picked) {
            let mut all = self.members.iter().filter(|(known, _)| known == name);
            *slot = all.next().map(|(_, value)| value.as_str());
            if all.next().is_some() {
                return None;
            }
        }
        Some(picked)
    }

    fn check(&self, read: &RawJson) {
        let names = ["_meta", "name", "nam"];
        assert_eq!(read.as_str(), self.text);
        assert_eq!(read.pick(names), self.expected(names), "{}", self.text);
        assert_eq!(
            raw(&self.text).pick(names),
            self.expected(names),
            "{}",
            self.text
        );
    }
}

/// Values in which stands what could be taken for a member, or for its end.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(
        &[
            "null",
            "-1.5e3",
            "\"\"",
            "\"name\"",
            r#""\"name\":1,""#,
            r#""\\""#,
            r#""\u005f}é{,""#,
        ][..],
    );
    leaf.prop_map(str::to_owned)
        .prop_recursive(3, 24, 6, |inner| {
            let array = proptest::collection::vec(inner.clone(), 0..4);
            prop_oneof![
                array.prop_map(|values| format!("[{}]", values.join(","))),
                object(inner).prop_map(|object| object.text),
            ]
        })
}

fn object(value: impl Strategy<Value = String>) -> impl Strategy<Value = Written> {
    let names = prop::sample::select(
        &[
            ("_meta", "_meta"),
            ("name", "name"),
            ("nam", "nam"),
            ("_meta", r"\u005fmeta"),
            ("name", r"n\u0061me"),
            ("name\"", r#"name\""#),
            ("other", "other"),
            ("", ""),
        ][..],
    );
    let member = (names, "[ \n\r\t]{0,2}", value);
    proptest::collection::vec(member, 0..7).prop_map(|members| {
        let write = |((_, name), space, value): &((_, _), String, String)| {
            format!("{space}\"{name}\"{space}:{space}{value}{space}")
        };
        let texts: Vec<_> = members.iter().map(write).collect();
        let meant = |((name, _), _, value)| (name, value);
        Written {
            text: format!("{{{}}}", texts.join(",")),
            members: members.into_iter().map(meant).collect(),
        }
    })
}

proptest! {
    #[test]
    fn what_is_picked_out_of_a_message_is_what_was_written_into_it(
        params in object(value()), result in object(value()), other in value(), last in any::<bool>(),
    ) {
        let params_and = |next: &str| match last {
            true => format!("{next},\"params\": {}", params.text),
            false => format!("\"params\": {},{next}", params.text),
        };
        let call = params_and(&format!(r#""method":"m","result" :{other}"#));
        match decode(format!(r#"{{"jsonrpc":"2.0","id":1,{call}}}"#)) {
            Ok(Message::Request(request)) => params.check(&request.params.unwrap()),
            other => panic!("{call}: {other:?}"),
        }
        let answer = params_and(&format!(r#""other":{other},"result" :{}"#, result.text));
        match decode(format!(r#"{{"jsonrpc":"2.0","id":1,{answer}}}"#)) {
            Ok(Message::Response(response)) => result.check(&response.outcome.unwrap()),
            other => panic!("{answer}: {other:?}"),
        }
    }
}
