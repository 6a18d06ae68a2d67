//! Questions to the client, in both eras by one call.
//!
//! Until 2025-11-25 a question is a request of the server's own, and the handler waits for its
//! answer. Since 2026-07-28 servers send no requests: the round ends with the questions as its
//! result, and the client calls again with the answers. The handler is then run from its start,
//! and a question that is answered already returns at once.

mod call;
mod error;
mod kinds;
mod rounds;
mod state;

use mcp_jsonrpc::RawJson;
use mcp_protocol::lifecycle::client_allows;
use mcp_protocol::{Feature, HasMeta as _, Meta, RpcRequest, TaskShape};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::Context;
use crate::tasks::{Asked, Work};

use call::asks_for_task;

pub use error::AskError;
pub(crate) use rounds::{Brought, Rounds};
pub(crate) use state::{Seal, Subject};

use rounds::Kind;

impl Context {
    /// How often a task asks the same, where the client answers what does not fit.
    pub const MAX_TRIES: usize = 16;

    /// Asks the client: any request that a server may send.
    ///
    /// `key` names the question among those of this handler; it must be the same each time the
    /// handler is run with the same arguments and answers. A key that is used several times in
    /// one run names one question after another.
    ///
    /// # Errors
    /// [`AskError`]: the client does not offer what is asked for, or has not answered.
    ///
    /// # Cancel safety
    /// Dropping the future takes the question back.
    pub async fn ask<M: RpcRequest>(
        &self,
        key: &str,
        params: M::Params,
    ) -> Result<M::Result, AskError> {
        self.ask_checked::<M>(key, params, |_| true).await
    }

    /// Whether the client can be asked that.
    ///
    /// # Errors
    /// [`AskError::NotOffered`], which a handler that cannot do without may return as it is.
    pub fn can_ask<M: RpcRequest>(&self) -> Result<(), AskError> {
        let version = self.version();
        client_allows(&M::METHOD, self.client_capabilities())
            .map_err(|reason| AskError::NotOffered { reason, version })
    }

    /// An answer that `fits` refuses is none: in a round it is asked for again.
    pub(crate) async fn ask_checked<M: RpcRequest>(
        &self,
        key: &str,
        params: M::Params,
        fits: impl Fn(&M::Result) -> bool,
    ) -> Result<M::Result, AskError> {
        self.can_ask::<M>()?;
        match (self.task(), self.rounds()) {
            (Some(work), _) => self.ask_by_task::<M>(work, key, params, fits).await,
            (None, Some(rounds)) => {
                let key = rounds.key_of_this_use(Kind::Question, key);
                if let Some(answer) = rounds.answer(&key, fits) {
                    return Ok(answer);
                }
                let params = RawJson::encode(&params).map_err(AskError::Question)?;
                rounds.ask(key, &M::METHOD, params);
                self.wake_driver();
                // The round ends here, see `handler::drive`, and with it the handler.
                rounds.ended().await;
                Err(AskError::Ended)
            }
            (None, None) if self.is_answered() => Err(AskError::Ended),
            (None, None) if self.version().has(Feature::ServerRequests) => {
                let answer = self.call_client::<M>(params).await?;
                let answer = answer.decode().map_err(AskError::Answer)?;
                fits(&answer).then_some(answer).ok_or(AskError::Unfit)
            }
            (None, None) => Err(AskError::NotHere),
        }
    }

    /// Asks through the task that the request has become.
    async fn ask_by_task<M: RpcRequest>(
        &self,
        work: &Work,
        key: &str,
        mut params: M::Params,
        fits: impl Fn(&M::Result) -> bool,
    ) -> Result<M::Result, AskError> {
        let asks_again = work.shape == TaskShape::Extension;
        if !asks_again {
            let related = json!({ "taskId": work.id });
            let meta = params.meta_mut().get_or_insert_default();
            meta.extra.insert(Meta::RELATED_TASK.to_owned(), related);
        }
        let as_task = asks_for_task(&params);
        let params = RawJson::encode(&params).map_err(AskError::Question)?;
        let tries = if asks_again { Self::MAX_TRIES } else { 1 };
        for _ in 0..tries {
            let asked = Asked {
                method: M::METHOD,
                params: params.clone(),
            };
            let answer = work.ask(key, asked).await.ok_or(AskError::Ended)??;
            let answer = self.outcome_of(answer, as_task).await?;
            match answer.decode() {
                Ok(answer) if fits(&answer) => return Ok(answer),
                Err(error) if !asks_again => return Err(AskError::Answer(error)),
                _ => {}
            }
        }
        Err(AskError::Unfit)
    }

    /// Does something once for a request, however many rounds of questions it takes.
    ///
    /// Since 2026-07-28 a handler is run from its start in each round; what it does before a
    /// question is done again. Here the value is kept with the request instead: it travels to
    /// the client and back, signed but readable, so it must be small and no secret.
    ///
    /// ```
    /// # use mcp_server::Context;
    /// # async fn create_order() -> u64 { 7 }
    /// # async fn f(cx: Context) {
    /// let order = cx.once("order", create_order).await;
    /// // ... questions about the order ...
    /// # }
    /// ```
    ///
    /// # Cancel safety
    /// Dropping the future drops the work.
    pub async fn once<T, F, Fut>(&self, key: &str, work: F) -> T
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        let Some(rounds) = self.rounds() else {
            return work().await;
        };
        let key = rounds.key_of_this_use(Kind::Once, key);
        if let Some(value) = rounds.kept(&key) {
            return value;
        }
        let value = work().await;
        rounds.keep(key, &value);
        value
    }
}

/// An id that nobody can guess.
fn random_id() -> Result<String, AskError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(AskError::Random)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}
