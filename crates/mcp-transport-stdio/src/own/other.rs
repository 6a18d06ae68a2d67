//! Stdin and stdout where there is nothing better than a thread that reads.

use std::io;

use super::thread::ThreadReader;
use super::{Sink, Source};

pub(super) fn take() -> io::Result<(Source, Sink)> {
    let source = ThreadReader::new(io::stdin())?;
    Ok((Box::new(source), Box::new(tokio::io::stdout())))
}
