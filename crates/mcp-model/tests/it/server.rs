//! A server that says what it is told to, and keeps what it was asked.

use std::time::Duration;

use mcp_model::{ChatModel, ChatRequest, ChatResponse, Deltas, ModelError, OpenAiModel};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A listener of its own, and a model that asks it.
pub(crate) async fn served() -> (TcpListener, OpenAiModel) {
    served_within(Duration::from_secs(60)).await
}

pub(crate) async fn served_within(limit: Duration) -> (TcpListener, OpenAiModel) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/", listener.local_addr().unwrap());
    let builder = OpenAiModel::builder("m").base_url(url).api_key("secret");
    (listener, builder.timeout(limit).build().unwrap())
}

/// What a client sent.
pub(crate) struct Sent(pub(crate) String);

impl Sent {
    pub(crate) fn body(&self) -> Value {
        serde_json::from_str(self.0.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

/// Reads one request to its end.
pub(crate) async fn read_request(stream: &mut TcpStream) -> Sent {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let n = stream.read(&mut buffer).await.unwrap();
        bytes.extend(buffer.iter().take(n));
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            assert_ne!(n, 0, "the request broke off");
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        if n == 0 || body.len() >= length.unwrap().parse().unwrap() {
            return Sent(text.into_owned());
        }
    }
}

/// Writes a whole answer and closes. The client may have gone away.
pub(crate) async fn answer(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}connection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(body).await;
    let _ = stream.shutdown().await;
}

/// Asks once, and answers with `status` and `body`.
pub(crate) async fn exchange(
    status: &str,
    headers: &str,
    body: &[u8],
    request: ChatRequest,
) -> (Sent, Result<ChatResponse, ModelError>) {
    let (listener, model) = served().await;
    let serve = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let sent = read_request(&mut stream).await;
        answer(&mut stream, status, headers, body).await;
        sent
    };
    tokio::join!(serve, model.generate(request))
}

/// What a model was asked with, where the answer does not matter.
pub(crate) async fn asked(request: ChatRequest) -> Value {
    exchange("500 No", "", b"", request).await.0.body()
}

/// Where a streamed answer is shown, for looking at it afterwards.
pub(crate) fn shown() -> (Deltas, std::sync::mpsc::Receiver<String>) {
    let (sender, receiver) = std::sync::mpsc::channel();
    let deltas = Deltas::new(move |text| drop(sender.send(text.to_owned())));
    (deltas, receiver)
}

/// Asks once for a stream, and answers with these headers and this body.
pub(crate) async fn streamed(
    status: &str,
    kind: &str,
    body: &[u8],
) -> (Sent, Result<ChatResponse, ModelError>, Vec<String>) {
    let (listener, model) = served().await;
    let headers = format!("content-type: {kind}\r\n");
    let serve = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let sent = read_request(&mut stream).await;
        answer(&mut stream, status, &headers, body).await;
        sent
    };
    let (deltas, receiver) = shown();
    let ask = model.stream(ChatRequest::question("?"), deltas);
    let (sent, got) = tokio::join!(serve, ask);
    (sent, got, receiver.try_iter().collect())
}
