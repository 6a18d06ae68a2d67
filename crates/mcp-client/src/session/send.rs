//! From typed params to a typed result: the capability gate, `_meta`, and rounds of input.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mcp_jsonrpc::{Id, RawJson};
use mcp_protocol::lifecycle::Wire;
use mcp_protocol::{
    Answer, AnswerError, CreateTaskResult, Feature, HasMeta, RequestMeta, RpcRequest,
};
use mcp_transport::{Attached, Call, CallError, CallId, ProgressSink, WithoutHeaders};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::Session;
use super::reports::{Waiting, while_reporting};
use crate::active::InFlight;
use crate::error::InputError;
use crate::handlers::Origin;
use crate::rounds::{self, TakesInput};
use crate::{CallOptions, Error};

/// How a request goes out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way<'a> {
    pub(super) options: &'a CallOptions,
    /// The call of a tool that it is part of.
    pub(super) call: Option<&'a InFlight>,
    /// Where its id is noted.
    pub(super) id: Option<&'a CallId>,
    /// Whether the server may be told to cancel it.
    pub(super) cancellable: bool,
}

impl<'a> Way<'a> {
    pub(super) const fn new(options: &'a CallOptions) -> Self {
        Self {
            options,
            call: None,
            id: None,
            cancellable: true,
        }
    }

    pub(super) const fn of(options: &'a CallOptions, call: &'a InFlight) -> Self {
        Self {
            call: Some(call),
            ..Self::new(options)
        }
    }
}

/// What has come of a request that may have asked for input.
#[derive(Debug)]
pub(super) enum Settled<T> {
    Complete(T),
    /// It goes on as a task; its progress is reported under this token.
    Task(Box<CreateTaskResult>, Option<Id>),
}

impl Session {
    /// Sends a request and decodes its result.
    ///
    /// # Errors
    /// [`Error::NotNegotiated`] without a message if the revision or the server does not have
    /// the method; [`Error`] otherwise.
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call: the server is told where the revision has a message
    /// for that.
    pub async fn request<R: RpcRequest>(&self, params: R::Params) -> Result<R::Result, Error> {
        self.request_with::<R>(params, &CallOptions::default())
            .await
    }

    /// As [`request`](Self::request), with options.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    /// Dropping the future cancels the call.
    pub async fn request_with<R: RpcRequest>(
        &self,
        params: R::Params,
        options: &CallOptions,
    ) -> Result<R::Result, Error> {
        self.request_by::<R>(params, Way::new(options)).await
    }

    pub(super) async fn request_by<R: RpcRequest>(
        &self,
        params: R::Params,
        way: Way<'_>,
    ) -> Result<R::Result, Error> {
        let (result, _) = self.request_measured::<R>(params, way).await?;
        Ok(result)
    }

    /// As [`request_with`](Self::request_with), with how many bytes the result had on the wire.
    pub(crate) async fn request_sized<R: RpcRequest>(
        &self,
        params: R::Params,
        options: &CallOptions,
    ) -> Result<(R::Result, usize), Error> {
        self.request_measured::<R>(params, Way::new(options)).await
    }

    async fn request_measured<R: RpcRequest>(
        &self,
        mut params: R::Params,
        way: Way<'_>,
    ) -> Result<(R::Result, usize), Error> {
        let (raw, _) = self.send::<R>(&mut params, way).await?;
        match self.answer::<R>(&raw, false)? {
            Answer::Complete(result) => Ok((result, raw.as_bytes().len())),
            other => Err(unexpected::<R>(&other)),
        }
    }

    /// Sends a request whose result may ask for input first, and goes on until it is complete.
    pub(super) async fn request_in_rounds<R: RpcRequest>(
        &self,
        params: R::Params,
        options: &CallOptions,
    ) -> Result<R::Result, Error>
    where
        R::Params: TakesInput,
    {
        match self.settle::<R>(params, Way::new(options)).await? {
            Settled::Complete(result) => Ok(result),
            Settled::Task(created, _) => Err(unexpected::<R>(&Answer::Task(created))),
        }
    }

