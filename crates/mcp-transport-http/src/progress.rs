//! Which call a report of progress belongs to.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_jsonrpc::{Id, RawJson};
use mcp_transport::{Progress, ProgressSink};

use crate::deadline::LastSign;

pub(crate) const PROGRESS: &str = "notifications/progress";

/// The tokens of the calls in flight.
#[derive(Debug, Default)]
pub(crate) struct ProgressTable(Mutex<Calls>);

type Calls = HashMap<Id, Live, BuildHasherDefault<Spread>>;

/// A quick hash, for tokens that are all our own: a peer looks them up but adds none.
#[derive(Default)]
struct Spread(u64);

impl Spread {
    const fn add(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.add(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    fn write_i64(&mut self, n: i64) {
        self.add(n.cast_unsigned());
    }

    fn write_isize(&mut self, n: isize) {
        self.write_i64(n as i64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(Debug)]
struct Live {
    sink: ProgressSink,
    sign: LastSign,
    last: Option<f64>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    progress_token: Id,
    progress: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl ProgressTable {
    fn live(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call with this token begins; it ends when the guard is dropped.
    pub(crate) fn begin(self: &Arc<Self>, token: Id, sink: ProgressSink) -> ProgressGuard {
        let sign = LastSign::now();
        let live = Live {
            sink,
            sign: sign.clone(),
            last: None,
        };
        self.live().insert(token.clone(), live);
        ProgressGuard {
            table: Arc::clone(self),
            token,
            sign,
        }
    }

    /// Hands a report to its call. `false` where its token is not in use. A value that does not
    /// rise is dropped.
    pub(crate) fn report(&self, params: Option<&RawJson>) -> bool {
        let Some(report) = params.and_then(|p| p.decode_borrowed::<Report>().ok()) else {
            return false;
        };
        let sink = {
            let mut calls = self.live();
            let Some(live) = calls.get_mut(&report.progress_token) else {
                return false;
            };
            let rises = live.last.is_none_or(|last| report.progress > last);
            if !rises || !report.progress.is_finite() {
                return true;
            }
            live.last = Some(report.progress);
            live.sign.renew();
            live.sink.clone()
        };
        let mut progress = Progress::new(report.progress);
        progress.total = report.total;
        progress.message = report.message;
        sink.report(progress);
        true
    }
}

/// Ends the use of a token.
#[derive(Debug)]
pub(crate) struct ProgressGuard {
    table: Arc<ProgressTable>,
    token: Id,
    sign: LastSign,
}

impl ProgressGuard {
    pub(crate) fn sign(&self) -> LastSign {
        self.sign.clone()
    }
}

impl Drop for ProgressGuard {
    fn drop(&mut self) {
        let mut calls = self.table.live();
        // A later call may use the token by now.
        if calls
            .get(&self.token)
            .is_some_and(|live| live.sign.is(&self.sign))
        {
            calls.remove(&self.token);
        }
    }
}
