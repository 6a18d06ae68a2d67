//! Whether a model must, may or must not ask for tools.

/// The rule about tools in one answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// As the model sees fit.
    #[default]
    Auto,
    /// No tools, words only.
    None,
    /// At least one tool.
    Required,
    /// This tool.
    Tool(String),
}
