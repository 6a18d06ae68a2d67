//! Completion: suggestions for an argument while it is being typed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Extra, Meta, RequestMeta, ResultType, decode, unique};

mod reference;

pub use reference::{CompletionReference, PromptReference, ResourceTemplateReference};

request! {
    /// `completion/complete`: asks for suggestions for one argument.
    ///
    /// Specification: Completion (all revisions; a capability since 2025-03-26).
    Complete = "completion/complete": CompleteParams => CompleteResult
}

/// Params of [`Complete`] (`CompleteRequestParams`).
///
/// Specification: Completion (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct CompleteParams {
    /// What the argument belongs to (`ref`).
    #[serde(rename = "ref")]
    pub reference: CompletionReference,
    /// The argument as far as it is typed.
    pub argument: CompletionArgument,
    /// What is already known besides. Since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<CompletionContext>,
    /// What travels beside the params.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl CompleteParams {
    /// Asks for suggestions without context.
    pub fn new(reference: impl Into<CompletionReference>, argument: CompletionArgument) -> Self {
        Self {
            reference: reference.into(),
            argument,
            context: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(CompleteParams {
    with_context(context: CompletionContext),
    with_meta(meta: RequestMeta),
});
has_meta!(CompleteParams);

/// An argument as far as it is typed.
///
/// Specification: Completion, `CompleteRequest` (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct CompletionArgument {
    /// The name of the argument, or of the variable in the URI template.
    pub name: String,
    /// What is typed so far.
    pub value: String,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl CompletionArgument {
    /// An argument.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
            extra: Extra::new(),
        }
    }
}

/// What is already known besides the argument.
///
/// Specification: Completion, `CompleteRequest`. Since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct CompletionContext {
    /// The other arguments, with their values.
    #[serde(
        default,
        deserialize_with = "unique::optional_members",
        skip_serializing_if = "Option::is_none"
    )]
    pub arguments: Option<BTreeMap<String, String>>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl CompletionContext {
    /// A context that knows nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(CompletionContext { with_arguments(arguments: BTreeMap<String, String>) });

/// Result of [`Complete`].
///
/// Specification: Completion (all revisions).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct CompleteResult {
    /// The kind of the result. Since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The suggestions.
    pub completion: Completion,
    /// What travels beside the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl CompleteResult {
    /// A result with these suggestions.
    #[must_use]
    pub fn new(completion: Completion) -> Self {
        Self {
            result_type: None,
            completion,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters!(CompleteResult { with_meta(meta: Meta) });
server_result!(CompleteResult);

/// Suggestions for an argument, the best first.
///
/// Specification: Completion, `CompleteResult` (all revisions).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// At most [`MAX_VALUES`](Self::MAX_VALUES) values.
    pub values: Vec<String>,
    /// How many there are in all, where that is known.
    #[serde(
        default,
        deserialize_with = "decode::count",
        skip_serializing_if = "Option::is_none"
    )]
    pub total: Option<u64>,
    /// Whether there are more than these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl Completion {
    /// The most values that one result may have.
    pub const MAX_VALUES: usize = 100;

    /// The first [`MAX_VALUES`](Self::MAX_VALUES) of these values; if that leaves some out, it
    /// says so and how many there are in all.
    #[must_use]
    pub fn new(mut values: Vec<String>) -> Self {
        let all = values.len();
        values.truncate(Self::MAX_VALUES);
        let cut = all > values.len();
        Self {
            values,
            total: if cut { u64::try_from(all).ok() } else { None },
            has_more: cut.then_some(true),
            extra: Extra::new(),
        }
    }
}

setters!(Completion {
    with_total(total: u64),
    with_has_more(has_more: bool),
});
