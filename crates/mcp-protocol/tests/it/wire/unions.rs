//! Messages by direction: decoded once by method, results by the request that waits for them.

use mcp_jsonrpc::{ErrorCode, MethodName, RawJson};
use mcp_protocol::{
    ClientNotification, ClientRequest, ClientResult, ServerNotification, ServerRequest,
    ServerResult,
};

fn raw(text: &str) -> RawJson {
    RawJson::parse(text.to_owned()).unwrap()
}

fn client_request(method: &str, params: &str) -> ClientRequest {
    ClientRequest::decode(&MethodName::from(method.to_owned()), Some(&raw(params))).unwrap()
}

#[test]
fn a_message_is_matched_by_its_method_and_unknown_methods_survive() {
    let call = client_request("tools/call", r#"{"name":"t","extra":1}"#);
    let ClientRequest::CallTool(params) = &call else {
        panic!("{call:?}");
    };
    assert_eq!(params.name, "t");
    assert_eq!(
        call.params().unwrap().unwrap().as_str(),
        r#"{"name":"t","extra":1}"#
    );

    // What is odd about it stays: the spaces, the order, the member twice.
    let odd = r#"{ "b":1,"a" : [1, 2],"b":2 }"#;
    let custom = client_request("acme/reindex", odd);
    assert!(matches!(custom, ClientRequest::Custom(_)));
    assert_eq!(&*custom.method(), "acme/reindex");
    assert_eq!(custom.params().unwrap().unwrap().as_str(), odd);

    let method = MethodName::from("notifications/acme");
    let none = ClientNotification::decode(&method, None).unwrap();
    assert_eq!(none.params().unwrap(), None);
}

#[test]
fn a_direction_has_its_own_methods_only() {
    let decode = |method: &str| {
        let method = MethodName::from(method.to_owned());
        let of_client = ClientRequest::decode(&method, Some(&RawJson::EMPTY));
        let of_server = ServerRequest::decode(&method, Some(&RawJson::EMPTY));
        (
            !matches!(of_client, Ok(ClientRequest::Custom(_))),
            !matches!(of_server, Ok(ServerRequest::Custom(_))),
        )
    };
    assert_eq!(decode("tools/list"), (true, false));
    assert_eq!(decode("roots/list"), (false, true));
    assert_eq!(decode("ping"), (true, true));
    assert_eq!(decode("tasks/get"), (true, true));
    assert_eq!(decode("Ping"), (false, false));
    let initialized = MethodName::from("notifications/initialized");
    let from_server = ServerNotification::decode(&initialized, None).unwrap();
    assert!(matches!(from_server, ServerNotification::Custom(_)));
}

#[test]
fn params_that_do_not_fit_are_the_error_to_answer_with() {
    let method = MethodName::from("tools/call");
    let error = ClientRequest::decode(&method, Some(&raw(r#"{"name":1}"#))).unwrap_err();
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert!(error.message.contains("tools/call"), "{error}");
}

#[test]
fn a_result_is_decoded_by_the_request_that_waits_for_it() {
    let call = client_request("tools/call", r#"{"name":"t"}"#);
    let list = client_request("tools/list", "{}");
    // The same text is one thing to one request and another to the next.
    let text = raw(r#"{"content":[],"tools":[]}"#);
    let of = |request: &ClientRequest, text| request.decode_result(text).unwrap();
    assert!(matches!(of(&call, &text), ServerResult::CallTool(_)));
    assert!(matches!(of(&list, &text), ServerResult::ListTools(_)));
    let custom = client_request("acme/reindex", "{}");
    assert!(matches!(of(&custom, &text), ServerResult::Custom(raw) if raw == text));

    let asks = raw(r#"{"resultType":"input_required","requestState":"s"}"#);
    assert!(matches!(of(&call, &asks), ServerResult::InputRequired(_)));
    let odd = raw(r#"{"resultType":"odd","content":[]}"#);
    assert!(call.decode_result(&odd).is_err());
    assert!(list.decode_result(&raw("{}")).is_err());
}

#[test]
fn a_task_answers_whoever_has_asked_for_one() {
    let task =
        r#"{"taskId":"1","status":"working","createdAt":"a","lastUpdatedAt":"a","ttl":null}"#;
    let created = raw(&format!(r#"{{"task":{task}}}"#));
    let asks = client_request("tools/call", r#"{"name":"t","task":{}}"#);
    assert!(asks.asks_for_task());
    let decoded = asks.decode_result(&created).unwrap();
    assert!(
        matches!(decoded, ServerResult::CreateTask(_)),
        "{decoded:?}"
    );
    // Who cannot make a task answers as always.
    let plain = asks.decode_result(&raw(r#"{"content":[]}"#)).unwrap();
    assert!(matches!(plain, ServerResult::CallTool(_)));

    let params = r#"{"messages":[],"maxTokens":1,"task":{"ttl":5}}"#;
    let method = MethodName::from("sampling/createMessage");
    let asks = ServerRequest::decode(&method, Some(&raw(params))).unwrap();
    let decoded = asks.decode_result(&created).unwrap();
    assert!(
        matches!(decoded, ClientResult::CreateTask(_)),
        "{decoded:?}"
    );
}
