//! What an answer cost.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Tokens as the provider counted them. Zero where it did not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Those of `input_tokens` that came from the provider's cache.
    pub cached_tokens: u64,
    /// Tokens of the answer, reasoning included.
    pub output_tokens: u64,
}

impl Usage {
    /// So many tokens in and out.
    #[must_use]
    pub const fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self {
            input_tokens,
            cached_tokens: 0,
            output_tokens,
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}
