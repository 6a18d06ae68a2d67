//! How many attempts in all may be repeats.

use std::sync::{Mutex, PoisonError};

/// What a repeated attempt costs. A first attempt earns a part of it.
const COST: u64 = 1_000;

/// Keeps repeats in proportion: when a server is down, every call repeated three times is three
/// times the load that it could not bear.
#[derive(Debug)]
pub(super) struct Budget {
    earns: u64,
    most: u64,
    left: Mutex<u64>,
}

impl Budget {
    /// `reserve` repeats at once, and `percent` of the calls in the long run.
    pub(super) fn new(reserve: u32, percent: u32) -> Self {
        let most = u64::from(reserve) * COST;
        Self {
            earns: u64::from(percent) * COST / 100,
            most,
            left: Mutex::new(most),
        }
    }

    pub(super) fn deposit(&self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        *left = left.saturating_add(self.earns).min(self.most);
    }

    pub(super) fn withdraw(&self) -> bool {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        match left.checked_sub(COST) {
            Some(rest) => *left = rest,
            None => return false,
        }
        true
    }
}
