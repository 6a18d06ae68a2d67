//! What the layer says when there is no value to give.

/// The program has no value for an argument that the tool requires. The call was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{tool}` requires `{arg}`, for which the program has no value")]
#[non_exhaustive]
pub struct MissingArg {
    /// The tool, by the name that models use.
    pub tool: String,
    /// The argument.
    pub arg: String,
}
