//! Rate limits: bursts, refills, keys, waiting.

use std::error::Error;
use std::time::Duration;

use http::Extensions;
use mcp_interceptors::{
    CallErrorKind, Delivery, RateLimitLayer, RateLimited, ToolCall, ToolLayers, ToolService,
};
use mcp_protocol::ToolAnnotations;
use tokio::time::{Instant, advance};

use super::{Script, call, call_of, hinted};

const MINUTE: Duration = Duration::from_secs(60);

fn behind(layer: RateLimitLayer) -> (Script, ToolService) {
    let script = Script::default();
    let service = script.behind(&ToolLayers::new().layer(layer));
    (script, service)
}

#[tokio::test(start_paused = true)]
async fn so_many_calls_pass_and_the_next_is_refused_with_when() {
    let (script, service) = behind(RateLimitLayer::new(3, MINUTE));
    for _ in 0..3 {
        service.call(call()).await.unwrap();
    }
    let error = service.call(call()).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Refused);
    assert_eq!(error.delivery(), Delivery::NotSent);
    let limited: &RateLimited = error.source().unwrap().downcast_ref().unwrap();
    assert_eq!(limited.key, "s");
    assert_eq!(limited.retry_after, Duration::from_secs(20));
    assert_eq!(script.count(), 3);

    advance(Duration::from_secs(20)).await;
    service.call(call()).await.unwrap();
    assert!(service.call(call()).await.is_err());
    advance(MINUTE * 10).await;
    for _ in 0..3 {
        service.call(call()).await.unwrap();
    }
    assert!(service.call(call()).await.is_err(), "no more than a bucket");
}

#[tokio::test(start_paused = true)]
async fn a_burst_is_smaller_where_that_is_said() {
    let (_, service) = behind(RateLimitLayer::new(60, MINUTE).burst(1));
    service.call(call()).await.unwrap();
    assert!(service.call(call()).await.is_err());
    advance(Duration::from_secs(1)).await;
    service.call(call()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn servers_tools_and_keys_are_counted_apart() {
    let (_, service) = behind(RateLimitLayer::new(1, MINUTE));
    service.call(call_of("s", "t")).await.unwrap();
    assert!(service.call(call_of("s", "u")).await.is_err());
    service.call(call_of("other", "t")).await.unwrap();

    let (_, service) = behind(RateLimitLayer::new(1, MINUTE).per_tool());
    service.call(call_of("s", "t")).await.unwrap();
    service.call(call_of("s", "u")).await.unwrap();
    assert!(service.call(call_of("s", "t")).await.is_err());

    #[derive(Clone)]
    struct User(&'static str);
    let of = |user: &'static str| {
        let mut extensions = Extensions::new();
        extensions.insert(User(user));
        hinted(ToolAnnotations::new(), extensions)
    };
    let key = |call: &ToolCall| call.extensions().get::<User>().map(|u| u.0.to_owned());
    let (_, service) = behind(RateLimitLayer::new(1, MINUTE).per_key(key));
    service.call(of("ada")).await.unwrap();
    service.call(of("bob")).await.unwrap();
    assert!(service.call(of("ada")).await.is_err());
    for _ in 0..5 {
        service.call(call()).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_may_wait_for_its_turn_but_not_too_long() {
    let layer = RateLimitLayer::new(60, MINUTE)
        .burst(1)
        .wait_at_most(Duration::from_secs(2));
    let (script, service) = behind(layer);
    let began = Instant::now();
    let calls: Vec<_> = (0..4).map(|_| tokio::spawn(service.call(call()))).collect();
    let mut refused = 0;
    for call in calls {
        refused += usize::from(call.await.unwrap().is_err());
    }
    assert_eq!((script.count(), refused), (3, 1));
    assert_eq!(began.elapsed(), Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn the_number_of_keys_is_bounded() {
    let layer = RateLimitLayer::new(1, MINUTE).per_key(|call: &ToolCall| {
        let key = call.args().get("key")?;
        Some(key.to_string())
    });
    let (_, service) = behind(layer);
    for key in 0..10_000 {
        service.call(call().with_arg("key", key)).await.unwrap();
    }
    assert!(service.call(call().with_arg("key", -1)).await.is_err());
    advance(MINUTE).await;
    service.call(call().with_arg("key", -1)).await.unwrap();
}
