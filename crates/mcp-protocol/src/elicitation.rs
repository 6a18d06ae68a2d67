//! Elicitation: a server asks the user of a client.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Extra, Meta, unique};

mod answer;
mod enum_schema;
mod format;
mod params;
mod schema;

pub use answer::InvalidAnswer;
pub use enum_schema::{
    EnumOption, EnumSchema, LegacyTitledEnumSchema, TitledMultiSelectEnumSchema,
    TitledMultiSelectItems, TitledSingleSelectEnumSchema, UntitledMultiSelectEnumSchema,
    UntitledMultiSelectItems, UntitledSingleSelectEnumSchema,
};
pub use params::{
    ElicitRequestFormParams, ElicitRequestParams, ElicitRequestURLParams, ElicitationMode,
};
pub use schema::{
    BooleanSchema, NumberSchema, NumberType, PrimitiveSchemaDefinition, RequestedSchema,
    StringFormat, StringSchema,
};

request! {
    /// `elicitation/create`: asks the user. Since 2026-07-28 only inside of an input-required
    /// result.
    ///
    /// Specification: Elicitation. Since 2025-06-18.
    Elicit = "elicitation/create": ElicitRequestParams => ElicitResult
}

notification! {
    /// `notifications/elicitation/complete`: what the user was sent to a URL for is done. A
    /// client ignores ids that it does not know.
    ///
    /// Specification: Elicitation (2025-11-25 only).
    ElicitationComplete = "notifications/elicitation/complete": ElicitationCompleteParams
}

open_enum! {
    /// What the user did.
    ///
    /// Specification: Elicitation, Response Actions. Since 2025-06-18.
    ElicitAction {
        /// Sent the form, or agreed to open the URL.
        Accept = "accept",
        /// Said no.
        Decline = "decline",
        /// Went away without an answer.
        Cancel = "cancel",
    }
}

/// Result of [`Elicit`].
///
/// Specification: Elicitation. Since 2025-06-18.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ElicitResult {
    /// What the user did.
    pub action: ElicitAction,
    /// What the form holds, after [`ElicitAction::Accept`]: strings, numbers, booleans and, since
    /// 2025-11-25, lists of strings. Check it with [`RequestedSchema::check`].
    #[serde(
        default,
        deserialize_with = "unique::optional_object",
        skip_serializing_if = "Option::is_none"
    )]
    pub content: Option<Map<String, Value>>,
    /// What travels beside the result. Until 2025-11-25.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ElicitResult {
    /// The user did this, and nothing was filled in.
    #[must_use]
    pub fn new(action: ElicitAction) -> Self {
        Self {
            action,
            content: None,
            meta: None,
            extra: Extra::new(),
        }
    }

    /// The user sent the form.
    #[must_use]
    pub fn accept(content: Map<String, Value>) -> Self {
        Self::new(ElicitAction::Accept).with_content(content)
    }

    /// The user said no.
    #[must_use]
    pub fn decline() -> Self {
        Self::new(ElicitAction::Decline)
    }

    /// The user went away.
    #[must_use]
    pub fn cancel() -> Self {
        Self::new(ElicitAction::Cancel)
    }
}

setters!(ElicitResult {
    with_content(content: Map<String, Value>),
    with_meta(meta: Meta),
});

/// Params of [`ElicitationComplete`].
///
/// Specification: Elicitation (2025-11-25 only).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ElicitationCompleteParams {
    /// Which elicitation.
    pub elicitation_id: String,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ElicitationCompleteParams {
    /// Names the elicitation that is done.
    pub fn new(elicitation_id: impl Into<String>) -> Self {
        Self {
            elicitation_id: elicitation_id.into(),
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(ElicitationCompleteParams { with_meta(meta: Meta) });
