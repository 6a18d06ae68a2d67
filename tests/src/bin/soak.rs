//! Makes 100,000 mixed requests, or as many as the first argument says, with the random numbers
//! that the second one seeds. With `--serve` it is the server over stdio instead.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use mcp_tests::soak::{Options, run, serve_stdio};

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next();
    if first.as_deref() == Some("--serve") {
        serve_stdio().await;
        return Ok(());
    }
    let requests = match first {
        Some(number) => number.parse().context("how many requests?")?,
        None => 100_000,
    };
    let mut options = Options::new(requests, std::env::current_exe()?);
    if let Some(seed) = arguments.next() {
        options.seed = seed.parse().context("which seed?")?;
    }
    let report = run(&options).await?;
    writeln!(std::io::stdout(), "{report}")?;
    Ok(())
}
