//! A short soak: the long one is `cargo xtask soak`.

use mcp_tests::soak::{Options, run};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_mixed_requests_are_each_answered_and_nothing_is_left() {
    let options = Options::new(2_000, env!("CARGO_BIN_EXE_soak"));
    let report = run(&options).await.unwrap();
    for kind in ["echo", "ask", "cancelled", "timed out", "rude"] {
        assert!(report.kinds.contains_key(kind), "{report}");
    }
}
