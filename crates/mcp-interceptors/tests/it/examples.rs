//! The examples do what they say.

#![expect(
    dead_code,
    unreachable_pub,
    reason = "an example has a main and runs by itself"
)]

#[path = "../../examples/auth_header.rs"]
mod auth_header;
#[path = "../../examples/double_arguments.rs"]
mod double_arguments;
#[path = "../../examples/fallback.rs"]
mod fallback;
#[path = "../../examples/logging.rs"]
mod logging;
#[path = "../../examples/order.rs"]
mod order;
#[path = "../../examples/retry.rs"]
mod retry;
#[path = "../../examples/structured_content.rs"]
mod structured_content;

use serde_json::json;

#[tokio::test]
async fn logging_tells_of_every_call() {
    let lines = logging::run().await.unwrap();
    assert_eq!(
        lines,
        [
            r#"calling weather/now with {"city":"Oslo"}"#,
            "weather/now returned 12 degrees",
            r#"calling weather/next_year with {"city":"Oslo"}"#,
            "weather/next_year failed: nobody knows",
            r#"calling weather/mars with {"city":"Oslo"}"#,
            "weather/mars broke: the antenna is down",
        ]
    );
}

#[tokio::test]
async fn arguments_are_doubled_for_the_server_alone() {
    let (sum, own) = double_arguments::run().await.unwrap();
    assert_eq!((sum.as_str(), own), ("10", Some(json!(2))));
}

#[tokio::test]
async fn the_first_interceptor_is_the_outermost() {
    let said = order::run().await.unwrap();
    assert_eq!(
        said,
        [
            "outer: before",
            "inner: before",
            "tool: works",
            "inner: after",
            "outer: after"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn calls_are_made_again_until_the_server_is_there() {
    let began = tokio::time::Instant::now();
    let (by_hand, by_layer) = retry::run().await.unwrap();
    assert_eq!(by_hand, "answered the call number 3");
    assert_eq!(by_layer, by_hand);
    // 100 and 200 ms by hand; half to all of that by the layer.
    let waited = began.elapsed().as_millis();
    assert!((450..=600).contains(&waited), "{waited}");
}

#[cfg(feature = "tower")]
#[tokio::test(start_paused = true)]
async fn a_slow_server_and_one_that_is_down_have_another_answer() {
    let texts = fallback::run().await.unwrap();
    assert_eq!(
        texts,
        [
            "forecast took too long, try it later",
            "stock is down, this is of yesterday",
            "a lamp is 12",
        ]
    );
}

#[tokio::test]
async fn each_tool_has_its_own_token() {
    let seen = auth_header::run().await.unwrap();
    assert_eq!(
        seen,
        [
            "Bearer token-of-the-shop",
            "Bearer token-of-the-cashier",
            "nobody"
        ]
    );
}

#[tokio::test]
async fn structured_content_stands_behind_the_text() {
    let (by_hand, by_layer) = structured_content::run().await.unwrap();
    let expected = "see the data\n{\"temperature\":12,\"wind\":[3,\"m/s\"]}";
    assert_eq!(by_hand, expected);
    assert_eq!(by_layer, expected);
}
