//! How much memory this process uses while it goes on.

use std::sync::Arc;
use std::time::Duration;

use super::tally::Tally;

/// Samples of the resident size.
#[derive(Debug, Default)]
pub(super) struct Memory {
    early: Vec<u64>,
    late: Vec<u64>,
}

impl Memory {
    /// Looks now and then until the tally is finished.
    pub(super) async fn watch(tally: Arc<Tally>) -> Self {
        let mut memory = Self::default();
        while !tally.is_finished() {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let progress = tally.progress();
            if (0.15..0.3).contains(&progress) {
                memory.early.push(resident());
            } else if progress > 0.85 {
                memory.late.push(resident());
            }
        }
        memory
    }

    pub(super) fn early(&self) -> u64 {
        median(&self.early)
    }

    pub(super) fn late(&self) -> u64 {
        median(&self.late)
    }

    /// How much more there is at the end than there was early.
    pub(super) fn growth(&self) -> u64 {
        match (self.early(), self.late()) {
            (0, _) => 0,
            (early, late) => late.saturating_sub(early),
        }
    }
}

fn median(samples: &[u64]) -> u64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// The resident size in bytes; 0 where it cannot be told.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0_u64) * 4096
}
