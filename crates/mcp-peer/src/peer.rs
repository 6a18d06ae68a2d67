//! The handle of a connection, and how one begins.

use std::fmt;
use std::sync::Arc;

use mcp_jsonrpc::{Notification, RawJson};
use mcp_protocol::lifecycle::{ClientConnection, Connection, ServerConnection, ServerIdentity};
use mcp_protocol::{ProtocolVersion, RequestContext};
use mcp_transport::{BoxFuture, Call, CallError, Channel, Handler, Reader, TransportError, Writer};

use crate::PeerOptions;
use crate::call;
use crate::driver::{Driver, Role};
use crate::inward::Inward;
use crate::outlet::Outlet;
use crate::pump;
use crate::reply::Reply;
use crate::shared::{Shared, closed_here};

/// One end of a connection over a byte stream.
///
/// All clones share the connection. What comes from the peer is read by a task of its own, which
/// needs no attention.
#[derive(Clone)]
pub struct Peer {
    shared: Arc<Shared>,
    /// Ends the connection when the last handle of a client is dropped. Handlers have none.
    _owner: Option<Arc<Owner>>,
}

/// The client's end of a connection. Spawns its driver, so it needs a Tokio runtime.
///
/// The connection lasts until the server ends it, [`close`](Channel::close) is called, or the
/// last clone of the handle is dropped, which closes it as well.
pub fn client<R: Reader, W: Writer>(
    reader: R,
    writer: W,
    handler: Arc<dyn Handler<RequestContext>>,
    options: PeerOptions,
) -> Peer {
    let core = client_core(&options);
    let (peer, driver) = prepare(Box::new(writer), core, handler, (Role::Client, options));
    pump::spawn(Box::pin(driver.run(reader)));
    peer
}

/// The server's end of a connection. Spawns its driver, so it needs a Tokio runtime.
///
/// The connection lasts until the client ends it or [`close`](Channel::close) is called, whether
/// or not a handle is left; wait for that with [`closed`](Channel::closed). After the client has
/// ended its stream, requests that it has sent are still answered, within
/// [`PeerOptions::grace`].
pub fn server<R: Reader, W: Writer>(
    reader: R,
    writer: W,
    identity: Arc<ServerIdentity>,
    handler: Arc<dyn Handler<RequestContext>>,
    options: PeerOptions,
) -> Peer {
    let core = server_core(&options, identity);
    let (peer, driver) = prepare(Box::new(writer), core, handler, (Role::Server, options));
    pump::spawn(Box::pin(driver.run(reader)));
    peer
}

// What follows is not generic, so that it is compiled here and not once more by every user.

type Core = Box<dyn Connection<Tag = Reply> + Send>;

fn client_core(options: &PeerOptions) -> Core {
    Box::new(ClientConnection::new(options.limits()))
}

fn server_core(options: &PeerOptions, identity: Arc<ServerIdentity>) -> Core {
    Box::new(ServerConnection::new(options.limits(), identity))
}

fn prepare(
    outlet: Box<dyn Outlet>,
    connection: Core,
    handler: Arc<dyn Handler<RequestContext>>,
    (role, options): (Role, PeerOptions),
) -> (Peer, Driver) {
    let shared = Arc::new(Shared::new(connection, &options, outlet.is_local()));
    let peer = |owner| Peer {
        shared: Arc::clone(&shared),
        _owner: owner,
    };
    let inward = Inward::new(handler, Arc::new(peer(None)));
    let driver = Driver::new(outlet, Arc::clone(&shared), inward, role, options);
    let owner = (role == Role::Client).then(|| Arc::new(Owner(Arc::clone(&shared))));
    (peer(owner), driver)
}

impl Channel for Peer {
    fn call(&self, call: Call) -> BoxFuture<'_, Result<RawJson, CallError>> {
        Box::pin(call::call(&self.shared, call))
    }

    fn notify(&self, notification: Notification) -> BoxFuture<'_, Result<(), CallError>> {
        Box::pin(call::notify(&self.shared, notification))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.shared
            .stop(closed_here("the connection was closed here"));
        Box::pin(async {
            self.shared.finished().await;
        })
    }

    fn ending(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.shared.ending.cancelled())
    }

    fn closed(&self) -> BoxFuture<'_, Arc<TransportError>> {
        Box::pin(self.shared.finished())
    }

    fn negotiated(&self, version: &str) {
        match ProtocolVersion::parse(version) {
            Some(version) => self.shared.negotiated(version),
            None => tracing::warn!(version, "a revision that nobody here knows was negotiated"),
        }
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer").finish_non_exhaustive()
    }
}

struct Owner(Arc<Shared>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0
            .stop(closed_here("the last handle of the connection was dropped"));
    }
}
