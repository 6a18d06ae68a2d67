//! From typed params to the channel, with what every call carries.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mcp_jsonrpc::{Id, RawJson};
use mcp_protocol::lifecycle::Wire;
use mcp_protocol::{HasMeta, RequestMeta, RpcRequest};
use mcp_transport::{Attached, BoxFuture, Call, CallError, ProgressSink, WithoutHeaders};

use super::Session;
use super::reports::{Waiting, while_reporting};
use super::send::Way;
use crate::handlers::Origin;
use crate::{CallOptions, Error};

impl Session {
    /// Sends a request behind all layers. Gives back its result with the token for its progress.
    pub(super) async fn post<R: RpcRequest>(
        &self,
        params: &mut R::Params,
        way: Way<'_>,
    ) -> Result<(RawJson, Option<Id>), Error> {
        let (call, token) = self.prepare::<R>(params, way)?;
        let sent = self.dispatch(call, token.clone(), way).await;
        Ok((sent.map_err(|error| self.noted(error))?, token))
    }

    fn prepare<R: RpcRequest>(
        &self,
        params: &mut R::Params,
        way: Way<'_>,
    ) -> Result<(Call, Option<Id>), Error> {
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
            self.mirror(&mut call, params, &raw, options);
        }
        call.params = Some(raw);
        Ok((call, token))
    }

    /// Hands a call to the channel. Its progress is reported under this token.
    pub(super) fn dispatch<'a>(
        &'a self,
        mut call: Call,
        token: Option<Id>,
        way: Way<'a>,
    ) -> BoxFuture<'a, Result<RawJson, CallError>> {
        let inner = &self.inner;
        call.id = way.id.cloned();
        if inner.wire == Wire::Http {
            attach(&mut call, way);
        }
        let Some(token) = token else {
            return inner.channel.call(call);
        };
        let sink = way.options.progress.clone();
        let Some(handler) = inner.inward.handlers.progress() else {
            let sink = sink.unwrap_or(ProgressSink::ignore());
            call.progress = Some((token, sink));
            return inner.channel.call(call);
        };
        let waiting = Arc::new(Waiting::default());
        call.progress = Some((token, waiting.sink(sink)));
        let origin = Origin::new(Arc::clone(&inner.inward.server), way.call);
        let calling = inner.channel.call(call);
        Box::pin(async move { while_reporting(calling, &waiting, handler, &origin).await })
    }

    /// The error of a call, after what it says of users who are sent elsewhere was noted.
    pub(super) fn noted(&self, error: CallError) -> Error {
        if let CallError::Remote(error) = &error {
            self.inner.inward.sent_away.by_error(error);
        }
        error.into()
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
    if let Some(active) = way.call {
        call.id = Some(active.becomes_request());
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
