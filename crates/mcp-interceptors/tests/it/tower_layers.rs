//! tower's own layers in one stack with ours.

use std::sync::Arc;
use std::time::Duration;

use mcp_interceptors::{
    CallError, CallErrorKind, HeadersLayer, LocalTools, Next, ToolCall, ToolLayers, ToolOutcome,
    ToolService, from_fn, intercept,
};
use mcp_protocol::Tool;
use serde_json::json;
use tokio::sync::Semaphore;
use tower::ServiceBuilder;

use crate::{Calculator, add_of};

async fn pass(call: ToolCall, next: Next) -> Result<ToolOutcome, CallError> {
    next.run(call).await
}

/// The kind of an error of tower's own layers: without the feature `tower` that of any layer.
const fn known(kind: CallErrorKind) -> CallErrorKind {
    match cfg!(feature = "tower") {
        true => kind,
        false => CallErrorKind::Layer,
    }
}

/// Tools that end when a permit comes.
fn waiting(gate: &Arc<Semaphore>) -> LocalTools {
    let gate = Arc::clone(gate);
    let tool = Tool::new("wait", json!({"type": "object"}));
    LocalTools::new("s").tool(tool, move |_| {
        let gate = Arc::clone(&gate);
        async move {
            gate.acquire().await.unwrap().forget();
            Ok("done".into())
        }
    })
}

#[tokio::test]
async fn a_service_builder_takes_both_kinds_of_layers() {
    let calculator = Calculator::default();
    let service = ServiceBuilder::new()
        .layer(intercept(pass))
        .concurrency_limit(2)
        .layer(intercept(from_fn(|call, next| async move {
            next.run(call.with_arg("a", 10)).await
        })))
        .timeout(Duration::from_secs(5))
        .service(calculator.service(&ToolLayers::new()));
    let call = add_of(&calculator.tools(), 2, 3).await;
    let outcome = ToolService::new(service).call(call).await.unwrap();
    assert_eq!(outcome.text(), "13");
}

#[tokio::test(start_paused = true)]
async fn a_timeout_of_tower_reaches_the_layers_outside_as_one_of_ours() {
    let gate = Arc::new(Semaphore::new(0));
    let tools = waiting(&gate);
    let layers = ToolLayers::new()
        .intercept(from_fn(|call, next| async move {
            match next.run(call).await {
                Err(error) if error.kind() == known(CallErrorKind::TimedOut) => Ok("late".into()),
                other => other,
            }
        }))
        .layer(tower::timeout::TimeoutLayer::new(Duration::from_secs(3)));
    let call = add_of(&tools, 0, 0).await;
    let service = layers.wrap(ToolService::from_toolset(Arc::new(tools)));
    assert_eq!(service.call(call).await.unwrap().text(), "late");
}

#[tokio::test]
async fn an_error_of_ours_passes_through_towers_layers_unchanged() {
    let layers = ToolLayers::new()
        .intercept(pass)
        .layer(tower::timeout::TimeoutLayer::new(Duration::from_secs(3)))
        .intercept(from_fn(|_, _| async {
            Err(CallError::new(CallErrorKind::Connect, "nobody there"))
        }));
    let calculator = Calculator::default();
    let call = add_of(&calculator.tools(), 0, 0).await;
    let error = calculator.service(&layers).call(call).await.unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Connect);
}

#[tokio::test]
async fn a_concurrency_limit_holds_over_clones() {
    let gate = Arc::new(Semaphore::new(0));
    let tools = waiting(&gate);
    let call = add_of(&tools, 0, 0).await;
    let layers = ToolLayers::new()
        .layer(tower::limit::ConcurrencyLimitLayer::new(1))
        .intercept(pass);
    let service = layers.wrap(ToolService::from_toolset(Arc::new(tools)));
    let first = tokio::spawn(service.call(call.clone()));
    let second = tokio::spawn(service.call(call));
    tokio::task::yield_now().await;
    gate.add_permits(1);
    // One permit ends one call; the other has not even begun, so it takes the second permit.
    gate.add_permits(1);
    assert_eq!(first.await.unwrap().unwrap().text(), "done");
    assert_eq!(second.await.unwrap().unwrap().text(), "done");
}

