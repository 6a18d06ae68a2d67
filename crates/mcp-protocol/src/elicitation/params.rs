//! How the user is asked: by a form, or by a URL.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use super::RequestedSchema;
use crate::{Extra, HasMeta, RequestMeta, TaskMetadata};

open_enum! {
    /// How the user is asked. Absent means by form.
    ///
    /// Specification: Elicitation. Since 2025-11-25.
    ElicitationMode {
        /// By a form that the client shows.
        Form = "form",
        /// By sending the user to a URL.
        Url = "url",
    }
}

/// Params of [`Elicit`](super::Elicit): a form, or a URL.
///
/// Another mode does not decode; the client answers `-32602`.
/// Specification: Elicitation. Since 2025-06-18.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ElicitRequestParams {
    /// A form that the client shows.
    Form(ElicitRequestFormParams),
    /// A URL that the user is sent to. Since 2025-11-25.
    Url(ElicitRequestURLParams),
}

impl ElicitRequestParams {
    /// What the user is told.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Form(params) => &params.message,
            Self::Url(params) => &params.message,
        }
    }

    /// The wish that the question be a task. 2025-11-25 only.
    #[must_use]
    pub fn task(&self) -> Option<&TaskMetadata> {
        match self {
            Self::Form(params) => params.task.as_ref(),
            Self::Url(params) => params.task.as_ref(),
        }
    }

    /// How the user is asked.
    #[must_use]
    pub fn mode(&self) -> ElicitationMode {
        match self {
            Self::Form(_) => ElicitationMode::Form,
            Self::Url(_) => ElicitationMode::Url,
        }
    }
}

impl From<ElicitRequestFormParams> for ElicitRequestParams {
    fn from(params: ElicitRequestFormParams) -> Self {
        Self::Form(params)
    }
}

impl From<ElicitRequestURLParams> for ElicitRequestParams {
    fn from(params: ElicitRequestURLParams) -> Self {
        Self::Url(params)
    }
}

impl HasMeta for ElicitRequestParams {
    fn meta(&self) -> Option<&RequestMeta> {
        match self {
            Self::Form(params) => params.meta.as_ref(),
            Self::Url(params) => params.meta.as_ref(),
        }
    }

    fn meta_mut(&mut self) -> &mut Option<RequestMeta> {
        match self {
            Self::Form(params) => &mut params.meta,
            Self::Url(params) => &mut params.meta,
        }
    }
}

impl<'de> Deserialize<'de> for ElicitRequestParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        match wire.mode {
            None | Some(ElicitationMode::Form) => Ok(Self::Form(ElicitRequestFormParams {
                mode: wire.mode,
                message: wire.message,
                requested_schema: wire
                    .requested_schema
                    .ok_or_else(|| D::Error::missing_field("requestedSchema"))?,
                task: wire.task,
                meta: wire.meta,
                extra: wire.extra,
            })),
            Some(ElicitationMode::Url) => Ok(Self::Url(ElicitRequestURLParams {
                mode: ElicitationMode::Url,
                message: wire.message,
                url: wire.url.ok_or_else(|| D::Error::missing_field("url"))?,
                elicitation_id: wire.elicitation_id,
                task: wire.task,
                meta: wire.meta,
                extra: wire.extra,
            })),
            Some(ElicitationMode::Other(mode)) => {
                Err(D::Error::unknown_variant(&mode, &["form", "url"]))
            }
        }
    }
}

/// Both modes at once, since `mode` may come last or not at all.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    mode: Option<ElicitationMode>,
    message: String,
    requested_schema: Option<RequestedSchema>,
    url: Option<String>,
    elicitation_id: Option<String>,
    task: Option<TaskMetadata>,
    #[serde(rename = "_meta")]
    meta: Option<RequestMeta>,
    #[serde(flatten)]
    extra: Extra,
}

/// Asks the user by a form.
///
/// Specification: Elicitation, Form Mode. Since 2025-06-18.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ElicitRequestFormParams {
    /// `form`, or absent. Since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ElicitationMode>,
    /// What the user is told.
    pub message: String,
    /// What the form has.
    pub requested_schema: RequestedSchema,
    /// Asks for a task. 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// What travels beside the params. Until 2025-11-25.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ElicitRequestFormParams {
    /// A form.
    pub fn new(message: impl Into<String>, requested_schema: RequestedSchema) -> Self {
        Self {
            mode: None,
            message: message.into(),
            requested_schema,
            task: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(ElicitRequestFormParams {
    with_task(task: TaskMetadata),
    with_meta(meta: RequestMeta),
});

/// Sends the user to a URL, for what a client must not see.
///
/// Specification: Elicitation, URL Mode. Since 2025-11-25.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ElicitRequestURLParams {
    /// `url`.
    pub mode: ElicitationMode,
    /// What the user is told.
    pub message: String,
    /// Where the user is sent, after agreeing to it.
    pub url: String,
    /// Names the elicitation for [`ElicitationComplete`](super::ElicitationComplete). 2025-11-25 only, required there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
    /// Asks for a task. 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// What travels beside the params. Until 2025-11-25.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ElicitRequestURLParams {
    /// Sends the user to a URL.
    pub fn new(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            mode: ElicitationMode::Url,
            message: message.into(),
            url: url.into(),
            elicitation_id: None,
            task: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(ElicitRequestURLParams {
    with_elicitation_id(elicitation_id: String),
    with_task(task: TaskMetadata),
    with_meta(meta: RequestMeta),
});

impl<'de> Deserialize<'de> for ElicitRequestURLParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match ElicitRequestParams::deserialize(deserializer)? {
            ElicitRequestParams::Url(params) => Ok(params),
            ElicitRequestParams::Form(_) => Err(D::Error::custom("the mode is not `url`")),
        }
    }
}
