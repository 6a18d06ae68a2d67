//! OpenAI's Chat Completions, as many other servers speak it too.

mod error;
mod lower;
mod reply;
mod schema;
mod stream;

use std::fmt;
use std::time::Duration;

use http::Uri;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::http::{Arriving, HttpClient, within};
use crate::{BoxFuture, ChatModel, ChatRequest, ChatResponse, Deltas, ModelError, ModelErrorKind};

/// Where OpenAI itself listens.
const OPENAI: &str = "https://api.openai.com/v1";

/// A model behind OpenAI's Chat Completions API, at OpenAI or at any server that speaks it.
///
/// [`stream`](ChatModel::stream) shows the text of an answer as the server writes it.
///
/// Limits: an answer within 120 s ([`OpenAiBuilder::timeout`]), at most 16 MiB long, asking for at
/// most 1,000 tools. Redirects are not followed. The key is never shown, not in `Debug` either.
///
/// ```no_run
/// # fn main() -> Result<(), mcp_model::ModelError> {
/// use mcp_model::OpenAiModel;
/// let model = OpenAiModel::builder("qwen3").base_url("http://127.0.0.1:11434/v1").build()?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct OpenAiModel {
    name: String,
    model: String,
    endpoint: Uri,
    headers: HeaderMap,
    timeout: Duration,
    http: HttpClient,
    /// OpenAI itself wants the length limit under another name than servers that follow it.
    is_openai: bool,
}

impl OpenAiModel {
    /// A model by the name that the server knows it by, at OpenAI unless said otherwise.
    pub fn builder(model: impl Into<String>) -> OpenAiBuilder {
        OpenAiBuilder {
            model: model.into(),
            base_url: OPENAI.to_owned(),
            api_key: None,
            headers: Vec::new(),
            timeout: Duration::from_secs(120),
        }
    }

    async fn ask(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let reply = self.send(&request, false).await?.whole().await?;
        if reply.status.is_success() {
            reply::read(&reply, &request)
        } else {
            Err(error::classify(&reply))
        }
    }

    async fn ask_in_pieces(
        &self,
        request: ChatRequest,
        deltas: Deltas,
    ) -> Result<ChatResponse, ModelError> {
        let arriving = self.send(&request, true).await?;
        if !arriving.status.is_success() {
            return Err(error::classify(&arriving.whole().await?));
        }
        if is_event_stream(&arriving.headers) {
            return stream::read(arriving, &request, &deltas).await;
        }
        // A server that knows no streams answers as ever.
        let response = reply::read(&arriving.whole().await?, &request)?;
        stream::show(&response, &deltas);
        Ok(response)
    }

    async fn send(&self, request: &ChatRequest, in_pieces: bool) -> Result<Arriving, ModelError> {
        let body = lower::request(&self.model, request, self.is_openai, in_pieces)?;
        let (endpoint, headers) = (self.endpoint.clone(), self.headers.clone());
        self.http.post_json(endpoint, headers, body).await
    }
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("text/event-stream")
}

impl ChatModel for OpenAiModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn takes_answer_schema(&self) -> bool {
        self.is_openai
    }

    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ChatResponse, ModelError>> {
        Box::pin(within(self.timeout, self.ask(request)))
    }

    fn stream(
        &self,
        request: ChatRequest,
        deltas: Deltas,
    ) -> BoxFuture<'_, Result<ChatResponse, ModelError>> {
        Box::pin(within(self.timeout, self.ask_in_pieces(request, deltas)))
    }
}

impl fmt::Debug for OpenAiModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiModel")
            .field("model", &self.model)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

/// Settings of an [`OpenAiModel`].
#[derive(Clone)]
#[must_use]
pub struct OpenAiBuilder {
    model: String,
    base_url: String,
    api_key: Option<String>,
    headers: Vec<(HeaderName, HeaderValue)>,
    timeout: Duration,
}

impl OpenAiBuilder {
    /// The address before `/chat/completions`.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = url.into();
        self
    }

    /// The key, sent as a bearer token. Servers of one's own often need none.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// One more header for every request.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// How long one answer may take in all. 120 s unless set.
    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// The model, ready to be asked. Nothing is sent yet.
    ///
    /// # Errors
    /// When the address is no `http` or `https` URL, the key has characters that no header can
    /// carry, or OpenAI itself is to be asked without a key.
    pub fn build(self) -> Result<OpenAiModel, ModelError> {
        let bad = |message: String| ModelError::new(ModelErrorKind::BadRequest, message);
        let base = self.base_url.trim_end_matches('/');
        let is_openai = base == OPENAI;
        let endpoint: Uri = format!("{base}/chat/completions")
            .parse()
            .map_err(|e| bad(format!("{base} is no URL")).with_source(e))?;
        if !matches!(endpoint.scheme_str(), Some("http" | "https")) || endpoint.host().is_none() {
            return Err(bad(format!("{base} is no http or https URL")));
        }
        let mut headers: HeaderMap = self.headers.into_iter().collect();
        match &self.api_key {
            Some(key) => {
                let auth = |message| ModelError::new(ModelErrorKind::Auth, message);
                let mut value = HeaderValue::try_from(format!("Bearer {}", key.trim()))
                    .map_err(|_| auth("the key has characters that no header can carry"))?;
                value.set_sensitive(true);
                headers.insert(AUTHORIZATION, value);
            }
            None if is_openai => {
                let message = "OpenAI needs a key; set OPENAI_API_KEY";
                return Err(ModelError::new(ModelErrorKind::Auth, message));
            }
            None => {}
        }
        Ok(OpenAiModel {
            name: format!("openai:{}", self.model),
            model: self.model,
            endpoint,
            headers,
            timeout: self.timeout,
            http: HttpClient::new()?,
            is_openai,
        })
    }
}

impl fmt::Debug for OpenAiBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiBuilder")
            .field("model", &self.model)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}