#[tokio::test]
async fn load_shedding_refuses_what_does_not_fit() {
    let gate = Arc::new(Semaphore::new(0));
    let tools = waiting(&gate);
    let call = add_of(&tools, 0, 0).await;
    let layers = ToolLayers::new()
        .layer(tower::load_shed::LoadShedLayer::new())
        .layer(tower::limit::ConcurrencyLimitLayer::new(1));
    let service = layers.wrap(ToolService::from_toolset(Arc::new(tools)));
    let first = tokio::spawn(service.call(call.clone()));
    tokio::task::yield_now().await;
    let error = service.call(call).await.unwrap_err();
    assert_eq!(error.kind(), known(CallErrorKind::Refused));
    gate.add_permits(1);
    assert_eq!(first.await.unwrap().unwrap().text(), "done");
}

#[tokio::test]
async fn a_buffer_fits_in() {
    let calculator = Calculator::default();
    let service = ServiceBuilder::new()
        .layer(intercept(pass))
        .buffer(4)
        .service(calculator.service(&ToolLayers::new().intercept(pass)));
    let call = add_of(&calculator.tools(), 2, 3).await;
    let outcome = ToolService::new(service).call(call).await.unwrap();
    assert_eq!(outcome.text(), "5");
}

#[cfg(feature = "tower")]
#[tokio::test(start_paused = true)]
async fn towers_four_and_ours_stand_in_one_stack() {
    use mcp_interceptors::{CircuitBreakerLayer, FallbackLayer, RetryLayer, TraceLayer};

    let gate = Arc::new(Semaphore::new(0));
    let tools = waiting(&gate);
    let call = add_of(&tools, 0, 0).await;
    let service = ServiceBuilder::new()
        .layer(TraceLayer::new())
        .layer(FallbackLayer::to("busy").on([CallErrorKind::Refused]))
        .load_shed()
        .concurrency_limit(1)
        .layer(RetryLayer::new(3))
        .layer(CircuitBreakerLayer::new(5, Duration::from_secs(30)))
        .timeout(Duration::from_secs(3))
        .buffer(4)
        .layer(HeadersLayer::new().remove(http::header::COOKIE))
        .service(ToolService::from_toolset(Arc::new(tools)));
    let service = ToolService::new(service);

    let first = tokio::spawn(service.call(call.clone()));
    tokio::task::yield_now().await;
    let second = service.call(call.clone()).await.unwrap();
    assert_eq!(second.text(), "busy", "shed, and made up for");
    gate.add_permits(1);
    assert_eq!(first.await.unwrap().unwrap().text(), "done");
    let late = service.call(call.clone()).await.unwrap_err();
    assert_eq!(late.kind(), CallErrorKind::TimedOut);
    gate.add_permits(1);
    assert_eq!(service.call(call).await.unwrap().text(), "done");
}

#[tokio::test]
async fn our_layers_are_tower_layers_of_any_service() {
    let calculator = Calculator::default();
    let call = add_of(&calculator.tools(), 2, 3).await;
    let answers = tower::service_fn(|call: ToolCall| async move {
        let shown = format!("{} headers", call.headers().len());
        Ok::<ToolOutcome, CallError>(shown.into())
    });
    let user = http::HeaderName::from_static("x-user");
    let layer = HeadersLayer::new().set(user, http::HeaderValue::from_static("1"));
    let service = ServiceBuilder::new().layer(layer).service(answers);
    let outcome = tower::ServiceExt::oneshot(service, call).await.unwrap();
    assert_eq!(outcome.text(), "1 headers");
}