    /// As [`request_in_rounds`](Self::request_in_rounds), where the result may be a task.
    pub(super) async fn settle<R: RpcRequest>(
        &self,
        mut params: R::Params,
        mut way: Way<'_>,
    ) -> Result<Settled<R::Result>, Error>
    where
        R::Params: TakesInput,
    {
        let asked = params.asks_for_task();
        // A call that is to be a task is given up as one.
        way.cancellable = !asked;
        let may_be_task = asked || self.inner.tasks || way.options.tasks;
        let limit = self.inner.max_rounds;
        for round in 0..=limit {
            let sent = self.send::<R>(&mut params, way).await;
            let (raw, token) = match sent {
                Err(error) if round > 0 => return Err(error.after_a_part()),
                sent => sent?,
            };
            let asked = match self.answer::<R>(&raw, asked)? {
                Answer::Complete(result) => return Ok(Settled::Complete(result)),
                Answer::InputRequired(asked) => *asked,
                Answer::Task(created) if may_be_task => {
                    return Ok(Settled::Task(created, token));
                }
                other => return Err(unexpected::<R>(&other)),
            };
            if round < limit {
                let inward = &self.inner.inward;
                rounds::fulfil(inward, asked, way.call, round, &mut params).await?;
            }
        }
        Err(InputError::TooMany { limit }.into())
    }

    /// Sends a request and gives back its result with the token for its progress.
    pub(super) async fn send<R: RpcRequest>(
        &self,
        params: &mut R::Params,
        way: Way<'_>,
    ) -> Result<(RawJson, Option<Id>), Error> {
        self.inner.negotiated.allows(&R::METHOD)?;
        if self.inner.inward.handlers.layers.is_empty() {
            self.post::<R>(params, way).await
        } else {
            self.send_layered::<R>(params, way).await
        }
    }

    /// Sends a request behind all layers.
    pub(super) async fn post<R: RpcRequest>(
        &self,
        params: &mut R::Params,
        way: Way<'_>,
    ) -> Result<(RawJson, Option<Id>), Error> {
        let (inner, options) = (&self.inner, way.options);
        let timeouts = options.timeouts.unwrap_or(inner.timeouts);
        // Progress counts only if it is asked for.
        let heard = inner.inward.handlers.progress().is_some() || timeouts.reset_on_progress;
        let wanted = options.progress.is_some() || heard && is_long(&R::METHOD);
        let token = self.prepare_meta(params, options, wanted);

        let raw = RawJson::encode(&*params).map_err(|source| Error::Params {
            method: R::METHOD.as_str().to_owned(),
            source,
        })?;
        let mut call = Call::new(R::METHOD, None);
        call.timeouts = timeouts;
        call.cancellable = way.cancellable;
        if self.mirrors() {
            self.mirror(&mut call, &raw, options);
        }
        call.params = Some(raw);
        let sent = self.dispatch(call, token.clone(), way).await?;
        Ok((sent, token))
    }

    /// Hands a call to the channel, with what every call carries. Its progress is reported under
    /// this token.
    pub(super) async fn dispatch(
        &self,
        mut call: Call,
        token: Option<Id>,
        way: Way<'_>,
    ) -> Result<RawJson, Error> {
        let inner = &self.inner;
        if inner.wire == Wire::Http {
            attach(&mut call, way);
        } else if let Some(id) = way.id {
            call.extensions.insert(id.clone());
        }
        let answer = self.reported(call, token, way).await;
        if let Err(CallError::Remote(error)) = &answer {
            inner.inward.sent_away.by_error(error);
        }
        Ok(answer?)
    }

    /// Makes a call whose progress is reported under this token.
    async fn reported(
        &self,
        mut call: Call,
        token: Option<Id>,
        way: Way<'_>,
    ) -> Result<RawJson, CallError> {
        let inner = &self.inner;
        let Some(token) = token else {
            return inner.channel.call(call).await;
        };
        let sink = way.options.progress.clone();
        let Some(handler) = inner.inward.handlers.progress() else {
            let sink = sink.unwrap_or(ProgressSink::ignore());
            call.progress = Some((token, sink));
            return inner.channel.call(call).await;
        };
        let waiting = Arc::new(Waiting::default());
        call.progress = Some((token, waiting.sink(sink)));
        let origin = Origin::new(Arc::clone(&inner.inward.server), way.call);
        let calling = inner.channel.call(call);
        while_reporting(calling, &waiting, handler, &origin).await
    }

