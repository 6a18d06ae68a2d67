//! The negotiation over a connection, and what its failures say.

use std::time::Duration;

use mcp_client::{ClientOptions, ConnectError, Session};
use mcp_interceptors::Phase;
use mcp_protocol::ProtocolVersion;
use mcp_protocol::lifecycle::Preference;
use mcp_testkit::ScriptedPeer;
use serde_json::json;

use crate::connects::{Scripted, options, welcome};

async fn connect<F: Future<Output = ()> + Send + 'static>(
    options: ClientOptions,
    script: impl Fn(usize, ScriptedPeer) -> F + Send + Sync + 'static,
) -> Result<Session, ConnectError> {
    let server = Scripted::new(script);
    let outcome = Session::connect(&*server, options).await;
    if outcome.is_err() {
        server.finish().await;
    }
    outcome
}

#[tokio::test]
async fn life_22_an_old_server_refuses_the_probe_and_gets_the_handshake() {
    let session = connect(options(), |_, mut peer| async move {
        let probe = peer.expect("server/discover").await;
        peer.fail(&probe, -32601, "method not found").await;
        welcome(&mut peer, &json!({})).await;
        let ping = peer.expect("ping").await;
        peer.answer(&ping, json!({})).await;
    })
    .await
    .unwrap();
    assert_eq!(session.version(), ProtocolVersion::LATEST_HANDSHAKE);
    session.ping(&Default::default()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn life_23_a_silent_server_gets_the_handshake_on_the_same_connection() {
    let session = connect(options(), |count, mut peer| async move {
        assert_eq!(count, 0);
        peer.expect("server/discover").await;
        welcome(&mut peer, &json!({})).await;
        peer.receive().await;
    })
    .await
    .unwrap();
    assert_eq!(session.version(), ProtocolVersion::LATEST_HANDSHAKE);
}

#[tokio::test(start_paused = true)]
async fn life_25_a_late_answer_to_the_probe_counts() {
    let session = connect(options(), |_, mut peer| async move {
        let probe = peer.expect("server/discover").await;
        let initialize = peer.expect("initialize").await;
        let result = json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {},
            "ttlMs": 0, "cacheScope": "private",
        });
        peer.answer(&probe, result).await;
        peer.fail(&initialize, -32601, "method not found").await;
        // Nothing tells the server that the handshake was given up.
        peer.receive().await;
    })
    .await
    .unwrap();
    assert_eq!(session.version(), ProtocolVersion::LATEST);
    session.close().await;
}

#[tokio::test]
async fn life_22_a_server_that_the_probe_ends_is_started_once_more() {
    let session = connect(options(), |count, mut peer| async move {
        if count == 0 {
            peer.expect("server/discover").await;
            peer.hang_up().await;
        } else {
            welcome(&mut peer, &json!({})).await;
            peer.receive().await;
        }
    })
    .await
    .unwrap();
    assert_eq!(session.version(), ProtocolVersion::LATEST_HANDSHAKE);
}

#[tokio::test]
async fn s02_a_server_that_ends_at_once_fails_with_what_it_wrote() {
    let error = connect(options(), |_, mut peer| async move { peer.hang_up().await })
        .await
        .unwrap_err();
    assert_eq!(error.phase(), Phase::Handshake);
    assert_eq!(error.stderr(), Some("a line on stderr"));
    assert!(!error.is_permanent());
    assert!(
        error
            .chain()
            .starts_with("the connection ended before the server answered")
    );
}

#[tokio::test]
async fn life_05_an_unknown_version_is_an_error_that_names_both_sides() {
    let options = options().with_preference(Preference::Handshake);
    let error = connect(options, |_, mut peer| async move {
        let initialize = peer.expect("initialize").await;
        let result = json!({
            "protocolVersion": "1999-12-31", "capabilities": {},
            "serverInfo": {"name": "s", "version": "0"},
        });
        peer.answer(&initialize, result).await;
        assert_eq!(peer.receive().await, None);
    })
    .await
    .unwrap_err();
    assert!(error.is_permanent());
    let text = error.to_string();
    assert!(
        text.contains("1999-12-31") && text.contains("2025-11-25"),
        "{text}"
    );
}

#[tokio::test]
async fn a_refused_handshake_says_what_the_server_said() {
    let options = options().with_preference(Preference::Handshake);
    let error = connect(options, |_, mut peer| async move {
        let initialize = peer.expect("initialize").await;
        peer.fail(&initialize, -32603, "no licence").await;
        peer.receive().await;
    })
    .await
    .unwrap_err();
    assert_eq!(
        error.chain(),
        "the server refused initialize: no licence (-32603)"
    );
}

#[tokio::test(start_paused = true)]
async fn life_09_a_handshake_that_times_out_is_not_cancelled() {
    let mut options = options().with_preference(Preference::Handshake);
    options.initialize_timeout = Duration::from_secs(5);
    let error = connect(options, |_, mut peer| async move {
        peer.expect("initialize").await;
        assert_eq!(peer.receive().await, None);
    })
    .await
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server did not answer initialize in time"
    );
}

#[tokio::test]
async fn j18_what_comes_before_the_answer_to_initialize_does_no_harm() {
    let options = options().with_preference(Preference::Handshake);
    let session = connect(options, |_, mut peer| async move {
        peer.send("Server listening on stdio").await;
        peer.notify("notifications/resources/list_changed", json!({}))
            .await;
        peer.notify(
            "notifications/message",
            json!({"level": "info", "data": "x"}),
        )
        .await;
        peer.request(7, "ping", json!({})).await;
        let initialize = peer.expect("initialize").await;
        peer.expect_answer(7).await;
        let result = json!({
            "protocolVersion": "2024-11-05", "capabilities": {},
            "serverInfo": {"name": "s", "version": "0"},
        });
        peer.answer(&initialize, result).await;
        peer.expect("notifications/initialized").await;
        peer.receive().await;
    })
    .await
    .unwrap();
    assert_eq!(session.version(), ProtocolVersion::V2024_11_05);
}
