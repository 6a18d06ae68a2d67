//! Headers: set, made of the call, removed.

use std::error::Error;

use http::header::{AUTHORIZATION, COOKIE};
use http::{HeaderName, HeaderValue};
use mcp_interceptors::{BadHeader, Delivery, HeadersLayer, ToolCall, ToolLayers};

use super::{Script, call, call_of};

#[tokio::test]
async fn headers_are_set_made_and_removed_for_the_call() {
    let script = Script::default();
    let user = HeaderName::from_static("x-user-id");
    let layer = HeadersLayer::new()
        .set(user.clone(), HeaderValue::from_static("123"))
        .bearer(|call: &ToolCall| (call.name() == "t").then(|| "secret".to_owned()))
        .remove(COOKIE);
    let service = script.behind(&ToolLayers::new().layer(layer));
    let with_cookie = call().with_header(COOKIE, HeaderValue::from_static("a=b"));
    service.call(with_cookie).await.unwrap();
    service.call(call_of("s", "u")).await.unwrap();
    let seen = script.seen.lock().unwrap();
    assert_eq!(seen[0].headers()[&user], "123");
    assert_eq!(seen[0].headers()[AUTHORIZATION], "Bearer secret");
    assert!(seen[0].headers()[AUTHORIZATION].is_sensitive());
    assert!(!seen[0].headers().contains_key(COOKIE));
    assert_eq!(seen[0].removed_headers(), [COOKIE]);
    assert!(!seen[1].headers().contains_key(AUTHORIZATION));
}

#[tokio::test]
async fn a_value_that_no_header_can_have_ends_the_call_and_is_not_told() {
    let script = Script::default();
    let layer = HeadersLayer::new().bearer(|_| Some("two\r\nlines".to_owned()));
    let service = script.behind(&ToolLayers::new().layer(layer));
    let error = service.call(call()).await.unwrap_err();
    assert_eq!(error.delivery(), Delivery::NotSent);
    let bad: &BadHeader = error.source().unwrap().downcast_ref().unwrap();
    assert_eq!(bad.name, AUTHORIZATION);
    assert!(!error.chain().contains("lines"), "{}", error.chain());
    assert_eq!(script.count(), 0);
}