    /// Fills `_meta` in and gives back the token for progress.
    fn prepare_meta<P: HasMeta>(
        &self,
        params: &mut P,
        options: &CallOptions,
        progress: bool,
    ) -> Option<Id> {
        let inner = &self.inner;
        let meta = params.meta_mut();
        inner.negotiated.stamp(meta);
        if !options.meta.is_empty() {
            let extra = &mut meta.get_or_insert_default().extra;
            let own = options.meta.iter().filter(|(key, _)| !is_ours(key));
            extra.extend(own.map(|(key, value)| (key.clone(), value.clone())));
        }
        if inner.wire == Wire::Stream {
            let server = &inner.inward.server;
            inner.without_http.place(&options.headers, meta, server);
        }
        if let (Some(meta), true) = (meta.as_mut(), self.version().is_stateless()) {
            meta.log_level = meta.log_level.take().or_else(|| inner.log_level.clone());
            if inner.tasks || options.tasks {
                meta.client_capabilities = Some(Arc::clone(&inner.with_tasks));
            }
        }
        progress.then(|| {
            // A retry needs a token of its own: the one before may still be in use.
            let token = Id::from(inner.next_token.fetch_add(1, Ordering::Relaxed));
            meta.get_or_insert_default().progress_token = Some(token.clone());
            token
        })
    }

    /// The result, by its kind where the revision has kinds; or the task that was asked for.
    fn answer<R: RpcRequest>(
        &self,
        raw: &RawJson,
        as_task: bool,
    ) -> Result<Answer<R::Result>, Error> {
        #[derive(Deserialize)]
        struct Created {
            task: Option<IgnoredAny>,
        }
        let malformed = |e: serde_json::Error| AnswerError::Malformed {
            detail: e.to_string(),
        };
        let created = || {
            let peek = raw.decode_borrowed::<Created>();
            as_task && peek.is_ok_and(|result| result.task.is_some())
        };
        let answer = if self.version().has(Feature::ResultType) {
            Answer::decode(raw)
        } else if created() {
            raw.decode()
                .map(|task| Answer::Task(Box::new(task)))
                .map_err(malformed)
        } else {
            raw.decode().map(Answer::Complete).map_err(malformed)
        };
        answer.map_err(|source| Error::Result {
            method: R::METHOD.as_str().to_owned(),
            source,
        })
    }

    pub(super) async fn notify<P: Serialize>(
        &self,
        method: mcp_jsonrpc::MethodName,
        params: &P,
    ) -> Result<(), Error> {
        self.inner.negotiated.allows_notification(&method)?;
        let params = RawJson::encode(params).map_err(|source| Error::Params {
            method: method.as_str().to_owned(),
            source,
        })?;
        let params = Some(params).filter(|params| params.as_str() != "{}");
        let notification = mcp_jsonrpc::Notification::new(method, params);
        Ok(self.inner.channel.notify(notification).await?)
    }
}

/// What a call has besides over HTTP.
fn attach(call: &mut Call, way: Way<'_>) {
    let (options, extensions) = (way.options, &mut call.extensions);
    if !options.headers.is_empty() {
        let mut headers = options.headers.clone();
        headers
            .values_mut()
            .for_each(|value| value.set_sensitive(true));
        extensions.insert(headers);
    }
    if !options.removed_headers.is_empty() {
        extensions.insert(WithoutHeaders(options.removed_headers.clone()));
    }
    if !options.extensions.is_empty() {
        extensions.insert(Attached(Arc::clone(&options.extensions)));
    }
    // Only here a message shows by the stream that it comes in which call it is part of.
    if let Some(id) = way.call.map(InFlight::becomes_request) {
        extensions.insert(id);
    } else if let Some(id) = way.id {
        extensions.insert(id.clone());
    }
}

/// Whether a key of `_meta` is for the session to fill in.
fn is_ours(key: &str) -> bool {
    const OURS: [&str; 5] = [
        "progressToken",
        RequestMeta::PROTOCOL_VERSION,
        RequestMeta::CLIENT_INFO,
        RequestMeta::CLIENT_CAPABILITIES,
        RequestMeta::LOG_LEVEL,
    ];
    OURS.contains(&key)
}

/// Whether a call of this method may take long enough to report progress.
fn is_long(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

fn unexpected<R: RpcRequest>(answer: &Answer<R::Result>) -> Error {
    let kind = match answer {
        Answer::Complete(_) => "complete",
        Answer::InputRequired(_) => "input_required",
        _ => "task",
    };
    Error::ResultType {
        method: R::METHOD.as_str().to_owned(),
        kind: kind.to_owned(),
    }
}
