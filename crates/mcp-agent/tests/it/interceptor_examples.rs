//! The examples of interceptors do what they say.

#![expect(
    dead_code,
    unreachable_pub,
    reason = "an example has a main and runs by itself"
)]

#[path = "../../examples/end_on_success.rs"]
mod end_on_success;
#[path = "../../examples/rate_limit.rs"]
mod rate_limit;
#[path = "../../examples/state_gate.rs"]
mod state_gate;
#[path = "../../examples/store_preferences.rs"]
mod store_preferences;
#[path = "../../examples/task_status.rs"]
mod task_status;
#[path = "../../examples/user_context.rs"]
mod user_context;

use serde_json::json;

#[tokio::test]
async fn a20_the_users_context_is_an_argument_that_the_model_neither_sees_nor_forges() {
    let (schema, result) = user_context::run().await.unwrap();
    let expected = json!({"type": "object", "properties": {"status": {"type": "string"}}});
    assert_eq!(schema, expected);
    assert_eq!(
        result,
        r#"open orders of Some("user_123"), with the key Some("sk-abc")"#
    );
}

#[tokio::test]
async fn preferences_come_from_the_store_and_the_model_may_overrule_them() {
    let [ada, bob] = store_preferences::run().await.unwrap();
    assert_eq!(ada, r#"{"language":"no","limit":3,"query":"fjords"}"#);
    assert_eq!(bob, r#"{"query":"fjords","limit":3}"#);
}

#[tokio::test]
async fn sensitive_tools_wait_until_the_state_says_so() {
    let answers = state_gate::run().await.unwrap();
    assert_eq!(
        answers,
        ["Log in first, then try again.", "Welcome, Ada.", "deleted"]
    );
}

#[tokio::test]
async fn a_limit_counts_calls_by_their_ids() {
    let (answers, made) = rate_limit::run().await.unwrap();
    let limited = "Rate limit exceeded. Try again later.";
    let expected = [
        ("call_a", "a long report"),
        ("call_b", "a long report"),
        ("call_c", limited),
    ];
    let answers: Vec<_> = answers.iter().map(|(id, a)| (&**id, &**a)).collect();
    assert_eq!(answers, expected);
    assert_eq!(made, ["call_a", "call_b"]);
}

#[tokio::test]
async fn a_status_is_written_and_the_other_agent_sees_the_call_with_its_answer() {
    let (status, lines) = task_status::run().await.unwrap();
    assert_eq!(status, "completed");
    assert_eq!(
        lines,
        [
            "Order a lamp.",
            "(calls submit_order)",
            "order 17 is placed",
            "Your lamp is on its way."
        ]
    );
}

#[tokio::test]
async fn a_complete_task_ends_the_run() {
    let (asked, status, last) = end_on_success::run().await.unwrap();
    assert_eq!((asked, status), (2, Some(json!("done"))));
    assert_eq!(last, "task 1 is complete");
}
