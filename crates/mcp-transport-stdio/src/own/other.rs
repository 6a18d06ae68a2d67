//! Stdin and stdout where there is nothing better than a thread that reads.

use std::io;

use super::thread::ThreadReader;
use super::{Sink, Source};

/// Whether the client is still there, which cannot be seen here.
pub(super) struct Client;

impl Client {
    pub(super) const fn is_gone(&self) -> bool {
        false
    }
}

pub(super) fn take() -> io::Result<(Source, Sink, Client)> {
    let source = ThreadReader::new(io::stdin())?;
    Ok((Box::new(source), Box::new(tokio::io::stdout()), Client))
}
