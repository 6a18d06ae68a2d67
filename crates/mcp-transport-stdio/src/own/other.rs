//! Stdin and stdout where there is nothing better than a thread that reads.

use std::io;

use super::{Sink, Source};

#[expect(clippy::unnecessary_wraps, reason = "it can fail elsewhere")]
pub(super) fn take() -> io::Result<(Source, Sink)> {
    Ok((Box::new(tokio::io::stdin()), Box::new(tokio::io::stdout())))
}
