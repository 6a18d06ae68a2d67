//! Questions of layers to whoever made the call.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::{BoxFuture, CallError, CallErrorKind, Delivery};

type Asking = dyn Fn(Value) -> BoxFuture<'static, Result<Value, CallError>> + Send + Sync;

/// Answers questions of layers and of those that carry a call out: approvals, choices, values.
/// Who makes a call puts one into its extensions; layers use [`ToolCall::ask`].
///
/// [`ToolCall::ask`]: crate::ToolCall::ask
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use mcp_interceptors::Ask;
/// let yes = Ask::new(|_question| async { Ok(true.into()) });
/// assert_eq!(yes.ask("may I?".into()).await.unwrap(), true);
/// # });
/// ```
#[derive(Clone)]
pub struct Ask {
    asking: Arc<Asking>,
    now: Option<Arc<Asking>>,
}

impl Ask {
    /// Questions go to `f`. Where the answer comes later it gives back a
    /// [`CallError::interrupted`].
    pub fn new<F, Fut>(f: F) -> Self
    where
        F: Fn(Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, CallError>> + Send + 'static,
    {
        Self {
            asking: Arc::new(move |question| Box::pin(f(question))),
            now: None,
        }
    }

    /// Questions whose answer is of use only at once go to `f`.
    #[must_use]
    pub fn with_now<F, Fut>(mut self, f: F) -> Self
    where
        F: Fn(Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, CallError>> + Send + 'static,
    {
        self.now = Some(Arc::new(move |question| Box::pin(f(question))));
        self
    }

    /// The same for who needs the answer at once, as the call that asks cannot be made once more.
    #[must_use]
    pub fn now(&self) -> Self {
        Self {
            asking: Arc::clone(self.now.as_ref().unwrap_or(&self.asking)),
            now: self.now.clone(),
        }
    }

    /// Asks, and reads the answer. Where it cannot be read the question comes again, with what
    /// was wrong as its member `problem`; three times at most.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// use mcp_interceptors::Ask;
    /// use serde_json::json;
    /// let person = Ask::new(|question| async move {
    ///     Ok(if question.get("problem").is_some() { json!(3) } else { json!("three") })
    /// });
    /// let number = |answer: serde_json::Value| answer.as_u64().ok_or_else(|| "a number, please".to_owned());
    /// assert_eq!(person.ask_for(json!({"ask": "how many"}), number).await.unwrap(), 3);
    /// # });
    /// ```
    ///
    /// # Errors
    /// As [`ask`](Self::ask); of kind [`Layer`](CallErrorKind::Layer) if no answer could be read.
    ///
    /// # Cancel safety
    /// Dropping the future gives the question up.
    pub async fn ask_for<T>(
        &self,
        question: Value,
        read: impl Fn(Value) -> Result<T, String>,
    ) -> Result<T, CallError> {
        let mut problem = String::new();
        for _ in 0..Self::TRIES {
            let mut asked = question.clone();
            if let (false, Some(members)) = (problem.is_empty(), asked.as_object_mut()) {
                members.insert("problem".to_owned(), problem.as_str().into());
            }
            match read(self.ask(asked).await?) {
                Ok(answer) => return Ok(answer),
                Err(wrong) => problem = wrong,
            }
        }
        let message = format!("the answer cannot be used: {problem}");
        Err(CallError::new(CallErrorKind::Layer, message).with_delivery(Delivery::NotSent))
    }

    /// How often an answer that cannot be read is asked for.
    const TRIES: usize = 3;

    /// Asks.
    ///
    /// # Errors
    /// If there is no answer, or not yet.
    ///
    /// # Cancel safety
    /// Dropping the future gives the question up.
    pub fn ask(&self, question: Value) -> BoxFuture<'static, Result<Value, CallError>> {
        (self.asking)(question)
    }
}

impl fmt::Debug for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ask")
    }
}
