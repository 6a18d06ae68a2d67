//! Hands the progress of a call over while the call is waited for.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_transport::{Progress, ProgressSink};
use tokio::sync::Notify;

use crate::handlers::{Origin, ProgressReports};

/// How many reports wait; the oldest make way.
const WAITING: usize = 64;
/// How long reports may take after the answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reports on their way from the connection's reader to the handler.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    reports: Mutex<VecDeque<Progress>>,
    come: Notify,
}

impl Waiting {
    /// A sink that lets them wait, and hands them to another sink, too.
    pub(super) fn sink(self: &Arc<Self>, other: Option<ProgressSink>) -> ProgressSink {
        let waiting = Arc::clone(self);
        ProgressSink::new(move |report: Progress| {
            if let Some(other) = &other {
                other.report(report.clone());
            }
            waiting.push(report);
        })
    }

    fn push(&self, report: Progress) {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        if reports.len() >= WAITING {
            reports.pop_front();
        }
        reports.push_back(report);
        self.come.notify_one();
    }

    fn pop(&self) -> Option<Progress> {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        reports.pop_front()
    }
}

/// Waits for a call, and meanwhile hands its reports to the handler.
///
/// # Cancel safety
/// Dropping the future drops both.
pub(super) async fn while_reporting<T>(
    call: impl Future<Output = T>,
    waiting: &Waiting,
    handler: &dyn ProgressReports,
    origin: &Origin,
) -> T {
    let answered = AtomicBool::new(false);
    let hand_over = async {
        loop {
            let come = waiting.come.notified();
            match waiting.pop() {
                Some(report) => handler.progress(report, origin.clone()).await,
                None if answered.load(Ordering::Acquire) => return,
                None => come.await,
            }
        }
    };
    let (mut call, mut hand_over) = (pin!(call), pin!(hand_over));
    let outcome = tokio::select! {
        outcome = &mut call => outcome,
        // It ends only after the answer.
        () = &mut hand_over => return call.await,
    };
    answered.store(true, Ordering::Release);
    waiting.come.notify_one();
    if tokio::time::timeout(PATIENCE, hand_over).await.is_err() {
        tracing::warn!("reports of progress take too long, the rest is dropped");
    }
    outcome
}
