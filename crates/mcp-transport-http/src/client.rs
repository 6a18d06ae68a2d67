//! The client end.

mod body;
mod connect;
mod http;
mod pool;

pub use body::ResponseBody;
pub use connect::HttpClientBuilder;
pub use http::{HttpClient, RequestBody, SendError};
