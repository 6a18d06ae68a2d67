//! From typed params to a typed result: the capability gate, `_meta`, and rounds of input.

use std::sync::atomic::Ordering;

use mcp_jsonrpc::{Id, RawJson};
use mcp_protocol::{Answer, AnswerError, Feature, HasMeta, RequestMeta, RpcRequest};
use mcp_transport::{Call, Progress, ProgressSink, WithoutHeaders};
use serde::Serialize;

use super::Session;
use crate::error::InputError;
use crate::inward::InFlight;
use crate::rounds::{self, TakesInput};
use crate::{CallOptions, Error};

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
        mut params: R::Params,
        options: &CallOptions,
    ) -> Result<R::Result, Error> {
        let raw = self.send::<R>(&mut params, options).await?;
        match self.answer::<R>(&raw)? {
            Answer::Complete(result) => Ok(result),
            other => Err(unexpected::<R>(&other)),
        }
    }

    /// Sends a request whose result may ask for input first, and goes on until it is complete.
    pub(super) async fn request_in_rounds<R: RpcRequest>(
        &self,
        mut params: R::Params,
        options: &CallOptions,
        in_flight: Option<InFlight>,
    ) -> Result<R::Result, Error>
    where
        R::Params: TakesInput,
    {
        let limit = self.inner.max_rounds;
        for round in 0..=limit {
            let raw = self.send::<R>(&mut params, options).await?;
            let asked = match self.answer::<R>(&raw)? {
                Answer::Complete(result) => return Ok(result),
                Answer::InputRequired(asked) => *asked,
                other => return Err(unexpected::<R>(&other)),
            };
            if round < limit {
                let inward = &self.inner.inward;
                rounds::fulfil(inward, asked, in_flight.clone(), round, &mut params).await?;
            }
        }
        Err(InputError::TooMany { limit }.into())
    }

    async fn send<R: RpcRequest>(
        &self,
        params: &mut R::Params,
        options: &CallOptions,
    ) -> Result<RawJson, Error> {
        let inner = &self.inner;
        inner.negotiated.allows(&R::METHOD)?;
        let timeouts = options.timeouts.unwrap_or(inner.timeouts);
        // Progress counts only if it is asked for.
        let wanted =
            options.progress.is_some() || timeouts.reset_on_progress && is_long(&R::METHOD);
        let token = self.prepare_meta(params, options, wanted);

        let raw = RawJson::encode(&*params).map_err(|source| Error::Params {
            method: R::METHOD.as_str().to_owned(),
            source,
        })?;
        let mut call = Call::new(R::METHOD, None);
        call.timeouts = timeouts;
        call.progress = token.map(|token| (token, self.sink(options)));
        if self.mirrors() {
            self.mirror(&mut call, &raw, options);
        }
        if !options.headers.is_empty() {
            call.extensions.insert(options.headers.clone());
        }
        if !options.removed_headers.is_empty() {
            let without = WithoutHeaders(options.removed_headers.clone());
            call.extensions.insert(without);
        }
        call.params = Some(raw);
        Ok(inner.channel.call(call).await?)
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
        if let (Some(meta), true) = (meta.as_mut(), self.version().is_stateless()) {
            meta.log_level = meta.log_level.take().or_else(|| inner.log_level.clone());
        }
        progress.then(|| {
            // A retry needs a token of its own: the one before may still be in use.
            let token = Id::from(inner.next_token.fetch_add(1, Ordering::Relaxed));
            meta.get_or_insert_default().progress_token = Some(token.clone());
            token
        })
    }

    fn sink(&self, options: &CallOptions) -> ProgressSink {
        options
            .progress
            .clone()
            .unwrap_or_else(|| ProgressSink::new(|_: Progress| {}))
    }

    /// The result, by its kind where the revision has kinds.
    fn answer<R: RpcRequest>(&self, raw: &RawJson) -> Result<Answer<R::Result>, Error> {
        let answer = if self.version().has(Feature::ResultType) {
            Answer::decode(raw)
        } else {
            let result = raw.decode().map_err(|e| AnswerError::Malformed {
                detail: e.to_string(),
            });
            result.map(Answer::Complete)
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
