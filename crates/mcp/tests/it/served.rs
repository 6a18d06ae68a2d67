//! Servers over HTTP for tests, and a tap that hears what is sent to them.

use std::sync::{Arc, Mutex};

use mcp::Server;
use mcp::http::{HttpServer, HttpService};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// A server over HTTP that runs until it is stopped.
pub(crate) struct Served {
    pub(crate) url: String,
    done: CancellationToken,
    serving: JoinHandle<()>,
}

impl Served {
    pub(crate) async fn start(server: &Server) -> Self {
        Self::start_at("127.0.0.1:0", server).await
    }

    pub(crate) async fn start_at(address: &str, server: &Server) -> Self {
        let http = HttpServer::bind(address).await.unwrap();
        let service = HttpService::new(server.identity(), server.handler(), Default::default());
        let (url, done) = (http.local_url(), CancellationToken::new());
        let serving = tokio::spawn(http.serve(service, done.clone()));
        Self { url, done, serving }
    }

    /// `host:port`.
    pub(crate) fn address(&self) -> &str {
        let rest = self.url.strip_prefix("http://").unwrap();
        rest.split('/').next().unwrap()
    }

    pub(crate) async fn stop(self) {
        self.done.cancel();
        self.serving.await.unwrap();
    }
}

/// Stands before a server over HTTP and remembers what is sent to it.
pub(crate) struct Tap {
    pub(crate) url: String,
    heard: Arc<Mutex<Vec<Vec<u8>>>>,
    _tasks: JoinSet<()>,
}

impl Tap {
    pub(crate) async fn before(served: &Served) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = listener.local_addr().unwrap().to_string();
        let heard: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
        let mut tasks = JoinSet::new();
        let (upstream, log) = (served.address().to_owned(), Arc::clone(&heard));
        tasks.spawn(async move {
            let mut pipes = JoinSet::new();
            while let Ok((near, _)) = listener.accept().await {
                let far = TcpStream::connect(&upstream).await.unwrap();
                let index = {
                    let mut log = log.lock().unwrap();
                    log.push(Vec::new());
                    log.len() - 1
                };
                pipes.spawn(pipe(near, far, Arc::clone(&log), index));
            }
        });
        Self {
            url: served.url.replace(served.address(), &own),
            heard,
            _tasks: tasks,
        }
    }

    /// The HTTP requests: the verb of each, or the method of the message where it is a POST.
    pub(crate) fn requests(&self) -> Vec<String> {
        let heard = self.heard.lock().unwrap();
        let mut all = Vec::new();
        for text in heard.iter().map(|bytes| String::from_utf8_lossy(bytes)) {
            let of_line = |line: &str| {
                let method = || {
                    let message: Value = serde_json::from_str(line).ok()?;
                    Some(message.get("method")?.as_str()?.to_owned())
                };
                let verb = ["GET ", "DELETE "];
                let verb = verb.iter().find(|verb| line.starts_with(*verb));
                verb.map(|verb| verb.trim().to_owned()).or_else(method)
            };
            // A body has no line end: what comes behind it on the connection is split off.
            let text = text
                .replace("}POST ", "}\nPOST ")
                .replace("}GET ", "}\nGET ");
            let text = text.replace("}DELETE ", "}\nDELETE ");
            all.extend(text.lines().filter_map(of_line));
        }
        all
    }
}

async fn pipe(near: TcpStream, far: TcpStream, log: Arc<Mutex<Vec<Vec<u8>>>>, index: usize) {
    let (mut near_in, mut near_out) = near.into_split();
    let (mut far_in, mut far_out) = far.into_split();
    let there = async {
        let mut buffer = [0; 8192];
        while let Ok(n @ 1..) = near_in.read(&mut buffer).await {
            log.lock().unwrap()[index].extend(&buffer[..n]);
            if far_out.write_all(&buffer[..n]).await.is_err() {
                break;
            }
        }
        let _gone = far_out.shutdown().await;
    };
    let back = async {
        let _gone = tokio::io::copy(&mut far_in, &mut near_out).await;
        let _gone = near_out.shutdown().await;
    };
    tokio::join!(there, back);
}
