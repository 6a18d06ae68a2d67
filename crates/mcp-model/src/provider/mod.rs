//! Models behind a network.

pub(crate) mod openai;
