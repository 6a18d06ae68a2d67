//! Timers for limits that are hardly ever reached.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Sleep as HyperSleep, Timer};
use tokio::runtime::{Handle, Id};
use tokio::time::{Instant, Sleep, sleep_until};

/// How many timers are kept that nobody waits for.
const MAX_KEPT: usize = 64;

/// Timers that are used again and again.
///
/// To set one costs a lock that all tasks of the runtime share, and often wakes its driver. So one
/// that is set for an earlier time stays as it is: it rings once in vain, and whoever waits does
/// not hear that. As long as limits are much longer than what they limit, it is hardly ever set.
#[derive(Clone, Default)]
pub(crate) struct Alarms(Arc<Mutex<Option<Kept>>>);

struct Kept {
    /// Whose timers they are: they ring in no other runtime.
    runtime: Handle,
    idle: Vec<Pin<Box<Sleep>>>,
}

/// A timer, and whose it is.
#[derive(Debug)]
struct Alarm {
    sleep: Pin<Box<Sleep>>,
    runtime: Id,
}

impl Alarms {
    /// Waits for this time. Nothing is set before it is polled.
    pub(crate) fn until(&self, time: Instant) -> Until {
        Until {
            time,
            alarm: None,
            alarms: self.clone(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, time: Instant) -> Alarm {
        let runtime = Handle::current();
        let id = runtime.id();
        let mut kept = self.kept();
        // An id is not used again as long as there is a handle.
        let idle = match &mut *kept {
            Some(kept) if kept.runtime.id() == id => kept.idle.pop(),
            other => {
                let idle = Vec::new();
                *other = Some(Kept { runtime, idle });
                None
            }
        };
        drop(kept);
        Alarm {
            sleep: idle.unwrap_or_else(|| Box::pin(sleep_until(time))),
            runtime: id,
        }
    }

    fn put(&self, alarm: Alarm) {
        if let Some(kept) = &mut *self.kept()
            && kept.runtime.id() == alarm.runtime
            && kept.idle.len() < MAX_KEPT
        {
            kept.idle.push(alarm.sleep);
        }
    }
}

impl fmt::Debug for Alarms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let idle = self.kept().as_ref().map_or(0, |kept| kept.idle.len());
        f.debug_struct("Alarms").field("idle", &idle).finish()
    }
}

/// Waits for a time.
#[derive(Debug)]
pub(crate) struct Until {
    time: Instant,
    alarm: Option<Alarm>,
    alarms: Alarms,
}

impl Future for Until {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Self {
            time,
            alarm,
            alarms,
        } = &mut *self;
        let sleep = &mut alarm.get_or_insert_with(|| alarms.take(*time)).sleep;
        if sleep.deadline() > *time {
            sleep.as_mut().reset(*time);
        }
        loop {
            ready!(sleep.as_mut().poll(cx));
            if sleep.deadline() == *time {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(*time);
        }
    }
}

impl Drop for Until {
    fn drop(&mut self) {
        if let Some(alarm) = self.alarm.take() {
            self.alarms.put(alarm);
        }
    }
}

/// For hyper, which sets a timer anew for each request of a connection.
impl Timer for Alarms {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn HyperSleep>> {
        Box::pin(self.until(Instant::now() + duration))
    }

    fn sleep_until(&self, deadline: std::time::Instant) -> Pin<Box<dyn HyperSleep>> {
        Box::pin(self.until(deadline.into()))
    }

    fn now(&self) -> std::time::Instant {
        Instant::now().into_std()
    }
}

impl HyperSleep for Until {}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    /// Waits for so long, and says how long it was.
    async fn wait(alarms: &Alarms, millis: u64) -> u64 {
        let begin = Instant::now();
        alarms.until(begin + Duration::from_millis(millis)).await;
        begin.elapsed().as_millis().try_into().unwrap()
    }

    fn idle(alarms: &Alarms) -> usize {
        alarms.kept().as_ref().map_or(0, |kept| kept.idle.len())
    }

    /// Begins to wait, and gives it up after a while.
    async fn give_up(alarms: &Alarms, after: u64, millis: u64) {
        let waiting = wait(alarms, millis);
        let limited = tokio::time::timeout(Duration::from_millis(after), waiting);
        assert!(limited.await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_timer_that_is_set_already_rings_neither_early_nor_late() {
        let alarms = Alarms::default();
        give_up(&alarms, 10, 100).await;
        assert_eq!(idle(&alarms), 1);
        // It would ring in 90 ms, then in 50, then long ago.
        assert_eq!(wait(&alarms, 50).await, 50);
        give_up(&alarms, 10, 100).await;
        assert_eq!(wait(&alarms, 200).await, 200);
        give_up(&alarms, 10, 50).await;
        advance(Duration::from_millis(500)).await;
        assert_eq!(wait(&alarms, 100).await, 100);
        assert_eq!(idle(&alarms), 1, "the same one all the time");
    }

    /// Waits again and again, for times that follow from a number, and gives up some of them.
    async fn wait_often(alarms: Alarms, mut number: u64) {
        for _ in 0..50 {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (millis, after) = (number >> 54, number >> 44 & 0x3ff);
            if after > 600 && after < millis {
                give_up(&alarms, after, millis).await;
            } else {
                assert_eq!(wait(&alarms, millis).await, millis);
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn many_who_wait_for_different_times_all_hear_their_own() {
        let alarms = Alarms::default();
        let mut waiting = tokio::task::JoinSet::new();
        for number in 0..200 {
            waiting.spawn(wait_often(alarms.clone(), number));
        }
        waiting.join_all().await;
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_64_timers_are_kept() {
        let alarms = Alarms::default();
        let time = Instant::now() + Duration::from_secs(1);
        let mut waiting: Vec<_> = (0..100).map(|_| alarms.until(time)).collect();
        let mut cx = Context::from_waker(std::task::Waker::noop());
        for waiting in &mut waiting {
            assert!(Pin::new(waiting).poll(&mut cx).is_pending());
        }
        drop(waiting);
        assert_eq!(idle(&alarms), 64);
    }

    #[test]
    fn the_timers_of_a_runtime_that_has_ended_are_let_go() {
        let alarms = Alarms::default();
        for _ in 0..2 {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(give_up(&alarms, 10, 100));
            assert_eq!(idle(&alarms), 1);
        }
    }
}
