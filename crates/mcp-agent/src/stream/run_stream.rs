//! A run as a stream of its events.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use mcp_interceptors::BoxFuture;

use super::{Emitted, EventSink, Events, Interest};
use crate::Error;
use crate::graph::{CompiledGraph, Input, RunOptions, RunOutput};
use crate::react::{AgentInput, ReactAgent, ReactState};
use crate::state::State;

/// What a run gives while it is polled, and at its end.
#[derive(Debug)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "events are many and the end comes once; a box would cost each event"
)]
pub enum Streamed<S> {
    /// An event.
    Event(Emitted),
    /// The run has ended; nothing comes after this.
    Ended(Result<RunOutput<S>, Error>),
}

/// A run as a stream of its events; the last item is its end. The run goes on while the stream
/// is polled, and is cancelled when it is dropped.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use std::sync::Arc;
/// use futures_util::StreamExt;
/// use mcp_agent::{Interest, ReactAgent, RunEvent, RunOptions, Streamed};
/// use mcp_model::ScriptedModel;
///
/// let model = Arc::new(ScriptedModel::new().says("one two"));
/// let agent = ReactAgent::builder(model).build().unwrap();
/// let mut run = agent.stream("count", RunOptions::new(), Interest::DELTAS);
/// let mut text = String::new();
/// while let Some(item) = run.next().await {
///     match item {
///         Streamed::Event(emitted) => {
///             if let RunEvent::MessageDelta { text: piece, .. } = emitted.event {
///                 text.push_str(&piece);
///             }
///         }
///         Streamed::Ended(output) => assert_eq!(output.unwrap().answer(), text),
///         _ => {}
///     }
/// }
/// assert_eq!(text, "one two");
/// # });
/// ```
pub struct RunStream<S> {
    run: Option<BoxFuture<'static, Result<RunOutput<S>, Error>>>,
    events: Events,
    /// The end, while events before it are still waiting.
    end: Option<Result<RunOutput<S>, Error>>,
}

/// How many events may wait for whoever polls the stream.
const CAPACITY: usize = 4_096;

impl<S: State> CompiledGraph<S> {
    /// Runs the graph as a stream of its events. A sink in the options is replaced.
    ///
    /// At most 4,096 events wait to be taken, and while half as many do, the tasks of the run
    /// wait too, so that nothing is lost to a slow listener. Only what a task writes beyond that
    /// without ever waiting for anything is dropped, and counted in a
    /// [`Dropped`](super::RunEvent::Dropped) event.
    pub fn stream(
        &self,
        input: impl Into<Input<S::Update>>,
        options: RunOptions,
        interest: Interest,
    ) -> RunStream<S> {
        let (sink, events) = EventSink::roomy_channel(interest, CAPACITY);
        let (graph, input) = (self.clone(), input.into());
        let run = async move { graph.run(input, options.events(sink)).await };
        RunStream::new(Box::pin(run), events)
    }
}

impl ReactAgent {
    /// Runs the agent as a stream of its events, as [`CompiledGraph::stream`] does.
    pub fn stream(
        &self,
        input: impl Into<AgentInput>,
        options: RunOptions,
        interest: Interest,
    ) -> RunStream<ReactState> {
        let (sink, events) = EventSink::roomy_channel(interest, CAPACITY);
        let (agent, input) = (self.clone(), input.into());
        let run = async move { agent.run(input, options.events(sink)).await };
        RunStream::new(Box::pin(run), events)
    }
}

impl<S> RunStream<S> {
    fn new(run: BoxFuture<'static, Result<RunOutput<S>, Error>>, events: Events) -> Self {
        Self {
            run: Some(run),
            events,
            end: None,
        }
    }
}

impl<S: Unpin> Stream for RunStream<S> {
    type Item = Streamed<S>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Poll::Ready(Some(event)) = self.events.poll_next(cx) {
            return Poll::Ready(Some(Streamed::Event(event)));
        }
        if let Some(run) = &mut self.run {
            match run.as_mut().poll(cx) {
                Poll::Ready(end) => {
                    self.run = None;
                    self.end = Some(end);
                }
                Poll::Pending => {}
            }
        }
        match self.events.poll_next(cx) {
            Poll::Ready(Some(event)) => Poll::Ready(Some(Streamed::Event(event))),
            _ if self.run.is_some() => Poll::Pending,
            _ => Poll::Ready(self.end.take().map(Streamed::Ended)),
        }
    }
}

impl<S> fmt::Debug for RunStream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunStream")
            .field("running", &self.run.is_some())
            .finish_non_exhaustive()
    }
}
