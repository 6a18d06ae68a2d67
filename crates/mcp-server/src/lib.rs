#![doc = include_str!("../README.md")]

mod template;

pub use template::{TemplateError, TemplateVars, UriTemplate};
