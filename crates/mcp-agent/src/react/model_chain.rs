//! Code around each question to the model.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_interceptors::BoxFuture;
use mcp_model::{ChatModel, ChatRequest, ChatResponse, Deltas, ModelError};

use super::response::ResponseFormat;
use super::state::{ReactState, ReactUpdate};
use crate::Runtime;

/// One question to the model on its way. Everything in it may be changed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModelCall {
    /// The model that is asked.
    pub model: Arc<dyn ChatModel>,
    /// The question: instructions, conversation, tools and settings.
    pub request: ChatRequest,
    /// The state as it was when the step began.
    pub state: Arc<ReactState>,
    /// The run.
    pub runtime: Runtime,
    /// Where the answer is shown as it is written, if anybody wants to see that.
    pub deltas: Option<Deltas>,
    /// The form of the answer, if it is to have one.
    pub response: Option<ResponseFormat>,
    pub(crate) notes: Notes,
}

/// What those on the way to the model leave for the agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Arc<Mutex<Left>>);

#[derive(Debug, Default)]
pub(crate) struct Left {
    /// What is to be written into the state.
    pub(crate) updates: Vec<ReactUpdate>,
    /// The form that the model was asked for last, and whether by the tool.
    pub(crate) asked: Option<(ResponseFormat, bool)>,
}

impl Notes {
    fn lock(&self) -> MutexGuard<'_, Left> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn take(&self) -> Left {
        std::mem::take(&mut self.lock())
    }
}

impl ModelCall {
    /// Asks another model.
    #[must_use]
    pub fn with_model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.model = model;
        self
    }

    /// Asks for another form of the answer, or for none.
    #[must_use]
    pub fn with_response(mut self, response: Option<ResponseFormat>) -> Self {
        self.response = response;
        self
    }

    /// Writes into the state, together with the answer.
    pub fn write(&self, update: ReactUpdate) {
        self.notes.lock().updates.push(update);
    }

    /// Asks another question.
    #[must_use]
    pub fn map_request(mut self, change: impl FnOnce(ChatRequest) -> ChatRequest) -> Self {
        self.request = change(self.request);
        self
    }
}

type Wrap = Arc<
    dyn Fn(ModelCall, ModelNext) -> BoxFuture<'static, Result<ChatResponse, ModelError>>
        + Send
        + Sync,
>;

/// The code around the questions to the model; the first is the outermost.
#[derive(Clone, Default)]
pub(crate) struct ModelChain(Vec<Wrap>);

impl ModelChain {
    pub(crate) fn push<F, Fut>(&mut self, wrap: F)
    where
        F: Fn(ModelCall, ModelNext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ChatResponse, ModelError>> + Send + 'static,
    {
        self.0
            .push(Arc::new(move |call, next| Box::pin(wrap(call, next))));
    }

    pub(crate) fn build(self) -> ModelNext {
        ModelNext {
            chain: self.0.into(),
            at: 0,
        }
    }
}

impl fmt::Debug for ModelChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ModelChain({})", self.0.len())
    }
}

/// The rest of the way to the model. It may be run any number of times.
#[derive(Clone)]
pub struct ModelNext {
    chain: Arc<[Wrap]>,
    at: usize,
}

impl ModelNext {
    /// Asks.
    ///
    /// # Errors
    /// When there is no answer.
    ///
    /// # Cancel safety
    /// Dropping the future gives the answer up.
    pub fn run(&self, call: ModelCall) -> BoxFuture<'static, Result<ChatResponse, ModelError>> {
        match self.chain.get(self.at) {
            Some(wrap) => {
                let next = Self {
                    chain: Arc::clone(&self.chain),
                    at: self.at + 1,
                };
                wrap(call, next)
            }
            None => Box::pin(ask(call)),
        }
    }
}

/// Asks the model itself.
async fn ask(call: ModelCall) -> Result<ChatResponse, ModelError> {
    let (model, mut request) = (call.model, call.request);
    if let Some(format) = &call.response {
        format.ask(&mut request, &*model);
    }
    call.notes.lock().asked = call.response.map(|format| {
        let by_tool = format.is_by_tool(&*model);
        (format, by_tool)
    });
    match call.deltas {
        Some(deltas) => model.stream(request, deltas).await,
        None => model.generate(request).await,
    }
}

impl fmt::Debug for ModelNext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ModelNext({} of {})", self.at, self.chain.len())
    }
}
