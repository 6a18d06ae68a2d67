//! The server of the references: `imp=raw` or `imp=serde`.

use std::os::fd::AsFd as _;

use harness::{Scenario, run};
use reference::{Codec, serve_http, serve_lines};
use tokio::net::TcpListener;
use tokio::net::unix::pipe::{Receiver, Sender};

fn main() {
    let scenario = Scenario::from_args();
    let codec = Codec {
        typed: scenario.imp == "serde",
        era: scenario.era,
    };
    run(scenario.single_thread, async move {
        if scenario.kind.is_http() {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            println!("{}", listener.local_addr().expect("an address").port());
            return serve_http(listener, codec).await;
        }
        let stdin = std::io::stdin()
            .as_fd()
            .try_clone_to_owned()
            .expect("stdin");
        let stdout = std::io::stdout()
            .as_fd()
            .try_clone_to_owned()
            .expect("stdout");
        let source = Receiver::from_owned_fd(stdin).expect("stdin is a pipe");
        let sink = Sender::from_owned_fd(stdout).expect("stdout is a pipe");
        serve_lines(source, sink, codec).await;
    });
}
