//! From typed params to a typed result: the capability gate and rounds of input.
//!
//! Params are lent downwards and what is rare is boxed, so that the future of a call is small.

use mcp_jsonrpc::{Id, RawJson};
use mcp_protocol::{Answer, AnswerError, CreateTaskResult, Feature, RpcRequest};
use mcp_transport::CallId;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::Session;
use crate::active::InFlight;
use crate::error::InputError;
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
    pub async fn request<R: RpcRequest>(&self, mut params: R::Params) -> Result<R::Result, Error> {
        let options = CallOptions::default();
        self.request_by::<R>(&mut params, Way::new(&options)).await
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
        self.request_by::<R>(&mut params, Way::new(options)).await
    }

    pub(super) async fn request_by<R: RpcRequest>(
        &self,
        params: &mut R::Params,
        way: Way<'_>,
    ) -> Result<R::Result, Error> {
        let (result, _) = self.request_measured::<R>(params, way).await?;
        Ok(result)
    }

    /// As [`request_with`](Self::request_with), with how many bytes the result had on the wire.
    pub(crate) async fn request_sized<R: RpcRequest>(
        &self,
        mut params: R::Params,
        options: &CallOptions,
    ) -> Result<(R::Result, usize), Error> {
        self.request_measured::<R>(&mut params, Way::new(options))
            .await
    }

    async fn request_measured<R: RpcRequest>(
        &self,
        params: &mut R::Params,
        way: Way<'_>,
    ) -> Result<(R::Result, usize), Error> {
        let (raw, _) = self.send::<R>(params, way).await?;
        match self.answer::<R>(&raw, false)? {
            Answer::Complete(result) => Ok((result, raw.as_bytes().len())),
            other => Err(unexpected::<R>(&other)),
        }
    }

    /// Sends a request whose result may ask for input first, and goes on until it is complete.
    pub(super) async fn request_in_rounds<R: RpcRequest>(
        &self,
        mut params: R::Params,
        options: &CallOptions,
    ) -> Result<R::Result, Error>
    where
        R::Params: TakesInput,
    {
        match self.settle::<R>(&mut params, Way::new(options)).await? {
            Settled::Complete(result) => Ok(result),
            Settled::Task(created, _) => Err(unexpected::<R>(&Answer::Task(created))),
        }
    }

    /// As [`request_in_rounds`](Self::request_in_rounds), where the result may be a task.
    pub(super) async fn settle<R: RpcRequest>(
        &self,
        params: &mut R::Params,
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
            let sent = self.send::<R>(params, way).await;
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
                let fulfilled = rounds::fulfil(inward, asked, way.call, round, params);
                Box::pin(fulfilled).await?;
            }
        }
        Err(InputError::TooMany { limit }.into())
    }

    /// Sends a request and gives back its result with the token for its progress.
    async fn send<R: RpcRequest>(
        &self,
        params: &mut R::Params,
        way: Way<'_>,
    ) -> Result<(RawJson, Option<Id>), Error> {
        self.inner.negotiated.allows(&R::METHOD)?;
        if self.inner.inward.handlers.layers.is_empty() {
            self.post::<R>(params, way).await
        } else {
            Box::pin(self.send_layered::<R>(params, way)).await
        }
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
