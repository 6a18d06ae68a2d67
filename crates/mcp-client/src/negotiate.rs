//! Drives the negotiation over a channel: its requests may be under way side by side.

use std::sync::Arc;
use std::time::Duration;

use mcp_interceptors::Phase;
use mcp_jsonrpc::{MethodName, Notification, RawJson};
use mcp_protocol::lifecycle::{Negotiated, NegotiationError, Negotiator, Outcome, Step};
use mcp_protocol::{ProtocolVersion, RequestContext};
use mcp_transport::{Call, CallError, Handler, Timeouts, TransportErrorKind};
use tokio::time::Instant;

use crate::several::Several;
use crate::{ClientOptions, Connect, ConnectError, Link, StderrTail};

/// Opens a connection and agrees on a revision.
///
/// # Cancel safety
/// Dropping the future ends the connection.
pub(crate) async fn negotiate(
    connect: &dyn Connect,
    handler: Arc<dyn Handler<RequestContext>>,
    options: &ClientOptions,
) -> Result<(Link, Negotiated), ConnectError> {
    let link = connect.connect(Arc::clone(&handler)).await?;
    let negotiator = Negotiator::new(options.identity(), link.wire, options.preference)
        .with_timeouts(options.probe_timeout, options.initialize_timeout);
    let mut talk = Talk {
        link,
        negotiator,
        under_way: Several::new(),
        failed: Vec::new(),
    };
    loop {
        while let Some(step) = talk.negotiator.poll_step(now()) {
            match step {
                Step::Done(negotiated) => {
                    talk.link.channel.negotiated(negotiated.version.as_str());
                    return Ok((talk.link, *negotiated));
                }
                Step::Failed(error) => return Err(talk.failed(error).await),
                Step::Reconnect => {
                    talk.under_way.clear();
                    talk.link.channel.close().await;
                    talk.link = connect.connect(Arc::clone(&handler)).await?;
                }
                Step::Notify { method, version } => notify(&talk.link, method, version).await?,
                step => talk.send(step),
            }
        }
        talk.wait().await;
    }
}

struct Talk {
    link: Link,
    negotiator: Negotiator,
    under_way: Several<'static, Answered>,
    /// The calls that failed, in order: they say more than the outcomes that were made of them.
    failed: Vec<(MethodName, CallError)>,
}

/// A request of the negotiation with its answer.
type Answered = (u32, MethodName, Result<RawJson, CallError>);

impl Talk {
    /// Begins a request.
    fn send(&mut self, step: Step) {
        let Step::Request {
            key,
            method,
            params,
            mirror_version,
            timeout,
        } = step
        else {
            return;
        };
        let mut call = Call::new(method.clone(), Some(params));
        call.timeouts = timeout.map_or_else(unlimited, Timeouts::within);
        call.cancellable = false;
        call.mirror.version = mirror_version.map(ProtocolVersion::as_str);
        let channel = Arc::clone(&self.link.channel);
        self.under_way.push(Box::pin(
            async move { (key, method, channel.call(call).await) },
        ));
    }

    /// Waits until a request has ended or time has passed.
    async fn wait(&mut self) {
        let due = self.negotiator.poll_timeout();
        let timer = async {
            match due {
                Some(due) => tokio::time::sleep_until(Instant::from_std(due)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            Some((key, method, outcome)) = self.under_way.next() => {
                let outcome = match outcome {
                    Ok(result) => Outcome::Result(result),
                    Err(error) => {
                        let outcome = of_error(&error);
                        self.failed.push((method, error));
                        outcome
                    }
                };
                self.negotiator.handle_outcome(now(), key, outcome);
            }
            () = timer => self.negotiator.handle_timeout(now()),
        }
    }

    /// Ends the connection, so that the process is gone and all it wrote has been read. One that
    /// takes long to end does so unattended.
    async fn failed(&mut self, error: NegotiationError) -> ConnectError {
        const PATIENCE: Duration = Duration::from_secs(1);
        self.under_way.clear();
        let closed = tokio::time::timeout(PATIENCE, self.link.channel.close());
        if closed.await.is_err() {
            tracing::debug!("a connection that could not be used takes long to end");
        }
        let stderr = self.link.stderr.as_ref().and_then(StderrTail::read);
        let failed = std::mem::take(&mut self.failed);
        ConnectError::negotiation(error, failed).with_stderr(stderr)
    }
}

async fn notify(
    link: &Link,
    method: MethodName,
    version: ProtocolVersion,
) -> Result<(), ConnectError> {
    link.channel.negotiated(version.as_str());
    let notification = Notification::new(method.clone(), None);
    let sent = link.channel.notify(notification).await;
    sent.map_err(|e| {
        ConnectError::new(Phase::Handshake, format!("{method} could not be sent"))
            .with_source(e)
            .with_stderr(link.stderr.as_ref().and_then(StderrTail::read))
    })
}

pub(crate) fn unlimited() -> Timeouts {
    let mut timeouts = Timeouts::default();
    timeouts.idle = None;
    timeouts.total = None;
    timeouts
}

fn of_error(error: &CallError) -> Outcome {
    match error {
        CallError::Remote(error) => Outcome::Error(error.clone()),
        CallError::Rejected(rejection) => Outcome::Rejected {
            status: rejection.status.as_u16(),
            error: rejection.error.clone(),
        },
        CallError::TimedOut { .. } => Outcome::TimedOut,
        CallError::Malformed(_) => Outcome::Malformed,
        CallError::Closed { reason, .. } if reason.kind() == TransportErrorKind::Unreachable => {
            Outcome::Unreachable
        }
        _ => Outcome::Ended,
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}
