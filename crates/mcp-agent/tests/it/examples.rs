//! The examples do what they say.

#[expect(
    dead_code,
    unreachable_pub,
    reason = "an example has a main and runs by itself"
)]
#[path = "../../examples/multi_server.rs"]
mod multi_server;
#[expect(
    dead_code,
    unreachable_pub,
    reason = "an example has a main and runs by itself"
)]
#[path = "../../examples/prebuilt_agent.rs"]
mod prebuilt_agent;

#[tokio::test]
async fn an_agent_by_hand_asks_two_servers() {
    let answer = multi_server::run("What do they say?").await.unwrap();
    assert_eq!(
        answer,
        "The file says hello; the wiki knows nothing. (2 results)"
    );
}

#[tokio::test]
async fn the_prebuilt_agent_knows_its_user_and_asks_before_it_orders() {
    let told = prebuilt_agent::run().await.unwrap();
    assert_eq!(told, "3 red lamps; 1 question; Your lamp is ordered.");
}
