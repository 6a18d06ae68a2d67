#![doc = include_str!("../README.md")]

mod alarm;
mod client;
mod deadline;
mod error;
pub mod headers;
mod panic;
mod progress;
mod server;
pub mod sse;

/// What [`HttpClientBuilder::tls_config`] takes its settings from.
#[cfg(feature = "tls")]
pub use rustls;

pub use client::{
    HeaderError, HeaderRequest, HeaderSource, HttpChannel, HttpClient, HttpClientBuilder,
    HttpTransport, HttpTransportBuilder, LegacySse, RequestBody, ResponseBody, SendError,
};
pub use error::BuildError;
pub use server::{AnswerBody, HttpOptions, HttpServer, HttpService, StreamControl};
