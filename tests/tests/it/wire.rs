//! A server within reach of clients, over a byte stream or over HTTP.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp::client::{ClientOptions, Connect, ConnectError, Link};
use mcp::http::{HttpOptions, HttpServer, HttpService, HttpTransport};
use mcp::peer::Peer;
use mcp::protocol::lifecycle::Wire as Carrier;
use mcp::protocol::{ProtocolVersion, RequestContext};
use mcp::stdio::{LineReader, LineWriter};
use mcp::transport::{BoxFuture, Channel, Handler};
use mcp::{Server, Session};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The revisions with a handshake.
pub(crate) const HANDSHAKE: [ProtocolVersion; 4] = [
    ProtocolVersion::V2024_11_05,
    ProtocolVersion::V2025_03_26,
    ProtocolVersion::V2025_06_18,
    ProtocolVersion::V2025_11_25,
];
/// The latest revision with a handshake.
pub(crate) const LATEST_HANDSHAKE: &str = "2025-11-25";
/// The revision without.
pub(crate) const MODERN: &str = "2026-07-28";
/// The longest line that is read.
const LINE: usize = 4 << 20;

/// What carries the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// Lines, as over stdio.
    Stream,
    /// Streamable HTTP.
    Http,
}

pub(crate) const WIRES: [Wire; 2] = [Wire::Stream, Wire::Http];

/// A server that clients can connect to.
#[derive(Debug)]
pub(crate) struct Running {
    server: Server,
    web: Option<Web>,
    /// Connections over streams, to be ended with the server.
    peers: Mutex<Vec<Peer>>,
}

#[derive(Debug)]
struct Web {
    url: String,
    service: HttpService,
    shutdown: CancellationToken,
    serving: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn start(server: &Server, wire: Wire) -> Self {
        match wire {
            Wire::Stream => Self {
                server: server.clone(),
                web: None,
                peers: Mutex::default(),
            },
            Wire::Http => Self::on_the_web(server, HttpOptions::default()).await,
        }
    }

    pub(crate) async fn on_the_web(server: &Server, options: HttpOptions) -> Self {
        let service = HttpService::new(server.identity(), server.handler(), options);
        let listener = HttpServer::bind("127.0.0.1:0").await.unwrap();
        let url = listener.local_url();
        let shutdown = CancellationToken::new();
        let serving = tokio::spawn(listener.serve(service.clone(), shutdown.clone()));
        Self {
            server: server.clone(),
            web: Some(Web {
                url,
                service,
                shutdown,
                serving,
            }),
            peers: Mutex::default(),
        }
    }

    /// Where it is, over HTTP.
    pub(crate) fn url(&self) -> &str {
        &self.web.as_ref().unwrap().url
    }

    pub(crate) fn service(&self) -> &HttpService {
        &self.web.as_ref().unwrap().service
    }

    pub(crate) async fn connect(&self, options: ClientOptions) -> Session {
        Session::connect(self, options).await.unwrap()
    }

    /// A client without anything special that speaks this revision.
    pub(crate) async fn client(&self, version: ProtocolVersion) -> Session {
        self.connect(ClientOptions::new("test", "1").with_versions([version]))
            .await
    }

    /// Ends it and waits until nothing is left.
    pub(crate) async fn stop(self) {
        let peers = std::mem::take(&mut *self.peers.lock().unwrap_or_else(PoisonError::into_inner));
        for peer in peers {
            peer.close().await;
        }
        if let Some(web) = self.web {
            web.shutdown.cancel();
            web.serving.await.unwrap();
        }
    }
}

impl Connect for Running {
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        let link = match &self.web {
            Some(web) => {
                let transport = HttpTransport::builder(&web.url).build().unwrap();
                Link::new(Arc::new(transport.open(handler)), Carrier::Http)
            }
            None => {
                let (ours, theirs) = tokio::io::duplex(64 * 1024);
                let (reader, writer) = tokio::io::split(theirs);
                let peer = self
                    .server
                    .serve(LineReader::new(reader, LINE), LineWriter::new(writer));
                self.peers.lock().unwrap().push(peer);
                stream_link(ours, handler)
            }
        };
        Box::pin(async move { Ok(link) })
    }
}

/// A client's end of a stream.
pub(crate) fn stream_link(
    stream: tokio::io::DuplexStream,
    handler: Arc<dyn Handler<RequestContext>>,
) -> Link {
    let (reader, writer) = tokio::io::split(stream);
    let (reader, writer) = (LineReader::new(reader, LINE), LineWriter::new(writer));
    let peer = mcp::peer::client(reader, writer, handler, mcp::peer::PeerOptions::default());
    Link::new(Arc::new(peer), Carrier::Stream)
}

/// Waits for what has to come, and fails rather than hang.
pub(crate) async fn soon<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(60), future)
        .await
        .expect("nothing came")
}
