#![doc = include_str!("../README.md")]

mod client;
pub mod headers;
pub mod sse;

pub use client::{HttpClient, HttpClientBuilder, RequestBody, ResponseBody, SendError};
