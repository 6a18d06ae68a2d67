//! Ways to connect for tests: to a server of ours, to a scripted peer, to nothing.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_client::{ClientOptions, Connect, ConnectError, Link, Session, StderrTail};
use mcp_interceptors::Phase;
use mcp_peer::PeerOptions;
use mcp_protocol::lifecycle::{Preference, Wire};
use mcp_protocol::{ProtocolVersion, RequestContext};
use mcp_server::Server;
use mcp_testkit::ScriptedPeer;
use mcp_transport::{BoxFuture, Handler, MemoryEnd, memory};
use tokio::task::JoinHandle;

/// Connects to a server in this process, as often as it is asked.
#[derive(Debug)]
pub(crate) struct Local {
    server: Server,
    pub(crate) connects: AtomicUsize,
}

impl Local {
    pub(crate) fn new(server: Server) -> Arc<Self> {
        Arc::new(Self {
            server,
            connects: AtomicUsize::new(0),
        })
    }
}

impl Connect for Local {
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        self.connects.fetch_add(1, Ordering::SeqCst);
        let (ours, theirs) = memory(64);
        self.server.serve(theirs.0, theirs.1);
        Box::pin(std::future::ready(Ok(link(ours, handler))))
    }
}

type Script = dyn Fn(usize, ScriptedPeer) -> BoxFuture<'static, ()> + Send + Sync;

/// Connects to a peer that a script plays; the script is told which connection it is, from 0.
pub(crate) struct Scripted {
    script: Box<Script>,
    pub(crate) connects: AtomicUsize,
    playing: Mutex<Vec<JoinHandle<()>>>,
}

impl Scripted {
    /// Waits until every script has been played to its end, and fails where one has failed.
    pub(crate) async fn finish(&self) {
        let playing = std::mem::take(&mut *self.playing.lock().unwrap());
        for script in playing {
            script.await.unwrap();
        }
    }

    pub(crate) fn new<F: Future<Output = ()> + Send + 'static>(
        script: impl Fn(usize, ScriptedPeer) -> F + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            script: Box::new(move |count, peer| Box::pin(script(count, peer))),
            connects: AtomicUsize::new(0),
            playing: Mutex::default(),
        })
    }
}

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scripted")
    }
}

impl Connect for Scripted {
    fn connect(
        &self,
        handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        let count = self.connects.fetch_add(1, Ordering::SeqCst);
        let (peer, end) = ScriptedPeer::new();
        let script = tokio::spawn((self.script)(count, peer));
        self.playing.lock().unwrap().push(script);
        let stderr = StderrTail::new(|| "a line on stderr\n".to_owned());
        let link = link(end, handler).with_stderr(stderr);
        Box::pin(std::future::ready(Ok(link)))
    }
}

/// A server whose program does not exist.
#[derive(Debug)]
pub(crate) struct Missing;

impl Connect for Missing {
    fn connect(
        &self,
        _handler: Arc<dyn Handler<RequestContext>>,
    ) -> BoxFuture<'_, Result<Link, ConnectError>> {
        let error = ConnectError::new(Phase::Spawn, "no such command: nowhere");
        Box::pin(std::future::ready(Err(error)))
    }
}

fn link(end: MemoryEnd, handler: Arc<dyn Handler<RequestContext>>) -> Link {
    let peer = mcp_peer::client(end.0, end.1, handler, PeerOptions::default());
    Link::new(Arc::new(peer), Wire::Stream)
}

pub(crate) fn options() -> ClientOptions {
    ClientOptions::new("test", "1.0.0")
}

/// A session of one revision with a server of ours.
pub(crate) async fn session(server: Server, version: ProtocolVersion) -> Session {
    let options = options().with_versions([version]);
    Session::connect(&*Local::new(server), options)
        .await
        .unwrap()
}

/// A session with a peer that is played, by handshake with the newest revision that has one.
pub(crate) async fn scripted<F: Future<Output = ()> + Send + 'static>(
    capabilities: serde_json::Value,
    options: ClientOptions,
    script: impl Fn(ScriptedPeer) -> F + Send + Sync + 'static,
) -> (Session, Arc<Scripted>) {
    let script = Arc::new(script);
    let connect = Scripted::new(move |_, mut peer| {
        let (script, capabilities) = (Arc::clone(&script), capabilities.clone());
        async move {
            welcome(&mut peer, &capabilities).await;
            script(peer).await;
        }
    });
    let options = options.with_preference(Preference::Handshake);
    let session = Session::connect(&*connect, options).await.unwrap();
    (session, connect)
}

/// A session with a peer that is played, in the revision without handshake.
pub(crate) async fn stateless<F: Future<Output = ()> + Send + 'static>(
    capabilities: serde_json::Value,
    options: ClientOptions,
    script: impl Fn(ScriptedPeer) -> F + Send + Sync + 'static,
) -> (Session, Arc<Scripted>) {
    let script = Arc::new(script);
    let connect = Scripted::new(move |_, mut peer| {
        let (script, capabilities) = (Arc::clone(&script), capabilities.clone());
        async move {
            discovered(&mut peer, &capabilities).await;
            script(peer).await;
        }
    });
    let options = options.with_preference(Preference::Stateless);
    let session = Session::connect(&*connect, options).await.unwrap();
    (session, connect)
}

/// Plays the server's side of the question for its revisions.
pub(crate) async fn discovered(peer: &mut ScriptedPeer, capabilities: &serde_json::Value) {
    let probe = peer.expect("server/discover").await;
    let result = serde_json::json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"],
        "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private",
    });
    peer.answer(&probe, result).await;
}

/// Plays the server's side of the handshake.
pub(crate) async fn welcome(peer: &mut ScriptedPeer, capabilities: &serde_json::Value) {
    let initialize = peer.expect("initialize").await;
    let version = initialize["params"]["protocolVersion"].clone();
    let result = serde_json::json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "serverInfo": {"name": "scripted", "version": "0"},
    });
    peer.answer(&initialize, result).await;
    peer.expect("notifications/initialized").await;
}
