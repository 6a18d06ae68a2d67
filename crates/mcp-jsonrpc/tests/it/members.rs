//! The members of raw JSON, found without decoding it.

use mcp_jsonrpc::{Message, RawJson};

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
}
